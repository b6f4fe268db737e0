#include "api/table/strong_moment.h"

#include <string_view>

#include "absl/types/span.h"
#include "api/request/region_peers.h"
#include "engine/base/status_macros.h"

namespace dynolith {

absl::StatusOr<std::shared_ptr<const Snapshot>> StrongMoment(const OperationContext& context,
                                                             const TableMeta& meta) {
  if (!meta.is_strong || context.peers == nullptr) return nullptr;
  const std::string_view name = meta.schema.name;
  DYNOLITH_ASSIGN_OR_RETURN(
      const std::unique_ptr<StrongUse> use,
      context.peers->UseStrong(context, absl::MakeConstSpan(&name, 1), StrongAccess::kRead));
  return context.store->TakeSnapshot();
}

}  // namespace dynolith
