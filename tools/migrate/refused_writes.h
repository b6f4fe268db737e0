// Writes that a server of ours refuses from the cut-over on, by rules of its fault injection.
#ifndef DYNOLITH_TOOLS_MIGRATE_REFUSED_WRITES_H_
#define DYNOLITH_TOOLS_MIGRATE_REFUSED_WRITES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace dynolith::migrate {

// Makes every call that may write to the table get 503 ServiceUnavailable, until the rules are
// removed or the server ends; PartiQL that reads, too. Rules that are there already are not made
// again. Returns the ids of all. Errors: those of client::CallAdmin.
absl::StatusOr<std::vector<int64_t>> RefuseWrites(const std::string& url, const std::string& token,
                                                  const std::string& table);

}  // namespace dynolith::migrate

#endif  // DYNOLITH_TOOLS_MIGRATE_REFUSED_WRITES_H_
