#include "api/json/read_structure.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_split.h"
#include "api/json/messages.h"
#include "api/json/spelled_keys.h"
#include "api/json/statement_error.h"
#include "api/read/messages.h"
#include "api/request/arn.h"
#include "api/request/messages.h"
#include "engine/base/errors.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/model/binding.h"
#include "engine/model/constraint_failures.h"
#include "engine/model/members.h"
#include "engine/value/attachments.h"
#include "engine/value/float_number.h"

namespace dynolith {
namespace {

bool IsPartition(std::string_view text) { return text == "aws" || text.substr(0, 4) == "aws-"; }

// A table's name, or an ARN that is a table's; whose table that is shows when it is looked for.
absl::Status CheckTableName(std::string_view text) {
  if (!IsArn(text)) return absl::OkStatus();
  // arn:<partition>:dynamodb:<region>:<account>:table/<name>
  std::vector<std::string> parts = absl::StrSplit(ToAbsl(text), absl::MaxSplits(':', 5));
  parts.resize(6);
  const auto invalid = [text](std::string_view what) {
    return ValidationError(messages::InvalidArnPart(what, text));
  };
  if (!IsPartition(parts[1])) return invalid("AWS partition");
  if (parts[3].empty()) return invalid("AWS region");
  std::string_view name = parts[5];
  if (parts[2] != "dynamodb" || name.substr(0, kTableResource.size()) != kTableResource) {
    return invalid("resource type");
  }
  name.remove_prefix(kTableResource.size());
  if (name.empty() || name.find('/') != std::string_view::npos) return invalid("resource type");
  return absl::OkStatus();
}

// nullopt for anything but {"N": "…"} with a number that fits.
std::optional<float> ReadFloat(JsonValue element) {
  namespace in = members::AttributeValue;
  const JsonObject object = AsObject(element);
  const Fields fields(ShapeAt(in::kShape), object);
  if (object.size() != 1 || !fields.Has(in::kN)) return std::nullopt;
  const auto encoded = EncodeNumber(fields.Text(in::kN));
  if (!encoded.ok() || !FitsFloat(encoded->view())) return std::nullopt;
  return NearestFloat(encoded->view());
}

// What became of one statement of a batch; `error` binds it as BatchStatementError.
absl::Status ReadStatementError(const Fields& error) {
  const auto number = [&](std::string_view name) { return error.shape().FindMember(name); };
  const std::string_view code = error.Text(number("Code"));
  const std::string_view message = error.Text(number("Message"));
  const std::optional<ErrorKind> kind = FindStatementErrorKind(code);
  absl::Status status =
      MakeError(kind.value_or(ErrorKind::kInternalServerError),
                kind ? std::string(message) : messages::ErrorOfName(code, message));
  if (const JsonValue* const item = error.Find(number("Item"))) {
    AttachJson(Attachment::kItem, simdjson::minify(*item), &status);
  }
  return status;
}

class StructureReader {
 public:
  StructureReader(const ValueReaderOptions& options, RequestViolations* violations)
      : values_(options), violations_(violations) {}

  // An output.
  absl::Status ReadAnswer(const Fields& fields, void* structure) {
    is_answer_ = true;
    const StructureBinding& binding = FindBinding(fields.shape());
    if (!binding.unwrapped) return ReadApart(fields, structure);
    const FieldBinding& field = binding.fields()[0];
    const ShapeMember& member = fields.shape().members()[field.member];
    const JsonValue* const value = fields.Find(field.member);
    if (value == nullptr) return absl::DataLossError(messages::AnswerLacks(member.name));
    const TypeBinding* type = field.type;
    if (type->holding == FieldKind::kOptional) type = type->element;
    ValueViolations found;
    found_ = &found;
    absl::Status status = ReadValue(ShapeAt(member.shape), *type, *value, structure);
    found_ = nullptr;
    Report(structure, std::move(found));
    return status;
  }
  // The first violation in an answer; OK if there is none.
  const absl::Status& first_violation() const { return first_violation_; }

  bool needs_legacy_wording() const { return values_.needs_legacy_wording(); }

  // Collects the violations in this structure apart from those of the structure around it.
  absl::Status ReadApart(const Fields& fields, void* structure) {
    ValueViolations found;
    ValueViolations* const outer = std::exchange(found_, &found);
    absl::Status status = ReadMembers(fields, structure);
    found_ = outer;
    Report(structure, std::move(found));
    return status;
  }

 private:
  void Report(const void* structure, ValueViolations found) {
    if (found.values.ok() && found.expression_values.ok()) return;
    if (first_violation_.ok()) {
      first_violation_ = found.values.ok() ? found.expression_values : found.values;
    }
    violations_->Add(structure, std::move(found));
  }

  absl::Status Read(const Fields& fields, void* structure) {
    return FindBinding(fields.shape()).violations ? ReadApart(fields, structure)
                                                  : ReadMembers(fields, structure);
  }

  absl::Status ReadMembers(const Fields& fields, void* structure) {
    for (const FieldBinding& field : FindBinding(fields.shape()).fields()) {
      const JsonValue* value = fields.Find(field.member);
      if (value == nullptr) continue;
      const Shape& shape = ShapeAt(fields.shape().members()[field.member].shape);
      void* const target = static_cast<char*>(structure) + field.offset;
      DYNOLITH_RETURN_IF_ERROR(ReadMember(field, shape, *value, target));
    }
    return absl::OkStatus();
  }

  absl::Status ReadMember(const FieldBinding& field, const Shape& shape, JsonValue value,
                          void* target) {
    if (field.presence == Presence::kGiven) {
      *static_cast<bool*>(target) = true;
      return absl::OkStatus();
    }
    if (field.arn_checked) DYNOLITH_RETURN_IF_ERROR(CheckTableName(AsText(value)));
    if (field.custom) {
      ReadByHand(shape, *field.type, value, target);
      return absl::OkStatus();
    }
    if (field.spelled) {
      ReadSpelledKeys(value, &values_, &found_->values, static_cast<std::vector<Item>*>(target));
      return absl::OkStatus();
    }
    role_ = field.role;
    return ReadValue(shape, *field.type, value, target);
  }

  absl::Status ReadValue(const Shape& shape, const TypeBinding& type, JsonValue value,
                         void* target) {
    if (shape.kind == ShapeKind::kStructure && FindBinding(shape).unwrapped) {
      const FieldBinding& inner = FindBinding(shape).fields()[0];
      const Fields fields(shape, AsObject(value));
      const JsonValue* member = fields.Find(inner.member);
      if (member == nullptr) return absl::OkStatus();
      return ReadValue(ShapeAt(shape.members()[inner.member].shape), type, *member, target);
    }
    switch (type.holding) {
      case FieldKind::kOptional:
        if (is_answer_ && IsUnknownWord(shape, *type.element, value)) return absl::OkStatus();
        return ReadValue(shape, *type.element, value, type.emplace(target));
      case FieldKind::kList:
        return ReadList(shape, type, value, target);
      case FieldKind::kMap:
        return ReadMap(shape, type, AsObject(value), target);
      case FieldKind::kStructure:
        return Read(Fields(shape, AsObject(value)), target);
      default:
        if (is_answer_ && IsUnknownWord(shape, type, value)) {
          return absl::DataLossError(messages::AnswerWordUnknown(AsText(value), shape.name));
        }
        ReadScalar(shape, type.holding, value, target);
        return absl::OkStatus();
    }
  }

  static bool IsUnknownWord(const Shape& shape, const TypeBinding& type, JsonValue value) {
    return type.holding == FieldKind::kEnumeration && FindEnumerator(shape, AsText(value)) < 0;
  }

  void ReadScalar(const Shape& shape, FieldKind holding, JsonValue value, void* target) {
    switch (holding) {
      case FieldKind::kText:
        *static_cast<std::string*>(target) = AsText(value);
        return;
      case FieldKind::kInteger:
        *static_cast<int64_t*>(target) = AsWholeNumber(value);
        return;
      case FieldKind::kDouble:
        *static_cast<double*>(target) = value.get_double().value_unsafe();
        return;
      case FieldKind::kBoolean:
        *static_cast<bool*>(target) = AsBoolean(value);
        return;
      case FieldKind::kTime:
        *static_cast<absl::Time*>(target) = AsTime(value);
        return;
      case FieldKind::kEnumeration:
        *static_cast<uint8_t*>(target) = static_cast<uint8_t>(FindEnumerator(shape, AsText(value)));
        return;
      case FieldKind::kValue:
        *static_cast<Value*>(target) = values_.ReadValue(value, &found_->values);
        return;
      default:
        ReadItem(value, static_cast<Item*>(target));
    }
  }

  void ReadItem(JsonValue value, Item* item) {
    switch (role_) {
      case ItemRole::kExpressionValues:
        *item = values_.ReadExpressionValues(value, &found_->expression_values);
        return;
      case ItemRole::kStartKey:
        *item = values_.ReadStartKey(value, &found_->values);
        return;
      case ItemRole::kItem:
        *item = values_.ReadItem(value, &found_->values);
    }
  }

  absl::Status ReadList(const Shape& shape, const TypeBinding& type, JsonValue value,
                        void* target) {
    if (type.element->holding == FieldKind::kValue) {
      *static_cast<std::vector<Value>*>(target) = values_.ReadValues(value, &found_->values);
      return absl::OkStatus();
    }
    const JsonArray list = AsArray(value);
    type.reserve(target, list.size());
    const Shape& element_shape = ShapeAt(shape.element);
    for (const JsonValue element : list) {
      DYNOLITH_RETURN_IF_ERROR(
          ReadValue(element_shape, *type.element, element, type.append(target)));
    }
    return absl::OkStatus();
  }

  absl::Status ReadMap(const Shape& shape, const TypeBinding& type, JsonObject map, void* target) {
    type.reserve(target, map.size());
    const Shape& element_shape = ShapeAt(shape.element);
    const bool names_tables = ShapeAt(shape.key).accepts_arn;
    for (const auto field : map) {
      if (names_tables) DYNOLITH_RETURN_IF_ERROR(CheckTableName(field.key));
      DYNOLITH_RETURN_IF_ERROR(ReadValue(element_shape, *type.element, field.value,
                                         type.append_keyed(target, field.key)));
    }
    return absl::OkStatus();
  }

  void ReadByHand(const Shape& shape, const TypeBinding& type, JsonValue value, void* target) {
    if (&type == &kTypeOf<std::vector<float>>) {
      return ReadFloats(value, static_cast<std::vector<float>*>(target));
    }
    *static_cast<absl::Status*>(target) = ReadStatementError(Fields(shape, AsObject(value)));
  }

  void ReadFloats(JsonValue list, std::vector<float>* floats) {
    for (const JsonValue element : AsArray(list)) {
      const std::optional<float> number = ReadFloat(element);
      if (!number) found_->values = ValidationError(messages::SearchVectorInvalid());
      floats->push_back(number.value_or(0));
    }
  }

  ValueReader values_;
  RequestViolations* const violations_;
  ValueViolations* found_ = nullptr;
  ItemRole role_ = ItemRole::kItem;
  bool is_answer_ = false;
  absl::Status first_violation_;
};

}  // namespace

absl::Status ReadStructure(const Fields& fields, const ValueReaderOptions& options, void* structure,
                           RequestViolations* violations) {
  StructureReader reader(options, violations);
  absl::Status status = reader.ReadApart(fields, structure);
  if (reader.needs_legacy_wording()) violations->UseLegacyWording();
  return status;
}

absl::Status ReadOutput(const Fields& fields, void* structure) {
  RequestViolations violations;
  StructureReader reader({}, &violations);
  DYNOLITH_RETURN_IF_ERROR(reader.ReadAnswer(fields, structure));
  if (reader.first_violation().ok()) return absl::OkStatus();
  return absl::DataLossError(ToAbsl(MessageOf(reader.first_violation())));
}

}  // namespace dynolith
