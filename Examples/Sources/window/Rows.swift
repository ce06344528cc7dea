import CGtk4
import StrongroomData

/// The results of an observer as GTK's list model: an object for a row is made when GTK asks for it.
///
/// A list on the screen asks for the rows that are seen and some around them, whatever their number.
@MainActor final class Rows {
  /// The `GListModel`.
  let model: OpaquePointer
  let observer: ResultsObserver<Note, Never>
  /// How many rows GTK knows of.
  fileprivate private(set) var count: Int
  /// Rows that GTK has, so that a note has one row as long as GTK knows it.
  fileprivate var known: [ObjectIdentifier: UnsafeMutableRawPointer] = [:]

  init(_ observer: ResultsObserver<Note, Never>) {
    self.observer = observer
    count = observer.results.count
    guard let object = g_object_new_with_properties(Self.type, 0, nil, nil) else {
      preconditionFailure("GTK's list model was not made")
    }
    model = OpaquePointer(object)
    // The model outlives no list, and this object outlives the model.
    g_object_set_qdata(object, Row.quark, Unmanaged.passUnretained(self).toOpaque())
  }

  /// Tells GTK what became of the list.
  func take(_ changes: [ResultsChange<Note>]) {
    let new = observer.results.count
    // One step: the rows between the first and the last that changed.
    var (head, tail) = (min(count, new), min(count, new))
    func touch(old: Int? = nil, new place: Int? = nil) {
      for place in [old, place].compactMap(\.self) { head = min(head, place) }
      if let old { tail = min(tail, count - 1 - old) }
      if let place { tail = min(tail, new - 1 - place) }
    }
    var isMoved = false
    for change in changes {
      switch change {
      case .insert(_, let place): touch(new: place)
      case .delete(_, let place): touch(old: place)
      case .move(_, let from, let to): touch(old: from, new: to)
      case .update: continue
      }
      isMoved = true
    }
    guard isMoved else { return }
    tail = min(tail, min(count, new) - head)
    replace(head, count - head - tail, new - head - tail)
  }

  /// Has GTK look at the whole list anew.
  func reload() { replace(0, count, observer.results.count) }

  private func replace(_ head: Int, _ removed: Int, _ added: Int) {
    count += added - removed
    g_list_model_items_changed(model, UInt32(head), UInt32(removed), UInt32(added))
  }

  /// Where a note is; nil when it is not in the list.
  ///
  /// The list is in the order of dates.
  func place(of note: Note) -> Int? {
    let results = observer.results
    var (low, high) = (0, results.count)
    while low < high {
      let middle = (low + high) / 2
      if results[middle].changed > note.changed { low = middle + 1 } else { high = middle }
    }
    while low < results.count, results[low].changed == note.changed {
      if results[low] === note { return low }
      low += 1
    }
    return nil
  }

  /// A row's object, with a reference for the caller.
  fileprivate func object(at place: Int) -> UnsafeMutableRawPointer? {
    let results = observer.results
    guard place < count, place < results.count else { return nil }
    let note = results[place]
    if let known = known[ObjectIdentifier(note)] { return g_object_ref(known) }
    guard let object = g_object_new_with_properties(object_type(), 0, nil, nil) else { return nil }
    let raw = UnsafeMutableRawPointer(object)
    known[ObjectIdentifier(note)] = raw
    g_object_set_qdata_full(object, Row.quark, Unmanaged.passRetained(Row(note, self)).toOpaque()) { row in
      guard let row else { return }
      let ended = Unmanaged<Row>.fromOpaque(row).takeRetainedValue()
      onMain { ended.rows?.known[ObjectIdentifier(ended.note)] = nil }
    }
    return raw
  }

  // MARK: The class for GLib

  private static let type: GType = {
    var interface = GInterfaceInfo(
      interface_init: { table, _ in
        let table = table?.assumingMemoryBound(to: GListModelInterface.self)
        table?.pointee.get_item_type = { _ in object_type() }
        table?.pointee.get_n_items = { model in
          nonisolated(unsafe) let model = model
          return onMain { UInt32(Rows.of(model)?.count ?? 0) }
        }
        table?.pointee.get_item = { model, place in
          nonisolated(unsafe) let model = model
          return onMain { Rows.of(model)?.object(at: Int(place)) }
        }
      }, interface_finalize: nil, interface_data: nil)
    let type = g_type_register_static_simple(
      object_type(), "StrongroomRows", UInt32(MemoryLayout<GObjectClass>.size), nil,
      UInt32(MemoryLayout<GObject>.size), nil, GTypeFlags(0))
    g_type_add_interface_static(type, list_model_type(), &interface)
    return type
  }()

  private static func of(_ model: OpaquePointer?) -> Rows? {
    guard let model else { return nil }
    return g_object_get_qdata(UnsafeMutableRawPointer(model).assumingMemoryBound(to: GObject.self), Row.quark)
      .map { Unmanaged<Rows>.fromOpaque($0).takeUnretainedValue() }
  }
}

/// What GTK's object for a row has.
final class Row {
  let note: Note
  fileprivate weak var rows: Rows?

  fileprivate init(_ note: Note, _ rows: Rows) { (self.note, self.rows) = (note, rows) }

  fileprivate static let quark = g_quark_from_string("strongroom-row")

  /// The note of a row's object.
  static func note(of object: UnsafeMutableRawPointer?) -> Note? {
    guard let object else { return nil }
    return g_object_get_qdata(object.assumingMemoryBound(to: GObject.self), quark)
      .map { Unmanaged<Row>.fromOpaque($0).takeUnretainedValue().note }
  }
}
