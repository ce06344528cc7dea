/// One issue of a model, and how to repair it.
public struct ModelIssue: Sendable, Hashable, CustomStringConvertible {
  /// The kind of issue.
  public enum Reason: String, Sendable, Codable {
    case emptyName, invalidName, duplicateName, missingSuperentity, inheritanceCycle, redeclaredProperty
    case missingDestination, missingInverse, missingComposite, compositeCycle, unknownProperty, wrongDefault
    case wrongCounts, wrongPattern, wrongDerivation, wrongSealing, syntax, unreadable, tooLarge
  }

  /// The kind of issue.
  public let reason: Reason
  /// The entity, if the issue is in one.
  public let entity: String?
  /// The property, if the issue is in one.
  public let property: String?
  /// What is wrong and how to repair it.
  public let recoverySuggestion: String

  /// Entity, property and recovery suggestion in one line.
  public var description: String {
    let place = [entity, property].compactMap { $0 }.joined(separator: ".")
    return place.isEmpty
      ? "\(reason.rawValue): \(recoverySuggestion)" : "\(reason.rawValue) at \(place): \(recoverySuggestion)"
  }

  init(_ reason: Reason, _ suggestion: String) { self.init(reason, nil, nil, suggestion) }

  init(_ reason: Reason, _ entity: String?, _ property: String?, _ suggestion: String) {
    self.reason = reason
    self.entity = entity
    self.property = property
    self.recoverySuggestion = suggestion
  }
}

/// An invalid model, with all its issues at once.
public struct ModelError: Error, Sendable, CustomStringConvertible {
  /// The issues, at least one.
  public let issues: [ModelIssue]
  /// The error underneath.
  public let cause: (any Error)?
  /// Where it was thrown.
  public let fileID: String
  /// The line in `fileID`.
  public let line: Int

  init(_ issues: [ModelIssue], cause: (any Error)? = nil, fileID: String = #fileID, line: Int = #line) {
    self.issues = issues
    self.cause = cause
    self.fileID = fileID
    self.line = line
  }

  /// The first twenty issues, with what to do.
  public var message: String {
    let shown = issues.prefix(20).map(\.description).joined(separator: "\n")
    return issues.count > 20 ? shown + "\nand \(issues.count - 20) more" : shown
  }

  /// The message.
  public var description: String { message }
}
