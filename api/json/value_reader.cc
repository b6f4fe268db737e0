#include "api/json/value_reader.h"

#include <limits>
#include <memory>
#include <utility>

#include "absl/strings/escaping.h"
#include "api/json/messages.h"
#include "engine/base/errors.h"
#include "engine/base/limits.h"
#include "engine/base/strings.h"
#include "engine/model/members.h"
#include "engine/model/messages.h"
#include "engine/value/messages.h"
#include "engine/value/number_exponent.h"
#include "engine/value/set_members.h"

namespace dynolith {
namespace {

namespace av = members::AttributeValue;

// Keeps its memory between the requests of a thread.
std::unique_ptr<ItemBuilder>& ThreadBuilder() {
  thread_local std::unique_ptr<ItemBuilder> builder;
  if (builder == nullptr) builder = std::make_unique<ItemBuilder>();
  return builder;
}

// Members in the order in which a value with several of them is checked (api/facts/values.md §1).
constexpr int kCheckOrder[] = {av::kS,  av::kB,  av::kBOOL, av::kN, av::kNULL,
                               av::kSS, av::kNS, av::kBS,   av::kM, av::kL};

// The member of a value that has this name; less than 0: none. Nearly all have one letter.
int FindTypeMember(std::string_view name) {
  if (name == "S") return av::kS;
  if (name == "N") return av::kN;
  return ShapeAt(av::kShape).FindMember(name);
}

// Payloads of a set, one after the other in one string.
class Payloads {
 public:
  void Add(std::string_view payload) {
    bytes_.append(payload);
    ends_.push_back(bytes_.size());
  }
  std::vector<std::string_view> Views() const {
    std::vector<std::string_view> views;
    views.reserve(ends_.size());
    size_t begin = 0;
    for (const size_t end : ends_) {
      views.push_back(std::string_view(bytes_).substr(begin, end - begin));
      begin = end;
    }
    return views;
  }

 private:
  std::string bytes_;
  std::vector<size_t> ends_;
};

// Which violations of a start key are not called violations of the start key (api/facts/values.md
// §1).
bool IsReportedPlainly(std::string_view message) {
  for (const std::string_view part : {"contains duplicates", "An number set", "numeric value",
                                      "significant digits", "magnitude"}) {
    if (message.find(part) != std::string_view::npos) return true;
  }
  return false;
}

}  // namespace

ValueReader::ValueReader(const ValueReaderOptions& options)
    : layer_(options.layer),
      takes_deep_(options.takes_deep_expression_values),
      refuses_wide_exponents_(options.refuses_wide_exponents),
      thread_builder_(ThreadBuilder().get()),
      builder_(thread_builder_) {}

void ValueReader::ReleaseThreadMemory() { ThreadBuilder().reset(); }

Item ValueReader::ReadItem(JsonValue map, absl::Status* violation) {
  Findings found;
  Item item = ReadMap(map, &found);
  if (!found.empty()) Report(found, TextOfFindings(found), violation);
  return item;
}

Item ValueReader::ReadStartKey(JsonValue map, absl::Status* violation) {
  Findings found;
  Item item = ReadMap(map, &found);
  std::string message = TextOfFindings(found);
  if (!message.empty() && !IsReportedPlainly(message)) {
    message = messages::StartKeyValueInvalid(message);
  }
  Report(found, message, violation);
  return item;
}

Item ValueReader::ReadExpressionValues(JsonValue map, absl::Status* violation) {
  Findings found;
  if (takes_deep_) depth_max_ = kTransactionValueDepthMax;
  // They are no item together.
  is_item_ = false;
  Item item = ReadMap(map, &found);
  is_item_ = true;
  depth_max_ = kNestingDepthMax;
  // An empty placeholder name is the placeholders' own error, not that of a value.
  found.empty_top_name = false;
  std::string message = TextOfFindings(found);
  if (!message.empty() && layer_ == ValueLayer::kOlder) {
    message = messages::ExpressionValueInvalid(
        message, found.violation.empty() ? found.deep_name : found.violation_name);
  }
  Report(found, message, violation);
  return item;
}

Value ValueReader::ReadValue(JsonValue value, absl::Status* violation) {
  Findings found;
  found_ = &found;
  elements_ = 0;
  builder_->Reset();
  is_item_ = false;
  Add(value, 0);
  is_item_ = true;
  Report(found, TextOfFindings(found), violation);
  return builder_->FinishValue();
}

std::vector<Value> ValueReader::ReadValues(JsonValue list, absl::Status* violation) {
  std::vector<Value> values;
  for (const JsonValue value : AsArray(list)) values.push_back(ReadValue(value, violation));
  return values;
}

Item ValueReader::ReadMap(JsonValue map, Findings* found) {
  found_ = found;
  elements_ = 0;
  builder_->Reset();
  builder_->BeginMap();
  for (const auto field : AsObject(map)) {
    if (!is_item_) elements_ = 0;
    top_name_ = field.key;
    if (field.key.empty()) found->empty_top_name = true;
    builder_->Key(field.key);
    Add(field.value, 0);
  }
  builder_->EndMap();
  return builder_->FinishItem();
}

std::string ValueReader::TextOfFindings(const Findings& found) {
  if (!found.violation.empty()) return found.violation;
  if (found.empty_top_name) return messages::EmptyAttributeName();
  if (found.too_deep) return messages::NestingTooDeep();
  if (found.empty_nested_name) return messages::EmptyAttributeName();
  return "";
}

void ValueReader::Report(const Findings& found, std::string_view message, absl::Status* violation) {
  if (!violation->ok()) return;
  if (found.long_nested_name) {
    *violation = Enveloped(ValidationError(messages::AnonymousConstraintFailure(
        messages::MapKeysMust(messages::MustHaveLength(false, kAttributeNameBytesMax)))));
  } else if (!message.empty()) {
    *violation = ValidationError(message);
  }
}

void ValueReader::NoteViolation(std::string_view message) {
  if (!found_->violation.empty() || found_->too_deep) return;
  found_->violation = std::string(message);
  found_->violation_name = top_name_;
}

void ValueReader::FindTooDeep(int depth) {
  needs_legacy_wording_ |= depth >= kCurrentWordingDepthMax;
  if (found_->too_deep) return;
  found_->too_deep = true;
  found_->deep_name = top_name_;
}

void ValueReader::AddNull() {
  if (builder_ != nullptr) builder_->Null();
}

void ValueReader::Add(JsonValue value, int depth) {
  if (value.is_null()) {
    NoteViolation(messages::ValueEmpty());
    return AddNull();
  }
  const JsonObject object = AsObject(value);
  if (object.size() == 1) {
    const auto field = *object.begin();
    const int member = FindTypeMember(field.key);
    if (member >= 0 && !field.value.is_null()) return AddMember(member, field.value, depth);
  }
  AddSeveral(Fields(ShapeAt(av::kShape), object), depth);
}

void ValueReader::AddSeveral(const Fields& fields, int depth) {
  int count = 0;
  int last = 0;
  for (const int member : kCheckOrder) {
    if (!fields.Has(member)) continue;
    ++count;
    last = member;
  }
  if (count == 1) return AddMember(last, *fields.Find(last), depth);
  if (count == 0) {
    NoteViolation(messages::ValueEmpty());
    return AddNull();
  }
  ItemBuilder* const builder = std::exchange(builder_, nullptr);
  for (const int member : kCheckOrder) {
    if (fields.Has(member)) AddMember(member, *fields.Find(member), depth);
  }
  builder_ = builder;
  NoteViolation(messages::ValueHasSeveralTypes());
  AddNull();
}

void ValueReader::AddMember(int member, JsonValue value, int depth) {
  switch (member) {
    case av::kS:
      if (builder_ != nullptr) builder_->String(AsText(value));
      return;
    case av::kN:
      return AddNumber(AsText(value));
    case av::kB:
      return AddBinary(AsText(value));
    case av::kSS:
      return AddStringSet(AsArray(value));
    case av::kNS:
      return AddNumberSet(AsArray(value));
    case av::kBS:
      return AddBinarySet(AsArray(value));
    case av::kM:
      return AddMap(AsObject(value), depth);
    case av::kL:
      return AddList(AsArray(value), depth);
    case av::kNULL:
      return AddNullType(value);
    default:
      return AddBoolean(value);
  }
}

absl::StatusOr<NumberBytes> ValueReader::ReadNumber(std::string_view text) {
  absl::StatusOr<NumberBytes> number = EncodeNumber(text, layer_);
  if (refuses_wide_exponents_ && HasWideExponent(text)) {
    number = ValidationError(messages::NotANumber(text));
  }
  if (!number.ok()) NoteViolation(MessageOf(number.status()));
  return number;
}

void ValueReader::AddNumber(std::string_view text) {
  const absl::StatusOr<NumberBytes> number = ReadNumber(text);
  if (!number.ok()) return AddNull();
  if (builder_ != nullptr) builder_->NumberEncoded(number->view());
}

void ValueReader::AddBinary(std::string_view base64) {
  if (builder_ == nullptr) return;
  std::string bytes;
  absl::Base64Unescape(ToAbsl(base64), &bytes);
  builder_->Binary(bytes);
}

void ValueReader::AddBoolean(JsonValue value) {
  if (builder_ == nullptr) return;
  builder_->Bool(value.is_bool() ? value.get_bool().value_unsafe()
                                 : ParseBooleanText(AsText(value)).value_or(false));
}

void ValueReader::AddNullType(JsonValue value) {
  const bool is_true = value.is_bool() ? value.get_bool().value_unsafe()
                                       : ParseBooleanText(AsText(value)).value_or(false);
  if (!is_true) NoteViolation(messages::NullNotTrue());
  AddNull();
}

void ValueReader::AddList(JsonArray list, int depth) {
  ItemBuilder* const builder = builder_;
  if (depth >= depth_max_) {
    FindTooDeep(depth);
    builder_ = nullptr;
  }
  ItemBuilder* const built = builder_;
  if (built != nullptr) built->BeginList();
  for (const JsonValue element : list) {
    if (++elements_ > kItemBytesMax) StopBuilding();
    Add(element, depth + 1);
  }
  if (built != nullptr) {
    builder_ = built;
    return built->EndList();
  }
  builder_ = builder;
  AddNull();
}

// A value with so many elements is larger than any item, so the rest is checked but not built. The
// size of an item is reported by its operation, that of any other value here.
void ValueReader::StopBuilding() {
  if (builder_ != nullptr && !is_item_) NoteViolation(messages::ItemTooLarge());
  builder_ = nullptr;
}

void ValueReader::AddMap(JsonObject map, int depth) {
  ItemBuilder* const builder = builder_;
  if (depth >= depth_max_) {
    FindTooDeep(depth);
    builder_ = nullptr;
  }
  if (builder_ != nullptr) builder_->BeginMap();
  for (const auto field : map) {
    if (field.key.empty()) found_->empty_nested_name = true;
    if (field.key.size() > kAttributeNameBytesMax) found_->long_nested_name = true;
    if (builder_ != nullptr) builder_->Key(field.key);
    Add(field.value, depth + 1);
  }
  if (builder_ != nullptr) return builder_->EndMap();
  builder_ = builder;
  AddNull();
}

std::vector<std::string_view> ValueReader::ReadTexts(Type type, JsonArray list) {
  std::vector<std::string_view> texts;
  for (const JsonValue element : list) {
    if (element.is_null()) {
      NoteViolation(messages::ValueEmpty());
      return {};
    }
    texts.push_back(AsText(element));
  }
  if (texts.empty()) NoteViolation(messages::EmptySet(type));
  return texts;
}

void ValueReader::AddSet(Type type, const std::vector<std::string_view>& texts,
                         const std::vector<std::string_view>& payloads) {
  const absl::Status distinct = CheckDistinct(type, payloads, texts, layer_);
  if (!distinct.ok()) {
    NoteViolation(MessageOf(distinct));
    return AddNull();
  }
  if (builder_ != nullptr) builder_->Set(type, payloads);
}

void ValueReader::AddStringSet(JsonArray list) {
  const std::vector<std::string_view> texts = ReadTexts(Type::kStringSet, list);
  if (texts.empty()) return AddNull();
  AddSet(Type::kStringSet, texts, texts);
}

void ValueReader::AddNumberSet(JsonArray list) {
  const std::vector<std::string_view> texts = ReadTexts(Type::kNumberSet, list);
  if (texts.empty()) return AddNull();
  Payloads numbers;
  for (const std::string_view text : texts) {
    const absl::StatusOr<NumberBytes> number = ReadNumber(text);
    if (!number.ok()) return AddNull();
    numbers.Add(number->view());
  }
  AddSet(Type::kNumberSet, texts, numbers.Views());
}

void ValueReader::AddBinarySet(JsonArray list) {
  const std::vector<std::string_view> texts = ReadTexts(Type::kBinarySet, list);
  if (texts.empty()) return AddNull();
  Payloads binaries;
  std::string bytes;
  for (const std::string_view text : texts) {
    absl::Base64Unescape(ToAbsl(text), &bytes);
    binaries.Add(bytes);
  }
  AddSet(Type::kBinarySet, texts, binaries.Views());
}

}  // namespace dynolith
