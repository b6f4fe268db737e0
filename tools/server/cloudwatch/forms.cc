#include "tools/server/cloudwatch/forms.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "engine/base/strings.h"
#include "tools/server/cloudwatch/cbor.h"
#include "tools/server/cloudwatch/text_forms.h"

namespace dynolith::cloudwatch {
namespace {

constexpr std::string_view kOperationPath = "/service/GraniteServiceVersion20100801/operation/";
constexpr std::string_view kTargetPrefix = "GraniteServiceVersion20100801.";
constexpr std::string_view kFormType = "application/x-www-form-urlencoded";
constexpr std::string_view kXmlNamespace = "http://monitoring.amazonaws.com/doc/2010-08-01/";
constexpr std::string_view kShapePrefix = "com.amazonaws.cloudwatch.v2010_08_01#";

bool HasType(const http::Request& request, std::string_view wanted) {
  const std::string_view type = request.Find("content-type").value_or("");
  return http::EqualsIgnoreCase(http::Trim(type.substr(0, type.find(';'))), wanted);
}

std::string_view TypeOf(Form form) {
  switch (form) {
    case Form::kCbor:
      return "application/cbor";
    case Form::kJson:
      return "application/x-amz-json-1.0";
    case Form::kQuery:
      break;
  }
  return "text/xml";
}

std::string XmlOfError(const CallError& error, std::string_view request_id) {
  return Concat("<ErrorResponse xmlns=\"", kXmlNamespace, "\"><Error><Type>",
                error.http_status < 500 ? "Sender" : "Receiver", "</Type><Code>",
                EscapeXml(error.code), "</Code><Message>", EscapeXml(error.message),
                "</Message></Error><RequestId>", request_id, "</RequestId></ErrorResponse>");
}

std::string XmlOfOutput(const std::string& operation, const Value& output,
                        std::string_view request_id) {
  // Errors may quote any name; only known operations have outputs.
  std::string text = Concat("<", operation, "Response xmlns=\"", kXmlNamespace, "\">");
  if (output.kind == Value::Kind::kStructure) AppendXml(operation + "Result", output, &text);
  text += Concat("<ResponseMetadata><RequestId>", request_id, "</RequestId></ResponseMetadata></",
                 operation, "Response>");
  return text;
}

void WriteError(const CallText& call, const CallError& error, std::string_view request_id,
                http::Response* response) {
  response->status = error.http_status;
  if (call.form == Form::kQuery) {
    response->body = XmlOfError(error, request_id);
    return;
  }
  Value body = Value::Structure();
  body.Set("__type", Value::Text(Concat(kShapePrefix, error.shape)))
      .Set("message", Value::Text(error.message));
  // By which programs know the code of before there were other protocols.
  response->AddHeader("x-amzn-query-error",
                      Concat(error.code, error.http_status < 500 ? ";Sender" : ";Receiver"));
  if (call.form == Form::kCbor) {
    AppendCbor(body, &response->body);
  } else {
    response->body = PrintJsonForm(body);
  }
}

}  // namespace

std::string_view NameOf(Form form) {
  switch (form) {
    case Form::kCbor:
      return "CBOR";
    case Form::kJson:
      return "JSON object";
    case Form::kQuery:
      break;
  }
  return "form with an Action";
}

std::optional<Form> FindForm(const http::Request& request, std::string_view path) {
  if (request.method != http::Method::kPost) return std::nullopt;
  if (path.starts_with(kOperationPath)) return Form::kCbor;
  if (request.Find("x-amz-target").value_or("").starts_with(kTargetPrefix)) return Form::kJson;
  if (!HasType(request, kFormType)) return std::nullopt;
  const bool is_action =
      request.body.starts_with("Action=") || request.body.find("&Action=") != request.body.npos;
  return is_action ? std::optional(Form::kQuery) : std::nullopt;
}

CallText ReadCall(Form form, const http::Request& request, std::string_view path) {
  CallText call = {.form = form};
  if (request.body.size() > kRequestBytesMax) {
    call.is_too_large = true;
    return call;
  }
  switch (form) {
    case Form::kCbor:
      call.operation = path.substr(kOperationPath.size());
      call.input = request.body.empty() ? Value::Structure() : ParseCbor(request.body);
      break;
    case Form::kJson:
      call.operation = request.Find("x-amz-target").value_or("").substr(kTargetPrefix.size());
      call.input = ParseJsonForm(request.body);
      break;
    case Form::kQuery:
      call.input = ParseQueryForm(request.body);
      if (call.input) {
        const Value* const action = call.input->Find("Action");
        if (action != nullptr) call.operation = action->AsText().value_or("");
      }
      break;
  }
  if (call.input && call.input->kind != Value::Kind::kStructure) call.input.reset();
  return call;
}

void WriteResult(const CallText& call, const CallResult& result, std::string_view request_id,
                 http::Response* response) {
  response->AddHeader("x-amzn-RequestId", request_id);
  if (call.form == Form::kCbor) response->AddHeader("smithy-protocol", "rpc-v2-cbor");
  const auto* const error = std::get_if<CallError>(&result);
  const Value* const output = std::get_if<Value>(&result);
  if (error != nullptr) {
    WriteError(call, *error, request_id, response);
  } else if (call.form == Form::kQuery) {
    response->body = XmlOfOutput(call.operation, *output, request_id);
  } else if (output->kind != Value::Kind::kStructure) {
    // What has no output has no body in these protocols.
    return;
  } else if (call.form == Form::kCbor) {
    AppendCbor(*output, &response->body);
  } else {
    response->body = PrintJsonForm(*output);
  }
  response->AddHeader("Content-Type", TypeOf(call.form));
}

}  // namespace dynolith::cloudwatch
