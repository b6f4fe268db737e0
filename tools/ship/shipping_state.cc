#include "tools/ship/shipping_state.h"

#include <random>

#include "engine/base/hex.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "tools/ship/lines.h"
#include "tools/ship/messages.h"
#include "tools/ship/state_file.h"

namespace dynolith::ship {
namespace {

constexpr std::string_view kStateMagic = "dynolith shipping";

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
  DYNOLITH_ASSIGN_OR_RETURN(const std::optional<std::string> read,
                            ReadStateFile(file, kStateMagic));
  if (!read) return std::nullopt;
  std::string_view lines = *read;
  const auto owner = TakeLine("owner", &lines);
  const auto chain = TakeNumberLine("chain", &lines);
  const auto target = TakeLine("target", &lines);
  const auto manifest = TakeLine("manifest", &lines);
  if (!owner || !chain || !target || !manifest) {
    return absl::DataLossError(messages::ShippedUnreadable(file));
  }
  return ShippingState{.owner = std::string(*owner),
                       .chain = *chain,
                       .target = std::string(*target),
                       .manifest = std::string(*manifest)};
}

absl::Status WriteShippingState(const std::string& file, const ShippingState& state) {
  return WriteStateFile(file, kStateMagic,
                        Concat("owner ", state.owner, "\nchain ", state.chain, "\ntarget ",
                               state.target, "\nmanifest ", state.manifest, "\n"));
}

}  // namespace dynolith::ship
