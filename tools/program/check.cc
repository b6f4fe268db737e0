// `dynolith check`: checks that indexes, streams, expiry rows, the history and what replicas need
// agree with the tables.
#include <CLI/CLI.hpp>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "engine/base/status_macros.h"
#include "engine/catalog/catalog.h"
#include "engine/store/local_store.h"
#include "engine/store/messages.h"
#include "engine/store/postgres/postgres_store.h"
#include "index/check_all.h"
#include "tools/program/command_parts.h"
#include "tools/program/commands.h"
#include "tools/program/database_flags.h"
#include "tools/program/messages.h"

namespace dynolith {
namespace {

// Prints equal lines once, with their number, because each entry of a damaged block reports it.
class RepeatedLines {
 public:
  void Print(const std::string& line) {
    if (line != line_) End();
    line_ = line;
    ++times_;
  }
  void End() {
    if (times_ > 0) std::fputs(messages::CheckLine(line_, times_).c_str(), stdout);
    times_ = 0;
  }

 private:
  std::string line_;
  uint64_t times_ = 0;
};

bool IsUrl(std::string_view where) {
  return where.starts_with("postgresql://") || where.starts_with("postgres://");
}

absl::StatusOr<std::unique_ptr<Store>> OpenStore(const std::string& where, const std::string& key) {
  if (IsUrl(where)) {
    if (!key.empty()) return absl::InvalidArgumentError(messages::EncryptionKeyWithoutFolder());
    return PostgresStore::Open({.url = where});
  }
  return LocalStore::Open({.path = where, .encryption_key = key, .read_only = true});
}

// Prints one line per disagreement and a summary to standard output. Returns whether there was
// none. Changes nothing there. Errors: what prevents the check.
absl::StatusOr<bool> Check(const std::string& where, const std::string& key) {
  DYNOLITH_ASSIGN_OR_RETURN(const std::unique_ptr<Store> store, OpenStore(where, key));
  DYNOLITH_ASSIGN_OR_RETURN(const std::string place,
                            IsUrl(where) ? PostgresStore::PlaceOf(where) : where);
  DYNOLITH_ASSIGN_OR_RETURN(const std::unique_ptr<Catalog> catalog, Catalog::Load(store.get()));
  RepeatedLines lines;
  const auto report = [&lines](const std::string& line) { lines.Print(line); };
  DYNOLITH_ASSIGN_OR_RETURN(const CheckAllSummary summary, CheckAll(store.get(), *catalog, report));
  lines.End();
  const messages::CheckCounts counts = {.tables = summary.rows.tables,
                                        .backups = summary.rows.backups,
                                        .items = summary.rows.base_rows + summary.rows.backup_rows,
                                        .index_entries = summary.rows.index_rows,
                                        .stream_records = summary.streams.records,
                                        .expiry_rows = summary.expiry.rows,
                                        .stale_expiry_rows = summary.expiry.stale_rows,
                                        .history_records = summary.history.records,
                                        .stale_history_records = summary.history.stale_records,
                                        .replica_rows = summary.replicas.rows(),
                                        .stale_replica_rows = summary.replicas.stale_rows,
                                        .disagreements = summary.disagreements()};
  std::fputs(messages::CheckSummaryLine(place, counts).c_str(), stdout);
  return summary.disagreements() == 0;
}

}  // namespace

void AddCheck(CLI::App* app, int* exit_code) {
  static std::string where;
  static std::string key;
  CLI::App* const check = app->add_subcommand(
      "check", "Compare every item of a store with its indexes, streams, expiry rows and history");
  check
      ->add_option("DIR|URL", where,
                   "Data folder, not in use by a server, or the PostgreSQL database of several "
                   "servers, while none writes")
      ->required();
  AddKeyFlag(check, &key);
  check->footer(
      "Examples:\n"
      "  dynolith check ./data\n"
      "  dynolith check postgresql://music@db1,db2/music");
  check->callback([exit_code] {
    const absl::StatusOr<bool> agrees = Check(where, key);
    *exit_code = agrees.ok() && !*agrees ? 1 : Finish(agrees.status());
  });
}

}  // namespace dynolith
