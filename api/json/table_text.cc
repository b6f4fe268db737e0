#include "api/json/table_text.h"

#include <optional>

#include "api/json/constraints.h"
#include "api/json/fields.h"
#include "api/json/json_parser.h"
#include "api/json/read_structure.h"
#include "api/json/type_checks.h"
#include "engine/base/errors.h"
#include "engine/base/status_macros.h"
#include "engine/model/members.h"
#include "engine/model/request_violations.h"

namespace dynolith {

absl::StatusOr<CreateTableRequest> ReadCreateTable(std::string_view text) {
  JsonParser parser;
  const std::optional<JsonValue> root = parser.Parse(text);
  if (!root || !root->is_object()) return MakeError(ErrorKind::kSerialization, "");
  const Fields fields(members::CreateTableInput::kShape, *root);
  DYNOLITH_RETURN_IF_ERROR(CheckTypes(fields));
  DYNOLITH_RETURN_IF_ERROR(CheckConstraints(fields));
  CreateTableRequest request;
  // Without attribute values there are no violations of them.
  RequestViolations violations;
  DYNOLITH_RETURN_IF_ERROR(ReadStructure(fields, {}, &request, &violations));
  return request;
}

}  // namespace dynolith
