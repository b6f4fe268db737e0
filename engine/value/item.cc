#include "engine/value/item.h"

#include <algorithm>
#include <array>
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

char TagOf(Type type) { return static_cast<char>(type); }

std::string Tagged(Type type, std::string_view payload) {
  std::string bytes;
  bytes.reserve(1 + payload.size());
  bytes.push_back(TagOf(type));
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
  bytes[0] = TagOf(type);
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

Attributes AttributesOf(ItemView item) {
  Attributes attributes;
  attributes.reserve(item.size() + 1);
  for (size_t i = 0; i < item.size(); ++i) {
    attributes.push_back({item.name(i), item.value(i).bytes()});
  }
  return attributes;
}

bool NameIsLess(const Attribute& attribute, std::string_view name) { return attribute.name < name; }

// The first eight bytes, so that comparing two of them mostly decides the order of two names.
uint64_t PrefixOf(std::string_view name) {
  std::array<char, 8> bytes{};
  std::memcpy(bytes.data(), name.data(), std::min(name.size(), bytes.size()));
  uint64_t prefix = 0;
  for (const char byte : bytes) prefix = prefix << 8 | static_cast<uint8_t>(byte);
  return prefix;
}

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

Item::Item(std::initializer_list<std::pair<std::string_view, Value>> attributes) : Item() {
  Attributes sorted;
  for (const auto& [name, value] : attributes) {
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
  Attributes attributes = AttributesOf(view());
  const auto at = std::lower_bound(attributes.begin(), attributes.end(), name, NameIsLess);
  if (at != attributes.end() && at->name == name) {
    at->value = value.bytes();
  } else {
    attributes.insert(at, {name, value.bytes()});
  }
  bytes_ = value_internal::OwnedBytes(MapBytes(attributes));
}

void Item::Remove(std::string_view name) {
  Attributes attributes = AttributesOf(view());
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

// Appends tag and room for the payload to the arena; returns where the payload goes. The caller
// fills it and calls AddLeaf.
char* ItemBuilder::BeginLeaf(Type type, size_t payload_bytes) {
  const size_t begin = arena_.size();
  arena_.resize(begin + 1 + payload_bytes);
  arena_[begin] = TagOf(type);
  return arena_.data() + begin + 1;
}

// Makes a node of the arena's bytes from `begin` on.
void ItemBuilder::AddLeaf(uint32_t begin) {
  if (frames_.empty()) BreakView();
  Node& node = open_.emplace_back();
  node.name = key_;
  node.begin = begin;
  node.bytes = static_cast<uint32_t>(arena_.size()) - begin;
}

void ItemBuilder::Null() {
  const auto begin = static_cast<uint32_t>(arena_.size());
  arena_.push_back(TagOf(Type::kNull));
  AddLeaf(begin);
}

void ItemBuilder::Bool(bool value) {
  const auto begin = static_cast<uint32_t>(arena_.size());
  arena_.push_back(TagOf(Type::kBool));
  arena_.push_back(value ? 1 : 0);
  AddLeaf(begin);
}

void ItemBuilder::String(std::string_view text) {
  const auto begin = static_cast<uint32_t>(arena_.size());
  arena_.push_back(TagOf(Type::kString));
  arena_.append(text);
  AddLeaf(begin);
}

void ItemBuilder::Binary(std::string_view bytes) {
  const auto begin = static_cast<uint32_t>(arena_.size());
  arena_.push_back(TagOf(Type::kBinary));
  arena_.append(bytes);
  AddLeaf(begin);
}

void ItemBuilder::NumberEncoded(std::string_view encoded) {
  const auto begin = static_cast<uint32_t>(arena_.size());
  arena_.push_back(TagOf(Type::kNumber));
  arena_.append(encoded);
  AddLeaf(begin);
}

absl::Status ItemBuilder::NumberText(std::string_view text, ValueLayer layer) {
  const absl::StatusOr<NumberBytes> encoded = EncodeNumber(text, layer);
  if (!encoded.ok()) return encoded.status();
  NumberEncoded(encoded->view());
  return absl::OkStatus();
}

void ItemBuilder::Copy(ValueView value) {
  const auto begin = static_cast<uint32_t>(arena_.size());
  arena_.append(value.bytes());
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
  AddSet(type, members_);
  return true;
}

void ItemBuilder::AddSet(Type type, const std::vector<std::string_view>& sorted) {
  size_t member_bytes = 0;
  for (const std::string_view member : sorted) member_bytes += member.size();
  const Layout layout = SequenceLayout(sorted.size(), member_bytes);
  const auto begin = static_cast<uint32_t>(arena_.size());
  char* const payload = BeginLeaf(type, layout.total_bytes);
  DirectoryWriter directory(payload, layout.width, sorted.size());
  char* at = payload + layout.header_bytes;
  const char* const first = at;
  for (const std::string_view member : sorted) {
    at = WriteBytes(member, at);
    directory.Add(static_cast<size_t>(at - first));
  }
  AddLeaf(begin);
}

void ItemBuilder::BeginList() { BeginContainer(Type::kList, false); }
void ItemBuilder::EndList() { EndContainer(); }
void ItemBuilder::BeginMap() { BeginContainer(Type::kMap, true); }
void ItemBuilder::EndMap() { EndContainer(); }

void ItemBuilder::BeginContainer(Type type, bool is_map) {
  if (frames_.empty()) BreakView();
  // The tag in the arena gives the container a place in the order of arrival.
  frames_.push_back({.name = key_,
                     .begin = static_cast<uint32_t>(arena_.size()),
                     .first_element = static_cast<uint32_t>(open_.size()),
                     .is_map = is_map});
  arena_.push_back(TagOf(type));
  key_ = Name();
}

void ItemBuilder::Key(std::string_view name) {
  key_.prefix = PrefixOf(name);
  key_.begin = static_cast<uint32_t>(arena_.size());
  key_.size = static_cast<uint32_t>(name.size());
  arena_.append(name);
}

bool ItemBuilder::NameLess(const Node& left, const Node& right) const {
  if (left.name.prefix != right.name.prefix) return left.name.prefix < right.name.prefix;
  return NameOf(left) < NameOf(right);
}

bool ItemBuilder::NameEquals(const Node& left, const Node& right) const {
  return left.name.prefix == right.name.prefix && NameOf(left) == NameOf(right);
}

// Sorts open_[first, end) by name and of equal names keeps the one that came last.
void ItemBuilder::SortByName(uint32_t first) {
  const auto begin = open_.begin() + first;
  const auto ascends = [this](const Node& left, const Node& right) {
    return NameLess(left, right);
  };
  bool is_strict = true;
  for (auto at = begin; at != open_.end() && at + 1 != open_.end(); ++at) {
    if (!ascends(*at, *(at + 1))) {
      is_strict = false;
      break;
    }
  }
  if (is_strict) return;
  std::sort(begin, open_.end(), [this](const Node& left, const Node& right) {
    if (NameLess(left, right)) return true;
    return NameEquals(left, right) && left.begin < right.begin;
  });
  auto kept = begin;
  for (auto at = begin; at != open_.end(); ++at) {
    if (at + 1 != open_.end() && NameEquals(*at, *(at + 1))) continue;
    *kept++ = *at;
  }
  open_.erase(kept, open_.end());
}

void ItemBuilder::EndContainer() {
  const Frame frame = frames_.back();
  frames_.pop_back();
  if (frame.is_map) SortByName(frame.first_element);
  Node node;
  node.name = frame.name;
  node.begin = frame.begin;
  node.is_container = true;
  node.is_map = frame.is_map;
  node.first_element = static_cast<uint32_t>(done_.size());
  node.count = static_cast<uint32_t>(open_.size()) - frame.first_element;
  for (size_t i = frame.first_element; i < open_.size(); ++i) {
    node.name_bytes += open_[i].name.size;
    node.value_bytes += open_[i].bytes;
  }
  const Layout layout = frame.is_map ? MapLayout(node.count, node.name_bytes, node.value_bytes)
                                     : SequenceLayout(node.count, node.value_bytes);
  node.bytes = static_cast<uint32_t>(1 + layout.total_bytes);
  done_.insert(done_.end(), open_.begin() + frame.first_element, open_.end());
  open_.resize(frame.first_element);
  open_.push_back(node);
}

// Writes a container's directory and names; returns where its values go.
char* ItemBuilder::WriteHeader(const Node& node, char* at) const {
  const Node* const elements = done_.data() + node.first_element;
  const Layout layout = node.is_map ? MapLayout(node.count, node.name_bytes, node.value_bytes)
                                    : SequenceLayout(node.count, node.value_bytes);
  DirectoryWriter directory(at, layout.width, node.count);
  at += layout.header_bytes;
  size_t name_end = 0;
  size_t value_end = 0;
  for (uint32_t i = 0; i < node.count; ++i) {
    if (node.is_map) {
      at = WriteBytes(NameOf(elements[i]), at);
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
  if (!root.is_container) {
    const size_t skip = with_tag ? 0 : 1;
    out->assign(arena_, root.begin + skip, root.bytes - skip);
    Clear();
    return;
  }
  out->resize(root.bytes - (with_tag ? 0 : 1));
  char* at = out->data();
  if (with_tag) *at++ = arena_[root.begin];
  at = WriteHeader(root, at);
  cursors_.assign(1, {root.first_element, root.first_element + root.count});
  while (!cursors_.empty()) {
    Cursor& cursor = cursors_.back();
    if (cursor.next == cursor.end) {
      cursors_.pop_back();
      continue;
    }
    const Node& node = done_[cursor.next++];
    if (!node.is_container) {
      at = WriteBytes({arena_.data() + node.begin, node.bytes}, at);
      continue;
    }
    *at++ = arena_[node.begin];
    at = WriteHeader(node, at);
    cursors_.push_back({node.first_element, node.first_element + node.count});
  }
  assert(at == out->data() + out->size());
  Clear();
}

Value ItemBuilder::FinishValue() {
  std::string bytes;
  WriteRoot(true, &bytes);
  return Value::FromBytes(std::move(bytes));
}

Item ItemBuilder::FinishItem() {
  assert(open_.size() == 1 && arena_[open_.front().begin] == TagOf(Type::kMap));
  std::string bytes;
  WriteRoot(false, &bytes);
  return Item::FromBytes(std::move(bytes));
}

ValueView ItemBuilder::FinishValueView() {
  WriteRoot(true, &view_);
  return ValueView::Unchecked(view_);
}

ItemView ItemBuilder::FinishItemView() {
  assert(open_.size() == 1 && arena_[open_.front().begin] == TagOf(Type::kMap));
  WriteRoot(false, &view_);
  return ItemView::Unchecked(view_);
}

void ItemBuilder::Reset() {
  BreakView();
  Clear();
}

void ItemBuilder::Clear() {
  arena_.clear();
  open_.clear();
  done_.clear();
  frames_.clear();
  key_ = Name();
}

}  // namespace dynolith
