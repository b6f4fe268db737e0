#include "api/service/changes_admin.h"

#include <charconv>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "api/json/json_writer.h"
#include "api/json/write_structure.h"
#include "api/service/admin_error.h"
#include "api/service/admin_query.h"
#include "api/service/messages.h"
#include "engine/base/errors.h"
#include "engine/base/status_macros.h"
#include "engine/model/shapes.h"

namespace dynolith {
namespace {

constexpr std::string_view kChanges = "/_dynolith/changes";
constexpr size_t kMostUnlessAsked = 100;
constexpr int kMostMax = 1000;
// In a folder a restore waits for calls.
constexpr int kWaitSecondsMax = 1;

struct Asked {
  ChangesFrom from;
  size_t most = kMostUnlessAsked;
  absl::Duration wait;
};

// nullopt: no number between the bounds.
std::optional<double> ReadNumber(std::string_view text, double least, double most) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_number = error == std::errc() && end == text.data() + text.size();
  if (!is_number || !(number >= least && number <= most)) return std::nullopt;
  return number;
}

// nullopt: it has been answered.
std::optional<Asked> ReadAsked(const AdminRequest& request, JsonResponse* answer) {
  const std::optional<AdminParameters> parameters =
      ReadAdminParameters(request, {"table", "after", "oldest", "most", "wait"}, answer);
  if (!parameters) return std::nullopt;
  Asked asked;
  const auto refuse = [answer](std::string_view reason) {
    AnswerAdminError(400, reason, answer);
    return std::nullopt;
  };
  for (const auto& [name, text] : *parameters) {
    if (name == "table") asked.from.table_name = text;
    if (name == "after") asked.from.after = text;
    if (name == "oldest") {
      if (text != "true" && text != "false") return refuse(messages::AdminTrueOrFalse(name));
      asked.from.from_oldest = text == "true";
    }
    if (name == "most") {
      const std::optional<double> most = ReadNumber(text, 1, kMostMax);
      if (!most) return refuse(messages::AdminNumberBetween(name, 1, kMostMax));
      asked.most = static_cast<size_t>(*most);
    }
    if (name == "wait") {
      const std::optional<double> seconds = ReadNumber(text, 0, kWaitSecondsMax);
      if (!seconds) return refuse(messages::AdminNumberBetween(name, 0, kWaitSecondsMax));
      asked.wait = absl::Seconds(*seconds);
    }
  }
  if (asked.from.table_name.empty()) {
    return refuse(messages::AdminParameterWanted(request.path, "table"));
  }
  return asked;
}

void AnswerError(const absl::Status& status, JsonResponse* answer) {
  const ErrorKind kind = KindOf(status);
  const bool is_asked_wrongly = kind == ErrorKind::kValidation || absl::IsInvalidArgument(status);
  const int http_status = kind == ErrorKind::kResourceNotFound    ? 404
                          : kind == ErrorKind::kTrimmedDataAccess ? 410
                          : kind == ErrorKind::kAccessDenied      ? 409  // it follows a writer
                          : is_asked_wrongly                      ? 400
                                                                  : 500;
  AnswerAdminError(http_status, MessageOf(status), answer);
}

// That of the elements of GetRecords' Records.
const Shape& RecordShape() {
  static const Shape& shape = []() -> const Shape& {
    const Shape& output = ShapeAt(FindOperation(Service::kStreams, "GetRecords")->output);
    const auto records = static_cast<size_t>(output.FindMember("Records"));
    return ShapeAt(ShapeAt(output.members()[records].shape).element);
  }();
  return shape;
}

void WriteChanges(std::string_view from, const std::vector<PlacedChange>& changes,
                  std::string_view place, bool has_ended, std::string* body) {
  JsonWriter writer(body);
  writer.BeginObject();
  writer.Key("from");
  writer.String(from);
  writer.Key("changes");
  writer.BeginArray();
  for (const PlacedChange& change : changes) {
    writer.BeginObject();
    writer.Key("place");
    writer.String(change.place);
    writer.Key("record");
    WriteStructure(RecordShape(), &change.record, &writer);
    writer.EndObject();
  }
  writer.EndArray();
  writer.Key("place");
  writer.String(place);
  if (has_ended) {
    writer.Key("ended");
    writer.Bool(true);
  }
  writer.EndObject();
}

}  // namespace

bool ChangesAdmin::IsPath(std::string_view path) { return path == kChanges; }

void ChangesAdmin::Answer(const AdminRequest& request, JsonResponse* answer) const {
  if (request.method != "GET") return AnswerWrongMethod(request.path, "GET", answer);
  if (!request.body.empty()) {
    return AnswerAdminError(400, messages::AdminEmptyBodyWanted(), answer);
  }
  const std::optional<Asked> asked = ReadAsked(request, answer);
  if (!asked) return;
  const absl::StatusOr<std::unique_ptr<ChangeReader>> reader = database_->ReadChanges(asked->from);
  if (!reader.ok()) return AnswerError(reader.status(), answer);
  const std::string from = (*reader)->place();
  const absl::StatusOr<std::vector<PlacedChange>> changes =
      (*reader)->Next(asked->most, asked->wait);
  const bool has_ended = absl::IsOutOfRange(changes.status());
  if (!changes.ok() && !has_ended) return AnswerError(changes.status(), answer);
  WriteChanges(from, has_ended ? std::vector<PlacedChange>() : *changes, (*reader)->place(),
               has_ended, &answer->body);
}

}  // namespace dynolith
