import Foundation
import ObjectContext
import ObjectModel
import ObjectQuery

/// Finds the property behind a key path that the macro did not record: one that begins at a
/// subclass (`\Dog.name`, where `name` is Animal's), or that crosses a to-one (`\Item.trip?.name`).
///
/// Swift on Linux cannot decompose a key path, and key paths of different roots never compare
/// equal.
///
/// A detached model gets a different value in each property and is read through the key path, in
/// several rounds with other values. A key path that returns the value of one property in every
/// round reads that property unchanged.
///
/// Shares the search and the marks with the key paths of Codable types, but not their samples: a
/// model is not decoded, its values are those of the attributes, and its relationships are
/// followed.
///
/// Used only where necessary: a key path of one property, in a class without a superclass, is
/// recorded, is the model's identity, or is no property.
final class KeyPathProbe: @unchecked Sendable {
  // @unchecked: used by the thread that makes it, while it asks.
  private struct Place {
    let names: [String]
    let object: ModelObject
    let property: PropertySchema
  }

  private struct NamedSample {
    let model: any PersistentModel
    let names: [String]
  }

  /// The probe that models without values belong to on this thread.
  @TaskLocal static var current: KeyPathProbe?

  private var places: [Place] = []
  private var samples: [NamedSample] = []
  private var round = 0

  /// The names of the properties that a key path of a class follows.
  static func names(of keyPath: AnyKeyPath, in shape: ModelSchema) -> [String]? {
    let steps = keyPath.debugDescription.components(separatedBy: "<computed").count - 1
    let isIdentifier = type(of: keyPath).valueType == PersistentIdentifier.self
    if steps == 0 || steps == 1 && shape.parent == nil && !isIdentifier { return nil }
    let probe = KeyPathProbe()
    return $current.withValue(probe) { probe.names(of: keyPath, shape) }
  }

  private func names(of keyPath: AnyKeyPath, _ shape: ModelSchema) -> [String]? {
    func open<Model: PersistentModel>(_ model: Model) -> [String]? {
      guard let path = keyPath as? PartialKeyPath<Model> else { return nil }
      // The first read makes the destinations.
      let first = Self.plain(model[keyPath: path])
      // `\Trip.id` of a class that declares none is another key path than the same in generic code.
      if let identity = first as? PersistentIdentifier {
        return identity == model.persistentModelID ? [] : nil
      }
      if let destination = first as? any PersistentModel {
        return samples.first { $0.model._$object === destination._$object }?.names
      }
      if let list = first as? [any PersistentModel] { return relationship(list) { model[keyPath: path] } }
      let matches = KeyPathSearch.matches { next -> (read: AttributeValue, values: [Int: AttributeValue])? in
        round = next
        for place in places.indices { put(place) }
        return Self.encoded(model[keyPath: path]).map { read in
          let values = places.indices.compactMap { place in value(of: place).map { (place, $0) } }
          return (read, Dictionary(uniqueKeysWithValues: values))
        }
      }
      return matches.count == 1 ? matches.first.map { places[$0].names } : nil
    }
    return open(make(shape, []))
  }

  /// The destination of a sample model's to-one.
  func destination<Destination: PersistentModel>(
    of object: ModelObject, _ index: PropertyIndex, _ type: Destination.Type
  ) -> Destination? {
    if let known = object.detachedRelationships.first(where: { $0.index == index.index }) {
      return known.destinations.first as? Destination
    }
    guard let own = samples.first(where: { $0.model._$object === object }) else { return nil }
    let name = ModelSchema.of(Swift.type(of: own.model)).properties[index.index].name
    let destination = make(ModelSchema.of(type), own.names + [name])
    object.detachedRelationships.append(DetachedRelationship(index: index.index, destinations: [destination]))
    return destination as? Destination
  }

  /// The destinations of a sample model's to-many, in another order each round.
  func destinations<Destination: PersistentModel>(
    of object: ModelObject, _ index: PropertyIndex, _ type: Destination.Type
  ) -> [Destination] {
    if let known = object.detachedRelationships.first(where: { $0.index == index.index }) {
      return known.destinations as? [Destination] ?? []
    }
    guard let own = samples.first(where: { $0.model._$object === object }) else { return [] }
    let name = ModelSchema.of(Swift.type(of: own.model)).properties[index.index].name
    let destinations = (0..<3).map { _ in make(ModelSchema.of(type), own.names + [name]) }
    object.detachedRelationships.append(DetachedRelationship(index: index.index, destinations: destinations))
    return destinations as? [Destination] ?? []
  }

  /// The names of the to-many whose models a key path reads, all of them and in their order,
  /// whatever their values are.
  private func relationship(_ list: [any PersistentModel], _ read: () -> Any) -> [String]? {
    func isSame(_ left: [any PersistentModel], _ right: [any PersistentModel]) -> Bool {
      left.count == right.count && zip(left, right).allSatisfy { $0._$object === $1._$object }
    }
    guard let first = list.first,
      let names = samples.first(where: { $0.model._$object === first._$object })?.names,
      let owner = samples.first(where: {
        $0.model._$object.detachedRelationships.contains { isSame($0.destinations, list) }
      })?
      .model
      ._$object,
      let place = owner.detachedRelationships.firstIndex(where: { isSame($0.destinations, list) })
    else { return nil }
    for next in 0..<SampleMark.rounds {
      round = next
      for place in places.indices { put(place) }
      let destinations = owner.detachedRelationships[place].destinations
      owner.detachedRelationships[place].destinations = Array(
        destinations.dropFirst() + destinations.prefix(1))
      guard let answer = Self.plain(read()) as? [any PersistentModel],
        isSame(answer, owner.detachedRelationships[place].destinations)
      else { return nil }
    }
    return names
  }

  private func make(_ shape: ModelSchema, _ names: [String]) -> any PersistentModel {
    let object = ModelObject(ManagedObject.Seed(detached: shape.prototype))
    object.isProbe = true
    func open<Model: PersistentModel>(_ type: Model.Type) -> any PersistentModel { object.materialize(type) }
    let model = open(shape.type)
    samples.append(NamedSample(model: model, names: names))
    for property in shape.properties {
      guard case .attribute = property.kind else { continue }
      places.append(Place(names: names + [property.name], object: object, property: property))
      put(places.count - 1)
    }
    return model
  }

  private func put(_ place: Int) {
    guard let value = value(of: place) else { return }
    places[place].object.set(places[place].property.index, to: value)
  }

  private func value(of place: Int) -> AttributeValue? {
    Self.value(places[place].property, SampleMark(property: place + 1, round: round))
  }

  /// The value of a property in one round, each property's another; nil where none is known.
  private static func value(_ property: PropertySchema, _ mark: SampleMark) -> AttributeValue? {
    guard case .attribute(let type, _) = property.kind else { return nil }
    if let cases = property.caseValues { return cases.count > 1 ? cases[mark.bit ? 0 : 1] : nil }
    switch type {
    case .integer16, .integer32, .integer64, .string:
      // Raw values are the type's own choice.
      guard property.isPlain else { return nil }
    default: break
    }
    return value(type, mark)
  }

  private static func value(_ type: AttributeType, _ mark: SampleMark) -> AttributeValue? {
    // Exact in 16 bits, in a Float's 24 with a half, and in the range of dates.
    let number = mark.number % 30_000
    switch type {
    case .boolean: return .boolean(mark.bit)
    case .integer16, .integer32, .integer64: return .integer(Int64(number))
    case .double, .float: return .double(Double(number) + 0.5)
    case .decimal: return .decimal(Decimal(number))
    case .date: return .date(Date(timeIntervalSinceReferenceDate: Double(number)))
    // With spaces, cases, an accent and punctuation, so that no conversion of a text is its
    // property.
    case .string: return .string(" Aé\(number)z, b-\(number * 7) ")
    case .uuid:
      let byte = UInt8(truncatingIfNeeded: number)
      let next = UInt8(truncatingIfNeeded: number >> 8)
      return .uuid(UUID(uuid: (byte, next, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)))
    case .uri: return .uri(URL(fileURLWithPath: "/\(number)"))
    case .binary: return .data(Data("\(number)".utf8))
    default: return nil
    }
  }

  /// A value without the optionals around it; nil where there is none.
  static func plain(_ value: Any) -> Any? {
    guard let optional = value as? any AnyOptionalValue else { return value }
    return optional.inside.flatMap(plain)
  }

  private static func encoded(_ value: Any) -> AttributeValue? {
    guard let value = plain(value) else { return nil }
    if let raw = value as? any RawRepresentable { return encoded(raw.rawValue) }
    switch value {
    case let float as Float: return .double(Double(float))
    case let value as any AttributeConvertible:
      let form = ValueForm(type(of: value), transformer: nil)
      return value.attributeValue(for: form.type)
    default: return nil
    }
  }
}

private protocol AnyOptionalValue { var inside: Any? { get } }
extension Optional: AnyOptionalValue { var inside: Any? { self } }

extension PropertySchema {
  private var plainType: Any.Type {
    var type = valueType
    while let optional = type as? any AnyOptional.Type { type = optional.wrapped }
    return type
  }

  /// Whether its values are the attribute's own, and no raw values.
  var isPlain: Bool {
    plainType is any AttributeConvertible.Type && !(plainType is any RawRepresentable.Type)
  }

  /// The values of all cases of an enumeration; nil for other types.
  var caseValues: [AttributeValue]? {
    guard !isPlain else { return nil }
    func open<Value>(_ type: Value.Type) -> [AttributeValue]? {
      guard let raw = EnumerationCases.all(type) as? [any RawRepresentable] else { return [] }
      return raw.compactMap { raw in
        (raw.rawValue as? any AttributeConvertible).map {
          $0.attributeValue(for: ValueForm(Swift.type(of: $0), transformer: nil).type)
        }
      }
    }
    return _openExistential(plainType, do: open)
  }
}
