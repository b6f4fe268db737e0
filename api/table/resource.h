// The table or stream that a ResourceArn names (api/facts/operations.md §5.5).
#ifndef DYNOLITH_API_TABLE_RESOURCE_H_
#define DYNOLITH_API_TABLE_RESOURCE_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "api/request/operation_context.h"

namespace dynolith {

// A well-formed ResourceArn of this region.
struct ResourceName {
  std::string arn;
  std::string table_name;
  std::string stream_label;  // empty: the table itself
  std::string not_found;     // what is said if there is no such table: of tags, about the ARN
};

// Checks the text alone. Errors: ValidationException.
absl::StatusOr<ResourceName> ParseResourceArn(const OperationContext& context,
                                              std::string_view arn);

// Errors of both: ResourceNotFoundException if there is no such table, or if its newest stream is
// another one.
absl::StatusOr<std::shared_ptr<const TableMeta>> ReadResource(const OperationContext& context,
                                                              const ResourceName& name);
// Errors: also ResourceInUseException while the table is being created or deleted; those of
// `change`.
absl::Status ChangeResource(const OperationContext& context, const ResourceName& name,
                            const std::function<absl::Status(TableMeta*)>& change);

// ChangeResource for tags. A change blocks others for as long as an update of the table takes.
// Errors: also LimitExceededException meanwhile.
absl::Status ChangeTags(const OperationContext& context, const ResourceName& name,
                        const std::function<absl::Status(Tags*)>& change);

// The resource's tags, in its table's metadata.
Tags* FindTags(const ResourceName& name, TableMeta* meta);
const Tags& FindTags(const ResourceName& name, const TableMeta& meta);
// The same without a change that still blocks others.
const Tags& FindShownTags(const ResourceName& name, const TableMeta& meta, absl::Time now);
std::optional<ResourcePolicy>* FindPolicy(const ResourceName& name, TableMeta* meta);
const std::optional<ResourcePolicy>& FindPolicy(const ResourceName& name, const TableMeta& meta);

}  // namespace dynolith

#endif  // DYNOLITH_API_TABLE_RESOURCE_H_
