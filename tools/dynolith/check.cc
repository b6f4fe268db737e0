#include "tools/dynolith/check.h"

#include <cstdio>
#include <memory>

#include "engine/base/messages/program.h"
#include "engine/base/status_macros.h"
#include "engine/catalog/catalog.h"
#include "engine/history/history_check.h"
#include "engine/store/store.h"
#include "engine/stream/stream_check.h"
#include "engine/ttl/expiry_check.h"
#include "index/check.h"

namespace dynolith {

absl::StatusOr<bool> Check(const std::string& folder) {
  DYNOLITH_ASSIGN_OR_RETURN(const std::unique_ptr<Store> store,
                            Store::Open({.path = folder, .read_only = true}));
  DYNOLITH_ASSIGN_OR_RETURN(const std::unique_ptr<Catalog> catalog, Catalog::Load(store.get()));
  CheckSummary summary;
  const auto report = [](const std::string& line) { std::printf("%s\n", line.c_str()); };
  DYNOLITH_RETURN_IF_ERROR(CheckStore(store.get(), *catalog, report, &summary));
  StreamCheckSummary streams;
  DYNOLITH_RETURN_IF_ERROR(CheckStreams(store.get(), *catalog, report, &streams));
  ExpiryCheckSummary expiry;
  DYNOLITH_RETURN_IF_ERROR(CheckExpiry(store.get(), *catalog, report, &expiry));
  HistoryCheckSummary history;
  DYNOLITH_RETURN_IF_ERROR(CheckHistory(store.get(), *catalog, report, &history));
  const uint64_t disagreements =
      summary.disagreements + streams.disagreements + expiry.disagreements + history.disagreements;
  const messages::CheckCounts counts = {.tables = summary.tables,
                                        .backups = summary.backups,
                                        .items = summary.base_rows + summary.backup_rows,
                                        .index_entries = summary.index_rows,
                                        .stream_records = streams.records,
                                        .expiry_rows = expiry.rows,
                                        .stale_expiry_rows = expiry.stale_rows,
                                        .history_records = history.records,
                                        .stale_history_records = history.stale_records,
                                        .disagreements = disagreements};
  std::fputs(messages::CheckSummaryLine(folder, counts).c_str(), stdout);
  return disagreements == 0;
}

}  // namespace dynolith
