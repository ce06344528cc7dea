// Expressions of mapping models are those of archives, with Foundation's constants.
@_exported public import AppleModel
@_exported public import KeyedArchive
