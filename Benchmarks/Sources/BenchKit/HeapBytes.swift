import CLibrary

/// Bytes the program's allocator has handed out.
public func heapBytes() -> Int64 { lm_heap_bytes() }
