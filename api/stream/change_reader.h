// Reads a table's stream in the order of its sequence numbers: the shards, merged.
//
//   place = base64url(label "/" sequence-text "/" microseconds)
//           ; of the change's record, since 1970; sequence number 0: before the oldest
#ifndef DYNOLITH_API_STREAM_CHANGE_READER_H_
#define DYNOLITH_API_STREAM_CHANGE_READER_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "api/request/operation_context.h"
#include "dynolith/changes.h"
#include "engine/process/forked_process.h"
#include "engine/stream/stream_log.h"

namespace dynolith {

// Each shard has been read through some number; what lies up to the least of these numbers is
// complete, and is handed out in order. Nothing is read of a shard before what was read of it has
// been handed out, so a reader holds at most one read of each shard, whatever waits in the stream.
class StreamChangeReader final : public ChangeReader {
 public:
  // `context` must outlive all calls, not the reader. Errors: ResourceNotFoundException: no such
  // table, or the place's stream is gone; ValidationException: the table has no stream;
  // kInvalidArgument: no place, or one beyond everything in the database;
  // TrimmedDataAccessException: changes after the place are gone.
  static absl::StatusOr<std::unique_ptr<ChangeReader>> Open(const OperationContext& context,
                                                            const ChangesFrom& from);

  absl::StatusOr<std::vector<PlacedChange>> Next(size_t most, absl::Duration wait) override;
  std::string place() const override;

  // Where a change is.
  struct Place {
    std::string label;
    SequenceNumber number = 0;
    absl::Time created = absl::UnixEpoch();
  };
  static std::string PlaceText(const Place& place);
  // nullopt if the text is no place.
  static std::optional<Place> ParsePlace(std::string_view text);

 private:
  struct ReadChange {
    SequenceNumber number = 0;
    absl::Time created;
    ChangeRecord record;
  };
  struct OpenShard {
    uint64_t number = 0;
    SequenceNumber next = 0;
    SequenceNumber through = 0;     // everything up to here has been read
    bool begins_at_oldest = false;  // with the next read
    bool ended = false;             // everything has been read
    std::deque<ReadChange> read;
  };

  explicit StreamChangeReader(const OperationContext* context) : context_(context) {}

  // Where reading begins.
  absl::Status Begin(const ChangesFrom& from);
  absl::Status BeginNow(const Stream& stream);
  // Every change of the stream that has been acknowledged has at most this number.
  absl::StatusOr<SequenceNumber> FindNewest(const Stream& stream) const;
  // Whether shards are gone that have, or may have had, changes after the place.
  bool IsTrimmedAfterPlace(const Stream& stream) const;
  // Adds the shards that it does not know yet, to be read from `next` on where that is in them.
  // Whether there are any.
  bool AddShards(const Stream& stream, SequenceNumber next, bool from_oldest = false);
  absl::StatusOr<Stream> FindStream() const;
  // Reads each shard of which nothing is at hand, and those that follow shards that have ended.
  absl::Status ReadShards();
  absl::Status ReadShard(OpenShard* shard);
  // What else has happened to the table. Errors: the store's.
  absl::Status Follow();
  // There was no change up to where everything has been read, as of that time: so the place of a
  // reader whose table is quiet does not become too old.
  void MovePlace(absl::Time read);
  // Hands out what is complete, at most `most`.
  void HandOut(size_t most, std::vector<PlacedChange>* changes);
  SequenceNumber CompleteThrough() const;

  const OperationContext* const context_;
  const MakingProcess process_{};
  StreamName name_;
  uint64_t stream_ = 0;
  Place place_;
  std::vector<OpenShard> shards_;
  std::set<uint64_t> known_;   // shards, also those that have been read to their end
  bool lacks_shards_ = false;  // those that follow one that has ended have not been looked up yet
  bool closed_ = false;        // the stream; as of the last look
  absl::Time caught_up_ = absl::InfinitePast();  // with the catalog
};

}  // namespace dynolith

#endif  // DYNOLITH_API_STREAM_CHANGE_READER_H_
