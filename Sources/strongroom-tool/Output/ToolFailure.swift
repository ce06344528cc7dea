/// An error of the store or the query rather than of the command line: exit code 1, and no usage
/// text.
struct ToolFailure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }

  static let otherStore = ToolFailure("this command takes a file or a store on a PostgreSQL server")

  /// Standard output took less than was printed.
  ///
  /// - `outcome`: What the command has done all the same; nil where it has changed nothing.
  static func unwritten(after outcome: String?) -> ToolFailure {
    guard let outcome else {
      return ToolFailure("what was to be printed could not be written; make room, and try again")
    }
    return ToolFailure("\(outcome); only the report could not be written, for which there is no room")
  }
}
