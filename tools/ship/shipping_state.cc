#include "tools/ship/shipping_state.h"

#include <cerrno>
#include <random>

#include "engine/base/crc32c.h"
#include "engine/base/errno_status.h"
#include "engine/base/file_text.h"
#include "engine/base/hex.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "tools/backup/file_copy.h"
#include "tools/ship/lines.h"
#include "tools/ship/messages.h"

namespace dynolith::ship {
namespace {

constexpr std::string_view kStateMagic = "dynolith shipping ";
constexpr std::string_view kStateVersion = "1";

constexpr size_t kOwnerBytes = 16;

}  // namespace

std::string NewOwner() {
  std::random_device random;
  std::string bytes;
  for (size_t i = 0; i < kOwnerBytes; ++i) bytes += static_cast<char>(random());
  return Hex(bytes);
}

uint64_t NewChain() {
  std::random_device random;
  return uint64_t{random()} << 32 | random();
}

absl::StatusOr<std::optional<ShippingState>> ReadShippingState(const std::string& file) {
  const FileText read = ReadFileText(file);
  if (read.error == ENOENT) return std::nullopt;
  if (read.error != 0) {
    return ErrnoStatus(read.error, messages::FileUnread(file, ErrnoReason(read.error)));
  }
  const absl::Status unreadable = absl::DataLossError(messages::ShippedUnreadable(file));
  std::string_view text = read.text;
  const size_t end_at = text.rfind("end ");
  if (!text.starts_with(kStateMagic) || end_at == std::string_view::npos) return unreadable;
  std::string_view lines = text.substr(0, end_at);
  text.remove_prefix(end_at);
  if (TakeNumberLine("end", &text) != Crc32c(lines)) return unreadable;
  lines.remove_prefix(kStateMagic.size());
  if (TakeUntil('\n', &lines) != kStateVersion) {
    return absl::FailedPreconditionError(messages::ShippedNewer(file));
  }
  const auto owner = TakeLine("owner", &lines);
  const auto chain = TakeNumberLine("chain", &lines);
  const auto target = TakeLine("target", &lines);
  const auto manifest = TakeLine("manifest", &lines);
  if (!owner || !chain || !target || !manifest) return unreadable;
  return ShippingState{.owner = std::string(*owner),
                       .chain = *chain,
                       .target = std::string(*target),
                       .manifest = std::string(*manifest)};
}

absl::Status WriteShippingState(const std::string& file, const ShippingState& state) {
  const std::string lines =
      Concat(kStateMagic, kStateVersion, "\nowner ", state.owner, "\nchain ", state.chain,
             "\ntarget ", state.target, "\nmanifest ", state.manifest, "\n");
  return PlaceTextFile(Concat(file, ".new"), file, Concat(lines, "end ", Crc32c(lines), "\n"));
}

}  // namespace dynolith::ship
