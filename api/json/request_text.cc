#include "api/json/request_text.h"

#include <cstddef>
#include <optional>

#include "absl/cleanup/cleanup.h"
#include "api/json/constraints.h"
#include "api/json/fields.h"
#include "api/json/json_parser.h"
#include "api/json/operations.h"
#include "api/json/read_structure.h"
#include "api/json/type_checks.h"
#include "api/json/value_reader.h"
#include "engine/model/request_violations.h"

namespace dynolith {
namespace {

// Behind a larger text the thread's memory is given back.
constexpr size_t kKeptTextBytesMax = 1 << 20;

JsonParser& TextParser() {
  thread_local JsonParser parser;
  return parser;
}

bool ReadParsed(const Operation& operation, JsonValue root, void* request) {
  const Fields input(ShapeAt(operation.shape->input), AsObject(root));
  if (!CheckTypes(input).ok() || !CheckConstraints(input).ok()) return false;
  RequestViolations violations;
  return ReadStructure(input, operation.row->values, request, &violations).ok() &&
         violations.empty();
}

}  // namespace

bool ReadRequestText(std::string_view operation, std::string_view text, void* request) {
  const Operation* const found = FindServiceOperation(Service::kDynamo, operation);
  if (found == nullptr) return false;
  const absl::Cleanup give_back = [text] {
    if (text.size() <= kKeptTextBytesMax) return;
    TextParser().ReleaseMemory();
    ValueReader::ReleaseThreadMemory();
  };
  const std::optional<JsonValue> root = TextParser().Parse(text);
  return root && root->is_object() && ReadParsed(*found, *root, request);
}

}  // namespace dynolith
