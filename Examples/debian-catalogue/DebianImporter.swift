import Strongroom

/// Imports a package catalogue in two passes: the packages, then their dependencies.
final class DebianImporter {
  /// What was imported.
  struct Counts {
    var packages = 0
    var maintainers = 0
    var sections = 0
    var tags = 0
    var dependencies = 0
  }

  private let context: ManagedObjectContext
  private(set) var counts = Counts()
  private var packages: [String: ManagedObjectID] = [:]
  private var named: [String: [String: ManagedObjectID]] = [:]
  private var fresh: [ManagedObject] = []
  private static let batchSize = 5000

  init(context: ManagedObjectContext) { self.context = context }

  /// Imports all records.
  ///
  /// It saves and releases a batch at a time, so that memory does not grow with the catalogue.
  ///
  /// - `progress`: Called with the number of paragraphs done. Each counts once per pass.
  func run(_ records: DebianRecords, progress: (Int) -> Void) throws {
    var done = 0
    for record in records {
      if let name = record["Package"], packages[name] == nil { try add(name, record) }
      done += 1
      if fresh.count >= Self.batchSize {
        try flush()
        progress(done)
      }
    }
    try flush()
    try link(records, done: done, progress: progress)
  }

  private func flush() throws {
    try context.save()
    for object in fresh {
      if let name = try object.get("name", as: String.self), object.entity.root.name == "Package" {
        packages[name] = object.objectID
      }
    }
    for (entity, objects) in pendingNamed {
      for (key, object) in objects { named[entity, default: [:]][key] = object.objectID }
    }
    pendingNamed = [:]
    pendingPackages = [:]
    fresh = []
    context.reset()
  }

  private var pendingNamed: [String: [String: ManagedObject]] = [:]
  private var pendingPackages: [String: ManagedObject] = [:]

  private func add(_ name: String, _ record: [String: String]) throws {
    if pendingPackages[name] != nil { return }
    let package = try context.insert("BinaryPackage")
    fresh.append(package)
    pendingPackages[name] = package
    counts.packages += 1
    try package.set("name", name)
    try package.set("version", record["Version"] ?? "")
    try package.set("architecture", record["Architecture"])
    try package.set("priority", record["Priority"])
    try package.set("installedSize", record["Installed-Size"].flatMap { Int64($0) })
    try package.set("downloadSize", record["Size"].flatMap { Int64($0) })
    try package.set("summary", record["Description"])
    try package.set("homepage", record["Homepage"].flatMap { URL(string: $0) })
    try package.set("source", record["Source"].map { String($0.prefix { $0 != " " }) })
    try package.set("isEssential", record["Essential"] == "yes")
    if let maintainer = record["Maintainer"] {
      try package.setObject(try self.maintainer(maintainer), forKey: "maintainer")
    }
    if let section = record["Section"] {
      try package.setObject(try find("Section", section), forKey: "section")
    }
    for tag in Set(DebianRecords.tags(record["Tag"] ?? "")).sorted() {
      try package.add(try find("Tag", tag), to: "tags")
    }
  }

  private func maintainer(_ text: String) throws -> ManagedObject {
    try find("Maintainer", text) { maintainer in
      try maintainer.set("contact", text)
      let open = text.lastIndex(of: "<")
      try maintainer.set(
        "name", open.map { String(text[..<$0]).trimmingCharacters(in: .whitespaces) } ?? text)
      try maintainer.set("address", open.map { String(text[text.index(after: $0)...].prefix { $0 != ">" }) })
    }
  }

  /// The object with a text, which is inserted when there is none.
  private func find(
    _ entity: String, _ key: String, make: ((ManagedObject) throws -> Void)? = nil
  ) throws -> ManagedObject {
    if let known = pendingNamed[entity]?[key] { return known }
    if let id = named[entity]?[key] { return try context.object(with: id) }
    let object = try context.insert(entity)
    if let make { try make(object) } else { try object.set("name", key) }
    pendingNamed[entity, default: [:]][key] = object
    switch entity {
    case "Maintainer": counts.maintainers += 1
    case "Section": counts.sections += 1
    default: counts.tags += 1
    }
    return object
  }

  /// Sets dependencies: each is a package and a name in its Depends or Pre-Depends field.
  private func link(_ records: DebianRecords, done: Int, progress: (Int) -> Void) throws {
    var done = done
    var inBatch = 0
    var linked: Set<String> = []
    for record in records {
      done += 1
      guard let name = record["Package"], let id = packages[name], linked.insert(name).inserted else {
        continue
      }
      let wanted = Set(
        DebianRecords.names(record["Depends"] ?? "") + DebianRecords.names(record["Pre-Depends"] ?? ""))
      if wanted.isEmpty { continue }
      let package = try context.object(with: id)
      for target in wanted.sorted() {
        try package.add(try self.package(target), to: "dependencies")
        counts.dependencies += 1
      }
      inBatch += 1
      if inBatch >= Self.batchSize {
        try flush()
        inBatch = 0
        progress(done)
      }
    }
    try flush()
  }

  private func package(_ name: String) throws -> ManagedObject {
    if let id = packages[name] { return try context.object(with: id) }
    if let known = pendingPackages[name] { return known }
    let virtual = try context.insert("VirtualPackage")
    try virtual.set("name", name)
    pendingPackages[name] = virtual
    fresh.append(virtual)
    return virtual
  }
}
