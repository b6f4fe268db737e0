#include "api/json/read_vectors.h"

#include <optional>

#include "api/json/members.h"
#include "api/json/request_parts.h"
#include "engine/base/errors.h"
#include "engine/base/messages/vectors.h"
#include "engine/base/status_macros.h"
#include "engine/value/float_number.h"

namespace dynolith {
namespace {

// nullopt for anything but {"N": "…"} with a number that fits.
std::optional<float> ReadFloat(JsonValue element) {
  namespace in = members::AttributeValue;
  const JsonObject object = ObjectOf(element);
  const Fields fields(ShapeAt(in::kShape), object);
  if (object.size() != 1 || !fields.Has(in::kN)) return std::nullopt;
  const auto encoded = EncodeNumber(fields.Text(in::kN));
  if (!encoded.ok() || !FitsFloat(encoded->view())) return std::nullopt;
  return NearestFloat(encoded->view());
}

}  // namespace

absl::Status ReadRequest(const Fields& fields, SearchVectorsRequest* request) {
  namespace in = members::SearchVectorsInput;
  DYNOLITH_RETURN_IF_ERROR(ReadTableName(fields.Text(in::kTableName), &request->table_name));
  request->index_name = std::string(fields.Text(in::kIndexName));
  for (const JsonValue element : ArrayOf(*fields.Find(in::kSearchVector))) {
    const std::optional<float> number = ReadFloat(element);
    if (!number) request->faults.values = ValidationError(messages::SearchVectorInvalid());
    request->search_vector.push_back(number.value_or(0));
  }
  request->top_k = fields.Integer(in::kTopK).value_or(0);
  request->search_condition_expression = fields.String(in::kSearchConditionExpression);
  request->projection_expression = fields.String(in::kProjectionExpression);
  request->expression_attribute_names = ReadNames(fields, in::kExpressionAttributeNames);
  ValueReader values(ValueLayer::kCurrent);
  request->expression_attribute_values = ReadExpressionValues(
      fields, in::kExpressionAttributeValues, &values, &request->faults.expression_values);
  request->return_consumed_capacity = ReadEnum(fields, in::kReturnConsumedCapacity, CapacityWords())
                                          .value_or(ReturnConsumedCapacity::kNone);
  return absl::OkStatus();
}

}  // namespace dynolith
