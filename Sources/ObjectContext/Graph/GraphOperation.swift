import ObjectModel
import StoreContract

/// An operation on an object graph, with access to the graph's parts by their names.
///
/// An operation has no state beyond a call; all state belongs to the graph.
protocol GraphOperation {
  var graph: ObjectGraph { get }
}

extension GraphOperation {
  var persistentStoreCoordinator: PersistentStoreCoordinator { graph.persistentStoreCoordinator }
  var parent: ObjectGraph? { graph.parent }
  var children: [ObjectGraph.WeakGraph] { graph.children }
  var source: any ContextSource { graph.source }
  var model: ManagedObjectModel { graph.model }
  var classes: [ManagedObject.Type] { graph.classes }
  var temporaryEntities: [StoreEntity] { graph.temporaryEntities }
  var storeEntities: [StoreEntity] { graph.storeEntities }
  var plans: EntityPlans { graph.plans }
  var registry: ObjectRegistry { graph.registry }
  var tracker: ChangeTracker { graph.tracker }
  var notifications: ContextNotifications { graph.notifications }
  var undoRecorder: (any UndoRecorder)? { graph.undoRecorder }
  var recordsUndo: Bool { graph.recordsUndo }
  var inbox: ContextInbox { graph.inbox }
  var childInboxes: Inboxes { graph.childInboxes }
  var name: String? { graph.name }
  var mergePolicy: MergePolicy { graph.mergePolicy }
  var shouldDeleteInaccessibleFaults: Bool { graph.shouldDeleteInaccessibleFaults }
  var queryGenerationToken: QueryGenerationToken? { graph.queryGenerationToken }
  var registeredObjects: [ManagedObject] { graph.registeredObjects }
}
