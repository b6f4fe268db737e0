#include "engine/value/item.h"

#include <algorithm>
#include <cassert>
#include <cstring>

#include "absl/container/inlined_vector.h"
#include "engine/value/container_layout.h"

namespace dynolith {
namespace {

using value_internal::DirectoryWriter;
using value_internal::Layout;
using value_internal::MapLayout;
using value_internal::SequenceLayout;
using value_internal::WriteBytes;

char TypeTag(Type type) { return static_cast<char>(type); }

std::string Tagged(Type type, std::string_view payload) {
  std::string bytes;
  bytes.reserve(1 + payload.size());
  bytes.push_back(TypeTag(type));
  bytes.append(payload);
  return bytes;
}

// One attribute of a map to be written.
struct Attribute {
  std::string_view name;
  std::string_view value;
};
using Attributes = absl::InlinedVector<Attribute, 16>;

// Requires: sorted by name, distinct.
std::string MapBytes(const Attributes& attributes) {
  size_t name_bytes = 0;
  size_t value_bytes = 0;
  for (const Attribute& attribute : attributes) {
    name_bytes += attribute.name.size();
    value_bytes += attribute.value.size();
  }
  const Layout layout = MapLayout(attributes.size(), name_bytes, value_bytes);
  std::string bytes(layout.total_bytes, '\0');
  DirectoryWriter directory(bytes.data(), layout.width, attributes.size());
  char* name_at = bytes.data() + layout.header_bytes;
  char* value_at = name_at + name_bytes;
  const char* const names = name_at;
  const char* const values = value_at;
  for (const Attribute& attribute : attributes) {
    name_at = WriteBytes(attribute.name, name_at);
    value_at = WriteBytes(attribute.value, value_at);
    directory.Add(static_cast<size_t>(name_at - names));
    directory.Add(static_cast<size_t>(value_at - values));
  }
  return bytes;
}

// The bytes of a list or set, with its tag.
template <typename Elements>
std::string SequenceBytes(Type type, const Elements& elements) {
  size_t element_bytes = 0;
  for (const std::string_view element : elements) element_bytes += element.size();
  const Layout layout = SequenceLayout(elements.size(), element_bytes);
  std::string bytes(1 + layout.total_bytes, '\0');
  bytes[0] = TypeTag(type);
  DirectoryWriter directory(bytes.data() + 1, layout.width, elements.size());
  char* at = bytes.data() + 1 + layout.header_bytes;
  const char* const first = at;
  for (const std::string_view element : elements) {
    at = WriteBytes(element, at);
    directory.Add(static_cast<size_t>(at - first));
  }
  return bytes;
}

// Requires: at least one member. Drops duplicates.
std::string SetBytes(Type type, std::vector<std::string_view> members) {
  assert(!members.empty());
  std::sort(members.begin(), members.end());
  members.erase(std::unique(members.begin(), members.end()), members.end());
  return SequenceBytes(type, members);
}

Attributes ListAttributes(ItemView item) {
  Attributes attributes;
  attributes.reserve(item.size() + 1);
  for (size_t i = 0; i < item.size(); ++i) {
    attributes.push_back({item.name(i), item.value(i).bytes()});
  }
  return attributes;
}

bool NameIsLess(const Attribute& attribute, std::string_view name) { return attribute.name < name; }

}  // namespace

namespace value_internal {

void OwnedBytes::Scribble(std::string* bytes) {
  // Not a tag, not a width, and as a size far too large. Volatile: nobody is meant to read it.
  constexpr char kScribble = static_cast<char>(0xdd);
  volatile char* at = bytes->data();
  for (size_t i = 0; i < bytes->size(); ++i) at[i] = kScribble;
}

}  // namespace value_internal

Value::Value() : Value(Tagged(Type::kNull, {})) {}

Value Value::S(std::string_view text) { return Value(Tagged(Type::kString, text)); }
Value Value::B(std::string_view bytes) { return Value(Tagged(Type::kBinary, bytes)); }
Value Value::N(int64_t number) { return N(Number::FromInt64(number)); }
Value Value::N(const Number& number) {
  const NumberBytes encoded = number.Encode();
  return Value(Tagged(Type::kNumber, encoded.view()));
}

absl::StatusOr<Value> Value::ParseN(std::string_view text, ValueLayer layer) {
  const absl::StatusOr<NumberBytes> encoded = EncodeNumber(text, layer);
  if (!encoded.ok()) return encoded.status();
  return Value(Tagged(Type::kNumber, encoded->view()));
}

Value Value::Bool(bool value) {
  return Value(Tagged(Type::kBool, value ? "\1" : std::string_view("\0", 1)));
}

Value Value::L(const std::vector<Value>& elements) {
  std::vector<std::string_view> bytes;
  bytes.reserve(elements.size());
  for (const Value& element : elements) bytes.push_back(element.bytes());
  return Value(SequenceBytes(Type::kList, bytes));
}

Value Value::M(const Item& map) { return Value(Tagged(Type::kMap, map.bytes())); }

Value Value::SS(const std::vector<std::string>& members) {
  return Value(SetBytes(Type::kStringSet, {members.begin(), members.end()}));
}

Value Value::NS(const std::vector<Number>& members) {
  std::vector<NumberBytes> encoded;
  encoded.reserve(members.size());
  for (const Number& member : members) encoded.push_back(member.Encode());
  std::vector<std::string_view> views;
  views.reserve(encoded.size());
  for (const NumberBytes& member : encoded) views.push_back(member.view());
  return Value(SetBytes(Type::kNumberSet, std::move(views)));
}

Value Value::BS(const std::vector<std::string>& members) {
  return Value(SetBytes(Type::kBinarySet, {members.begin(), members.end()}));
}

Item::Item() : Item(std::string(ItemView().bytes())) {}

Item::Item(std::initializer_list<std::pair<std::string_view, Value>> attributes)
    : bytes_(std::string()) {
  Attributes sorted;
  for (const auto& [name, value] : attributes) {
    if (sorted.empty() || sorted.back().name < name) {
      sorted.push_back({name, value.bytes()});
      continue;
    }
    const auto at = std::lower_bound(sorted.begin(), sorted.end(), name, NameIsLess);
    if (at != sorted.end() && at->name == name) {
      at->value = value.bytes();
    } else {
      sorted.insert(at, {name, value.bytes()});
    }
  }
  bytes_ = value_internal::OwnedBytes(MapBytes(sorted));
}

void Item::Set(std::string_view name, const Value& value) {
  Attributes attributes = ListAttributes(view());
  const auto at = std::lower_bound(attributes.begin(), attributes.end(), name, NameIsLess);
  if (at != attributes.end() && at->name == name) {
    at->value = value.bytes();
  } else {
    attributes.insert(at, {name, value.bytes()});
  }
  bytes_ = value_internal::OwnedBytes(MapBytes(attributes));
}

void Item::Remove(std::string_view name) {
  Attributes attributes = ListAttributes(view());
  const auto at = std::lower_bound(attributes.begin(), attributes.end(), name, NameIsLess);
  if (at == attributes.end() || at->name != name) return;
  attributes.erase(at);
  bytes_ = value_internal::OwnedBytes(MapBytes(attributes));
}

ItemBuilder::ItemBuilder() = default;

ItemBuilder::~ItemBuilder() { BreakView(); }

// Ends the life of the last Finish…View.
void ItemBuilder::BreakView() {
#ifndef NDEBUG
  value_internal::OwnedBytes::Scribble(&view_);
#endif
}

// Makes a node of the arena's bytes from `begin` on.
void ItemBuilder::AddLeaf(size_t begin) {
  if (frames_.empty()) BreakView();
  open_.push_back({.name = key_,
                   .begin = static_cast<uint32_t>(begin),
                   .bytes = static_cast<uint32_t>(arena_.size() - begin)});
}

void ItemBuilder::Null() {
  const size_t begin = arena_.size();
  *arena_.Extend(1) = TypeTag(Type::kNull);
  AddLeaf(begin);
}

void ItemBuilder::Bool(bool value) {
  const size_t begin = arena_.size();
  char* const at = arena_.Extend(2);
  at[0] = TypeTag(Type::kBool);
  at[1] = value ? 1 : 0;
  AddLeaf(begin);
}

void ItemBuilder::String(std::string_view text) {
  const size_t begin = arena_.size();
  arena_.Append(TypeTag(Type::kString), text);
  AddLeaf(begin);
}

void ItemBuilder::Binary(std::string_view bytes) {
  const size_t begin = arena_.size();
  arena_.Append(TypeTag(Type::kBinary), bytes);
  AddLeaf(begin);
}

void ItemBuilder::NumberEncoded(std::string_view encoded) {
  const size_t begin = arena_.size();
  arena_.Append(TypeTag(Type::kNumber), encoded);
  AddLeaf(begin);
}

absl::Status ItemBuilder::NumberText(std::string_view text, ValueLayer layer) {
  const absl::StatusOr<NumberBytes> encoded = EncodeNumber(text, layer);
  if (!encoded.ok()) return encoded.status();
  NumberEncoded(encoded->view());
  return absl::OkStatus();
}

void ItemBuilder::Copy(ValueView value) {
  const size_t begin = arena_.size();
  arena_.Append(value.bytes());
  AddLeaf(begin);
}

void ItemBuilder::Set(Type type, const std::vector<std::string_view>& members) {
  const bool is_distinct = SetIfDistinct(type, members);
  assert(is_distinct);
  static_cast<void>(is_distinct);
}

bool ItemBuilder::SetIfDistinct(Type type, absl::Span<const std::string_view> members) {
  assert(IsSet(type) && !members.empty());
  members_.assign(members.begin(), members.end());
  if (!std::is_sorted(members_.begin(), members_.end())) {
    std::sort(members_.begin(), members_.end());
  }
  if (std::adjacent_find(members_.begin(), members_.end()) != members_.end()) return false;
  AddSortedSet(type);
  return true;
}

// Adds `members_` as a set.
void ItemBuilder::AddSortedSet(Type type) {
  size_t member_bytes = 0;
  for (const std::string_view member : members_) member_bytes += member.size();
  const Layout layout = SequenceLayout(members_.size(), member_bytes);
  const size_t begin = arena_.size();
  char* const tag = arena_.Extend(1 + layout.total_bytes);
  *tag = TypeTag(type);
  DirectoryWriter directory(tag + 1, layout.width, members_.size());
  char* at = tag + 1 + layout.header_bytes;
  const char* const first = at;
  for (const std::string_view member : members_) {
    at = WriteBytes(member, at);
    directory.Add(static_cast<size_t>(at - first));
  }
  AddLeaf(begin);
}

void ItemBuilder::BeginList() { BeginContainer(false); }
void ItemBuilder::EndList() { EndContainer(); }
void ItemBuilder::BeginMap() { BeginContainer(true); }
void ItemBuilder::EndMap() { EndContainer(); }

void ItemBuilder::BeginContainer(bool is_map) {
  if (frames_.empty()) BreakView();
  frames_.push_back(
      {.name = key_, .first_element = static_cast<uint32_t>(open_.size()), .is_map = is_map});
  key_ = Name();
}

void ItemBuilder::Key(std::string_view name) {
  key_.prefix = value_internal::OrderingPrefix(name);
  key_.begin = static_cast<uint32_t>(arena_.size());
  key_.size = static_cast<uint32_t>(name.size());
  arena_.Append(name);
}

bool ItemBuilder::NameLess(const SortKey& left, const SortKey& right) const {
  if (left.prefix != right.prefix) return left.prefix < right.prefix;
  return NodeName(open_[left.node]) < NodeName(open_[right.node]);
}

bool ItemBuilder::NameEquals(const SortKey& left, const SortKey& right) const {
  return left.prefix == right.prefix && NodeName(open_[left.node]) == NodeName(open_[right.node]);
}

// Whether open_[first, end) is sorted and distinct as it came.
bool ItemBuilder::NamesAscend(uint32_t first) const {
  for (size_t i = first + size_t{1}; i < open_.size(); ++i) {
    const Node& left = open_[i - 1];
    const Node& right = open_[i];
    if (left.name.prefix < right.name.prefix) continue;
    if (left.name.prefix > right.name.prefix || NodeName(left) >= NodeName(right)) return false;
  }
  return true;
}

// Moves open_[first, end) to `done_` by name; of equal names only the one that came last.
void ItemBuilder::CloseMapSorted(uint32_t first) {
  sort_keys_.clear();
  for (uint32_t i = first; i < open_.size(); ++i) {
    sort_keys_.push_back({open_[i].name.prefix, i});
  }
  // Up to some twenty attributes insertion beats std::sort. It keeps equal names in order.
  constexpr size_t kInsertionsMax = 24;
  if (sort_keys_.size() <= kInsertionsMax) {
    for (size_t i = 1; i < sort_keys_.size(); ++i) {
      const SortKey key = sort_keys_[i];
      size_t at = i;
      for (; at > 0 && NameLess(key, sort_keys_[at - 1]); --at) sort_keys_[at] = sort_keys_[at - 1];
      sort_keys_[at] = key;
    }
  } else {
    std::sort(sort_keys_.begin(), sort_keys_.end(),
              [this](const SortKey& left, const SortKey& right) {
                if (NameLess(left, right)) return true;
                return left.node < right.node && NameEquals(left, right);
              });
  }
  for (size_t i = 0; i < sort_keys_.size(); ++i) {
    if (i + 1 < sort_keys_.size() && NameEquals(sort_keys_[i], sort_keys_[i + 1])) continue;
    done_.push_back(open_[sort_keys_[i].node]);
  }
}

void ItemBuilder::EndContainer() {
  const Frame frame = frames_.back();
  frames_.pop_back();
  Container container;
  container.is_map = frame.is_map;
  container.first_element = static_cast<uint32_t>(done_.size());
  if (frame.is_map && !NamesAscend(frame.first_element)) {
    CloseMapSorted(frame.first_element);
  } else {
    done_.insert(done_.end(), open_.begin() + frame.first_element, open_.end());
  }
  open_.resize(frame.first_element);
  container.count = static_cast<uint32_t>(done_.size()) - container.first_element;
  for (size_t i = container.first_element; i < done_.size(); ++i) {
    container.name_bytes += done_[i].name.size;
    container.value_bytes += done_[i].bytes;
  }
  const Layout layout =
      frame.is_map ? MapLayout(container.count, container.name_bytes, container.value_bytes)
                   : SequenceLayout(container.count, container.value_bytes);
  open_.push_back({.name = frame.name,
                   .bytes = static_cast<uint32_t>(1 + layout.total_bytes),
                   .container = static_cast<uint32_t>(containers_.size())});
  containers_.push_back(container);
}

// Writes a container's directory and names; returns where its values go.
char* ItemBuilder::WriteHeader(const Container& container, char* at) const {
  const Node* const elements = done_.data() + container.first_element;
  const Layout layout =
      container.is_map ? MapLayout(container.count, container.name_bytes, container.value_bytes)
                       : SequenceLayout(container.count, container.value_bytes);
  DirectoryWriter directory(at, layout.width, container.count);
  at += layout.header_bytes;
  size_t name_end = 0;
  size_t value_end = 0;
  for (uint32_t i = 0; i < container.count; ++i) {
    if (container.is_map) {
      at = WriteBytes(NodeName(elements[i]), at);
      name_end += elements[i].name.size;
      directory.Add(name_end);
    }
    value_end += elements[i].bytes;
    directory.Add(value_end);
  }
  return at;
}

// Writes the root front to back: every container's directory and names, then its values one after
// the other, descending into containers with `cursors_` as the stack.
void ItemBuilder::WriteRoot(bool with_tag, std::string* out) {
  assert(frames_.empty() && open_.size() == 1);
  const Node root = open_.front();
  const size_t skip = with_tag ? 0 : 1;
  if (root.container == kLeaf) {
    out->assign(arena_.View(root.begin + skip, root.bytes - skip));
    Clear();
    return;
  }
  out->resize(root.bytes - skip);
  char* at = out->data();
  const auto write_container = [&](const Container& container, bool has_tag) {
    if (has_tag) *at++ = TypeTag(container.is_map ? Type::kMap : Type::kList);
    at = WriteHeader(container, at);
    cursors_.push_back({container.first_element, container.first_element + container.count});
  };
  cursors_.clear();
  write_container(containers_[root.container], with_tag);
  while (!cursors_.empty()) {
    Cursor& cursor = cursors_.back();
    if (cursor.next == cursor.end) {
      cursors_.pop_back();
      continue;
    }
    const Node& node = done_[cursor.next++];
    if (node.container == kLeaf) {
      at = WriteBytes(arena_.View(node.begin, node.bytes), at);
    } else {
      write_container(containers_[node.container], true);
    }
  }
  assert(at == out->data() + out->size());
  Clear();
}

// Whether the root may be finished as an item.
bool ItemBuilder::RootIsMap() const {
  if (open_.size() != 1) return false;
  const Node& root = open_.front();
  return root.container == kLeaf ? arena_.View(root.begin, 1)[0] == TypeTag(Type::kMap)
                                 : containers_[root.container].is_map;
}

Value ItemBuilder::FinishValue() {
  std::string bytes;
  WriteRoot(true, &bytes);
  return Value::FromBytes(std::move(bytes));
}

Item ItemBuilder::FinishItem() {
  assert(RootIsMap());
  std::string bytes;
  WriteRoot(false, &bytes);
  return Item::FromBytes(std::move(bytes));
}

ItemView ItemBuilder::FinishItemView() {
  assert(RootIsMap());
  WriteRoot(false, &view_);
  return ItemView::Unchecked(view_);
}

void ItemBuilder::Reset() {
  BreakView();
  Clear();
}

void ItemBuilder::Clear() {
  arena_.Clear();
  open_.clear();
  done_.clear();
  containers_.clear();
  frames_.clear();
  key_ = Name();
}

}  // namespace dynolith
