// Reading items and values in place: the views of engine/value for C.
#include <cstring>
#include <optional>
#include <string_view>

#include "absl/status/statusor.h"
#include "api/c/item_check.h"
#include "dynolith/dynolith.h"
#include "engine/value/number.h"
#include "engine/value/typed_value.h"
#include "engine/value/value.h"

namespace dynolith::c {
namespace {

static_assert(DYNOLITH_NUMBER_TEXT_MAX == kNumberTextBytesMax);
static_assert(DYNOLITH_NULL == static_cast<int>(Type::kNull));
static_assert(DYNOLITH_BINARY_SET == static_cast<int>(Type::kBinarySet));

// A number as a value: a tag in front of its bytes.
class NumberValue {
 public:
  // Requires: IsEncodedNumber.
  explicit NumberValue(std::string_view encoded) : size_(1 + encoded.size()) {
    bytes_[0] = static_cast<char>(Type::kNumber);
    std::memcpy(bytes_ + 1, encoded.data(), encoded.size());
  }
  ValueView view() const& { return ValueView::Unchecked({bytes_, size_}); }
  ValueView view() && = delete;

 private:
  char bytes_[1 + kNumberBytesMax];
  const size_t size_;
};

// Whether the value is a T, which *to is then.
template <typename T>
int32_t ReadAs(ValueView value, T* to) {
  if (value.type() != Type::kNumber) return 0;
  const absl::StatusOr<T> number = value.As<T>();
  if (!number.ok()) return 0;
  *to = *number;
  return 1;
}

template <typename T>
int32_t ReadEncoded(const dynolith_bytes& encoded, T* to) {
  const std::string_view bytes(encoded.data, encoded.size);
  if (!IsEncodedNumber(bytes)) return 0;
  const NumberValue value(bytes);
  return ReadAs(value.view(), to);
}

int32_t Lend(bool is_there, std::string_view bytes, dynolith_bytes* to) {
  if (is_there) *to = Lent(bytes);
  return is_there ? 1 : 0;
}

}  // namespace
}  // namespace dynolith::c

using dynolith::Type;
using dynolith::ValueView;
using dynolith::c::Lent;
using dynolith::c::ToView;

size_t dynolith_item_count(const dynolith_item* item) { return ToView(*item).size(); }

int32_t dynolith_item_find(const dynolith_item* item, const char* name, size_t name_size,
                           dynolith_value* value) {
  const std::optional<ValueView> found = ToView(*item).Find({name, name_size});
  if (!found) return 0;
  *value = Lent(*found);
  return 1;
}

int32_t dynolith_item_at(const dynolith_item* item, size_t i, dynolith_bytes* name,
                         dynolith_value* value) {
  const dynolith::ItemView view = ToView(*item);
  if (i >= view.size()) return 0;
  *name = Lent(view.name(i));
  *value = Lent(view.value(i));
  return 1;
}

int32_t dynolith_value_type(const dynolith_value* value) {
  return static_cast<int32_t>(ToView(*value).type());
}

int32_t dynolith_value_bool(const dynolith_value* value, int32_t* is_true) {
  const ValueView view = ToView(*value);
  if (view.type() != Type::kBool) return 0;
  *is_true = view.boolean() ? 1 : 0;
  return 1;
}

int32_t dynolith_value_string(const dynolith_value* value, dynolith_bytes* text) {
  const ValueView view = ToView(*value);
  return dynolith::c::Lend(view.type() == Type::kString, view.payload(), text);
}

int32_t dynolith_value_binary(const dynolith_value* value, dynolith_bytes* bytes) {
  const ValueView view = ToView(*value);
  return dynolith::c::Lend(view.type() == Type::kBinary, view.payload(), bytes);
}

int32_t dynolith_value_int64(const dynolith_value* value, int64_t* number) {
  return dynolith::c::ReadAs(ToView(*value), number);
}

int32_t dynolith_value_double(const dynolith_value* value, double* number) {
  return dynolith::c::ReadAs(ToView(*value), number);
}

size_t dynolith_value_number(const dynolith_value* value, char* text) {
  const ValueView view = ToView(*value);
  if (view.type() != Type::kNumber) return 0;
  return dynolith::WriteNumberText(view.number_bytes(), text) - text;
}

int32_t dynolith_value_map(const dynolith_value* value, dynolith_item* map) {
  const ValueView view = ToView(*value);
  if (view.type() != Type::kMap) return 0;
  *map = Lent(view.map());
  return 1;
}

size_t dynolith_value_count(const dynolith_value* value) {
  const ValueView view = ToView(*value);
  if (view.type() == Type::kList) return view.list().size();
  if (view.type() == Type::kMap) return view.map().size();
  return dynolith::IsSet(view.type()) ? view.set().size() : 0;
}

int32_t dynolith_value_element(const dynolith_value* list, size_t i, dynolith_value* element) {
  const ValueView view = ToView(*list);
  if (view.type() != Type::kList || i >= view.list().size()) return 0;
  *element = Lent(view.list()[i]);
  return 1;
}

int32_t dynolith_value_member(const dynolith_value* set, size_t i, dynolith_bytes* member) {
  const ValueView view = ToView(*set);
  if (!dynolith::IsSet(view.type()) || i >= view.set().size()) return 0;
  *member = Lent(view.set()[i]);
  return 1;
}

int32_t dynolith_number_int64(const dynolith_bytes* encoded, int64_t* number) {
  return dynolith::c::ReadEncoded(*encoded, number);
}

int32_t dynolith_number_double(const dynolith_bytes* encoded, double* number) {
  return dynolith::c::ReadEncoded(*encoded, number);
}

size_t dynolith_number_text(const dynolith_bytes* encoded, char* text) {
  const std::string_view bytes(encoded->data, encoded->size);
  return dynolith::IsEncodedNumber(bytes) ? dynolith::WriteNumberText(bytes, text) - text : 0;
}
