#include "tools/server/serve_limits.h"

#include <algorithm>
#include <optional>

#include "api/service/named_databases.h"
#include "engine/base/limits.h"
#include "engine/base/status_macros.h"
#include "engine/process/memory_budget.h"
#include "engine/process/processors.h"
#include "engine/process/resource_limits.h"

namespace dynolith {
namespace {

constexpr uint64_t kMegabyte = 1 << 20;
// One of the largest requests, with the memory of heads and idle connections.
constexpr uint64_t kRequestsMin = kRequestBytesMax + 2 * kMegabyte;
constexpr uint64_t kRequestsMax = 1024 * kMegabyte;
constexpr uint64_t kPartOfRequests = 8;
// With less memory, the default caches and memtables would take most of it.
constexpr uint64_t kMemoryForUsualCaches = 512 * kMegabyte;
// The default caches and memtables of one more database.
constexpr uint64_t kMemoryOfUsualDatabase = 256 * kMegabyte;
// So many synchronized writes can share one fsync; see tools/server/wire/README.md.
constexpr uint64_t kWaitingWorkers = 256;
// The parts of the threads that may still be started.
constexpr uint64_t kPartOfLoops = 8;
constexpr uint64_t kPartOfWaiting = 2;

// With less of it, the parts of all databases that may be open would not fit.
uint64_t MemoryForDefaults(const AskedLimits& asked) {
  if (!asked.has_databases) return kMemoryForUsualCaches;
  const size_t open =
      asked.databases_open > 0 ? asked.databases_open : NamedDatabasesOptions::kOpenDatabasesMax;
  return kMemoryForUsualCaches + open * kMemoryOfUsualDatabase;
}

void DivideAmongDatabases(const AskedLimits& asked, ServeLimits* limits) {
  const size_t whole = limits->memory_budget_bytes;
  limits->first_budget_bytes = whole;
  limits->databases_open = asked.databases_open;
  if (whole == 0 || !asked.has_databases || asked.cache_bytes || asked.item_cache_bytes) return;
  if (limits->databases_open == 0) {
    limits->databases_open = std::clamp<size_t>(whole / 2 / kMemoryBudgetBytesMin, 1,
                                                NamedDatabasesOptions::kOpenDatabasesMax);
  }
  limits->named_budget_bytes = std::max(whole / 2 / limits->databases_open, kMemoryBudgetBytesMin);
  limits->first_budget_bytes = std::max(whole / 2, kMemoryBudgetBytesMin);
}

}  // namespace

absl::StatusOr<ServeLimits> FindServeLimits(const AskedLimits& asked, const std::string& root) {
  ServeLimits limits;
  limits.memory_bytes = MemoryLimit(root);
  limits.request_bytes =
      limits.memory_bytes == 0
          ? kRequestsMax
          : std::clamp(limits.memory_bytes / kPartOfRequests, kRequestsMin, kRequestsMax);
  limits.memory_budget_bytes = asked.memory_budget_bytes;
  const bool parts_are_given = asked.cache_bytes || asked.item_cache_bytes;
  const std::optional<uint64_t> group = GroupMemoryLimit(root);
  limits.has_own_budget = limits.memory_budget_bytes == 0 && asked.has_folder && !parts_are_given &&
                          group && *group < MemoryForDefaults(asked);
  if (limits.has_own_budget) {
    limits.memory_budget_bytes = std::max<uint64_t>(*group / 2, kMemoryBudgetBytesMin);
  }
  if (limits.memory_budget_bytes > 0) {
    DYNOLITH_ASSIGN_OR_RETURN(
        const MemoryShares shares,
        DivideMemory(limits.memory_budget_bytes, {.block_cache_bytes = asked.cache_bytes,
                                                  .item_cache_bytes = asked.item_cache_bytes}));
    limits.request_bytes = shares.request_bytes;
  }
  DivideAmongDatabases(asked, &limits);
  const std::optional<uint64_t> threads = ThreadsLeft(root);
  const uint64_t loops =
      static_cast<uint64_t>(asked.loops > 0 ? asked.loops : UsableProcessors(root));
  // A requested number of loops is used as it is, or is an error.
  limits.loops = static_cast<int>(asked.loops > 0 || !threads
                                      ? loops
                                      : std::clamp<uint64_t>(*threads / kPartOfLoops, 1, loops));
  limits.waiting_workers =
      static_cast<int>(threads ? std::clamp<uint64_t>(*threads / kPartOfWaiting, 1, kWaitingWorkers)
                               : kWaitingWorkers);
  return limits;
}

}  // namespace dynolith
