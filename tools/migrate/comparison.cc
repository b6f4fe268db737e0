#include "tools/migrate/comparison.h"

#include <atomic>
#include <functional>
#include <map>
#include <optional>

#include "absl/synchronization/mutex.h"
#include "api/remote/signature.h"
#include "engine/base/errors.h"
#include "engine/base/limits.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/text/json_string.h"
#include "tools/files/table/json_parts.h"
#include "tools/migrate/item_writes.h"
#include "tools/migrate/messages.h"
#include "tools/migrate/table_scan.h"

namespace dynolith::migrate {
namespace {

uint64_t Word(const http::Digest& digest, size_t at) {
  uint64_t word = 0;
  for (size_t i = 0; i < sizeof(word); ++i) word = word << 8 | digest[at + i];
  return word;
}

struct Entry {
  std::string text;  // canonical
  JsonTree item;
};
// By the canonical text of the key.
using Entries = std::map<std::string, Entry>;

class Comparing {
 public:
  Comparing(Work* work, const TableSource& source, Verify verify)
      : work_(work), source_(source), verify_(verify) {}

  absl::StatusOr<TableComparison> Run() {
    TableComparison result;
    if (verify_ == Verify::kCount && !HasExcerpt()) {
      DYNOLITH_ASSIGN_OR_RETURN(result.from_items, Count(work_->from(), work_->reads()));
      DYNOLITH_ASSIGN_OR_RETURN(result.to_items, Count(work_->to(), &to_reads_));
      return result;
    }
    ItemSums from;
    ItemSums to;
    DYNOLITH_RETURN_IF_ERROR(
        ScanBoth([&](bool is_from, const std::string& key, const JsonTree& item) {
          (is_from ? &from : &to)->Add(key, CanonicalText(item));
        }));
    result.refused = refused_;
    result.from_items = from.count();
    result.to_items = to.count();
    if (verify_ == Verify::kCount) return result;
    const std::set<size_t> parts = from.Difference(to);
    if (!parts.empty()) {
      DYNOLITH_RETURN_IF_ERROR(FindDifferences(parts, &result.differences));
    } else if (verify_ == Verify::kFull) {
      DYNOLITH_RETURN_IF_ERROR(CompareEach(&result.differences));
    }
    return result;
  }

 private:
  // Of one item of a side, as TO has it. Called by one thread at a time.
  using Visit = std::function<void(bool is_from, const std::string& key, const JsonTree& item)>;

  bool HasExcerpt() const { return !work_->options().excerpt.IsAll(); }

  ScanOptions Scan(size_t segment) const {
    const size_t segments = work_->options().segments;
    return {
        .table = source_.name,
        .segment = segment,
        .segments = segments,
        .after = "",
        .items_max = PageItems(work_->options().read_rate, segments, source_.items, source_.bytes)};
  }

  absl::StatusOr<uint64_t> Count(Side* side, RateLimiter* limiter) {
    std::atomic<uint64_t> count = 0;
    DYNOLITH_RETURN_IF_ERROR(work_->Together(work_->options().segments, [&](size_t number) {
      Side::Caller caller = side->Connect();
      ScanOptions scan = Scan(number);
      scan.counts_only = true;
      return ScanSegment(side, &caller, scan, limiter, [&](ScanPage* page) {
        count += page->count;
        *work_->done() += page->count;
        return absl::OkStatus();
      });
    }));
    return count.load();
  }

  // What FROM has, as TO should have it.
  std::optional<JsonTree> Expected(JsonTree item) {
    absl::StatusOr<std::optional<JsonTree>> changed =
        work_->changes()->Change(source_.keys, std::move(item));
    if (changed.ok()) return *std::move(changed);
    if (!is_said_) {
      work_->Refuse(source_.name, messages::MigrateRule(source_.name, MessageOf(changed.status())));
    }
    ++refused_;
    return std::nullopt;
  }

  absl::Status ScanBoth(const Visit& visit) {
    refused_ = 0;
    const size_t segments = work_->options().segments;
    absl::Mutex mutex;
    absl::Status scanned = work_->Together(2 * segments, [&](size_t number) {
      const bool is_from = number % 2 == 0;
      Side* const side = is_from ? work_->from() : work_->to();
      Side::Caller caller = side->Connect();
      return ScanSegment(side, &caller, Scan(number / 2), is_from ? work_->reads() : &to_reads_,
                         [&](ScanPage* page) {
                           *work_->done() += page->count;
                           for (JsonTree& item : page->items) {
                             VisitItem(is_from, std::move(item), &mutex, visit);
                           }
                           return absl::OkStatus();
                         });
    });
    is_said_ = true;
    return scanned;
  }
  void VisitItem(bool is_from, JsonTree item, absl::Mutex* mutex, const Visit& visit) {
    std::optional<JsonTree> expected = is_from ? Expected(std::move(item)) : std::move(item);
    if (!expected) return;
    const std::string key = CanonicalText(KeyOf(source_.keys, *expected));
    absl::MutexLock lock(mutex);
    visit(is_from, key, *expected);
  }

  absl::Status FindDifferences(const std::set<size_t>& parts,
                               std::vector<ItemDifference>* differences) {
    Entries from;
    Entries to;
    DYNOLITH_RETURN_IF_ERROR(
        ScanBoth([&](bool is_from, const std::string& key, const JsonTree& item) {
          if (parts.count(ItemSums::PartOf(key)) == 0) return;
          (is_from ? &from : &to)->insert_or_assign(key, Entry{CanonicalText(item), item});
        }));
    for (const auto& [key, entry] : from) {
      const auto other = to.find(key);
      if (other != to.end() && other->second.text == entry.text) continue;
      differences->push_back(
          {other == to.end() ? ItemDifference::Kind::kMissing : ItemDifference::Kind::kOther,
           entry.item});
    }
    for (const auto& [key, entry] : to) {
      if (from.count(key) > 0) continue;
      differences->push_back({ItemDifference::Kind::kExtra, KeyOf(source_.keys, entry.item)});
    }
    return absl::OkStatus();
  }

  // Reads each item that TO should have by its key.
  absl::Status CompareEach(std::vector<ItemDifference>* differences) {
    absl::Mutex mutex;
    return work_->Together(work_->options().segments, [&](size_t number) {
      Side::Caller from = work_->from()->Connect();
      Side::Caller to = work_->to()->Connect();
      return ScanSegment(
          work_->from(), &from, Scan(number), work_->reads(), [&](ScanPage* page) -> absl::Status {
            Entries expected;
            for (JsonTree& item : page->items) {
              std::optional<JsonTree> each = Expected(std::move(item));
              if (!each) continue;
              const JsonTree key = KeyOf(source_.keys, *each);
              expected[CanonicalText(key)] = {CanonicalText(*each), key};
              if (expected.size() < kBatchGetKeysMax) continue;
              DYNOLITH_RETURN_IF_ERROR(CompareBatch(&to, expected, &mutex, differences));
              expected.clear();
            }
            *work_->done() += page->count;
            return CompareBatch(&to, expected, &mutex, differences);
          });
    });
  }

  // `expected`: with keys as items.
  absl::Status CompareBatch(Side::Caller* to, const Entries& expected, absl::Mutex* mutex,
                            std::vector<ItemDifference>* differences) {
    Entries left = expected;
    std::string keys;
    for (const auto& [text, entry] : expected) {
      keys += keys.empty() ? "" : ",";
      keys += PrintJson(entry.item);
    }
    std::string table;
    AppendJsonString(source_.name, &table);
    for (int look = 1; !keys.empty(); ++look) {
      if (look > 1) client::WaitBeforeLook(look);
      const std::string body =
          Concat(R"({"RequestItems":{)", table, R"(:{"ConsistentRead":true,"Keys":[)", keys,
                 R"(]}},"ReturnConsumedCapacity":"TOTAL"})");
      if (!to_reads_.Await(work_->to()->is_over())) {
        return absl::CancelledError(messages::MigrateStopped());
      }
      const client::ServiceAnswer answer = to->Call("BatchGetItem", body, &to_reads_);
      if (!answer.error.empty()) return work_->to()->ToStatus("BatchGetItem", answer);
      to_reads_.Charge(ConsumedUnits(answer.output, static_cast<double>(expected.size())));
      RemoveEqual(answer.output, &left);
      keys = UnprocessedKeys(answer.output);
    }
    absl::MutexLock lock(mutex);
    for (auto& [text, entry] : left) {
      differences->push_back({ItemDifference::Kind::kOther, std::move(entry.item)});
    }
    return absl::OkStatus();
  }
  void RemoveEqual(const JsonTree& output, Entries* left) const {
    const JsonTree* const responses = output.Find("Responses");
    const JsonTree* const items = responses == nullptr ? nullptr : responses->Find(source_.name);
    if (items == nullptr) return;
    for (const JsonTree& item : items->elements) {
      const auto found = left->find(CanonicalText(KeyOf(source_.keys, item)));
      if (found != left->end() && found->second.text == CanonicalText(item)) left->erase(found);
    }
  }
  std::string UnprocessedKeys(const JsonTree& output) const {
    const JsonTree* const tables = output.Find("UnprocessedKeys");
    const JsonTree* const table = tables == nullptr ? nullptr : tables->Find(source_.name);
    const JsonTree* const keys = table == nullptr ? nullptr : table->Find("Keys");
    std::string left;
    if (keys == nullptr) return left;
    for (const JsonTree& key : keys->elements) {
      left += left.empty() ? "" : ",";
      left += PrintJson(key);
    }
    return left;
  }

  Work* const work_;
  const TableSource& source_;
  const Verify verify_;
  RateLimiter to_reads_{work_->options().read_rate};
  std::atomic<uint64_t> refused_ = 0;
  bool is_said_ = false;  // what rules refuse; not changed while threads run
};

}  // namespace

size_t ItemSums::PartOf(std::string_view key) {
  return static_cast<size_t>(Word(http::Sha256(key), 0) % kParts);
}

void ItemSums::Add(const std::string& key, const std::string& item) {
  constexpr size_t kHigh = 8;
  const http::Digest digest = http::Sha256(item);
  Part& part = parts_[PartOf(key)];
  ++part.count;
  part.low += Word(digest, 0);
  part.high += Word(digest, kHigh);
}

uint64_t ItemSums::count() const {
  uint64_t count = 0;
  for (const Part& part : parts_) count += part.count;
  return count;
}

std::set<size_t> ItemSums::Difference(const ItemSums& other) const {
  std::set<size_t> different;
  for (size_t i = 0; i < kParts; ++i) {
    if (parts_[i] != other.parts_[i]) different.insert(i);
  }
  return different;
}

absl::StatusOr<TableComparison> CompareTable(Work* work, const TableSource& source, Verify verify) {
  return Comparing(work, source, verify).Run();
}

absl::Status WriteDifferences(Work* work, const TableSource& source,
                              const std::vector<ItemDifference>& differences, bool deletes) {
  std::vector<ItemWrite> writes;
  for (const ItemDifference& difference : differences) {
    const bool is_deletion = difference.kind == ItemDifference::Kind::kExtra;
    if (is_deletion && !deletes) continue;
    writes.push_back({is_deletion, difference.tree});
  }
  Side::Caller caller = work->to()->Connect();
  return WriteItems(work, &caller, source.keys, writes);
}

}  // namespace dynolith::migrate
