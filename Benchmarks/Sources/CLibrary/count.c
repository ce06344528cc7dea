#include "library.h"
#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>

int lm_is_counted(void) { return RUNNING_ON_VALGRIND > 0; }

void lm_count_start(void) {
  CALLGRIND_START_INSTRUMENTATION;
  CALLGRIND_ZERO_STATS;
}

void lm_count_stop(const char *name) {
  CALLGRIND_STOP_INSTRUMENTATION;
  CALLGRIND_DUMP_STATS_AT(name);
}
#else
int lm_is_counted(void) { return 0; }
void lm_count_start(void) {}
void lm_count_stop(const char *name) { (void)name; }
#endif
