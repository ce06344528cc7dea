import CSQLCipher
import Glibc

/// SQLite's access to files, in which temporary files are encrypted.
///
/// SQLite sorts more rows than fit in its cache by way of temporary files, which SQLCipher leaves in
/// clear text. A connection therefore sorts in memory, unless `Connection.withTemporaryFiles` lets it
/// use these files. All others are opened by SQLite's own file system, and cost nothing more.
enum TemporaryFileSystem {
  /// The name by which a connection chooses the file system; nil when SQLite could not begin its work.
  ///
  /// SQLite keeps the pointers for the life of the process, so they are never deallocated.
  // nonisolated(unsafe): set once, and nothing changes what it points to.
  nonisolated(unsafe) static let name: UnsafePointer<CChar>? = {
    guard let plain = sqlite3_vfs_find(nil) else { return nil }
    let name: UnsafePointer<CChar> = UnsafePointer(strdup("strongroom"))
    let system = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
    system.initialize(to: plain.pointee)
    system.pointee.zName = name
    system.pointee.pNext = nil
    system.pointee.szOsFile = max(
      plain.pointee.szOsFile, Int32(MemoryLayout<TemporaryFileHandle>.size))
    system.pointee.xOpen = { _, path, file, flags, outFlags in
      TemporaryFileSystem.open(path, file, flags, outFlags)
    }
    return sqlite3_vfs_register(system, 0) == SQLITE_OK ? name : nil
  }()

  private static let temporary =
    SQLITE_OPEN_TEMP_DB | SQLITE_OPEN_TRANSIENT_DB | SQLITE_OPEN_TEMP_JOURNAL | SQLITE_OPEN_SUBJOURNAL

  private static func open(
    _ path: UnsafePointer<CChar>?, _ file: UnsafeMutablePointer<sqlite3_file>?, _ flags: Int32,
    _ outFlags: UnsafeMutablePointer<Int32>?
  ) -> Int32 {
    guard let file, let plain = sqlite3_vfs_find(nil), let openPlain = plain.pointee.xOpen else {
      return SQLITE_CANTOPEN
    }
    guard flags & temporary != 0 else { return openPlain(plain, path, file, flags, outFlags) }
    let inner = UnsafeMutableRawPointer.allocate(
      byteCount: Int(plain.pointee.szOsFile), alignment: MemoryLayout<Int>.alignment)
    inner.initializeMemory(as: UInt8.self, repeating: 0, count: Int(plain.pointee.szOsFile))
    let opened = inner.assumingMemoryBound(to: sqlite3_file.self)
    let result = openPlain(plain, path, opened, flags, outFlags)
    guard result == SQLITE_OK else {
      file.pointee.pMethods = nil
      inner.deallocate()
      return result
    }
    guard let own = try? TemporaryFile(opened) else {
      file.pointee.pMethods = nil
      _ = opened.pointee.pMethods.pointee.xClose(opened)
      inner.deallocate()
      return SQLITE_NOMEM
    }
    TemporaryFileHandle.begin(file, own)
    return SQLITE_OK
  }
}

/// What SQLite holds of a temporary file: its own part first, as it wants it, and the file.
struct TemporaryFileHandle {
  private let base: sqlite3_file
  private let file: Unmanaged<TemporaryFile>

  static func begin(_ place: UnsafeMutablePointer<sqlite3_file>, _ file: TemporaryFile) {
    UnsafeMutableRawPointer(place).initializeMemory(
      as: TemporaryFileHandle.self,
      to: TemporaryFileHandle(base: sqlite3_file(pMethods: methods), file: .passRetained(file)))
  }

  private static func file(_ place: UnsafeMutablePointer<sqlite3_file>?) -> Unmanaged<TemporaryFile>? {
    place.map { UnsafeRawPointer($0).load(as: TemporaryFileHandle.self).file }
  }

  /// Runs a method; no error leaves it but a result code.
  private static func call(
    _ place: UnsafeMutablePointer<sqlite3_file>?, _ method: (TemporaryFile) -> Int32
  ) -> Int32 {
    file(place).map { $0._withUnsafeGuaranteedRef(method) } ?? SQLITE_IOERR
  }

  /// The methods of version 1: no shared memory and no mapping, which temporary files do not need.
  // nonisolated(unsafe): set once, and nothing changes what it points to.
  nonisolated(unsafe) private static let methods: UnsafePointer<sqlite3_io_methods> = {
    var methods = sqlite3_io_methods()
    methods.iVersion = 1
    methods.xClose = { place in
      guard let file = file(place) else { return SQLITE_IOERR }
      place?.pointee.pMethods = nil
      return file.takeRetainedValue().close()
    }
    methods.xRead = { place, buffer, count, offset in
      guard let buffer else { return TemporaryFile.readError }
      return call(place) { $0.read(UnsafeMutableRawBufferPointer(start: buffer, count: Int(count)), offset) }
    }
    methods.xWrite = { place, buffer, count, offset in
      guard let buffer else { return TemporaryFile.writeError }
      return call(place) { $0.write(UnsafeRawBufferPointer(start: buffer, count: Int(count)), offset) }
    }
    methods.xTruncate = { place, size in call(place) { $0.truncate(to: size) } }
    // Nothing of a temporary file is to outlive the process.
    methods.xSync = { _, _ in SQLITE_OK }
    methods.xFileSize = { place, size in
      call(place) {
        size?.pointee = $0.size
        return SQLITE_OK
      }
    }
    methods.xLock = { _, _ in SQLITE_OK }
    methods.xUnlock = { _, _ in SQLITE_OK }
    methods.xCheckReservedLock = { _, isReserved in
      isReserved?.pointee = 0
      return SQLITE_OK
    }
    methods.xFileControl = { _, _, _ in SQLITE_NOTFOUND }
    methods.xSectorSize = { _ in Int32(TemporaryFile.blockSize) }
    methods.xDeviceCharacteristics = { _ in 0 }
    let place = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
    place.initialize(to: methods)
    return UnsafePointer(place)
  }()
}
