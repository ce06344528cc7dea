import CLibrary

/// Bytes the program's allocator has handed out.
public func heapBytes() -> Int64 { lm_heap_bytes() }

/// Makes the allocator keep what is freed. Otherwise each run of a phase that holds many objects pays the kernel for
/// first touching the same memory again, which a process pays once.
public func keepHeap() { lm_keep_heap() }
