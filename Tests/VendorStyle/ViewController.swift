import Foundation

/// Stands in for the screen classes of a platform: bound to the main actor, with the hook that app code overrides.
@MainActor
class ViewController: NSObject {
    /// What the navigation bar shows.
    var title: String?

    /// Makes a screen, and loads it.
    override init() {
        super.init()
    }

    /// App code sets itself up here.
    func viewDidLoad() {}
}

/// Stands in for a table or a label: counts how often it was drawn.
@MainActor
final class View {
    /// How often.
    private(set) var drawings = 0

    /// Draws.
    func reloadData() { drawings += 1 }
}
