import Strongroom

/// The model of Debian's package catalogue.
enum DebianCatalogue {
  static func model() throws -> ManagedObjectModel {
    try ManagedObjectModel {
      EntityDescription("Package", abstract: true) {
        AttributeDescription("name", .string, optional: false)
        RelationshipDescription("dependents", toMany: "BinaryPackage", inverse: "dependencies")
        UniquenessConstraint("name")
      }
      EntityDescription("BinaryPackage", parent: "Package") {
        AttributeDescription("version", .string, optional: false)
        AttributeDescription("architecture", .string)
        AttributeDescription("priority", .string)
        AttributeDescription("installedSize", .integer64)
        AttributeDescription("downloadSize", .integer64)
        AttributeDescription("summary", .string)
        AttributeDescription("homepage", .uri)
        AttributeDescription("source", .string)
        AttributeDescription("isEssential", .boolean, optional: false, default: false)
        RelationshipDescription("maintainer", to: "Maintainer", inverse: "packages")
        RelationshipDescription("section", to: "Section", inverse: "packages")
        RelationshipDescription("tags", toMany: "Tag", inverse: "packages")
        RelationshipDescription("dependencies", toMany: "Package", inverse: "dependents")
      }
      // Only named by others: provided by some package, or not in this catalogue.
      EntityDescription("VirtualPackage", parent: "Package") {}
      EntityDescription("Maintainer") {
        AttributeDescription("contact", .string, optional: false)
        AttributeDescription("name", .string, optional: false)
        AttributeDescription("address", .string)
        RelationshipDescription("packages", toMany: "BinaryPackage", inverse: "maintainer", deleteRule: .deny)
        UniquenessConstraint("contact")
      }
      EntityDescription("Section") {
        AttributeDescription("name", .string, optional: false)
        RelationshipDescription("packages", toMany: "BinaryPackage", inverse: "section", deleteRule: .deny)
        UniquenessConstraint("name")
      }
      EntityDescription("Tag") {
        AttributeDescription("name", .string, optional: false)
        RelationshipDescription("packages", toMany: "BinaryPackage", inverse: "tags")
        UniquenessConstraint("name")
      }
    }
  }
}
