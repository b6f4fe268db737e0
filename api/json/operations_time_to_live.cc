// UpdateTimeToLive and DescribeTimeToLive, from the members of a call to the text of its output.
#include "api/json/members.h"
#include "api/json/operations.h"
#include "api/json/request_parts.h"
#include "api/json/run_operation.h"

namespace dynolith {
namespace {

std::string_view Word(TimeToLiveStatus status) {
  switch (status) {
    case TimeToLiveStatus::kEnabling:
      return "ENABLING";
    case TimeToLiveStatus::kDisabling:
      return "DISABLING";
    case TimeToLiveStatus::kEnabled:
      return "ENABLED";
    case TimeToLiveStatus::kDisabled:
      break;
  }
  return "DISABLED";
}

absl::Status RunUpdate(const OperationCall& call, std::string* body) {
  namespace in = members::UpdateTimeToLiveInput;
  namespace specification = members::TimeToLiveSpecification;
  UpdateTimeToLiveRequest request;
  DYNOLITH_RETURN_IF_ERROR(ReadTableName(call.input->Text(in::kTableName), &request.table_name));
  const Fields fields(specification::kShape, *call.input->Find(in::kTimeToLiveSpecification));
  request.time_to_live_specification = {
      .enabled = fields.Boolean(specification::kEnabled).value_or(false),
      .attribute_name = std::string(fields.Text(specification::kAttributeName))};
  DYNOLITH_ASSIGN_OR_RETURN(const UpdateTimeToLiveOutput output,
                            call.database->UpdateTimeToLive(request));
  JsonWriter writer(body);
  writer.BeginObject();
  writer.Key("TimeToLiveSpecification");
  writer.BeginObject();
  writer.Key("Enabled");
  writer.Bool(output.time_to_live_specification.enabled);
  writer.Key("AttributeName");
  writer.String(output.time_to_live_specification.attribute_name);
  writer.EndObject();
  writer.EndObject();
  return absl::OkStatus();
}

absl::Status RunDescribe(const OperationCall& call, std::string* body) {
  DescribeTimeToLiveRequest request;
  DYNOLITH_RETURN_IF_ERROR(ReadTableName(
      call.input->Text(members::DescribeTimeToLiveInput::kTableName), &request.table_name));
  DYNOLITH_ASSIGN_OR_RETURN(const DescribeTimeToLiveOutput output,
                            call.database->DescribeTimeToLive(request));
  const TimeToLiveDescription& description = output.time_to_live_description;
  JsonWriter writer(body);
  writer.BeginObject();
  writer.Key("TimeToLiveDescription");
  writer.BeginObject();
  writer.Key("TimeToLiveStatus");
  writer.String(Word(description.time_to_live_status));
  if (description.attribute_name) {
    writer.Key("AttributeName");
    writer.String(*description.attribute_name);
  }
  writer.EndObject();
  writer.EndObject();
  return absl::OkStatus();
}

constexpr OperationRow kRows[] = {
    {"UpdateTimeToLive", &RunUpdate},
    {"DescribeTimeToLive", &RunDescribe},
};

}  // namespace

absl::Span<const OperationRow> TimeToLiveOperations() { return kRows; }

}  // namespace dynolith
