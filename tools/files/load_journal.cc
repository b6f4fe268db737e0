#include "tools/files/load_journal.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <fstream>
#include <optional>
#include <utility>

#include "engine/base/errno_status.h"
#include "engine/base/file_text.h"
#include "tools/files/items/messages.h"
#include "tools/files/messages.h"
#include "tools/files/table/json_parts.h"

namespace dynolith::designs {
namespace {

std::optional<uint64_t> ToCount(const JsonTree* tree) {
  const std::string_view text = MemberText(tree);
  uint64_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return count;
}

bool Has(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

JsonTree NamesTree(const std::vector<std::string>& names) {
  JsonTree list = ListTree();
  for (const std::string& name : names) list.elements.push_back(TextTree(name));
  return list;
}

absl::Status Foreign() { return absl::InvalidArgumentError(messages::DesignJournalForeign()); }

}  // namespace

absl::Status LoadJournal::Open(std::string file, JsonTree load) {
  file_ = std::move(file);
  load_ = std::move(load);
  const FileText read = ReadFileText(file_);
  if (read.error == ENOENT) return Write();
  if (read.error != 0) {
    return absl::InvalidArgumentError(messages::DesignCannotRead(ErrnoReason(read.error)));
  }
  return Read(read.text);
}

absl::Status LoadJournal::Read(std::string_view text) {
  const std::optional<JsonTree> tree = ParseJson(text, kJsonDepthMax);
  if (!tree) return Foreign();
  const JsonTree* const load = tree->Find("load");
  const JsonTree* const made = tree->Find("made");
  if (load == nullptr || made == nullptr) return Foreign();
  if (PrintJson(*load) != PrintJson(load_)) {
    return absl::InvalidArgumentError(messages::DesignJournalOfOther());
  }
  for (const JsonTree& table : made->elements) made_.push_back(table.text);
  if (const JsonTree* const whole = tree->Find("whole")) {
    for (const JsonTree& table : whole->elements) whole_.push_back(table.text);
  }
  is_at_items_ = tree->Find("part") != nullptr;
  if (!is_at_items_) return absl::OkStatus();
  const std::optional<uint64_t> part = ToCount(tree->Find("part"));
  const std::optional<uint64_t> record = ToCount(tree->Find("record"));
  if (!part || !record) return Foreign();
  position_ = {*part, *record};
  return absl::OkStatus();
}

absl::Status LoadJournal::Write() const {
  if (file_.empty()) return absl::OkStatus();
  JsonTree tree = MapTree();
  SetMember(&tree, "load", load_);
  SetMember(&tree, "made", NamesTree(made_));
  SetMember(&tree, "whole", NamesTree(whole_));
  if (is_at_items_) {
    SetMember(&tree, "part", WordTree(std::to_string(position_.part)));
    SetMember(&tree, "record", WordTree(std::to_string(position_.record)));
  }
  const std::string temporary = file_ + ".new";
  std::ofstream out(temporary, std::ios::binary | std::ios::trunc);
  out << PrintJson(tree) << '\n';
  out.close();
  if (out && std::rename(temporary.c_str(), file_.c_str()) == 0) return absl::OkStatus();
  const int error = errno;
  std::remove(temporary.c_str());
  return absl::InvalidArgumentError(messages::DesignJournalUnwritten(ErrnoReason(error)));
}

bool LoadJournal::HasMade(std::string_view table) const { return Has(made_, table); }

bool LoadJournal::IsWhole(std::string_view table) const { return Has(whole_, table); }

absl::Status LoadJournal::AddMade(const std::string& table, bool is_whole) {
  made_.push_back(table);
  if (is_whole) whole_.push_back(table);
  return Write();
}

absl::Status LoadJournal::SetPosition(const LoadPosition& position) {
  is_at_items_ = true;
  position_ = position;
  return Write();
}

void LoadJournal::Remove() {
  if (!file_.empty()) std::remove(file_.c_str());
}

}  // namespace dynolith::designs
