#include "engine/store/postgres/address.h"

#include <memory>
#include <string_view>

#include "engine/base/status_macros.h"
#include "engine/store/postgres/messages.h"

namespace dynolith::postgres {
namespace {

// What libpq says of a URL quotes parts of it, of which one may be a password.
std::string WithoutQuoted(const std::string& url, std::string reason) {
  const bool may_have_password =
      url.find('@') != std::string::npos || url.find("password") != std::string::npos;
  const size_t first = reason.find('"');
  if (!may_have_password || first == std::string::npos) return reason;
  return reason.replace(first, reason.rfind('"') + 1 - first, messages::StoreUrlPart());
}

}  // namespace

absl::StatusOr<std::unique_ptr<SharedState>> ReadAddress(const std::string& url) {
  DYNOLITH_ASSIGN_OR_RETURN(const Libpq* const libpq, Libpq::Load());
  char* why = nullptr;
  PQconninfoOption* const options = libpq->conninfoParse(url.c_str(), &why);
  if (options == nullptr) {
    std::string reason = why == nullptr ? "" : why;
    if (why != nullptr) libpq->freemem(why);
    while (!reason.empty() && reason.back() == '\n') reason.pop_back();
    return absl::InvalidArgumentError(messages::StoreUrlUnread(WithoutQuoted(url, reason)));
  }
  auto shared = std::make_unique<SharedState>();
  shared->libpq = libpq;
  shared->url = url;
  std::string hosts;
  std::string port;
  std::string database;
  for (const PQconninfoOption* option = options; option->keyword != nullptr; ++option) {
    if (option->val == nullptr) continue;
    const std::string_view keyword = option->keyword;
    if (keyword == "options") shared->options = option->val;
    if (keyword == "host") hosts = option->val;
    if (keyword == "hostaddr" && hosts.empty()) hosts = option->val;
    if (keyword == "port") port = option->val;
    if (keyword == "dbname") database = option->val;
  }
  libpq->conninfoFree(options);
  const bool has_rest_of_password = hosts.find('@') != std::string::npos ||
                                    database.find('@') != std::string::npos ||
                                    port.find_first_not_of("0123456789,") != std::string::npos;
  if (has_rest_of_password) return absl::InvalidArgumentError(messages::StoreUrlPasswordUnread());
  if (hosts.empty()) hosts = messages::StoreUsualHost();
  if (database.empty()) database = messages::StoreUsualDatabase();
  shared->place = messages::StorePlace(hosts, port, database);
  return shared;
}

}  // namespace dynolith::postgres
