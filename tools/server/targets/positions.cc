#include "tools/server/targets/positions.h"

#include <cerrno>

#include "absl/strings/numbers.h"
#include "engine/base/errno_status.h"
#include "engine/base/errors.h"
#include "engine/base/file_text.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/text/json_tree.h"
#include "tools/files/table/checked_json.h"
#include "tools/files/table/json_parts.h"
#include "tools/server/targets/messages.h"

namespace dynolith::targets {
namespace {

using designs::MapTree;
using designs::MemberText;
using designs::SetMember;
using designs::TextTree;
using designs::WordTree;

constexpr std::string_view kVersionMember = "dynolith_targets";
constexpr std::string_view kVersion = "1";

JsonTree LaneTree(const LaneKey& key, const LanePosition& position) {
  JsonTree tree = MapTree();
  SetMember(&tree, "shard", TextTree(key.shard));
  SetMember(&tree, "lane", WordTree(Concat(key.lane)));
  SetMember(&tree, "of", WordTree(Concat(key.of)));
  SetMember(&tree, "next", TextTree(SequenceText(position.next)));
  SetMember(&tree, "done", WordTree(position.done ? "true" : "false"));
  if (position.window) {
    SetMember(&tree, "window", WordTree(Concat(*position.window)));
    SetMember(&tree, "state", TextTree(position.state));
  }
  return tree;
}

absl::Status Damaged() { return absl::InvalidArgumentError(messages::PositionsDamaged()); }

absl::Status ReadLane(const JsonTree& tree, MappingPosition* mapping) {
  LaneKey key;
  LanePosition position;
  key.shard = MemberText(tree.Find("shard"));
  const std::optional<SequenceNumber> next = ParseSequenceText(MemberText(tree.Find("next")));
  const std::string_view done = MemberText(tree.Find("done"));
  const bool is_sound = absl::SimpleAtoi(ToAbsl(MemberText(tree.Find("lane"))), &key.lane) &&
                        absl::SimpleAtoi(ToAbsl(MemberText(tree.Find("of"))), &key.of) &&
                        !key.shard.empty() && next && (done == "true" || done == "false");
  if (!is_sound) return Damaged();
  position.next = *next;
  position.done = done == "true";
  if (const JsonTree* const window = tree.Find("window")) {
    int64_t start = 0;
    if (!absl::SimpleAtoi(window->text, &start)) return Damaged();
    position.window = start;
    position.state = MemberText(tree.Find("state"));
  }
  mapping->lanes[key] = position;
  return absl::OkStatus();
}

}  // namespace

std::string PrintPositions(const AllPositions& positions) {
  JsonTree list = designs::ListTree();
  for (const auto& [key, mapping] : positions) {
    JsonTree tree = MapTree();
    SetMember(&tree, "table", TextTree(key.first));
    SetMember(&tree, "target", TextTree(key.second));
    if (mapping.begin) SetMember(&tree, "begin", TextTree(SequenceText(*mapping.begin)));
    JsonTree lanes = designs::ListTree();
    for (const auto& [lane, position] : mapping.lanes) {
      lanes.elements.push_back(LaneTree(lane, position));
    }
    SetMember(&tree, "lanes", std::move(lanes));
    list.elements.push_back(std::move(tree));
  }
  JsonTree tree = MapTree();
  SetMember(&tree, kVersionMember, WordTree(kVersion));
  SetMember(&tree, "mappings", std::move(list));
  return designs::PrintChecked(tree);
}

absl::StatusOr<AllPositions> ParsePositions(std::string_view text) {
  const std::optional<std::string> content = designs::WithoutChecksum(text);
  if (!content) return Damaged();
  const std::optional<JsonTree> tree = ParseJson(*content, designs::kJsonDepthMax);
  if (!tree || MemberText(tree->Find(kVersionMember)) != kVersion) return Damaged();
  const JsonTree* const list = tree->Find("mappings");
  if (list == nullptr) return Damaged();
  AllPositions all;
  for (const JsonTree& each : list->elements) {
    const JsonTree* const lanes = each.Find("lanes");
    if (lanes == nullptr) return Damaged();
    MappingPosition& mapping = all[{std::string(MemberText(each.Find("table"))),
                                    std::string(MemberText(each.Find("target")))}];
    if (const JsonTree* const begin = each.Find("begin")) {
      mapping.begin = ParseSequenceText(begin->text);
      if (!mapping.begin) return Damaged();
    }
    for (const JsonTree& lane : lanes->elements) {
      DYNOLITH_RETURN_IF_ERROR(ReadLane(lane, &mapping));
    }
  }
  return all;
}

absl::StatusOr<std::unique_ptr<Positions>> Positions::Open(const std::string& file) {
  std::unique_ptr<Positions> positions(new Positions(file));
  if (file.empty()) return positions;
  const FileText text = ReadFileText(file);
  if (text.error == ENOENT) return positions;
  if (text.error != 0) {
    return absl::FailedPreconditionError(messages::PositionsFile(file, ErrnoReason(text.error)));
  }
  absl::StatusOr<AllPositions> all = ParsePositions(text.text);
  if (!all.ok()) {
    return absl::FailedPreconditionError(messages::PositionsFile(file, MessageOf(all.status())));
  }
  absl::MutexLock lock(&positions->mutex_);
  positions->all_ = *std::move(all);
  return positions;
}

MappingPosition Positions::Get(const MappingKey& mapping) const {
  absl::MutexLock lock(&mutex_);
  const auto found = all_.find(mapping);
  return found == all_.end() ? MappingPosition() : found->second;
}

absl::Status Positions::SetBegin(const MappingKey& mapping, SequenceNumber begin) {
  absl::MutexLock lock(&mutex_);
  all_[mapping].begin = begin;
  is_changed_ = true;
  return Write();
}

absl::Status Positions::Set(const MappingKey& mapping, const LaneKey& lane,
                            const LanePosition& position, bool keep) {
  absl::MutexLock lock(&mutex_);
  all_[mapping].lanes[lane] = position;
  is_changed_ = true;
  return keep ? Write() : absl::OkStatus();
}

void Positions::Forget(const MappingKey& mapping, const LaneKey& lane) {
  absl::MutexLock lock(&mutex_);
  const auto found = all_.find(mapping);
  if (found == all_.end()) return;
  is_changed_ = found->second.lanes.erase(lane) > 0 || is_changed_;
  // It says nothing any more.
  if (found->second.lanes.empty() && !found->second.begin) all_.erase(found);
}

absl::Status Positions::Keep() {
  absl::MutexLock lock(&mutex_);
  return is_changed_ ? Write() : absl::OkStatus();
}

absl::Status Positions::Write() {
  if (file_.empty()) return absl::OkStatus();
  const int error = ReplaceFileText(file_, PrintPositions(all_));
  if (error != 0) {
    return absl::UnavailableError(messages::PositionsFile(file_, ErrnoReason(error)));
  }
  is_changed_ = false;
  return absl::OkStatus();
}

}  // namespace dynolith::targets
