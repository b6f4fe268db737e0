// Parts of calls and answers, as texts.
#ifndef DYNOLITH_TOOLS_PROXY_CALL_TEXTS_H_
#define DYNOLITH_TOOLS_PROXY_CALL_TEXTS_H_

#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "api/remote/http_connection.h"
#include "engine/base/errors.h"
#include "tools/server/http/request.h"
#include "tools/server/http/response.h"

namespace dynolith::proxy {

// Lists and maps around a value of a body: an item of 32 levels, each of which is two in JSON, and
// what is around it.
inline constexpr int kBodyDepthMax = 128;

// "PutItem" of "DynamoDB_20120810.PutItem"; empty: the request names none.
std::string_view OperationOf(const http::Request& request);

// Whether the table may be another one after such a call.
bool ChangesTable(std::string_view operation);

// The kind of the error in an answer's body; nullopt: it is none of the service's that are known.
std::optional<ErrorKind> ErrorKindIn(std::string_view body);

// Whether a header of an answer is one of the endpoint's connection, or one that every answer of
// this server has.
bool IsOfConnection(std::string_view name);
// The endpoint's answer as it is, but for headers of its connection.
void HandOnAnswer(client::HttpAnswer answer, http::Response* response);
// An answer of the proxy's own, in the service's form.
void AnswerError(const absl::Status& status, http::Response* response);
// For an answer of the proxy's own that is a success: its headers.
void AnswerOwn(http::Response* response);
// The header x-amz-retry-after; 0: none.
void AddRetryAfter(absl::Duration delay, http::Response* response);
// For a body that the proxy has made, in place of headers about an older one.
void DescribeBody(http::Response* response);

// The body without its content coding; nullopt: it is in none that is known, or is damaged.
// `storage` keeps what is decoded.
std::optional<std::string_view> PlainBody(std::string_view body,
                                          std::optional<std::string_view> coding,
                                          std::string* storage);

}  // namespace dynolith::proxy

#endif  // DYNOLITH_TOOLS_PROXY_CALL_TEXTS_H_
