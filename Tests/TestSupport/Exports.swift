// Tests know what moved into the tools by the name of what they all import.
@_exported public import Faults
@_exported public import Processes
