// The bytes of a catalog entry: one map whose field names are the strings below. On disk. Append
// only: a field that is not there has its default, so that older entries stay readable.
#include <limits>

#include "engine/base/limits.h"
#include "engine/base/status_macros.h"
#include "engine/catalog/catalog.h"
#include "engine/catalog/entry_fields.h"
#include "engine/catalog/messages.h"

namespace dynolith {
namespace {

// No quota allows more. What reads a table keeps a few bytes for each.
constexpr int64_t kInitialPartitionsMax = 2 * kAccountThroughputMax / kPartitionWriteUnits;

// On disk, beside IndexKind's: a global index in shards, or one that is resharded. A kind of its
// own, since a program that does not know of shards would look for entries, and put them, where
// they are not.
constexpr int64_t kGlobalInShards = 4;
// An index whose writers note what they write. One that does not know of notes would take what is
// there for what belongs there.
constexpr int64_t kNoted = 5;

// --- Encoding ---

void WriteKey(std::string_view name, const std::vector<KeyAttribute>& attributes,
              FieldWriter* out) {
  out->List(name, attributes, [out](const KeyAttribute& attribute) {
    out->Text("name", attribute.name);
    out->Enumerator("type", attribute.type);
  });
}

void WriteThroughput(const Throughput& throughput, FieldWriter* out) {
  out->Map("throughput", [&] {
    out->Integer("read", throughput.read_units);
    out->Integer("write", throughput.write_units);
    out->Time("last_increase", throughput.last_increase);
    out->Time("last_decrease", throughput.last_decrease);
    out->Integer("decreases_today", throughput.decreases_today);
  });
}

void WriteScaling(const std::optional<OnDemandThroughput>& on_demand,
                  const std::optional<WarmThroughput>& warm, FieldWriter* out) {
  if (on_demand) {
    out->Map("on_demand", [&] {
      out->Integer("max_read", on_demand->max_read_units);
      out->Integer("max_write", on_demand->max_write_units);
    });
  }
  if (warm) {
    out->Map("warm", [&] {
      out->Integer("read", warm->read_units);
      out->Integer("write", warm->write_units);
    });
  }
}

void WriteVector(const VectorSchema& vector, FieldWriter* out) {
  out->Map("vector", [&] {
    out->Text("attribute", vector.attribute);
    out->Integer("dimensions", vector.dimensions);
    out->Enumerator("distance", vector.distance);
    WriteKey("inline_filters", vector.inline_filters, out);
  });
}

void WriteIndex(const IndexSchema& index, const IndexState& state, FieldWriter* out) {
  out->Text("name", index.name);
  out->Integer("id", index.id);
  const bool is_in_shards = index.shards != 1 || index.next;
  const int64_t kind = is_in_shards ? kGlobalInShards : static_cast<int64_t>(index.kind);
  out->Integer("kind", index.notes ? kNoted : kind);
  if (index.notes) {
    out->Map("notes", [&] {
      out->Integer("kind", kind);
      out->Integer("id", index.notes->id);
      out->Boolean("open", index.notes->is_open);
    });
  }
  if (is_in_shards) out->Integer("shards", index.shards);
  if (index.next) {
    out->Map("next", [&] {
      out->Integer("id", index.next->id);
      out->Integer("shards", index.next->shards);
    });
  }
  WriteKey("hash", index.key.hash, out);
  WriteKey("range", index.key.range, out);
  out->Enumerator("projection", index.projection);
  out->List("non_key_attributes", index.non_key_attributes,
            [out](const std::string& name) { out->Text("name", name); });
  if (index.vector) WriteVector(*index.vector, out);
  out->Enumerator("status", state.status);
  out->Boolean("backfilling", state.backfilling);
  out->Bytes("backfill_position", state.backfill_position);
  WriteThroughput(state.throughput, out);
  WriteScaling(state.on_demand, state.warm, out);
  out->Time("status_until", state.status_until);
  out->Time("backfilling_from", state.backfilling_from);
  if (state.filled) out->Boolean("filled", true);
  out->Time("warm_until", state.warm_until);
}

void WriteSchema(const TableMeta& meta, FieldWriter* out) {
  out->Text("name", meta.schema.name);
  out->Integer("id", meta.schema.id);
  WriteKey("hash", meta.schema.key.hash, out);
  WriteKey("range", meta.schema.key.range, out);
  WriteKey("attribute_definitions", meta.attribute_definitions, out);
  size_t i = 0;
  out->List("indexes", meta.schema.indexes,
            [&](const IndexSchema& index) { WriteIndex(index, meta.index_states[i++], out); });
}

void WriteTags(const Tags& tags, FieldWriter* out) {
  out->List("tags", tags, [out](const auto& tag) {
    out->Text("key", tag.first);
    out->Text("value", tag.second);
  });
}

void WritePolicy(const std::optional<ResourcePolicy>& policy, FieldWriter* out) {
  if (!policy) return;
  out->Map("policy", [&] {
    out->Text("document", policy->document);
    out->Text("revision_id", policy->revision_id);
    out->Time("changed", policy->changed);
  });
}

void WriteMonitoring(const TableMeta& meta, FieldWriter* out) {
  if (meta.point_in_time_recovery) {
    out->Map("point_in_time_recovery", [&] {
      out->Time("enabled", meta.point_in_time_recovery->enabled);
      out->Integer("days", meta.point_in_time_recovery->recovery_period_in_days);
    });
  }
  if (meta.contributor_insights.empty()) return;
  out->List("contributor_insights", meta.contributor_insights,
            [out](const ContributorInsights& insights) {
              out->Text("index", insights.index_name);
              out->Boolean("enabled", insights.enabled);
              out->Enumerator("mode", insights.mode);
              out->Time("last_change", insights.last_change);
              out->Time("status_until", insights.status_until);
            });
}

void WriteDestinations(const std::vector<KinesisDestination>& destinations, FieldWriter* out) {
  if (destinations.empty()) return;
  out->List("kinesis_destinations", destinations, [out](const KinesisDestination& destination) {
    out->Text("stream", destination.stream_arn);
    out->Enumerator("status", destination.status);
    out->Time("status_until", destination.status_until);
    if (destination.precision) out->Enumerator("precision", *destination.precision);
    if (!destination.log_label.empty()) out->Text("log", destination.log_label);
    if (!destination.status_description.empty()) {
      out->Text("description", destination.status_description);
    }
  });
}

void WriteSettings(std::string_view name, const std::optional<AutoScalingSettings>& settings,
                   FieldWriter* out) {
  if (!settings) return;
  out->Map(name, [&] {
    out->Integer("minimum", settings->minimum_units);
    out->Integer("maximum", settings->maximum_units);
    if (settings->disabled) out->Boolean("disabled", *settings->disabled);
    out->Text("role", settings->role_arn);
    out->List("policies", settings->policies, [out](const AutoScalingPolicy& policy) {
      out->Text("name", policy.name);
      if (policy.disable_scale_in) out->Boolean("disable_scale_in", *policy.disable_scale_in);
      out->Integer("scale_in_cooldown", policy.scale_in_cooldown);
      out->Integer("scale_out_cooldown", policy.scale_out_cooldown);
      out->Real("target", policy.target_value);
    });
  });
}

void WriteAutoScaling(const std::vector<AutoScaling>& auto_scaling, FieldWriter* out) {
  if (auto_scaling.empty()) return;
  out->List("auto_scaling", auto_scaling, [out](const AutoScaling& settings) {
    out->Text("index", settings.index_name);
    WriteSettings("read", settings.read, out);
    WriteSettings("write", settings.write, out);
  });
}

void WriteReplicas(const TableMeta& meta, FieldWriter* out) {
  out->Time("last_source_of_replica", meta.last_source_of_replica);
  if (meta.replicas.empty()) return;
  out->List("replicas", meta.replicas, [out](const Replica& replica) {
    const ReplicaSettings& settings = replica.settings;
    out->Text("region", replica.region);
    out->Text("kms_key", settings.kms_key);
    out->Integer("read_units", settings.read_units);
    out->Integer("max_read_units", settings.max_read_units);
    if (settings.table_class) out->Enumerator("table_class", *settings.table_class);
    out->List("indexes", settings.indexes, [out](const ReplicaSettings::Index& index) {
      out->Text("name", index.name);
      out->Integer("read_units", index.read_units);
      out->Integer("max_read_units", index.max_read_units);
    });
    out->Boolean("filled", replica.is_filled);
    out->Time("status_until", replica.status_until);
    out->Time("deleting_from", replica.deleting_from);
  });
  if (meta.is_strong) out->Boolean("strong", true);
  if (!meta.witness) return;
  out->Map("witness", [&] {
    out->Text("region", meta.witness->region);
    out->Time("status_until", meta.witness->status_until);
    out->Boolean("deleting", meta.witness->is_deleting);
  });
}

void WriteFeatures(const TableMeta& meta, FieldWriter* out) {
  if (meta.encryption) {
    out->Map("encryption", [&] {
      out->Boolean("enabled", meta.encryption->enabled);
      out->Text("kms_key_arn", meta.encryption->kms_key_arn);
    });
  }
  out->Time("encryption_until", meta.encryption_until);
  if (!meta.encryption_changes.empty()) {
    out->List("encryption_changes", meta.encryption_changes,
              [out](absl::Time change) { out->Time("time", change); });
  }
  out->Map("stream", [&] {
    out->Boolean("enabled", meta.stream.enabled);
    out->Enumerator("view_type", meta.stream.view_type);
    out->Text("label", meta.stream.label);
    if (!meta.stream.tags.empty()) WriteTags(meta.stream.tags, out);
    WritePolicy(meta.stream.policy, out);
  });
  out->Map("time_to_live", [&] {
    out->Boolean("enabled", meta.time_to_live.enabled);
    out->Text("attribute_name", meta.time_to_live.attribute_name);
    out->Time("last_change", meta.time_to_live.last_change);
  });
  WriteTags(meta.tags, out);
  out->Time("tags_until", meta.tags_until);
  if (const auto& earlier = meta.earlier_tags) {
    out->Map("earlier_tags", [&] {
      out->Text("stream_label", earlier->stream_label);
      WriteTags(earlier->tags, out);
    });
  }
  WritePolicy(meta.policy, out);
  WriteMonitoring(meta, out);
  if (meta.restore) {
    out->Map("restore", [&] {
      out->Text("backup", meta.restore->source_backup_arn);
      out->Text("table", meta.restore->source_table_arn);
      out->Time("time", meta.restore->restored);
    });
  }
  WriteDestinations(meta.kinesis_destinations, out);
  WriteAutoScaling(meta.auto_scaling, out);
  WriteReplicas(meta, out);
}

// --- Decoding ---

std::vector<KeyAttribute> ReadKey(std::string_view name, size_t least, FieldReader* in) {
  std::vector<KeyAttribute> attributes;
  in->List(name, [&](FieldReader attribute) {
    const Type type = attribute.Enumerator("type", Type::kBinary);
    if (!IsOrdered(type)) {
      attribute.Damaged("type");
    }
    attributes.push_back({attribute.Text("name"), type});
  });
  if (attributes.size() < least) in->Damaged(name);
  return attributes;
}

Throughput ReadThroughput(FieldReader* in) {
  FieldReader fields = in->Map("throughput");
  Throughput throughput;
  throughput.read_units = fields.Integer("read");
  throughput.write_units = fields.Integer("write");
  throughput.last_increase = fields.OptionalTime("last_increase");
  throughput.last_decrease = fields.OptionalTime("last_decrease");
  throughput.decreases_today = fields.Integer("decreases_today");
  return throughput;
}

std::optional<OnDemandThroughput> ReadOnDemand(FieldReader* in) {
  if (!in->Has("on_demand")) return std::nullopt;
  FieldReader fields = in->Map("on_demand");
  return OnDemandThroughput{fields.OptionalInteger("max_read"),
                            fields.OptionalInteger("max_write")};
}

std::optional<WarmThroughput> ReadWarm(FieldReader* in) {
  if (!in->Has("warm")) return std::nullopt;
  FieldReader fields = in->Map("warm");
  return WarmThroughput{fields.Integer("read"), fields.Integer("write")};
}

StorageId ReadId(FieldReader* in) {
  return static_cast<StorageId>(in->Integer("id", 1, std::numeric_limits<StorageId>::max() - 1));
}

VectorSchema ReadVector(FieldReader fields) {
  VectorSchema vector;
  vector.attribute = fields.Text("attribute");
  vector.dimensions = fields.Integer("dimensions", 1, kVectorDimensionsMax);
  vector.distance = fields.Enumerator("distance", DistanceFunction::kEuclidean);
  vector.inline_filters = ReadKey("inline_filters", 0, &fields);
  return vector;
}

int ReadShards(FieldReader* in) {
  return static_cast<int>(in->Integer("shards", 1, kIndexShardsMax));
}

void ReadIndex(FieldReader in, TableMeta* meta) {
  IndexSchema& index = meta->schema.indexes.emplace_back();
  index.name = in.Text("name");
  index.id = ReadId(&in);
  int64_t kind = in.Integer("kind", 1, kNoted);
  if (kind == kNoted) {
    FieldReader notes = in.Map("notes");
    kind = notes.Integer("kind", 1, kGlobalInShards);
    index.notes = {ReadId(&notes), notes.Boolean("open")};
  }
  index.kind = kind == kGlobalInShards ? IndexKind::kGlobal : static_cast<IndexKind>(kind);
  if (kind == kGlobalInShards) {
    index.shards = ReadShards(&in);
    if (in.Has("next")) {
      FieldReader next = in.Map("next");
      index.next = {ReadId(&next), ReadShards(&next)};
    }
  }
  const bool is_vector = index.kind == IndexKind::kVector;
  index.key.hash = ReadKey("hash", is_vector ? 0 : 1, &in);
  index.key.range = ReadKey("range", 0, &in);
  index.projection = in.Enumerator("projection", ProjectionType::kInclude);
  in.List("non_key_attributes",
          [&](FieldReader name) { index.non_key_attributes.push_back(name.Text("name")); });
  if (is_vector) index.vector = ReadVector(in.Map("vector"));
  IndexState& state = meta->index_states.emplace_back();
  state.status = in.Enumerator("status", IndexStatus::kDeleting);
  state.backfilling = in.Boolean("backfilling");
  state.backfill_position = in.Bytes("backfill_position");
  state.throughput = ReadThroughput(&in);
  state.on_demand = ReadOnDemand(&in);
  state.warm = ReadWarm(&in);
  state.status_until = in.OptionalTime("status_until");
  state.backfilling_from = in.OptionalTime("backfilling_from");
  state.filled = in.Has("filled") && in.Boolean("filled");
  state.warm_until = in.OptionalTime("warm_until");
}

void ReadSchema(FieldReader* in, TableMeta* meta) {
  meta->schema.name = in->Text("name");
  meta->schema.id = ReadId(in);
  meta->schema.key.hash = ReadKey("hash", 1, in);
  meta->schema.key.range = ReadKey("range", 0, in);
  meta->attribute_definitions = ReadKey("attribute_definitions", 0, in);
  in->List("indexes", [&](FieldReader index) { ReadIndex(index, meta); });
}

Tags ReadTags(FieldReader* in) {
  Tags tags;
  in->List("tags", [&](FieldReader tag) { tags.emplace_back(tag.Text("key"), tag.Text("value")); });
  return tags;
}

std::optional<ResourcePolicy> ReadPolicy(FieldReader* in) {
  if (!in->Has("policy")) return std::nullopt;
  FieldReader fields = in->Map("policy");
  return ResourcePolicy{fields.Text("document"), fields.Text("revision_id"),
                        fields.Time("changed")};
}

void ReadMonitoring(FieldReader* in, TableMeta* meta) {
  if (in->Has("point_in_time_recovery")) {
    FieldReader fields = in->Map("point_in_time_recovery");
    meta->point_in_time_recovery = PointInTimeRecovery{
        fields.Time("enabled"), fields.Integer("days", 1, kRecoveryPeriodDaysMax)};
  }
  if (!in->Has("contributor_insights")) return;
  in->List("contributor_insights", [&](FieldReader fields) {
    meta->contributor_insights.push_back(
        {fields.Text("index"), fields.Boolean("enabled"),
         fields.Enumerator("mode", ContributorInsightsMode::kThrottledKeys),
         fields.Time("last_change"), fields.OptionalTime("status_until")});
  });
}

void ReadDestinations(FieldReader* in, TableMeta* meta) {
  if (!in->Has("kinesis_destinations")) return;
  in->List("kinesis_destinations", [&](FieldReader fields) {
    KinesisDestination& destination = meta->kinesis_destinations.emplace_back();
    destination.stream_arn = fields.Text("stream");
    destination.status = fields.Enumerator("status", KinesisDestinationStatus::kEnableFailed);
    destination.status_until = fields.OptionalTime("status_until");
    if (fields.Has("log")) destination.log_label = fields.Text("log");
    if (fields.Has("description")) destination.status_description = fields.Text("description");
    if (!fields.Has("precision")) return;
    destination.precision = fields.Enumerator("precision", TimestampPrecision::kMicrosecond);
  });
}

std::optional<AutoScalingSettings> ReadSettings(std::string_view name, FieldReader* in) {
  if (!in->Has(name)) return std::nullopt;
  FieldReader fields = in->Map(name);
  AutoScalingSettings settings;
  settings.minimum_units = fields.OptionalInteger("minimum");
  settings.maximum_units = fields.OptionalInteger("maximum");
  settings.disabled = fields.OptionalBoolean("disabled");
  settings.role_arn = fields.Text("role");
  fields.List("policies", [&](FieldReader policy) {
    settings.policies.push_back({policy.Text("name"), policy.OptionalBoolean("disable_scale_in"),
                                 policy.OptionalInteger("scale_in_cooldown"),
                                 policy.OptionalInteger("scale_out_cooldown"),
                                 policy.Real("target")});
  });
  return settings;
}

void ReadAutoScaling(FieldReader* in, TableMeta* meta) {
  if (!in->Has("auto_scaling")) return;
  in->List("auto_scaling", [&](FieldReader fields) {
    AutoScaling& settings = meta->auto_scaling.emplace_back();
    settings.index_name = fields.Text("index");
    settings.read = ReadSettings("read", &fields);
    settings.write = ReadSettings("write", &fields);
  });
}

void ReadReplicas(FieldReader* in, TableMeta* meta) {
  meta->last_source_of_replica = in->OptionalTime("last_source_of_replica");
  if (!in->Has("replicas")) return;
  in->List("replicas", [&](FieldReader fields) {
    Replica& replica = meta->replicas.emplace_back();
    ReplicaSettings& settings = replica.settings;
    replica.region = fields.Text("region");
    settings.kms_key = fields.Text("kms_key");
    settings.read_units = fields.OptionalInteger("read_units");
    settings.max_read_units = fields.OptionalInteger("max_read_units");
    if (fields.Has("table_class")) {
      settings.table_class =
          fields.Enumerator("table_class", TableClass::kStandardInfrequentAccess);
    }
    fields.List("indexes", [&](FieldReader index) {
      settings.indexes.push_back({index.Text("name"), index.OptionalInteger("read_units"),
                                  index.OptionalInteger("max_read_units")});
    });
    replica.is_filled = fields.Boolean("filled");
    replica.status_until = fields.OptionalTime("status_until");
    replica.deleting_from = fields.OptionalTime("deleting_from");
  });
  meta->is_strong = in->Has("strong") && in->Boolean("strong");
  if (!in->Has("witness")) return;
  FieldReader fields = in->Map("witness");
  meta->witness = Witness{fields.Text("region"), fields.OptionalTime("status_until"),
                          fields.Boolean("deleting")};
}

void ReadFeatures(FieldReader* in, TableMeta* meta) {
  if (in->Has("encryption")) {
    FieldReader fields = in->Map("encryption");
    meta->encryption = ServerSideEncryption{fields.Boolean("enabled"), fields.Text("kms_key_arn")};
  }
  meta->encryption_until = in->OptionalTime("encryption_until");
  if (in->Has("encryption_changes")) {
    in->List("encryption_changes",
             [&](FieldReader change) { meta->encryption_changes.push_back(change.Time("time")); });
  }
  FieldReader stream = in->Map("stream");
  meta->stream.enabled = stream.Boolean("enabled");
  meta->stream.view_type = stream.Enumerator("view_type", StreamViewType::kNewAndOldImages);
  meta->stream.label = stream.Text("label");
  if (stream.Has("tags")) meta->stream.tags = ReadTags(&stream);
  meta->stream.policy = ReadPolicy(&stream);
  FieldReader time_to_live = in->Map("time_to_live");
  meta->time_to_live.enabled = time_to_live.Boolean("enabled");
  meta->time_to_live.attribute_name = time_to_live.Text("attribute_name");
  meta->time_to_live.last_change = time_to_live.OptionalTime("last_change");
  meta->tags = ReadTags(in);
  meta->tags_until = in->OptionalTime("tags_until");
  if (in->Has("earlier_tags")) {
    FieldReader earlier = in->Map("earlier_tags");
    meta->earlier_tags = EarlierTags{earlier.Text("stream_label"), ReadTags(&earlier)};
  }
  meta->policy = ReadPolicy(in);
  ReadMonitoring(in, meta);
  if (in->Has("restore")) {
    FieldReader restore = in->Map("restore");
    meta->restore =
        RestoreSummary{restore.Text("backup"), restore.Text("table"), restore.Time("time")};
  }
  ReadDestinations(in, meta);
  ReadAutoScaling(in, meta);
  ReadReplicas(in, meta);
}

}  // namespace

std::string EncodeTableMeta(const TableMeta& meta) {
  FieldWriter out;
  out.Begin();
  WriteSchema(meta, &out);
  out.Text("uuid", meta.uuid);
  out.Time("created", meta.created);
  out.Enumerator("status", meta.status);
  out.Time("status_until", meta.status_until);
  if (meta.change) out.Enumerator("change", *meta.change);
  out.Time("next_transition", meta.next_transition);
  out.Enumerator("billing_mode", meta.billing_mode);
  out.Time("last_pay_per_request", meta.last_pay_per_request);
  WriteThroughput(meta.throughput, &out);
  WriteScaling(meta.on_demand, meta.warm, &out);
  out.Time("warm_until", meta.warm_until);
  if (meta.table_class) out.Enumerator("table_class", *meta.table_class);
  out.Time("table_class_changed", meta.table_class_changed);
  out.Time("table_class_changed_before", meta.table_class_changed_before);
  out.Boolean("deletion_protection", meta.deletion_protection);
  out.Time("deletion_protection_changed", meta.deletion_protection_changed);
  WriteFeatures(meta, &out);
  out.Integer("initial_partitions", meta.initial_partitions);
  return out.Finish();
}

absl::StatusOr<TableMeta> DecodeTableMeta(std::string_view bytes) {
  DYNOLITH_ASSIGN_OR_RETURN(const ItemView item, ItemView::Parse(bytes));
  std::string damaged;
  FieldReader in(item, &damaged);
  TableMeta meta;
  ReadSchema(&in, &meta);
  meta.uuid = in.Text("uuid");
  meta.created = in.Time("created");
  meta.status = in.Enumerator("status", TableStatus::kDeleting);
  meta.status_until = in.OptionalTime("status_until");
  if (in.Has("change")) meta.change = in.Enumerator("change", TableChange::kIndexes);
  meta.next_transition = in.OptionalTime("next_transition");
  meta.billing_mode = in.Enumerator("billing_mode", BillingMode::kPayPerRequest);
  meta.last_pay_per_request = in.OptionalTime("last_pay_per_request");
  meta.throughput = ReadThroughput(&in);
  meta.on_demand = ReadOnDemand(&in);
  meta.warm = ReadWarm(&in);
  meta.warm_until = in.OptionalTime("warm_until");
  if (in.Has("table_class")) {
    meta.table_class = in.Enumerator("table_class", TableClass::kStandardInfrequentAccess);
  }
  meta.table_class_changed = in.OptionalTime("table_class_changed");
  meta.table_class_changed_before = in.OptionalTime("table_class_changed_before");
  meta.deletion_protection = in.Boolean("deletion_protection");
  meta.deletion_protection_changed = in.OptionalTime("deletion_protection_changed");
  ReadFeatures(&in, &meta);
  meta.initial_partitions =
      static_cast<int>(in.Integer("initial_partitions", 1, kInitialPartitionsMax));
  if (!damaged.empty()) return absl::DataLossError(messages::CatalogFieldDamaged(damaged));
  return meta;
}

}  // namespace dynolith
