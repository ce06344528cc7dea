// For its checksums: the version hash of a model keeps no secret, and libsecret brings this library along anyway.
#include <glib.h>
