// Violations in the attribute values of a request that could still be read: the service reports
// them at a later step than the reading, so the operation returns them at that step.
#ifndef DYNOLITH_ENGINE_MODEL_REQUEST_VIOLATIONS_H_
#define DYNOLITH_ENGINE_MODEL_REQUEST_VIOLATIONS_H_

#include <utility>
#include <vector>

#include "absl/status/status.h"

namespace dynolith {

// The first violation in each group of values of one structure; OK where there is none.
struct ValueViolations {
  absl::Status values;             // in keys, items, older parameters, statements
  absl::Status expression_values;  // in ExpressionAttributeValues
};

// The violations of one request, by the addresses of the structures that contain them: those that
// model.txt marks with `violations`, and the request itself. The request must not move. A C++
// caller has none: an Item cannot hold an invalid value.
class RequestViolations {
 public:
  const ValueViolations& Of(const void* structure) const {
    static const ValueViolations* const none = new ValueViolations;
    for (const auto& [at, violations] : entries_) {
      if (at == structure) return violations;
    }
    return *none;
  }

  // Called by the reader.
  void Add(const void* structure, ValueViolations violations) {
    entries_.emplace_back(structure, std::move(violations));
  }

  bool empty() const { return entries_.empty(); }

  // Whether the request is answered in legacy wording, and bare: a single write with a value nested
  // beyond kCurrentWordingDepthMax (api/facts/values.md §6). Such a value is a violation in any
  // case.
  bool uses_legacy_wording() const { return uses_legacy_wording_; }
  void UseLegacyWording() { uses_legacy_wording_ = true; }

  static const RequestViolations& None() {
    static const RequestViolations* const none = new RequestViolations;
    return *none;
  }

 private:
  std::vector<std::pair<const void*, ValueViolations>> entries_;
  bool uses_legacy_wording_ = false;
};

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_MODEL_REQUEST_VIOLATIONS_H_
