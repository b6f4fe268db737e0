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
#include <iterator>
#include <optional>
#include <string_view>

#include "absl/status/statusor.h"
#include "engine/value/directory.h"
#include "engine/value/number.h"
#include "engine/value/type.h"

namespace dynolith {

class ListView;
class SetView;
class ItemView;

// Borrows one encoded value. Valid as long as the bytes from which it was made.
class ValueView {
 public:
  // Requires: `bytes` is a well-formed encoded value.
  static ValueView Unchecked(std::string_view bytes) { return ValueView(bytes); }
  // Checks everything except that strings are UTF-8, at any depth of nesting. Errors: kDataLoss
  // with the position of the first error. O(size).
  static absl::StatusOr<ValueView> Parse(std::string_view bytes);

  Type type() const { return static_cast<Type>(bytes_[0]); }
  std::string_view bytes() const { return bytes_; }
  std::string_view payload() const { return {bytes_.data() + 1, bytes_.size() - 1}; }

  // Each requires the type that it names.
  std::string_view string() const { return payload(); }
  std::string_view binary() const { return payload(); }
  bool boolean() const { return bytes_[1] != 0; }
  std::string_view number_bytes() const { return payload(); }
  Number number() const { return Number::Decode(payload()); }
  ListView list() const;
  SetView set() const;
  ItemView map() const;

  // The value as a T of engine/value/typed_value.h, which defines this and lists the types. Errors:
  // kInvalidArgument for a value of another type, kOutOfRange for a number that does not fit T.
  template <typename T>
  absl::StatusOr<T> As() const;

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

// Walks a view of several elements, which are views themselves. Stays valid as long as the bytes
// do, even if the view from which it came is destroyed.
template <typename View, typename Element>
class ViewIterator {
 public:
  using iterator_concept = std::forward_iterator_tag;
  using iterator_category = std::input_iterator_tag;  // there is no Element object for a reference
  using value_type = Element;
  using difference_type = std::ptrdiff_t;
  using pointer = void;
  using reference = Element;

  ViewIterator() = default;
  ViewIterator(std::string_view bytes, size_t position) : bytes_(bytes), position_(position) {}

  Element operator*() const { return View(bytes_)[position_]; }
  ViewIterator& operator++() {
    ++position_;
    return *this;
  }
  ViewIterator operator++(int) {
    ViewIterator before = *this;
    ++position_;
    return before;
  }
  // Requires: both are iterators of one view.
  friend bool operator==(const ViewIterator& left, const ViewIterator& right) {
    return left.position_ == right.position_;
  }

 private:
  std::string_view bytes_;
  size_t position_ = 0;
};

}  // namespace value_internal

// Borrows the elements of an L.
class ListView {
 public:
  explicit ListView(std::string_view payload) : directory_(payload) {}
  size_t size() const { return directory_.count(); }
  // Requires: i < size().
  ValueView operator[](size_t i) const { return ValueView::Unchecked(Element(i)); }

  using Iterator = value_internal::ViewIterator<ListView, ValueView>;
  Iterator begin() const { return {directory_.bytes(), 0}; }
  Iterator end() const { return {directory_.bytes(), size()}; }

 protected:
  std::string_view bytes() const { return directory_.bytes(); }
  std::string_view Element(size_t i) const {
    const size_t base = directory_.HeaderBytes(1 + directory_.count());
    const size_t begin = i == 0 ? 0 : directory_.Slot(i);
    return {directory_.bytes().data() + base + begin, directory_.Slot(i + 1) - begin};
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

  using Iterator = value_internal::ViewIterator<SetView, std::string_view>;
  Iterator begin() const { return {bytes(), 0}; }
  Iterator end() const { return {bytes(), size()}; }

  // O(log n).
  bool Contains(std::string_view member) const;
};

// One attribute of an item or an M.
struct AttributeView {
  std::string_view name;
  ValueView value;
};

// Borrows an item or an M: names and values, sorted bytewise by name.
//
//   for (const auto& [name, value] : item) ...
class ItemView {
 public:
  // The empty item.
  ItemView();
  static ItemView Unchecked(std::string_view bytes) { return ItemView(bytes); }
  // Checks everything below. Errors: kDataLoss with the position of the first error.
  static absl::StatusOr<ItemView> Parse(std::string_view bytes);

  size_t size() const { return directory_.count(); }
  bool empty() const { return size() == 0; }
  std::string_view bytes() const { return directory_.bytes(); }

  // Require: i < size().
  std::string_view name(size_t i) const {
    const size_t begin = i == 0 ? 0 : directory_.Slot(2 * i - 1);
    return {bytes().data() + NamesBegin() + begin, directory_.Slot(2 * i + 1) - begin};
  }
  ValueView value(size_t i) const {
    const size_t begin = i == 0 ? 0 : directory_.Slot(2 * i);
    return ValueView::Unchecked(
        {bytes().data() + ValuesBegin() + begin, directory_.Slot(2 * i + 2) - begin});
  }
  AttributeView operator[](size_t i) const { return {name(i), value(i)}; }

  // Goes from one attribute to the next; stores where both parts of the next one begin. Stays valid
  // as long as the bytes do, even if the view from which it came is destroyed.
  class Iterator {
   public:
    using iterator_concept = std::forward_iterator_tag;
    using iterator_category = std::input_iterator_tag;  // there is no AttributeView to refer to
    using value_type = AttributeView;
    using difference_type = std::ptrdiff_t;
    using pointer = void;
    using reference = AttributeView;

    Iterator() : directory_(kNoBytes) {}

    AttributeView operator*() const {
      const char* const begin = directory_.bytes().data();
      return {{begin + names_ + name_, NameEnd() - name_},
              ValueView::Unchecked({begin + values_ + value_, ValueEnd() - value_})};
    }
    Iterator& operator++() {
      name_ = NameEnd();
      value_ = ValueEnd();
      ++position_;
      return *this;
    }
    Iterator operator++(int) {
      Iterator before = *this;
      ++*this;
      return before;
    }
    // Requires: both are iterators of one view.
    friend bool operator==(const Iterator& left, const Iterator& right) {
      return left.position_ == right.position_;
    }

   private:
    friend class ItemView;
    static constexpr std::string_view kNoBytes{"\x01\x00", 2};
    Iterator(value_internal::Directory directory, size_t position)
        : directory_(directory), position_(position) {}

    size_t NameEnd() const { return directory_.Slot(2 * position_ + 1); }
    size_t ValueEnd() const { return directory_.Slot(2 * position_ + 2); }

    value_internal::Directory directory_;
    size_t position_ = 0;
    size_t names_ = 0;  // the beginnings of the first name and the first value
    size_t values_ = 0;
    size_t name_ = 0;  // the offsets of the next ones from those
    size_t value_ = 0;
  };
  Iterator begin() const {
    Iterator first(directory_, 0);
    first.names_ = NamesBegin();
    first.values_ = ValuesBegin();
    return first;
  }
  Iterator end() const { return {directory_, size()}; }

  // O(log n).
  std::optional<ValueView> Find(std::string_view name) const;

  // The attribute as a T of engine/value/typed_value.h, which defines this. Errors: kNotFound if
  // there is none, unless T is a std::optional, which is then empty; those of ValueView::As. All
  // name the attribute. O(log n).
  template <typename T>
  absl::StatusOr<T> Get(std::string_view name) const;

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
size_t BilledBytes(ItemView item);  // at most item.bytes().size()

// Levels of lists and maps around the deepest scalar: 0 for a scalar or a set. O(size).
int NestingDepth(ValueView value);

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_VALUE_VALUE_H_
