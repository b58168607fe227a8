package import Options
package import Rollcall

extension Address {
    /// The address of a relay, as the tools' options take it.
    package static let optionType = ValueType<Address>(
        placeholder: "ADDRESS",
        accepts: "unix:/path or tcp:host:port",
        format: { $0.description },
        parse: { text throws(RollcallError) in try Address.parse(text) }
    )
}
