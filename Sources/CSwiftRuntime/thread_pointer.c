#include "CSwiftRuntime.h"

static _Thread_local void *pointer_of_thread;

void *thread_pointer(void) { return pointer_of_thread; }

void thread_pointer_set(void *pointer) { pointer_of_thread = pointer; }
