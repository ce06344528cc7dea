// The same limit on plain SQLite, for peers that know no other.
#define LIMIT_PLAIN 1
#include "../CLimit/limit.c"
