// Makes Ctrl-C end the work of a command instead of the program.
#ifndef DYNOLITH_TOOLS_PROGRAM_INTERRUPTION_H_
#define DYNOLITH_TOOLS_PROGRAM_INTERRUPTION_H_

namespace dynolith {

class Interruption {
 public:
  // From here on the first SIGINT is noted, and the next one ends the program. Only one may exist.
  Interruption();
  // SIGINT ends the program again.
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  // Whether there was a SIGINT, even after Interruption has ended.
  static bool HasCome();
};

}  // namespace dynolith

#endif  // DYNOLITH_TOOLS_PROGRAM_INTERRUPTION_H_
