// Attribute values and items as bytes, read in place.
//
// Grammar (all integers little-endian; W is 1, 2 or 4, the smallest width in which the container's
// offsets and count fit):
//
//   value    = tag payload                       ; its length comes from outside
//   payload  = nothing                           ; NULL
//            | byte 0/1                          ; BOOL
//            | encoded number                    ; N
//            | bytes                             ; S, B
//            | sequence                          ; L, SS, NS, BS
//            | map                               ; M
//   sequence = width:u8 count:W end:W*count element*
//              ; ends count from the first element; the elements of L are values, those of sets
//              ; bare payloads, at least one, sorted by memcmp and distinct
//   map      = width:u8 count:W (name_end:W value_end:W)*count name* value*
//              ; names sorted bytewise and distinct; ends count from the first name and from the
//              ; first value
//   item     = map
//
// The form is canonical: two values are equal in DynamoDB's sense (numbers numerically, sets and
// maps unordered) if and only if their bytes are equal. Bytes that come from outside are checked
// once, by Parse; views then read unchecked.
#ifndef DYNOLITH_ENGINE_VALUE_VALUE_H_
#define DYNOLITH_ENGINE_VALUE_VALUE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "absl/status/statusor.h"
#include "engine/value/number.h"

namespace dynolith {

// On disk. Append only.
enum class Type : uint8_t {
  kNull = 1,
  kBool = 2,
  kNumber = 3,
  kString = 4,
  kBinary = 5,
  kList = 6,
  kMap = 7,
  kStringSet = 8,
  kNumberSet = 9,
  kBinarySet = 10,
};

// "S", "N", "BOOL", ...
std::string_view TypeName(Type type);
// nullopt for anything that is not a type name.
std::optional<Type> TypeFromName(std::string_view name);
inline bool IsSet(Type type) { return type >= Type::kStringSet && type <= Type::kBinarySet; }

class ListView;
class SetView;
class ItemView;

// Borrows one encoded value. Valid as long as the bytes that it was made from.
class ValueView {
 public:
  // Requires: `bytes` is a well-formed encoded value.
  static ValueView Unchecked(std::string_view bytes) { return ValueView(bytes); }
  // Checks everything but that strings are UTF-8, at any depth of nesting. Errors: kDataLoss with
  // the position of the first fault. O(size).
  static absl::StatusOr<ValueView> Parse(std::string_view bytes);

  Type type() const { return static_cast<Type>(bytes_[0]); }
  std::string_view bytes() const { return bytes_; }
  std::string_view payload() const { return bytes_.substr(1); }

  // Each requires the type that it names.
  std::string_view string() const { return payload(); }
  std::string_view binary() const { return payload(); }
  bool boolean() const { return bytes_[1] != 0; }
  std::string_view number_bytes() const { return payload(); }
  Number number() const { return Number::Decode(payload()); }
  ListView list() const;
  SetView set() const;
  ItemView map() const;

  // DynamoDB's equality: same type and equal.
  friend bool operator==(ValueView left, ValueView right) { return left.bytes_ == right.bytes_; }

 private:
  explicit ValueView(std::string_view bytes) : bytes_(bytes) {}
  std::string_view bytes_;
};

// -1, 0 or 1 for two values of the same scalar type S, N or B; nullopt for any other pair: the
// service has no order there.
std::optional<int> CompareScalars(ValueView left, ValueView right);

namespace value_internal {

// Reads the fixed-width directory of a container.
class Directory {
 public:
  // Requires: `bytes` is a well-formed sequence or map.
  explicit Directory(std::string_view bytes)
      : bytes_(bytes), width_(static_cast<uint8_t>(bytes[0])) {}
  size_t count() const { return Slot(0); }
  // The i-th integer of the directory; slot 0 is the count.
  size_t Slot(size_t i) const {
    const auto* at = reinterpret_cast<const uint8_t*>(bytes_.data()) + 1 + i * width_;
    if (width_ == 1) return at[0];
    if (width_ == 2) return at[0] | at[1] << 8;
    return at[0] | at[1] << 8 | at[2] << 16 | static_cast<size_t>(at[3]) << 24;
  }
  // The bytes behind `slots` directory integers.
  size_t HeaderBytes(size_t slots) const { return 1 + slots * width_; }
  std::string_view bytes() const { return bytes_; }

 private:
  std::string_view bytes_;
  size_t width_;
};

}  // namespace value_internal

// Borrows the elements of an L.
class ListView {
 public:
  explicit ListView(std::string_view payload) : directory_(payload) {}
  size_t size() const { return directory_.count(); }
  // Requires: i < size().
  ValueView operator[](size_t i) const { return ValueView::Unchecked(Element(i)); }

 protected:
  std::string_view Element(size_t i) const {
    const size_t base = directory_.HeaderBytes(1 + directory_.count());
    const size_t begin = i == 0 ? 0 : directory_.Slot(i);
    return directory_.bytes().substr(base + begin, directory_.Slot(i + 1) - begin);
  }

 private:
  value_internal::Directory directory_;
};

// Borrows the members of an SS, NS or BS: their payloads without tag, sorted by memcmp (which for
// encoded numbers is numeric order).
class SetView : private ListView {
 public:
  using ListView::ListView;
  using ListView::size;
  std::string_view operator[](size_t i) const { return Element(i); }
  // O(log n).
  bool Contains(std::string_view member) const;
};

// Borrows an item or an M: names and values, sorted bytewise by name.
class ItemView {
 public:
  // The empty item.
  ItemView();
  static ItemView Unchecked(std::string_view bytes) { return ItemView(bytes); }
  // Checks everything below. Errors: kDataLoss with the position of the first fault.
  static absl::StatusOr<ItemView> Parse(std::string_view bytes);

  size_t size() const { return directory_.count(); }
  bool empty() const { return size() == 0; }
  std::string_view bytes() const { return directory_.bytes(); }

  // Require: i < size().
  std::string_view name(size_t i) const {
    const size_t begin = i == 0 ? 0 : directory_.Slot(2 * i - 1);
    return bytes().substr(NamesBegin() + begin, directory_.Slot(2 * i + 1) - begin);
  }
  ValueView value(size_t i) const {
    const size_t begin = i == 0 ? 0 : directory_.Slot(2 * i);
    return ValueView::Unchecked(
        bytes().substr(ValuesBegin() + begin, directory_.Slot(2 * i + 2) - begin));
  }

  // O(log n).
  std::optional<ValueView> Find(std::string_view name) const;

  friend bool operator==(ItemView left, ItemView right) { return left.bytes() == right.bytes(); }

 private:
  explicit ItemView(std::string_view bytes) : directory_(bytes) {}
  size_t NamesBegin() const { return directory_.HeaderBytes(1 + 2 * size()); }
  size_t ValuesBegin() const {
    return NamesBegin() + (empty() ? 0 : directory_.Slot(2 * size() - 1));
  }

  value_internal::Directory directory_;
};

inline ListView ValueView::list() const { return ListView(payload()); }
inline SetView ValueView::set() const { return SetView(payload()); }
inline ItemView ValueView::map() const { return ItemView::Unchecked(payload()); }

// Bytes that the service bills for a value or an item (api/facts/values.md §7). O(size).
size_t BilledBytes(ValueView value);
size_t BilledBytes(ItemView item);

// Levels of lists and maps around the deepest scalar: 0 for a scalar or a set. O(size).
int NestingDepth(ValueView value);

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_VALUE_VALUE_H_
