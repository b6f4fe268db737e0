#include "tools/program/terminal_line.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <limits>

namespace dynolith {

namespace {

// The width of the descriptor's terminal; 80 if it is not known.
size_t TerminalColumns(int file) {
  winsize size{};
  return ioctl(file, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

}  // namespace

size_t OutputColumns() {
  return isatty(STDOUT_FILENO) != 0 ? TerminalColumns(STDOUT_FILENO)
                                    : std::numeric_limits<size_t>::max();
}

TerminalLine::TerminalLine() : is_terminal_(isatty(STDERR_FILENO) != 0) {}

size_t TerminalLine::Columns() { return TerminalColumns(STDERR_FILENO); }

void TerminalLine::Show(std::string line) {
  size_t end = std::min(line.size(), Columns() - 1);
  while (end < line.size() && end > 0 && (line[end] & 0xc0) == 0x80) --end;
  line.resize(end);
  std::fprintf(stderr, "\r\033[K%s", line.c_str());
  std::fflush(stderr);
  is_shown_ = true;
}

void TerminalLine::Clear() {
  if (is_shown_) std::fputs("\r\033[K", stderr);
  is_shown_ = false;
}

}  // namespace dynolith
