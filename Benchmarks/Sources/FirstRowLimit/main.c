// A program in C that opens the limit's store and reads its first book.
#include <limit.h>

int main(int count, char **arguments) {
  lm_store *store = count == 2 ? lm_open(arguments[1], 0, 1) : 0;
  if (!store) return 1;
  uint64_t sum = lm_first(store, 1);
  lm_close(store);
  return sum == 1;
}
