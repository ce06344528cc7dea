import CLibrary

/// Bytes the program's allocator has handed out.
package func heapBytes() -> Int64 { lm_heap_bytes() }

/// Makes the allocator keep what is freed.
///
/// Otherwise each run of a phase that holds many objects pays the kernel for first touching the
/// same memory again, which a process pays once.
package func keepHeap() { lm_keep_heap() }

/// Has the allocator sort what an earlier run freed, so that the next one does not pay for it.
package func settleHeap() { lm_settle_heap() }
