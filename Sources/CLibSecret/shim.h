// libsecret marks the service, collection and item interfaces unstable. Their ABI has not changed
// since 0.18, and no others distinguish a locked item from an absent one.
#define SECRET_API_SUBJECT_TO_CHANGE 1
#include <libsecret/secret.h>
