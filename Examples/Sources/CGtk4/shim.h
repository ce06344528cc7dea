// GTK, and what Swift cannot see of it: macros with arguments.
#include <glib-unix.h>
#include <gtk/gtk.h>

static inline GType object_type(void) { return G_TYPE_OBJECT; }
static inline GType list_model_type(void) { return G_TYPE_LIST_MODEL; }
static inline GType boolean_type(void) { return G_TYPE_BOOLEAN; }

// The main queue's doors for run loops: Foundation's own RunLoop goes through them too.
/// A descriptor that is readable when the main queue has work.
extern int _dispatch_get_main_queue_handle_4CF(void);
/// Runs what is in the main queue; on the main thread only.
extern void _dispatch_main_queue_callback_4CF(void *unused);
