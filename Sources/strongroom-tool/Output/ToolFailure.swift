/// An error of the store or the query rather than of the command line: exit code 1, and no usage
/// text.
struct ToolFailure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }

  static let otherStore = ToolFailure("this command takes a file or a store on a PostgreSQL server")
  static let unwritten = ToolFailure("what was to be printed could not be written; make room, and try again")
}
