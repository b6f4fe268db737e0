// FROM's writers at the cut-over, by the handovers of a server of ours (tools/server/handover).
#ifndef DYNOLITH_TOOLS_MIGRATE_SOURCE_HANDOVER_H_
#define DYNOLITH_TOOLS_MIGRATE_SOURCE_HANDOVER_H_

#include <string>

#include "absl/status/status.h"
#include "tools/client/admin_call.h"
#include "tools/migrate/migration_options.h"

namespace dynolith::migrate {

// Both may be called again. While there is no answer, they are repeated for some two minutes or
// until `is_over`. Errors: kCancelled; kUnavailable; what the server refuses.

// Has every write to the table refused, also by PartiQL, from a moment on at which none is under
// way.
absl::Status RefuseWrites(const client::AdminServer& server, const std::string& table,
                          const std::function<bool()>& is_over);
// Has all calls about items of the table forwarded. Requires: RefuseWrites.
absl::Status ForwardCalls(const client::AdminServer& server, const std::string& table,
                          const SideOptions& to, const std::function<bool()>& is_over);

}  // namespace dynolith::migrate

#endif  // DYNOLITH_TOOLS_MIGRATE_SOURCE_HANDOVER_H_
