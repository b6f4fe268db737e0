#include "api/json/write_structure.h"

#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/json/statement_error.h"
#include "engine/base/errors.h"
#include "engine/model/binding.h"
#include "engine/value/attachments.h"
#include "engine/value/item.h"

namespace dynolith {
namespace {

// What became of one statement of a batch.
void WriteStatementError(const absl::Status& error, JsonWriter* writer) {
  writer->BeginObject();
  writer->Key("Code");
  writer->String(StatementErrorCode(KindOf(error)));
  writer->Key("Message");
  writer->String(MessageOf(error));
  if (const std::string item = AttachedJson(error, Attachment::kItem); !item.empty()) {
    writer->Key("Item");
    writer->Json(item);
  }
  writer->EndObject();
}

// A vector of search; the text of each number is the shortest that reads as the same one.
void WriteFloats(const std::vector<float>& floats, JsonWriter* writer) {
  writer->BeginArray();
  for (const float number : floats) {
    std::array<char, 40> digits;
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number);
    writer->BeginObject();
    writer->Key("N");
    writer->String({digits.data(), static_cast<size_t>(end.ptr - digits.data())});
    writer->EndObject();
  }
  writer->EndArray();
}

void WriteByHand(const TypeBinding& type, const void* value, JsonWriter* writer) {
  if (&type == &kTypeOf<std::vector<float>>) {
    return WriteFloats(*static_cast<const std::vector<float>*>(value), writer);
  }
  WriteStatementError(*static_cast<const absl::Status*>(value), writer);
}

// Writes an empty value for a member that structures do not hold: the service refuses any value.
void WriteEmpty(const Shape& shape, JsonWriter* writer) {
  switch (shape.kind) {
    case ShapeKind::kStructure:
    case ShapeKind::kMap:
      writer->BeginObject();
      return writer->EndObject();
    case ShapeKind::kList:
      writer->BeginArray();
      return writer->EndArray();
    default:
      writer->String("");
  }
}

void WriteValue(const Shape& shape, const TypeBinding& type, const void* value, JsonWriter* writer);

bool IsEmpty(const TypeBinding& type, const void* value) {
  if (type.holding == FieldKind::kText) return static_cast<const std::string*>(value)->empty();
  return type.size(value) == 0;
}

bool IsWritten(const FieldBinding& field, const void* value) {
  switch (field.presence) {
    case Presence::kOptional:
      return field.type->get(value) != nullptr;
    case Presence::kOmitEmpty:
      return !IsEmpty(*field.type, value);
    case Presence::kDefault:
      return *static_cast<const uint8_t*>(value) != field.initial;
    case Presence::kGiven:
      return *static_cast<const bool*>(value);
    case Presence::kPlain:
      break;
  }
  return field.type != &kTypeOf<absl::Status> || !static_cast<const absl::Status*>(value)->ok();
}

void WriteScalar(const Shape& shape, FieldKind holding, const void* value, JsonWriter* writer) {
  switch (holding) {
    case FieldKind::kText:
      return writer->String(*static_cast<const std::string*>(value));
    case FieldKind::kInteger:
      return writer->Integer(*static_cast<const int64_t*>(value));
    case FieldKind::kDouble:
      return writer->Double(*static_cast<const double*>(value));
    case FieldKind::kBoolean:
      return writer->Bool(*static_cast<const bool*>(value));
    case FieldKind::kTime:
      return writer->Timestamp(*static_cast<const absl::Time*>(value));
    case FieldKind::kEnumeration:
      return writer->String(EnumeratorWord(shape, *static_cast<const uint8_t*>(value)));
    case FieldKind::kValue:
      return writer->Attribute(static_cast<const Value*>(value)->view());
    default:
      return writer->Item(static_cast<const Item*>(value)->view());
  }
}

// {"<the member>": value}; {} if there is none.
void WriteWrapped(const Shape& shape, const TypeBinding& type, const void* value,
                  JsonWriter* writer) {
  const ShapeMember& member = shape.members()[FindBinding(shape).fields()[0].member];
  writer->BeginObject();
  if (type.holding != FieldKind::kOptional || type.get(value) != nullptr) {
    writer->Key(member.name);
    WriteValue(ShapeAt(member.shape), type, value, writer);
  }
  writer->EndObject();
}

void WriteValue(const Shape& shape, const TypeBinding& type, const void* value,
                JsonWriter* writer) {
  if (shape.kind == ShapeKind::kStructure && FindBinding(shape).unwrapped) {
    return WriteWrapped(shape, type, value, writer);
  }
  switch (type.holding) {
    case FieldKind::kOptional:
      return WriteValue(shape, *type.element, type.get(value), writer);
    case FieldKind::kStructure:
      return WriteStructure(shape, value, writer);
    case FieldKind::kList:
      writer->BeginArray();
      for (size_t i = 0; i < type.size(value); ++i) {
        WriteValue(ShapeAt(shape.element), *type.element, type.at(value, i), writer);
      }
      return writer->EndArray();
    case FieldKind::kMap:
      writer->BeginObject();
      for (size_t i = 0; i < type.size(value); ++i) {
        writer->Key(type.key(value, i));
        WriteValue(ShapeAt(shape.element), *type.element, type.at(value, i), writer);
      }
      return writer->EndObject();
    case FieldKind::kByHand:
      return WriteByHand(type, value, writer);
    default:
      return WriteScalar(shape, type.holding, value, writer);
  }
}

}  // namespace

void WriteMembers(const Shape& shape, const void* structure, JsonWriter* writer,
                  std::string_view but) {
  for (const FieldBinding& field : FindBinding(shape).fields()) {
    const void* const value = static_cast<const char*>(structure) + field.offset;
    if (!IsWritten(field, value)) continue;
    const ShapeMember& member = shape.members()[field.member];
    if (member.name == but) continue;
    writer->Key(member.name);
    if (field.presence == Presence::kGiven) {
      WriteEmpty(ShapeAt(member.shape), writer);
    } else {
      WriteValue(ShapeAt(member.shape), *field.type, value, writer);
    }
  }
}

void WriteStructure(const Shape& shape, const void* structure, JsonWriter* writer) {
  if (FindBinding(shape).unwrapped) {
    // An answer always has the member that stands for it.
    const TypeBinding* type = FindBinding(shape).fields()[0].type;
    if (type->holding == FieldKind::kOptional) type = type->element;
    return WriteWrapped(shape, *type, structure, writer);
  }
  writer->BeginObject();
  WriteMembers(shape, structure, writer);
  writer->EndObject();
}

}  // namespace dynolith
