// The part of ncurses that Swift cannot see: macros with arguments, and variables that change.
#define NCURSES_WIDECHAR 1
#include <curses.h>

static inline WINDOW *screen_window(void) { return stdscr; }
static inline int screen_rows(void) { return getmaxy(stdscr); }
static inline int screen_columns(void) { return getmaxx(stdscr); }
static inline void screen_put(int row, int column, const char *text) { mvwaddstr(stdscr, row, column, text); }
static inline void screen_style(int pair, int bold, int reverse, int dim) {
  wattrset(stdscr, (int)(COLOR_PAIR(pair) | (bold ? A_BOLD : 0) | (reverse ? A_REVERSE : 0) | (dim ? A_DIM : 0)));
}
static inline void screen_line(int row, int column, int count) { mvwhline(stdscr, row, column, ACS_HLINE, count); }
static inline void screen_move(int row, int column) { wmove(stdscr, row, column); }
static inline void screen_clear(void) { werase(stdscr); }
static inline void screen_show(void) { wrefresh(stdscr); }
/// OK for a character, KEY_CODE_YES for a key, ERR when nothing was typed.
static inline int screen_key(unsigned int *key) {
  wint_t typed = 0;
  int kind = wget_wch(stdscr, &typed);
  *key = typed;
  return kind;
}
static const int screen_is_character = OK;
static const int screen_is_key = KEY_CODE_YES;
/// The cells that a character takes; declared here since the C library shows it to X/Open programs only.
static inline int screen_width(unsigned int character) {
  extern int wcwidth(wchar_t);
  return wcwidth((wchar_t)character);
}
