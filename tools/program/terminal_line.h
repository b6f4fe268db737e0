// A line on standard error that is written again and again while something goes on; how wide lines
// may be.
#ifndef DYNOLITH_TOOLS_PROGRAM_TERMINAL_LINE_H_
#define DYNOLITH_TOOLS_PROGRAM_TERMINAL_LINE_H_

#include <cstddef>
#include <string>

namespace dynolith {

// How many characters a line on standard output may have: those of its terminal, or any number if
// it is none.
size_t OutputColumns();

// Not thread-safe. Gone when it is destroyed.
class TerminalLine {
 public:
  TerminalLine();
  ~TerminalLine() { Clear(); }
  TerminalLine(const TerminalLine&) = delete;
  TerminalLine& operator=(const TerminalLine&) = delete;

  // Whether standard error is a terminal; if not, nothing is to be shown.
  bool is_terminal() const { return is_terminal_; }
  // How many there are now: a window may change. 80 if that is not known.
  static size_t Columns();
  // In the place of what was shown, as far as it fits into one line: more would stay there. Cut at
  // the end of a character.
  void Show(std::string line);
  void Clear();

 private:
  const bool is_terminal_;
  bool is_shown_ = false;
};

}  // namespace dynolith

#endif  // DYNOLITH_TOOLS_PROGRAM_TERMINAL_LINE_H_
