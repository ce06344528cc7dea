// renameat2(2), which can rename without replacing a file. Swift's Glibc module has only POSIX's
// functions.
int renameat2(int oldfolder, const char *old, int newfolder, const char *new, unsigned int flags);
// RENAME_NOREPLACE, from <linux/fs.h>.
enum { renameWithoutReplacing = 1 };

// lgetxattr(2) and related functions.
#include <sys/xattr.h>

// statx(2), which the Glibc module lacks too.
#include <fcntl.h>
#include <linux/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// A file's birth time in nanoseconds since 1970; 0 where the file system does not record it. A copy
// of a file has another birth time.
static inline long long birthOfFile(const char *path) {
  struct statx found;
  if (syscall(SYS_statx, AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, STATX_BTIME, &found) != 0) return 0;
  if (!(found.stx_mask & STATX_BTIME)) return 0;
  return found.stx_btime.tv_sec * 1000000000LL + found.stx_btime.tv_nsec;
}

// The kind of a path's file system, a number of statfs(2); 0 where it is not known.
#include <sys/vfs.h>
static inline long long fileSystemOfPath(const char *path) {
  struct statfs found;
  return statfs(path, &found) == 0 ? (long long)found.f_type & 0xFFFFFFFF : 0;
}
