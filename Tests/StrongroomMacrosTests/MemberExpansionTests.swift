import Testing

/// The whole text of expansions of classes with uncommon members.
struct MemberExpansionTests {
  @Test func observersMoveIntoTheSetter() {
    expectExpansion(
      """
      @Model
      final class Trip {
        var size: Int = 1 {
          willSet(next) {
            print(size, next)
          }
          didSet {
            if size > oldValue {
              size = 9
            }
          }
        }
        init() {
        }
      }
      """,
      """
      final class Trip {
        var size: Int {
          willSet(next) {
            print(size, next)
          }
          didSet {
            if size > oldValue {
              size = 9
            }
          }
          @storageRestrictions(accesses: _$storage, initializes: _size)
          init(initialValue) {
            _$storage.initialize(Trip._$indexes, 0, initialValue)
            _size = StrongroomData._Placeholder()
          }

          get {
            _$object.read(self, \\.size, Trip._$indexes, 0)
          }

          set {
            if _$observing_size {
              _$object.write(self, \\.size, Trip._$indexes, 0, newValue)
              return
            }
            _$observing_size = true
            defer {
              _$observing_size = false
            }
            let _$old = self.size
            _ = { (next) -> Swift.Void in
              print(self.size, next)
            }(newValue)
            _$object.write(self, \\.size, Trip._$indexes, 0, newValue)
            _ = { (oldValue) -> Swift.Void in
              if self.size > oldValue {
                      self.size = 9
                    }
            }(_$old)
          }
        }

        private var _size: StrongroomData._Placeholder

        private var _$observing_size = false
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
          _size = StrongroomData._Placeholder()
        }

        static var schemaMetadata: [StrongroomData.Schema.PropertyMetadata] {
          var _$properties: [StrongroomData.Schema.PropertyMetadata] = []
          _$properties.append(StrongroomData.Schema.PropertyMetadata(name: "size", keypath: \
      \\Trip.size, default: 1, metadata: nil))
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

  @Test func membersUnderConditions() {
    expectExpansion(
      """
      @Model
      final class Trip {
        #if CHOSEN
        var seen = 1
        #else
        var unseen: Int
        #endif
        var last = 2
        init() {
        }
      }
      """,
      """
      final class Trip {
        #if CHOSEN
        var seen = 1
        #else
        var unseen: Int
        #endif
        var last {
          @storageRestrictions(accesses: _$storage, initializes: _last)
          init(initialValue) {
            _$storage.initialize(Trip._$indexes, 1, initialValue)
            _last = StrongroomData._Placeholder()
          }
          get {
            _$object.read(self, \\.last, Trip._$indexes, 1)
          }
          set {
            _$object.write(self, \\.last, Trip._$indexes, 1, newValue)
          }
        }

        private var _last: StrongroomData._Placeholder
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
          _seen = StrongroomData._Placeholder()
          _last = StrongroomData._Placeholder()
        }

        static var schemaMetadata: [StrongroomData.Schema.PropertyMetadata] {
          var _$properties: [StrongroomData.Schema.PropertyMetadata] = []
          _$properties.append(StrongroomData.Schema.PropertyMetadata(name: "seen", keypath: \
      \\Trip.seen, default: 1, metadata: nil))
          _$properties.append(StrongroomData.Schema.PropertyMetadata(name: "last", keypath: \
      \\Trip.last, default: 2, metadata: nil))
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

  @Test func constantsBeforeSwift6() {
    expectExpansion(
      """
      @Model
      final class Trip {
        let name: String
        init(name: String) {
          self.name = name
        }
      }
      """,
      """
      final class Trip {
        let name: String {
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
        }

        static var schemaMetadata: [StrongroomData.Schema.PropertyMetadata] {
          var _$properties: [StrongroomData.Schema.PropertyMetadata] = []
          _$properties.append(StrongroomData.Schema.PropertyMetadata(name: "name", keypath: \
      \\Trip.name, metadata: nil))
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
      """, languageVersion: 5)
  }

  @Test func transformersMakeTheFormOfAnyType() {
    expectExpansion(
      """
      @Model
      final class Trip {
        @Attribute(.transformable(by: Seal.self)) var name: String
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
            _$storage.initializeCoded(Trip._$indexes, 0, initialValue)
            _name = StrongroomData._Placeholder()
          }
          get {
            _$object.readCoded(self, \\.name, Trip._$indexes, 0)
          }
          set {
            _$object.writeCoded(self, \\.name, Trip._$indexes, 0, newValue)
          }
        }

        private var _name: StrongroomData._Placeholder
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
        }

        static var schemaMetadata: [StrongroomData.Schema.PropertyMetadata] {
          var _$properties: [StrongroomData.Schema.PropertyMetadata] = []
          _$properties.append(StrongroomData.Schema.PropertyMetadata(name: "name", keypath: \
      \\Trip.name, metadata: StrongroomData.Schema.Attribute(.transformable(by: Seal.self))))
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
}
