#include "tools/dynolith/check.h"

#include <cstdio>
#include <memory>

#include "engine/base/messages/program.h"
#include "engine/base/status_macros.h"
#include "engine/catalog/catalog.h"
#include "engine/store/store.h"
#include "index/check_all.h"

namespace dynolith {

absl::StatusOr<bool> Check(const std::string& folder) {
  DYNOLITH_ASSIGN_OR_RETURN(const std::unique_ptr<Store> store,
                            Store::Open({.path = folder, .read_only = true}));
  DYNOLITH_ASSIGN_OR_RETURN(const std::unique_ptr<Catalog> catalog, Catalog::Load(store.get()));
  const auto report = [](const std::string& line) { std::printf("%s\n", line.c_str()); };
  DYNOLITH_ASSIGN_OR_RETURN(const CheckAllSummary summary, CheckAll(store.get(), *catalog, report));
  const messages::CheckCounts counts = {.tables = summary.rows.tables,
                                        .backups = summary.rows.backups,
                                        .items = summary.rows.base_rows + summary.rows.backup_rows,
                                        .index_entries = summary.rows.index_rows,
                                        .stream_records = summary.streams.records,
                                        .expiry_rows = summary.expiry.rows,
                                        .stale_expiry_rows = summary.expiry.stale_rows,
                                        .history_records = summary.history.records,
                                        .stale_history_records = summary.history.stale_records,
                                        .disagreements = summary.disagreements()};
  std::fputs(messages::CheckSummaryLine(folder, counts).c_str(), stdout);
  return summary.disagreements() == 0;
}

}  // namespace dynolith
