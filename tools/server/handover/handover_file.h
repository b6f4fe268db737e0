// The tables that are handed over, in a file beside the data folder (README.md, "The file").
#ifndef DYNOLITH_TOOLS_SERVER_HANDOVER_HANDOVER_FILE_H_
#define DYNOLITH_TOOLS_SERVER_HANDOVER_HANDOVER_FILE_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace dynolith::handover {

enum class HandoverState : uint8_t {
  kRefuse,   // writes are refused
  kForward,  // calls are forwarded
};

// The endpoint to which calls go, and who signs them; profiles and files are this machine's.
struct HandoverTarget {
  std::string url;
  std::string region;        // empty: is found
  std::string profile;       // empty: AWS_PROFILE's
  std::string certificates;  // a file (PEM); empty: the system's
  friend bool operator==(const HandoverTarget&, const HandoverTarget&) = default;
};

struct HandedTable {
  std::string database;  // empty: the first
  std::string table;
  HandoverState state = HandoverState::kRefuse;
  HandoverTarget to;  // of kForward
};

std::string_view StateName(HandoverState state);

// One line.
std::string PrintHandovers(const std::vector<HandedTable>& tables);
// Errors: kInvalidArgument: damaged, or of another version.
absl::StatusOr<std::vector<HandedTable>> ParseHandovers(std::string_view text);

// Without a file: none. Errors: kFailedPrecondition, which names the file: as ParseHandovers, or it
// cannot be read.
absl::StatusOr<std::vector<HandedTable>> ReadHandovers(const std::string& file);
// Replaces the file durably; without tables removes it. Errors: kUnavailable, which names it.
absl::Status WriteHandovers(const std::string& file, const std::vector<HandedTable>& tables);

}  // namespace dynolith::handover

#endif  // DYNOLITH_TOOLS_SERVER_HANDOVER_HANDOVER_FILE_H_
