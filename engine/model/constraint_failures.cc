#include "engine/model/constraint_failures.h"

#include <algorithm>
#include <utility>

#include "engine/base/errors.h"
#include "engine/base/limits.h"
#include "engine/base/messages/requests.h"
#include "engine/base/strings.h"
#include "engine/model/java_text.h"

namespace dynolith {
namespace {

// "requestItems.t.member.keys" or, with the model's spelling, "RequestItems.t.member.Keys".
std::string PathText(const PathStep& step, bool lower_first) {
  std::string text = step.parent != nullptr ? PathText(*step.parent, lower_first) + "." : "";
  switch (step.kind) {
    case PathStep::Kind::kMember:
      return text + (lower_first ? LowerFirst(step.name) : std::string(step.name));
    case PathStep::Kind::kListElement:
      return text + Concat(step.position, ".member");
    case PathStep::Kind::kMapValue:
      return text + Concat(step.name, ".member");
  }
  return text;
}

template <typename Texts>
std::string Joined(const Texts& texts, std::string_view separator) {
  std::string joined;
  for (const std::string_view text : texts) {
    if (!joined.empty()) joined += separator;
    joined += text;
  }
  return joined;
}

bool ContinuesCharacter(char c) { return (c & 0xc0) == 0x80; }

// What is told of a value: whole characters of its beginning.
std::string_view Beginning(std::string_view value) {
  if (value.size() <= kReportedValueBytesMax) return value;
  size_t bytes = kReportedValueBytesMax;
  while (bytes > 0 && ContinuesCharacter(value[bytes])) --bytes;
  return value.substr(0, bytes);
}

}  // namespace

size_t LengthOf(const Shape& shape, std::string_view text) {
  if (!shape.characters) return text.size();
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return !ContinuesCharacter(c); }));
}

bool IsSound(const Shape& shape, std::string_view text) {
  if (shape.accepts_arn && IsArn(text)) return text.size() <= kTableArnBytesMax;
  return IsWithinBounds(shape, static_cast<int64_t>(LengthOf(shape, text))) &&
         (shape.pattern == kNoPattern || Matches(PatternAt(shape.pattern), text));
}

bool IsWithinBounds(const Shape& shape, int64_t number) {
  return (shape.min == kNoBound || number >= shape.min) &&
         (shape.max == kNoBound || number <= shape.max);
}

std::string ConstraintsOf(const Shape& shape) {
  std::vector<std::string> texts;
  if (shape.max != kNoBound) texts.push_back(messages::MustHaveLength(false, shape.max));
  if (shape.min != kNoBound) texts.push_back(messages::MustHaveLength(true, shape.min));
  if (shape.pattern != kNoPattern) {
    texts.push_back(messages::MustMatchPattern(PatternAt(shape.pattern).text));
  }
  return Joined(texts, ", ");
}

std::string WordsOf(const Shape& enumeration) { return Joined(enumeration.values(), ", "); }

void ConstraintFailures::AddNull(const PathStep& path) {
  failures_.push_back(
      {messages::ConstraintFailure("null", PathText(path, true), messages::MustNotBeNull()), ""});
}

void ConstraintFailures::Add(std::string_view value, const PathStep& path,
                             std::string_view constraint) {
  AddWithAlone(value, path, constraint, "");
}

void ConstraintFailures::AddShort(std::string_view value, const PathStep& path,
                                  std::string_view constraint) {
  AddWithAlone(value, path, constraint,
               messages::ShortConstraintFailure(PathText(path, false), constraint));
}

void ConstraintFailures::AddWithAlone(std::string_view value, const PathStep& path,
                                      std::string_view constraint, std::string alone) {
  failures_.push_back({messages::ConstraintFailure(Concat("'", Beginning(value), "'"),
                                                   PathText(path, true), constraint),
                       std::move(alone)});
}

void ConstraintFailures::AddWord(std::string_view value, const PathStep& path,
                                 std::string_view constraint, std::string alone) {
  AddWithAlone(value, path, constraint, in_older_words_ ? std::string() : std::move(alone));
  failures_.back().is_word = true;
}

absl::Status ConstraintFailures::StatusOf(const Failure& only) {
  return ValidationError(
      messages::ValidationErrors(1, only.alone.empty() ? only.text : only.alone));
}

absl::Status ConstraintFailures::StatusOfOneWord() const {
  const bool only_words = std::all_of(failures_.begin(), failures_.end(),
                                      [](const Failure& failure) { return failure.is_word; });
  return !failures_.empty() && only_words ? StatusOf(failures_.front()) : Status();
}

absl::Status ConstraintFailures::Status() const {
  if (failures_.empty()) return absl::OkStatus();
  if (failures_.size() == 1) return StatusOf(failures_.front());
  std::vector<std::string_view> texts;
  for (const Failure& failure : failures_) texts.push_back(failure.text);
  return ValidationError(messages::ValidationErrors(texts.size(), Joined(texts, "; ")));
}

}  // namespace dynolith
