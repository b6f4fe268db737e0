// `dynolith doctor`: what is wrong with an environment, and what to do about it.
#ifndef DYNOLITH_TOOLS_DYNOLITH_DOCTOR_H_
#define DYNOLITH_TOOLS_DYNOLITH_DOCTOR_H_

#include <string>

#include "absl/status/statusor.h"

namespace dynolith {

struct DoctorOptions {
  std::string url = "http://127.0.0.1:8000";
  std::string data_folder;  // empty: none is looked at
};

// Prints a line for each check, and another one with the remedy where there is one. Changes
// nothing. Whether nothing is wrong. Errors: kInvalidArgument (no address).
absl::StatusOr<bool> Doctor(const DoctorOptions& options);

}  // namespace dynolith

#endif  // DYNOLITH_TOOLS_DYNOLITH_DOCTOR_H_
