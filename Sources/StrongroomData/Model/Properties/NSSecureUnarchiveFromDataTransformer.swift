import Foundation

/// Stores objects as keyed archives, for attributes that are `.transformable(by:)`: a subclass overrides
/// `allowedTopLevelClasses` with the classes of its values.
///
/// As in Foundation on Apple's systems, whose class of this name Linux lacks, data is what it transforms
/// and a value what it makes of it; attributes use it the other way round. Values are those that
/// `NSKeyedArchiver` on Linux takes: Foundation's plain values and collections, and classes that conform to
/// `NSSecureCoding`.
open class NSSecureUnarchiveFromDataTransformer: ValueTransformer {
  /// What a value may have within it: the collections and plain values of property lists.
  private static let plain: [AnyClass] = [
    NSArray.self, NSDictionary.self, NSSet.self, NSString.self, NSNumber.self, NSDate.self, NSData.self,
    NSURL.self, NSUUID.self, NSNull.self,
  ]

  /// The classes that a value may be of, subclasses included.
  ///
  /// The collections and plain values of property lists unless overridden.
  open class var allowedTopLevelClasses: [AnyClass] { plain }

  /// The value that an archive has; nil for anything else, and for an archive of other classes.
  open override func transformedValue(_ value: Any?) -> Any? {
    guard let data = value as? Data, Self.allows(data),
      let unarchiver = try? NSKeyedUnarchiver(forReadingFrom: data)
    else { return nil }
    // The classes were looked at before: the unarchiver stops the process at one that is not allowed.
    unarchiver.requiresSecureCoding = false
    unarchiver.decodingFailurePolicy = .setErrorAndReturn
    defer { unarchiver.finishDecoding() }
    let value = unarchiver.decodeObject(forKey: NSKeyedArchiveRootObjectKey)
    return unarchiver.error == nil ? value : nil
  }

  /// The archive of a value; nil for nil, and for an archive that would not be read again, of other classes.
  ///
  /// - Precondition: Objects conform to `NSSecureCoding`: Foundation stops the process at others.
  open override func reverseTransformedValue(_ value: Any?) -> Any? {
    guard let value,
      let data = try? NSKeyedArchiver.archivedData(withRootObject: value, requiringSecureCoding: true),
      Self.allows(data)
    else { return nil }
    return data
  }

  /// Whether all objects of an archive are of allowed classes or their subclasses, or plain.
  private static func allows(_ data: Data) -> Bool {
    guard let list = try? PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any],
      let objects = list["$objects"] as? [Any]
    else { return false }
    let allowed = Set((allowedTopLevelClasses + plain).map { NSStringFromClass($0) })
    return objects.allSatisfy { object in
      guard let chain = (object as? [String: Any])?["$classes"] as? [String] else { return true }
      return chain.contains(where: allowed.contains)
    }
  }
}

extension NSValueTransformerName {
  /// The name of `NSSecureUnarchiveFromDataTransformer`.
  public static let secureUnarchiveFromDataTransformerName = NSValueTransformerName(
    "NSSecureUnarchiveFromData")
}
