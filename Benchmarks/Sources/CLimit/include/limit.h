// The hand-written limit: the same data, the same questions, prepared statements, no objects.
#ifndef LIMIT_H
#define LIMIT_H
#include <stdint.h>

typedef struct lm_store lm_store;
// Opens (or makes) a file as the encrypted store does; 64 MiB of pages; synchronous 1 NORMAL, 2 FULL. NULL on failure.
lm_store *lm_open(const char *path, int create, int synchronous);
void lm_close(lm_store *store);
const char *lm_error(lm_store *store);

// The pages a changed book gets.
#define LM_NEW_PAGES 2001

// Bytes SQLite holds now, in the whole process.
int64_t lm_memory_used(void);
// A checksum over all books and links.
uint64_t lm_state(lm_store *store);

// Each answers a checksum over what it read or wrote; 0 is a failure.
uint64_t lm_insert_all(lm_store *store, int64_t books, int64_t authors, int64_t tags);
uint64_t lm_bulk_insert(lm_store *store, int64_t books, int64_t authors, int64_t tags);
uint64_t lm_single_saves(lm_store *store, int64_t first, int64_t count, int64_t authors, int64_t tags);
uint64_t lm_fetch_all(lm_store *store);
uint64_t lm_fetch_ids(lm_store *store);
uint64_t lm_by_id(lm_store *store, const int64_t *ids, int64_t count);
uint64_t lm_by_isbn(lm_store *store, const int64_t *indices, int64_t count, int64_t authors, int64_t tags);
uint64_t lm_filtered(lm_store *store, int64_t count);
uint64_t lm_books_of_authors(lm_store *store, int64_t authors);
uint64_t lm_books_grouped(lm_store *store, int64_t authors);
uint64_t lm_books_of_tags(lm_store *store, int64_t tags);
uint64_t lm_change(lm_store *store, const int64_t *ids, int64_t count);
uint64_t lm_delete(lm_store *store, const int64_t *ids, int64_t count);
uint64_t lm_average(lm_store *store, int64_t count);
uint64_t lm_first(lm_store *store, int64_t count);
// Records: whole rows as structs, without links to others.
uint64_t lm_fetch_records(lm_store *store);
uint64_t lm_records_by_key(lm_store *store, const int64_t *indices, int64_t count);
uint64_t lm_push_records(lm_store *store, int64_t books, int64_t authors, int64_t tags);
uint64_t lm_push_singly(lm_store *store, int64_t first, int64_t count, int64_t authors, int64_t tags);
int lm_read_schema(const char *path);
// For the same done in Swift: a prepared statement (sqlite3_stmt) of 8 places, and statements without results; 0 is success.
void *lm_prepared(lm_store *store, int place, const char *sql);
int lm_run(lm_store *store, const char *sql);
#endif
