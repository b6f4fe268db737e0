#include "tools/server/admin_guard.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>

#include "absl/strings/ascii.h"
#include "api/remote/signature.h"
#include "engine/base/errno_status.h"
#include "engine/base/strings.h"
#include "tools/server/messages.h"
#include "tools/server/wire/host_names.h"

namespace dynolith {
namespace {

// Fewer could be guessed; more would not fit into a request's head.
constexpr size_t kTokenLettersMin = 16;
constexpr size_t kTokenLettersMax = 4096;

// Whether the browser marks the request as that of a page which is not this server's.
bool IsOfOtherPage(const http::Request& request) {
  // A request that a person typed into the browser has "none".
  const std::string_view site = request.Find("sec-fetch-site").value_or("none");
  if (site != "none" && site != "same-origin") return true;
  const std::string_view host = request.Find("host").value_or("");
  const auto is_own = [&](std::string_view origin) {
    return http::EqualsIgnoreCase(origin, Concat("http://", host)) ||
           http::EqualsIgnoreCase(origin, Concat("https://", host));
  };
  if (const auto origin = request.Find("origin")) return !is_own(*origin);
  const auto referrer = request.Find("referer");
  return referrer && !is_own(http::UrlOrigin(*referrer));
}

// The token by RFC 6750; nullopt: there is none.
std::optional<std::string_view> FindBearerToken(const http::Request& request) {
  constexpr std::string_view kScheme = "bearer ";
  const std::string_view header = request.Find("authorization").value_or("");
  if (!http::EqualsIgnoreCase(header.substr(0, kScheme.size()), kScheme)) return std::nullopt;
  return http::Trim(header.substr(kScheme.size()));
}

}  // namespace

AdminGuard::Refusal AdminGuard::Refuse(std::string reason) const {
  if (options_.token.empty()) return {.status = 403, .reason = std::move(reason)};
  return {.status = 401, .reason = messages::AdminWantsToken(reason)};
}

bool AdminGuard::IsNear(const http::Request& request) const {
  return request.from_this_machine ||
         std::any_of(options_.networks.begin(), options_.networks.end(),
                     [&](const http::Network& network) { return network.Holds(request.peer); });
}

std::optional<AdminGuard::Refusal> AdminGuard::Objection(const http::Request& request,
                                                         bool is_page) const {
  if (IsOfOtherPage(request)) return Refusal{.reason = messages::AdminNotForPages()};
  if (!options_.token.empty()) {
    if (const auto token = FindBearerToken(request)) {
      if (http::SecretsEqual(*token, options_.token)) return std::nullopt;
      return Refuse(messages::AdminWrongToken());
    }
    if (is_page) return std::nullopt;
  }
  if (!IsNear(request)) return Refuse(messages::AdminOnlyFromHere());
  for (const std::string_view name : {"forwarded", "x-forwarded-for", "via"}) {
    if (request.Find(name)) return Refuse(messages::AdminNotForwarded());
  }
  // A page whose name leads here has the same origin as this server, but its name in Host.
  const std::string_view host = request.Find("host").value_or("localhost");
  const std::string_view name = http::WithoutPort(host);
  if (http::IsLoopbackName(name)) return std::nullopt;
  if (options_.networks.empty()) return Refuse(messages::AdminHostIsNotLocal(host));
  if (http::IsAddress(name) || http::IsPrivateName(name)) return std::nullopt;
  return Refuse(messages::AdminHostIsPublic(host));
}

absl::StatusOr<std::string> ReadAdminToken(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) return absl::NotFoundError(messages::CannotReadAdminToken(file, ErrnoReason(errno)));
  if (std::error_code error; std::filesystem::is_directory(file, error)) {
    return absl::NotFoundError(messages::CannotReadAdminToken(file, ErrnoReason(EISDIR)));
  }
  // One that is too long is read no further.
  std::string text(kTokenLettersMax + 3, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(in.gcount()));
  while (!text.empty() && absl::ascii_isspace(static_cast<unsigned char>(text.back()))) {
    text.pop_back();
  }
  const bool is_token = text.size() >= kTokenLettersMin && text.size() <= kTokenLettersMax &&
                        std::all_of(text.begin(), text.end(), [](char c) {
                          return absl::ascii_isgraph(static_cast<unsigned char>(c));
                        });
  if (!is_token) {
    return absl::InvalidArgumentError(messages::NoAdminToken(file, kTokenLettersMin));
  }
  return text;
}

}  // namespace dynolith
