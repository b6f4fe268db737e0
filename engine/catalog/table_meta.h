// All metadata of one table.
#ifndef DYNOLITH_ENGINE_CATALOG_TABLE_META_H_
#define DYNOLITH_ENGINE_CATALOG_TABLE_META_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "engine/key/schema.h"
#include "engine/model/structures.h"
#include "engine/partition/capacity_settings.h"

namespace dynolith {

// The running change of a table that is UPDATING.
enum class TableChange : uint8_t {
  kThroughput = 1,
  kBillingMode = 2,
  kStream = 3,
  kTableClass = 4,
  kIndexes = 5
};

struct Throughput {
  int64_t read_units = 0;
  int64_t write_units = 0;
  std::optional<absl::Time> last_increase;
  std::optional<absl::Time> last_decrease;
  int64_t decreases_today = 0;
};

struct WarmThroughput {
  int64_t read_units = 0;
  int64_t write_units = 0;
};

// The state of an index beyond its schema; parallel to TableSchema::indexes.
struct IndexState {
  IndexStatus status = IndexStatus::kActive;
  bool backfilling = false;
  // The last base row key that backfill has processed; the next start resumes after it.
  std::string backfill_position;
  Throughput throughput;
  std::optional<OnDemandThroughput> on_demand;
  std::optional<WarmThroughput> warm;
  // When a delayed CREATING, UPDATING or DELETING ends at the earliest.
  std::optional<absl::Time> status_until;
  // When a delayed CREATING begins to be shown as backfilling.
  std::optional<absl::Time> backfilling_from;
  // Whether an index that waits for `status_until` is completely filled.
  bool filled = false;
  // Until when `warm` is shown as being raised.
  std::optional<absl::Time> warm_until;
};

using Tags = std::vector<std::pair<std::string, std::string>>;

// The tags before their last change.
struct EarlierTags {
  std::string stream_label;  // empty: those of the table itself
  Tags tags;
};

// The permissions of a table or a stream, stored and shown only: they refuse nobody.
struct ResourcePolicy {
  std::string document;  // JSON, as given
  std::string revision_id;
  absl::Time changed;
};

struct StreamState {
  bool enabled = false;
  StreamViewType view_type = StreamViewType::kKeysOnly;
  std::string label;  // "2015-05-11T21:21:33.291"; empty if there never was a stream
  // The tags of the stream with that label; deleted with it.
  Tags tags;
  std::optional<ResourcePolicy> policy;
};

struct TimeToLiveState {
  bool enabled = false;
  std::string attribute_name;
  std::optional<absl::Time> last_change;
};

struct ServerSideEncryption {
  bool enabled = false;
  std::string kms_key_arn;
};

// The origin of a restored table's rows.
struct RestoreSummary {
  std::string source_backup_arn;  // empty: a point in time of a table
  std::string source_table_arn;
  absl::Time restored;
};

// A Kinesis stream as a destination of changes.
struct KinesisDestination {
  std::string stream_arn;
  KinesisDestinationStatus status = KinesisDestinationStatus::kActive;
  // When a delayed ENABLING, DISABLING or UPDATING ends.
  std::optional<absl::Time> status_until;
  std::optional<TimestampPrecision> precision;
  // Its stream of the change log (DestinationLabel), from which somebody sends; empty: there is
  // nobody, and the destination has states only.
  std::string log_label;
  std::string status_description;  // of kEnableFailed

  // Whether changes are kept for it. What was kept before it was disabled is still sent.
  bool is_recorded() const {
    return !log_label.empty() && (status == KinesisDestinationStatus::kActive ||
                                  status == KinesisDestinationStatus::kEnabling ||
                                  status == KinesisDestinationStatus::kUpdating);
  }
  // Whether it waits for the word of who sends that its stream exists.
  bool awaits_check() const {
    return !log_label.empty() && status == KinesisDestinationStatus::kEnabling && !status_until;
  }
};

// The requested scaling. State only: nothing is scaled.
struct AutoScalingPolicy {
  std::string name;
  std::optional<bool> disable_scale_in;
  std::optional<int64_t> scale_in_cooldown;  // seconds
  std::optional<int64_t> scale_out_cooldown;
  double target_value = 0;
};
struct AutoScalingSettings {
  std::optional<int64_t> minimum_units;
  std::optional<int64_t> maximum_units;
  std::optional<bool> disabled;
  std::string role_arn;
  std::vector<AutoScalingPolicy> policies;
};
// For the table or one of its indexes.
struct AutoScaling {
  std::string index_name;  // empty: the table
  std::optional<AutoScalingSettings> read;
  std::optional<AutoScalingSettings> write;
};

struct PointInTimeRecovery {
  absl::Time enabled;  // the beginning of the history
  int64_t recovery_period_in_days = 0;
};

// For a table or one of its indexes, once they have been switched on or off.
struct ContributorInsights {
  std::string index_name;  // empty: the table
  bool enabled = false;
  ContributorInsightsMode mode = ContributorInsightsMode::kAccessedAndThrottledKeys;
  absl::Time last_change;
  // While they are being switched on or off, until when.
  std::optional<absl::Time> status_until;

  bool is_watching() const { return enabled != status_until.has_value(); }
};

// What differs in one region's copy of a global table, as asked for; nothing: as in the others.
struct ReplicaSettings {
  std::string kms_key;
  std::optional<int64_t> read_units;      // provisioned
  std::optional<int64_t> max_read_units;  // on demand
  std::optional<TableClass> table_class;
  // Of a global index.
  struct Index {
    std::string name;
    std::optional<int64_t> read_units;
    std::optional<int64_t> max_read_units;
  };
  std::vector<Index> indexes;
};

// The copy of a table in another region, where there is a table of that name: a member of a global
// table of version 2019.11.21.
struct Replica {
  std::string region;
  ReplicaSettings settings;
  // Whether it has the items that were there when it was added. Until then this table, which is its
  // source, copies them and passes on what it receives.
  bool is_filled = false;
  // Until when it is shown as being created or updated.
  std::optional<absl::Time> status_until;
  // Set: it is being deleted, from that time on.
  std::optional<absl::Time> deleting_from;
};

// The region that keeps the changes of a global table with multi-Region strong consistency, but
// serves none of its items.
struct Witness {
  std::string region;
  // Until when it is shown as being created.
  std::optional<absl::Time> status_until;
  bool is_deleting = false;  // it goes with the last replica
};

// All metadata of one table. Immutable once published.
struct TableMeta {
  TableSchema schema;
  std::vector<IndexState> index_states;  // index_states[i] belongs to schema.indexes[i]
  // In the order given by the user.
  std::vector<KeyAttribute> attribute_definitions;

  std::string uuid;
  absl::Time created;
  TableStatus status = TableStatus::kActive;
  // When a delayed CREATING, UPDATING or DELETING ends.
  std::optional<absl::Time> status_until;
  std::optional<TableChange> change;
  // The first of all times at which a status of the table or of an index ends.
  std::optional<absl::Time> next_transition;
  BillingMode billing_mode = BillingMode::kProvisioned;
  std::optional<absl::Time> last_pay_per_request;
  Throughput throughput;
  std::optional<OnDemandThroughput> on_demand;
  std::optional<WarmThroughput> warm;
  // Until when `warm` is shown as being raised.
  std::optional<absl::Time> warm_until;
  std::optional<TableClass> table_class;
  std::optional<absl::Time> table_class_changed;
  // The change before that one: two are allowed in 30 days.
  std::optional<absl::Time> table_class_changed_before;
  bool deletion_protection = false;
  std::optional<absl::Time> deletion_protection_changed;
  std::optional<ServerSideEncryption> encryption;
  // Until when a change of the encryption is running.
  std::optional<absl::Time> encryption_until;
  // The changes of the last 24 hours, oldest first.
  std::vector<absl::Time> encryption_changes;
  StreamState stream;
  TimeToLiveState time_to_live;
  Tags tags;  // in the order given
  // Until when a change of the tags blocks others.
  std::optional<absl::Time> tags_until;
  // The tags shown until then.
  std::optional<EarlierTags> earlier_tags;
  std::optional<ResourcePolicy> policy;
  std::optional<PointInTimeRecovery> point_in_time_recovery;  // while enabled
  std::vector<ContributorInsights> contributor_insights;
  std::optional<RestoreSummary> restore;
  std::vector<KinesisDestination> kinesis_destinations;
  std::vector<AutoScaling> auto_scaling;
  // In all other regions; empty: it is no global table.
  std::vector<Replica> replicas;
  // When a replica was last filled with its items.
  std::optional<absl::Time> last_source_of_replica;
  // Whether its regions are strongly consistent with each other; never without replicas.
  bool is_strong = false;
  std::optional<Witness> witness;

  // Partition count of a fresh table (api/facts/capacity.md §3): the space of hashes divided
  // evenly.
  int initial_partitions = 1;

  // Derived from the above when it is published: the table's rates, and those of each index.
  std::vector<TableRates> rates;

  // Whether it is strong, and no replica is being made or deleted: then its writes need a majority
  // of the regions.
  bool NeedsMajority() const {
    for (const Replica& replica : replicas) {
      if (!replica.is_filled || replica.deleting_from) return false;
    }
    return is_strong;
  }

  bool HasRecordedDestination() const {
    for (const KinesisDestination& destination : kinesis_destinations) {
      if (destination.is_recorded()) return true;
    }
    return false;
  }

  // `index`: of the schema; nullptr: the table.
  const TableRates& RatesFor(const IndexSchema* index) const {
    return rates[index == nullptr ? 0 : 1 + static_cast<size_t>(index - schema.indexes.data())];
  }
};

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_CATALOG_TABLE_META_H_
