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

#include "absl/status/statusor.h"
#include "engine/value/value.h"

namespace dynolith {

class Item;

// One owned attribute value.
class Value {
 public:
  // NULL.
  Value();
  // Takes encoded bytes as they are. Requires: well-formed.
  static Value FromBytes(std::string bytes) { return Value(std::move(bytes)); }
  static Value Copy(ValueView view) { return Value(std::string(view.bytes())); }

  static Value S(std::string_view text);
  static Value B(std::string_view bytes);
  static Value N(int64_t number);
  static Value N(const Number& number);
  // Errors: the service's number errors.
  static absl::StatusOr<Value> ParseN(std::string_view text);
  static Value Bool(bool value);
  static Value Null() { return Value(); }
  static Value L(const std::vector<Value>& elements);
  static Value M(const Item& map);
  // Duplicates are dropped. Requires: at least one member.
  static Value SS(const std::vector<std::string>& members);
  static Value NS(const std::vector<Number>& members);
  static Value BS(const std::vector<std::string>& members);

  ValueView view() const& { return ValueView::Unchecked(bytes_); }
  ValueView view() && = delete;
  Type type() const { return static_cast<Type>(bytes_[0]); }
  const std::string& bytes() const { return bytes_; }

  friend bool operator==(const Value&, const Value&) = default;

 private:
  explicit Value(std::string bytes) : bytes_(std::move(bytes)) {}
  std::string bytes_;
};

// One owned item (or map).
class Item {
 public:
  // The empty item.
  Item();
  Item(std::initializer_list<std::pair<std::string_view, Value>> attributes);
  static Item FromBytes(std::string bytes) { return Item(std::move(bytes)); }
  static Item Copy(ItemView view) { return Item(std::string(view.bytes())); }

  ItemView view() const& { return ItemView::Unchecked(bytes_); }
  ItemView view() && = delete;
  const std::string& bytes() const& { return bytes_; }
  std::string&& bytes() && { return std::move(bytes_); }
  bool empty() const { return view().empty(); }
  size_t size() const { return view().size(); }

  // The attribute, borrowed from this item; nullopt if absent.
  std::optional<ValueView> Find(std::string_view name) const& { return view().Find(name); }
  std::optional<ValueView> Find(std::string_view name) && = delete;
  // Adds or replaces an attribute. O(size).
  void Set(std::string_view name, const Value& value);
  void Remove(std::string_view name);

  friend bool operator==(const Item&, const Item&) = default;

 private:
  explicit Item(std::string bytes) : bytes_(std::move(bytes)) {}
  std::string bytes_;
};

// Builds one value or one item from a stream of events, as a JSON reader produces them. Names may
// come in any order; of two equal names the later one stays. Reusable after Finish; keeps its
// memory.
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
  // Errors: the service's number errors.
  absl::Status NumberText(std::string_view text);
  void Copy(ValueView value);
  // Members in any order, as payloads (for NS: encoded numbers). Requires: not empty, distinct.
  void Set(Type type, std::vector<std::string_view> members);

  void BeginList();
  void EndList();
  void BeginMap();
  // Names the next value of the innermost map.
  void Key(std::string_view name);
  void EndMap();

  // Lists and maps open at the moment.
  int depth() const;

  // The finished root. Requires: exactly one value was built, every Begin has its End; for
  // FinishItem it is a map.
  Value FinishValue();
  Item FinishItem();
  // Forgets a half-built value.
  void Reset();

 private:
  struct Frame;
  std::vector<Frame> frames_;
  std::string root_;
  // The implementation may keep further private state in item.cc's Frame.
};

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_VALUE_ITEM_H_
