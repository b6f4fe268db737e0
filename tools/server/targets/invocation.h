// What one invocation of a target comes to.
#ifndef DYNOLITH_TOOLS_SERVER_TARGETS_INVOCATION_H_
#define DYNOLITH_TOOLS_SERVER_TARGETS_INVOCATION_H_

#include <cstdint>
#include <string>

namespace dynolith::targets {

// The outcome of one invocation.
struct Invocation {
  enum class Result : uint8_t {
    kSucceeded,
    kFailed,  // the function failed, or took too long
    kAway,    // there is no answer, or it is busy (429): it has not run as far as is known
  };
  Result result = Result::kAway;
  std::string answer;          // of kSucceeded: its body, or what the command printed
  std::string error;           // else: why
  int status = 0;              // of HTTP; 0: none
  std::string function_error;  // "Unhandled"; empty: none
};

}  // namespace dynolith::targets

#endif  // DYNOLITH_TOOLS_SERVER_TARGETS_INVOCATION_H_
