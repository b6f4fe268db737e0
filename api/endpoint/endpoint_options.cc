#include "api/endpoint/endpoint_options.h"

#include <string_view>

#include "api/endpoint/messages.h"

namespace dynolith {
namespace {

bool IsSet(const TableDelays& delays) {
  const TableDelays none;
  return delays.create != none.create || delays.update != none.update ||
         delays.remove != none.remove || delays.index != none.index;
}

bool IsSet(const CapacityOptions& capacity) {
  const CapacityOptions usual;
  return capacity.mode != usual.mode || capacity.scale != usual.scale ||
         capacity.account_limit_throttles || capacity.seed != usual.seed || capacity.burst ||
         capacity.split_delay || capacity.partition_reads;
}

bool IsSet(const ControlRates& rates) {
  const ControlRates usual;
  return rates.changes != usual.changes || rates.descriptions != usual.descriptions ||
         rates.stream_descriptions != usual.stream_descriptions;
}

bool HasMemory(const DatabaseOptions& options) {
  return options.memory_budget_bytes != 0 || options.write_buffer_bytes ||
         options.block_cache_bytes || options.item_cache_bytes;
}

bool HasVectorSearch(const DatabaseOptions& options) {
  const DatabaseOptions usual;
  return options.vector_search != usual.vector_search ||
         options.vector_graph_entries != usual.vector_graph_entries ||
         options.vector_graph_bytes != usual.vector_graph_bytes;
}

}  // namespace

absl::Status CheckOnlyEndpoint(const DatabaseOptions& options) {
  const DatabaseOptions usual;
  const struct {
    std::string_view name;
    bool is_set;
  } excluded[] = {
      {"path", !options.path.empty()},
      {"in_memory", options.in_memory},
      {"sync_commits", options.sync_commits},
      {"encryption_key", !options.encryption_key.empty()},
      {"memory_budget_bytes, or one of its parts,", HasMemory(options)},
      {"region", options.region != usual.region},
      {"regions", options.regions != nullptr},
      {"account_id", options.account_id != usual.account_id},
      {"clock", options.clock != nullptr},
      {"fail_on_conflict", options.fail_on_conflict},
      {"charge_updates", options.charge_updates != usual.charge_updates},
      {"ttl_sweep_period", options.ttl_sweep_period != usual.ttl_sweep_period},
      {"stream_shards", options.stream_shards != 0},
      {"table_delays", IsSet(options.table_delays)},
      {"capacity", IsSet(options.capacity)},
      {"control_rates", IsSet(options.control_rates)},
      {"count_use", options.count_use},
      {"hot_keys", options.hot_keys},
      {"observer", options.observer != nullptr},
      {"sends_to_kinesis", options.sends_to_kinesis},
      {"staleness", !options.staleness.rules.empty() || options.staleness.seed != 0},
      {"vector_search, or one of its bounds,", HasVectorSearch(options)},
      {"transfers", options.transfers != nullptr},
      {"read_only", options.read_only},
  };
  for (const auto& option : excluded) {
    if (option.is_set) {
      return absl::InvalidArgumentError(messages::EndpointExcludes(option.name));
    }
  }
  return absl::OkStatus();
}

}  // namespace dynolith
