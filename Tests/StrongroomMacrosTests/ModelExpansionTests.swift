import Testing

/// The whole text of expansions of classes of several kinds.
struct ModelExpansionTests {
  @Test func propertiesOfAFinalClass() {
    expectExpansion(
      """
      @Model
      final class Trip {
        @Attribute(.unique, originalName: "title") var name: String
        @Relationship(deleteRule: .cascade, inverse: \\Stop.trip) var stops: [Stop] = []
        private(set) var `class` = 5
        @Transient var isOpen = false
        static let limit = 3
        let kind = "trip"
        var length: Int { stops.count }
        init(name: String) {
          self.name = name
        }
      }
      """,
      """
      final class Trip {
        var name: String {
          @storageRestrictions(accesses: _$storage, initializes: _name)
          init(initialValue) {
            _$storage.initialize(Trip._$indexes, 0, initialValue)
            _name = StrongroomData._Placeholder()
          }
          get {
            _$object.read(self, \\.name, Trip._$indexes, 0)
          }
          set {
            _$object.write(self, \\.name, Trip._$indexes, 0, newValue)
          }
        }

        private var _name: StrongroomData._Placeholder
        var stops: [Stop] {
          @storageRestrictions(accesses: _$storage, initializes: _stops)
          init(initialValue) {
            _$storage.initialize(Trip._$indexes, 1, initialValue)
            _stops = StrongroomData._Placeholder()
          }
          get {
            _$object.read(self, \\.stops, Trip._$indexes, 1)
          }
          set {
            _$object.write(self, \\.stops, Trip._$indexes, 1, newValue)
          }
        }

        private var _stops: StrongroomData._Placeholder
        private(set) var `class` {
          @storageRestrictions(accesses: _$storage, initializes: _class)
          init(initialValue) {
            _$storage.initialize(Trip._$indexes, 2, initialValue)
            _class = StrongroomData._Placeholder()
          }
          get {
            _$object.read(self, \\.`class`, Trip._$indexes, 2)
          }
          set {
            _$object.write(self, \\.`class`, Trip._$indexes, 2, newValue)
          }
        }

        private var _class: StrongroomData._Placeholder
        var isOpen = false
        static let limit = 3
        let kind = "trip"
        var length: Int { stops.count }
        init(name: String) {
          self.name = name
        }

        private static let _$indexes = StrongroomData.ModelPropertyIndexes(Trip.self)

        private let _$storage: StrongroomData.ModelObject = StrongroomData.ModelObject.detached(Trip.self)

        var _$object: StrongroomData.ModelObject {
          _$storage
        }

        private var _$observationRegistrar: StrongroomData.ObservationRegistrar {
          _$object.observationRegistrar
        }

        required init(_$object object: StrongroomData.ModelObject) {
          _name = StrongroomData._Placeholder()
          _stops = StrongroomData._Placeholder()
          _class = StrongroomData._Placeholder()
        }

        static var schemaMetadata: [StrongroomData.Schema.PropertyMetadata] {
          var _$properties: [StrongroomData.Schema.PropertyMetadata] = []
          _$properties.append(StrongroomData.Schema.PropertyMetadata(name: "name", keypath: \
      \\Trip.name, metadata: StrongroomData.Schema.Attribute(.unique, originalName: "title")))
          _$properties.append(StrongroomData.Schema.PropertyMetadata(name: "stops", keypath: \
      \\Trip.stops, default: [], metadata: StrongroomData.Schema.Relationship(deleteRule: \
      .cascade, inverse: \\Stop.trip)))
          _$properties.append(StrongroomData.Schema.PropertyMetadata(name: "class", keypath: \
      \\Trip.`class`, default: 5, metadata: nil))
          return _$properties
        }

        static var _$constraints: [any StrongroomData.SchemaConstraint] {
          []
        }
      }

      nonisolated extension Trip: StrongroomData.PersistentModel {
      }

      @available(*, unavailable, message: "a model stays with its context; pass its persistentModelID")
      extension Trip: Swift.Sendable {
      }
      """)
  }

  @Test func aPublicClassWithConstraints() {
    expectExpansion(
      """
      @Model
      open class Place {
        #Unique<Place>([\\.name], [\\.latitude, \\.longitude])
        #Index<Place>([\\.name])
        public var name = ""
        public var latitude = 0.0
      }
      """,
      """
      open class Place {
        public var name {
          @storageRestrictions(accesses: _$storage, initializes: _name)
          init(initialValue) {
            _$storage.initialize(Place._$indexes, 0, initialValue)
            _name = StrongroomData._Placeholder()
          }
          get {
            _$object.read(self, \\.name, Place._$indexes, 0)
          }
          set {
            _$object.write(self, \\.name, Place._$indexes, 0, newValue)
          }
        }

        private var _name: StrongroomData._Placeholder
        public var latitude {
          @storageRestrictions(accesses: _$storage, initializes: _latitude)
          init(initialValue) {
            _$storage.initialize(Place._$indexes, 1, initialValue)
            _latitude = StrongroomData._Placeholder()
          }
          get {
            _$object.read(self, \\.latitude, Place._$indexes, 1)
          }
          set {
            _$object.write(self, \\.latitude, Place._$indexes, 1, newValue)
          }
        }

        private var _latitude: StrongroomData._Placeholder

        private static let _$indexes = StrongroomData.ModelPropertyIndexes(Place.self)

        private var _$storage: StrongroomData.ModelObject = StrongroomData.ModelObject.detached(Place.self)

        open var _$object: StrongroomData.ModelObject {
          _$storage
        }

        private var _$observationRegistrar: StrongroomData.ObservationRegistrar {
          _$object.observationRegistrar
        }

        init() {
        }

        public required init(_$object object: StrongroomData.ModelObject) {
          _name = StrongroomData._Placeholder()
          _latitude = StrongroomData._Placeholder()
          _$storage = object
        }

        open class var schemaMetadata: [StrongroomData.Schema.PropertyMetadata] {
          var _$properties: [StrongroomData.Schema.PropertyMetadata] = []
          _$properties.append(StrongroomData.Schema.PropertyMetadata(name: "name", keypath: \
      \\Place.name, default: "", metadata: nil))
          _$properties.append(StrongroomData.Schema.PropertyMetadata(name: "latitude", keypath: \
      \\Place.latitude, default: 0.0, metadata: nil))
          return _$properties
        }

        open class var _$constraints: [any StrongroomData.SchemaConstraint] {
          [StrongroomData.Schema.Unique<Place>([\\.name], [\\.latitude, \\.longitude]), \
      StrongroomData.Schema.Index<Place>([\\.name])]
        }
      }

      nonisolated extension Place: StrongroomData.PersistentModel {
      }

      @available(*, unavailable, message: "a model stays with its context; pass its persistentModelID")
      extension Place: Swift.Sendable {
      }
      """)
  }

  @Test func aConformanceThatIsWritten() {
    expectExpansion(
      """
      @Model
      final class Trip: SwiftData.PersistentModel {
        init() {
        }
      }
      """,
      """
      final class Trip: SwiftData.PersistentModel {
        init() {
        }

        private static let _$indexes = StrongroomData.ModelPropertyIndexes(Trip.self)

        private let _$storage: StrongroomData.ModelObject = StrongroomData.ModelObject.detached(Trip.self)

        var _$object: StrongroomData.ModelObject {
          _$storage
        }

        private var _$observationRegistrar: StrongroomData.ObservationRegistrar {
          _$object.observationRegistrar
        }

        required init(_$object object: StrongroomData.ModelObject) {
        }

        static var schemaMetadata: [StrongroomData.Schema.PropertyMetadata] {
          []
        }

        static var _$constraints: [any StrongroomData.SchemaConstraint] {
          []
        }
      }
      """, missing: [])
  }

  @Test func anExtensionLendsItsAccess() {
    expectExpansion(
      """
      public extension Schema1 {
        @available(*, deprecated)
        @Model
        final class Trip {
          init() {
          }
        }
      }
      """,
      """
      public extension Schema1 {
        @available(*, deprecated)
        final class Trip {
          init() {
          }

          private static let _$indexes = StrongroomData.ModelPropertyIndexes(Trip.self)

          private let _$storage: StrongroomData.ModelObject = StrongroomData.ModelObject.detached(Trip.self)

          public var _$object: StrongroomData.ModelObject {
            _$storage
          }

          private var _$observationRegistrar: StrongroomData.ObservationRegistrar {
            _$object.observationRegistrar
          }

          public required init(_$object object: StrongroomData.ModelObject) {
          }

          public static var schemaMetadata: [StrongroomData.Schema.PropertyMetadata] {
            []
          }

          public static var _$constraints: [any StrongroomData.SchemaConstraint] {
            []
          }
        }
      }

      @available(*, deprecated)
      nonisolated extension Schema1.Trip: StrongroomData.PersistentModel {
      }

      @available(*, unavailable, message: "a model stays with its context; pass its persistentModelID")
      extension Schema1.Trip: Swift.Sendable {
      }
      """)
  }

  @Test func equalityOfTheClassesOwnIsNamedToTheCompiler() {
    for type in ["Trip", "Self", "Schema1.Trip"] {
      expectExpansion(
        """
        @Model
        public final class Trip {
          public static func == (left: \(type), right: \(type)) -> Bool { true }
          static func == (left: Trip, right: Int) -> Bool { false }
        }
        """,
        """
        public final class Trip {
          public static func == (left: \(type), right: \(type)) -> Bool { true }
          static func == (left: Trip, right: Int) -> Bool { false }

          private static let _$indexes = StrongroomData.ModelPropertyIndexes(Trip.self)

          private let _$storage: StrongroomData.ModelObject = StrongroomData.ModelObject.detached(Trip.self)

          public var _$object: StrongroomData.ModelObject {
            _$storage
          }

          private var _$observationRegistrar: StrongroomData.ObservationRegistrar {
            _$object.observationRegistrar
          }

          init() {
          }

          public required init(_$object object: StrongroomData.ModelObject) {
          }

          public static var schemaMetadata: [StrongroomData.Schema.PropertyMetadata] {
            []
          }

          public static var _$constraints: [any StrongroomData.SchemaConstraint] {
            []
          }

          @_implements(Swift.Equatable, ==(_:_:))
          public static func _$equals(_ left: Trip, _ right: Trip) -> Swift.Bool {
            left == right
          }
        }

        nonisolated extension Trip: StrongroomData.PersistentModel {
        }

        @available(*, unavailable, message: "a model stays with its context; pass its persistentModelID")
        extension Trip: Swift.Sendable {
        }
        """)
    }
  }
}
