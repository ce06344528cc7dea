// GLib supplies the checksums for a model's version hash, which is no secret. libsecret links it in
// any case.
#include <glib.h>
