// sqlite3.h declares sqlite3_key_v2 and sqlite3_rekey_v2 only where this is defined.
#define SQLITE_HAS_CODEC 1
#include <sqlite3.h>

// Swift cannot call variadic C functions.
static inline int csqlcipher_config(sqlite3 *database, int option, int isOn) {
  return sqlite3_db_config(database, option, isOn, (int *)0);
}

static inline int csqlcipher_config_memory_statistics(int isOn) {
  return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, isOn);
}
