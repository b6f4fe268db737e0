#include "tools/migrate/bucket_copy.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/remote/remote_service.h"
#include "api/remote/server_address.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "tools/files/table/json_parts.h"
#include "tools/migrate/bulk_copy.h"
#include "tools/migrate/messages.h"

namespace dynolith::migrate {
namespace {

using designs::MapTree;
using designs::MemberText;
using designs::SetMember;
using designs::TakeMember;
using designs::TextTree;

// The members of TableCreationParameters.
constexpr std::string_view kImported[] = {
    "TableName",        "AttributeDefinitions",  "KeySchema",
    "BillingMode",      "ProvisionedThroughput", "OnDemandThroughput",
    "SSESpecification", "GlobalSecondaryIndexes"};
// What a table can be made with only.
constexpr std::string_view kNeverImported[] = {"LocalSecondaryIndexes", "VectorIndexes"};
// What UpdateTable gives it afterwards.
constexpr std::string_view kGivenLater[] = {"TableClass", "DeletionProtectionEnabled"};
// Of a failed import, whose table has all items but the wrong ones.
constexpr std::string_view kWrongItems = "ItemValidationError";

struct BucketName {
  std::string bucket;
  std::string prefix;  // without a slash at its end
};

BucketName ReadBucketName(std::string_view text) {
  const size_t slash = text.find('/');
  if (slash == std::string_view::npos) return {.bucket = std::string(text), .prefix = ""};
  std::string_view prefix = text.substr(slash + 1);
  while (prefix.ends_with('/')) prefix.remove_suffix(1);
  return {.bucket = std::string(text.substr(0, slash)), .prefix = std::string(prefix)};
}

class BucketCopy {
 public:
  BucketCopy(Work* work, const TableSource& source)
      : work_(work),
        source_(source),
        bucket_(ReadBucketName(work->options().bucket)),
        from_(work->from()->Connect()),
        to_(work->to()->Connect()) {}

  absl::Status Run() {
    if (State().token.empty()) {
      DYNOLITH_RETURN_IF_ERROR(Begin());
    }
    if (State().exported.empty()) DYNOLITH_RETURN_IF_ERROR(BeginExport());
    if (State().imported.empty()) {
      DYNOLITH_ASSIGN_OR_RETURN(const std::string data, AwaitExport());
      DYNOLITH_RETURN_IF_ERROR(BeginImport(data));
    }
    DYNOLITH_RETURN_IF_ERROR(AwaitImport());
    DYNOLITH_RETURN_IF_ERROR(GiveStream(work_, source_));
    DYNOLITH_RETURN_IF_ERROR(GiveTheRest());
    work_->state()->Change([&](MigrationState* state) {
      TableState& table = state->tables[source_.name];
      table.is_made = true;
      table.segments.assign(work_->options().segments, {.is_done = true, .after = ""});
    });
    return work_->state()->Save();
  }

 private:
  BucketState State() const { return work_->state()->Get(source_.name).bucket; }
  absl::Status Note(const std::function<void(BucketState* state)>& change) {
    work_->state()->Change(
        [&](MigrationState* state) { change(&state->tables[source_.name].bucket); });
    return work_->state()->Save();
  }

  // The segments tell the next run that positions in the stream are older than the export.
  absl::Status Begin() {
    work_->state()->Change([&](MigrationState* state) {
      TableState& table = state->tables[source_.name];
      table.bucket = {.token = client::NewToken(), .exported = "", .imported = ""};
      table.segments.assign(work_->options().segments, SegmentState());
      table.items = 0;
      table.refused = 0;
    });
    return work_->state()->Save();
  }

  absl::Status BeginExport() {
    JsonTree input = MapTree();
    SetMember(&input, "TableArn", TextTree(MemberText(source_.description.Find("TableArn"))));
    SetMember(&input, "ClientToken", TextTree(State().token));
    SetMember(&input, "S3Bucket", TextTree(bucket_.bucket));
    if (!bucket_.prefix.empty()) SetMember(&input, "S3Prefix", TextTree(bucket_.prefix));
    SetMember(&input, "ExportFormat", TextTree("DYNAMODB_JSON"));
    DYNOLITH_ASSIGN_OR_RETURN(const JsonTree answer, from_.Ask("ExportTableToPointInTime", input));
    const JsonTree* const description = answer.Find("ExportDescription");
    const std::string arn(description == nullptr ? "" : MemberText(description->Find("ExportArn")));
    work_->Say(messages::MigrateExporting(source_.name, arn));
    return Note([&](BucketState* state) { state->exported = arn; });
  }

  // The prefix of the export's data files.
  absl::StatusOr<std::string> AwaitExport() {
    const std::string arn = State().exported;
    DYNOLITH_ASSIGN_OR_RETURN(const JsonTree description,
                              Await(work_->from(), &from_, "DescribeExport", "ExportArn", arn,
                                    "ExportDescription", "ExportStatus"));
    if (MemberText(description.Find("ExportStatus")) != "COMPLETED") {
      return Failed(work_->from(), arn, description);
    }
    // "PREFIX/AWSDynamoDB/ID/manifest-summary.json"
    const std::string_view manifest = MemberText(description.Find("ExportManifest"));
    return Concat(manifest.substr(0, manifest.rfind('/') + 1), "data/");
  }

  absl::Status BeginImport(std::string_view data) {
    JsonTree bucket = MapTree();
    SetMember(&bucket, "S3Bucket", TextTree(bucket_.bucket));
    SetMember(&bucket, "S3KeyPrefix", TextTree(data));
    JsonTree parameters = MapTree();
    for (const std::string_view member : kImported) {
      const JsonTree* const value = source_.create.Find(member);
      if (value != nullptr) SetMember(&parameters, member, *value);
    }
    JsonTree input = MapTree();
    SetMember(&input, "ClientToken", TextTree(State().token));
    SetMember(&input, "S3BucketSource", std::move(bucket));
    SetMember(&input, "InputFormat", TextTree("DYNAMODB_JSON"));
    SetMember(&input, "InputCompressionType", TextTree("GZIP"));
    SetMember(&input, "TableCreationParameters", std::move(parameters));
    const client::ServiceAnswer answer = to_.Call("ImportTable", input);
    std::string arn;
    if (answer.error.empty()) {
      const JsonTree* const description = answer.output.Find("ImportTableDescription");
      arn = description == nullptr ? "" : MemberText(description->Find("ImportArn"));
    } else if (answer.error == "ResourceInUseException") {
      DYNOLITH_ASSIGN_OR_RETURN(arn, FindImport());
    }
    if (arn.empty()) return work_->to()->ToStatus("ImportTable", answer);
    work_->Say(messages::MigrateImporting(source_.name, arn));
    return Note([&](BucketState* state) { state->imported = arn; });
  }

  // The import with our token, if the call that began it was not answered. Empty: there is none.
  absl::StatusOr<std::string> FindImport() {
    JsonTree list = MapTree();
    while (true) {
      DYNOLITH_ASSIGN_OR_RETURN(const JsonTree page, to_.Ask("ListImports", list));
      const JsonTree* const imports = page.Find("ImportSummaryList");
      for (const JsonTree& each :
           imports == nullptr ? std::vector<JsonTree>() : imports->elements) {
        const JsonTree* const arn = each.Find("ImportArn");
        if (arn == nullptr) continue;
        JsonTree input = MapTree();
        SetMember(&input, "ImportArn", *arn);
        DYNOLITH_ASSIGN_OR_RETURN(const JsonTree answer, to_.Ask("DescribeImport", input));
        const JsonTree* const description = answer.Find("ImportTableDescription");
        if (description == nullptr) continue;
        if (MemberText(description->Find("ClientToken")) == State().token) return arn->text;
      }
      const JsonTree* const next = page.Find("NextToken");
      if (MemberText(next).empty()) return "";
      SetMember(&list, "NextToken", *next);
    }
  }

  absl::Status AwaitImport() {
    const std::string arn = State().imported;
    DYNOLITH_ASSIGN_OR_RETURN(const JsonTree description,
                              Await(work_->to(), &to_, "DescribeImport", "ImportArn", arn,
                                    "ImportTableDescription", "ImportStatus"));
    const bool has_wrong_items = MemberText(description.Find("FailureCode")) == kWrongItems;
    if (MemberText(description.Find("ImportStatus")) != "COMPLETED" && !has_wrong_items) {
      return Failed(work_->to(), arn, description);
    }
    const uint64_t errors = ToCount(description.Find("ErrorCount"));
    const uint64_t items = ToCount(description.Find("ImportedItemCount"));
    work_->state()->Change([&](MigrationState* state) {
      TableState& table = state->tables[source_.name];
      table.items = items;
      // One more is counted where it is told.
      table.refused = errors == 0 ? 0 : errors - 1;
    });
    *work_->done() += items;
    if (errors > 0) {
      work_->Refuse(source_.name, messages::MigrateImportErrors(source_.name, errors, arn));
    }
    return absl::OkStatus();
  }

  // The description, once the transfer has ended.
  absl::StatusOr<JsonTree> Await(Side* side, Side::Caller* caller, std::string_view operation,
                                 std::string_view name, std::string_view arn,
                                 std::string_view member, std::string_view status) {
    JsonTree input = MapTree();
    SetMember(&input, name, TextTree(arn));
    for (int look = 1;; ++look) {
      DYNOLITH_ASSIGN_OR_RETURN(JsonTree answer, caller->Ask(operation, input));
      JsonTree description = TakeMember(&answer, member);
      const std::string_view now = MemberText(description.Find(status));
      if (!now.empty() && now != "IN_PROGRESS" && now != "CANCELLING") return description;
      if (side->is_over()()) return absl::CancelledError(messages::MigrateStopped());
      work_->ShowProgress();
      client::WaitBeforeLook(look);
    }
  }

  // The next run begins anew.
  absl::Status Failed(Side* side, std::string_view arn, const JsonTree& description) {
    DYNOLITH_RETURN_IF_ERROR(Note([](BucketState* state) { *state = BucketState(); }));
    return absl::FailedPreconditionError(messages::MigrateTransferFailed(
        side->place(), arn, MemberText(description.Find("FailureCode")),
        MemberText(description.Find("FailureMessage"))));
  }

  absl::Status GiveTheRest() {
    for (const std::string_view member : kGivenLater) {
      const JsonTree* const value = source_.create.Find(member);
      if (value == nullptr) continue;
      JsonTree input = MapTree();
      SetMember(&input, "TableName", TextTree(source_.name));
      SetMember(&input, member, *value);
      DYNOLITH_RETURN_IF_ERROR(AwaitActive(work_->to(), &to_, source_.name).status());
      const client::ServiceAnswer answer = to_.Call("UpdateTable", input);
      if (answer.error.empty()) continue;
      if (answer.error == kGivenUp || answer.error == client::kNoAnswer) {
        return work_->to()->ToStatus("UpdateTable", answer);
      }
      work_->Warn(messages::MigrateNotSet(source_.name, member, answer.error, answer.message));
    }
    return AwaitActive(work_->to(), &to_, source_.name).status();
  }

  Work* const work_;
  const TableSource& source_;
  const BucketName bucket_;
  Side::Caller from_;
  Side::Caller to_;
};

}  // namespace

absl::Status CheckBucket(const MigrationOptions& options) {
  if (options.bucket.empty()) return absl::OkStatus();
  if (!http::IsServerUrl(options.from.place) || !http::IsServerUrl(options.to.place)) {
    return absl::InvalidArgumentError(messages::MigrateBucketOfEndpoints());
  }
  if (!options.excerpt.IsAll()) {
    return absl::InvalidArgumentError(messages::MigrateBucketOfParts());
  }
  if (ReadBucketName(options.bucket).bucket.empty()) {
    return absl::InvalidArgumentError(messages::MigrateBucketBad(options.bucket));
  }
  return absl::OkStatus();
}

std::string_view NeverImported(const TableSource& source) {
  for (const std::string_view member : kNeverImported) {
    if (source.create.Find(member) != nullptr) return member;
  }
  return "";
}

absl::StatusOr<bool> CopyByBucket(Work* work, const TableSource& source) {
  const std::string_view obstacle = NeverImported(source);
  if (!obstacle.empty()) {
    work->Warn(messages::MigrateNotImported(source.name, obstacle));
    return false;
  }
  DYNOLITH_RETURN_IF_ERROR(BucketCopy(work, source).Run());
  return true;
}

}  // namespace dynolith::migrate
