// Debian's libpq-dev, and others'.
#if __has_include(<postgresql/libpq-fe.h>)
#include <postgresql/libpq-fe.h>
#elif __has_include(<libpq-fe.h>)
#include <libpq-fe.h>
#else
#error "libpq is missing: apt install libpq-dev; or build your own program alone: swift build --product NAME"
#endif
