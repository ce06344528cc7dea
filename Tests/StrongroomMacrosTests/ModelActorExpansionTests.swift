import Testing

/// The whole text of what `@ModelActor` expands to.
struct ModelActorExpansionTests {
  @Test func anActor() {
    expectExpansion(
      """
      @ModelActor
      public actor Importer {
      }
      """,
      """
      public actor Importer {

        public nonisolated let modelExecutor: any StrongroomData.ModelExecutor

        public nonisolated let modelContainer: StrongroomData.ModelContainer

        public init(modelContainer: StrongroomData.ModelContainer) {
          let modelContext = StrongroomData.ModelContext(modelContainer)
          self.modelExecutor = StrongroomData.DefaultSerialModelExecutor(modelContext: modelContext)
          self.modelContainer = modelContainer
        }
      }

      extension Importer: StrongroomData.ModelActor {
      }
      """)
  }

  @Test func anActorWithValuesOfItsOwn() {
    expectExpansion(
      """
      @ModelActor
      actor Importer {
        let source: String
        init(source: String, modelContainer: ModelContainer) {
          self.source = source
        }
      }
      """,
      """
      actor Importer {
        let source: String
        init(source: String, modelContainer: ModelContainer) {
          self.source = source
        }

        nonisolated let modelExecutor: any StrongroomData.ModelExecutor

        nonisolated let modelContainer: StrongroomData.ModelContainer
      }

      extension Importer: StrongroomData.ModelActor {
      }
      """)
  }
}
