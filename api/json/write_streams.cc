#include "api/json/write_streams.h"

#include <optional>
#include <string>

#include "api/json/write_members.h"
#include "api/json/write_table_parts.h"
namespace dynolith {
namespace {

std::string_view Word(StreamStatus status) {
  switch (status) {
    case StreamStatus::kEnabling:
      return "ENABLING";
    case StreamStatus::kEnabled:
      return "ENABLED";
    case StreamStatus::kDisabling:
      return "DISABLING";
    case StreamStatus::kDisabled:
      break;
  }
  return "DISABLED";
}

std::string_view Word(OperationType type) {
  switch (type) {
    case OperationType::kInsert:
      return "INSERT";
    case OperationType::kModify:
      return "MODIFY";
    case OperationType::kRemove:
      break;
  }
  return "REMOVE";
}

void TextIfAny(std::string_view key, const std::optional<std::string>& text, JsonWriter* writer) {
  if (text) Text(key, *text, writer);
}

void WriteKeySchema(const std::vector<KeySchemaElement>& elements, JsonWriter* writer) {
  writer->Key("KeySchema");
  writer->BeginArray();
  for (const KeySchemaElement& element : elements) {
    writer->BeginObject();
    Text("AttributeName", element.attribute_name, writer);
    Text("KeyType", element.key_type == KeySchemaElement::KeyType::kHash ? "HASH" : "RANGE",
         writer);
    writer->EndObject();
  }
  writer->EndArray();
}

void WriteShard(const ShardDescription& shard, JsonWriter* writer) {
  writer->BeginObject();
  Text("ShardId", shard.shard_id, writer);
  writer->Key("SequenceNumberRange");
  writer->BeginObject();
  Text("StartingSequenceNumber", shard.starting_sequence_number, writer);
  TextIfAny("EndingSequenceNumber", shard.ending_sequence_number, writer);
  writer->EndObject();
  TextIfAny("ParentShardId", shard.parent_shard_id, writer);
  writer->EndObject();
}

void WriteImage(std::string_view key, const std::optional<Item>& image, JsonWriter* writer) {
  if (!image) return;
  writer->Key(key);
  writer->Item(image->view());
}

void WriteStreamRecord(const StreamRecord& record, JsonWriter* writer) {
  writer->BeginObject();
  writer->Key("ApproximateCreationDateTime");
  writer->Timestamp(record.approximate_creation_date_time);
  writer->Key("Keys");
  writer->Item(record.keys.view());
  WriteImage("NewImage", record.new_image, writer);
  WriteImage("OldImage", record.old_image, writer);
  Text("SequenceNumber", record.sequence_number, writer);
  writer->Key("SizeBytes");
  writer->Integer(record.size_bytes);
  Text("StreamViewType", StreamViewTypeWord(record.stream_view_type), writer);
  writer->EndObject();
}

// The one structure of the service whose members begin with small letters.
void WriteRecord(const ChangeRecord& record, JsonWriter* writer) {
  writer->BeginObject();
  Text("eventID", record.event_id, writer);
  Text("eventName", Word(record.event_name), writer);
  Text("eventVersion", record.event_version, writer);
  Text("eventSource", record.event_source, writer);
  Text("awsRegion", record.aws_region, writer);
  writer->Key("dynamodb");
  WriteStreamRecord(record.dynamodb, writer);
  if (record.user_identity) {
    writer->Key("userIdentity");
    writer->BeginObject();
    Text("PrincipalId", record.user_identity->principal_id, writer);
    Text("Type", record.user_identity->type, writer);
    writer->EndObject();
  }
  writer->EndObject();
}

}  // namespace

void WriteOutputJson(const ListStreamsOutput& output, JsonWriter* writer) {
  writer->BeginObject();
  writer->Key("Streams");
  writer->BeginArray();
  for (const StreamSummary& stream : output.streams) {
    writer->BeginObject();
    Text("StreamArn", stream.stream_arn, writer);
    Text("TableName", stream.table_name, writer);
    Text("StreamLabel", stream.stream_label, writer);
    writer->EndObject();
  }
  writer->EndArray();
  TextIfAny("LastEvaluatedStreamArn", output.last_evaluated_stream_arn, writer);
  writer->EndObject();
}

void WriteOutputJson(const DescribeStreamOutput& output, JsonWriter* writer) {
  const StreamDescription& stream = output.stream_description;
  writer->BeginObject();
  writer->Key("StreamDescription");
  writer->BeginObject();
  Text("StreamArn", stream.stream_arn, writer);
  Text("StreamLabel", stream.stream_label, writer);
  Text("StreamStatus", Word(stream.stream_status), writer);
  Text("StreamViewType", StreamViewTypeWord(stream.stream_view_type), writer);
  writer->Key("CreationRequestDateTime");
  writer->Timestamp(stream.creation_request_date_time);
  Text("TableName", stream.table_name, writer);
  WriteKeySchema(stream.key_schema, writer);
  writer->Key("Shards");
  writer->BeginArray();
  for (const ShardDescription& shard : stream.shards) WriteShard(shard, writer);
  writer->EndArray();
  TextIfAny("LastEvaluatedShardId", stream.last_evaluated_shard_id, writer);
  writer->EndObject();
  writer->EndObject();
}

void WriteOutputJson(const GetShardIteratorOutput& output, JsonWriter* writer) {
  writer->BeginObject();
  Text("ShardIterator", output.shard_iterator, writer);
  writer->EndObject();
}

void WriteOutputJson(const GetRecordsOutput& output, JsonWriter* writer) {
  writer->BeginObject();
  writer->Key("Records");
  writer->BeginArray();
  for (const ChangeRecord& record : output.records) WriteRecord(record, writer);
  writer->EndArray();
  TextIfAny("NextShardIterator", output.next_shard_iterator, writer);
  writer->EndObject();
}

}  // namespace dynolith
