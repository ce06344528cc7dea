// The observable list below the views.

import Foundation
import Observation
import SwiftData

struct PantrySection: Identifiable {
  let id: Date
  var supplies: [Supply]
}

@Observable
@MainActor
final class PantryModel {
  enum Order: String, CaseIterable, Identifiable {
    case newest, name, price
    var id: Self { self }

    var descriptors: [SortDescriptor<Supply>] {
      switch self {
      case .newest: [.init(\.date, order: .reverse), .init(\.content)]
      case .name: [.init(\.content, comparator: .localizedStandard), .init(\.date, order: .reverse)]
      case .price: [.init(\.outgo, order: .reverse), .init(\.date)]
      }
    }
  }

  private(set) var sections: [PantrySection] = []
  private(set) var errorMessage: String?
  var query = SupplyQuery() { didSet { if query != oldValue { reload() } } }
  var order = Order.newest { didSet { reload() } }
  var pageSize = 50

  @ObservationIgnored private let context: ModelContext

  init(container: ModelContainer) {
    context = container.mainContext
    context.autosaveEnabled = false
    if context.undoManager == nil { context.undoManager = UndoManager() }
    reload()
  }

  var supplies: [Supply] { sections.flatMap(\.supplies) }
  var hasChanges: Bool { context.hasChanges }

  func reload() {
    do {
      var descriptor = FetchDescriptor<Supply>(predicate: query.predicate, sortBy: order.descriptors)
      descriptor.fetchLimit = pageSize
      descriptor.relationshipKeyPathsForPrefetching = [\.stickers]
      let found = try context.fetch(descriptor)
      sections = found.reduce(into: []) { sections, supply in
        let month = Calendar.utc.bounds(of: .month, around: supply.day).start
        if sections.last?.id == month {
          sections[sections.count - 1].supplies.append(supply)
        } else {
          sections.append(PantrySection(id: month, supplies: [supply]))
        }
      }
      errorMessage = nil
    } catch {
      sections = []
      errorMessage = error.localizedDescription
    }
  }

  @discardableResult
  private func perform<Outcome>(_ name: String, _ body: () throws -> Outcome) -> Outcome? {
    context.undoManager?.beginUndoGrouping()
    context.undoManager?.setActionName(name)
    defer { reload() }
    do {
      let outcome = try body()
      context.undoManager?.endUndoGrouping()
      return outcome
    } catch {
      context.undoManager?.endUndoGrouping()
      context.rollback()
      errorMessage = (error as? any LocalizedError)?.errorDescription ?? "\(error)"
      return nil
    }
  }

  func add(_ content: String, on date: Date, outgo: Decimal, shelf: String) {
    perform("Add \(content)") {
      _ = try Supply.create(context: context, date: date, content: content, outgo: outgo, shelf: shelf)
      try PantryOperations.recalculateBalances(in: context)
    }
  }

  func move(_ supply: Supply, to shelf: String, scope: PantryOperations.Scope = .this) {
    perform("Move to \(shelf)") {
      try PantryOperations.update(
        context: context, supply, scope: scope, content: supply.content, outgo: supply.outgo, shelf: shelf)
    }
  }

  func delete(at offsets: IndexSet, in section: PantrySection.ID) {
    guard let section = sections.first(where: { $0.id == section }) else { return }
    let chosen = offsets.filter(section.supplies.indices.contains).map { section.supplies[$0] }
    perform(chosen.count == 1 ? "Delete Supply" : "Delete \(chosen.count) Supplies") {
      try PantryOperations.delete(context: context, chosen)
    }
  }

  /// Deletes in batches, and lets the views draw between them.
  func deleteAll(batchSize: Int, progress: (Int, Int) -> Void) async {
    let all = supplies
    context.undoManager?.beginUndoGrouping()
    context.undoManager?.setActionName("Delete \(all.count) Supplies")
    for (index, supply) in all.enumerated() {
      context.delete(supply)
      if (index + 1) % batchSize == 0 || index == all.count - 1 {
        progress(index + 1, all.count)
        await _Concurrency.Task.yield()
      }
    }
    context.undoManager?.endUndoGrouping()
    reload()
  }

  func save() {
    do {
      try context.save()
      errorMessage = nil
    } catch {
      errorMessage = error.localizedDescription
    }
  }

  // MARK: Undo

  var canUndo: Bool { context.undoManager?.canUndo ?? false }
  var canRedo: Bool { context.undoManager?.canRedo ?? false }
  var undoTitle: String { context.undoManager?.undoActionName ?? "" }
  var redoTitle: String { context.undoManager?.redoActionName ?? "" }

  func undo() {
    guard let undoManager = context.undoManager, !undoManager.isUndoing, !undoManager.isRedoing else {
      return
    }
    if undoManager.canUndo { undoManager.undo() }
    reload()
  }

  func redo() {
    guard let undoManager = context.undoManager, !undoManager.isUndoing, !undoManager.isRedoing else {
      return
    }
    undoManager.redo()
    reload()
  }

  /// What a cancelled form does.
  func discardEdits() {
    while context.undoManager?.canUndo == true { context.undoManager?.undo() }
    context.undoManager?.removeAllActions()
    reload()
  }
}
