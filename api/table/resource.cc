#include "api/table/resource.h"

#include <utility>

#include "api/request/arn.h"
#include "api/request/messages.h"
#include "api/table/messages.h"
#include "api/table/shard_tags.h"
#include "api/table/table_lifecycle.h"
#include "api/table/table_status.h"
#include "engine/base/errors.h"
#include "engine/base/status_macros.h"
#include "engine/catalog/table_states.h"
#include "index/backfill_runner.h"

namespace dynolith {
namespace {

constexpr std::string_view kStream = "/stream/";

absl::Status NotFound(const ResourceName& name) {
  return MakeError(ErrorKind::kResourceNotFound, name.not_found);
}

absl::StatusOr<std::shared_ptr<Table>> FindNamedTable(const OperationContext& context,
                                                      const ResourceName& name) {
  const std::string_view account = SplitArn(name.arn).account;
  DYNOLITH_ASSIGN_OR_RETURN(std::shared_ptr<Table> table, FindSettled(context, name.table_name));
  if (account != context.account_id || table == nullptr) return NotFound(name);
  return table;
}

absl::Status CheckStream(const ResourceName& name, const TableMeta& meta) {
  if (name.stream_label.empty() || name.stream_label == meta.stream.label) return absl::OkStatus();
  return MakeError(ErrorKind::kResourceNotFound,
                   messages::StreamOfTableNotFound(name.stream_label, name.table_name));
}

}  // namespace

absl::StatusOr<ResourceName> ParseResourceArn(const OperationContext& context,
                                              std::string_view arn) {
  if (arn.empty()) return ValidationError(messages::ResourceArnMissing());
  if (!arn.starts_with("arn:")) return ValidationError(messages::ResourceArnWithoutPrefix(arn));
  const ArnParts parts = SplitArn(arn);
  if (parts.partition != "aws" || parts.service != "dynamodb") {
    return ValidationError(messages::ResourceArnOfOtherService(arn));
  }
  if (parts.region != context.region) {
    return ValidationError(messages::InvalidTableArn(arn));
  }
  const auto other_kind = [arn] { return ValidationError(messages::ResourceArnOfOtherKind(arn)); };
  if (!parts.resource.starts_with(kTableResource)) return other_kind();
  const std::string_view path = parts.resource.substr(kTableResource.size());
  const size_t slash = path.find('/');
  ResourceName name = {std::string(arn), std::string(path.substr(0, slash)), "",
                       messages::ArnNotFound(arn)};
  if (slash == std::string_view::npos) return name;
  if (!path.substr(slash).starts_with(kStream)) return other_kind();
  name.stream_label = path.substr(slash + kStream.size());
  if (name.stream_label.empty() || name.stream_label.find('/') != std::string::npos) {
    return other_kind();
  }
  return name;
}

absl::StatusOr<std::shared_ptr<const TableMeta>> ReadResource(const OperationContext& context,
                                                              const ResourceName& name) {
  DYNOLITH_ASSIGN_OR_RETURN(const std::shared_ptr<Table> table, FindNamedTable(context, name));
  std::shared_ptr<const TableMeta> meta = table->meta();
  DYNOLITH_RETURN_IF_ERROR(CheckStream(name, *meta));
  return meta;
}

absl::Status ChangeResource(const OperationContext& context, const ResourceName& name,
                            const std::function<absl::Status(TableMeta*)>& change) {
  DYNOLITH_ASSIGN_OR_RETURN(const std::shared_ptr<Table> table, FindNamedTable(context, name));
  const auto checked_change = [&](TableMeta* meta) {
    DYNOLITH_RETURN_IF_ERROR(CheckNotBusy(*meta));
    DYNOLITH_RETURN_IF_ERROR(CheckStream(name, *meta));
    return change(meta);
  };
  return ChangeTable(context.catalog, table.get(), checked_change, NotFound(name)).status();
}

absl::Status ChangeTags(const OperationContext& context, const ResourceName& name,
                        const std::function<absl::Status(Tags*)>& change) {
  const absl::Time now = context.clock->Now();
  DYNOLITH_RETURN_IF_ERROR(ChangeResource(context, name, [&](TableMeta* meta) {
    if (meta->tags_until && now < *meta->tags_until) {
      return MakeError(ErrorKind::kLimitExceeded, messages::TagsBeingUpdated(name.table_name));
    }
    const Tags before = meta->tags;
    EarlierTags earlier{name.stream_label, *FindTags(name, meta)};
    DYNOLITH_RETURN_IF_ERROR(change(FindTags(name, meta)));
    DYNOLITH_RETURN_IF_ERROR(FollowShardTags(before, meta));
    meta->earlier_tags.reset();
    if (context.delays.update > absl::ZeroDuration()) {
      meta->tags_until = now + context.delays.update;
      meta->earlier_tags = std::move(earlier);
    }
    return absl::OkStatus();
  }));
  const std::shared_ptr<Table> table = context.catalog->Find(name.table_name);
  if (table != nullptr) context.backfills->AddUnfinished(*table);
  return absl::OkStatus();
}

Tags* FindTags(const ResourceName& name, TableMeta* meta) {
  return name.stream_label.empty() ? &meta->tags : &meta->stream.tags;
}

const Tags& FindTags(const ResourceName& name, const TableMeta& meta) {
  return name.stream_label.empty() ? meta.tags : meta.stream.tags;
}

const Tags& FindShownTags(const ResourceName& name, const TableMeta& meta, absl::Time now) {
  const bool is_changing = meta.earlier_tags && meta.tags_until && now < *meta.tags_until &&
                           meta.earlier_tags->stream_label == name.stream_label;
  return is_changing ? meta.earlier_tags->tags : FindTags(name, meta);
}

std::optional<ResourcePolicy>* FindPolicy(const ResourceName& name, TableMeta* meta) {
  return name.stream_label.empty() ? &meta->policy : &meta->stream.policy;
}

const std::optional<ResourcePolicy>& FindPolicy(const ResourceName& name, const TableMeta& meta) {
  return name.stream_label.empty() ? meta.policy : meta.stream.policy;
}

}  // namespace dynolith
