import CallState

// The module CallState has a type of its own name, so that its other types can't be named through it; inside extensions
// of types with members of the same name these stand for them.
typealias StatePerson = Person
typealias StateDevice = Device
typealias StateRecording = Recording
