#include "tests/random/wire_call.h"

#include <simdjson.h>

#include <cstdlib>
#include <iostream>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/cord.h"
#include "api/json/dispatch.h"
#include "api/json/fields.h"
#include "api/json/json_parser.h"
#include "api/json/json_writer.h"
#include "api/json/read_structure.h"
#include "api/json/write_structure.h"
#include "engine/base/errors.h"
#include "engine/model/request_violations.h"

namespace dynolith::random {
namespace {

[[noreturn]] void NotAsModelled(const std::string& operation, std::string_view body) {
  std::cerr << operation << " has answered what its model does not know: " << body << "\n";
  std::abort();
}

// The kind of an exception's name behind "prefix#".
ErrorKind KindNamed(const std::string& operation, std::string_view type) {
  const std::string_view name = type.substr(type.find('#') + 1);
  for (int kind = 0; kind <= static_cast<int>(ErrorKind::kInternalServerError); ++kind) {
    if (InfoOf(static_cast<ErrorKind>(kind)).exception_name == name) {
      return static_cast<ErrorKind>(kind);
    }
  }
  NotAsModelled(operation, type);
}

absl::Status ReadError(const std::string& operation, JsonObject body) {
  ErrorKind kind = ErrorKind::kInternalServerError;
  std::string message;
  std::string item;
  std::string reasons;
  for (const auto member : body) {
    if (member.key == "__type") kind = KindNamed(operation, AsText(member.value));
    if (member.key == "message" || member.key == "Message") message = AsText(member.value);
    if (member.key == "Item") item = simdjson::minify(member.value);
    if (member.key == "CancellationReasons") reasons = simdjson::minify(member.value);
  }
  absl::Status status = MakeError(kind, message);
  // As engine/value/attachments.h keeps them.
  if (!item.empty()) status.SetPayload("dynolith/item", absl::Cord(item));
  if (!reasons.empty()) status.SetPayload("dynolith/reasons", absl::Cord(reasons));
  return status;
}

// The error of a statement of a batch, which is no exception but a code.
absl::Status ReadStatementError(const std::string& operation, JsonValue error) {
  std::string code;
  std::string item;
  for (const auto member : AsObject(error)) {
    if (member.key == "Code") code = AsText(member.value);
    if (member.key == "Item") item = simdjson::minify(member.value);
  }
  if (code == "ValidationError") code = "Validation";
  absl::Status status = MakeError(KindNamed(operation, code + "Exception"), "");
  if (!item.empty()) status.SetPayload("dynolith/item", absl::Cord(item));
  return status;
}

void ReadOutput(const std::string& operation, const Shape& shape, JsonValue body, void* output) {
  RequestViolations violations;
  const ValueReaderOptions options = {.takes_deep_expression_values = true};
  const absl::Status status =
      ReadStructure(Fields(shape, AsObject(body)), options, output, &violations);
  if (!status.ok() || !violations.empty()) NotAsModelled(operation, simdjson::minify(body));
}

// BatchExecuteStatement: errors of statements are read by hand, and the rest without them.
void ReadBatch(const std::string& operation, const Shape& shape, JsonValue body, void* output) {
  std::string rest;
  std::vector<absl::Status> errors;
  JsonWriter writer(&rest);
  writer.BeginObject();
  for (const auto member : AsObject(body)) {
    writer.Key(member.key);
    if (member.key != "Responses") {
      writer.Json(simdjson::minify(member.value));
      continue;
    }
    writer.BeginArray();
    for (const JsonValue response : AsArray(member.value)) {
      absl::Status& error = errors.emplace_back();
      writer.BeginObject();
      for (const auto part : AsObject(response)) {
        if (part.key == "Error") {
          error = ReadStatementError(operation, part.value);
          continue;
        }
        writer.Key(part.key);
        writer.Json(simdjson::minify(part.value));
      }
      writer.EndObject();
    }
    writer.EndArray();
  }
  writer.EndObject();
  JsonParser parser;
  ReadOutput(operation, shape, *parser.Parse(rest), output);
  auto& responses = static_cast<BatchExecuteStatementOutput*>(output)->responses;
  for (size_t i = 0; i < responses.size(); ++i) responses[i].error = errors[i];
}

}  // namespace

std::string WriteBody(const std::string& operation, const void* request) {
  std::string body;
  JsonWriter writer(&body);
  WriteStructure(ShapeAt(FindOperation(Service::kDynamo, operation)->input), request, &writer);
  return body;
}

absl::Status CallBody(Database* database, const std::string& operation, const std::string& body,
                      void* output) {
  const JsonResponse response = Dispatcher(database, {}).Handle(operation, body);
  JsonParser parser;
  const auto answer = parser.Parse(response.body);
  if (!answer || !answer->is_object()) NotAsModelled(operation, response.body);
  if (response.http_status != 200) return ReadError(operation, AsObject(*answer));
  const Shape& shape = ShapeAt(FindOperation(Service::kDynamo, operation)->output);
  const bool is_batch = operation == "BatchExecuteStatement";
  (is_batch ? ReadBatch : ReadOutput)(operation, shape, *answer, output);
  return absl::OkStatus();
}

}  // namespace dynolith::random
