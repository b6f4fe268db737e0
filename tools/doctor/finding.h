// What a check of the environment has found.
#ifndef DYNOLITH_TOOLS_DOCTOR_FINDING_H_
#define DYNOLITH_TOOLS_DOCTOR_FINDING_H_

#include <cstdint>
#include <string>
#include <vector>

namespace dynolith::doctor {

enum class Severity : uint8_t {
  kFine,
  kNote,   // nothing fails by it, but it may surprise
  kWrong,  // something fails by it
};

struct Finding {
  Severity level = Severity::kFine;
  std::string subject;  // one word
  std::string text;
  std::string remedy;  // empty: there is nothing to do
};

using Findings = std::vector<Finding>;

}  // namespace dynolith::doctor

#endif  // DYNOLITH_TOOLS_DOCTOR_FINDING_H_
