import Strongroom

/// The model of Debian's package catalogue.
enum DebianCatalogue {
  static func model() throws -> ManagedObjectModel {
    try ManagedObjectModel {
      Entity("Package", abstract: true) {
        Attribute("name", .string, optional: false)
        Relationship("dependents", toMany: "BinaryPackage", inverse: "dependencies")
        UniquenessConstraint("name")
      }
      Entity("BinaryPackage", parent: "Package") {
        Attribute("version", .string, optional: false)
        Attribute("architecture", .string)
        Attribute("priority", .string)
        Attribute("installedSize", .integer64)
        Attribute("downloadSize", .integer64)
        Attribute("summary", .string)
        Attribute("homepage", .uri)
        Attribute("source", .string)
        Attribute("isEssential", .boolean, optional: false, default: false)
        Relationship("maintainer", to: "Maintainer", inverse: "packages")
        Relationship("section", to: "Section", inverse: "packages")
        Relationship("tags", toMany: "Tag", inverse: "packages")
        Relationship("dependencies", toMany: "Package", inverse: "dependents")
      }
      // A name that only dependencies mention: provided by a package, or not in this catalogue.
      Entity("VirtualPackage", parent: "Package") {}
      Entity("Maintainer") {
        Attribute("contact", .string, optional: false)
        Attribute("name", .string, optional: false)
        Attribute("address", .string)
        Relationship("packages", toMany: "BinaryPackage", inverse: "maintainer", deleteRule: .deny)
        UniquenessConstraint("contact")
      }
      Entity("Section") {
        Attribute("name", .string, optional: false)
        Relationship("packages", toMany: "BinaryPackage", inverse: "section", deleteRule: .deny)
        UniquenessConstraint("name")
      }
      Entity("Tag") {
        Attribute("name", .string, optional: false)
        Relationship("packages", toMany: "BinaryPackage", inverse: "tags")
        UniquenessConstraint("name")
      }
    }
  }
}
