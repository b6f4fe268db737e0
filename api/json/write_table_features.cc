#include "api/json/write_table_features.h"

#include <optional>
#include <string>

#include "api/json/write_members.h"
namespace dynolith {
namespace {

std::string_view Word(ContributorInsightsStatus status) {
  switch (status) {
    case ContributorInsightsStatus::kEnabling:
      return "ENABLING";
    case ContributorInsightsStatus::kEnabled:
      return "ENABLED";
    case ContributorInsightsStatus::kDisabling:
      return "DISABLING";
    case ContributorInsightsStatus::kDisabled:
      break;
  }
  return "DISABLED";
}

std::string_view Word(ContributorInsightsMode mode) {
  return mode == ContributorInsightsMode::kThrottledKeys ? "THROTTLED_KEYS"
                                                         : "ACCESSED_AND_THROTTLED_KEYS";
}

std::string_view Word(KinesisDestinationStatus status) {
  switch (status) {
    case KinesisDestinationStatus::kEnabling:
      return "ENABLING";
    case KinesisDestinationStatus::kActive:
      return "ACTIVE";
    case KinesisDestinationStatus::kDisabling:
      return "DISABLING";
    case KinesisDestinationStatus::kUpdating:
      return "UPDATING";
    case KinesisDestinationStatus::kDisabled:
      break;
  }
  return "DISABLED";
}

std::string_view Word(TimestampPrecision precision) {
  return precision == TimestampPrecision::kMicrosecond ? "MICROSECOND" : "MILLISECOND";
}

void TextIfAny(std::string_view key, const std::optional<std::string>& text, JsonWriter* writer) {
  if (text) Text(key, *text, writer);
}

void WritePrecision(std::string_view key, TimestampPrecision precision, JsonWriter* writer) {
  writer->Key(key);
  writer->BeginObject();
  Text("ApproximateCreationDateTimePrecision", Word(precision), writer);
  writer->EndObject();
}

void WriteRecovery(const ContinuousBackupsDescription& output, JsonWriter* writer) {
  writer->Key("PointInTimeRecoveryDescription");
  writer->BeginObject();
  const auto& recovery = output.point_in_time_recovery;
  Text("PointInTimeRecoveryStatus", recovery ? "ENABLED" : "DISABLED", writer);
  if (recovery) {
    writer->Key("RecoveryPeriodInDays");
    writer->Integer(recovery->recovery_period_in_days);
    Time("EarliestRestorableDateTime", recovery->earliest_restorable, writer);
    Time("LatestRestorableDateTime", recovery->latest_restorable, writer);
  }
  writer->EndObject();
}

}  // namespace

void WriteOutputJson(const ListTagsOfResourceOutput& output, JsonWriter* writer) {
  writer->BeginObject();
  writer->Key("Tags");
  writer->BeginArray();
  for (const Tag& tag : output.tags) {
    writer->BeginObject();
    TextIfAny("Key", tag.key, writer);
    TextIfAny("Value", tag.value, writer);
    writer->EndObject();
  }
  writer->EndArray();
  TextIfAny("NextToken", output.next_token, writer);
  writer->EndObject();
}

void WriteOutputJson(const PutResourcePolicyOutput& output, JsonWriter* writer) {
  writer->BeginObject();
  Text("RevisionId", output.revision_id, writer);
  writer->EndObject();
}

void WriteOutputJson(const GetResourcePolicyOutput& output, JsonWriter* writer) {
  writer->BeginObject();
  Text("Policy", output.policy, writer);
  Text("RevisionId", output.revision_id, writer);
  writer->EndObject();
}

void WriteOutputJson(const DeleteResourcePolicyOutput& output, JsonWriter* writer) {
  writer->BeginObject();
  TextIfAny("RevisionId", output.revision_id, writer);
  writer->EndObject();
}

void WriteOutputJson(const ContinuousBackupsDescription& output, JsonWriter* writer) {
  writer->BeginObject();
  writer->Key("ContinuousBackupsDescription");
  writer->BeginObject();
  Text("ContinuousBackupsStatus", output.enabled ? "ENABLED" : "DISABLED", writer);
  WriteRecovery(output, writer);
  writer->EndObject();
  writer->EndObject();
}

void WriteOutputJson(const ContributorInsightsDescription& output, JsonWriter* writer) {
  writer->BeginObject();
  Text("TableName", output.table_name, writer);
  TextIfAny("IndexName", output.index_name, writer);
  Text("ContributorInsightsStatus", Word(output.status), writer);
  if (output.last_update) Time("LastUpdateDateTime", *output.last_update, writer);
  if (output.mode) Text("ContributorInsightsMode", Word(*output.mode), writer);
  writer->EndObject();
}

void WriteOutputJson(const ListContributorInsightsOutput& output, JsonWriter* writer) {
  writer->BeginObject();
  writer->Key("ContributorInsightsSummaries");
  writer->BeginArray();
  for (ContributorInsightsDescription summary : output.summaries) {
    summary.last_update.reset();  // no member of a summary
    WriteOutputJson(summary, writer);
  }
  writer->EndArray();
  TextIfAny("NextToken", output.next_token, writer);
  writer->EndObject();
}

void WriteOutputJson(const KinesisStreamingDestinationOutput& output, JsonWriter* writer) {
  writer->BeginObject();
  Text("TableName", output.table_name, writer);
  Text("StreamArn", output.stream_arn, writer);
  Text("DestinationStatus", Word(output.destination_status), writer);
  if (const auto& precision = output.approximate_creation_date_time_precision) {
    WritePrecision("EnableKinesisStreamingConfiguration", *precision, writer);
  }
  writer->EndObject();
}

void WriteOutputJson(const UpdateKinesisStreamingDestinationOutput& output, JsonWriter* writer) {
  writer->BeginObject();
  Text("TableName", output.table_name, writer);
  Text("StreamArn", output.stream_arn, writer);
  Text("DestinationStatus", Word(output.destination_status), writer);
  WritePrecision("UpdateKinesisStreamingConfiguration",
                 output.approximate_creation_date_time_precision, writer);
  writer->EndObject();
}

void WriteOutputJson(const DescribeKinesisStreamingDestinationOutput& output, JsonWriter* writer) {
  writer->BeginObject();
  Text("TableName", output.table_name, writer);
  writer->Key("KinesisDataStreamDestinations");
  writer->BeginArray();
  for (const KinesisDestination& destination : output.kinesis_data_stream_destinations) {
    writer->BeginObject();
    Text("StreamArn", destination.stream_arn, writer);
    Text("DestinationStatus", Word(destination.status), writer);
    Text("ApproximateCreationDateTimePrecision",
         Word(destination.precision.value_or(TimestampPrecision::kMillisecond)), writer);
    writer->EndObject();
  }
  writer->EndArray();
  writer->EndObject();
}

}  // namespace dynolith
