// The result of a check of the environment.
#ifndef DYNOLITH_TOOLS_PROGRAM_DOCTOR_FINDING_H_
#define DYNOLITH_TOOLS_PROGRAM_DOCTOR_FINDING_H_

#include <cstdint>
#include <string>
#include <vector>

namespace dynolith::doctor {

enum class Severity : uint8_t {
  kFine,
  kNote,   // harmless, but perhaps unexpected
  kWrong,  // causes failures
};

struct Finding {
  Severity level = Severity::kFine;
  std::string subject;  // one word
  std::string text;
  std::string remedy;  // empty: none needed
};

using Findings = std::vector<Finding>;

}  // namespace dynolith::doctor

#endif  // DYNOLITH_TOOLS_PROGRAM_DOCTOR_FINDING_H_
