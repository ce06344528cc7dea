import Testing

/// The whole text of expansions of classes whose superclass is a model.
struct SubmodelExpansionTests {
  @Test func aSubmodelWithAnInitializer() {
    expectExpansion(
      """
      @Model
      final class Dog: Animal {
        var breed: String
        init(breed: String) {
          self.breed = breed
          super.init()
        }
      }
      """,
      """
      final class Dog: Animal {
        var breed: String {
          @storageRestrictions(accesses: _$storage, initializes: _breed)
          init(initialValue) {
            _$storage.initialize(Dog._$indexes, 0, initialValue)
            _breed = StrongroomData._Placeholder()
          }
          get {
            _$object.read(self, \\.breed, Dog._$indexes, 0)
          }
          set {
            _$object.write(self, \\.breed, Dog._$indexes, 0, newValue)
          }
        }

        private var _breed: StrongroomData._Placeholder
        init(breed: String) {
          self.breed = breed
          super.init()
        }

        private static let _$indexes = StrongroomData.ModelPropertyIndexes(Dog.self)

        private var _$storage: StrongroomData.ModelObject = StrongroomData.ModelObject.detached(Dog.self)

        override var _$object: StrongroomData.ModelObject {
          StrongroomData.ModelObject.joined(&_$storage, super._$object)
        }

        required init(_$object object: StrongroomData.ModelObject) {
          _breed = StrongroomData._Placeholder()
          _$storage = object
          super.init(_$object: object.forSuperclass(of: Dog.self))
        }

        override static var schemaMetadata: [StrongroomData.Schema.PropertyMetadata] {
          var _$properties: [StrongroomData.Schema.PropertyMetadata] = []
          _$properties.append(StrongroomData.Schema.PropertyMetadata(name: "breed", keypath: \
      \\Dog.breed, metadata: nil))
          return _$properties
        }

        override static var _$constraints: [any StrongroomData.SchemaConstraint] {
          []
        }
      }
      """, missing: [])
  }

  @Test func aSubmodelThatInheritsInitializers() {
    expectExpansion(
      """
      @Model
      class Cat: Animal {
        var lives = 9
      }
      """,
      """
      class Cat: Animal {
        var lives {
          @storageRestrictions(accesses: _$storage, initializes: _lives)
          init(initialValue) {
            _$storage.initialize(Cat._$indexes, 0, initialValue)
            _lives = StrongroomData._Placeholder()
          }
          get {
            _$object.read(self, \\.lives, Cat._$indexes, 0)
          }
          set {
            _$object.write(self, \\.lives, Cat._$indexes, 0, newValue)
          }
        }

        private var _lives: StrongroomData._Placeholder

        private static let _$indexes = StrongroomData.ModelPropertyIndexes(Cat.self)

        private var _$storage: StrongroomData.ModelObject = StrongroomData.ModelObject.detached(Cat.self)

        override var _$object: StrongroomData.ModelObject {
          StrongroomData.ModelObject.joined(&_$storage, super._$object)
        }

        override class var schemaMetadata: [StrongroomData.Schema.PropertyMetadata] {
          var _$properties: [StrongroomData.Schema.PropertyMetadata] = []
          _$properties.append(StrongroomData.Schema.PropertyMetadata(name: "lives", keypath: \
      \\Cat.lives, default: 9, metadata: nil))
          return _$properties
        }

        override class var _$constraints: [any StrongroomData.SchemaConstraint] {
          []
        }
      }
      """, missing: [])
  }
}
