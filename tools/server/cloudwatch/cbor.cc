#include "tools/server/cloudwatch/cbor.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

namespace dynolith::cloudwatch {
namespace {

constexpr int kDepthMax = 32;

// The upper three bits of an item's first byte.
enum Major : uint8_t {
  kUnsigned = 0,
  kNegative = 1,
  kBytes = 2,
  kText = 3,
  kArray = 4,
  kMap = 5,
  kTag = 6,
  kSimple = 7
};
// The lower five bits: the value itself, or where it is.
constexpr uint8_t kOneByte = 24;
constexpr uint8_t kEightBytes = 27;
constexpr uint8_t kIndefinite = 31;
constexpr uint8_t kBreak = 0xff;
constexpr uint8_t kFalse = 20;
constexpr uint8_t kTrue = 21;
constexpr uint8_t kNull = 22;
constexpr uint8_t kUndefined = 23;
constexpr uint8_t kHalf = 25;
constexpr uint8_t kSingle = 26;
constexpr uint8_t kDouble = 27;
constexpr uint64_t kEpochTag = 1;

double HalfToDouble(uint16_t half) {
  const int exponent = (half >> 10) & 0x1f;
  const int fraction = half & 0x3ff;
  double value = 0;
  if (exponent == 0) {
    value = std::ldexp(fraction, -24);
  } else if (exponent == 31) {
    value = fraction == 0 ? std::numeric_limits<double>::infinity()
                          : std::numeric_limits<double>::quiet_NaN();
  } else {
    value = std::ldexp(fraction + 1024, exponent - 25);
  }
  return (half & 0x8000) != 0 ? -value : value;
}

class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}

  bool is_done() const { return rest_.empty(); }

  std::optional<Value> Read(int depth) {
    if (rest_.empty() || depth > kDepthMax || ++items_ > kItemsMax) return std::nullopt;
    const auto first = static_cast<uint8_t>(rest_.front());
    rest_.remove_prefix(1);
    const auto major = static_cast<Major>(first >> 5);
    const uint8_t info = first & 0x1f;
    if (major == kSimple) return ReadSimple(info);
    if (info == kIndefinite) return ReadIndefinite(major, depth);
    const std::optional<uint64_t> argument = ReadArgument(info);
    if (!argument) return std::nullopt;
    switch (major) {
      case kUnsigned:
        return Whole(*argument, /*is_negative=*/false);
      case kNegative:
        return Whole(*argument, /*is_negative=*/true);
      case kBytes:
      case kText:
        return ReadText(*argument);
      case kArray:
      case kMap:
        return ReadMany(major, *argument, depth);
      case kTag:
        return ReadTagged(*argument, depth);
      case kSimple:
        break;
    }
    return std::nullopt;
  }

 private:
  std::optional<uint64_t> ReadArgument(uint8_t info) {
    if (info < kOneByte) return info;
    if (info > kEightBytes) return std::nullopt;
    return ReadBigEndian(size_t{1} << (info - kOneByte));
  }
  std::optional<uint64_t> ReadBigEndian(size_t size) {
    if (rest_.size() < size) return std::nullopt;
    uint64_t value = 0;
    for (const char byte : rest_.substr(0, size)) value = value << 8 | static_cast<uint8_t>(byte);
    rest_.remove_prefix(size);
    return value;
  }

  static Value Whole(uint64_t argument, bool is_negative) {
    if (argument <= static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
      const auto whole = static_cast<int64_t>(argument);
      return Value::Integer(is_negative ? -1 - whole : whole);
    }
    const auto large = static_cast<double>(argument);
    return Value::Number(is_negative ? -1 - large : large);
  }

  std::optional<Value> ReadText(uint64_t size) {
    if (rest_.size() < size) return std::nullopt;
    Value text = Value::Text(rest_.substr(0, size));
    rest_.remove_prefix(size);
    return text;
  }

  std::optional<Value> ReadSimple(uint8_t info) {
    switch (info) {
      case kFalse:
        return Value::Bool(false);
      case kTrue:
        return Value::Bool(true);
      case kNull:
      case kUndefined:
        return Value();
      case kHalf:
      case kSingle:
      case kDouble:
        break;
      default:
        return std::nullopt;
    }
    const std::optional<uint64_t> bits = ReadArgument(info);
    if (!bits) return std::nullopt;
    if (info == kHalf) return Value::Number(HalfToDouble(static_cast<uint16_t>(*bits)));
    if (info == kSingle) {
      return Value::Number(std::bit_cast<float>(static_cast<uint32_t>(*bits)));
    }
    return Value::Number(std::bit_cast<double>(*bits));
  }

  std::optional<Value> ReadTagged(uint64_t tag, int depth) {
    std::optional<Value> value = Read(depth + 1);
    if (!value || tag != kEpochTag) return value;
    if (value->kind == Value::Kind::kText) return std::nullopt;
    const std::optional<absl::Time> time = value->AsTime();
    return time ? std::optional<Value>(Value::Time(*time)) : std::nullopt;
  }

  bool ReadInto(Major major, int depth, Value* many) {
    std::optional<Value> first = Read(depth + 1);
    if (!first) return false;
    if (major == kArray) {
      many->elements.push_back(*std::move(first));
      return true;
    }
    std::optional<Value> value = Read(depth + 1);
    if (!value || first->kind != Value::Kind::kText) return false;
    many->Set(first->text, *std::move(value));
    return true;
  }

  std::optional<Value> ReadMany(Major major, uint64_t count, int depth) {
    // Each has at least one byte.
    if (count > rest_.size()) return std::nullopt;
    Value many = major == kArray ? Value::List() : Value::Structure();
    for (uint64_t i = 0; i < count; ++i) {
      if (!ReadInto(major, depth, &many)) return std::nullopt;
    }
    return many;
  }

  bool TakeBreak() {
    if (rest_.empty() || static_cast<uint8_t>(rest_.front()) != kBreak) return false;
    rest_.remove_prefix(1);
    return true;
  }

  std::optional<Value> ReadIndefinite(Major major, int depth) {
    if (major == kBytes || major == kText) {
      Value whole = Value::Text("");
      while (!TakeBreak()) {
        // Its pieces are of the same kind, and not indefinite themselves.
        if (rest_.empty()) return std::nullopt;
        const auto first = static_cast<uint8_t>(rest_.front());
        if (first >> 5 != major || (first & 0x1f) == kIndefinite) return std::nullopt;
        const std::optional<Value> piece = Read(depth + 1);
        if (!piece) return std::nullopt;
        whole.text += piece->text;
      }
      return whole;
    }
    if (major != kArray && major != kMap) return std::nullopt;
    Value many = major == kArray ? Value::List() : Value::Structure();
    while (!TakeBreak()) {
      if (!ReadInto(major, depth, &many)) return std::nullopt;
    }
    return many;
  }

  std::string_view rest_;
  int items_ = 0;
};

void AppendHead(Major major, uint64_t argument, std::string* bytes) {
  const auto first = static_cast<uint8_t>(major << 5);
  if (argument < kOneByte) {
    bytes->push_back(static_cast<char>(first | argument));
    return;
  }
  const int power = argument <= 0xff ? 0 : argument <= 0xffff ? 1 : argument <= 0xffffffff ? 2 : 3;
  bytes->push_back(static_cast<char>(first | (kOneByte + power)));
  for (int shift = (8 << power) - 8; shift >= 0; shift -= 8) {
    bytes->push_back(static_cast<char>(argument >> shift));
  }
}

void AppendSimple(uint8_t info, std::string* bytes) {
  bytes->push_back(static_cast<char>(kSimple << 5 | info));
}

void AppendDouble(double number, std::string* bytes) {
  AppendSimple(kDouble, bytes);
  const auto bits = std::bit_cast<uint64_t>(number);
  for (int shift = 56; shift >= 0; shift -= 8) bytes->push_back(static_cast<char>(bits >> shift));
}

void AppendText(std::string_view text, std::string* bytes) {
  AppendHead(kText, text.size(), bytes);
  bytes->append(text);
}

}  // namespace

std::optional<Value> ParseCbor(std::string_view bytes) {
  Reader reader(bytes);
  std::optional<Value> value = reader.Read(0);
  if (!reader.is_done()) return std::nullopt;
  return value;
}

void AppendCbor(const Value& value, std::string* bytes) {
  switch (value.kind) {
    case Value::Kind::kNull:
      return AppendSimple(kNull, bytes);
    case Value::Kind::kBool:
      return AppendSimple(value.flag ? kTrue : kFalse, bytes);
    case Value::Kind::kInteger:
      if (value.integer >= 0)
        return AppendHead(kUnsigned, static_cast<uint64_t>(value.integer), bytes);
      return AppendHead(kNegative, static_cast<uint64_t>(-1 - value.integer), bytes);
    case Value::Kind::kNumber:
      return AppendDouble(value.number, bytes);
    case Value::Kind::kText:
      return AppendText(value.text, bytes);
    case Value::Kind::kTime:
      AppendHead(kTag, kEpochTag, bytes);
      return AppendDouble(static_cast<double>(absl::ToUnixMillis(value.time)) / 1000, bytes);
    case Value::Kind::kList:
      AppendHead(kArray, value.elements.size(), bytes);
      for (const Value& element : value.elements) AppendCbor(element, bytes);
      return;
    case Value::Kind::kStructure:
      break;
  }
  AppendHead(kMap, value.members.size(), bytes);
  for (const Value::Member& member : value.members) {
    AppendText(member.name, bytes);
    AppendCbor(member.value, bytes);
  }
}

}  // namespace dynolith::cloudwatch
