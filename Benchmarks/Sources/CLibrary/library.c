#include "library.h"
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint64_t lm_random(uint64_t *state) {
  uint64_t z = (*state += 0x9E3779B97F4A7C15ull);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}

uint64_t lm_hash(uint64_t sum, const void *bytes, int64_t count) {
  const uint8_t *p = bytes;
  uint64_t word = 0;
  while (count >= 8) {
    memcpy(&word, p, 8);
    sum = (sum ^ word) * 0x100000001B3ull;
    p += 8;
    count -= 8;
  }
  word = 0;
  memcpy(&word, p, (size_t)count);
  return (sum ^ word ^ (uint64_t)count) * 0x100000001B3ull;
}

uint64_t lm_mix(uint64_t sum, int64_t value) { return (sum ^ (uint64_t)value) * 0x100000001B3ull; }

void lm_make_book(int64_t index, int64_t authors, int64_t tags, lm_book *book) {
  uint64_t state = (uint64_t)index * 7919 + 17;
  snprintf(book->title, sizeof book->title, "The %06lld Volume of Collected %03d", (long long)index,
           (int)(lm_random(&state) % 1000));
  snprintf(book->isbn, sizeof book->isbn, "978%010lld", (long long)index);
  book->pages = (int64_t)(lm_random(&state) % 900) + 20;
  book->price = (double)(lm_random(&state) % 10000) / 100.0;
  book->published = (double)(lm_random(&state) % 1000000000) + 0.25;
  book->in_print = (int64_t)(lm_random(&state) & 1);
  for (int i = 0; i < 8; i++) {
    uint64_t word = lm_random(&state);
    memcpy(book->cover + i * 8, &word, 8);
  }
  uint64_t rating = lm_random(&state) % 6;
  book->rating = rating == 0 ? -1 : (double)rating - 0.5;
  book->author = (int64_t)(lm_random(&state) % (uint64_t)authors);
  book->tags[0] = (int64_t)(lm_random(&state) % (uint64_t)tags);
  book->tags[1] = (book->tags[0] + 1 + (int64_t)(lm_random(&state) % 100)) % tags;
  book->tags[2] = (book->tags[0] + 101 + (int64_t)(lm_random(&state) % 100)) % tags;
}

void lm_make_author(int64_t index, lm_author *author) {
  snprintf(author->name, sizeof author->name, "Author Number %05lld", (long long)index);
  author->born = 1800 + index % 200;
  snprintf(author->country, sizeof author->country, "C%02d", (int)(index % 20));
}

void lm_make_tag(int64_t index, char name[24]) { snprintf(name, 24, "tag %04lld", (long long)index); }

int64_t lm_heap_bytes(void) {
  struct mallinfo2 info = mallinfo2();
  return (int64_t)(info.uordblks + info.hblkhd);
}

void lm_keep_heap(void) {
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  mallopt(M_TOP_PAD, 64 << 20);
}

void lm_settle_heap(void) {
  // A large block makes the allocator sort what was freed in small ones.
  void *volatile block = malloc(1 << 20);
  free(block);
}

void lm_trim_heap(void) { malloc_trim(0); }
