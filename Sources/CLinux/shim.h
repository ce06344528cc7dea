// Linux's rename that replaces nothing (renameat2(2)); Glibc's module shows only what POSIX has.
int renameat2(int oldfolder, const char *old, int newfolder, const char *new, unsigned int flags);
// RENAME_NOREPLACE, from <linux/fs.h>.
enum { renameWithoutReplacing = 1 };

// lgetxattr(2) and its like.
#include <sys/xattr.h>
