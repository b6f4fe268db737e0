#include "tools/migrate/migration_state.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <optional>

#include "absl/time/clock.h"
#include "engine/base/errno_status.h"
#include "engine/base/errors.h"
#include "engine/base/file_text.h"
#include "tools/files/table/checked_json.h"
#include "tools/files/table/json_parts.h"
#include "tools/migrate/messages.h"

namespace dynolith::migrate {
namespace {

using designs::ListTree;
using designs::MapTree;
using designs::MemberText;
using designs::SetMember;
using designs::TextTree;
using designs::WordTree;

constexpr std::string_view kVersion = "1";
constexpr absl::Duration kBetweenSaves = absl::Milliseconds(200);
constexpr mode_t kFileMode = 0644;

JsonTree CountTree(uint64_t count) { return WordTree(std::to_string(count)); }

template <typename Count>
std::optional<Count> ReadCount(const JsonTree* tree) {
  const std::string_view text = MemberText(tree);
  Count count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return count;
}
bool IsTrue(const JsonTree* tree) { return MemberText(tree) == "true"; }
void SetTrue(JsonTree* map, std::string_view name, bool value) {
  if (value) SetMember(map, name, WordTree("true"));
}
void SetText(JsonTree* map, std::string_view name, std::string_view text) {
  if (!text.empty()) SetMember(map, name, TextTree(text));
}

JsonTree BucketTree(const BucketState& bucket) {
  JsonTree tree = MapTree();
  SetText(&tree, "token", bucket.token);
  SetText(&tree, "export", bucket.exported);
  SetText(&tree, "import", bucket.imported);
  return tree;
}
BucketState ReadBucket(const JsonTree& tree) {
  const auto text = [&](std::string_view name) { return std::string(MemberText(tree.Find(name))); };
  return {.token = text("token"), .exported = text("export"), .imported = text("import")};
}

JsonTree TableTree(const TableState& table) {
  JsonTree tree = MapTree();
  SetTrue(&tree, "making", table.is_being_made);
  SetTrue(&tree, "made", table.is_made);
  if (!table.bucket.token.empty()) SetMember(&tree, "bucket", BucketTree(table.bucket));
  JsonTree segments = ListTree();
  for (const SegmentState& segment : table.segments) {
    JsonTree each = MapTree();
    SetTrue(&each, "done", segment.is_done);
    SetText(&each, "after", segment.after);
    segments.elements.push_back(std::move(each));
  }
  SetMember(&tree, "segments", std::move(segments));
  SetMember(&tree, "items", CountTree(table.items));
  SetMember(&tree, "changes", CountTree(table.changes));
  SetMember(&tree, "refused", CountTree(table.refused));
  SetText(&tree, "stream", table.stream);
  JsonTree shards = MapTree();
  for (const auto& [id, shard] : table.shards) {
    JsonTree each = MapTree();
    SetText(&each, "parent", shard.parent);
    SetTrue(&each, "done", shard.is_done);
    SetText(&each, "after", shard.after);
    SetText(&each, "first", shard.first);
    SetMember(&each, "seen", WordTree(std::to_string(shard.seen)));
    SetMember(&shards, id, std::move(each));
  }
  SetMember(&tree, "shards", std::move(shards));
  SetTrue(&tree, "second_scan", table.needs_second_scan);
  return tree;
}

// nullopt: it is none.
std::optional<TableState> ReadTable(const JsonTree& tree) {
  TableState table;
  table.is_being_made = IsTrue(tree.Find("making"));
  table.is_made = IsTrue(tree.Find("made"));
  if (const JsonTree* const bucket = tree.Find("bucket")) table.bucket = ReadBucket(*bucket);
  const JsonTree* const segments = tree.Find("segments");
  const JsonTree* const shards = tree.Find("shards");
  const auto items = ReadCount<uint64_t>(tree.Find("items"));
  const auto changes = ReadCount<uint64_t>(tree.Find("changes"));
  const auto refused = ReadCount<uint64_t>(tree.Find("refused"));
  if (segments == nullptr || shards == nullptr || !items || !changes || !refused) {
    return std::nullopt;
  }
  for (const JsonTree& segment : segments->elements) {
    table.segments.push_back(
        {IsTrue(segment.Find("done")), std::string(MemberText(segment.Find("after")))});
  }
  table.items = *items;
  table.changes = *changes;
  table.refused = *refused;
  table.stream = MemberText(tree.Find("stream"));
  for (const auto& [id, each] : shards->members) {
    const auto seen = ReadCount<int64_t>(each.Find("seen"));
    if (!seen) return std::nullopt;
    table.shards[id] = {std::string(MemberText(each.Find("parent"))), IsTrue(each.Find("done")),
                        std::string(MemberText(each.Find("after"))),
                        std::string(MemberText(each.Find("first"))), *seen};
  }
  table.needs_second_scan = IsTrue(tree.Find("second_scan"));
  return table;
}

absl::Status Damaged() { return absl::InvalidArgumentError(messages::MigrateStateDamaged()); }

}  // namespace

bool TableState::IsCopied() const {
  return !segments.empty() && std::all_of(segments.begin(), segments.end(),
                                          [](const SegmentState& each) { return each.is_done; });
}

std::string PrintState(const MigrationState& state, const JsonTree& what) {
  JsonTree tree = MapTree();
  SetMember(&tree, "dynolith_migration", WordTree(kVersion));
  SetMember(&tree, "what", what);
  SetTrue(&tree, "forwarding", state.is_forwarding);
  SetTrue(&tree, "over", state.is_over);
  JsonTree tables = MapTree();
  for (const auto& [name, table] : state.tables) SetMember(&tables, name, TableTree(table));
  SetMember(&tree, "tables", std::move(tables));
  return designs::PrintChecked(tree);
}

absl::StatusOr<MigrationState> ParseState(std::string_view text, const JsonTree& what) {
  const std::optional<JsonTree> version_of = ParseJson(text, designs::kJsonDepthMax);
  const auto version =
      version_of ? ReadCount<int>(version_of->Find("dynolith_migration")) : std::nullopt;
  if (version && std::to_string(*version) != kVersion) {
    return absl::InvalidArgumentError(messages::MigrateStateVersion(*version));
  }
  const std::optional<std::string> content = designs::WithoutChecksum(text);
  if (!content) return Damaged();
  const std::optional<JsonTree> tree = ParseJson(*content, designs::kJsonDepthMax);
  if (!tree || !version) return Damaged();
  const JsonTree* const was = tree->Find("what");
  const JsonTree* const tables = tree->Find("tables");
  if (was == nullptr || tables == nullptr) return Damaged();
  for (const auto& [name, value] : what.members) {
    const JsonTree* const before = was->Find(name);
    if (before != nullptr && PrintJson(*before) == PrintJson(value)) continue;
    return absl::InvalidArgumentError(messages::MigrateStateOfOther(name));
  }
  MigrationState state;
  state.is_forwarding = IsTrue(tree->Find("forwarding"));
  state.is_over = IsTrue(tree->Find("over"));
  for (const auto& [name, each] : tables->members) {
    std::optional<TableState> table = ReadTable(each);
    if (!table) return Damaged();
    state.tables[name] = *std::move(table);
  }
  return state;
}

absl::StatusOr<std::unique_ptr<StateFile>> StateFile::Open(const std::string& file,
                                                           const JsonTree& what) {
  const std::string lock_file = file + ".lock";
  const int lock = open(lock_file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, kFileMode);
  if (lock < 0) {
    return absl::UnavailableError(messages::MigrateStateUnwritten(lock_file, ErrnoReason(errno)));
  }
  std::unique_ptr<StateFile> opened(new StateFile(file, what, lock));
  if (flock(lock, LOCK_EX | LOCK_NB) != 0) {
    return absl::FailedPreconditionError(messages::MigrateStateHeld(file));
  }
  const FileText read = ReadFileText(file);
  if (read.error == ENOENT) return opened;
  if (read.error != 0) {
    return absl::InvalidArgumentError(messages::MigrateStateBad(file, ErrnoReason(read.error)));
  }
  absl::StatusOr<MigrationState> state = ParseState(read.text, what);
  if (!state.ok()) {
    return absl::InvalidArgumentError(messages::MigrateStateBad(file, MessageOf(state.status())));
  }
  opened->was_there_ = true;
  absl::MutexLock holding(&opened->mutex_);
  opened->state_ = *std::move(state);
  return opened;
}

// The file of the lock stays: another run may have opened it already.
StateFile::~StateFile() { close(lock_); }

void StateFile::Change(const std::function<void(MigrationState* state)>& change) {
  absl::MutexLock lock(&mutex_);
  change(&state_);
  is_changed_ = true;
}

MigrationState StateFile::Get() const {
  absl::MutexLock lock(&mutex_);
  return state_;
}

TableState StateFile::Get(const std::string& table) const {
  absl::MutexLock lock(&mutex_);
  const auto found = state_.tables.find(table);
  return found == state_.tables.end() ? TableState() : found->second;
}

absl::Status StateFile::Save() {
  absl::MutexLock saving(&saving_);
  std::string text;
  {
    absl::MutexLock lock(&mutex_);
    if (!is_changed_) return absl::OkStatus();
    text = PrintState(state_, what_);
    is_changed_ = false;
    saved_ = absl::Now();
  }
  const int error = ReplaceFileText(file_, text);
  if (error == 0) return absl::OkStatus();
  absl::MutexLock lock(&mutex_);
  is_changed_ = true;
  return absl::UnavailableError(messages::MigrateStateUnwritten(file_, ErrnoReason(error)));
}

absl::Status StateFile::SaveNowAndThen() {
  {
    absl::MutexLock lock(&mutex_);
    if (!is_changed_ || absl::Now() - saved_ < kBetweenSaves) return absl::OkStatus();
  }
  return Save();
}

}  // namespace dynolith::migrate
