/// The text with everything that could command a terminal, or fake another text, made visible and harmless.
///
/// Names in a call come from anybody. Control characters become the pictures that Unicode has for them; C1 controls,
/// line separators and marks that turn the direction of writing become U+FFFD.
package func safeText(_ text: String) -> String {
    if !text.unicodeScalars.contains(where: { harmless($0) != nil }) { return text }
    var safe = String.UnicodeScalarView()
    for scalar in text.unicodeScalars { safe.append(harmless(scalar) ?? scalar) }
    return String(safe)
}

/// What stands for a harmful character; nil when it does no harm.
private func harmless(_ scalar: Unicode.Scalar) -> Unicode.Scalar? {
    switch scalar.value {
    case 0x00...0x1F: Unicode.Scalar(0x2400 + scalar.value)
    case 0x7F: "\u{2421}"
    case 0x80...0x9F, 0x2028...0x202E, 0x2060...0x206F, 0x200E...0x200F, 0x061C, 0xFEFF, 0xE0000...0xE007F: "\u{FFFD}"
    default: nil
    }
}
