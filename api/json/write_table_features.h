// Outputs of the operations on tags, policies, backups and monitoring -> JSON.
#ifndef DYNOLITH_API_JSON_WRITE_TABLE_FEATURES_H_
#define DYNOLITH_API_JSON_WRITE_TABLE_FEATURES_H_

#include "api/json/json_writer.h"
#include "dynolith/backups.h"
#include "dynolith/table_features.h"

namespace dynolith {

void WriteOutputJson(const ListTagsOfResourceOutput& output, JsonWriter* writer);
void WriteOutputJson(const PutResourcePolicyOutput& output, JsonWriter* writer);
void WriteOutputJson(const GetResourcePolicyOutput& output, JsonWriter* writer);
void WriteOutputJson(const DeleteResourcePolicyOutput& output, JsonWriter* writer);
void WriteOutputJson(const ContinuousBackupsDescription& output, JsonWriter* writer);
void WriteOutputJson(const ContributorInsightsDescription& output, JsonWriter* writer);
void WriteOutputJson(const ListContributorInsightsOutput& output, JsonWriter* writer);
void WriteOutputJson(const DescribeKinesisStreamingDestinationOutput& output, JsonWriter* writer);
void WriteOutputJson(const KinesisStreamingDestinationOutput& output, JsonWriter* writer);
void WriteOutputJson(const UpdateKinesisStreamingDestinationOutput& output, JsonWriter* writer);

}  // namespace dynolith

#endif  // DYNOLITH_API_JSON_WRITE_TABLE_FEATURES_H_
