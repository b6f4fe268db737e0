// The one reader for untrusted bytes: walks encoded bytes front to back, checks every rule of the
// grammar in value.h, and reports its findings to a visitor. Parse walks with a visitor that
// ignores everything, the dissector with one that prints.
//
// Nesting costs heap, not stack.
#ifndef DYNOLITH_ENGINE_VALUE_BYTE_WALKER_H_
#define DYNOLITH_ENGINE_VALUE_BYTE_WALKER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "absl/container/inlined_vector.h"
#include "engine/value/container_layout.h"
#include "engine/value/directory.h"
#include "engine/value/messages.h"
#include "engine/value/number.h"
#include "engine/value/type.h"

namespace dynolith::value_internal {

struct Damage {
  std::string_view what;  // a kDamage… text of messages.h
  size_t position;
};

// A visitor has
//   void OnTag(size_t begin, size_t depth, Type type);
//   void OnScalar(size_t begin, size_t end, size_t depth, Type type);
//   void OnDirectory(size_t begin, size_t end, size_t depth, Type type, size_t count);
//   void OnName(size_t begin, size_t end, size_t depth);
//   void OnMember(size_t begin, size_t end, size_t depth, Type set_type);
// where [begin, end) are positions in the walked bytes. Everything is reported after its check.
template <typename Visitor>
class ByteWalker {
 public:
  ByteWalker(std::string_view bytes, Visitor* visitor) : bytes_(bytes), visitor_(visitor) {}

  // The first damage, or nullopt for well-formed bytes.
  std::optional<Damage> WalkValue() { return Walk(false); }
  std::optional<Damage> WalkItem() { return Walk(true); }

 private:
  // A list or map whose values are being walked.
  struct Frame {
    size_t directory;  // position of its width byte
    size_t values;     // position of its first value
    size_t count;
    size_t next = 0;  // value to walk next
    bool is_map;
  };

  std::optional<Damage> Walk(bool is_item) {
    if (is_item ? OpenMap(0, bytes_.size()) : CheckValue(0, bytes_.size())) {
      while (!frames_.empty()) {
        Frame& frame = frames_.back();
        if (frame.next == frame.count) {
          frames_.pop_back();
          continue;
        }
        const Directory directory(bytes_.substr(frame.directory));
        const size_t step = frame.is_map ? 2 : 1;
        const size_t begin = frame.next == 0 ? 0 : directory.Slot(step * frame.next);
        const size_t end = directory.Slot(step * (frame.next + 1));
        ++frame.next;
        if (!CheckValue(frame.values + begin, frame.values + end)) break;
      }
    }
    return damage_;
  }

  bool Fail(std::string_view what, size_t position) {
    damage_ = Damage{what, position};
    return false;
  }

  bool CheckValue(size_t begin, size_t end) {
    if (begin == end) return Fail(messages::kDamageNoTag, begin);
    const auto type = static_cast<Type>(bytes_[begin]);
    if (type < Type::kNull || type > Type::kBinarySet) {
      return Fail(messages::kDamageUnknownTag, begin);
    }
    visitor_->OnTag(begin, frames_.size(), type);
    ++begin;
    switch (type) {
      case Type::kList:
        return OpenList(begin, end);
      case Type::kMap:
        return OpenMap(begin, end);
      case Type::kStringSet:
      case Type::kNumberSet:
      case Type::kBinarySet:
        return CheckSet(begin, end, type);
      case Type::kNull:
        if (begin != end) return Fail(messages::kDamageNull, begin);
        return true;
      case Type::kBool:
        if (end - begin != 1 || static_cast<uint8_t>(bytes_[begin]) > 1) {
          return Fail(messages::kDamageBool, begin);
        }
        break;
      case Type::kNumber:
        if (!IsEncodedNumber(bytes_.substr(begin, end - begin))) {
          return Fail(messages::kDamageNumber, begin);
        }
        break;
      case Type::kString:
      case Type::kBinary:
        break;
    }
    visitor_->OnScalar(begin, end, frames_.size(), type);
    return true;
  }

  // Checks a directory of `columns` ends per element, all of them ascending and the last ones
  // filling [begin, end) exactly, in the smallest width.
  bool CheckDirectory(size_t begin, size_t end, size_t columns, Type type, size_t* count) {
    if (begin == end) return Fail(messages::kDamageWidth, begin);
    const auto width = static_cast<uint8_t>(bytes_[begin]);
    if (width != 1 && width != 2 && width != 4) return Fail(messages::kDamageWidth, begin);
    const size_t slots = (end - begin - 1) / width;
    if (slots == 0) return Fail(messages::kDamageDirectory, begin + 1);
    const Directory directory(bytes_.substr(begin, end - begin));
    *count = directory.count();
    if (*count > (slots - 1) / columns) return Fail(messages::kDamageDirectory, begin + 1);
    size_t ends[2] = {0, 0};
    for (size_t i = 0; i < *count; ++i) {
      for (size_t column = 0; column < columns; ++column) {
        const size_t slot = 1 + i * columns + column;
        const size_t next = directory.Slot(slot);
        if (next < ends[column]) return Fail(messages::kDamageEnds, begin + 1 + slot * width);
        ends[column] = next;
      }
    }
    const Layout layout =
        columns == 2 ? MapLayout(*count, ends[0], ends[1]) : SequenceLayout(*count, ends[0]);
    if (layout.width != width) return Fail(messages::kDamageWidthNotSmallest, begin);
    if (layout.total_bytes != end - begin) return Fail(messages::kDamageLength, begin);
    visitor_->OnDirectory(begin, begin + layout.header_bytes, frames_.size(), type, *count);
    return true;
  }

  bool OpenList(size_t begin, size_t end) {
    size_t count = 0;
    if (!CheckDirectory(begin, end, 1, Type::kList, &count)) return false;
    const size_t width = static_cast<uint8_t>(bytes_[begin]);
    frames_.push_back({.directory = begin,
                       .values = begin + 1 + (1 + count) * width,
                       .count = count,
                       .is_map = false});
    return true;
  }

  bool OpenMap(size_t begin, size_t end) {
    size_t count = 0;
    if (!CheckDirectory(begin, end, 2, Type::kMap, &count)) return false;
    const Directory directory(bytes_.substr(begin, end - begin));
    const size_t names = begin + directory.HeaderBytes(1 + 2 * count);
    std::string_view previous;
    size_t name_begin = names;
    for (size_t i = 0; i < count; ++i) {
      const size_t name_end = names + directory.Slot(1 + 2 * i);
      const std::string_view name = bytes_.substr(name_begin, name_end - name_begin);
      if (i > 0 && name <= previous) return Fail(messages::kDamageNameOrder, name_begin);
      visitor_->OnName(name_begin, name_end, frames_.size());
      previous = name;
      name_begin = name_end;
    }
    frames_.push_back({.directory = begin, .values = name_begin, .count = count, .is_map = true});
    return true;
  }

  bool CheckSet(size_t begin, size_t end, Type type) {
    size_t count = 0;
    if (!CheckDirectory(begin, end, 1, type, &count)) return false;
    if (count == 0) return Fail(messages::kDamageEmptySet, begin);
    const Directory directory(bytes_.substr(begin, end - begin));
    const size_t members = begin + directory.HeaderBytes(1 + count);
    std::string_view previous;
    size_t member_begin = members;
    for (size_t i = 0; i < count; ++i) {
      const size_t member_end = members + directory.Slot(1 + i);
      const std::string_view member = bytes_.substr(member_begin, member_end - member_begin);
      if (type == Type::kNumberSet && !IsEncodedNumber(member)) {
        return Fail(messages::kDamageNumber, member_begin);
      }
      if (i > 0 && member <= previous) return Fail(messages::kDamageMemberOrder, member_begin);
      visitor_->OnMember(member_begin, member_end, frames_.size(), type);
      previous = member;
      member_begin = member_end;
    }
    return true;
  }

  std::string_view bytes_;
  Visitor* visitor_;
  std::optional<Damage> damage_;
  absl::InlinedVector<Frame, 4> frames_;
};

}  // namespace dynolith::value_internal

#endif  // DYNOLITH_ENGINE_VALUE_BYTE_WALKER_H_
