/// What a command fails with when the store or the query is at fault, and not the command line: exit code 1, and no usage.
struct ToolFailure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
