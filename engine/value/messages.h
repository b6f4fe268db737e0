// The texts about attribute values, numbers and sizes (api/facts/values.md §1-§8), and about
// damaged encoded bytes.
#ifndef DYNOLITH_ENGINE_VALUE_MESSAGES_H_
#define DYNOLITH_ENGINE_VALUE_MESSAGES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/strings.h"
#include "engine/value/type.h"

namespace dynolith {

// Which of the service's two validation layers words a message: PutItem, UpdateItem and DeleteItem
// answer from the current one, everything else from the older one (api/facts/wire.md §9).
enum class ValueLayer : uint8_t { kCurrent, kOlder };

}  // namespace dynolith

namespace dynolith::messages {

// --- The shape of one value (§1) ---

// Also of a WriteRequest that is not either a put or a delete: the service has the same words.
inline std::string ValueHasSeveralTypes() {
  return "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the "
         "supported datatypes";
}

// --- Numbers (§2) ---

inline std::string NotANumber(std::string_view text, ValueLayer layer = ValueLayer::kCurrent) {
  const std::string_view sentence = "The parameter cannot be converted to a numeric value";
  if (text.empty() && layer == ValueLayer::kOlder) return std::string(sentence);
  return Concat(sentence, ": ", text);
}
inline std::string NumberOverflow() {
  return "Number overflow. Attempting to store a number with magnitude larger than supported range";
}
inline std::string NumberUnderflow() {
  return "Number underflow. Attempting to store a number with magnitude smaller than supported "
         "range";
}
inline std::string NumberTooPrecise() {
  return "Attempting to store more than 38 significant digits in a Number";
}

// --- Empty values (§3) ---

// `set_type` is SS, NS or BS.
inline std::string EmptySet(Type set_type) {
  const std::string_view name = TypeName(set_type);
  return Concat("One or more parameter values were invalid: ",
                name == "SS"   ? "An string set  may not be empty"
                : name == "NS" ? "An number set  may not be empty"
                               : "Binary sets should not be empty");
}
inline std::string EmptyAttributeName() { return "Empty attribute name"; }

// --- Duplicates in sets (§5) ---

namespace values_internal {
inline std::string Join(const std::vector<std::string_view>& members, std::string_view quote,
                        std::string_view separator) {
  std::string text;
  for (size_t i = 0; i < members.size(); ++i) {
    if (i > 0) text.append(separator);
    text.append(quote).append(members[i]).append(quote);
  }
  return text;
}
}  // namespace values_internal

// `members` are the texts in the order to print (engine/value/set_members.h): strings for SS,
// base64 for BS; NS prints none.
inline std::string DuplicateMembers(Type set_type, ValueLayer layer,
                                    const std::vector<std::string_view>& members) {
  const std::string_view name = TypeName(set_type);
  const bool current = layer == ValueLayer::kCurrent;
  const std::string_view prefix = "One or more parameter values were invalid: ";
  if (name == "NS") {
    return current ? Concat(prefix, "Input collection contains duplicates.")
                   : std::string("Input collection contains duplicates");
  }
  const bool binary = name == "BS";
  return Concat(prefix, "Input collection [",
                values_internal::Join(members, current ? "\"" : "", current && binary ? "," : ", "),
                binary ? "]of type BS contains duplicates." : "] contains duplicates.");
}

// --- Nesting and size (§6, §7) ---

inline std::string NestingTooDeep() {
  return "Nesting Levels have exceeded supported limits: Attributes in the item have nested levels "
         "beyond supported limit";
}
inline std::string ItemTooLarge() { return "Item size has exceeded the maximum allowed size"; }

// --- Keys (§8) ---

inline std::string PartitionKeyTooLong() {
  return "One or more parameter values were invalid: Size of hashkey has exceeded the maximum size "
         "limit of2048 bytes";
}
inline std::string SortKeyTooLong() {
  return "One or more parameter values were invalid: Aggregated size of all range keys has "
         "exceeded the size limit of 1024 bytes";
}

// --- Values read as C++ types ---

inline std::string NoAttribute(std::string_view name) {
  return Concat("there is no attribute ", name);
}
inline std::string OfAttribute(std::string_view name, std::string_view what) {
  return Concat("attribute ", name, ": ", what);
}
inline std::string OfElement(size_t position, std::string_view what) {
  return Concat("element ", position, ": ", what);
}
// `wanted` is one type's name or several.
inline std::string ValueOfOtherType(std::string_view wanted, std::string_view actual) {
  return Concat("the value is of type ", actual, ", not ", wanted);
}
inline std::string NumberDoesNotFit(std::string_view number, std::string_view least,
                                    std::string_view greatest) {
  return Concat("the number ", number, " is no integer from ", least, " to ", greatest);
}

// --- Damaged bytes ---

// What can be wrong with encoded bytes; worded for `dynolith dissect` and for data-loss errors.
inline constexpr std::string_view kDamageNoTag = "no type tag";
inline constexpr std::string_view kDamageUnknownTag = "unknown type tag";
inline constexpr std::string_view kDamageNull = "bytes behind NULL";
inline constexpr std::string_view kDamageBool = "BOOL is not one byte 0 or 1";
inline constexpr std::string_view kDamageNumber = "not a canonical encoded number";
inline constexpr std::string_view kDamageWidth = "offset width is not 1, 2 or 4";
inline constexpr std::string_view kDamageWidthNotSmallest = "offset width is not the smallest";
inline constexpr std::string_view kDamageDirectory = "directory is cut off";
inline constexpr std::string_view kDamageEnds = "offsets do not ascend";
inline constexpr std::string_view kDamageLength = "offsets do not end where the bytes end";
inline constexpr std::string_view kDamageEmptySet = "empty set";
inline constexpr std::string_view kDamageMemberOrder = "set members are not sorted and distinct";
inline constexpr std::string_view kDamageNameOrder = "names are not sorted and distinct";
inline std::string DissectedContainer(std::string_view type, size_t count, size_t width) {
  return Concat(type, " of ", count, ", offsets of ", width, width == 1 ? " byte" : " bytes");
}
inline std::string DissectedName(std::string_view name) { return Concat("name ", name); }
inline std::string DissectedEnd() { return "end"; }

inline std::string Damaged(std::string_view damage, size_t position) {
  return Concat("damaged bytes: ", damage, " at byte ", position);
}

}  // namespace dynolith::messages

#endif  // DYNOLITH_ENGINE_VALUE_MESSAGES_H_
