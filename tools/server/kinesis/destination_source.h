// The Kinesis destinations of a database, as whoever sends to them reads them.
#ifndef DYNOLITH_TOOLS_SERVER_KINESIS_DESTINATION_SOURCE_H_
#define DYNOLITH_TOOLS_SERVER_KINESIS_DESTINATION_SOURCE_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "api/service/database_instance.h"
#include "engine/model/structures.h"
#include "tools/server/targets/positions.h"
#include "tools/server/targets/stream_source.h"

namespace dynolith::kinesis {

// A destination whose changes are or were kept.
struct Destination {
  std::string table;
  std::string label;       // of its stream in the change log
  std::string stream;      // of Kinesis
  std::string stream_arn;  // empty: its table is gone
  // nullopt: its table is gone.
  std::optional<KinesisDestinationStatus> status;
  std::optional<TimestampPrecision> precision;
  bool awaits_check = false;
  std::vector<targets::SourceShard> shards;  // in their order

  targets::MappingKey key() const { return {table, label}; }
  // Whether what is kept may be sent. What was kept before it was disabled, or its table was
  // deleted, still is.
  bool sends() const {
    return status != KinesisDestinationStatus::kEnabling &&
           status != KinesisDestinationStatus::kEnableFailed;
  }
};

// "ENABLING".
std::string_view StatusName(KinesisDestinationStatus status);

// Borrows the database. Thread-safe. As StreamSource, whose reads it has.
class DestinationSource {
 public:
  explicit DestinationSource(DatabaseInstance* database)
      : database_(database), records_(database) {}

  // Shards are read after states: a destination that is ENABLING again has those closed that were
  // there before.
  absl::StatusOr<std::vector<Destination>> Destinations() const;
  // nullopt: there is no table, and nothing that was kept.
  absl::StatusOr<std::optional<Destination>> Find(const targets::MappingKey& key) const;
  // As dynolith::FinishEnabling.
  absl::Status FinishEnabling(const Destination& destination, const std::string& failure) const;
  // Of the ARNs.
  absl::StatusOr<std::string> Region() const;
  const targets::StreamSource& records() const { return records_; }

 private:
  DatabaseInstance* const database_;
  const targets::StreamSource records_;
};

}  // namespace dynolith::kinesis

#endif  // DYNOLITH_TOOLS_SERVER_KINESIS_DESTINATION_SOURCE_H_
