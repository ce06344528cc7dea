#include "postgres_limit.h"
#include <endian.h>
#include <library.h>
#include <postgresql/libpq-fe.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pl_store {
  PGconn *connection;
  // Hears of others' saves, as the store's does; it is read when somebody asks.
  PGconn *listener;
  int whole;
  int prepared;
  char channel[80];
};

static int failed(pl_store *s, PGresult *result) {
  ExecStatusType status = PQresultStatus(result);
  if (status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK || status == PGRES_PIPELINE_SYNC) return 0;
  fprintf(stderr, "limit: %s%s\n", PQresStatus(status), PQerrorMessage(s->connection));
  return 1;
}

int pl_run(pl_store *s, const char *sql) {
  PGresult *result = PQexec(s->connection, sql);
  int bad = failed(s, result);
  PQclear(result);
  return bad;
}

static void ignore(void *context, const char *message) {
  (void)context;
  (void)message;
}

// MARK: Values in the binary format

typedef struct {
  char *bytes;
  size_t count, room;
} buffer;

static void *more(buffer *b, size_t count) {
  if (b->count + count > b->room) {
    b->room = (b->count + count) * 2;
    b->bytes = realloc(b->bytes, b->room);
  }
  void *place = b->bytes + b->count;
  b->count += count;
  return place;
}

static void put16(buffer *b, int16_t value) {
  uint16_t big = htobe16((uint16_t)value);
  memcpy(more(b, 2), &big, 2);
}

static void put32(buffer *b, int32_t value) {
  uint32_t big = htobe32((uint32_t)value);
  memcpy(more(b, 4), &big, 4);
}

static void put_bytes(buffer *b, const void *bytes, size_t count) {
  put32(b, (int32_t)count);
  memcpy(more(b, count), bytes, count);
}

static void put_text(buffer *b, const char *text) { put_bytes(b, text, strlen(text)); }

static void put_number(buffer *b, int64_t value) {
  uint64_t big = htobe64((uint64_t)value);
  put_bytes(b, &big, 8);
}

static void put_double(buffer *b, double value) {
  uint64_t word;
  memcpy(&word, &value, 8);
  put_number(b, (int64_t)word);
}

static int64_t get_number(PGresult *r, int row, int column) {
  uint64_t big;
  memcpy(&big, PQgetvalue(r, row, column), 8);
  return (int64_t)be64toh(big);
}

// MARK: Statements

#define BOOK "_id, _entity, _version, author, cover, \"inPrint\", isbn, pages, price, published, rating, title"

// The numbers that the store gives the entities: by their names.
enum { AUTHOR = 1, BOOKS = 2, TAG = 3 };

// What ends a statement on a store of another version of the model.
#define VERSION "1 / coalesce((SELECT (value <> '')::int FROM _store WHERE name = 'version'), 0) = 1"

static const char *statements[][2] = {
    {"begin", "BEGIN"},
    {"head", "SELECT pg_current_xact_id()::text, pg_notify($1, 'limit'),"
             " 1 / (SELECT (value <> '')::int FROM _store WHERE name = 'version')"},
    // As a foreign key: what is linked is there, and stays until the commit. The division ends the transaction.
    {"author", "SELECT 1 / count(*)::int FROM (SELECT 1 FROM \"Author\" WHERE _id = $1::bigint FOR KEY SHARE) a"},
    {"tags", "SELECT 1 / (count(*) / 3)::int FROM"
             " (SELECT 1 FROM \"Tag\" WHERE _id IN ($1::bigint, $2::bigint, $3::bigint) FOR KEY SHARE) t"},
    {"book", "INSERT INTO \"Book\" (" BOOK ") VALUES ($1, 2, 1, $2, $3, $4, $5, $6, $7, $8, $9, $10)"},
    {"links", "INSERT INTO \"Book_tags\" (_source, _target) VALUES ($1::bigint, $2::bigint), ($1, $3), ($1, $4)"},
    {"history", "WITH head AS (UPDATE _history SET last = last + 1, change = change + $1, total = total + $2"
                " RETURNING last, change, total) INSERT INTO _transaction SELECT last, $3::bytea,"
                " extract(epoch FROM clock_timestamp())::double precision - 978307200, NULL, NULL, 'limit', 1, 1,"
                " change - $1 + 1, $1, total, $4::bytea, ''::bytea FROM head RETURNING number"},
    {"numbers", "INSERT INTO _sequence VALUES ($1, $2) ON CONFLICT (entity) DO UPDATE SET last = _sequence.last + $2"},
    {"commit", "COMMIT"},
    {"all", "SELECT " BOOK " FROM \"Book\" ORDER BY _id"},
    {"one", "SELECT " BOOK " FROM \"Book\" WHERE _id = $1"},
    {"all of version", "SELECT " BOOK " FROM \"Book\" WHERE " VERSION " ORDER BY _id"},
    {"one of version", "SELECT " BOOK " FROM \"Book\" WHERE " VERSION " AND _id = $1"},
    {"state", "SELECT count(*)::bigint, sum(_source * 31 + _target)::bigint, (SELECT sum(_version)::bigint FROM \"Book\")"
              " FROM \"Book_tags\""},
};

// Each commit that notifies others has the server wake who listens, the program's own listener too.
static int listens(pl_store *s, const char *address) {
  char text[100];
  snprintf(text, sizeof text, "LISTEN \"%s\"", s->channel);
  s->listener = PQconnectdb(address);
  PGresult *result = PQexec(s->listener, text);
  int good = !failed(s, result);
  PQclear(result);
  return good;
}

pl_store *pl_open(const char *address, const char *schema, int whole) {
  pl_store *s = calloc(1, sizeof *s);
  char text[200];
  s->whole = whole;
  s->connection = PQconnectdb(address);
  PQsetNoticeProcessor(s->connection, ignore, 0);
  // As the store's saves have it: rows are else searched for by reading a small table whole, which takes longer.
  snprintf(text, sizeof text, "SET search_path TO \"%s\"; SET random_page_cost TO 0.1", schema);
  int bad = PQstatus(s->connection) != CONNECTION_OK || pl_run(s, text);
  for (size_t i = 0; !bad && i < sizeof statements / sizeof *statements; i++) {
    PGresult *result = PQprepare(s->connection, statements[i][0], statements[i][1], 0, 0);
    bad = failed(s, result);
    PQclear(result);
  }
  PGresult *result = PQexec(s->connection, "SELECT 'strongroom_' || trim(both '\"' from value) FROM _store"
                                           " WHERE name = 'uuid'");
  if (PQntuples(result) == 1) snprintf(s->channel, sizeof s->channel, "%s", PQgetvalue(result, 0, 0));
  PQclear(result);
  if (!bad && whole) bad = !listens(s, address);
  if (!bad) return s;
  fprintf(stderr, "limit: %s\n", PQerrorMessage(s->connection));
  pl_close(s);
  return 0;
}

void pl_close(pl_store *s) {
  PQfinish(s->connection);
  PQfinish(s->listener);
  free(s);
}

// Parameters in one buffer; the lengths before them are not sent.
typedef struct {
  buffer bytes;
  int count;
  size_t places[16];
} parameters;

static void add(parameters *p) { p->places[p->count++] = p->bytes.count; }

static void add_number(parameters *p, int64_t value) {
  add(p);
  put_number(&p->bytes, value);
}

static void add_bytes(parameters *p, const void *bytes, size_t count) {
  add(p);
  put_bytes(&p->bytes, bytes, count);
}

static void add_double(parameters *p, double value) {
  add(p);
  put_double(&p->bytes, value);
}

static void add_null(parameters *p) {
  add(p);
  put32(&p->bytes, -1);
}

// Sends a prepared statement, and forgets its parameters.
static int send(pl_store *s, const char *name, parameters *p) {
  static const int formats[16] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  const char *values[16];
  int lengths[16];
  for (int i = 0; i < p->count; i++) {
    uint32_t length;
    memcpy(&length, p->bytes.bytes + p->places[i], 4);
    lengths[i] = (int32_t)be32toh(length);
    values[i] = lengths[i] < 0 ? 0 : p->bytes.bytes + p->places[i] + 4;
  }
  int sent = PQsendQueryPrepared(s->connection, name, p->count, values, lengths, formats, 1);
  p->count = 0;
  p->bytes.count = 0;
  return sent;
}

// Reads the answers to all that was sent in a pipeline. They end before the sync where the connection is lost.
static int answered(pl_store *s) {
  int bad = 0;
  if (!PQpipelineSync(s->connection)) return 0;
  for (;;) {
    PGresult *result = PQgetResult(s->connection);
    if (!result) {
      if (PQstatus(s->connection) == CONNECTION_OK) continue;
      fprintf(stderr, "limit: %s\n", PQerrorMessage(s->connection));
      return 0;
    }
    int end = PQresultStatus(result) == PGRES_PIPELINE_SYNC;
    if (!bad) bad = failed(s, result);
    PQclear(result);
    if (end) return !bad;
  }
}

static void send_head(pl_store *s, parameters *p) {
  if (!s->whole) return;
  add_bytes(p, s->channel, strlen(s->channel));
  send(s, "head", p);
}

// A row for a transaction of `count` changes, whose list is as long as the store's own of one book and three tags.
static void send_history(pl_store *s, parameters *p, int64_t count) {
  static const char bytes[24];
  if (!s->whole) return;
  add_number(p, count);
  add_number(p, 80 + (int64_t)sizeof bytes);
  add_bytes(p, bytes, 16);
  add_bytes(p, bytes, sizeof bytes);
  send(s, "history", p);
}

// MARK: Saves

static void put_head(buffer *b) {
  memcpy(more(b, 11), "PGCOPY\n\377\r\n\0", 11);
  put32(b, 0);
  put32(b, 0);
}

// Sends what a buffer has when that is worth it.
static int passed_on(pl_store *s, buffer *b, int end) {
  if (b->count < 1 << 16 && !end) return 1;
  int sent = PQputCopyData(s->connection, b->bytes, (int)b->count) == 1;
  b->count = 0;
  return sent;
}

static int start_copy(pl_store *s, const char *sql) {
  PGresult *result = PQexec(s->connection, sql);
  int good = PQresultStatus(result) == PGRES_COPY_IN;
  if (!good) failed(s, result);
  PQclear(result);
  return good;
}

static int end_copy(pl_store *s, buffer *b) {
  put16(b, -1);
  if (!passed_on(s, b, 1) || PQputCopyEnd(s->connection, 0) != 1) return 0;
  PGresult *result;
  int bad = 0;
  while ((result = PQgetResult(s->connection))) {
    bad |= failed(s, result);
    PQclear(result);
  }
  return !bad;
}

static void put_row(buffer *b, int64_t id, int64_t entity, int16_t columns) {
  put16(b, columns);
  put_number(b, id);
  put_number(b, entity);
  put_number(b, 1);
}

static void put_book(buffer *b, int64_t index, const lm_book *book) {
  put_row(b, index + 1, BOOKS, 12);
  put_number(b, book->author + 1);
  put_bytes(b, book->cover, 64);
  put32(b, 1);
  *(char *)more(b, 1) = (char)book->in_print;
  put_text(b, book->isbn);
  put_number(b, book->pages);
  put_double(b, book->price);
  put_double(b, book->published);
  if (book->rating < 0) put32(b, -1); else put_double(b, book->rating);
  put_text(b, book->title);
}

static int copy_others(pl_store *s, buffer *b, int64_t authors, int64_t tags) {
  int good = start_copy(s, "COPY \"Author\" (_id, _entity, _version, name, born, country) FROM STDIN (FORMAT binary)");
  put_head(b);
  for (int64_t i = 0; good && i < authors; i++) {
    lm_author a;
    lm_make_author(i, &a);
    put_row(b, i + 1, AUTHOR, 6);
    put_text(b, a.name);
    put_number(b, a.born);
    put_text(b, a.country);
    good = passed_on(s, b, 0);
  }
  good = good && end_copy(s, b);
  good = good && start_copy(s, "COPY \"Tag\" (_id, _entity, _version, name) FROM STDIN (FORMAT binary)");
  put_head(b);
  for (int64_t i = 0; good && i < tags; i++) {
    char name[24];
    lm_make_tag(i, name);
    put_row(b, i + 1, TAG, 4);
    put_text(b, name);
    good = passed_on(s, b, 0);
  }
  return good && end_copy(s, b);
}

// The fastest way in: COPY in the binary format, straight from where the data are, one transaction. The links' columns are
// all sent, as zeros: filling in their defaults would cost the server more.
static int copy_all(pl_store *s, buffer *b, int64_t books, int64_t authors, int64_t tags, uint64_t *sum) {
  lm_book book;
  buffer links = {0};
  if (!copy_others(s, b, authors, tags)) return 0;
  int good = start_copy(s, "COPY \"Book\" (" BOOK ") FROM STDIN (FORMAT binary)");
  put_head(b);
  put_head(&links);
  for (int64_t i = 0; good && i < books; i++) {
    lm_make_book(i, authors, tags, &book);
    put_book(b, i, &book);
    for (int t = 0; t < 3; t++) {
      put16(&links, 4);
      put_number(&links, i + 1);
      put_number(&links, book.tags[t] + 1);
      put_number(&links, 0);
      put_number(&links, 0);
    }
    *sum += (uint64_t)(book.pages + book.author);
    good = passed_on(s, b, 0);
  }
  good = good && end_copy(s, b);
  good = good && start_copy(s, "COPY \"Book_tags\" (_source, _target, _position, _inverse_position)"
                               " FROM STDIN (FORMAT binary)") && end_copy(s, &links);
  free(links.bytes);
  return good;
}

// The numbers that are given out, as the store reserves them.
static void send_numbers(pl_store *s, parameters *p, const char *entity, int64_t count) {
  add_bytes(p, entity, strlen(entity));
  add_number(p, count);
  send(s, "numbers", p);
}

uint64_t pl_insert_all(pl_store *s, int64_t books, int64_t authors, int64_t tags) {
  uint64_t sum = 1;
  buffer b = {0};
  parameters p = {0};
  PQenterPipelineMode(s->connection);
  send(s, "begin", &p);
  send_head(s, &p);
  send_numbers(s, &p, "Author", authors);
  send_numbers(s, &p, "Book", books);
  send_numbers(s, &p, "Tag", tags);
  int good = answered(s);
  PQexitPipelineMode(s->connection);
  good = good && copy_all(s, &b, books, authors, tags, &sum);
  PQenterPipelineMode(s->connection);
  send_history(s, &p, books + authors + tags);
  send(s, "commit", &p);
  good = answered(s) && good;
  PQexitPipelineMode(s->connection);
  free(b.bytes);
  free(p.bytes.bytes);
  return good ? sum : 0;
}

// Each book in a transaction of its own, which is one round trip: all of its statements in one pipeline, the commit too.
uint64_t pl_single_saves(pl_store *s, int64_t first, int64_t count, int64_t authors, int64_t tags) {
  uint64_t sum = 1;
  parameters p = {0};
  PQenterPipelineMode(s->connection);
  send_numbers(s, &p, "Book", count);
  int good = answered(s);
  for (int64_t i = first; good && i < first + count; i++) {
    lm_book book;
    lm_make_book(i, authors, tags, &book);
    send(s, "begin", &p);
    send_head(s, &p);
    if (s->whole) {
      add_number(&p, book.author + 1);
      send(s, "author", &p);
      for (int t = 0; t < 3; t++) add_number(&p, book.tags[t] + 1);
      send(s, "tags", &p);
    }
    add_number(&p, i + 1);
    add_number(&p, book.author + 1);
    add_bytes(&p, book.cover, 64);
    char in_print = (char)book.in_print;
    add_bytes(&p, &in_print, 1);
    add_bytes(&p, book.isbn, strlen(book.isbn));
    add_number(&p, book.pages);
    add_double(&p, book.price);
    add_double(&p, book.published);
    if (book.rating < 0) add_null(&p); else add_double(&p, book.rating);
    add_bytes(&p, book.title, strlen(book.title));
    send(s, "book", &p);
    add_number(&p, i + 1);
    for (int t = 0; t < 3; t++) add_number(&p, book.tags[t] + 1);
    send(s, "links", &p);
    send_history(s, &p, 4);
    send(s, "commit", &p);
    sum += (uint64_t)(book.pages + book.author);
    good = answered(s);
  }
  PQexitPipelineMode(s->connection);
  free(p.bytes.bytes);
  return good ? sum : 0;
}

// MARK: Reads

static uint64_t hash(PGresult *r, int row, int column, uint64_t sum) {
  return lm_hash(sum, PQgetvalue(r, row, column), PQgetlength(r, row, column));
}

// As the checksum has doubles: their bytes in this machine's order.
static uint64_t hash_double(PGresult *r, int row, int column, uint64_t sum) {
  int64_t word = get_number(r, row, column);
  return lm_hash(sum, &word, 8);
}

static uint64_t read_book(PGresult *r, int row, uint64_t sum) {
  sum = lm_mix(sum, get_number(r, row, 0));
  sum = hash(r, row, 11, sum);
  sum = hash(r, row, 6, sum);
  sum = lm_mix(sum, get_number(r, row, 7));
  sum = hash_double(r, row, 8, sum);
  sum = hash_double(r, row, 9, sum);
  sum = lm_mix(sum, *PQgetvalue(r, row, 5));
  sum = hash(r, row, 4, sum);
  if (PQgetisnull(r, row, 10)) sum = lm_mix(sum, -1); else sum = hash_double(r, row, 10, sum);
  return lm_mix(sum, get_number(r, row, 3));
}

static uint64_t read_all(PGresult *r) {
  uint64_t sum = 1;
  int count = PQntuples(r);
  for (int row = 0; row < count; row++) sum = read_book(r, row, sum);
  return sum;
}

uint64_t pl_fetch_all(pl_store *s) {
  PGresult *result = PQexecPrepared(s->connection, s->whole ? "all of version" : "all", 0, 0, 0, 0, 1);
  uint64_t sum = failed(s, result) ? 0 : read_all(result);
  PQclear(result);
  return sum;
}

uint64_t pl_by_id(pl_store *s, const int64_t *ids, int64_t count) {
  uint64_t sum = 1;
  for (int64_t i = 0; i < count; i++) {
    uint64_t big = htobe64((uint64_t)ids[i]);
    const char *value = (const char *)&big;
    int length = 8, format = 1;
    PGresult *result = PQexecPrepared(s->connection, s->whole ? "one of version" : "one", 1, &value, &length, &format, 1);
    if (failed(s, result)) return 0;
    sum = lm_mix(sum, (int64_t)read_all(result));
    PQclear(result);
  }
  return sum;
}

uint64_t pl_state(pl_store *s) {
  uint64_t sum = pl_fetch_all(s);
  if (!sum) return 0;
  PGresult *result = PQexecPrepared(s->connection, "state", 0, 0, 0, 0, 1);
  if (failed(s, result)) sum = 0;
  for (int column = 0; sum && column < 3; column++) sum = lm_mix(sum, get_number(result, 0, column));
  PQclear(result);
  return sum;
}

int pl_settle(pl_store *s) { return pl_run(s, "VACUUM ANALYZE") || pl_run(s, "CHECKPOINT"); }
