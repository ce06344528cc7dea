// A file that imports SwiftData compiles unchanged.
@_exported public import StrongroomData
