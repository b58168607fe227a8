/// The version that the relay and the tools are built as: one, since they come from one package.
public enum ProductVersion {
    /// What `--version` prints after a program's name.
    public static let text = "0.1.0"
}
