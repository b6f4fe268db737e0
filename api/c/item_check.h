// Checks items from callers, whatever their origin.
#ifndef DYNOLITH_API_C_ITEM_CHECK_H_
#define DYNOLITH_API_C_ITEM_CHECK_H_

#include <string_view>

#include "absl/status/statusor.h"
#include "dynolith/dynolith.h"
#include "engine/value/value.h"

namespace dynolith::c {

// The item in the bytes, if it may be stored: well-formed, all texts UTF-8, no empty names, not too
// many levels. Errors: kInvalidArgument with the position of the first damage; ValidationException.
absl::StatusOr<ItemView> CheckItem(std::string_view bytes);

// The same for an argument; nullptr, or one without data, is an error. `name`: of the argument.
absl::StatusOr<ItemView> CheckItem(std::string_view name, const dynolith_item* item);

// For items that are well-formed by contract.
inline ItemView ToView(const dynolith_item& item) {
  return ItemView::Unchecked({item.data, item.size});
}
inline ValueView ToView(const dynolith_value& value) {
  return ValueView::Unchecked({value.data, value.size});
}
inline dynolith_item Lent(ItemView item) { return {item.bytes().data(), item.bytes().size()}; }
inline dynolith_value Lent(ValueView value) { return {value.bytes().data(), value.bytes().size()}; }
inline dynolith_bytes Lent(std::string_view bytes) { return {bytes.data(), bytes.size()}; }

}  // namespace dynolith::c

#endif  // DYNOLITH_API_C_ITEM_CHECK_H_
