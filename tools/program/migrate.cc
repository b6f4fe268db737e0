#include "tools/program/migrate.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>

#include "engine/base/status_macros.h"
#include "tools/migrate/messages.h"
#include "tools/migrate/migration.h"
#include "tools/program/interruption.h"
#include "tools/program/lab_inputs.h"
#include "tools/program/messages.h"
#include "tools/program/print.h"
#include "tools/program/terminal_line.h"
#include "tools/server/admin_guard.h"

namespace dynolith {
namespace {

using migrate::MigrationProgress;

constexpr size_t kMigrationBarLetters = 20;
constexpr std::chrono::milliseconds kBetweenBars(100);
// Where lines stay.
constexpr std::chrono::seconds kBetweenBarLines(5);
constexpr uint64_t kWholeMillis = 1000;

class MigrationBar {
 public:
  void Show(const MigrationProgress& progress) {
    const auto now = std::chrono::steady_clock::now();
    if (progress.phase != phase_ || progress.items < items_) Begin(progress, now);
    if (now - shown_ <
        (line_.is_terminal() ? kBetweenBars : std::chrono::milliseconds(kBetweenBarLines))) {
      return;
    }
    shown_ = now;
    const std::string text = Text(progress, std::chrono::duration<double>(now - begun_).count());
    if (!line_.is_terminal()) {
      std::fprintf(stderr, "%s\n", text.c_str());
      return;
    }
    const std::string bar = Bar(progress);
    line_.Show(bar.size() + text.size() < TerminalLine::Columns() ? bar + text : text);
  }
  void Clear() { line_.Clear(); }

 private:
  void Begin(const MigrationProgress& progress, std::chrono::steady_clock::time_point now) {
    phase_ = progress.phase;
    items_ = progress.items;
    read_units_ = progress.read_units;
    write_units_ = progress.write_units;
    begun_ = now;
  }
  static std::string Bar(const MigrationProgress& progress) {
    if (progress.items_all == 0 || progress.phase == MigrationProgress::Phase::kFollow) return "";
    const size_t letters =
        std::min(progress.items, progress.items_all) * kMigrationBarLetters / progress.items_all;
    return "[" + std::string(letters, '#') + std::string(kMigrationBarLetters - letters, ' ') +
           "] ";
  }
  std::string Text(const MigrationProgress& progress, double passed) const {
    if (progress.phase == MigrationProgress::Phase::kFollow) {
      const auto lag = static_cast<uint64_t>(progress.lag_seconds * kWholeMillis);
      return messages::MigrateLagLine(progress.changes, messages::MigrateSeconds(lag));
    }
    const double seconds = std::max(passed, 1e-3);
    const auto a_second = [&](double now, double before) {
      return static_cast<uint64_t>((now - before) / seconds);
    };
    const uint64_t rate =
        a_second(static_cast<double>(progress.items), static_cast<double>(items_));
    const uint64_t left = progress.items_all - std::min(progress.items, progress.items_all);
    return messages::MigrateShareLine(
        progress.phase == MigrationProgress::Phase::kCopy ? messages::MigrateCopying()
                                                          : messages::MigrateComparing(),
        progress.items, progress.items_all, rate, a_second(progress.read_units, read_units_),
        a_second(progress.write_units, write_units_),
        rate == 0 ? "" : messages::DesignTime((left + rate - 1) / rate));
  }

  TerminalLine line_;
  MigrationProgress::Phase phase_ = MigrationProgress::Phase::kCopy;
  uint64_t items_ = 0;  // at the beginning of the phase
  double read_units_ = 0;
  double write_units_ = 0;
  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point shown_ = begun_;
};

absl::StatusOr<migrate::UnitPrices> ReadPrices(const MigrateCommandOptions& options) {
  DYNOLITH_ASSIGN_OR_RETURN(const lab::PriceList prices,
                            LoadPrices(options.prices_file, options.price_region));
  return migrate::UnitPrices{.read_million = prices.million.read,
                             .write_million = prices.million.write,
                             .currency = prices.currency,
                             .region = prices.region,
                             .date = prices.date};
}

}  // namespace

absl::StatusOr<bool> RunMigration(const MigrateCommandOptions& options) {
  migrate::MigrationOptions migration = options.migration;
  if (!options.admin_token_file.empty()) {
    DYNOLITH_ASSIGN_OR_RETURN(migration.admin_token, ReadAdminToken(options.admin_token_file));
  }
  DYNOLITH_ASSIGN_OR_RETURN(const migrate::UnitPrices prices, ReadPrices(options));
  MigrationBar bar;
  const auto print_error = [&](const std::string& text) {
    bar.Clear();
    std::fprintf(stderr, "%s\n", text.c_str());
  };
  const migrate::MigrationListener listener = {
      .say =
          [&](const std::string& text) {
            bar.Clear();
            Print(text);
            std::fflush(stdout);
          },
      .warn = [&](const std::string& text) { print_error(messages::MigrateWarning(text)); },
      .fail = [&](const std::string& text) { print_error(messages::MigrateError(text)); },
      .progress = [&](const MigrationProgress& progress) { bar.Show(progress); },
      .is_over = [] { return Interruption::HasCome(); }};
  const absl::StatusOr<migrate::MigrationResult> result = [&] {
    const Interruption interruption;
    return migrate::Migrate(migration, prices, listener);
  }();
  bar.Clear();
  DYNOLITH_RETURN_IF_ERROR(result.status());
  return *result != migrate::MigrationResult::kDifferent;
}

}  // namespace dynolith
