#include "engine/value/typed_value.h"

#include <charconv>

#include "engine/value/messages.h"

namespace dynolith::value_internal {
namespace {

std::string NumberText(ValueView number) {
  std::string text;
  AppendNumberText(number.number_bytes(), &text);
  return text;
}

template <typename T>
absl::Status DoesNotFit(ValueView number, T least, T greatest) {
  return absl::OutOfRangeError(messages::NumberDoesNotFit(NumberText(number), std::to_string(least),
                                                          std::to_string(greatest)));
}

absl::Status OtherType(ValueView value, std::string_view wanted) {
  return absl::InvalidArgumentError(messages::ValueOfOtherType(wanted, TypeName(value.type())));
}

}  // namespace

absl::Status CheckType(ValueView value, Type type) {
  return value.type() == type ? absl::OkStatus() : OtherType(value, TypeName(type));
}

absl::Status CheckSet(ValueView value) {
  return IsSet(value.type()) ? absl::OkStatus() : OtherType(value, "SS, NS or BS");
}

absl::StatusOr<int64_t> ReadSigned(ValueView value, int64_t least, int64_t greatest) {
  if (value.type() != Type::kNumber) return CheckType(value, Type::kNumber);
  int64_t number = 0;
  const bool fits = value.number().ToInt64(&number) && number >= least && number <= greatest;
  if (!fits) return DoesNotFit(value, least, greatest);
  return number;
}

absl::StatusOr<uint64_t> ReadUnsigned(ValueView value, uint64_t greatest) {
  if (value.type() != Type::kNumber) return CheckType(value, Type::kNumber);
  const std::string text = NumberText(value);
  const char* const end = text.data() + text.size();
  uint64_t number = 0;
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end || number > greatest) {
    return DoesNotFit(value, uint64_t{0}, greatest);
  }
  return number;
}

absl::StatusOr<double> ReadDouble(ValueView value) {
  if (value.type() != Type::kNumber) return CheckType(value, Type::kNumber);
  const std::string text = NumberText(value);
  double number = 0;
  // A double holds every magnitude that a Number has.
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

absl::Status WithName(const absl::Status& status, std::string_view name) {
  return absl::Status(status.code(), messages::OfAttribute(name, ToStd(status.message())));
}

absl::Status WithPosition(const absl::Status& status, size_t position) {
  return absl::Status(status.code(), messages::OfElement(position, ToStd(status.message())));
}

absl::Status Absent(std::string_view name) {
  return absl::NotFoundError(messages::NoAttribute(name));
}

}  // namespace dynolith::value_internal
