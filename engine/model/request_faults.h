// Faults in the attribute values of a request that could still be read: the service reports them at
// a later step than the reading, so the operation returns them at that step.
#ifndef DYNOLITH_ENGINE_MODEL_REQUEST_FAULTS_H_
#define DYNOLITH_ENGINE_MODEL_REQUEST_FAULTS_H_

#include <utility>
#include <vector>

#include "absl/status/status.h"

namespace dynolith {

// The first fault in each group of values of one structure; OK where there is none.
struct ValueFaults {
  absl::Status values;             // in keys, items, older parameters, statements
  absl::Status expression_values;  // in ExpressionAttributeValues
};

// The faults of one request, by the addresses of the structures that contain them: those that
// model.txt marks with `faults`, and the request itself. The request must not move. A C++ caller
// has none: an Item cannot hold an invalid value.
class RequestFaults {
 public:
  const ValueFaults& Of(const void* structure) const {
    static const ValueFaults* const none = new ValueFaults;
    for (const auto& [at, faults] : entries_) {
      if (at == structure) return faults;
    }
    return *none;
  }

  // Called by the reader.
  void Add(const void* structure, ValueFaults faults) {
    entries_.emplace_back(structure, std::move(faults));
  }

  bool empty() const { return entries_.empty(); }

  // Whether the request is answered in legacy wording, and bare: a single write with a value nested
  // beyond kCurrentWordingDepthMax (api/facts/values.md §6). Such a value is a fault in any case.
  bool uses_legacy_wording() const { return uses_legacy_wording_; }
  void UseLegacyWording() { uses_legacy_wording_ = true; }

  static const RequestFaults& None() {
    static const RequestFaults* const none = new RequestFaults;
    return *none;
  }

 private:
  std::vector<std::pair<const void*, ValueFaults>> entries_;
  bool uses_legacy_wording_ = false;
};

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_MODEL_REQUEST_FAULTS_H_
