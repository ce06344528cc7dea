#include <stddef.h>

// Reference counting of objects, as Swift's runtime exports it (HeapObject.h of its sources).

// Retains an object unless it is being deallocated; null then.
void *_Nullable swift_tryRetain(void *_Nonnull object);
// Keeps an object's memory, not the object: what `unowned` does.
void *_Nonnull swift_unownedRetain(void *_Nonnull object);
void swift_unownedRelease(void *_Nonnull object);

// A pointer for each thread, which Swift cannot declare; null until it is set.
void *_Nullable thread_pointer(void);
void thread_pointer_set(void *_Nullable pointer);

// Writes the classes of a name, at most `capacity` of them, that the program and its libraries have and that have
// no type parameters; returns how many. The name is the class's own, without what it is nested in.
size_t program_classes(
    const char *_Nonnull name, const void *_Nullable *_Nonnull classes, size_t capacity);
