#include "tools/program/option_checks.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <string>
#include <system_error>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "api/service/messages.h"
#include "api/service/region.h"
#include "engine/base/strings.h"
#include "engine/store/encryption/key_source.h"
#include "engine/store/encryption/messages.h"
#include "tools/program/messages.h"
#include "tools/server/http/network.h"
#include "tools/server/wire/page_guard.h"

namespace dynolith {
namespace {

// Whole numbers with all their digits, without an exponent.
std::string PlainNumber(double number) {
  return number == std::floor(number) ? Concat(static_cast<int64_t>(number)) : absl::StrCat(number);
}

}  // namespace

CLI::Validator AmongWords(const std::string& words) {
  return CLI::Validator(
      [words](std::string& value) {
        const bool known = !value.empty() && value.find('|') == std::string::npos &&
                           ("|" + words + "|").find("|" + value + "|") != std::string::npos;
        return known ? std::string() : messages::NotAmongWords(value, words);
      },
      "");
}

CLI::Validator Seconds() {
  return CLI::Validator(
      [](std::string& value) {
        double seconds = 0;
        const bool good =
            absl::SimpleAtod(value, &seconds) && std::isfinite(seconds) && seconds >= 0;
        return good ? std::string() : messages::NotSeconds(value);
      },
      "NONNEGATIVE");
}

CLI::Validator DurationFrom(absl::Duration least) {
  return {[least](const std::string& text) -> std::string {
            absl::Duration given;
            if (absl::ParseDuration(text, &given) && given >= least) return "";
            return messages::NotADuration(text, absl::FormatDuration(least));
          },
          ""};
}

CLI::Validator Scale() {
  return CLI::Validator(
      [](std::string& value) {
        double scale = 0;
        const bool good = absl::SimpleAtod(value, &scale) && std::isfinite(scale) && scale > 0;
        return good ? std::string() : messages::NotAScale(value);
      },
      "");
}

CLI::Validator Between(double least, double most) {
  const std::string from = PlainNumber(least);
  const std::string to = PlainNumber(most);
  return CLI::Validator(
      [=](std::string& value) {
        double number = 0;
        const bool good = absl::SimpleAtod(value, &number) && number >= least && number <= most;
        return good ? std::string() : messages::NotBetween(value, from, to);
      },
      Concat(from, " to ", to));
}

CLI::Validator WholeBetween(int64_t least, int64_t most) {
  return CLI::Validator(
      [=](std::string& value) {
        int64_t number = 0;
        const bool good = absl::SimpleAtoi(value, &number) && number >= least && number <= most;
        return good ? std::string() : messages::NotWholeBetween(value, Concat(least), Concat(most));
      },
      Concat(least, " to ", most));
}

CLI::Validator NameAndValue() {
  return CLI::Validator(
      [](std::string& value) {
        const size_t equals = value.find('=');
        const bool good = equals != std::string::npos && equals > 0;
        return good ? std::string() : messages::NotNameAndValue(value);
      },
      "");
}

CLI::Validator Region() {
  return CLI::Validator(
      [](std::string& value) {
        return IsRegion(value) ? std::string() : messages::NotRegion(value);
      },
      "");
}

CLI::Validator RegionPort() {
  return CLI::Validator(
      [](std::string& value) {
        const size_t equals = std::min(value.find('='), value.size());
        const bool is_region = IsRegion(value.substr(0, equals));
        const std::string port = value.substr(std::min(equals + 1, value.size()));
        uint16_t number = 0;
        const auto read = std::from_chars(port.data(), port.data() + port.size(), number);
        const bool is_port =
            !port.empty() && read.ec == std::errc() && read.ptr == port.data() + port.size();
        return is_region && is_port ? std::string() : messages::NotRegionPort(value);
      },
      "");
}

CLI::Validator NamedPath() {
  return CLI::Validator(
      [](std::string& value) {
        if (value.empty()) return messages::EmptyPath();
        return value.front() == '-' ? messages::PathLikeAnOption(value) : std::string();
      },
      "");
}

CLI::Validator KeySource() {
  return CLI::Validator(
      [](std::string& value) {
        return IsKeySource(value) ? std::string() : messages::NotAKeySource(value);
      },
      "");
}

CLI::Validator HostToAllow() {
  return CLI::Validator(
      [](std::string& value) {
        return http::IsHostToAllow(value) ? std::string() : messages::NotAHostToAllow(value);
      },
      "");
}

CLI::Validator CallersNetwork() {
  return CLI::Validator(
      [](std::string& value) {
        return http::ParseNetwork(value) ? std::string() : messages::NotANetwork(value);
      },
      "");
}

CLI::Validator OriginToAllow() {
  return CLI::Validator(
      [](std::string& value) {
        return http::IsOriginToAllow(value) ? std::string() : messages::NotAnOriginToAllow(value);
      },
      "");
}

}  // namespace dynolith
