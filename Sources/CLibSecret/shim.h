// libsecret marks the service, collection and item interfaces unstable; they have kept their ABI since 0.18
// and are the only ones that tell a locked item from an absent one.
#define SECRET_API_SUBJECT_TO_CHANGE 1
#include <libsecret/secret.h>
