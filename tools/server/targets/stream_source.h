// The streams of a table, as deliveries read them: shards in their order, records from a place on.
#ifndef DYNOLITH_TOOLS_SERVER_TARGETS_STREAM_SOURCE_H_
#define DYNOLITH_TOOLS_SERVER_TARGETS_STREAM_SOURCE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "api/request/operation_context.h"
#include "api/service/database_instance.h"
#include "engine/key/schema.h"
#include "engine/stream/record.h"
#include "engine/stream/sequence_numbers.h"

namespace dynolith::targets {

// A shard of one of the streams that a table has or had.
struct SourceShard {
  uint64_t stream = 0;
  uint64_t number = 0;
  std::string id;  // "shardId-…"
  std::string stream_arn;
  std::optional<uint64_t> parent;
  bool is_closed = false;
  KeySchema key;  // the table's
};

// Borrows the database. Thread-safe. Nothing waits while the database returns to a snapshot: calls
// fail with kUnavailable then.
class StreamSource {
 public:
  explicit StreamSource(DatabaseInstance* database) : database_(database) {}

  // All shards of the table's streams that still exist, in the order of their streams and numbers.
  absl::StatusOr<std::vector<SourceShard>> Shards(const std::string& table) const;
  // Greater than the numbers of all records that have been acknowledged.
  absl::StatusOr<SequenceNumber> End() const;
  // The place of the first record of that time or later.
  absl::StatusOr<SequenceNumber> PlaceAt(const SourceShard& shard, absl::Time time) const;
  // The database's clock.
  absl::StatusOr<absl::Time> Now() const;

  using Sink = absl::FunctionRef<void(const OperationContext&, SequenceNumber, const RecordView&)>;
  struct Place {
    SequenceNumber next = 0;  // where the next read begins
    bool ended = false;       // the shard is closed, and all of it has been read
    bool trimmed = false;     // records after the given place have expired; it began behind them
    bool restarted = false;   // the place lay beyond the shard's records; it began at its first
  };
  // The records from the place on, some of them: at most `records_max`, and about a megabyte.
  // Errors: kDataLoss; the store's.
  absl::StatusOr<Place> Read(const SourceShard& shard, SequenceNumber from, size_t records_max,
                             Sink sink) const;

 private:
  DatabaseInstance* const database_;
};

}  // namespace dynolith::targets

#endif  // DYNOLITH_TOOLS_SERVER_TARGETS_STREAM_SOURCE_H_
