import Foundation
import ObjectModel
import ObjectQuery
import StoreContract

extension StoreCheck {
  /// Values that are written and read in pieces.
  static let pieces: [StoreCheck] = [
    StoreCheck("a value written in pieces is one value, and its object one version on") { factory in
      let long = try await LongValue(factory)
      try expect(try long.bytes() == nil, "null at first, and not empty")
      let bytes = LongValue.pattern(300_000)
      let version = try long.write(bytes, by: 4099)
      try expect(version == 2, "the version after")
      let node = try long.store.newValues(for: long.id)
      try expect(node.version == 2 && !node.isNull(long.attribute.field), "the stored version")
      try expect(
        try long.store.wholeValues(for: long.id.reference, of: long.id.entity)?.value(of: long.attribute)
          == .data(bytes), "read whole")
      try expect(try long.bytes(by: 65_536) == bytes && long.bytes(by: 999) == bytes, "read in pieces")
      try expect(node.value(of: try long.named("string")) == .string("same"), "the rest of the row")
      try expect(try long.write(Data(), by: 1) == 3 && long.bytes() == Data(), "empty, and not null")
      try expect(
        try long.write(LongValue.pattern(5), by: 5) == 4 && long.bytes() == LongValue.pattern(5), "short")
    },
    StoreCheck("a value of which a piece fails, is missing or is too much stays as it was") { factory in
      let long = try await LongValue(factory)
      let bytes = LongValue.pattern(20_000)
      _ = try long.write(bytes, by: 7000)
      struct Stop: Error {}
      do {
        _ = try long.write(count: 30_000) { writer in
          try writer.write(contentsOf: Data(count: 10_000))
          throw Stop()
        }
        try expect(false, "nothing was thrown")
      } catch is Stop {}
      try expectError(.invalidValue, "too little") {
        _ = try long.write(count: 10) { try $0.write(contentsOf: Data(count: 9)) }
      }
      try expectError(.invalidValue, "too much") {
        _ = try long.write(count: 10) { try $0.write(contentsOf: Data(count: 11)) }
      }
      try expectError(.invalidValue, "too much, of which the closure does not tell") {
        _ = try long.write(count: 10) {
          try $0.write(contentsOf: Data(count: 10))
          try? $0.write(contentsOf: Data(count: 1))
        }
      }
      for count in [-1, Int.min, Int.max] {
        try expectError(.invalidValue, "\(count) bytes") { _ = try long.write(count: count) { _ in } }
      }
      try expect(try long.bytes() == bytes, "the value")
      try expect(try long.store.newValues(for: long.id).version == 2, "the version")
    },
    StoreCheck("writers and readers end, and readers are moved within the value only") { factory in
      let long = try await LongValue(factory)
      var leaked: ValueWriter?
      _ = try long.write(count: 3) {
        leaked = $0
        try $0.write(contentsOf: Data([1, 2]))
        try expect($0.offset == 2 && $0.count == 3, "where it is")
        try $0.write(contentsOf: [UInt8(3)])
      }
      try expectError(.valueClosed, "a writer after its closure") { try leaked?.write(contentsOf: Data([4])) }
      guard let reader = try long.open() else { return try expect(false, "no value") }
      try expect(reader.count == 3 && reader.offset == 0, "the beginning")
      try expect(try reader.read(upToCount: 2) == Data([1, 2]) && reader.offset == 2, "two bytes")
      try expect(try reader.read(upToCount: 0) == Data(), "none")
      try expect(try reader.read(upToCount: .max) == Data([3]), "the rest")
      try expect(try reader.read(upToCount: 1) == nil && reader.offset == 3, "the end")
      try reader.seek(toOffset: 1)
      try expect(try reader.read(upToCount: 1) == Data([2]), "from the middle")
      try reader.seek(toOffset: 3)
      try expect(try reader.read(upToCount: 1) == nil, "from the end")
      for offset in [-1, 4, Int.min, Int.max] {
        try expectError(.invalidValue, "to \(offset)") { try reader.seek(toOffset: offset) }
      }
      try expectError(.invalidValue, "a negative length") { _ = try reader.read(upToCount: -1) }
      reader.close()
      reader.close()
      try expectError(.valueClosed, "a closed reader") { _ = try reader.read(upToCount: 1) }
      try expectError(.valueClosed, "a closed reader") { try reader.seek(toOffset: 0) }
    },
    StoreCheck("only stored binary data of objects that are there has pieces") { factory in
      let long = try await LongValue(factory)
      for type in AttributeType.allCases where type != .undefined && type != .binary {
        let other = try long.named(type.rawValue)
        try expectError(.invalidValue, "written: \(type)") {
          _ = try long.store.writeValue(count: 1, of: other, to: long.id.reference) { _ in }
        }
        try expectError(.invalidValue, "read: \(type)") {
          _ = try long.store.openValue(of: other, of: long.id.reference)
        }
      }
      try Sample.delete(long.store, long.id, version: 1)
      try expectError(.notFound, "written") { _ = try long.write(count: 0) { _ in } }
      try expectError(.notFound, "read") { _ = try long.open() }
    },
    StoreCheck("a reader keeps to the value that it was opened on") { factory in
      let long = try await LongValue(factory)
      let bytes = LongValue.pattern(100_000)
      _ = try long.write(bytes, by: 10_000)
      guard let reader = try long.open() else { return try expect(false, "no value") }
      var read = try reader.read(upToCount: 10) ?? Data()
      _ = try long.write(Data(repeating: 9, count: 50_000), by: 50_000)
      read += try reader.read(upToCount: 50_000) ?? Data()
      try Sample.delete(long.store, long.id, version: 3)
      read += try reader.read(upToCount: 100_000) ?? Data()
      try expect(read == bytes, "the value")
    },
  ]
}

/// An object with a binary attribute.
private struct LongValue {
  let store: any IncrementalStore
  let id: ManagedObjectID
  let attribute: AttributeDescription

  init(_ factory: any StoreFactory) async throws {
    let model = try Sample.model()
    store = try await factory.makeStore(model)
    id = try Sample.insert(store, model, "Everything", [["string": "same"]])[0]
    attribute = try Sample.attribute(id.entity, "binary")
  }

  func named(_ name: String) throws -> AttributeDescription { try Sample.attribute(id.entity, name) }

  func write(count: Int, _ fill: (ValueWriter) throws -> Void) throws -> Int64 {
    try store.writeValue(count: count, of: attribute, to: id.reference, fill)
  }

  func write(_ bytes: Data, by length: Int) throws -> Int64 {
    try write(count: bytes.count) { writer in
      while writer.offset < bytes.count {
        try writer.write(contentsOf: bytes[writer.offset..<min(writer.offset + length, bytes.count)])
      }
    }
  }

  func open() throws -> ValueReader? { try store.openValue(of: attribute, of: id.reference) }

  func bytes(by length: Int = 1 << 20) throws -> Data? {
    guard let reader = try open() else { return nil }
    defer { reader.close() }
    var all = Data()
    while let piece = try reader.read(upToCount: length) { all += piece }
    return all
  }

  /// Bytes that tell where they stand.
  static func pattern(_ count: Int) -> Data { Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }) }
}

extension Sample {
  fileprivate static func attribute(_ entity: EntityDescription, _ name: String) throws
    -> AttributeDescription
  {
    guard let attribute = entity.attribute(named: name) else {
      throw StoreCheckFailure(description: "no attribute \(name)")
    }
    return attribute
  }
}
