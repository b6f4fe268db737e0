// JSON texts -> typed requests, and typed outputs -> JSON texts: what the JSON room does around an
// operation, without the operation.
#ifndef DYNOLITH_TESTS_UNIT_JSON_JSON_TEXTS_H_
#define DYNOLITH_TESTS_UNIT_JSON_JSON_TEXTS_H_

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "api/json/constraints.h"
#include "api/json/dispatch.h"
#include "api/json/fields.h"
#include "api/json/json_parser.h"
#include "api/json/json_writer.h"
#include "api/json/operations.h"
#include "api/json/read_structure.h"
#include "api/json/type_checks.h"
#include "api/json/write_structure.h"
#include "dynolith/database.h"
#include "engine/base/errors.h"
#include "engine/base/status_macros.h"
#include "engine/model/request_violations.h"
#include "engine/model/shapes.h"

namespace dynolith {

// Reads the body of a call into `request`, which is of the operation's C++ type; with nullptr it is
// only checked. Requires: an operation of the service's DynamoDB, not of its streams.
inline absl::Status ReadBody(std::string_view operation, std::string_view body, void* request,
                             RequestViolations* violations) {
  JsonParser parser;
  const std::optional<JsonValue> root = parser.Parse(body);
  if (!root || !root->is_object()) return MakeError(ErrorKind::kSerialization, "");
  const Operation& found = *FindServiceOperation(Service::kDynamo, operation);
  const Fields fields(ShapeAt(found.shape->input), AsObject(*root));
  DYNOLITH_RETURN_IF_ERROR(CheckTypes(fields));
  DYNOLITH_RETURN_IF_ERROR(CheckConstraints(fields));
  if (request == nullptr) return absl::OkStatus();
  return ReadStructure(fields, found.row->values, request, violations);
}

// A request and what is wrong with its values. Stays where it was made: the violations know the
// request's structures by their addresses.
template <typename Request>
struct Reading {
  Request request;
  RequestViolations violations;

  Reading() = default;
  Reading(const Reading&) = delete;
  Reading& operator=(const Reading&) = delete;

  // What is wrong in the request but not in a structure with violations of its own.
  const ValueViolations& own_violations() const { return violations.Of(&request); }
};

// The request that a body stands for. Requires: its types and constraints are right.
template <typename Request>
std::unique_ptr<Reading<Request>> Read(std::string_view operation, std::string_view body) {
  auto reading = std::make_unique<Reading<Request>>();
  const absl::Status status = ReadBody(operation, body, &reading->request, &reading->violations);
  EXPECT_TRUE(status.ok()) << operation << " " << body << " " << status;
  return reading;
}

// What is answered to a body whose types or constraints are wrong; empty if nothing is.
inline std::string Refusal(std::string_view operation, std::string_view body) {
  const absl::Status status = ReadBody(operation, body, nullptr, nullptr);
  return status.ok() ? "" : ErrorResponse(status).body;
}

// The text of an operation's output, which is of the operation's C++ type.
template <typename Output>
std::string Written(std::string_view operation, const Output& output) {
  std::string text;
  JsonWriter writer(&text);
  WriteStructure(ShapeAt(FindOperation(Service::kDynamo, operation)->output), &output, &writer);
  return text;
}

// A dispatcher on an empty database, for what only whole calls show.
struct JsonFixture {
  std::unique_ptr<Database> database = *Database::Open({.in_memory = true});
  Dispatcher dispatcher{database.get(), {}};

  std::string Body(std::string_view operation, std::string_view body) {
    return dispatcher.Handle(operation, body).body;
  }
};

// The bodies of the two errors of requests that have not reached an operation.
inline std::string SerializationBody(std::string_view message) {
  return R"({"__type":"com.amazon.coral.service#SerializationException","Message":")" +
         std::string(message) + "\"}";
}
inline std::string ValidationBody(std::string_view message) {
  return R"({"__type":"com.amazon.coral.validate#ValidationException","message":")" +
         std::string(message) + "\"}";
}

}  // namespace dynolith

#endif  // DYNOLITH_TESTS_UNIT_JSON_JSON_TEXTS_H_
