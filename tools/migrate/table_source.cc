#include "tools/migrate/table_source.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "engine/base/errors.h"
#include "engine/base/status_macros.h"
#include "tools/files/table/create_table.h"
#include "tools/files/table/json_parts.h"
#include "tools/migrate/messages.h"

namespace dynolith::migrate {
namespace {

using designs::ListTree;
using designs::MapTree;
using designs::MemberText;
using designs::SetMember;
using designs::TakeMember;
using designs::TextTree;
using designs::WordTree;

constexpr int kLooksMax = 320;  // ten minutes
constexpr std::string_view kNoTable = "ResourceNotFoundException";

JsonTree NamedTable(std::string_view name) {
  JsonTree input = MapTree();
  SetMember(&input, "TableName", TextTree(name));
  return input;
}

// Whether the service cannot do what it was asked, as opposed to failing at it.
bool IsRefusal(const client::ServiceAnswer& answer) {
  return answer.error != kGivenUp && answer.error != client::kNoAnswer;
}

// Reads the settings of one table.
class SettingsReader {
 public:
  SettingsReader(Side::Caller* caller, TableSource* source) : caller_(caller), source_(source) {}

  absl::Status Run() {
    DYNOLITH_RETURN_IF_ERROR(ReadTags());
    DYNOLITH_RETURN_IF_ERROR(ReadPolicy());
    DYNOLITH_RETURN_IF_ERROR(ReadRecovery());
    return ReadTimeToLive();
  }

 private:
  // nullopt: the service does not tell. `absent`: the error that says that there is nothing.
  absl::StatusOr<std::optional<JsonTree>> Ask(std::string_view operation, const JsonTree& input,
                                              std::string_view absent = {}) {
    client::ServiceAnswer answer = caller_->Call(operation, input);
    if (answer.error.empty()) return std::move(answer.output);
    if (!IsRefusal(answer)) return absl::UnavailableError(answer.message);
    if (answer.error != absent) {
      source_->untold.push_back(messages::MigrateNotTold(operation, answer.error, answer.message));
    }
    return std::nullopt;
  }
  JsonTree Resource() const {
    JsonTree input = MapTree();
    SetMember(&input, "ResourceArn", TextTree(MemberText(source_->description.Find("TableArn"))));
    return input;
  }
  void Add(std::string title, std::string operation, JsonTree input, std::string resource = "") {
    source_->settings.push_back(
        {std::move(title), std::move(operation), std::move(input), std::move(resource)});
  }

  absl::Status ReadTags() {
    JsonTree tags = ListTree();
    JsonTree input = Resource();
    while (true) {
      DYNOLITH_ASSIGN_OR_RETURN(std::optional<JsonTree> page, Ask("ListTagsOfResource", input));
      if (!page) return absl::OkStatus();
      for (JsonTree& tag : TakeMember(&*page, "Tags").elements) tags.elements.push_back(tag);
      const JsonTree* const next = page->Find("NextToken");
      if (MemberText(next).empty()) break;
      SetMember(&input, "NextToken", *next);
    }
    if (tags.elements.empty()) return absl::OkStatus();
    std::string title = messages::MigrateTags(tags.elements.size());
    JsonTree call = MapTree();
    SetMember(&call, "Tags", std::move(tags));
    Add(std::move(title), "TagResource", std::move(call), "ResourceArn");
    return absl::OkStatus();
  }

  absl::Status ReadPolicy() {
    DYNOLITH_ASSIGN_OR_RETURN(const std::optional<JsonTree> answer,
                              Ask("GetResourcePolicy", Resource(), "PolicyNotFoundException"));
    const JsonTree* const policy = answer ? answer->Find("Policy") : nullptr;
    if (policy == nullptr || MemberText(policy).empty()) return absl::OkStatus();
    JsonTree call = MapTree();
    SetMember(&call, "Policy", *policy);
    Add(messages::MigratePolicy(), "PutResourcePolicy", std::move(call), "ResourceArn");
    return absl::OkStatus();
  }

  absl::Status ReadRecovery() {
    DYNOLITH_ASSIGN_OR_RETURN(const std::optional<JsonTree> answer,
                              Ask("DescribeContinuousBackups", NamedTable(source_->name)));
    const JsonTree* const backups = answer ? answer->Find("ContinuousBackupsDescription") : nullptr;
    const JsonTree* const recovery =
        backups == nullptr ? nullptr : backups->Find("PointInTimeRecoveryDescription");
    const bool is_on =
        recovery != nullptr && MemberText(recovery->Find("PointInTimeRecoveryStatus")) == "ENABLED";
    if (!is_on) return absl::OkStatus();
    JsonTree specification = MapTree();
    SetMember(&specification, "PointInTimeRecoveryEnabled", WordTree("true"));
    if (const JsonTree* days = recovery->Find("RecoveryPeriodInDays")) {
      SetMember(&specification, "RecoveryPeriodInDays", *days);
    }
    JsonTree call = NamedTable(source_->name);
    SetMember(&call, "PointInTimeRecoverySpecification", std::move(specification));
    Add(messages::MigrateRecovery(), "UpdateContinuousBackups", std::move(call));
    return absl::OkStatus();
  }

  absl::Status ReadTimeToLive() {
    DYNOLITH_ASSIGN_OR_RETURN(const std::optional<JsonTree> answer,
                              Ask("DescribeTimeToLive", NamedTable(source_->name)));
    const JsonTree* const ttl = answer ? answer->Find("TimeToLiveDescription") : nullptr;
    const std::string_view status =
        ttl == nullptr ? std::string_view() : MemberText(ttl->Find("TimeToLiveStatus"));
    const JsonTree* const attribute = ttl == nullptr ? nullptr : ttl->Find("AttributeName");
    if ((status != "ENABLED" && status != "ENABLING") || attribute == nullptr) {
      return absl::OkStatus();
    }
    JsonTree specification = MapTree();
    SetMember(&specification, "AttributeName", *attribute);
    SetMember(&specification, "Enabled", WordTree("true"));
    JsonTree call = NamedTable(source_->name);
    SetMember(&call, "TimeToLiveSpecification", std::move(specification));
    Add(messages::MigrateTimeToLive(attribute->text), "UpdateTimeToLive", std::move(call));
    return absl::OkStatus();
  }

  Side::Caller* const caller_;
  TableSource* const source_;
};

// Members that some services do not know, the least needed first.
constexpr std::string_view kOptionalMembers[] = {"WarmThroughput",
                                                 "OnDemandThroughput",
                                                 "TableClass",
                                                 "SSESpecification",
                                                 "ResourcePolicy",
                                                 "DeletionProtectionEnabled",
                                                 "GlobalTableSettingsReplicationMode",
                                                 "StreamSpecification",
                                                 "VectorIndexes"};

// Some services describe indexes that are none, and others refuse them.
void DropEmptyLists(JsonTree* input) {
  for (const std::string_view kind : {"GlobalSecondaryIndexes", "LocalSecondaryIndexes"}) {
    const JsonTree* const indexes = input->Find(kind);
    if (indexes != nullptr && indexes->elements.empty()) designs::RemoveMember(input, kind);
  }
}

void DropFromIndexes(JsonTree* input, std::string_view member) {
  JsonTree* const indexes = input->Find("GlobalSecondaryIndexes");
  if (indexes == nullptr) return;
  for (JsonTree& index : indexes->elements) designs::RemoveMember(&index, member);
}

}  // namespace

uint64_t ToCount(const JsonTree* tree) {
  return std::strtoull(std::string(MemberText(tree)).c_str(), nullptr, 10);
}

std::string TableSource::StreamView() const {
  const JsonTree* const stream = description.Find("StreamSpecification");
  const bool is_on = stream != nullptr && MemberText(stream->Find("StreamEnabled")) == "true";
  return is_on ? std::string(MemberText(stream->Find("StreamViewType"))) : "";
}

std::string TableSource::StreamArn() const {
  return std::string(MemberText(description.Find("LatestStreamArn")));
}

std::string TableSource::TimeToLiveAttribute() const {
  for (const TableSetting& setting : settings) {
    if (setting.operation != "UpdateTimeToLive") continue;
    return setting.input.Find("TimeToLiveSpecification")->Find("AttributeName")->text;
  }
  return "";
}

absl::StatusOr<std::vector<std::string>> ListTables(Side::Caller* caller) {
  std::vector<std::string> tables;
  JsonTree input = MapTree();
  while (true) {
    DYNOLITH_ASSIGN_OR_RETURN(const JsonTree page, caller->Ask("ListTables", input));
    if (const JsonTree* const names = page.Find("TableNames")) {
      for (const JsonTree& name : names->elements) tables.push_back(name.text);
    }
    const JsonTree* const last = page.Find("LastEvaluatedTableName");
    if (MemberText(last).empty()) return tables;
    SetMember(&input, "ExclusiveStartTableName", *last);
  }
}

absl::StatusOr<TableSource> ReadTableSource(Side::Caller* caller, const std::string& name) {
  TableSource source;
  source.name = name;
  DYNOLITH_ASSIGN_OR_RETURN(JsonTree answer, caller->Ask("DescribeTable", NamedTable(name)));
  source.description = TakeMember(&answer, "Table");
  source.create = designs::ToCreateTableCall(source.description);
  DropEmptyLists(&source.create);
  source.keys = excerpt::ToTableKeys(source.description);
  source.items = ToCount(source.description.Find("ItemCount"));
  source.bytes = ToCount(source.description.Find("TableSizeBytes"));
  DYNOLITH_RETURN_IF_ERROR(SettingsReader(caller, &source).Run());
  return source;
}

absl::StatusOr<std::optional<JsonTree>> DescribeTable(Side* side, Side::Caller* caller,
                                                      const std::string& name) {
  client::ServiceAnswer answer = caller->Call("DescribeTable", NamedTable(name));
  if (answer.error == kNoTable) return std::nullopt;
  if (!answer.error.empty()) return side->ToStatus("DescribeTable", answer);
  return TakeMember(&answer.output, "Table");
}

absl::StatusOr<JsonTree> AwaitActive(Side* side, Side::Caller* caller, const std::string& name) {
  for (int look = 1; look <= kLooksMax; ++look) {
    DYNOLITH_ASSIGN_OR_RETURN(std::optional<JsonTree> table, DescribeTable(side, caller, name));
    const bool is_active = table && MemberText(table->Find("TableStatus")) == "ACTIVE";
    if (is_active) return *std::move(table);
    if (side->is_over()()) return absl::CancelledError(messages::MigrateStopped());
    client::WaitBeforeLook(look);
  }
  return absl::DeadlineExceededError(messages::MigrateNotActive(side->place(), name));
}

absl::Status MakeTable(Side* to, const TableSource& source,
                       const std::function<void(const std::string& text)>& warn) {
  Side::Caller caller = to->Connect();
  JsonTree input = source.create;
  std::vector<std::string> left_out;
  client::ServiceAnswer answer = caller.Call("CreateTable", input);
  const auto is_misunderstood = [&] {
    return answer.error == "ValidationException" || answer.error == "SerializationException" ||
           answer.error == "UnsupportedOperationException";
  };
  for (const std::string_view member : kOptionalMembers) {
    if (!is_misunderstood()) break;
    const std::string before = PrintJson(input);
    designs::RemoveMember(&input, member);
    DropFromIndexes(&input, member);
    if (PrintJson(input) == before) continue;
    left_out.push_back(messages::MigrateLeftOut(source.name, member, answer.message));
    answer = caller.Call("CreateTable", input);
  }
  // Of a call whose answer was lost.
  const bool is_made = answer.error.empty() || answer.error == "ResourceInUseException";
  if (!is_made) return to->ToStatus("CreateTable", answer);
  for (const std::string& text : left_out) warn(text);
  return AwaitActive(to, &caller, source.name).status();
}

absl::Status ApplySettings(Side* to, const TableSource& source,
                           const std::function<void(const std::string& text)>& warn) {
  Side::Caller caller = to->Connect();
  DYNOLITH_ASSIGN_OR_RETURN(const JsonTree table, AwaitActive(to, &caller, source.name));
  for (const TableSetting& setting : source.settings) {
    JsonTree input = setting.input;
    if (!setting.resource_member.empty()) {
      SetMember(&input, setting.resource_member, TextTree(MemberText(table.Find("TableArn"))));
    }
    const client::ServiceAnswer answer = caller.Call(setting.operation, input);
    if (answer.error.empty()) continue;
    if (!IsRefusal(answer)) return to->ToStatus(setting.operation, answer);
    // Of a run before, or of a call whose answer was lost.
    const bool is_so_already = answer.error == "ValidationException" &&
                               setting.operation == "UpdateTimeToLive" &&
                               answer.message.find("already enabled") != std::string::npos;
    if (!is_so_already) {
      warn(messages::MigrateNotSet(source.name, setting.title, answer.error, answer.message));
    }
  }
  return absl::OkStatus();
}

}  // namespace dynolith::migrate
