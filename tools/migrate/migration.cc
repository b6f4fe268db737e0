#include "tools/migrate/migration.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/time/clock.h"
#include "api/remote/server_address.h"
#include "engine/base/errors.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "tools/files/table/json_parts.h"
#include "tools/migrate/bucket_copy.h"
#include "tools/migrate/bulk_copy.h"
#include "tools/migrate/change_stream.h"
#include "tools/migrate/comparison.h"
#include "tools/migrate/messages.h"
#include "tools/migrate/migration_plan.h"
#include "tools/migrate/source_handover.h"
#include "tools/migrate/table_copy.h"
#include "tools/migrate/table_source.h"
#include "tools/migrate/work.h"

namespace dynolith::migrate {
namespace {

using designs::SetMember;
using designs::TextTree;

// What is caught up is this far behind at most.
constexpr double kLagMax = 1;
// A pass without records may only have seen an empty part of a shard, and calls that were let in
// before writes were refused may still be running.
constexpr int kQuietPasses = 4;
constexpr absl::Duration kBetweenQuietPasses = absl::Milliseconds(300);
// Of a server of ours that has said that no write is under way.
constexpr int kQuietPassesGated = 2;
constexpr absl::Duration kBetweenGatedPasses = absl::Milliseconds(20);
constexpr absl::Duration kBetweenPasses = absl::Milliseconds(50);
constexpr int kComparisonsMax = 3;
constexpr size_t kDifferencesShown = 20;

// What must be the same in the next run.
JsonTree WhatIsMigrated(const MigrationOptions& options, const ItemChanges& changes) {
  JsonTree what = designs::MapTree();
  SetMember(&what, "from", TextTree(options.from.place));
  SetMember(&what, "to", TextTree(options.to.place));
  std::vector<std::string> tables = options.tables;
  std::sort(tables.begin(), tables.end());
  JsonTree list = designs::ListTree();
  for (const std::string& table : tables) list.elements.push_back(TextTree(table));
  SetMember(&what, "tables", std::move(list));
  SetMember(&what, "rules", TextTree(changes.digest()));
  return what;
}

// Keys and their types.
std::string KeyText(const JsonTree& description) {
  const excerpt::TableKeys keys = excerpt::ToTableKeys(description);
  std::string text;
  for (const std::string& name : keys.names) {
    const auto type = keys.types.find(name);
    text += Concat(text.empty() ? "" : ", ", name, " ",
                   type == keys.types.end() ? std::string_view() : std::string_view(type->second));
  }
  return text;
}

class Migration {
 public:
  Migration(const MigrationOptions& options, const MigrationListener& listener, Work* work,
            std::vector<TableSource> sources)
      : options_(options), listener_(listener), work_(work), sources_(std::move(sources)) {}

  absl::StatusOr<MigrationResult> Run() {
    // FROM has no say any more: what it has is older than TO.
    if (work_->state()->Get().is_forwarding) return Forward();
    // All of them, so that a run that goes on knows which.
    for (const TableSource& source : sources_) ChangeState(source, [](TableState* /*state*/) {});
    DYNOLITH_RETURN_IF_ERROR(work_->state()->Save());
    for (TableSource& source : sources_) {
      DYNOLITH_RETURN_IF_ERROR(Prepare(&source));
    }
    DYNOLITH_RETURN_IF_ERROR(CopyAll());
    if (!options_.IsFrozen()) return FollowUntilCaughtUp();
    DYNOLITH_RETURN_IF_ERROR(StopWriters());
    DYNOLITH_RETURN_IF_ERROR(Drain());
    DYNOLITH_RETURN_IF_ERROR(ScanAgain());
    DYNOLITH_ASSIGN_OR_RETURN(const bool is_same, Compare());
    for (const TableSource& source : sources_) {
      DYNOLITH_RETURN_IF_ERROR(
          ApplySettings(work_->to(), source, [&](const std::string& text) { work_->Warn(text); }));
    }
    if (!is_same) return MigrationResult::kDifferent;
    return options_.cut_over == CutOver::kForward ? Forward() : Finish();
  }

 private:
  // Saved first, since TO gets newer items from then on.
  absl::StatusOr<MigrationResult> Forward() {
    work_->state()->Change([](MigrationState* state) { state->is_forwarding = true; });
    DYNOLITH_RETURN_IF_ERROR(work_->state()->Save());
    const SideOptions& other = options_.forward_to;
    SideOptions to = options_.to;
    if (!other.place.empty()) to.place = other.place;
    if (!other.region.empty()) to.region = other.region;
    if (!other.profile.empty()) to.profile = other.profile;
    if (!other.certificates.empty()) to.certificates = other.certificates;
    for (const TableSource& source : sources_) {
      DYNOLITH_RETURN_IF_ERROR(
          ForwardCalls(FromServer(), source.name, to, work_->from()->is_over()));
    }
    work_->Say(messages::MigrateForwarding(options_.from.place, to.place));
    return Finish();
  }

  absl::StatusOr<MigrationResult> Finish() {
    work_->state()->Change([](MigrationState* state) { state->is_over = true; });
    DYNOLITH_RETURN_IF_ERROR(work_->state()->Save());
    work_->Say(messages::MigrateOver(options_.to.place, work_->state()->file()));
    return MigrationResult::kOver;
  }

  client::AdminServer FromServer() const {
    return {.url = options_.from.place, .token = options_.admin_token, .timeouts = {}};
  }
  // Whether FROM refuses writes from a moment on at which none was under way.
  bool IsFromGated() const {
    return (options_.cut_over == CutOver::kRefuse || options_.cut_over == CutOver::kForward) &&
           !work_->from()->is_folder();
  }

  bool CopiesByBucket() const { return !options_.bucket.empty(); }
  TableState StateOf(const TableSource& source) const { return work_->state()->Get(source.name); }
  void ChangeState(const TableSource& source, const std::function<void(TableState*)>& change) {
    work_->state()->Change([&](MigrationState* state) { change(&state->tables[source.name]); });
  }

  // TO's table, and positions in the stream from before the copy.
  absl::Status Prepare(TableSource* source) {
    const bool was_begun = !StateOf(*source).segments.empty();
    if (!StateOf(*source).is_made) {
      DYNOLITH_RETURN_IF_ERROR(MakeOrTake(*source));
    }
    // A folder may have been opened by others between two runs.
    const bool is_folder = work_->from()->is_folder();
    if (is_folder || options_.no_stream) {
      if (!is_folder || was_begun) {
        ChangeState(*source, [](TableState* state) { state->needs_second_scan = true; });
      }
      return work_->state()->Save();
    }
    return PrepareStream(source, was_begun);
  }

  absl::Status PrepareStream(TableSource* source, bool was_begun) {
    DYNOLITH_ASSIGN_OR_RETURN(const bool has_stream, SwitchStreamOn(work_, source));
    if (!has_stream) {
      ChangeState(*source, [](TableState* state) {
        state->stream.clear();
        state->shards.clear();
        state->needs_second_scan = true;
      });
      return work_->state()->Save();
    }
    const bool has_old_images =
        source->StreamView() == "NEW_AND_OLD_IMAGES" || source->StreamView() == "OLD_IMAGE";
    if (work_->changes()->has_rules() && !has_old_images) {
      ChangeState(*source, [](TableState* state) { state->needs_second_scan = true; });
    }
    ChangeStream& stream =
        *streams_.emplace(source->name, std::make_unique<ChangeStream>(work_, source))
             .first->second;
    const std::string known = StateOf(*source).stream;
    if (was_begun && known == source->StreamArn()) return absl::OkStatus();
    if (was_begun) BeginAnew(*source, messages::MigrateStreamOther(source->name));
    return stream.NotePositions();
  }

  // What was changed is not known any more: the copy begins anew, and what TO has beyond it is
  // found by comparing.
  void BeginAnew(const TableSource& source, const std::string& reason) {
    work_->Warn(reason);
    ChangeState(source, [](TableState* state) {
      state->segments.clear();
      state->items = 0;
      state->stream.clear();
      state->shards.clear();
      state->needs_second_scan = true;
    });
  }

  absl::Status MakeOrTake(const TableSource& source) {
    Side::Caller to = work_->to()->Connect();
    DYNOLITH_ASSIGN_OR_RETURN(const std::optional<JsonTree> there,
                              DescribeTable(work_->to(), &to, source.name));
    const bool is_ours = StateOf(source).is_being_made;
    if (there && !is_ours) {
      DYNOLITH_RETURN_IF_ERROR(CheckThere(source, *there, &to));
    } else {
      ChangeState(source, [](TableState* state) { state->is_being_made = true; });
      DYNOLITH_RETURN_IF_ERROR(work_->state()->Save());
      // It is made with its items, or is being made so.
      const bool is_being_imported = !StateOf(source).bucket.token.empty();
      if (!there && CopiesInBulk(work_)) return absl::OkStatus();
      if (CopiesByBucket() && (!there || is_being_imported)) return absl::OkStatus();
      const absl::Status made =
          MakeTable(work_->to(), source, [&](const std::string& text) { work_->Warn(text); });
      if (absl::IsFailedPrecondition(made)) {
        // Who makes it after this was refused is somebody else.
        ChangeState(source, [](TableState* state) { state->is_being_made = false; });
      }
      DYNOLITH_RETURN_IF_ERROR(made);
      // Of a run that ended just when it had made the table with its items.
      if (CopiesInBulk(work_)) DYNOLITH_RETURN_IF_ERROR(GiveStream(work_, source));
    }
    ChangeState(source, [](TableState* state) { state->is_made = true; });
    return work_->state()->Save();
  }

  absl::Status CheckThere(const TableSource& source, const JsonTree& there, Side::Caller* to) {
    const std::string own = KeyText(source.description);
    const std::string other = KeyText(there);
    if (own != other) {
      return absl::FailedPreconditionError(
          messages::MigrateOtherKeys(options_.to.place, source.name, other, own));
    }
    if (options_.into_existing) return absl::OkStatus();
    JsonTree input = designs::MapTree();
    SetMember(&input, "TableName", TextTree(source.name));
    SetMember(&input, "Limit", designs::WordTree("1"));
    SetMember(&input, "ConsistentRead", designs::WordTree("true"));
    DYNOLITH_ASSIGN_OR_RETURN(const JsonTree page, to->Ask("Scan", input));
    const JsonTree* const items = page.Find("Items");
    if (items == nullptr || items->elements.empty()) return absl::OkStatus();
    return absl::FailedPreconditionError(messages::MigrateNotEmpty(options_.to.place, source.name));
  }

  absl::Status CopyAll() {
    work_->progress()->phase = MigrationProgress::Phase::kCopy;
    for (const TableSource& source : sources_) {
      work_->progress()->items_all += source.items;
      if (StateOf(source).IsCopied()) *work_->done() += StateOf(source).items;
    }
    for (const TableSource& source : sources_) {
      DYNOLITH_RETURN_IF_ERROR(CopyOne(source));
    }
    return absl::OkStatus();
  }

  absl::Status CopyOne(const TableSource& source) {
    if (!StateOf(source).is_made) {
      DYNOLITH_ASSIGN_OR_RETURN(const bool is_copied, CopiesByBucket() ? CopyByBucket(work_, source)
                                                                       : CopyInBulk(work_, source));
      if (is_copied) return absl::OkStatus();
      DYNOLITH_RETURN_IF_ERROR(
          MakeTable(work_->to(), source, [&](const std::string& text) { work_->Warn(text); }));
      ChangeState(source, [](TableState* state) { state->is_made = true; });
      DYNOLITH_RETURN_IF_ERROR(work_->state()->Save());
    }
    return CopyTable(work_, source);
  }

  // One pass over all streams. A table whose records are lost is copied anew.
  absl::StatusOr<ChangeStream::Pass> Follow() {
    ChangeStream::Pass all;
    for (const TableSource& source : sources_) {
      const auto stream = streams_.find(source.name);
      if (stream == streams_.end()) continue;
      const absl::StatusOr<ChangeStream::Pass> pass = stream->second->Follow();
      if (absl::IsDataLoss(pass.status())) {
        BeginAnew(source, std::string(MessageOf(pass.status())));
        stream->second = std::make_unique<ChangeStream>(work_, &source);
        DYNOLITH_RETURN_IF_ERROR(stream->second->NotePositions());
        DYNOLITH_RETURN_IF_ERROR(CopyTable(work_, source));
        all.is_at_end = false;
        continue;
      }
      DYNOLITH_RETURN_IF_ERROR(pass.status());
      all.records += pass->records;
      all.is_at_end = all.is_at_end && pass->is_at_end;
      all.lag_seconds = std::max(all.lag_seconds, pass->lag_seconds);
    }
    work_->progress()->lag_seconds = all.lag_seconds;
    work_->ShowProgress();
    return all;
  }

  absl::StatusOr<MigrationResult> FollowUntilCaughtUp() {
    work_->progress()->phase = MigrationProgress::Phase::kFollow;
    for (bool is_caught_up = false; !is_caught_up || options_.follow;) {
      DYNOLITH_ASSIGN_OR_RETURN(const ChangeStream::Pass pass, Follow());
      is_caught_up = pass.is_at_end || (pass.records > 0 && pass.lag_seconds < kLagMax);
      DYNOLITH_RETURN_IF_ERROR(work_->state()->SaveNowAndThen());
      if (work_->is_over()) return absl::CancelledError(messages::MigrateStopped());
      if (pass.is_at_end) absl::SleepFor(kBetweenPasses);
    }
    DYNOLITH_RETURN_IF_ERROR(work_->state()->Save());
    SayCopied();
    const bool is_followed = streams_.size() == sources_.size();
    work_->Say(is_followed ? messages::MigrateCaughtUp() : messages::MigrateNotFollowed());
    return HasRefused() ? MigrationResult::kDifferent : MigrationResult::kCopied;
  }

  bool HasRefused() const {
    return std::any_of(sources_.begin(), sources_.end(),
                       [&](const TableSource& source) { return StateOf(source).refused > 0; });
  }
  void SayCopied() {
    for (const TableSource& source : sources_) {
      const TableState state = StateOf(source);
      work_->Say(messages::MigrateCopied(source.name, state.items, state.changes, state.refused));
    }
  }

  absl::Status StopWriters() {
    if (!IsFromGated()) return absl::OkStatus();
    // What is written until here need not be written while nobody may write.
    DYNOLITH_RETURN_IF_ERROR(CatchUp());
    for (const TableSource& source : sources_) {
      DYNOLITH_RETURN_IF_ERROR(RefuseWrites(FromServer(), source.name, work_->from()->is_over()));
    }
    work_->Say(messages::MigrateRefusing(options_.from.place));
    return absl::OkStatus();
  }

  absl::Status CatchUp() {
    work_->progress()->phase = MigrationProgress::Phase::kFollow;
    while (true) {
      DYNOLITH_ASSIGN_OR_RETURN(const ChangeStream::Pass pass, Follow());
      if (pass.is_at_end || (pass.records > 0 && pass.lag_seconds < kLagMax)) {
        return absl::OkStatus();
      }
      if (work_->is_over()) return absl::CancelledError(messages::MigrateStopped());
    }
  }

  // Everything that the streams still have. Returns the number of records.
  absl::StatusOr<uint64_t> DrainStreams() {
    work_->progress()->phase = MigrationProgress::Phase::kFollow;
    uint64_t records = 0;
    const int passes = IsFromGated() ? kQuietPassesGated : kQuietPasses;
    for (int quiet = 0; quiet < passes && !streams_.empty();) {
      DYNOLITH_ASSIGN_OR_RETURN(const ChangeStream::Pass pass, Follow());
      records += pass.records;
      quiet = pass.is_at_end ? quiet + 1 : 0;
      if (work_->is_over()) return absl::CancelledError(messages::MigrateStopped());
      if (pass.is_at_end) {
        absl::SleepFor(IsFromGated() ? kBetweenGatedPasses : kBetweenQuietPasses);
      }
    }
    DYNOLITH_RETURN_IF_ERROR(work_->state()->Save());
    return records;
  }
  absl::Status Drain() {
    DYNOLITH_RETURN_IF_ERROR(DrainStreams().status());
    SayCopied();
    return absl::OkStatus();
  }

  void BeginComparing() {
    *work_->done() = 0;
    work_->progress()->phase = MigrationProgress::Phase::kCompare;
    work_->progress()->items_all = 0;
    for (const TableSource& source : sources_) {
      work_->progress()->items_all += 2 * std::max(source.items, StateOf(source).items);
    }
  }

  // Finds and writes what no stream has told.
  absl::Status ScanAgain() {
    for (const TableSource& source : sources_) {
      if (!StateOf(source).needs_second_scan) continue;
      BeginComparing();
      DYNOLITH_ASSIGN_OR_RETURN(const TableComparison comparison,
                                CompareTable(work_, source, Verify::kChecksums));
      DYNOLITH_RETURN_IF_ERROR(WriteDifferences(work_, source, comparison.differences,
                                                /*deletes=*/!options_.into_existing));
      work_->Say(messages::MigrateScannedAgain(source.name, comparison.differences.size()));
    }
    return absl::OkStatus();
  }

  // Whether both sides are the same.
  absl::StatusOr<bool> Compare() {
    if (options_.verify == Verify::kNone) {
      work_->Say(messages::MigrateNotCompared());
      return !HasRefused();
    }
    BeginComparing();
    bool is_same = true;
    for (const TableSource& source : sources_) {
      DYNOLITH_ASSIGN_OR_RETURN(const bool is_table_same, CompareOne(source));
      is_same = is_same && is_table_same;
    }
    return is_same;
  }

  absl::StatusOr<bool> CompareOne(const TableSource& source) {
    for (int look = 1;; ++look) {
      DYNOLITH_ASSIGN_OR_RETURN(TableComparison comparison,
                                CompareTable(work_, source, options_.verify));
      uint64_t extra = 0;
      if (options_.into_existing) extra = RemoveExtra(&comparison);
      const bool has_counts_only = options_.verify == Verify::kCount;
      const bool is_same = has_counts_only ? comparison.from_items == comparison.to_items ||
                                                 (options_.into_existing &&
                                                  comparison.from_items < comparison.to_items)
                                           : comparison.differences.empty();
      // FROM's own TTL may still delete.
      if (!is_same && look < kComparisonsMax) {
        DYNOLITH_ASSIGN_OR_RETURN(const uint64_t records, DrainStreams());
        work_->progress()->phase = MigrationProgress::Phase::kCompare;
        if (records > 0) continue;
      }
      Report(source, comparison, is_same, extra);
      return is_same && comparison.refused == 0;
    }
  }

  // Items that TO had before, or has of items that were deleted when nothing told so.
  static uint64_t RemoveExtra(TableComparison* comparison) {
    std::vector<ItemDifference>& all = comparison->differences;
    const auto begin = std::remove_if(all.begin(), all.end(), [](const ItemDifference& each) {
      return each.kind == ItemDifference::Kind::kExtra;
    });
    const auto extra = static_cast<uint64_t>(all.end() - begin);
    all.erase(begin, all.end());
    return extra;
  }

  void Report(const TableSource& source, const TableComparison& comparison, bool is_same,
              uint64_t extra) {
    work_->Say(messages::MigrateCompared(source.name, comparison.from_items, comparison.to_items,
                                         is_same, comparison.differences.size(), extra));
    for (size_t i = 0; i < std::min(kDifferencesShown, comparison.differences.size()); ++i) {
      const ItemDifference& each = comparison.differences[i];
      const std::string key = PrintJson(KeyOf(source.keys, each.tree));
      switch (each.kind) {
        case ItemDifference::Kind::kMissing:
          listener_.fail(messages::MigrateMissing(source.name, key));
          break;
        case ItemDifference::Kind::kOther:
          listener_.fail(messages::MigrateOther(source.name, key));
          break;
        case ItemDifference::Kind::kExtra:
          listener_.fail(messages::MigrateExtra(source.name, key));
          break;
      }
    }
  }

  const MigrationOptions& options_;
  const MigrationListener& listener_;
  Work* const work_;
  std::vector<TableSource> sources_;
  std::map<std::string, std::unique_ptr<ChangeStream>> streams_;  // by table
};

absl::StatusOr<std::vector<TableSource>> ReadSources(const MigrationOptions& options, Side* from,
                                                     const ItemChanges& changes,
                                                     const MigrationState& state) {
  Side::Caller caller = from->Connect();
  std::vector<std::string> names = options.tables;
  for (const auto& [name, table] : state.tables) {
    if (options.tables.empty()) names.push_back(name);
  }
  if (names.empty()) {
    DYNOLITH_ASSIGN_OR_RETURN(names, ListTables(&caller));
  }
  std::vector<TableSource> sources;
  for (const std::string& name : names) {
    DYNOLITH_ASSIGN_OR_RETURN(TableSource source, ReadTableSource(&caller, name));
    DYNOLITH_RETURN_IF_ERROR(changes.CheckTable(source.keys));
    sources.push_back(std::move(source));
  }
  return sources;
}

absl::Status CheckOptions(const MigrationOptions& options) {
  if (options.from.place == options.to.place) {
    return absl::InvalidArgumentError(messages::MigrateSamePlace());
  }
  DYNOLITH_RETURN_IF_ERROR(CheckBucket(options));
  const bool forwards = options.cut_over == CutOver::kForward;
  const bool has_servers =
      http::IsServerUrl(options.from.place) && http::IsServerUrl(options.to.place);
  if (forwards && !has_servers) {
    return absl::InvalidArgumentError(messages::MigrateForwardsNowhere());
  }
  if (forwards && !options.excerpt.IsAll()) {
    return absl::InvalidArgumentError(messages::MigrateForwardsParts());
  }
  return absl::OkStatus();
}

}  // namespace

bool MigrationOptions::IsFrozen() const {
  return cut_over != CutOver::kNone || !http::IsServerUrl(from.place);
}

std::string DefaultStateFile(const MigrationOptions& options) {
  const auto beside = [](std::string folder) {
    while (folder.size() > 1 && folder.back() == '/') folder.pop_back();
    return folder + ".migrate";
  };
  if (!http::IsServerUrl(options.to.place)) return beside(options.to.place);
  if (!http::IsServerUrl(options.from.place)) return beside(options.from.place);
  return "dynolith.migrate";
}

absl::StatusOr<MigrationResult> Migrate(const MigrationOptions& options, const UnitPrices& prices,
                                        const MigrationListener& listener) {
  DYNOLITH_RETURN_IF_ERROR(CheckOptions(options));
  DYNOLITH_ASSIGN_OR_RETURN(const std::unique_ptr<ItemChanges> changes,
                            ItemChanges::Make(options.excerpt));
  SideOptions from_options = options.from;
  from_options.read_only = true;
  DYNOLITH_ASSIGN_OR_RETURN(const std::unique_ptr<Side> from,
                            Side::Open(from_options, listener.is_over));
  if (options.dry_run) {
    DYNOLITH_ASSIGN_OR_RETURN(const std::vector<TableSource> sources,
                              ReadSources(options, from.get(), *changes, {}));
    listener.say(PlanText(options, sources, prices));
    return MigrationResult::kPlanned;
  }
  const std::string file =
      options.state_file.empty() ? DefaultStateFile(options) : options.state_file;
  DYNOLITH_ASSIGN_OR_RETURN(const std::unique_ptr<StateFile> state,
                            StateFile::Open(file, WhatIsMigrated(options, *changes)));
  if (state->Get().is_over) {
    listener.say(messages::MigrateOverBefore(file));
    return MigrationResult::kOver;
  }
  DYNOLITH_ASSIGN_OR_RETURN(std::vector<TableSource> sources,
                            ReadSources(options, from.get(), *changes, state->Get()));
  listener.say(PlanText(options, sources, prices));
  DYNOLITH_ASSIGN_OR_RETURN(const std::unique_ptr<Side> to,
                            Side::Open(options.to, listener.is_over));
  Work work(options, listener, from.get(), to.get(), changes.get(), state.get());
  absl::StatusOr<MigrationResult> result =
      Migration(options, listener, &work, std::move(sources)).Run();
  // Whatever ended the run, what is done is noted.
  const absl::Status saved = state->Save();
  if (result.ok() && !saved.ok()) return saved;
  if (result.ok() && *result != MigrationResult::kCopied) {
    for (const auto& doubt : changes->Doubts(/*is_whole=*/!state->was_there())) {
      const std::string text = messages::MigrateDoubt(doubt.file, doubt.line, doubt.text);
      if (doubt.is_error) {
        listener.fail(text);
        result = MigrationResult::kDifferent;
      } else {
        listener.warn(text);
      }
    }
  }
  return result;
}

}  // namespace dynolith::migrate
