// Values and items that own their bytes, and the builder that makes them. The byte format is in
// value.h.
#ifndef DYNOLITH_ENGINE_VALUE_ITEM_H_
#define DYNOLITH_ENGINE_VALUE_ITEM_H_

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/base/attributes.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "engine/value/byte_arena.h"
#include "engine/value/messages.h"
#include "engine/value/typed_value.h"
#include "engine/value/value.h"

namespace dynolith {

class Item;

namespace value_internal {

// The bytes of an owner. A debug build overwrites them on destruction, so that a view which
// outlives its owner reads nonsense instead of the old value.
class OwnedBytes {
 public:
  explicit OwnedBytes(std::string&& bytes) : bytes_(std::move(bytes)) {}
#ifndef NDEBUG
  OwnedBytes(const OwnedBytes&) = default;
  OwnedBytes(OwnedBytes&&) = default;
  OwnedBytes& operator=(const OwnedBytes& other) { return *this = OwnedBytes(other); }
  OwnedBytes& operator=(OwnedBytes&& other) noexcept {
    if (this == &other) return *this;
    Scribble(&bytes_);
    bytes_ = std::move(other.bytes_);
    return *this;
  }
  ~OwnedBytes() { Scribble(&bytes_); }
#endif

  const std::string& get() const { return bytes_; }
  std::string&& take() { return std::move(bytes_); }

  friend bool operator==(const OwnedBytes& left, const OwnedBytes& right) {
    return left.bytes_ == right.bytes_;
  }

  // Overwrites the bytes in place.
  static void Scribble(std::string* bytes);

 private:
  std::string bytes_;
};

}  // namespace value_internal

// One owned attribute value.
class Value {
 public:
  // NULL.
  Value();
  // Takes encoded bytes as they are. Requires: well-formed.
  static Value FromBytes(std::string&& bytes) { return Value(std::move(bytes)); }
  static Value Copy(ValueView view) { return Value(std::string(view.bytes())); }

  static Value S(std::string_view text);
  static Value B(std::string_view bytes);
  static Value N(int64_t number);
  static Value N(const Number& number);
  // Errors: the service's number errors.
  static absl::StatusOr<Value> ParseN(std::string_view text,
                                      ValueLayer layer = ValueLayer::kCurrent);
  static Value Bool(bool value);
  static Value Null() { return Value(); }
  static Value L(const std::vector<Value>& elements);
  static Value M(const Item& map);
  // Duplicates are dropped. Requires: at least one member.
  static Value SS(const std::vector<std::string>& members);
  static Value NS(const std::vector<Number>& members);
  static Value BS(const std::vector<std::string>& members);

  ValueView view() const& ABSL_ATTRIBUTE_LIFETIME_BOUND {
    return ValueView::Unchecked(bytes_.get());
  }
  ValueView view() && = delete;
  Type type() const { return static_cast<Type>(bytes_.get()[0]); }
  const std::string& bytes() const& ABSL_ATTRIBUTE_LIFETIME_BOUND { return bytes_.get(); }
  std::string&& bytes() && { return bytes_.take(); }

  friend bool operator==(const Value&, const Value&) = default;

 private:
  explicit Value(std::string&& bytes) : bytes_(std::move(bytes)) {}
  value_internal::OwnedBytes bytes_;
};

// One owned item (or map).
class Item {
 public:
  // The empty item.
  Item();
  // Names in any order; of two equal names the later one stays.
  Item(std::initializer_list<std::pair<std::string_view, Value>> attributes);
  static Item FromBytes(std::string&& bytes) { return Item(std::move(bytes)); }
  static Item Copy(ItemView view) { return Item(std::string(view.bytes())); }

  ItemView view() const& ABSL_ATTRIBUTE_LIFETIME_BOUND { return ItemView::Unchecked(bytes_.get()); }
  ItemView view() && = delete;
  const std::string& bytes() const& ABSL_ATTRIBUTE_LIFETIME_BOUND { return bytes_.get(); }
  std::string&& bytes() && { return bytes_.take(); }
  bool empty() const { return view().empty(); }
  size_t size() const { return view().size(); }

  // The attribute, borrowed from this item; nullopt if absent.
  std::optional<ValueView> Find(std::string_view name) const& ABSL_ATTRIBUTE_LIFETIME_BOUND {
    return view().Find(name);
  }
  std::optional<ValueView> Find(std::string_view name) && = delete;

  // The attributes in the order of their names, borrowed from this item:
  //
  //   for (const auto& [name, value] : item) ...
  ItemView::Iterator begin() const& ABSL_ATTRIBUTE_LIFETIME_BOUND { return view().begin(); }
  ItemView::Iterator end() const& ABSL_ATTRIBUTE_LIFETIME_BOUND { return view().end(); }
  ItemView::Iterator begin() && = delete;
  ItemView::Iterator end() && = delete;

  // The attribute as a C++ value (engine/value/typed_value.h):
  //
  //   absl::StatusOr<int64_t> plays = item.Get<int64_t>("plays");
  //   auto year = item.Get<std::optional<int64_t>>("year");  // nullopt: there is no such attribute
  //
  // Errors: see ItemView::Get. Borrowing types (std::string_view, the views) borrow from this item.
  template <typename T>
  requires(!value_internal::kBorrows<T>) absl::StatusOr<T> Get(std::string_view name)
  const& { return view().Get<T>(name); }
  template <typename T>
  requires value_internal::kBorrows<T> absl::StatusOr<T> Get(std::string_view name)
  const& ABSL_ATTRIBUTE_LIFETIME_BOUND { return view().Get<T>(name); }
  template <typename T>
  requires value_internal::kBorrows<T> absl::StatusOr<T> Get(std::string_view name) && = delete;

  // Adds or replaces an attribute. O(size).
  void Set(std::string_view name, const Value& value);
  void Remove(std::string_view name);

  friend bool operator==(const Item&, const Item&) = default;

 private:
  explicit Item(std::string&& bytes) : bytes_(std::move(bytes)) {}
  value_internal::OwnedBytes bytes_;
};

namespace value_internal {

template <>
struct TypedReader<Value> {
  static absl::StatusOr<Value> Read(ValueView value) { return Value::Copy(value); }
};

template <>
struct TypedReader<Item> {
  static absl::StatusOr<Item> Read(ValueView value) {
    if (const absl::Status status = CheckType(value, Type::kMap); !status.ok()) return status;
    return Item::Copy(value.map());
  }
};

}  // namespace value_internal

// Builds one value or one item from a stream of events, as a JSON reader produces them. Names may
// come in any order; of two equal names the later one stays. Reusable after Finish; keeps its
// memory, so that from the second item on nothing is allocated but the result.
//
// Each byte is copied once into the builder and once into the result, however deep it lies. The
// whole value must stay below 4 GiB.
//
//   ItemBuilder builder;
//   builder.BeginMap();
//   builder.Key("pk");
//   builder.String("user#1");
//   builder.EndMap();
//   Item item = builder.FinishItem();
class ItemBuilder {
 public:
  ItemBuilder();
  ItemBuilder(const ItemBuilder&) = delete;
  ItemBuilder& operator=(const ItemBuilder&) = delete;
  ~ItemBuilder();

  // Each adds one value: the root, the next list element, or the value of the last Key.
  void Null();
  void Bool(bool value);
  void String(std::string_view text);
  void Binary(std::string_view bytes);
  void NumberEncoded(std::string_view encoded);
  // Errors: the service's number errors; then nothing is added.
  absl::Status NumberText(std::string_view text, ValueLayer layer = ValueLayer::kCurrent);
  void Copy(ValueView value);
  // Members in any order, as payloads (for NS: encoded numbers). Requires: not empty, distinct.
  void Set(Type type, const std::vector<std::string_view>& members);
  // The same for members that may repeat: false, and nothing added, if they do. Requires: not
  // empty. The text of the error: engine/value/set_members.h.
  bool SetIfDistinct(Type type, absl::Span<const std::string_view> members);

  void BeginList();
  void EndList();
  void BeginMap();
  // Names the next value of the innermost map.
  void Key(std::string_view name);
  void EndMap();

  // Lists and maps open at the moment.
  int depth() const { return static_cast<int>(frames_.size()); }

  // The finished root. Requires: exactly one value was built, every Begin has its End; for
  // FinishItem it is a map.
  Value FinishValue();
  Item FinishItem();
  // The item without an allocation, valid until the next call of any function of this builder.
  ItemView FinishItemView() ABSL_ATTRIBUTE_LIFETIME_BOUND;
  // Drops a half-built value.
  void Reset();

 private:
  // A name in `arena_`, with its first bytes as a number that orders like them.
  struct Name {
    uint64_t prefix = 0;
    uint32_t begin = 0;
    uint32_t size = 0;
  };
  static constexpr uint32_t kLeaf = UINT32_MAX;
  // A value whose encoded size is known.
  struct Node {
    Name name;
    uint32_t begin = 0;          // of a leaf's bytes in `arena_`
    uint32_t bytes = 0;          // with the tag
    uint32_t container = kLeaf;  // of a list or map: its index in `containers_`
  };
  // A closed list or map; its elements are done_[first_element, first_element + count).
  struct Container {
    uint32_t first_element = 0;
    uint32_t count = 0;
    uint32_t name_bytes = 0;
    uint32_t value_bytes = 0;
    bool is_map = false;
  };
  // A list or map that is open; its elements so far are open_[first_element, end).
  struct Frame {
    Name name;
    uint32_t first_element = 0;
    bool is_map = false;
  };
  // The elements of a sort, instead of nodes.
  struct SortKey {
    uint64_t prefix = 0;
    uint32_t node = 0;  // in `open_`
  };
  // The writer's position within a list or map.
  struct Cursor {
    uint32_t next = 0;
    uint32_t end = 0;
  };

  void AddLeaf(size_t begin);
  void AddSortedSet(Type type);
  void BeginContainer(bool is_map);
  void EndContainer();
  void CloseMapSorted(uint32_t first);
  bool NamesAscend(uint32_t first) const;
  bool NameLess(const SortKey& left, const SortKey& right) const;
  bool NameEquals(const SortKey& left, const SortKey& right) const;
  std::string_view NodeName(const Node& node) const {
    return arena_.View(node.name.begin, node.name.size);
  }
  void WriteRoot(bool with_tag, std::string* out);
  char* WriteHeader(const Container& container, char* at) const;
  bool RootIsMap() const;
  void Clear();
  void BreakView();

  value_internal::ByteArena arena_;    // names and encoded leaves
  std::vector<Node> open_;             // elements of open lists and maps, and at last the root
  std::vector<Node> done_;             // elements of closed ones, each one's side by side
  std::vector<Container> containers_;  // closed ones
  std::vector<Frame> frames_;
  Name key_;  // the name of the next value
  std::vector<SortKey> sort_keys_;
  std::vector<std::string_view> members_;
  std::vector<Cursor> cursors_;
  std::string view_;  // what the Finish…View functions return
};

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_VALUE_ITEM_H_
