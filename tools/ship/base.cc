#include "tools/ship/base.h"

#include <optional>
#include <utility>

#include "engine/base/crc32c.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "tools/ship/lines.h"
#include "tools/ship/messages.h"

namespace dynolith::ship {
namespace {

constexpr std::string_view kBaseMagic = "dynolith base ";
constexpr std::string_view kBaseVersion = "1";

}  // namespace

std::string BaseText(const Base& base) {
  const std::string head =
      Concat(kBaseMagic, kBaseVersion, "\nowner ", base.owner, "\nchain ", base.chain, "\ntime ",
             absl::ToUnixMillis(base.time), "\ncomplete ", absl::ToUnixMillis(base.complete),
             "\nsegment ", base.segment, "\nlog ", base.log, "\n");
  return Concat(head, "head ", Crc32c(head), "\n", SnapshotText(base.files));
}

absl::StatusOr<Base> ParseBase(const std::string& name, std::string_view text) {
  const absl::Status unreadable = absl::DataLossError(messages::ShippedUnreadable(name));
  const size_t head_at = text.find("\nhead ");
  if (!text.starts_with(kBaseMagic) || head_at == std::string_view::npos) return unreadable;
  std::string_view head = text.substr(0, head_at + 1);
  text.remove_prefix(head.size());
  if (TakeNumberLine("head", &text) != Crc32c(head)) return unreadable;
  head.remove_prefix(kBaseMagic.size());
  if (TakeUntil('\n', &head) != kBaseVersion) {
    return absl::FailedPreconditionError(messages::ShippedNewer(name));
  }
  const auto owner = TakeLine("owner", &head);
  const auto chain = TakeNumberLine("chain", &head);
  const auto milliseconds = TakeNumberLine("time", &head);
  const auto complete = TakeNumberLine("complete", &head);
  const auto segment = TakeNumberLine("segment", &head);
  const auto log = TakeNumberLine("log", &head);
  if (!owner || !chain || !milliseconds || !complete || !segment || !log) return unreadable;
  absl::StatusOr<StoreSnapshot> files = ParseSnapshot(name, text);
  if (absl::IsDataLoss(files.status())) return unreadable;
  DYNOLITH_RETURN_IF_ERROR(files.status());
  return Base{.owner = std::string(*owner),
              .chain = *chain,
              .time = absl::FromUnixMillis(static_cast<int64_t>(*milliseconds)),
              .complete = absl::FromUnixMillis(static_cast<int64_t>(*complete)),
              .segment = *segment,
              .log = *log,
              .files = *std::move(files)};
}

}  // namespace dynolith::ship
