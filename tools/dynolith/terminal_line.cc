#include "tools/dynolith/terminal_line.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace dynolith {

TerminalLine::TerminalLine() : is_terminal_(isatty(STDERR_FILENO) != 0) {}

size_t TerminalLine::Columns() {
  winsize size{};
  const bool is_known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return is_known ? size.ws_col : 80;
}

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
