// So that a file of SwiftData models compiles here unchanged.
@_exported public import StrongroomData
