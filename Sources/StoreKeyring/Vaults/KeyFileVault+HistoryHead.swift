public import Foundation

extension KeyFileVault: HistoryHeadVault {
  /// A line without a blank, which is none of a key: `history:` store `:` head.
  private static func start(_ store: UUID) -> String { "history:\(store.uuidString.lowercased()):" }

  /// The last line for the store.
  /// - Throws: `KeyringError`: `keyFileExposed`, `vaultUnreachable`, and `itemDamaged` for a line that
  ///   cannot be read.
  public func historyHead(for store: UUID, interaction: KeyInteraction) async throws -> HistoryHead? {
    guard let contents = try file.read() else { return nil }
    let start = Self.start(store)
    let lines = contents.withUnsafeBytes { bytes in
      KeyFileLine.all(bytes).map(\.whole).filter { $0.starts(with: start.utf8) }.map {
        String(decoding: $0, as: UTF8.self)
      }
    }
    guard let line = lines.last else { return nil }
    guard let head = HistoryHead(text: line.dropFirst(start.count)) else {
      throw KeyringError(
        .itemDamaged, "\(name) has a history line for the store that cannot be read; remove it")
    }
    return head
  }

  /// Puts a line in the place of the store's.
  /// - Throws: `KeyringError`; the file is then unchanged.
  public func setHistoryHead(
    _ head: HistoryHead, for store: UUID, label: String, interaction: KeyInteraction
  ) async throws {
    let start = Self.start(store)
    try file.change { old in
      Self.lending(old) { contents in
        let others = KeyFileLine.all(contents).map(\.whole).filter { !$0.starts(with: start.utf8) }
        let line = Array((start + head.text).utf8)
        return line.withUnsafeBytes { KeyFileLine.contents(others + [$0]) }
      }
    }
  }
}
