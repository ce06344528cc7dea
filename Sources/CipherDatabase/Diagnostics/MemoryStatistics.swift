import CSQLCipher

/// SQLite's count of the memory that it uses in this process.
package enum MemoryStatistics {
  /// Ends the count, which takes a lock at each piece of memory: a sort of many rows is a tenth faster
  /// without.
  ///
  /// A setting of the whole process, so the program's to choose and not the library's. It has to come
  /// before SQLite is used; later it does nothing.
  package static func leaveOut() { _ = csqlcipher_config_memory_statistics(0) }
}
