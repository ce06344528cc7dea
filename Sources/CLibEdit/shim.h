#pragma once
// readline.h uses FILE and does not include what declares it.
#include <stdio.h>
#include <editline/readline.h>

// These are variables of the library's, which Swift does not let several threads write; the shell sets them once, before its
// first line.
static inline void strongroom_complete_with(char **(*complete)(const char *, int, int), char *breaks) {
  rl_attempted_completion_function = complete;
  rl_attempted_completion_over = 1;
  // A path may go on behind a name.
  rl_completion_append_character = 0;
  rl_basic_word_break_characters = breaks;
  rl_completer_word_break_characters = breaks;
}

static inline const char *strongroom_line(void) { return rl_line_buffer; }

// The library forgets this after each completion; without it the names of files are offered where nothing else fits.
static inline void strongroom_offer_nothing_else(void) { rl_attempted_completion_over = 1; }
