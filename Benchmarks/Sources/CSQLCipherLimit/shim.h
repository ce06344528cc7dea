// The library itself is all that is wanted of this target: the limit is written in C against it.
#define SQLITE_HAS_CODEC 1
#include <sqlite3.h>
