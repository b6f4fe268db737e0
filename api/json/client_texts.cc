#include "api/json/client_texts.h"

#include <optional>

#include "api/json/fields.h"
#include "api/json/json_parser.h"
#include "api/json/json_writer.h"
#include "api/json/messages.h"
#include "api/json/read_structure.h"
#include "api/json/type_checks.h"
#include "api/json/value_reader.h"
#include "api/json/write_structure.h"
#include "engine/base/errors.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/value/attachments.h"

namespace dynolith {
namespace {

constexpr int kServerErrors = 500;
// Behind a larger answer the thread's memory is given back.
constexpr size_t kKeptAnswerBytesMax = 1 << 20;

// The parser of the answers that a thread reads.
class AnswerParser {
 public:
  explicit AnswerParser(std::string_view body) : is_large_(body.size() > kKeptAnswerBytesMax) {
    std::optional<JsonValue> root = OfThread().Parse(body);
    if (root && root->is_object()) root_ = AsObject(*root);
  }
  AnswerParser(const AnswerParser&) = delete;
  AnswerParser& operator=(const AnswerParser&) = delete;
  ~AnswerParser() {
    if (!is_large_) return;
    OfThread().ReleaseMemory();
    ValueReader::ReleaseThreadMemory();
  }

  const std::optional<JsonObject>& root() const { return root_; }

 private:
  static JsonParser& OfThread() {
    thread_local JsonParser parser;
    return parser;
  }

  const bool is_large_;
  std::optional<JsonObject> root_;
};

// Empty if there is none, or if it is no text.
std::string_view TextMember(const JsonObject& object, std::string_view name) {
  JsonValue value;
  if (object[name].get(value) != simdjson::SUCCESS || !value.is_string()) return "";
  return AsText(value);
}

std::optional<ErrorKind> FindErrorKind(std::string_view exception_name) {
  for (int i = 0; i <= static_cast<int>(ErrorKind::kInternalServerError); ++i) {
    const auto kind = static_cast<ErrorKind>(i);
    if (InfoOf(kind).exception_name == exception_name) return kind;
  }
  return std::nullopt;
}

void ReadAttachment(const JsonObject& error, std::string_view member, Attachment attachment,
                    absl::Status* status) {
  JsonValue value;
  if (error[member].get(value) != simdjson::SUCCESS || value.is_null()) return;
  AttachJson(attachment, simdjson::minify(value), status);
}

absl::Status UnknownFailure(int http_status, std::string_view text) {
  return http_status >= kServerErrors ? absl::UnavailableError(ToAbsl(text))
                                      : absl::UnknownError(ToAbsl(text));
}

}  // namespace

void WriteRequest(const OperationShape& operation, const void* request, std::string* body) {
  JsonWriter writer(body);
  WriteStructure(ShapeAt(operation.input), request, &writer);
}

absl::Status ReadAnswer(const OperationShape& operation, std::string_view body, void* output) {
  if (output == nullptr) return absl::OkStatus();
  const AnswerParser parser(body);
  if (!parser.root()) return absl::DataLossError(messages::AnswerIsNotJson());
  const Fields fields(ShapeAt(operation.output), *parser.root());
  if (const absl::Status typed = CheckTypes(fields); !typed.ok()) {
    return absl::DataLossError(messages::AnswerOfOtherTypes(MessageOf(typed)));
  }
  return ReadOutput(fields, output);
}

absl::Status ReadFailure(int http_status, std::string_view body) {
  const AnswerParser parser(body);
  if (!parser.root()) return UnknownFailure(http_status, messages::ErrorWithoutName(http_status));
  const JsonObject& error = *parser.root();
  std::string_view name = TextMember(error, "__type");
  if (name.empty()) return UnknownFailure(http_status, messages::ErrorWithoutName(http_status));
  name.remove_prefix(name.find('#') + 1);
  std::string_view message = TextMember(error, "message");
  if (message.empty()) message = TextMember(error, "Message");
  const std::optional<ErrorKind> kind = FindErrorKind(name);
  absl::Status status = kind ? MakeError(*kind, message)
                             : UnknownFailure(http_status, messages::ErrorOfName(name, message));
  ReadAttachment(error, "Item", Attachment::kItem, &status);
  ReadAttachment(error, "CancellationReasons", Attachment::kReasons, &status);
  ReadAttachment(error, "ThrottlingReasons", Attachment::kThrottling, &status);
  ReadAttachment(error, "throttlingReasons", Attachment::kThrottling, &status);
  return status;
}

}  // namespace dynolith
