#include "api/control/contributor_insights.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/time/time.h"
#include "api/control/messages.h"
#include "api/request/messages.h"
#include "api/request/page_token.h"
#include "api/table/messages.h"
#include "api/table/table_description.h"
#include "engine/base/errors.h"
#include "engine/base/limits.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/catalog/table_states.h"

namespace dynolith {
namespace {

absl::Status CheckIndex(const std::optional<std::string>& name, const TableMeta& meta) {
  if (!name) return absl::OkStatus();
  const IndexSchema* index = meta.schema.FindIndex(*name);
  if (index != nullptr && index->kind == IndexKind::kGlobal) return absl::OkStatus();
  return MakeError(ErrorKind::kResourceNotFound,
                   messages::InsightsIndexNotFound(*name, meta.schema.name));
}

// nullptr if they have never been switched on. `index_name` is empty for the table.
const ContributorInsights* Find(const TableMeta& meta, std::string_view index_name) {
  const auto it = std::find_if(
      meta.contributor_insights.begin(), meta.contributor_insights.end(),
      [&](const ContributorInsights& insights) { return insights.index_name == index_name; });
  return it == meta.contributor_insights.end() ? nullptr : &*it;
}

ContributorInsightsStatus InsightsStatusAt(const ContributorInsights& insights, absl::Time now) {
  if (insights.status_until && now < *insights.status_until) {
    return insights.enabled ? ContributorInsightsStatus::kEnabling
                            : ContributorInsightsStatus::kDisabling;
  }
  return insights.enabled ? ContributorInsightsStatus::kEnabled
                          : ContributorInsightsStatus::kDisabled;
}

ContributorInsightsDescription MakeInsightsDescription(const TableMeta& meta,
                                                       const std::optional<std::string>& index_name,
                                                       absl::Time now) {
  ContributorInsightsDescription description;
  description.table_name = meta.schema.name;
  description.index_name = index_name;
  description.contributor_insights_status = ContributorInsightsStatus::kDisabled;
  const ContributorInsights* insights = Find(meta, index_name.value_or(""));
  if (insights == nullptr) return description;
  description.last_update_date_time = insights->last_change;
  description.contributor_insights_mode = insights->mode;
  description.contributor_insights_status = InsightsStatusAt(*insights, now);
  return description;
}

// In the service's order: accessed, then throttled; items only where there are sort keys.
std::vector<std::string> ListInsightsRules(const TableMeta& meta,
                                           const ContributorInsights& insights) {
  const IndexSchema* const index = meta.schema.FindIndex(insights.index_name);
  const KeySchema& key = index != nullptr ? index->key : meta.schema.key;
  const std::string resource =
      index != nullptr ? Concat(meta.schema.name, "-", index->name) : meta.schema.name;
  const bool has_accessed = insights.mode != ContributorInsightsMode::kThrottledKeys;
  std::vector<std::string> rules;
  const auto add = [&](bool is_there, std::string_view lists) {
    if (!is_there) return;
    rules.push_back(Concat("DynamoDBContributorInsights-", lists, "-", resource, "-",
                           absl::ToUnixMillis(insights.last_change)));
  };
  add(has_accessed, "PKC");
  add(has_accessed && !key.range.empty(), "SKC");
  add(true, "PKT");
  add(!key.range.empty(), "SKT");
  return rules;
}

bool Enables(const UpdateContributorInsightsRequest& request) {
  return request.contributor_insights_action == ContributorInsightsAction::kEnable;
}

// Whether anything has changed. Insights that are switched off keep their mode.
bool Switch(const UpdateContributorInsightsRequest& request, absl::Time now, absl::Duration delay,
            TableMeta* meta) {
  const std::string index_name = request.index_name.value_or("");
  const ContributorInsights* before = Find(*meta, index_name);
  const bool was_enabled = before != nullptr && before->enabled;
  auto mode = request.contributor_insights_mode.value_or(
      ContributorInsightsMode::kAccessedAndThrottledKeys);
  const bool enable = Enables(request);
  if (was_enabled && !enable) mode = before->mode;
  if (was_enabled == enable && !(was_enabled && before->mode != mode)) return false;
  std::erase_if(meta->contributor_insights, [&](const ContributorInsights& insights) {
    return insights.index_name == index_name;
  });
  meta->contributor_insights.push_back({index_name, enable, mode, now, std::nullopt});
  if (delay > absl::ZeroDuration()) meta->contributor_insights.back().status_until = now + delay;
  FindNextTransition(meta);
  return true;
}

// A position in the list: a table, or one of its indexes.
using ListPosition = std::pair<std::string, std::string>;

std::string MakePageToken(const ListPosition& position) {
  return EncodePageToken(Concat(position.first, "/", position.second));
}

absl::StatusOr<ListPosition> ParsePageToken(std::string_view token) {
  DYNOLITH_ASSIGN_OR_RETURN(const std::string text, DecodePageToken(token));
  const size_t slash = text.find('/');
  if (slash == std::string::npos) return ValidationError(messages::PageTokenInvalid());
  return ListPosition(text.substr(0, slash), text.substr(slash + 1));
}

std::vector<ListPosition> ListPositions(const TableMeta& meta) {
  std::vector<ListPosition> positions = {{meta.schema.name, ""}};
  for (const IndexSchema& index : meta.schema.indexes) {
    if (index.kind == IndexKind::kGlobal) positions.emplace_back(meta.schema.name, index.name);
  }
  std::sort(positions.begin(), positions.end());
  return positions;
}

absl::StatusOr<std::vector<std::shared_ptr<Table>>> TablesToList(
    const OperationContext& context, const ListContributorInsightsRequest& request) {
  if (!request.table_name) return context.catalog->All();
  DYNOLITH_ASSIGN_OR_RETURN(std::shared_ptr<Table> table, FindTable(context, *request.table_name));
  return std::vector<std::shared_ptr<Table>>{std::move(table)};
}

}  // namespace

absl::StatusOr<ContributorInsightsDescription> DescribeContributorInsights(
    const OperationContext& context, const DescribeContributorInsightsRequest& request) {
  DYNOLITH_ASSIGN_OR_RETURN(const std::shared_ptr<Table> table,
                            FindTable(context, request.table_name));
  const std::shared_ptr<const TableMeta> meta = table->meta();
  DYNOLITH_RETURN_IF_ERROR(CheckIndex(request.index_name, *meta));
  ContributorInsightsDescription description =
      MakeInsightsDescription(*meta, request.index_name, context.clock->Now());
  const ContributorInsights* const insights = Find(*meta, request.index_name.value_or(""));
  if (insights != nullptr && insights->enabled) {
    description.contributor_insights_rule_list = ListInsightsRules(*meta, *insights);
  }
  return description;
}

absl::StatusOr<ContributorInsightsDescription> UpdateContributorInsights(
    const OperationContext& context, const UpdateContributorInsightsRequest& request) {
  DYNOLITH_ASSIGN_OR_RETURN(const std::shared_ptr<Table> table,
                            FindTable(context, request.table_name));
  const absl::Time now = context.clock->Now();
  bool changed = false;
  const auto change = [&](TableMeta* meta) {
    DYNOLITH_RETURN_IF_ERROR(CheckIndex(request.index_name, *meta));
    if (meta->status != TableStatus::kActive) {
      return ValidationError(messages::InsightsOfBusyTable());
    }
    changed = Switch(request, now, context.delays.update, meta);
    return absl::OkStatus();
  };
  const absl::Status gone =
      MakeError(ErrorKind::kResourceNotFound, messages::TableNotFound(request.table_name));
  DYNOLITH_ASSIGN_OR_RETURN(const std::shared_ptr<const TableMeta> meta,
                            ChangeTable(context.catalog, table.get(), change, gone));
  ContributorInsightsDescription description =
      MakeInsightsDescription(*meta, request.index_name, now);
  if (changed) {
    description.contributor_insights_status = Enables(request)
                                                  ? ContributorInsightsStatus::kEnabling
                                                  : ContributorInsightsStatus::kDisabling;
  }
  description.last_update_date_time.reset();  // no member of this answer
  return description;
}

absl::StatusOr<ListContributorInsightsOutput> ListContributorInsights(
    const OperationContext& context, const ListContributorInsightsRequest& request) {
  ListPosition after;
  if (request.next_token) {
    DYNOLITH_ASSIGN_OR_RETURN(after, ParsePageToken(*request.next_token));
  }
  DYNOLITH_ASSIGN_OR_RETURN(const auto tables, TablesToList(context, request));

  const auto limit =
      static_cast<size_t>(std::max<int64_t>(1, request.max_results.value_or(kInsightsPageMax)));
  const absl::Time now = context.clock->Now();
  ListContributorInsightsOutput output;
  ListPosition last;
  for (const std::shared_ptr<Table>& table : tables) {
    const std::shared_ptr<const TableMeta> meta = table->meta();
    for (const ListPosition& position : ListPositions(*meta)) {
      if (position <= after) continue;
      const ContributorInsights* insights = Find(*meta, position.second);
      if (insights == nullptr || !insights->enabled) continue;
      if (output.contributor_insights_summaries.size() == limit) {
        output.next_token = MakePageToken(last);
        return output;
      }
      const std::optional<std::string> index =
          position.second.empty() ? std::nullopt : std::optional<std::string>(position.second);
      output.contributor_insights_summaries.push_back(MakeInsightsDescription(*meta, index, now));
      last = position;
    }
  }
  return output;
}

}  // namespace dynolith
