#include "tools/migrate/source_handover.h"

#include <string_view>

#include "api/remote/retries.h"
#include "engine/text/json_tree.h"
#include "tools/files/table/json_parts.h"
#include "tools/migrate/messages.h"

namespace dynolith::migrate {
namespace {

using designs::SetMember;
using designs::TextTree;

constexpr const char* kHandovers = "/_dynolith/handovers";
constexpr int kRefuseAttemptsMax = 100;  // two minutes
// Half a minute, for a restart of either side: the source asks the target. Nobody writes meanwhile,
// so that a target which the source cannot reach has to be told soon.
constexpr int kForwardAttemptsMax = 30;
constexpr absl::Duration kHandoverPauseMax = absl::Seconds(2);

absl::Status Post(const client::AdminServer& server, const JsonTree& body, int attempts_max,
                  const std::function<bool()>& is_over) {
  client::Retries retries(
      {.attempts_max = attempts_max, .delay_max = kHandoverPauseMax, .has_quota = false});
  client::Retries::Call attempts(&retries);
  while (true) {
    if (is_over()) return absl::CancelledError(messages::MigrateStopped());
    absl::Status status =
        client::CallAdmin(server, client::AdminMethod::kPost, kHandovers, PrintJson(body)).status();
    if (!absl::IsUnavailable(status)) return status;
    if (!attempts.WaitForNext(client::FailureKind::kTransient)) return status;
  }
}

JsonTree Handover(std::string_view table, std::string_view state) {
  JsonTree body = designs::MapTree();
  SetMember(&body, "table", TextTree(table));
  SetMember(&body, "state", TextTree(state));
  return body;
}

}  // namespace

absl::Status RefuseWrites(const client::AdminServer& server, const std::string& table,
                          const std::function<bool()>& is_over) {
  return Post(server, Handover(table, "refuse"), kRefuseAttemptsMax, is_over);
}

absl::Status ForwardCalls(const client::AdminServer& server, const std::string& table,
                          const SideOptions& to, const std::function<bool()>& is_over) {
  JsonTree body = Handover(table, "forward");
  const auto set = [&](std::string_view name, std::string_view text) {
    if (!text.empty()) SetMember(&body, name, TextTree(text));
  };
  set("to", to.place);
  set("region", to.region);
  set("profile", to.profile);
  set("certificates", to.certificates);
  return Post(server, body, kForwardAttemptsMax, is_over);
}

}  // namespace dynolith::migrate
