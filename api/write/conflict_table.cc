#include "api/write/conflict_table.h"

#include <utility>

namespace dynolith {

ConflictTable::Entry::Entry(Entry&& other) noexcept { *this = std::move(other); }

ConflictTable::Entry& ConflictTable::Entry::operator=(Entry&& other) noexcept {
  std::swap(table_, other.table_);
  std::swap(kind_, other.kind_);
  std::swap(row_keys_, other.row_keys_);
  return *this;
}

ConflictTable::Entry::~Entry() {
  if (table_ != nullptr) table_->Leave(*this);
}

ConflictTable::Entry ConflictTable::Enter(absl::Span<const std::string_view> row_keys, Kind kind,
                                          std::vector<size_t>* taken) {
  // Destroyed behind the lock, which its destructor takes.
  Entry entry;
  absl::MutexLock lock(&mutex_);
  for (size_t i = 0; i < row_keys.size(); ++i) {
    const auto it = rows_.find(std::string(row_keys[i]));
    if (it == rows_.end()) continue;
    const bool plain_conflicts = kind != Kind::kPlain && it->second.plain > 0;
    if (it->second.transaction || plain_conflicts) taken->push_back(i);
  }
  if (!taken->empty() || kind == Kind::kRead) return entry;
  entry.table_ = this;
  entry.kind_ = kind;
  entry.row_keys_.reserve(row_keys.size());
  for (const std::string_view row_key : row_keys) {
    std::string key(row_key);
    Holders& holders = rows_[key];
    entry.row_keys_.push_back(std::move(key));
    if (kind == Kind::kTransaction) {
      holders.transaction = true;
    } else {
      ++holders.plain;
    }
  }
  return entry;
}

void ConflictTable::Leave(const Entry& entry) {
  absl::MutexLock lock(&mutex_);
  for (const std::string& row_key : entry.row_keys_) {
    const auto it = rows_.find(row_key);
    if (entry.kind_ == Kind::kTransaction) {
      it->second.transaction = false;
    } else {
      --it->second.plain;
    }
    if (it->second.plain == 0 && !it->second.transaction) rows_.erase(it);
  }
}

}  // namespace dynolith
