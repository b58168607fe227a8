/// Why a network of faults can't do what it was asked to.
package struct FaultError: Error, CustomStringConvertible {
    /// For people.
    package let description: String

    init(_ description: String) { self.description = description }
}
