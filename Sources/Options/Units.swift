/// A number with a unit, such as `15s` or `64KiB`.
///
/// No unit is allowed for zero, and for any number of the smallest unit when `isUnitOptional`.
struct Units: Sendable {
    /// From the largest to the smallest.
    let units: [(name: String, factor: Int)]
    let isUnitOptional: Bool

    static let duration = Units(
        units: [("h", 3_600_000), ("m", 60_000), ("s", 1000), ("ms", 1)],
        isUnitOptional: false
    )
    static let size = Units(
        units: [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10), ("B", 1)],
        isUnitOptional: true
    )

    /// The number in the smallest unit; nil for another form, and for more than an `Int` holds.
    func read(_ text: String) -> Int? {
        let digits = text.prefix { $0.isASCII && $0.isWholeNumber }
        guard let number = Int(digits) else { return nil }
        let name = text[digits.endIndex...]
        if name.isEmpty { return isUnitOptional || number == 0 ? number : nil }
        guard let unit = units.first(where: { $0.name == name }) else { return nil }
        let (product, overflow) = number.multipliedReportingOverflow(by: unit.factor)
        return overflow ? nil : product
    }

    /// The number in the largest unit that gives a whole one.
    func write(_ number: Int) -> String {
        let unit =
            number == 0 ? units[units.count - 1] : units.first { number % $0.factor == 0 } ?? units[units.count - 1]
        return "\(number / unit.factor)\(unit.name)"
    }
}
