#include "engine/value/value.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "absl/container/inlined_vector.h"
#include "engine/base/strings.h"
#include "engine/value/byte_walker.h"
#include "engine/value/messages.h"

namespace dynolith {
namespace {

constexpr std::string_view kEmptyMap("\x01\x00", 2);

// What the service adds to a list or map, and to each of its elements (api/facts/values.md §7).
constexpr size_t kContainerBilledBytes = 3;
constexpr size_t kElementBilledBytes = 1;

struct IgnoreFields {
  void OnTag(size_t, size_t, Type) {}
  void OnScalar(size_t, size_t, size_t, Type) {}
  void OnDirectory(size_t, size_t, size_t, Type, size_t) {}
  void OnName(size_t, size_t, size_t) {}
  void OnMember(size_t, size_t, size_t, Type) {}
};

absl::Status DamagedError(const value_internal::Damage& damage) {
  return absl::DataLossError(ToAbsl(messages::Damaged(damage.what, damage.position)));
}

// Values still to be looked into; the order does not matter.
using Pending = absl::InlinedVector<ValueView, 16>;

size_t BilledBytesOfScalar(ValueView value) {
  switch (value.type()) {
    case Type::kNull:
    case Type::kBool:
      return 1;
    case Type::kNumber:
      return NumberBilledBytes(value.number_bytes());
    default:
      return value.payload().size();
  }
}

size_t BilledBytesOfSet(ValueView value) {
  const SetView set = value.set();
  if (value.type() != Type::kNumberSet) {
    const size_t slots = 1 + set.size();
    return value.payload().size() - 1 - slots * static_cast<uint8_t>(value.payload()[0]);
  }
  size_t bytes = 0;
  for (size_t i = 0; i < set.size(); ++i) bytes += NumberBilledBytes(set[i]);
  return bytes;
}

bool IsContainer(Type type) { return type == Type::kList || type == Type::kMap; }

// Bytes of a value that is no list or map; those are put into `pending` and count as nothing yet.
size_t BilledBytesOrLater(ValueView value, Pending* pending) {
  if (IsSet(value.type())) return BilledBytesOfSet(value);
  if (!IsContainer(value.type())) return BilledBytesOfScalar(value);
  pending->push_back(value);
  return 0;
}

size_t BilledBytesOfPending(Pending* pending) {
  size_t bytes = 0;
  while (!pending->empty()) {
    const ValueView value = pending->back();
    pending->pop_back();
    bytes += kContainerBilledBytes;
    if (value.type() == Type::kList) {
      const ListView list = value.list();
      for (size_t i = 0; i < list.size(); ++i) {
        bytes += kElementBilledBytes + BilledBytesOrLater(list[i], pending);
      }
    } else {
      const ItemView map = value.map();
      for (size_t i = 0; i < map.size(); ++i) {
        bytes +=
            kElementBilledBytes + map.name(i).size() + BilledBytesOrLater(map.value(i), pending);
      }
    }
  }
  return bytes;
}

// The i-th integer of a directory of that width (directory.h), of which pages read very many.
template <size_t kWidth>
size_t Slot(const char* directory, size_t i) {
  size_t value = 0;
  for (size_t byte = 0; byte < kWidth; ++byte) {
    value |= size_t{static_cast<uint8_t>(directory[1 + i * kWidth + byte])} << (8 * byte);
  }
  return value;
}

// All names and values but a tag for each; what few values count otherwise is put right.
template <size_t kWidth>
size_t BilledBytesOfItem(std::string_view item) {
  const char* const directory = item.data();
  const size_t count = Slot<kWidth>(directory, 0);
  if (count == 0) return 0;
  const size_t name_bytes = Slot<kWidth>(directory, 2 * count - 1);
  const char* const values = directory + 1 + (1 + 2 * count) * kWidth + name_bytes;
  size_t bytes = name_bytes + Slot<kWidth>(directory, 2 * count) - count;
  Pending pending;
  for (size_t i = 0, begin = 0; i < count; ++i) {
    const size_t end = Slot<kWidth>(directory, 2 * i + 2);
    const auto type = static_cast<Type>(values[begin]);
    const std::string_view value(values + begin, end - begin);
    begin = end;
    if (type == Type::kString || type == Type::kBinary) continue;
    if (type == Type::kNumber && (value[1] & 0x80) != 0) continue;  // not negative: its bytes
    bytes -= value.size() - 1;
    bytes += BilledBytesOrLater(ValueView::Unchecked(value), &pending);
  }
  return pending.empty() ? bytes : bytes + BilledBytesOfPending(&pending);
}

}  // namespace

absl::StatusOr<ValueView> ValueView::Parse(std::string_view bytes) {
  IgnoreFields ignore;
  const auto damage = value_internal::ByteWalker(bytes, &ignore).WalkValue();
  if (damage) return DamagedError(*damage);
  return ValueView(bytes);
}

absl::StatusOr<ItemView> ItemView::Parse(std::string_view bytes) {
  IgnoreFields ignore;
  const auto damage = value_internal::ByteWalker(bytes, &ignore).WalkItem();
  if (damage) return DamagedError(*damage);
  return ItemView(bytes);
}

ItemView::ItemView() : directory_(kEmptyMap) {}

std::optional<int> CompareScalars(ValueView left, ValueView right) {
  const Type type = left.type();
  if (type != right.type()) return std::nullopt;
  if (!IsOrdered(type)) return std::nullopt;
  const int order = left.payload().compare(right.payload());
  return order < 0 ? -1 : order > 0 ? 1 : 0;
}

bool SetView::Contains(std::string_view member) const {
  size_t low = 0;
  size_t high = size();
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    const int order = (*this)[middle].compare(member);
    if (order == 0) return true;
    if (order < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return false;
}

std::optional<ValueView> ItemView::Find(std::string_view name) const {
  const size_t count = size();
  // Few names are told apart by their lengths and first bytes sooner than by halves of them.
  constexpr size_t kFewNames = 12;
  if (count <= kFewNames && !name.empty()) {
    const char* candidate = bytes().data() + NamesBegin();
    size_t begin = 0;
    for (size_t i = 0; i < count; ++i) {
      const size_t end = directory_.Slot(2 * i + 1);
      const size_t length = end - begin;
      if (length == name.size() && candidate[0] == name[0] &&
          std::memcmp(candidate, name.data(), length) == 0) {
        return value(i);
      }
      candidate += length;
      begin = end;
    }
    return std::nullopt;
  }
  const char* const names = bytes().data() + NamesBegin();
  const auto name_begin = [&](size_t i) { return i == 0 ? 0 : directory_.Slot(2 * i - 1); };
  size_t low = 0;
  size_t high = count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    const size_t begin = name_begin(middle);
    const std::string_view candidate(names + begin, directory_.Slot(2 * middle + 1) - begin);
    const int order = candidate.compare(name);
    if (order == 0) return value(middle);
    if (order < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return std::nullopt;
}

size_t BilledBytes(ValueView value) {
  Pending pending;
  const size_t bytes = BilledBytesOrLater(value, &pending);
  return bytes + BilledBytesOfPending(&pending);
}

size_t BilledBytes(ItemView item) {
  switch (item.bytes()[0]) {
    case 1:
      return BilledBytesOfItem<1>(item.bytes());
    case 2:
      return BilledBytesOfItem<2>(item.bytes());
    default:
      return BilledBytesOfItem<4>(item.bytes());
  }
}

int NestingDepth(ValueView value) {
  struct Container {
    ValueView value;
    int depth;
  };
  absl::InlinedVector<Container, 16> pending;
  int deepest = 0;
  const auto look_at = [&](ValueView candidate, int depth) {
    if (!IsContainer(candidate.type())) return;
    deepest = std::max(deepest, depth);
    pending.push_back({candidate, depth});
  };
  look_at(value, 1);
  while (!pending.empty()) {
    const Container container = pending.back();
    pending.pop_back();
    if (container.value.type() == Type::kList) {
      const ListView list = container.value.list();
      for (size_t i = 0; i < list.size(); ++i) look_at(list[i], container.depth + 1);
    } else {
      const ItemView map = container.value.map();
      for (size_t i = 0; i < map.size(); ++i) look_at(map.value(i), container.depth + 1);
    }
  }
  return deepest;
}

}  // namespace dynolith
