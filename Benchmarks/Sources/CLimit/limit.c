#include "limit.h"
#include <library.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifndef LIMIT_PLAIN
#define SQLITE_HAS_CODEC 1
#endif
#include <sqlite3.h>

struct lm_store {
  sqlite3 *db;
  sqlite3_stmt *cache[32];
};

const char *lm_error(lm_store *store) { return store ? sqlite3_errmsg(store->db) : "no store"; }

static int run(lm_store *s, const char *sql) { return sqlite3_exec(s->db, sql, 0, 0, 0); }

static const char *tables =
    "CREATE TABLE author(id INTEGER PRIMARY KEY, name TEXT, born INTEGER, country TEXT);"
    "CREATE TABLE tag(id INTEGER PRIMARY KEY, name TEXT);"
    "CREATE TABLE book(id INTEGER PRIMARY KEY, title TEXT, isbn TEXT, pages INTEGER, price REAL, published REAL,"
    " in_print INTEGER, cover BLOB, rating REAL, author INTEGER);"
    "CREATE TABLE book_tag(book INTEGER NOT NULL, tag INTEGER NOT NULL, PRIMARY KEY(book, tag)) WITHOUT ROWID;";

static const char *indexes =
    "CREATE INDEX book_isbn ON book(isbn); CREATE INDEX book_author ON book(author);"
    "CREATE INDEX author_country ON author(country); CREATE INDEX tag_book ON book_tag(tag, book);";

// What the key and format of an encrypted file take; nothing on a plain SQLite.
static int unlock(lm_store *s) {
#ifdef LIMIT_PLAIN
  return run(s, "PRAGMA page_size = 4096");
#else
  static const char key[] = "x'000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f202122232425262728292a2b2c2d2e2f'";
  return sqlite3_key_v2(s->db, "main", key, 99) || run(s, "PRAGMA cipher_compatibility = 3") ||
         run(s, "PRAGMA cipher_page_size = 4096");
#endif
}

lm_store *lm_open(const char *path, int create, int synchronous) {
  lm_store *s = calloc(1, sizeof *s);
  char text[64];
  int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | (create ? SQLITE_OPEN_CREATE : 0);
  snprintf(text, sizeof text, "PRAGMA synchronous = %d", synchronous);
  if (sqlite3_open_v2(path, &s->db, flags, 0) || unlock(s) || run(s, "SELECT count(*) FROM sqlite_master") ||
      run(s, "PRAGMA temp_store = MEMORY") || run(s, "PRAGMA cache_size = -65536") ||
      run(s, "PRAGMA journal_mode = WAL") || run(s, text) || (create && (run(s, tables) || run(s, indexes)))) {
    fprintf(stderr, "limit: %s\n", sqlite3_errmsg(s->db));
    lm_close(s);
    return 0;
  }
  return s;
}

void lm_close(lm_store *s) {
  for (int i = 0; i < 32; i++) sqlite3_finalize(s->cache[i]);
  sqlite3_close(s->db);
  free(s);
}

static sqlite3_stmt *prepared(lm_store *s, int slot, const char *sql) {
  if (!s->cache[slot] && sqlite3_prepare_v2(s->db, sql, -1, &s->cache[slot], 0)) {
    fprintf(stderr, "limit: %s\n", sqlite3_errmsg(s->db));
    exit(1);
  }
  return s->cache[slot];
}

void *lm_prepared(lm_store *s, int place, const char *sql) { return prepared(s, 24 + place, sql); }

int lm_run(lm_store *s, const char *sql) { return run(s, sql); }

static void done(sqlite3_stmt *statement) {
  if (sqlite3_step(statement) != SQLITE_DONE) {
    fprintf(stderr, "limit: %s\n", sqlite3_errmsg(sqlite3_db_handle(statement)));
    exit(1);
  }
  sqlite3_reset(statement);
}

static void bind_book(sqlite3_stmt *book, int place, int64_t index, const lm_book *b) {
  sqlite3_bind_int64(book, place, index + 1);
  sqlite3_bind_text(book, place + 1, b->title, -1, SQLITE_STATIC);
  sqlite3_bind_text(book, place + 2, b->isbn, -1, SQLITE_STATIC);
  sqlite3_bind_int64(book, place + 3, b->pages);
  sqlite3_bind_double(book, place + 4, b->price);
  sqlite3_bind_double(book, place + 5, b->published);
  sqlite3_bind_int64(book, place + 6, b->in_print);
  sqlite3_bind_blob(book, place + 7, b->cover, 64, SQLITE_STATIC);
  if (b->rating < 0) sqlite3_bind_null(book, place + 8); else sqlite3_bind_double(book, place + 8, b->rating);
  sqlite3_bind_int64(book, place + 9, b->author + 1);
}

static uint64_t insert_book(lm_store *s, int64_t index, int64_t authors, int64_t tags) {
  sqlite3_stmt *book = prepared(s, 0, "INSERT INTO book VALUES(?,?,?,?,?,?,?,?,?,?)");
  sqlite3_stmt *link = prepared(s, 1, "INSERT INTO book_tag VALUES(?,?)");
  lm_book b;
  lm_make_book(index, authors, tags, &b);
  bind_book(book, 1, index, &b);
  done(book);
  for (int i = 0; i < 3; i++) {
    sqlite3_bind_int64(link, 1, index + 1);
    sqlite3_bind_int64(link, 2, b.tags[i] + 1);
    done(link);
  }
  return (uint64_t)(b.pages + b.author);
}

static uint64_t insert_others(lm_store *s, int64_t authors, int64_t tags) {
  sqlite3_stmt *author = prepared(s, 2, "INSERT INTO author VALUES(?,?,?,?)");
  sqlite3_stmt *tag = prepared(s, 3, "INSERT INTO tag VALUES(?,?)");
  for (int64_t i = 0; i < authors; i++) {
    lm_author a;
    lm_make_author(i, &a);
    sqlite3_bind_int64(author, 1, i + 1);
    sqlite3_bind_text(author, 2, a.name, -1, SQLITE_STATIC);
    sqlite3_bind_int64(author, 3, a.born);
    sqlite3_bind_text(author, 4, a.country, -1, SQLITE_STATIC);
    done(author);
  }
  for (int64_t i = 0; i < tags; i++) {
    char name[24];
    lm_make_tag(i, name);
    sqlite3_bind_int64(tag, 1, i + 1);
    sqlite3_bind_text(tag, 2, name, -1, SQLITE_STATIC);
    done(tag);
  }
  return 1;
}

uint64_t lm_insert_all(lm_store *s, int64_t books, int64_t authors, int64_t tags) {
  run(s, "BEGIN IMMEDIATE");
  uint64_t sum = insert_others(s, authors, tags);
  for (int64_t i = 0; i < books; i++) sum += insert_book(s, i, authors, tags);
  return run(s, "COMMIT") ? 0 : sum;
}

#define ROWS 15

// Many rows a statement, in key order, the indexes made last.
uint64_t lm_bulk_insert(lm_store *s, int64_t books, int64_t authors, int64_t tags) {
  static const char head[] = "INSERT OR FAIL INTO book VALUES", one[] = "(?,?,?,?,?,?,?,?,?,?)";
  static const char link_head[] = "INSERT OR FAIL INTO book_tag VALUES", link_one[] = "(?,?)";
  char text[sizeof head + ROWS * sizeof one], link_text[sizeof link_head + 3 * ROWS * sizeof link_one];
  lm_book *rows = malloc(sizeof(lm_book) * ROWS);
  int64_t rest = books % ROWS;
  strcpy(text, head);
  strcpy(link_text, link_head);
  for (int i = 0; i < ROWS; i++) strcat(strcat(text, i ? "," : ""), one);
  for (int i = 0; i < 3 * ROWS; i++) strcat(strcat(link_text, i ? "," : ""), link_one);
  run(s, "BEGIN IMMEDIATE");
  run(s, "DROP INDEX book_isbn; DROP INDEX book_author; DROP INDEX author_country; DROP INDEX tag_book");
  uint64_t sum = insert_others(s, authors, tags);
  for (int64_t i = 0; i < rest; i++) sum += insert_book(s, i, authors, tags);
  sqlite3_stmt *book = prepared(s, 15, text), *link = prepared(s, 16, link_text);
  for (int64_t first = rest; first < books; first += ROWS) {
    int place = 1, link_place = 1;
    for (int i = 0; i < ROWS; i++) {
      lm_book *b = &rows[i];
      lm_make_book(first + i, authors, tags, b);
      bind_book(book, place, first + i, b);
      place += 10;
      for (int t = 0; t < 3; t++) {
        sqlite3_bind_int64(link, link_place++, first + i + 1);
        sqlite3_bind_int64(link, link_place++, b->tags[t] + 1);
      }
      sum += (uint64_t)(b->pages + b->author);
    }
    done(book);
    done(link);
  }
  free(rows);
  run(s, indexes);
  return run(s, "COMMIT") ? 0 : sum;
}

uint64_t lm_single_saves(lm_store *s, int64_t first, int64_t count, int64_t authors, int64_t tags) {
  uint64_t sum = 1;
  for (int64_t i = first; i < first + count; i++) {
    run(s, "BEGIN IMMEDIATE");
    sum += insert_book(s, i, authors, tags);
    if (run(s, "COMMIT")) return 0;
  }
  return sum;
}

// Columns from `c`: id, title, isbn, pages, price, published, in_print, cover, rating, author.
static uint64_t read_book(sqlite3_stmt *q, int c, uint64_t sum) {
  sum = lm_mix(sum, sqlite3_column_int64(q, c));
  const void *title = sqlite3_column_text(q, c + 1);
  sum = lm_hash(sum, title, sqlite3_column_bytes(q, c + 1));
  const void *isbn = sqlite3_column_text(q, c + 2);
  sum = lm_hash(sum, isbn, sqlite3_column_bytes(q, c + 2));
  sum = lm_mix(sum, sqlite3_column_int64(q, c + 3));
  double price = sqlite3_column_double(q, c + 4), published = sqlite3_column_double(q, c + 5);
  sum = lm_hash(sum, &price, 8);
  sum = lm_hash(sum, &published, 8);
  sum = lm_mix(sum, sqlite3_column_int64(q, c + 6));
  const void *cover = sqlite3_column_blob(q, c + 7);
  sum = lm_hash(sum, cover, sqlite3_column_bytes(q, c + 7));
  if (sqlite3_column_type(q, c + 8) == SQLITE_NULL) {
    sum = lm_mix(sum, -1);
  } else {
    double rating = sqlite3_column_double(q, c + 8);
    sum = lm_hash(sum, &rating, 8);
  }
  return lm_mix(sum, sqlite3_column_int64(q, c + 9));
}

#define BOOK "b.id, b.title, b.isbn, b.pages, b.price, b.published, b.in_print, b.cover, b.rating, b.author"

static uint64_t read_all(sqlite3_stmt *q) {
  uint64_t sum = 1;
  while (sqlite3_step(q) == SQLITE_ROW) sum = read_book(q, 0, sum);
  sqlite3_reset(q);
  return sum;
}

uint64_t lm_fetch_all(lm_store *s) { return read_all(prepared(s, 4, "SELECT " BOOK " FROM book b ORDER BY b.id")); }

uint64_t lm_fetch_ids(lm_store *s) {
  uint64_t sum = 1;
  sqlite3_stmt *q = prepared(s, 17, "SELECT id FROM book ORDER BY id");
  while (sqlite3_step(q) == SQLITE_ROW) sum = lm_mix(sum, sqlite3_column_int64(q, 0));
  sqlite3_reset(q);
  return sum;
}

uint64_t lm_state(lm_store *s) {
  uint64_t sum = lm_fetch_all(s);
  sqlite3_stmt *q = prepared(s, 18, "SELECT count(*), sum(book * 31 + tag) FROM book_tag");
  if (sqlite3_step(q) == SQLITE_ROW) sum = lm_mix(lm_mix(sum, sqlite3_column_int64(q, 0)), sqlite3_column_int64(q, 1));
  sqlite3_reset(q);
  return sum;
}

int64_t lm_memory_used(void) { return sqlite3_memory_used(); }

uint64_t lm_by_id(lm_store *s, const int64_t *ids, int64_t count) {
  uint64_t sum = 1;
  sqlite3_stmt *q = prepared(s, 5, "SELECT " BOOK " FROM book b WHERE b.id = ?");
  for (int64_t i = 0; i < count; i++) {
    sqlite3_bind_int64(q, 1, ids[i]);
    sum = lm_mix(sum, (int64_t)read_all(q));
  }
  return sum;
}

uint64_t lm_by_isbn(lm_store *s, const int64_t *indices, int64_t count, int64_t authors, int64_t tags) {
  uint64_t sum = 1;
  char isbn[16];
  sqlite3_stmt *q = prepared(s, 6, "SELECT " BOOK " FROM book b WHERE b.isbn = ?");
  for (int64_t i = 0; i < count; i++) {
    snprintf(isbn, sizeof isbn, "978%010lld", (long long)indices[i]);
    sqlite3_bind_text(q, 1, isbn, -1, SQLITE_STATIC);
    sum = lm_mix(sum, (int64_t)read_all(q));
  }
  (void)authors;
  (void)tags;
  return sum;
}

uint64_t lm_filtered(lm_store *s, int64_t count) {
  uint64_t sum = 1;
  char country[4];
  sqlite3_stmt *q = prepared(s, 7, "SELECT " BOOK " FROM book b JOIN author a ON a.id = b.author"
                                   " WHERE a.country = ? AND b.pages > ? ORDER BY b.published, b.id LIMIT 100");
  for (int64_t i = 0; i < count; i++) {
    snprintf(country, sizeof country, "C%02d", (int)(i % 20));
    sqlite3_bind_text(q, 1, country, -1, SQLITE_STATIC);
    sqlite3_bind_int64(q, 2, 100 + i % 300);
    sum = lm_mix(sum, (int64_t)read_all(q));
  }
  return sum;
}

uint64_t lm_books_of_authors(lm_store *s, int64_t authors) {
  uint64_t sum = 1;
  sqlite3_stmt *q = prepared(s, 8, "SELECT " BOOK " FROM book b WHERE b.author = ? ORDER BY b.id");
  for (int64_t i = 1; i <= authors; i++) {
    sqlite3_bind_int64(q, 1, i);
    sum = lm_mix(sum, (int64_t)read_all(q));
  }
  return sum;
}

// One scan in the order of the table, its rows' sums chained by author.
uint64_t lm_books_grouped(lm_store *s, int64_t authors) {
  uint64_t *sums = malloc(sizeof(uint64_t) * (size_t)(authors + 1));
  for (int64_t i = 0; i <= authors; i++) sums[i] = 1;
  sqlite3_stmt *q = prepared(s, 4, "SELECT " BOOK " FROM book b ORDER BY b.id");
  while (sqlite3_step(q) == SQLITE_ROW) {
    int64_t author = sqlite3_column_int64(q, 9);
    sums[author] = read_book(q, 0, sums[author]);
  }
  sqlite3_reset(q);
  uint64_t sum = 1;
  for (int64_t i = 1; i <= authors; i++) sum = lm_mix(sum, (int64_t)sums[i]);
  free(sums);
  return sum;
}

uint64_t lm_books_of_tags(lm_store *s, int64_t tags) {
  uint64_t sum = 1;
  sqlite3_stmt *q = prepared(s, 9, "SELECT " BOOK " FROM book_tag l JOIN book b ON b.id = l.book WHERE l.tag = ? ORDER BY l.book");
  for (int64_t i = 1; i <= tags; i++) {
    sqlite3_bind_int64(q, 1, i);
    sum = lm_mix(sum, (int64_t)read_all(q));
  }
  return sum;
}

uint64_t lm_change(lm_store *s, const int64_t *ids, int64_t count) {
  sqlite3_stmt *q = prepared(s, 10, "UPDATE book SET pages = ? WHERE id = ?");
  run(s, "BEGIN IMMEDIATE");
  uint64_t sum = 1;
  for (int64_t i = 0; i < count; i++) {
    sqlite3_bind_int64(q, 1, LM_NEW_PAGES);
    sqlite3_bind_int64(q, 2, ids[i]);
    done(q);
    sum += (uint64_t)ids[i];
  }
  return run(s, "COMMIT") ? 0 : sum;
}

uint64_t lm_delete(lm_store *s, const int64_t *ids, int64_t count) {
  sqlite3_stmt *book = prepared(s, 11, "DELETE FROM book WHERE id = ?");
  sqlite3_stmt *links = prepared(s, 12, "DELETE FROM book_tag WHERE book = ?");
  run(s, "BEGIN IMMEDIATE");
  uint64_t sum = 1;
  for (int64_t i = 0; i < count; i++) {
    sqlite3_bind_int64(links, 1, ids[i]);
    done(links);
    sqlite3_bind_int64(book, 1, ids[i]);
    done(book);
    sum += (uint64_t)ids[i];
  }
  return run(s, "COMMIT") ? 0 : sum;
}

uint64_t lm_average(lm_store *s, int64_t count) {
  uint64_t sum = 1;
  sqlite3_stmt *q = prepared(s, 13, "SELECT a.country, avg(b.price), count(*) FROM book b JOIN author a ON a.id = b.author"
                                    " GROUP BY a.country ORDER BY a.country");
  for (int64_t i = 0; i < count; i++) {
    while (sqlite3_step(q) == SQLITE_ROW) {
      const void *country = sqlite3_column_text(q, 0);
      sum = lm_hash(sum, country, sqlite3_column_bytes(q, 0));
      sum = lm_mix(sum, sqlite3_column_int64(q, 2));
    }
    sqlite3_reset(q);
  }
  return sum;
}

uint64_t lm_first(lm_store *s, int64_t count) {
  sqlite3_stmt *q = prepared(s, 14, "SELECT " BOOK " FROM book b ORDER BY b.id LIMIT ?");
  sqlite3_bind_int64(q, 1, count);
  return read_all(q);
}

#ifndef LIMIT_PLAIN
// Opens a store of the library's own and reads its schema and the hash of its model: the least that opening can cost.
int lm_read_schema(const char *path) {
  lm_store *s = calloc(1, sizeof *s);
  unsigned char salt[16] = {0};
  char key[100] = "x'000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";
  FILE *file = fopen(path, "rb");
  int found = 0;
  if (!file || fread(salt, 1, 16, file) != 16) return 0;
  fclose(file);
  for (int i = 0; i < 16; i++) snprintf(key + 66 + i * 2, 3, "%02x", salt[i]);
  strcat(key, "'");
  if (!sqlite3_open_v2(path, &s->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, 0) &&
      !sqlite3_key_v2(s->db, "main", key, 99) && !run(s, "PRAGMA cipher_compatibility = 3") &&
      !run(s, "PRAGMA cipher_page_size = 4096") && !run(s, "SELECT count(*) FROM sqlite_master") &&
      !run(s, "PRAGMA journal_mode = WAL")) {
    sqlite3_stmt *q = prepared(s, 0, "SELECT value FROM _store WHERE key = 'model_hash'");
    found = sqlite3_step(q) == SQLITE_ROW;
    sqlite3_reset(q);
  }
  lm_close(s);
  return found;
}
#endif
#include "records.inc"
