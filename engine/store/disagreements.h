// The findings of a store check: counted, and passed to the caller.
#ifndef DYNOLITH_ENGINE_STORE_DISAGREEMENTS_H_
#define DYNOLITH_ENGINE_STORE_DISAGREEMENTS_H_

#include <cstdint>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "engine/base/strings.h"
#include "engine/store/messages.h"

namespace dynolith {

// Not thread-safe. The arguments' referents must outlive it.
class Disagreements {
 public:
  Disagreements(absl::FunctionRef<void(const std::string&)> report, uint64_t* count)
      : report_(report), count_(count) {}

  void Add(const std::string& line) {
    ++*count_;
    report_(line);
  }

  // Damaged files are a disagreement, and the rows after the damage stay unchecked; every other
  // error is returned.
  absl::Status Examine(const std::string& place, const absl::Status& status) {
    if (!absl::IsDataLoss(status)) return status;
    Add(messages::CheckUnreadable(place, ToStd(status.message())));
    return absl::OkStatus();
  }

 private:
  const absl::FunctionRef<void(const std::string&)> report_;
  uint64_t* const count_;
};

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STORE_DISAGREEMENTS_H_
