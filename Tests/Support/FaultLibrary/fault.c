// Preloaded into a program under test: makes the N-th write, sync, truncation or renaming of its files fail, or records all of
// them. What is watched is told by the environment:
//   FAULT_PATH  a part of the paths that count
//   FAULT_AT    which operation fails, from 1; 0 or none: nothing fails
//   FAULT_KIND  ENOSPC (from then on), EIO (once), SHORT (a write that ends half-way, then ENOSPC), SYNC (the N-th sync)
//   FAULT_COUNT a file that gets the number of operations at the end
//   FAULT_LOG   a file that gets every operation: kind, path, offset, length, bytes
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int operations, at, sticky, started;
static const char *kind, *part, *count_path;
static int log_file = -1;

static void start(void) {
  if (started) return;
  started = 1;
  part = getenv("FAULT_PATH");
  kind = getenv("FAULT_KIND");
  if (!kind) kind = "EIO";
  count_path = getenv("FAULT_COUNT");
  const char *text = getenv("FAULT_AT");
  at = text ? atoi(text) : 0;
  text = getenv("FAULT_LOG");
  if (text) log_file = (int)syscall(SYS_openat, AT_FDCWD, text, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

static int watched(int file, char *path, size_t size) {
  char link[64];
  start();
  if (!part) return 0;
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, path, size - 1);
  if (length < 0) return 0;
  path[length] = 0;
  return strstr(path, part) != 0;
}

static void record(char type, const char *path, int64_t offset, const void *bytes, uint64_t length) {
  if (log_file < 0) return;
  uint16_t name = (uint16_t)strlen(path);
  char head[32];
  memcpy(head, &type, 1);
  memcpy(head + 1, &name, 2);
  memcpy(head + 3, &offset, 8);
  memcpy(head + 11, &length, 8);
  syscall(SYS_write, log_file, head, 19);
  syscall(SYS_write, log_file, path, name);
  if (bytes && length) syscall(SYS_write, log_file, bytes, length);
}

// 0: go on; otherwise the errno to fail with. -1: half a write.
static int fails(int is_write, int is_sync) {
  if (!strcmp(kind, "SYNC") && !is_sync) return 0;
  int number = __sync_add_and_fetch(&operations, 1);
  if (count_path) {
    char text[16];
    int file = (int)syscall(SYS_openat, AT_FDCWD, count_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    syscall(SYS_write, file, text, snprintf(text, sizeof text, "%d", number));
    syscall(SYS_close, file);
  }
  if (!at) return 0;
  if (sticky && !is_sync) return ENOSPC;
  if (number != at) return 0;
  if (!strcmp(kind, "ENOSPC")) return sticky = 1, ENOSPC;
  if (!strcmp(kind, "SHORT") && is_write) return sticky = 1, -1;
  return EIO;
}

static ssize_t put(int file, const void *bytes, size_t count, off_t offset, int positioned) {
  char path[4096];
  start();
  // What the program tells on standard output, it has done for good.
  if (file == 1) record('a', "", 0, 0, 0);
  if (watched(file, path, sizeof path)) {
    int error = fails(1, 0);
    if (error > 0) return errno = error, -1;
    if (error < 0) count /= 2;
    int64_t place = positioned ? offset : lseek(file, 0, SEEK_CUR);
    record('w', path, place, bytes, count);
  }
  return positioned ? syscall(SYS_pwrite64, file, bytes, count, offset) : syscall(SYS_write, file, bytes, count);
}

ssize_t write(int file, const void *bytes, size_t count) { return put(file, bytes, count, 0, 0); }
ssize_t pwrite(int file, const void *bytes, size_t count, off_t offset) { return put(file, bytes, count, offset, 1); }
ssize_t pwrite64(int file, const void *bytes, size_t count, off_t offset) { return put(file, bytes, count, offset, 1); }

static int sync_file(int file, long call) {
  char path[4096];
  if (watched(file, path, sizeof path)) {
    int error = fails(0, 1);
    if (error) return errno = EIO, -1;
    record('s', path, 0, 0, 0);
  }
  return (int)syscall(call, file);
}

int fsync(int file) { return sync_file(file, SYS_fsync); }
int fdatasync(int file) { return sync_file(file, SYS_fdatasync); }

static int cut(int file, off_t length) {
  char path[4096];
  if (watched(file, path, sizeof path)) {
    int error = fails(0, 0);
    if (error > 0) return errno = error, -1;
    record('t', path, length, 0, 0);
  }
  return (int)syscall(SYS_ftruncate, file, length);
}

int ftruncate(int file, off_t length) { return cut(file, length); }
int ftruncate64(int file, off_t length) { return cut(file, length); }

int unlink(const char *path) {
  start();
  if (part && strstr(path, part) && access(path, F_OK) == 0) record('u', path, 0, 0, 0);
  return (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
}

int rename(const char *from, const char *to) {
  start();
  if (part && strstr(to, part)) {
    int error = fails(0, 0);
    if (error > 0) return errno = error, -1;
    record('r', from, 0, to, strlen(to));
  }
  return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}
