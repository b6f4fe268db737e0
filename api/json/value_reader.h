// JSON attribute values -> encoded values and items, in one pass and in the order of arrival.
#ifndef DYNOLITH_API_JSON_VALUE_READER_H_
#define DYNOLITH_API_JSON_VALUE_READER_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "api/json/fields.h"
#include "engine/base/limits.h"
#include "engine/value/item.h"
#include "engine/value/messages.h"
#include "engine/value/number.h"

namespace dynolith {

struct ValueReaderOptions {
  ValueLayer layer = ValueLayer::kCurrent;
  // Whether ReadExpressionValues accepts values nested one level too deep to be stored. The actions
  // of a transaction may have such, as long as no item gets them (api/facts/values.md §6).
  bool takes_deep_expression_values = false;
  // Whether an exponent that does not fit 32 bits makes a text an invalid number: parameters of
  // statements.
  bool refuses_wide_exponents = false;
};

// Reads the attribute values of one request. A value that the service refuses does not stop the
// reading: the first violation goes to `violation` (if that is still OK), and the value reads as
// NULL. Not thread-safe; uses a builder of the thread, so one reader at a time. All require
// CheckTypes.
class ValueReader {
 public:
  explicit ValueReader(const ValueReaderOptions& options);

  // Frees the memory that the readers of this thread keep. Requires: none is reading.
  static void ReleaseThreadMemory();

  // A map of attribute values: Item, Key. If its lists have more than kItemBytesMax elements only
  // so many are kept: it is still larger than an item may be.
  Item ReadItem(JsonValue map, absl::Status* violation);
  Item ReadStartKey(JsonValue map, absl::Status* violation);
  // Here, a value with so many elements is a violation.
  Item ReadExpressionValues(JsonValue map, absl::Status* violation);
  Value ReadValue(JsonValue value, absl::Status* violation);
  // A list of attribute values.
  std::vector<Value> ReadValues(JsonValue list, absl::Status* violation);

  // Whether a value was nested so deep that single writes answer in legacy wording.
  bool needs_legacy_wording() const { return needs_legacy_wording_; }

 private:
  // The violations of the values read so far, in the order in which they are reported.
  struct Findings {
    std::string
        violation;  // of the first invalid value, unless one was too deep before it; or empty
    std::string_view violation_name;
    bool empty_top_name = false;
    bool too_deep = false;
    std::string_view deep_name;  // of the first value that is
    bool empty_nested_name = false;
    bool long_nested_name = false;

    bool empty() const {
      return violation.empty() && !empty_top_name && !too_deep && !empty_nested_name &&
             !long_nested_name;
    }
  };

  Item ReadMap(JsonValue map, Findings* found);
  static std::string TextOfFindings(const Findings& found);
  // Keeps the first violation; one that the service's model forbids has its own envelope already.
  static void Report(const Findings& found, std::string_view message, absl::Status* violation);

  // Each adds one value to the builder; `depth` counts the lists and maps around it.
  void Add(JsonValue value, int depth);
  void AddMember(int member, JsonValue value, int depth);
  void AddSeveral(const Fields& fields, int depth);
  // Notes the violation of an invalid number.
  absl::StatusOr<NumberBytes> ReadNumber(std::string_view text);
  void AddNumber(std::string_view text);
  void AddBinary(std::string_view base64);
  void AddBoolean(JsonValue value);
  void AddNullType(JsonValue value);
  void AddList(JsonArray list, int depth);
  void AddMap(JsonObject map, int depth);
  void StopBuilding();
  void AddStringSet(JsonArray list);
  void AddNumberSet(JsonArray list);
  void AddBinarySet(JsonArray list);
  void AddNull();

  // The texts of a set's members; a violation and empty if there are none or one is null.
  std::vector<std::string_view> ReadTexts(Type type, JsonArray list);
  // Adds the set, or reports its duplicates. `texts` are the members as sent, `payloads` as stored.
  void AddSet(Type type, const std::vector<std::string_view>& texts,
              const std::vector<std::string_view>& payloads);
  void NoteViolation(std::string_view message);
  // For a list or map inside of `depth` others.
  void FindTooDeep(int depth);

  const ValueLayer layer_;
  const bool takes_deep_;
  const bool refuses_wide_exponents_;
  int depth_max_ = kNestingDepthMax;
  size_t elements_ = 0;  // of lists, so far: in the item, or in the one value
  bool needs_legacy_wording_ = false;
  bool is_item_ = true;  // what is being read, or part of one
  ItemBuilder* const thread_builder_;
  // nullptr while values are only checked.
  ItemBuilder* builder_;
  Findings* found_ = nullptr;
  std::string_view top_name_;
};

}  // namespace dynolith

#endif  // DYNOLITH_API_JSON_VALUE_READER_H_
