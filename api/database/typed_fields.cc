#include "dynolith/typed_fields.h"

#include <charconv>
#include <system_error>

#include "api/database/messages.h"

namespace dynolith::typed::internal {
namespace {

absl::Status OfAttribute(std::string_view attribute, const std::string& what) {
  return value_internal::WithName(absl::InvalidArgumentError(what), attribute);
}

}  // namespace

absl::Status AppendPart(std::string_view attribute, std::string_view member_text,
                        std::string_view text_behind, std::string* to) {
  const size_t begin = to->size();
  to->append(member_text);
  if (text_behind.empty()) return absl::OkStatus();
  // A reader takes the first text behind, which may begin within the member.
  to->append(text_behind);
  const size_t first = to->find(text_behind, begin);
  to->resize(begin + member_text.size());
  if (first == to->size()) return absl::OkStatus();
  return OfAttribute(attribute, messages::TextNotReadBack(member_text, text_behind));
}

absl::Status AppendPadded(std::string_view attribute, uint64_t number, size_t digits,
                          std::string* to) {
  const std::string text = std::to_string(number);
  if (text.size() > digits) {
    return value_internal::WithName(
        absl::OutOfRangeError(messages::NumberHasMoreDigits(number, digits)), attribute);
  }
  to->append(digits - text.size(), '0').append(text);
  return absl::OkStatus();
}

absl::Status ComposedText::Skip(std::string_view text) {
  if (!rest_.starts_with(text)) {
    return OfAttribute(attribute_, messages::ComposedTextDiffers(rest_, text));
  }
  rest_.remove_prefix(text.size());
  return absl::OkStatus();
}

absl::StatusOr<std::string_view> ComposedText::TakePart(std::string_view text_behind) {
  const size_t end = text_behind.empty() ? rest_.size() : rest_.find(text_behind);
  if (end == std::string_view::npos) {
    return OfAttribute(attribute_, messages::ComposedTextLacks(rest_, text_behind));
  }
  const std::string_view taken = rest_.substr(0, end);
  rest_.remove_prefix(end);
  return taken;
}

absl::StatusOr<uint64_t> ComposedText::TakePadded(size_t digits, uint64_t greatest) {
  const std::string_view text = rest_.substr(0, digits);
  const char* const end = text.data() + text.size();
  uint64_t number = 0;
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (text.size() < digits || error != std::errc() || stop != end || number > greatest) {
    return OfAttribute(attribute_, messages::ComposedTextNoNumber(rest_, digits));
  }
  rest_.remove_prefix(digits);
  return number;
}

absl::Status ComposedText::CheckEnd() const {
  if (rest_.empty()) return absl::OkStatus();
  return OfAttribute(attribute_, messages::ComposedTextGoesOn(rest_));
}

ItemBuilder& ReusedBuilder() {
  static thread_local ItemBuilder builder;
  builder.Reset();
  return builder;
}

absl::Status DoesNotFitMember() {
  return absl::OutOfRangeError(messages::NumberDoesNotFitMember());
}

absl::Status UnnamedValue(int64_t value) {
  return absl::InvalidArgumentError(messages::ValueWithoutName(value));
}

absl::Status UnknownName(std::string_view text) {
  return absl::InvalidArgumentError(messages::NameWithoutValue(text));
}

}  // namespace dynolith::typed::internal
