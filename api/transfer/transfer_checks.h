// What a request of exports and imports says by itself: its members' constraints, for callers who
// do not come over the wire, and the patterns of bucket names and tokens, for all.
#ifndef DYNOLITH_API_TRANSFER_TRANSFER_CHECKS_H_
#define DYNOLITH_API_TRANSFER_TRANSFER_CHECKS_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "dynolith/requests.h"

namespace dynolith {

// Errors of all: one ValidationException with all faults.
absl::Status CheckExportMembers(const ExportTableToPointInTimeRequest& request);
absl::Status CheckImportMembers(const ImportTableRequest& request);
absl::Status CheckListMembers(const ListExportsRequest& request);
absl::Status CheckListMembers(const ListImportsRequest& request);

}  // namespace dynolith

#endif  // DYNOLITH_API_TRANSFER_TRANSFER_CHECKS_H_
