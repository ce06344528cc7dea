// The library workload on a PostgreSQL server, by hand in C with libpq: what a store on a server is compared with.
#ifndef POSTGRES_LIMIT_H
#define POSTGRES_LIMIT_H
#include <stdint.h>

typedef struct pl_store pl_store;

// Connects to a schema with the tables that the store made. With `whole` it promises what the store does: each statement
// looks at the version of the model, what is linked is locked as a foreign key would lock it, others are notified, and the
// history gets its row. Without, it reads and writes the rows and the links and nothing else.
pl_store *pl_open(const char *address, const char *schema, int whole);
void pl_close(pl_store *store);
// Each returns a checksum; 0 where the server refused something, which stderr says.
uint64_t pl_insert_all(pl_store *store, int64_t books, int64_t authors, int64_t tags);
uint64_t pl_single_saves(pl_store *store, int64_t first, int64_t count, int64_t authors, int64_t tags);
uint64_t pl_fetch_all(pl_store *store);
uint64_t pl_by_id(pl_store *store, const int64_t *ids, int64_t count);
// The checksum of all that is stored: the books, and the links and versions.
uint64_t pl_state(pl_store *store);
// Leaves tables as a server leaves them that had time: vacuumed and analyzed.
int pl_settle(pl_store *store);
// Executes statements.
int pl_run(pl_store *store, const char *sql);
#endif
