// A line on standard error that is redrawn while something is running; the width of lines.
#ifndef DYNOLITH_TOOLS_PROGRAM_TERMINAL_LINE_H_
#define DYNOLITH_TOOLS_PROGRAM_TERMINAL_LINE_H_

#include <cstddef>
#include <string>

namespace dynolith {

// The width of a line on standard output: that of its terminal, or unlimited if it is none.
size_t OutputColumns();

// Not thread-safe. The destructor clears the line.
class TerminalLine {
 public:
  TerminalLine();
  ~TerminalLine() { Clear(); }
  TerminalLine(const TerminalLine&) = delete;
  TerminalLine& operator=(const TerminalLine&) = delete;

  // Whether standard error is a terminal; if not, show nothing.
  bool is_terminal() const { return is_terminal_; }
  // The present number: a window may change. 80 if it is not known.
  static size_t Columns();
  // Replaces the shown line, truncated to one line, since more would stay there. Cuts at the end of
  // a character.
  void Show(std::string line);
  void Clear();

 private:
  const bool is_terminal_;
  bool is_shown_ = false;
};

}  // namespace dynolith

#endif  // DYNOLITH_TOOLS_PROGRAM_TERMINAL_LINE_H_
