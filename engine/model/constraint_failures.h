// Failures of a request's constraints, and their texts: all failures together, at most ten
// (api/facts/wire.md §9, api/facts/operations.md §1.2-§1.3).
#ifndef DYNOLITH_ENGINE_MODEL_CONSTRAINT_FAILURES_H_
#define DYNOLITH_ENGINE_MODEL_CONSTRAINT_FAILURES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "engine/base/limits.h"
#include "engine/model/shapes.h"

namespace dynolith {

// One step of the path to a value; the text is made only when something fails.
struct PathStep {
  const PathStep* parent = nullptr;
  std::string_view name;  // of a member, or a map's key
  size_t position = 0;    // of a list element, from 1
  enum class Kind : uint8_t { kMember, kListElement, kMapValue } kind = Kind::kMember;
};

// Whether a table name is given as an ARN.
inline bool IsArn(std::string_view text) { return text.substr(0, 4) == "arn:"; }

// The length to which the shape's bounds apply.
size_t ConstrainedLength(const Shape& shape, std::string_view text);
// Whether a text, or a number or a count of elements, satisfies the constraints of its shape.
bool IsSound(const Shape& shape, std::string_view text);
bool IsWithinBounds(const Shape& shape, int64_t number);
// "Member must have length less than or equal to 255, Member must …".
std::string ConstraintText(const Shape& shape);
// "a, b, c".
std::string EnumerationWords(const Shape& enumeration);

class ConstraintFailures {
 public:
  // With the legacy wording an unknown enumeration word gets the same text whether it is the only
  // failure or one of several.
  explicit ConstraintFailures(bool uses_legacy_wording)
      : uses_legacy_wording_(uses_legacy_wording) {}

  bool full() const { return failures_.size() >= kReportedConstraintsMax; }
  bool empty() const { return failures_.empty(); }

  // Requires: not full. `value`: as Java prints it, unquoted; a long one is truncated.
  void AddNull(const PathStep& path);
  void Add(std::string_view value, const PathStep& path, std::string_view constraint);
  // As the only failure it has the newer form, which does not repeat the value.
  void AddShort(std::string_view value, const PathStep& path, std::string_view constraint);
  // A word outside of its enumeration. As the only failure its text is `alone`.
  void AddWord(std::string_view value, const PathStep& path, std::string_view constraint,
               std::string alone);

  // OK, or one ValidationException: with all texts, or with the one that requests of this shape
  // report first.
  absl::Status StatusFor(const Shape& request) const;

 private:
  struct Failure {
    std::string text;
    std::string alone;  // the newer form; empty: there is none
    bool is_word = false;
    bool is_absence = false;
  };
  // The one that is reported alone; nullptr: all are.
  const Failure* ChosenFor(const Shape& request) const;
  void AddWithAlone(std::string_view value, const PathStep& path, std::string_view constraint,
                    std::string alone);
  static absl::Status ToStatus(const Failure& only, bool bare_words);
  const bool uses_legacy_wording_;
  std::vector<Failure> failures_;
};

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_MODEL_CONSTRAINT_FAILURES_H_
