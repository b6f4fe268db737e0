#include "tools/server/kinesis/destination_source.h"

#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "api/control/kinesis_destinations.h"
#include "api/service/messages.h"
#include "dynolith/database.h"
#include "engine/base/status_macros.h"
#include "engine/stream/stream_log.h"
#include "engine/stream/stream_rows.h"

namespace dynolith::kinesis {
namespace {

absl::StatusOr<DatabaseInstance::Use> BeginUse(const DatabaseInstance& database) {
  std::optional<DatabaseInstance::Use> use = database.TryBegin();
  if (use && *use) return *std::move(use);
  return absl::UnavailableError(messages::DatabaseNotOpen());
}

}  // namespace

std::string_view StatusName(KinesisDestinationStatus status) {
  switch (status) {
    case KinesisDestinationStatus::kEnabling:
      return "ENABLING";
    case KinesisDestinationStatus::kActive:
      return "ACTIVE";
    case KinesisDestinationStatus::kDisabling:
      return "DISABLING";
    case KinesisDestinationStatus::kDisabled:
      return "DISABLED";
    case KinesisDestinationStatus::kEnableFailed:
      return "ENABLE_FAILED";
    case KinesisDestinationStatus::kUpdating:
      break;
  }
  return "UPDATING";
}

absl::StatusOr<std::vector<Destination>> DestinationSource::Destinations() const {
  DYNOLITH_ASSIGN_OR_RETURN(const DatabaseInstance::Use use, BeginUse(*database_));
  const OperationContext& context = ContextOf(*use.database());
  std::map<targets::MappingKey, Destination> found;
  DYNOLITH_ASSIGN_OR_RETURN(std::vector<TableDestination> of_tables,
                            FindKinesisDestinations(context));
  for (TableDestination& each : of_tables) {
    Destination destination = {.table = std::move(each.table),
                               .label = each.destination.log_label,
                               .stream = std::string(DestinationOf(each.destination.log_label)),
                               .stream_arn = each.destination.stream_arn,
                               .status = each.destination.status,
                               .precision = each.destination.precision,
                               .awaits_check = each.destination.awaits_check(),
                               .shards = {}};
    found.emplace(destination.key(), std::move(destination));
  }
  DYNOLITH_ASSIGN_OR_RETURN(const std::vector<Stream> streams,
                            context.streams->DestinationStreams());
  for (const Stream& stream : streams) {
    Destination& destination = found[{stream.name.table, stream.name.label}];
    destination.table = stream.name.table;
    destination.label = stream.name.label;
    destination.stream = DestinationOf(stream.name.label);
    for (const StreamShard& shard : stream.shards) {
      destination.shards.push_back({.stream = stream.number,
                                    .number = shard.number,
                                    .id = ShardIdText(shard.number),
                                    .stream_arn = "",
                                    .parent = shard.parent,
                                    .is_closed = shard.end.has_value(),
                                    .key = stream.key});
    }
  }
  std::vector<Destination> destinations;
  for (auto& [key, destination] : found) destinations.push_back(std::move(destination));
  return destinations;
}

absl::StatusOr<std::optional<Destination>> DestinationSource::Find(
    const targets::MappingKey& key) const {
  DYNOLITH_ASSIGN_OR_RETURN(std::vector<Destination> destinations, Destinations());
  for (Destination& destination : destinations) {
    if (destination.key() == key) return std::move(destination);
  }
  return std::nullopt;
}

absl::Status DestinationSource::FinishEnabling(const Destination& destination,
                                               const std::string& failure) const {
  DYNOLITH_ASSIGN_OR_RETURN(const DatabaseInstance::Use use, BeginUse(*database_));
  return dynolith::FinishEnabling(ContextOf(*use.database()), destination.table,
                                  destination.stream_arn, failure);
}

absl::StatusOr<std::string> DestinationSource::Region() const {
  DYNOLITH_ASSIGN_OR_RETURN(const DatabaseInstance::Use use, BeginUse(*database_));
  return ContextOf(*use.database()).region;
}

}  // namespace dynolith::kinesis
