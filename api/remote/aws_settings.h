// The settings of AWS SDKs and the AWS CLI in the environment and in profile files.
#ifndef DYNOLITH_API_REMOTE_AWS_SETTINGS_H_
#define DYNOLITH_API_REMOTE_AWS_SETTINGS_H_

#include <functional>
#include <map>
#include <string>

namespace dynolith::client {

// A variable's value; empty if it is not set, as for the SDKs.
using Environment = std::function<std::string(const char* name)>;
std::string ProcessEnvironment(const char* name);
// The process's, with that profile: one that is named so counts before the keys of variables.
Environment EnvironmentOfProfile(std::string profile);

// A value and its origin: "AWS_REGION", "profile work of /home/ana/.aws/config".
struct Setting {
  std::string value;  // empty: nowhere
  std::string place;
};

struct AwsSettings {
  std::string profile;            // by name, "default" if none is named
  bool is_profile_named = false;  // by AWS_PROFILE or AWS_DEFAULT_PROFILE
  bool is_profile_there = false;  // in one of the two files
  std::string config_file;
  std::string credentials_file;
  // Those that apply to DynamoDB and to S3, though `ignores_endpoints` may overrule them.
  Setting endpoint;
  Setting s3_endpoint;
  Setting ignores_endpoints;  // "true" in whatever case, or nothing
  Setting region;
  // The ways to credentials, in the SDKs' order; what comes behind a way that is set is not read.
  // The keys are those of variables, else of the profile. Half of a pair is as it was found.
  Setting access_key;
  Setting secret_key;
  Setting session_token;  // from the same place
  // A role or single sign-on, which other services turn into keys; `value` is how it is written:
  // "role_arn = arn:…, source_profile = base".
  Setting federation;
  Setting credential_process;  // a command
  Setting container;           // the path or URL of the container's endpoint
  bool is_container_url = false;
  // Of the machine's endpoint in EC2. Nothing is asked there if it is disabled.
  std::string instance_url;
  bool is_instance_disabled = false;
};

// As in the AWS SDKs and Tools Reference Guide ("Service-specific endpoints", "Shared config and
// credentials files"): variables override profiles, and settings of a service override those of
// all. A file that cannot be read counts as empty.
AwsSettings ReadAwsSettings(const Environment& environment);

// Sections of such a file: their names as in brackets, with single spaces; for nested members, such
// as a service's in `[services x]`, the name is "dynamodb.endpoint_url".
using AwsSections = std::map<std::string, std::map<std::string, std::string>>;
AwsSections ReadAwsSections(const std::string& file);

}  // namespace dynolith::client

#endif  // DYNOLITH_API_REMOTE_AWS_SETTINGS_H_
