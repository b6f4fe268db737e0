// The chain of credentials, each place with a fake of it, and when credentials are fetched again.
#include "api/remote/caller_identity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/time/time.h"
#include "api/remote/credential_process.h"
#include "engine/base/clock.h"
#include "engine/base/errors.h"
#include "engine/base/strings.h"
#include "tests/unit/remote/scripted_server.h"
#include "tests/unit/store/scratch_folder.h"

namespace dynolith::client {
namespace {

using ::testing::HasSubstr;
using testing::ScriptedAnswer;
using testing::ScriptedServer;

const absl::Time kStart = absl::FromUnixSeconds(1'800'000'000);

std::string KeysText(const std::string& access_key, absl::Time expires) {
  return Concat(R"({"Code":"Success","AccessKeyId":")", access_key,
                R"(","SecretAccessKey":"secret","Token":"token","Expiration":")",
                absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", expires, absl::UTCTimeZone()), "\"}");
}

class CallerIdentityTest : public ::testing::Test {
 protected:
  CallerIdentityTest() { variables_["HOME"] = folder_.path(); }

  void Write(const std::string& name, const std::string& text) {
    std::filesystem::create_directories(folder_ / ".aws");
    std::ofstream(folder_ / (".aws/" + name)) << text;
  }
  absl::StatusOr<std::shared_ptr<CallerIdentity>> Find(const std::string& url) {
    return CallerIdentity::Find(*http::ParseServerUrl(url),
                                {.environment = [this](const char* name) { return Variable(name); },
                                 .clock = &clock_,
                                 .container_endpoint = container_});
  }
  std::string Variable(const char* name) const {
    const auto found = variables_.find(name);
    return found == variables_.end() ? "" : found->second;
  }
  // "access/secret/token in region", or why there are none.
  std::string Found(const std::string& url = "https://dynamodb.eu-west-1.amazonaws.com") {
    const absl::StatusOr<std::shared_ptr<CallerIdentity>> identity = Find(url);
    if (!identity.ok()) return std::string(MessageOf(identity.status()));
    return Concat(Keys(**identity), " in ", (*identity)->region());
  }
  static std::string Keys(CallerIdentity& identity) {
    const absl::StatusOr<std::shared_ptr<const Credentials>> keys = identity.Get();
    if (!keys.ok()) return std::string(MessageOf(keys.status()));
    return Concat((*keys)->access_key, "/", (*keys)->secret_key, "/", (*keys)->session_token);
  }

  testing::ScratchFolder folder_;
  std::map<std::string, std::string> variables_;
  std::string container_ = kContainerEndpoint;
  ManualClock clock_{kStart};
};

TEST_F(CallerIdentityTest, ThisMachineNeedsNothing) {
  EXPECT_EQ(Found("http://localhost:8000"), "dynolith/dynolith/ in us-east-1");
  variables_["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"] = "/keys";
  Write("config", "[default]\nregion = eu-north-1\nrole_arn = x\n");
  EXPECT_EQ(Found("http://127.0.0.1:8000"), "dynolith/dynolith/ in eu-north-1");
  Write("credentials", "[work]\naws_access_key_id = A\naws_secret_access_key = S\n");
  variables_["AWS_PROFILE"] = "work";
  EXPECT_EQ(Found("http://[::1]:8000"), "A/S/ in us-east-1");
}

TEST_F(CallerIdentityTest, VariablesGoBeforeProfiles) {
  Write("credentials",
        "[default]\naws_access_key_id = A\naws_secret_access_key = S\naws_session_token = T\n"
        "region = eu-north-1\n");
  EXPECT_EQ(Found(), "A/S/T in eu-west-1");
  EXPECT_EQ(Found("https://alternator.example:8043"), "A/S/T in eu-north-1");
  variables_["AWS_REGION"] = "eu-central-1";
  variables_["AWS_ACCESS_KEY_ID"] = "B";
  EXPECT_EQ(Found(), "AWS_ACCESS_KEY_ID is set, and the secret key is not");
  variables_["AWS_SECRET_ACCESS_KEY"] = "U";
  EXPECT_EQ(Found("https://alternator.example:8043"), "B/U/ in eu-central-1");
  variables_["AWS_SESSION_TOKEN"] = "V";
  EXPECT_EQ(Found(), "B/U/V in eu-west-1");
}

TEST_F(CallerIdentityTest, RolesAndSingleSignOnAreNotFollowedSilently) {
  Write("config",
        "[profile work]\nrole_arn = arn:aws:iam::123456789012:role/x\nsource_profile = base\n"
        "[profile web]\nsso_session = mine\n");
  Write("credentials", "[work]\naws_access_key_id = A\naws_secret_access_key = S\n");
  variables_["AWS_PROFILE"] = "work";
  EXPECT_THAT(Found(), HasSubstr("the credentials of profile work of " + folder_.path()));
  EXPECT_THAT(Found(), HasSubstr("role_arn = arn:aws:iam::123456789012:role/x, source_profile = "
                                 "base, which is not followed"));
  EXPECT_THAT(Found(), HasSubstr("export-credentials --profile work"));
  variables_["AWS_PROFILE"] = "web";
  EXPECT_THAT(Found(), HasSubstr("sso_session = mine, which is not followed"));
  variables_["AWS_PROFILE"] = "none";
  EXPECT_THAT(Found(), HasSubstr("AWS_PROFILE names none, which is neither in"));
  variables_["AWS_WEB_IDENTITY_TOKEN_FILE"] = "/token";
  variables_.erase("AWS_PROFILE");
  EXPECT_THAT(Found(), HasSubstr("AWS_WEB_IDENTITY_TOKEN_FILE=/token, which is not followed"));
}

TEST_F(CallerIdentityTest, AProcessPrintsThem) {
  const std::string file = folder_ / "keys.json";
  std::ofstream(file) << R"({"Version":1,"AccessKeyId":"P","SecretAccessKey":"S",)"
                      << R"("SessionToken":"T","Expiration":"2040-01-01T00:00:00+00:00"})";
  Write("config", "[default]\ncredential_process = cat '" + file + "'\n");
  EXPECT_EQ(Found(), "P/S/T in eu-west-1");
  Write("config", "[default]\ncredential_process = echo broken >&2; exit 3\n");
  EXPECT_EQ(Found(), "no credentials from credential_process = echo broken >&2; exit 3: broken");
  Write("config", "[default]\ncredential_process = echo '{}'\n");
  EXPECT_THAT(Found(), HasSubstr("the answer has no AccessKeyId and SecretAccessKey"));
}

TEST_F(CallerIdentityTest, AProcessIsNotWaitedForWithoutEnd) {
  EXPECT_FALSE(FetchFromProcess("sleep 3600", absl::Milliseconds(50)).ok());
}

TEST_F(CallerIdentityTest, AContainersEndpoint) {
  std::string asked;
  const ScriptedServer server([&](const std::string& request) -> ScriptedAnswer {
    asked = request;
    if (request.starts_with("GET /none")) return {.status = 404, .body = "{}"};
    return {.body = KeysText("C", kStart + absl::Hours(1))};
  });
  container_ = server.url();
  variables_["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"] = "/keys?id=1";
  EXPECT_EQ(Found(), "C/secret/token in eu-west-1");
  EXPECT_THAT(asked, HasSubstr("GET /keys?id=1 HTTP/1.1\r\n"));
  EXPECT_EQ(asked.find("Authorization"), std::string::npos);

  variables_.erase("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI");
  variables_["AWS_CONTAINER_CREDENTIALS_FULL_URI"] = server.url() + "/full";
  variables_["AWS_CONTAINER_AUTHORIZATION_TOKEN"] = "Bearer one";
  EXPECT_EQ(Found(), "C/secret/token in eu-west-1");
  EXPECT_THAT(asked, HasSubstr("GET /full HTTP/1.1\r\n"));
  EXPECT_THAT(asked, HasSubstr("Authorization: Bearer one\r\n"));

  // The file goes before the variable, and is read again for each fetch.
  const std::string file = folder_ / "token";
  std::ofstream(file) << "two\n";
  variables_["AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"] = file;
  EXPECT_EQ(Found(), "C/secret/token in eu-west-1");
  EXPECT_THAT(asked, HasSubstr("Authorization: two\r\n"));
  std::ofstream(file) << "two\nlines\n";
  EXPECT_THAT(Found(), HasSubstr("more than a line"));
  variables_["AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"] = folder_ / "absent";
  EXPECT_THAT(Found(), HasSubstr("absent: No such file or directory"));
  variables_.erase("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE");

  variables_["AWS_CONTAINER_CREDENTIALS_FULL_URI"] = server.url() + "/none";
  EXPECT_EQ(Found(), server.url() + "/none answers with status 404");
  for (const char* const url : {"http://10.0.0.1/keys", "http://169.254.169.254/", "ftp://x/"}) {
    variables_["AWS_CONTAINER_CREDENTIALS_FULL_URI"] = url;
    EXPECT_THAT(Found(), HasSubstr(url)) << url;
  }
}

class InstanceTest : public CallerIdentityTest {
 protected:
  InstanceTest() { variables_["AWS_EC2_METADATA_SERVICE_ENDPOINT"] = server_.url(); }

  ScriptedAnswer Answer(const std::string& request) {
    if (request.starts_with("PUT /latest/api/token HTTP/1.1\r\n")) {
      const bool has_time = request.find("token-ttl-seconds: 21600\r\n") != std::string::npos;
      return {.status = has_time ? 200 : 400, .body = "session"};
    }
    if (request.find("X-aws-ec2-metadata-token: session\r\n") == std::string::npos) {
      return {.status = 401};
    }
    if (request.starts_with("GET /latest/meta-data/placement/region ")) {
      return {.body = "ap-south-1"};
    }
    if (request.starts_with("GET /latest/meta-data/iam/security-credentials/ ")) {
      return {.body = "my-role\n"};
    }
    if (request.starts_with("GET /latest/meta-data/iam/security-credentials/my-role ")) {
      ++fetches_;
      if (is_failing_) return {.status = 500};
      return {.body = KeysText(Concat("I", fetches_.load()), expires_)};
    }
    return {.status = 404};
  }

  std::atomic<int> fetches_ = 0;
  std::atomic<bool> is_failing_ = false;
  absl::Time expires_ = kStart + absl::Hours(1);
  const ScriptedServer server_{[this](const std::string& request) { return Answer(request); }};
};

TEST_F(InstanceTest, HasCredentialsAndARegion) {
  EXPECT_EQ(Found("https://alternator.example"), "I1/secret/token in ap-south-1");
  variables_["AWS_EC2_METADATA_DISABLED"] = "true";
  EXPECT_EQ(Found(),
            "there are no credentials for calls of dynamodb.eu-west-1.amazonaws.com: the variable "
            "AWS_ACCESS_KEY_ID is not set, nor has a profile, a container or an instance any "
            "(AWS_EC2_METADATA_DISABLED)");
  variables_["AWS_ACCESS_KEY_ID"] = variables_["AWS_SECRET_ACCESS_KEY"] = "x";
  EXPECT_THAT(Found("https://alternator.example"), HasSubstr("the variable AWS_REGION is needed"));
}

TEST_F(InstanceTest, CredentialsAreFetchedAgainBeforeTheyExpire) {
  const auto identity = Find("https://dynamodb.eu-west-1.amazonaws.com");
  ASSERT_TRUE(identity.ok());
  EXPECT_EQ(Keys(**identity), "I1/secret/token");
  clock_.Advance(absl::Minutes(54));
  EXPECT_EQ(Keys(**identity), "I1/secret/token");
  // A failure does not matter as long as they are valid, and is not repeated at once.
  is_failing_ = true;
  clock_.Advance(absl::Minutes(2));
  EXPECT_EQ(Keys(**identity), "I1/secret/token");
  EXPECT_EQ(Keys(**identity), "I1/secret/token");
  EXPECT_EQ(fetches_, 2);
  clock_.Advance(absl::Minutes(5));
  EXPECT_THAT(Keys(**identity), HasSubstr("/my-role answers with status 500"));
  EXPECT_THAT(Keys(**identity), HasSubstr("/my-role answers with status 500"));
  EXPECT_EQ(fetches_, 3);
  is_failing_ = false;
  clock_.Advance(absl::Seconds(10));
  EXPECT_THAT(Keys(**identity), HasSubstr("the credentials I4 have expired"));
  expires_ = kStart + absl::Hours(7);
  clock_.Advance(absl::Seconds(10));
  EXPECT_EQ(Keys(**identity), "I5/secret/token");
}

TEST_F(InstanceTest, OneOfManyThreadsFetches) {
  const auto identity = Find("https://dynamodb.eu-west-1.amazonaws.com");
  ASSERT_TRUE(identity.ok());
  expires_ = kStart + absl::Hours(8);
  clock_.Advance(absl::Hours(2));
  std::vector<std::thread> threads;
  std::atomic<int> fresh = 0;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] { fresh += Keys(**identity) == "I2/secret/token" ? 1 : 0; });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(fresh, 8);
  EXPECT_EQ(fetches_, 2);
}

}  // namespace
}  // namespace dynolith::client
