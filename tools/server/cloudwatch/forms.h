// The three protocols in which programs call CloudWatch (api/facts/cloudwatch.md §2): which one a
// request is in, what it asks for, and the answer in the same one.
#ifndef DYNOLITH_TOOLS_SERVER_CLOUDWATCH_FORMS_H_
#define DYNOLITH_TOOLS_SERVER_CLOUDWATCH_FORMS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tools/server/cloudwatch/call.h"
#include "tools/server/cloudwatch/value.h"
#include "tools/server/http/request.h"
#include "tools/server/http/response.h"

namespace dynolith::cloudwatch {

enum class Form : uint8_t { kCbor, kJson, kQuery };
std::string_view NameOf(Form form);

// nullopt: the request is no call of CloudWatch. `path`: behind the face's own folder.
std::optional<Form> FindForm(const http::Request& request, std::string_view path);

// Of a body. The service's own bound is the same where it has one.
inline constexpr size_t kRequestBytesMax = size_t{1} << 20;

struct CallText {
  Form form = Form::kJson;
  std::string operation;       // "ListMetrics"; as it was sent
  std::optional<Value> input;  // nullopt: the body cannot be read
  bool is_too_large = false;   // then it was not read
};
CallText ReadCall(Form form, const http::Request& request, std::string_view path);

void WriteResult(const CallText& call, const CallResult& result, std::string_view request_id,
                 http::Response* response);

}  // namespace dynolith::cloudwatch

#endif  // DYNOLITH_TOOLS_SERVER_CLOUDWATCH_FORMS_H_
