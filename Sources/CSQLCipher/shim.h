// sqlite3_key_v2 and sqlite3_rekey_v2 are declared only for builds that say they have the codec.
#define SQLITE_HAS_CODEC 1
#include <sqlite3.h>
