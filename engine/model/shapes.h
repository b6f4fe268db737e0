// The service model as tables: the members of each structure, in the service's order, and the
// bounds of each. Generated from model.txt at build time.
#ifndef DYNOLITH_ENGINE_MODEL_SHAPES_H_
#define DYNOLITH_ENGINE_MODEL_SHAPES_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

#include "absl/types/span.h"

namespace dynolith {

enum class ShapeKind : uint8_t {
  kString,
  kEnum,
  kInteger,
  kLong,
  kDouble,
  kBoolean,
  kTimestamp,
  kBlob,
  kList,
  kMap,
  kStructure,
};

inline constexpr int64_t kNoBound = std::numeric_limits<int64_t>::min();
inline constexpr uint16_t kNoShape = 0xffff;
inline constexpr uint16_t kNoPattern = 0xffff;
// No structure has more members.
inline constexpr size_t kShapeMembersMax = 40;

// A set of characters.
struct CharacterClass {
  uint64_t low;   // which of the characters 0 to 63
  uint64_t high;  // 64 to 127
  bool beyond;    // all others, byte by byte

  bool Has(char c) const {
    const auto code = static_cast<unsigned char>(c);
    if (code > 127) return beyond;
    return ((code < 64 ? low : high) >> (code % 64) & 1) != 0;
  }
};

// One class of characters, their number, and the classes of the first and the last.
struct Pattern {
  std::string_view text;  // as messages print it
  CharacterClass all;
  CharacterClass ends;  // part of `all`
  int64_t min;
  int64_t max;       // or kNoBound
  int64_t multiple;  // of this many
};

struct ShapeMember {
  std::string_view name;
  uint16_t shape;
  bool required;
  // Its absence is reported before all constraints, by name (api/facts/operations.md §1.3).
  bool named;
  // A broken minimum (or either bound) that is the request's only violation is reported in the
  // newer form, which does not repeat the value (api/facts/wire.md §9).
  bool short_minimum;
  bool short_form;
  // Messages print the value as JSON instead of as Java does.
  bool json_dump;
  // Its content is checked only if nothing before it is wrong.
  bool later;
  // The set printed when the member's enumeration is the only violation, `alone_for` with the
  // member's name; empty: the usual form.
  bool alone_for;
  std::string_view alone_enum;
};

struct Shape {
  std::string_view name;
  ShapeKind kind;
  bool accepts_arn;  // a table name; of an ARN, only the length is checked
  bool characters;   // min and max count Unicode characters instead of bytes
  bool constrained;  // a value of this shape, or something inside, can break a constraint
  bool one_word;     // of several wrong words, if nothing else is wrong, the first is reported
  bool newer_first;  // a violation with a newer form is reported alone, unless a member is missing
  bool bare_words;   // the newer form of a wrong word is reported bare
  int64_t min;       // length or value, or kNoBound
  int64_t max;
  uint16_t pattern;
  uint16_t element;  // of a list or map
  uint16_t key;      // of a map
  uint16_t first;    // into the members or the enumeration's values
  uint16_t count;
  uint16_t first_order;

  absl::Span<const ShapeMember> members() const;
  // Indexes into members(), in the order in which constraints are reported.
  absl::Span<const uint8_t> order() const;
  absl::Span<const std::string_view> values() const;
  // The member's index, -1 if there is none. O(members).
  int FindMember(std::string_view member_name) const;
};

enum class Service : uint8_t { kDynamo, kStreams };

struct OperationShape {
  std::string_view name;
  Service service;
  uint16_t input;   // or kNoShape
  uint16_t output;  // or kNoShape
};

namespace model_internal {
// The beginning of the tables.
extern const Shape* const kFirstShape;
extern const ShapeMember* const kFirstMember;
}  // namespace model_internal

inline absl::Span<const ShapeMember> Shape::members() const {
  if (kind != ShapeKind::kStructure) return {};
  return {model_internal::kFirstMember + first, count};
}

inline const Shape& ShapeAt(uint16_t index) { return model_internal::kFirstShape[index]; }
uint16_t ShapeIndex(const Shape& shape);
const Pattern& PatternAt(uint16_t index);
absl::Span<const OperationShape> AllOperations();
// nullptr if the service has no such operation.
const OperationShape* FindOperation(Service service, std::string_view name);

bool Matches(const Pattern& pattern, std::string_view text);

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_MODEL_SHAPES_H_
