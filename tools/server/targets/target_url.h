// The address of a target: a server and a path.
#ifndef DYNOLITH_TOOLS_SERVER_TARGETS_TARGET_URL_H_
#define DYNOLITH_TOOLS_SERVER_TARGETS_TARGET_URL_H_

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "api/remote/server_address.h"

namespace dynolith::targets {

struct TargetUrl {
  http::ServerAddress address;
  std::string path;  // "/2015-03-31/functions/function/invocations", with its query
};

// The beginning of a target that is a command.
inline constexpr std::string_view kExec = "exec:";
// The path under which Lambda's runtime interface emulator is invoked.
inline constexpr std::string_view kInvocationsPath = "/2015-03-31/functions/function/invocations";

// Without a path, or with "/" alone, the path is that of the emulator. nullopt for an invalid
// address. Requires: http::IsServerUrl(url).
inline std::optional<TargetUrl> SplitTargetUrl(std::string_view url) {
  const size_t host = url.find("//") + 2;
  const size_t path = url.find('/', host);
  const std::optional<http::ServerAddress> address = http::ParseServerUrl(url.substr(0, path));
  const bool has_spaces =
      std::any_of(url.begin(), url.end(), [](unsigned char c) { return c <= ' '; });
  if (!address || has_spaces) return std::nullopt;
  const std::string_view rest = path == std::string_view::npos ? "" : url.substr(path);
  return TargetUrl{*address, std::string(rest.size() <= 1 ? kInvocationsPath : rest)};
}

}  // namespace dynolith::targets

#endif  // DYNOLITH_TOOLS_SERVER_TARGETS_TARGET_URL_H_
