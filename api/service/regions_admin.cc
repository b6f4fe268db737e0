#include "api/service/regions_admin.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "api/json/json_writer.h"
#include "api/service/admin_error.h"
#include "api/service/clock_admin.h"
#include "api/service/messages.h"
#include "api/service/snapshot_admin.h"
#include "dynolith/regions.h"
#include "engine/base/errors.h"
#include "engine/base/status_macros.h"
#include "engine/text/json_tree.h"

namespace dynolith {
namespace {

constexpr std::string_view kRegions = "/_dynolith/regions";
constexpr std::string_view kDials[] = {"/lag", "/cut", "/overlap", "/release", "/skew", "/settle"};
// Some 30 years: a lag is added to times.
constexpr double kSecondsMax = 1e9;

// The members of a dial's body, each of which is used once.
class DialBody {
 public:
  static absl::StatusOr<DialBody> Read(std::string_view body) {
    DialBody read;
    if (body.empty()) return read;
    std::optional<JsonTree> tree = ParseJson(body, /*depth_max=*/1);
    if (!tree || tree->kind != JsonTree::Kind::kMap) return Wrong();
    read.members_ = std::move(tree->members);
    return read;
  }

  absl::Status Text(std::string_view name, std::string* to) {
    const std::optional<JsonTree> value = Take(name);
    if (!value) return absl::OkStatus();
    if (value->kind != JsonTree::Kind::kString) return Wrong();
    *to = value->text;
    return absl::OkStatus();
  }
  absl::Status Seconds(std::string_view name, std::optional<absl::Duration>* to) {
    const std::optional<JsonTree> value = Take(name);
    if (!value) return absl::OkStatus();
    double number = 0;
    const char* const end = value->text.data() + value->text.size();
    const auto parsed = std::from_chars(value->text.data(), end, number);
    const bool is_number = value->kind == JsonTree::Kind::kOther && parsed.ec == std::errc() &&
                           parsed.ptr == end && std::abs(number) <= kSecondsMax;
    if (!is_number) return Wrong();
    *to = absl::Seconds(number);
    return absl::OkStatus();
  }
  absl::Status Seed(std::string_view name, uint64_t* to) {
    const std::optional<JsonTree> value = Take(name);
    if (!value) return absl::OkStatus();
    const char* const end = value->text.data() + value->text.size();
    const auto parsed = std::from_chars(value->text.data(), end, *to);
    const bool is_number =
        value->kind == JsonTree::Kind::kOther && parsed.ec == std::errc() && parsed.ptr == end;
    return is_number ? absl::OkStatus() : Wrong();
  }
  absl::Status Flag(std::string_view name, bool* to) {
    const std::optional<JsonTree> value = Take(name);
    if (!value) return absl::OkStatus();
    if (value->kind != JsonTree::Kind::kOther) return Wrong();
    if (value->text != "true" && value->text != "false") return Wrong();
    *to = value->text == "true";
    return absl::OkStatus();
  }
  // Nothing is left.
  absl::Status End() const { return members_.empty() ? absl::OkStatus() : Wrong(); }

  static absl::Status Wrong() {
    return absl::InvalidArgumentError(messages::RegionDialBodyWanted());
  }

 private:
  std::optional<JsonTree> Take(std::string_view name) {
    for (auto it = members_.begin(); it != members_.end(); ++it) {
      if (it->name != name) continue;
      JsonTree value = std::move(it->value);
      members_.erase(it);
      return value;
    }
    return std::nullopt;
  }

  std::vector<JsonTree::Member> members_;
};

// Names that are given must be served.
absl::Status CheckServed(const NamedDatabases& databases, std::string_view region) {
  if (region.empty() || databases.FindRegion(region) != nullptr) return absl::OkStatus();
  return absl::NotFoundError(messages::NoSuchRegion(region));
}

absl::StatusOr<bool> HasWitness(const NamedDatabases& databases, std::string_view region) {
  DYNOLITH_ASSIGN_OR_RETURN(const std::vector<GlobalTable> tables, databases.group()->Tables());
  return std::any_of(tables.begin(), tables.end(),
                     [&](const GlobalTable& table) { return table.witness == region; });
}

absl::Status TurnOverlap(const NamedDatabases& databases, DialBody body) {
  std::optional<absl::Duration> overlap;
  DYNOLITH_RETURN_IF_ERROR(body.Seconds("seconds", &overlap));
  DYNOLITH_RETURN_IF_ERROR(body.End());
  return overlap ? databases.group()->SetOverlap(*overlap) : DialBody::Wrong();
}

absl::Status TurnLag(const NamedDatabases& databases, DialBody body) {
  std::string from;
  std::string to;
  std::optional<absl::Duration> least;
  std::optional<absl::Duration> most;
  ReplicaLag lag;
  DYNOLITH_RETURN_IF_ERROR(body.Text("from", &from));
  DYNOLITH_RETURN_IF_ERROR(body.Text("to", &to));
  DYNOLITH_RETURN_IF_ERROR(body.Seconds("seconds", &least));
  DYNOLITH_RETURN_IF_ERROR(body.Seconds("most", &most));
  DYNOLITH_RETURN_IF_ERROR(body.Seed("seed", &lag.seed));
  DYNOLITH_RETURN_IF_ERROR(body.Flag("paused", &lag.is_paused));
  DYNOLITH_RETURN_IF_ERROR(body.End());
  if (!least && !most && !lag.is_paused) return DialBody::Wrong();
  DYNOLITH_RETURN_IF_ERROR(CheckServed(databases, from));
  DYNOLITH_RETURN_IF_ERROR(CheckServed(databases, to));
  lag.least = least.value_or(absl::ZeroDuration());
  lag.most = most.value_or(lag.least);
  return databases.group()->SetLag(from, to, lag);
}

absl::Status TurnOfRegion(const NamedDatabases& databases, std::string_view dial, DialBody body) {
  std::string region;
  std::optional<absl::Duration> skew;
  DYNOLITH_RETURN_IF_ERROR(body.Text("region", &region));
  if (dial == "/skew") DYNOLITH_RETURN_IF_ERROR(body.Seconds("seconds", &skew));
  DYNOLITH_RETURN_IF_ERROR(body.End());
  if (region.empty() || (dial == "/skew" && !skew)) return DialBody::Wrong();
  if (skew) {
    DYNOLITH_RETURN_IF_ERROR(CheckServed(databases, region));
    return databases.group()->SetSkew(region, *skew);
  }
  DYNOLITH_ASSIGN_OR_RETURN(const bool has_witness, HasWitness(databases, region));
  if (!has_witness) DYNOLITH_RETURN_IF_ERROR(CheckServed(databases, region));
  databases.group()->SetCut(region, true);
  return absl::OkStatus();
}

// By the clock of the region that has made what is pending.
absl::Duration FindLag(const NamedDatabases& databases, const ReplicaLink& link) {
  if (!link.oldest) return absl::ZeroDuration();
  const auto database = databases.FindRegion(link.from);
  const DatabaseInstance::Use use = database->Begin();
  const absl::Time now = use && use.clock() != nullptr ? use.clock()->Now() : absl::Now();
  return std::max(now - *link.oldest, absl::ZeroDuration());
}

void ShowLink(const ReplicaLink& link, absl::Duration behind, JsonWriter* writer) {
  writer->BeginObject();
  writer->Key("from");
  writer->String(link.from);
  writer->Key("to");
  writer->String(link.to);
  writer->Key("pending");
  writer->Integer(link.pending);
  if (link.oldest) {
    writer->Key("oldest");
    writer->Timestamp(*link.oldest);
  }
  writer->Key("behind_milliseconds");
  writer->Integer(absl::ToInt64Milliseconds(behind));
  writer->Key("arrived");
  writer->Integer(link.arrived);
  writer->Key("lost");
  writer->Integer(link.lost);
  writer->Key("least_milliseconds");
  writer->Integer(absl::ToInt64Milliseconds(link.lag.least));
  writer->Key("most_milliseconds");
  writer->Integer(absl::ToInt64Milliseconds(link.lag.most));
  writer->Key("paused");
  writer->Bool(link.lag.is_paused);
  writer->Key("cut");
  writer->Bool(link.is_cut);
  writer->EndObject();
}

void ShowTable(const GlobalTable& table, JsonWriter* writer) {
  writer->BeginObject();
  writer->Key("name");
  writer->String(table.name);
  writer->Key("consistency");
  writer->String(table.is_strong ? "STRONG" : "EVENTUAL");
  writer->Key("regions");
  writer->BeginArray();
  for (const std::string& region : table.regions) writer->String(region);
  writer->EndArray();
  if (!table.witness.empty()) {
    writer->Key("witness");
    writer->String(table.witness);
  }
  writer->EndObject();
}

}  // namespace

bool RegionsAdmin::IsPath(std::string_view path) {
  if (!path.starts_with(kRegions)) return false;
  path.remove_prefix(kRegions.size());
  for (const std::string_view dial : kDials) {
    if (path == dial) return true;
  }
  return path.empty();
}

void RegionsAdmin::Answer(const AdminRequest& request, JsonResponse* answer) const {
  if (request.path == kRegions) {
    if (request.method == "GET") return Show(answer);
    return AnswerWrongMethod(request.path, "GET", answer);
  }
  if (request.method != "POST") return AnswerWrongMethod(request.path, "POST", answer);
  if (databases_->group() == nullptr) {
    return AnswerAdminError(409, messages::OnlyOneRegion(), answer);
  }
  const absl::Status status = Turn(request.path.substr(kRegions.size()), request.body);
  if (!status.ok()) return AnswerStateError(status, answer);
  answer->body = kNothing;
}

bool RegionsAdmin::AnswerOf(DatabaseInstance* database, const AdminRequest& request,
                            JsonResponse* answer) const {
  const bool is_change = request.method != "GET" && databases_->IsOfRegion(*database);
  if (is_change && SnapshotAdmin::IsPath(request.path)) {
    AnswerAdminError(409, messages::RegionsHaveOneClock("a snapshot"), answer);
    return true;
  }
  if (!database->Answer(request, answer)) return false;
  if (!is_change || !ClockAdmin::IsPath(request.path) || answer->http_status != 200) return true;
  const absl::Status status = databases_->AlignClocks();
  if (status.ok()) return true;
  *answer = JsonResponse();
  AnswerAdminError(500, MessageOf(status), answer);
  return true;
}

absl::Status RegionsAdmin::Turn(std::string_view dial, std::string_view text) const {
  DYNOLITH_ASSIGN_OR_RETURN(DialBody body, DialBody::Read(text));
  if (dial == "/lag") return TurnLag(*databases_, std::move(body));
  if (dial == "/overlap") return TurnOverlap(*databases_, std::move(body));
  if (dial == "/cut" || dial == "/skew") return TurnOfRegion(*databases_, dial, std::move(body));
  DYNOLITH_RETURN_IF_ERROR(body.End());
  if (dial == "/settle") return databases_->group()->Settle();
  databases_->group()->Release();
  return absl::OkStatus();
}

void RegionsAdmin::Show(JsonResponse* answer) const {
  std::vector<ReplicaLink> links;
  std::vector<GlobalTable> tables;
  Regions* const group = databases_->group();
  if (group != nullptr) {
    auto report = group->Report();
    if (!report.ok()) return AnswerStateError(report.status(), answer);
    links = *std::move(report);
    auto listed = group->Tables();
    if (!listed.ok()) return AnswerStateError(listed.status(), answer);
    tables = *std::move(listed);
  }
  JsonWriter writer(&answer->body);
  writer.BeginObject();
  writer.Key("regions");
  writer.BeginArray();
  for (const std::string& name : databases_->RegionNames()) {
    const auto database = databases_->FindRegion(name);
    const DatabaseInstance::Use use = database->Begin();
    writer.BeginObject();
    writer.Key("name");
    writer.String(name);
    writer.Key("tables");
    writer.Integer(use ? static_cast<int64_t>(use.database()->TakeStatistics().tables) : 0);
    writer.Key("conflicts");
    writer.Integer(group != nullptr ? group->Conflicts(name) : 0);
    writer.EndObject();
  }
  writer.EndArray();
  writer.Key("links");
  writer.BeginArray();
  for (const ReplicaLink& link : links) ShowLink(link, FindLag(*databases_, link), &writer);
  writer.EndArray();
  writer.Key("tables");
  writer.BeginArray();
  for (const GlobalTable& table : tables) ShowTable(table, &writer);
  writer.EndArray();
  writer.EndObject();
}

}  // namespace dynolith
