#include "tools/proxy/call_texts.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "api/coding/compression.h"
#include "api/json/json_response.h"
#include "api/remote/remote_service.h"
#include "api/service/checksum.h"
#include "api/service/request_id.h"
#include "engine/base/strings.h"
#include "tools/proxy/header_names.h"
#include "tools/server/wire/wire.h"

namespace dynolith::proxy {
namespace {

constexpr std::string_view kAmazonJson = "application/x-amz-json-1.0";
// Of an answer, whose size api/remote bounds.
constexpr size_t kPlainBytesMax = 64 << 20;

constexpr HeaderNames<8> kOfConnection({"connection", "content-length", "date", "keep-alive",
                                        "server", "trailer", "upgrade", "transfer-encoding"});

}  // namespace

bool IsOfConnection(std::string_view name) { return kOfConnection.Has(name); }

std::string_view OperationOf(const http::Request& request) {
  const std::string_view target = request.Find("x-amz-target").value_or("");
  const size_t dot = target.find('.');
  return dot == std::string_view::npos ? std::string_view() : target.substr(dot + 1);
}

bool ChangesTable(std::string_view operation) {
  constexpr std::string_view kNames[] = {"CreateTable",
                                         "UpdateTable",
                                         "DeleteTable",
                                         "RestoreTableFromBackup",
                                         "RestoreTableToPointInTime",
                                         "ImportTable"};
  return std::find(std::begin(kNames), std::end(kNames), operation) != std::end(kNames);
}

std::optional<ErrorKind> ErrorKindIn(std::string_view body) {
  const std::string name = client::ReadErrorName(body);
  for (int i = 0; i <= static_cast<int>(ErrorKind::kInternalServerError); ++i) {
    const auto kind = static_cast<ErrorKind>(i);
    if (InfoOf(kind).exception_name == name) return kind;
  }
  return std::nullopt;
}

void HandOnAnswer(client::HttpAnswer answer, http::Response* response) {
  response->status = answer.status;
  response->body = std::move(answer.body);
  for (const auto& [name, value] : answer.headers) {
    if (!IsOfConnection(name)) response->AddHeader(name, value);
  }
}

void AnswerError(const absl::Status& status, http::Response* response) {
  response->Clear();
  http::HandOn(ErrorResponse(status), response);
  AnswerOwn(response);
}

void AnswerOwn(http::Response* response) {
  std::string id(kRequestIdBytes, '\0');
  DrawRequestId(id.data());
  response->AddHeader("x-amzn-RequestId", id);
  response->AddHeader("Content-Type", kAmazonJson);
  response->AddHeader("x-amz-crc32", std::to_string(Crc32(response->body)));
}

void AddRetryAfter(absl::Duration delay, http::Response* response) {
  if (delay <= absl::ZeroDuration()) return;
  response->AddHeader("x-amz-retry-after", std::to_string(absl::ToInt64Milliseconds(delay)));
}

void DescribeBody(http::Response* response) {
  std::string kept;
  std::string_view lines = response->header_lines;
  while (!lines.empty()) {
    const std::string_view line = lines.substr(0, lines.find('\n') + 1);
    const std::string_view name = line.substr(0, line.find(':'));
    lines.remove_prefix(line.size());
    if (http::EqualsIgnoreCase(name, "x-amz-crc32")) continue;
    if (http::EqualsIgnoreCase(name, "content-encoding")) continue;
    kept += line;
  }
  response->header_lines = std::move(kept);
  response->AddHeader("x-amz-crc32", std::to_string(Crc32(response->body)));
}

std::optional<std::string_view> PlainBody(std::string_view body,
                                          std::optional<std::string_view> coding,
                                          std::string* storage) {
  if (!coding) return body;
  const std::optional<http::Coding> known = http::ParseCoding(*coding);
  if (!known) return std::nullopt;
  if (*known == http::Coding::kIdentity) return body;
  if (!http::Decompress(*known, body, kPlainBytesMax, storage)) return std::nullopt;
  return *storage;
}

}  // namespace dynolith::proxy
