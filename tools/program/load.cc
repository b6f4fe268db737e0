#include "tools/program/load.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "api/remote/server_address.h"
#include "dynolith/database.h"
#include "engine/base/status_macros.h"
#include "tools/files/finding_printer.h"
#include "tools/program/interruption.h"
#include "tools/program/messages.h"
#include "tools/program/print.h"
#include "tools/program/terminal_line.h"

namespace dynolith {
namespace {

constexpr size_t kBarLetters = 30;
constexpr std::chrono::milliseconds kBetweenFrames(100);
// Where printed lines stay, such as in a log.
constexpr std::chrono::seconds kBetweenLines(5);

// A progress bar on a terminal, cleared at the end; elsewhere a line every kBetweenLines.
class LoadBar {
 public:
  void Show(const designs::LoadProgress& progress) {
    const auto now = std::chrono::steady_clock::now();
    if (now - shown_ < (line_.is_terminal() ? kBetweenFrames : kBetweenLines)) return;
    shown_ = now;
    const std::string line =
        messages::DesignProgress(LoadSpeed(progress, std::chrono::duration<double>(now - begun_)));
    if (!line_.is_terminal()) {
      std::fprintf(stderr, "%s\n", line.c_str());
      return;
    }
    // In a narrow terminal the figures are shown without the bar.
    const std::string bar = ProgressBarText(progress);
    const bool fits = bar.size() + line.size() < TerminalLine::Columns();
    line_.Show(fits ? bar + line : line);
  }
  void Clear() { line_.Clear(); }

 private:
  static std::string ProgressBarText(const designs::LoadProgress& progress) {
    if (progress.bytes_all == 0) return "";
    const uint64_t full = std::min(progress.bytes, progress.bytes_all) * kBarLetters;
    const size_t letters = full / progress.bytes_all;
    return "[" + std::string(letters, '#') + std::string(kBarLetters - letters, ' ') + "] ";
  }
  static messages::DesignSpeed LoadSpeed(const designs::LoadProgress& progress,
                                         std::chrono::duration<double> passed) {
    const auto a_second = [&](uint64_t count) {
      return static_cast<uint64_t>(static_cast<double>(count) / std::max(passed.count(), 1e-3));
    };
    messages::DesignSpeed speed;
    speed.items = progress.items;
    speed.is_sorting = progress.is_sorting;
    speed.bytes = progress.bytes;
    speed.bytes_all = progress.bytes_all;
    speed.items_a_second = a_second(progress.items);
    speed.bytes_a_second = a_second(progress.bytes - progress.bytes_skipped);
    const uint64_t left = progress.bytes_all - std::min(progress.bytes, progress.bytes_all);
    if (speed.bytes_a_second > 0) {
      speed.seconds_left = (left + speed.bytes_a_second - 1) / speed.bytes_a_second;
    }
    return speed;
  }

  TerminalLine line_;
  const std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point shown_ = begun_;
};

// A server, or the database of a folder.
absl::StatusOr<std::unique_ptr<client::ServiceTarget>> MakeTarget(const std::string& name,
                                                                  const DatabaseOptions& options,
                                                                  bool read_only) {
  if (!http::IsServerUrl(name)) {
    return client::MakeFolderTarget({.path = name,
                                     .encryption_key = options.encryption_key,
                                     .memory_budget_bytes = options.memory_budget_bytes,
                                     .read_only = read_only});
  }
  if (!options.encryption_key.empty()) {
    return absl::InvalidArgumentError(messages::EncryptionKeyOfServer(name));
  }
  if (options.memory_budget_bytes > 0) {
    return absl::InvalidArgumentError(messages::MemoryBudgetOfServer(name));
  }
  return client::MakeServerTarget(name);
}

// nullptr: all items are wanted, unchanged.
absl::StatusOr<std::unique_ptr<excerpt::Excerpt>> MakeExcerpt(
    const excerpt::ExcerptOptions& options) {
  if (options.IsAll()) return nullptr;
  return excerpt::Excerpt::Make(options);
}

}  // namespace

absl::StatusOr<bool> Load(const LoadCommandOptions& options) {
  DYNOLITH_ASSIGN_OR_RETURN(const std::unique_ptr<excerpt::Excerpt> excerpt,
                            MakeExcerpt(options.excerpt));
  DYNOLITH_ASSIGN_OR_RETURN(const std::unique_ptr<client::ServiceTarget> to,
                            MakeTarget(options.to, options.settings.database, /*read_only=*/false));
  designs::FindingPrinter printer;
  LoadBar bar;
  const designs::LoadListener listener = {
      .find =
          [&](const designs::Finding& finding) {
            bar.Clear();
            printer.Print(finding);
          },
      .progress = [&](const designs::LoadProgress& progress) { bar.Show(progress); },
      .made = nullptr,
      .is_over = [] { return Interruption::HasCome(); }};
  designs::LoadOptions load = options.load;
  load.to = options.to;
  load.excerpt = excerpt.get();
  // The database of a folder is one region.
  if (http::IsServerUrl(options.to)) {
    load.in_region = [&options](const std::string& region) {
      return client::MakeServerTarget(options.to, "", {.region = region});
    };
  }
  const absl::StatusOr<designs::LoadSummary> loaded = [&] {
    const Interruption interruption;
    const client::PatienceUntil patience(&Interruption::HasCome);
    return LoadDesigns(load, to.get(), listener);
  }();
  bar.Clear();
  DYNOLITH_ASSIGN_OR_RETURN(const designs::LoadSummary summary, loaded);
  Print(messages::DesignLoaded(options.to, summary.made, summary.kept, summary.items,
                               summary.left_out, summary.not_taken, summary.errors));
  if (summary.is_over) {
    return absl::CancelledError(summary.is_kept ? messages::DesignStoppedWithJournal()
                                                : messages::DesignStopped());
  }
  return summary.errors == 0;
}

absl::StatusOr<bool> Dump(const DumpCommandOptions& options) {
  DYNOLITH_ASSIGN_OR_RETURN(const std::unique_ptr<excerpt::Excerpt> excerpt,
                            MakeExcerpt(options.excerpt));
  DYNOLITH_ASSIGN_OR_RETURN(
      const std::unique_ptr<client::ServiceTarget> from,
      MakeTarget(options.from, options.settings.database, /*read_only=*/true));
  DYNOLITH_RETURN_IF_ERROR(from->Open());
  designs::DumpOptions dump = options.dump;
  dump.excerpt = excerpt.get();
  designs::FindingPrinter printer;
  DYNOLITH_ASSIGN_OR_RETURN(const designs::DumpSummary summary,
                            DumpTables(dump, from.get(), [&](const designs::Finding& finding) {
                              printer.Print(finding);
                            }));
  Print(messages::DumpLine(dump.folder, summary.tables, summary.items, summary.not_taken,
                           summary.errors));
  return summary.errors == 0;
}

}  // namespace dynolith
