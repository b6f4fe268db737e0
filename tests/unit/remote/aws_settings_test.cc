#include "api/remote/aws_settings.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "tests/unit/store/scratch_folder.h"

namespace dynolith::client {
namespace {

class AwsSettingsTest : public ::testing::Test {
 protected:
  void Write(const std::string& name, const std::string& text) {
    std::filesystem::create_directories(folder_ / ".aws");
    std::ofstream(folder_ / (".aws/" + name)) << text;
  }
  AwsSettings Read() {
    variables_["HOME"] = folder_.path();
    return ReadAwsSettings([this](const char* name) { return variables_[name]; });
  }
  std::string Place(const std::string& profile, const std::string& file) {
    return "profile " + profile + " of " + folder_ / (".aws/" + file);
  }

  testing::ScratchFolder folder_;
  std::map<std::string, std::string> variables_;
};

TEST_F(AwsSettingsTest, WithoutAnything) {
  const AwsSettings settings = Read();
  EXPECT_EQ(settings.profile, "default");
  EXPECT_FALSE(settings.is_profile_there);
  EXPECT_EQ(settings.endpoint.value, "");
  EXPECT_EQ(settings.access_key.value, "");
  EXPECT_EQ(settings.region.value, "");
}

TEST_F(AwsSettingsTest, ProfilesHaveOneSectionInEachFile) {
  Write("config",
        "# mine\n[default]\nregion=eu-west-1\n[ profile  work ]\nregion = eu-north-1 \n"
        "endpoint_url = http://work:1\n[profile]\nregion = nowhere\n");
  Write("credentials", "[work]\naws_access_key_id = A\naws_secret_access_key = S\n");
  EXPECT_EQ(Read().region.value, "eu-west-1");
  EXPECT_EQ(Read().access_key.value, "");
  variables_["AWS_PROFILE"] = "work";
  const AwsSettings settings = Read();
  EXPECT_TRUE(settings.is_profile_there);
  EXPECT_EQ(settings.region.value, "eu-north-1");
  EXPECT_EQ(settings.region.place, Place("work", "config"));
  EXPECT_EQ(settings.endpoint.value, "http://work:1");
  EXPECT_EQ(settings.access_key.value, "A");
  EXPECT_EQ(settings.secret_key.place, Place("work", "credentials"));
  variables_["AWS_PROFILE"] = "play";
  EXPECT_FALSE(Read().is_profile_there);
  EXPECT_TRUE(Read().is_profile_named);
}

TEST_F(AwsSettingsTest, WhatIsSaidOfTheServiceGoesFirst) {
  Write("config",
        "[default]\nservices = local\nendpoint_url = http://all:1\n[services local]\n"
        "s3 =\n  endpoint_url = http://s3:1\ndynamodb =\n  endpoint_url = http://dynamodb:1\n");
  EXPECT_EQ(Read().endpoint.value, "http://dynamodb:1");
  EXPECT_EQ(Read().s3_endpoint.value, "http://s3:1");
  variables_["AWS_ENDPOINT_URL"] = "http://variable:1";
  EXPECT_EQ(Read().endpoint.value, "http://variable:1");
  EXPECT_EQ(Read().endpoint.place, "AWS_ENDPOINT_URL");
  variables_["AWS_ENDPOINT_URL_DYNAMODB"] = "http://variable:2";
  EXPECT_EQ(Read().endpoint.value, "http://variable:2");
  EXPECT_EQ(Read().s3_endpoint.value, "http://variable:1");
  variables_["AWS_ENDPOINT_URL_S3"] = "http://variable:3";
  EXPECT_EQ(Read().s3_endpoint.value, "http://variable:3");
}

TEST_F(AwsSettingsTest, EndpointsAreIgnoredByAnyLettersOfTrue) {
  Write("config", "[default]\nignore_configured_endpoint_urls = true\n");
  EXPECT_EQ(Read().ignores_endpoints.place, Place("default", "config"));
  // The variable goes first.
  variables_["AWS_IGNORE_CONFIGURED_ENDPOINT_URLS"] = "false";
  EXPECT_EQ(Read().ignores_endpoints.value, "");
  variables_["AWS_IGNORE_CONFIGURED_ENDPOINT_URLS"] = "TRUE";
  EXPECT_EQ(Read().ignores_endpoints.place, "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS");
}

TEST_F(AwsSettingsTest, HalfAPairOfVariablesHidesTheProfile) {
  Write("credentials", "[default]\naws_access_key_id = A\naws_secret_access_key = S\n");
  EXPECT_EQ(Read().secret_key.value, "S");
  variables_["AWS_ACCESS_KEY_ID"] = "B";
  EXPECT_EQ(Read().access_key.value, "B");
  EXPECT_EQ(Read().secret_key.value, "");
}

TEST_F(AwsSettingsTest, FilesElsewhere) {
  Write("other", "[default]\ncredential_process = keys\nno value\n= x\n]\n[open\n");
  variables_["AWS_CONFIG_FILE"] = folder_ / ".aws/other";
  EXPECT_EQ(Read().credential_process.place, Place("default", "other"));
  EXPECT_EQ(Read().credential_process.value, "keys");
}

// A role hides the keys beside it, which are those of its source; variables hide both.
TEST_F(AwsSettingsTest, RolesAndSingleSignOnGoBeforeKeys) {
  Write("config",
        "[default]\nrole_arn = arn:aws:iam::123456789012:role/x\nsource_profile = default\n"
        "[profile web]\nsso_session = mine\n");
  Write("credentials", "[default]\naws_access_key_id = A\naws_secret_access_key = S\n");
  EXPECT_EQ(Read().federation.value,
            "role_arn = arn:aws:iam::123456789012:role/x, source_profile = default");
  EXPECT_EQ(Read().federation.place, Place("default", "config"));
  EXPECT_EQ(Read().access_key.value, "");
  variables_["AWS_PROFILE"] = "web";
  EXPECT_EQ(Read().federation.value, "sso_session = mine");
  variables_["AWS_WEB_IDENTITY_TOKEN_FILE"] = "/token";
  EXPECT_EQ(Read().federation.value, "AWS_WEB_IDENTITY_TOKEN_FILE=/token");
  variables_["AWS_ACCESS_KEY_ID"] = "B";
  EXPECT_EQ(Read().federation.value, "");
}

TEST_F(AwsSettingsTest, TheTokenIsOfTheSamePlaceAsTheKeys) {
  Write("credentials",
        "[default]\naws_access_key_id = A\naws_secret_access_key = S\n"
        "aws_session_token = of the file\n");
  variables_["AWS_SESSION_TOKEN"] = "of a variable";
  EXPECT_EQ(Read().session_token.value, "of the file");
  variables_["AWS_ACCESS_KEY_ID"] = "B";
  EXPECT_EQ(Read().session_token.value, "of a variable");
}

TEST_F(AwsSettingsTest, EndpointsOfContainersAndInstances) {
  EXPECT_EQ(Read().instance_url, "http://169.254.169.254");
  EXPECT_FALSE(Read().is_instance_disabled);
  Write("config", "[default]\nec2_metadata_service_endpoint_mode = IPv6\n");
  EXPECT_EQ(Read().instance_url, "http://[fd00:ec2::254]");
  variables_["AWS_EC2_METADATA_SERVICE_ENDPOINT"] = "http://other:1";
  variables_["AWS_EC2_METADATA_DISABLED"] = "True";
  EXPECT_EQ(Read().instance_url, "http://other:1");
  EXPECT_TRUE(Read().is_instance_disabled);
  variables_["AWS_CONTAINER_CREDENTIALS_FULL_URI"] = "http://localhost:1/keys";
  EXPECT_EQ(Read().container.value, "http://localhost:1/keys");
  EXPECT_TRUE(Read().is_container_url);
  variables_["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"] = "/keys";
  EXPECT_EQ(Read().container.value, "/keys");
  EXPECT_FALSE(Read().is_container_url);
}

}  // namespace
}  // namespace dynolith::client
