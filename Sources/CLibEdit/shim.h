#pragma once
// readline.h uses FILE but does not include <stdio.h>.
#include <stdio.h>
#include <sys/ioctl.h>
#include <editline/readline.h>

// Sets global variables of the library. Swift's concurrency checks reject writes to them; the shell
// sets them once, before it reads its first line.
static inline void strongroom_complete_with(char **(*complete)(const char *, int, int), char *breaks) {
  rl_attempted_completion_function = complete;
  rl_attempted_completion_over = 1;
  // Append no space: a key path may continue after a name.
  rl_completion_append_character = 0;
  rl_basic_word_break_characters = breaks;
  rl_completer_word_break_characters = breaks;
}

static inline const char *strongroom_line(void) { return rl_line_buffer; }

// Prevents the completion of file names where nothing else matches. The library resets this after
// each completion.
static inline void strongroom_offer_nothing_else(void) { rl_attempted_completion_over = 1; }

// The width of a terminal, 0 when it is not known.
static inline int terminal_columns(int file) {
  struct winsize size;
  return ioctl(file, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}
