#include "engine/model/constraint_failures.h"

#include <algorithm>
#include <utility>

#include "engine/base/errors.h"
#include "engine/base/limits.h"
#include "engine/base/strings.h"
#include "engine/model/java_text.h"
#include "engine/model/messages.h"

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

size_t ConstrainedLength(const Shape& shape, std::string_view text) {
  if (!shape.characters) return text.size();
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return !ContinuesCharacter(c); }));
}

bool IsSound(const Shape& shape, std::string_view text) {
  if (shape.accepts_arn && IsArn(text)) return text.size() <= kTableArnBytesMax;
  return IsWithinBounds(shape, static_cast<int64_t>(ConstrainedLength(shape, text))) &&
         (shape.pattern == kNoPattern || Matches(PatternAt(shape.pattern), text));
}

bool IsWithinBounds(const Shape& shape, int64_t number) {
  return (shape.min == kNoBound || number >= shape.min) &&
         (shape.max == kNoBound || number <= shape.max);
}

std::string ConstraintText(const Shape& shape) {
  std::vector<std::string> texts;
  if (shape.max != kNoBound) texts.push_back(messages::MustHaveLength(false, shape.max));
  if (shape.min != kNoBound) texts.push_back(messages::MustHaveLength(true, shape.min));
  if (shape.pattern != kNoPattern) {
    texts.push_back(messages::MustMatchPattern(PatternAt(shape.pattern).text));
  }
  return Joined(texts, ", ");
}

std::string EnumerationWords(const Shape& enumeration) {
  return Joined(enumeration.values(), ", ");
}

void ConstraintFailures::AddNull(const PathStep& path) {
  failures_.push_back(
      {.text = messages::ConstraintFailure("null", PathText(path, true), messages::MustNotBeNull()),
       .alone = "",
       .is_absence = true});
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
  failures_.push_back({.text = messages::ConstraintFailure(Concat("'", Beginning(value), "'"),
                                                           PathText(path, true), constraint),
                       .alone = std::move(alone)});
}

void ConstraintFailures::AddWord(std::string_view value, const PathStep& path,
                                 std::string_view constraint, std::string alone) {
  AddWithAlone(value, path, constraint, uses_legacy_wording_ ? std::string() : std::move(alone));
  failures_.back().is_word = true;
}

absl::Status ConstraintFailures::ToStatus(const Failure& only, bool bare_words) {
  if (bare_words && only.is_word && !only.alone.empty()) return ValidationError(only.alone);
  return ValidationError(
      messages::ValidationErrors(1, only.alone.empty() ? only.text : only.alone));
}

const ConstraintFailures::Failure* ConstraintFailures::ChosenFor(const Shape& request) const {
  if (failures_.size() == 1) return &failures_.front();
  const auto all = [&](bool Failure::*what, bool value) {
    return std::all_of(failures_.begin(), failures_.end(),
                       [&](const Failure& failure) { return failure.*what == value; });
  };
  if (request.newer_first && !uses_legacy_wording_ && all(&Failure::is_absence, false)) {
    const auto newer = std::find_if(failures_.begin(), failures_.end(),
                                    [](const Failure& failure) { return !failure.alone.empty(); });
    if (newer != failures_.end()) return &*newer;
  }
  const bool one_word = request.one_word && all(&Failure::is_word, true);
  return one_word ? &failures_.front() : nullptr;
}

absl::Status ConstraintFailures::StatusFor(const Shape& request) const {
  if (failures_.empty()) return absl::OkStatus();
  if (const Failure* const chosen = ChosenFor(request)) {
    return ToStatus(*chosen, request.bare_words);
  }
  std::vector<std::string_view> texts;
  for (const Failure& failure : failures_) texts.push_back(failure.text);
  return ValidationError(messages::ValidationErrors(texts.size(), Joined(texts, "; ")));
}

}  // namespace dynolith
