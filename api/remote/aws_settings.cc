#include "api/remote/aws_settings.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <string_view>

#include "absl/strings/ascii.h"
#include "api/remote/messages.h"
#include "engine/base/strings.h"

namespace dynolith::client {
namespace {

std::string Stripped(std::string_view text) {
  return std::string(absl::StripAsciiWhitespace(ToAbsl(text)));
}

// "[profile  work]" or "[ profile work ]" is "profile work".
std::string SectionName(std::string_view line) {
  std::string name;
  for (const char letter : Stripped(line.substr(1, line.find(']') - 1))) {
    const bool is_space = absl::ascii_isspace(static_cast<unsigned char>(letter));
    if (!is_space) name += letter;
    if (is_space && !name.ends_with(' ')) name += ' ';
  }
  return name;
}

using Section = std::map<std::string, std::string>;

Setting FindSetting(const Section& section, const std::string& name, const std::string& place) {
  const auto found = section.find(name);
  if (found == section.end() || found->second.empty()) return {};
  return {.value = found->second, .place = place};
}

const Section& FindSection(const AwsSections& sections, const std::string& name) {
  static const Section kNone;
  const auto found = sections.find(name);
  return found == sections.end() ? kNone : found->second;
}

bool IsTrue(std::string_view text) { return absl::AsciiStrToLower(ToAbsl(text)) == "true"; }

// The first that is there.
Setting FirstGiven(std::initializer_list<Setting> settings) {
  for (const Setting& setting : settings) {
    if (!setting.value.empty()) return setting;
  }
  return {};
}

class Reader {
 public:
  explicit Reader(const Environment& environment) : environment_(environment) {}

  AwsSettings Read() {
    AwsSettings settings;
    const Setting named = FirstGiven({Variable("AWS_PROFILE"), Variable("AWS_DEFAULT_PROFILE")});
    settings.is_profile_named = !named.value.empty();
    settings.profile = settings.is_profile_named ? named.value : "default";
    settings.config_file = SettingsFile("AWS_CONFIG_FILE", "config");
    settings.credentials_file = SettingsFile("AWS_SHARED_CREDENTIALS_FILE", "credentials");
    ReadProfile(&settings);
    settings.endpoint = EndpointOf("AWS_ENDPOINT_URL_DYNAMODB", "dynamodb.endpoint_url");
    settings.s3_endpoint = EndpointOf("AWS_ENDPOINT_URL_S3", "s3.endpoint_url");
    settings.ignores_endpoints = FirstGiven({Variable("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS"),
                                             OfProfile("ignore_configured_endpoint_urls")});
    if (!IsTrue(settings.ignores_endpoints.value)) settings.ignores_endpoints = {};
    settings.region =
        FirstGiven({Variable("AWS_REGION"), Variable("AWS_DEFAULT_REGION"), OfProfile("region")});
    ReadCredentials(&settings);
    ReadInstance(&settings);
    return settings;
  }

 private:
  [[nodiscard]] Setting Variable(const char* name) const {
    return {.value = environment_(name), .place = name};
  }
  [[nodiscard]] std::string SettingsFile(const char* variable, const char* name) const {
    const std::string given = environment_(variable);
    return given.empty() ? Concat(environment_("HOME"), "/.aws/", name) : given;
  }
  void ReadProfile(AwsSettings* settings) {
    const AwsSections config = ReadAwsSections(settings->config_file);
    const AwsSections credentials = ReadAwsSections(settings->credentials_file);
    const bool is_default = settings->profile == "default";
    std::string name = Concat("profile ", settings->profile);
    if (is_default && !config.contains(name)) name = "default";
    settings->is_profile_there = config.contains(name) || credentials.contains(settings->profile);
    config_ = FindSection(config, name);
    credentials_ = FindSection(credentials, settings->profile);
    config_place_ = messages::ProfilePlace(settings->profile, settings->config_file);
    credentials_place_ = messages::ProfilePlace(settings->profile, settings->credentials_file);
    const Setting services = FindSetting(config_, "services", "");
    if (!services.value.empty()) {
      services_ = FindSection(config, Concat("services ", services.value));
    }
  }
  [[nodiscard]] Setting OfProfile(const std::string& name) const {
    return FirstGiven({FindSetting(config_, name, config_place_),
                       FindSetting(credentials_, name, credentials_place_)});
  }
  [[nodiscard]] Setting OfService(const std::string& name) const {
    return FindSetting(services_, name, config_place_);
  }
  [[nodiscard]] Setting EndpointOf(const char* variable, const std::string& of_service) const {
    return FirstGiven({Variable(variable), Variable("AWS_ENDPOINT_URL"), OfService(of_service),
                       OfProfile("endpoint_url")});
  }
  [[nodiscard]] Setting KeyOfProfile(const std::string& name) const {
    return FirstGiven({FindSetting(credentials_, name, credentials_place_),
                       FindSetting(config_, name, config_place_)});
  }
  void ReadCredentials(AwsSettings* settings) const {
    settings->access_key = Variable("AWS_ACCESS_KEY_ID");
    settings->secret_key = Variable("AWS_SECRET_ACCESS_KEY");
    settings->session_token = Variable("AWS_SESSION_TOKEN");
    // Half of a pair does not fall back to the profile.
    if (!settings->access_key.value.empty() || !settings->secret_key.value.empty()) return;
    settings->session_token = {};
    settings->federation = FindFederation();
    if (!settings->federation.value.empty()) return;
    settings->access_key = KeyOfProfile("aws_access_key_id");
    settings->secret_key = KeyOfProfile("aws_secret_access_key");
    settings->session_token = KeyOfProfile("aws_session_token");
    if (!settings->access_key.value.empty() || !settings->secret_key.value.empty()) return;
    settings->credential_process = OfProfile("credential_process");
    const Setting path = Variable("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI");
    settings->is_container_url = path.value.empty();
    settings->container = FirstGiven({path, Variable("AWS_CONTAINER_CREDENTIALS_FULL_URI")});
  }
  [[nodiscard]] Setting FindFederation() const {
    const Setting file = Variable("AWS_WEB_IDENTITY_TOKEN_FILE");
    if (!file.value.empty()) return {Concat(file.place, "=", file.value), file.place};
    for (const char* const name : {"role_arn", "sso_session", "sso_start_url"}) {
      const Setting found = OfProfile(name);
      if (found.value.empty()) continue;
      std::string text = Concat(name, " = ", found.value);
      for (const char* const source :
           {"source_profile", "credential_source", "web_identity_token_file"}) {
        const std::string value = OfProfile(source).value;
        if (!value.empty()) text += Concat(", ", source, " = ", value);
      }
      return {std::move(text), found.place};
    }
    return {};
  }
  void ReadInstance(AwsSettings* settings) const {
    settings->is_instance_disabled = IsTrue(environment_("AWS_EC2_METADATA_DISABLED"));
    settings->instance_url = FirstGiven({Variable("AWS_EC2_METADATA_SERVICE_ENDPOINT"),
                                         OfProfile("ec2_metadata_service_endpoint")})
                                 .value;
    const Setting mode = FirstGiven({Variable("AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE"),
                                     OfProfile("ec2_metadata_service_endpoint_mode")});
    const bool is_ipv6 = absl::AsciiStrToLower(ToAbsl(mode.value)) == "ipv6";
    if (settings->instance_url.empty()) {
      settings->instance_url = is_ipv6 ? "http://[fd00:ec2::254]" : "http://169.254.169.254";
    }
  }

  const Environment& environment_;
  Section config_;
  Section credentials_;
  Section services_;
  std::string config_place_;
  std::string credentials_place_;
};

}  // namespace

std::string ProcessEnvironment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

Environment EnvironmentOfProfile(std::string profile) {
  return [profile = std::move(profile)](const char* name) {
    const std::string_view variable = name;
    if (variable == "AWS_PROFILE") return profile;
    const bool is_key = variable == "AWS_ACCESS_KEY_ID" || variable == "AWS_SECRET_ACCESS_KEY" ||
                        variable == "AWS_SESSION_TOKEN";
    return is_key ? std::string() : ProcessEnvironment(name);
  };
}

AwsSections ReadAwsSections(const std::string& file) {
  AwsSections sections;
  Section* section = nullptr;
  std::string parent;
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    const std::string text = Stripped(line);
    if (text.empty() || text.front() == '#' || text.front() == ';') continue;
    if (text.front() == '[') {
      section = &sections[SectionName(text)];
      parent.clear();
      continue;
    }
    const size_t equals = text.find('=');
    if (section == nullptr || equals == std::string::npos) continue;
    const std::string name = Stripped(std::string_view(text).substr(0, equals));
    const std::string value = Stripped(std::string_view(text).substr(equals + 1));
    const bool is_nested = absl::ascii_isspace(static_cast<unsigned char>(line.front()));
    if (!is_nested) parent = name;
    (*section)[is_nested && !parent.empty() ? Concat(parent, ".", name) : name] = value;
  }
  return sections;
}

AwsSettings ReadAwsSettings(const Environment& environment) { return Reader(environment).Read(); }

}  // namespace dynolith::client
