// Ctrl-C as the end of what a command does, instead of the end of the program.
#ifndef DYNOLITH_TOOLS_PROGRAM_INTERRUPTION_H_
#define DYNOLITH_TOOLS_PROGRAM_INTERRUPTION_H_

namespace dynolith {

class Interruption {
 public:
  // From here on the first SIGINT is noted, and the next one ends the program. One at a time.
  Interruption();
  // SIGINT ends the program again.
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  // Whether there was one, also when it is not waited for any more.
  static bool HasCome();
};

}  // namespace dynolith

#endif  // DYNOLITH_TOOLS_PROGRAM_INTERRUPTION_H_
