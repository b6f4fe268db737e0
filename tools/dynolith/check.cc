#include "tools/dynolith/check.h"

#include <cstdio>
#include <memory>

#include "engine/base/messages/program.h"
#include "engine/base/status_macros.h"
#include "engine/catalog/catalog.h"
#include "engine/store/store.h"
#include "index/check.h"

namespace dynolith {

absl::StatusOr<bool> Check(const std::string& folder) {
  DYNOLITH_ASSIGN_OR_RETURN(const std::unique_ptr<Store> store,
                            Store::Open({.path = folder, .read_only = true}));
  DYNOLITH_ASSIGN_OR_RETURN(const std::unique_ptr<Catalog> catalog, Catalog::Load(store.get()));
  CheckSummary summary;
  const auto report = [](const std::string& line) { std::printf("%s\n", line.c_str()); };
  DYNOLITH_RETURN_IF_ERROR(CheckStore(store.get(), *catalog, report, &summary));
  std::fputs(messages::CheckSummaryLine(folder, summary.tables, summary.base_rows,
                                        summary.index_rows, summary.disagreements)
                 .c_str(),
             stdout);
  return summary.disagreements == 0;
}

}  // namespace dynolith
