// Linux's rename that replaces nothing (renameat2(2)); Glibc's module shows only what POSIX has.
int renameat2(int oldfolder, const char *old, int newfolder, const char *new, unsigned int flags);
// RENAME_NOREPLACE, from <linux/fs.h>.
enum { renameWithoutReplacing = 1 };

// lgetxattr(2) and its like.
#include <sys/xattr.h>

// statx(2), which Glibc's module does not show either.
#include <fcntl.h>
#include <linux/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// When a file was made, in nanoseconds since 1970, which no copy of it has; 0 where the file system does not say.
static inline long long birthOfFile(const char *path) {
  struct statx found;
  if (syscall(SYS_statx, AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, STATX_BTIME, &found) != 0) return 0;
  if (!(found.stx_mask & STATX_BTIME)) return 0;
  return found.stx_btime.tv_sec * 1000000000LL + found.stx_btime.tv_nsec;
}
