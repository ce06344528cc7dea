// The generated library of books: the same data in every implementation.
#ifndef LIBRARY_H
#define LIBRARY_H
#include <stdint.h>

// One book of the generated library. Texts are written into the buffers given.
typedef struct {
  char title[64];
  char isbn[16];
  int64_t pages;
  double price;
  double published;
  int64_t in_print;
  uint8_t cover[64];
  double rating;      // negative: none
  int64_t author;     // from 0
  int64_t tags[3];    // from 0, different
} lm_book;

typedef struct {
  char name[48];
  int64_t born;
  char country[4];
} lm_author;

void lm_make_book(int64_t index, int64_t authors, int64_t tags, lm_book *book);
void lm_make_author(int64_t index, lm_author *author);
void lm_make_tag(int64_t index, char name[24]);
uint64_t lm_random(uint64_t *state);
uint64_t lm_hash(uint64_t sum, const void *bytes, int64_t count);
uint64_t lm_mix(uint64_t sum, int64_t value);
// Bytes the allocator has handed out.
int64_t lm_heap_bytes(void);
// Makes the allocator keep what is freed, for every contestant alike.
void lm_keep_heap(void);
// Has the allocator sort what was freed now, and not in the midst of what is timed next.
void lm_settle_heap(void);
// Gives all freed memory back to the system.
void lm_trim_heap(void);
// Whether an instruction counter (callgrind) runs the program.
int lm_is_counted(void);
// What runs between the two is counted, in all threads; the sum is written under the name.
void lm_count_start(void);
void lm_count_stop(const char *name);
#endif
