#include "engine/value/dissect.h"

#include <algorithm>
#include <optional>

#include "absl/container/inlined_vector.h"
#include "absl/strings/escaping.h"
#include "engine/base/hex.h"
#include "engine/base/strings.h"
#include "engine/value/byte_walker.h"
#include "engine/value/messages.h"

namespace dynolith {
namespace {

std::string Quoted(std::string_view text) {
  return Concat('"', absl::Utf8SafeCEscape(ToAbsl(text)), '"');
}

// A name is bare if that cannot be mistaken for anything else.
std::string NameText(std::string_view name) {
  const bool is_plain = !name.empty() && std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.' || c == '#';
  });
  return is_plain ? std::string(name) : Quoted(name);
}

// A payload of S, N or B, or a set's member of SS, NS or BS.
std::string PayloadText(Type type, std::string_view payload) {
  switch (type) {
    case Type::kNumber:
    case Type::kNumberSet: {
      std::string text;
      AppendNumberText(payload, &text);
      return text;
    }
    case Type::kBinary:
    case Type::kBinarySet:
      return Concat("0x", Hex(payload));
    default:
      return Quoted(payload);
  }
}

std::string ScalarText(Type type, std::string_view payload) {
  if (type == Type::kNull) return std::string(TypeName(type));
  if (type == Type::kBool) {
    return Concat(TypeName(type), payload[0] != 0 ? " true" : " false");
  }
  return Concat(TypeName(type), " ", PayloadText(type, payload));
}

// Prints what the walker finds, one line each, indented by depth.
class FieldPrinter {
 public:
  explicit FieldPrinter(std::string_view bytes) : bytes_(bytes) {}

  void OnTag(size_t begin, size_t depth, Type type) {
    Line(begin, begin + 1, depth, TypeName(type));
  }
  void OnScalar(size_t begin, size_t end, size_t depth, Type type) {
    Line(begin, end, depth, ScalarText(type, bytes_.substr(begin, end - begin)));
  }
  void OnDirectory(size_t begin, size_t end, size_t depth, Type type, size_t count) {
    const auto width = static_cast<uint8_t>(bytes_[begin]);
    Line(begin, end, depth, messages::DissectedContainer(TypeName(type), count, width));
  }
  void OnName(size_t begin, size_t end, size_t depth) {
    Line(begin, end, depth, messages::DissectedName(NameText(bytes_.substr(begin, end - begin))));
  }
  void OnMember(size_t begin, size_t end, size_t depth, Type set_type) {
    Line(begin, end, depth, PayloadText(set_type, bytes_.substr(begin, end - begin)));
  }
  std::string Finish(const std::optional<value_internal::Damage>& damage) {
    if (damage) {
      const size_t position = std::min(damage->position, bytes_.size());
      Line(position, bytes_.size(), 0, messages::Damaged(damage->what, damage->position));
    } else {
      Line(bytes_.size(), bytes_.size(), 0, messages::DissectedEnd());
    }
    return std::move(text_);
  }

 private:
  void Line(size_t begin, size_t end, size_t depth, std::string_view meaning) {
    // Deep data stays readable and its dissection linear.
    constexpr size_t kIndentMax = 32;
    text_.append(Concat(begin, ": ")).append(2 * std::min(depth, kIndentMax), ' ');
    text_.append(Hex(bytes_.substr(begin, end - begin)));
    if (begin != end) text_.push_back(' ');
    text_.append(meaning).push_back('\n');
  }

  std::string_view bytes_;
  std::string text_;
};

// Writes one value at a time; lists and maps are kept open on a stack of its own.
class DebugPrinter {
 public:
  void OpenMap(ItemView map) {
    text_.push_back('{');
    open_.push_back({.map = map, .count = map.size()});
  }
  std::string Finish() {
    while (!open_.empty()) {
      Frame& frame = open_.back();
      if (frame.next == frame.count) {
        text_.push_back(frame.list ? ']' : '}');
        open_.pop_back();
        continue;
      }
      const size_t i = frame.next++;
      if (i > 0) text_.append(", ");
      if (frame.list) {
        Add((*frame.list)[i]);
      } else {
        text_.append(NameText(frame.map.name(i))).append(": ");
        Add(frame.map.value(i));
      }
    }
    return std::move(text_);
  }
  void Add(ValueView value) {
    const Type type = value.type();
    if (type == Type::kList) {
      text_.append("L [");
      const ListView list = value.list();
      open_.push_back({.list = list, .count = list.size()});
    } else if (type == Type::kMap) {
      text_.append("M ");
      OpenMap(value.map());
    } else if (IsSet(type)) {
      AddSet(value);
    } else {
      text_.append(ScalarText(type, value.payload()));
    }
  }

 private:
  struct Frame {
    std::optional<ListView> list;
    ItemView map;
    size_t next = 0;
    size_t count = 0;
  };

  void AddSet(ValueView value) {
    const SetView set = value.set();
    text_.append(TypeName(value.type())).append(" {");
    for (size_t i = 0; i < set.size(); ++i) {
      if (i > 0) text_.append(", ");
      text_.append(PayloadText(value.type(), set[i]));
    }
    text_.push_back('}');
  }

  std::string text_;
  absl::InlinedVector<Frame, 4> open_;
};

}  // namespace

std::string DissectItem(std::string_view bytes) {
  FieldPrinter printer(bytes);
  return printer.Finish(value_internal::ByteWalker(bytes, &printer).WalkItem());
}

std::string DissectValue(std::string_view bytes) {
  FieldPrinter printer(bytes);
  return printer.Finish(value_internal::ByteWalker(bytes, &printer).WalkValue());
}

std::string DebugString(ValueView value) {
  DebugPrinter printer;
  printer.Add(value);
  return printer.Finish();
}

std::string DebugString(ItemView item) {
  DebugPrinter printer;
  printer.OpenMap(item);
  return printer.Finish();
}

}  // namespace dynolith
