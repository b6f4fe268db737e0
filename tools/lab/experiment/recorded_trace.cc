#include "tools/lab/experiment/recorded_trace.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>

#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "tools/lab/experiment/experiment.h"
#include "tools/lab/experiment/messages.h"

namespace dynolith::lab {
namespace {

uint32_t Short(int64_t amount) {
  return static_cast<uint32_t>(
      std::clamp<int64_t>(amount, 0, std::numeric_limits<uint32_t>::max()));
}

bool IsOneOperation(trace::Operation operation) {
  return IsTransaction(operation) || operation == trace::Operation::kExecuteTransaction;
}

bool ReadsItems(trace::Operation operation) {
  return operation == trace::Operation::kGetItem || operation == trace::Operation::kBatchGetItem ||
         operation == trace::Operation::kTransactGetItems;
}

// Finds the items of a trace, and the size before and after each write of an item and its entries.
class ItemHistory {
 public:
  ItemHistory(const std::vector<trace::Resource>& resources, RecordedTrace* trace)
      : resources_(resources), trace_(*trace) {}

  // The uses of request `i`. An item's use of its table comes before those of its indexes.
  void Add(size_t i) {
    const trace::Operation operation = trace_.accesses[trace_.requests[i].access].operation;
    const bool deletes = operation == trace::Operation::kDeleteItem;
    owner_.reset();
    for (size_t j = trace_.requests[i].uses; j < trace_.UsesEnd(i); ++j) {
      const RecordedUse& use = trace_.uses[j];
      if (!use.has_key) continue;
      const Owner own = {use.resource, use.hash, use.has_sort ? use.sort : 0};
      const bool is_table = resources_[use.resource].index.empty();
      if (is_table) owner_ = own;
      if (use.kind == AccessKind::kWrite) {
        AddWrite(i, j, owner_.value_or(own), deletes);
      } else if (is_table && ReadsItems(operation) && use.bytes > 0) {
        FindOrAddItem(own, j, use.bytes);
      }
    }
  }

  // The first write of each item follows the last one of the round before.
  void CloseRound() {
    for (const Writes& writes : of_item_) {
      if (!writes.first) continue;
      trace_.writes[*writes.first].previous = writes.request;
      trace_.writes[*writes.first].bytes_before = trace_.writes[writes.last].bytes;
    }
  }

 private:
  // An item of a table.
  using Owner = std::tuple<uint32_t, uint64_t, uint64_t>;
  struct Writes {
    std::optional<uint32_t> first;
    uint32_t last = 0;
    uint32_t request = 0;  // of the last one
  };

  // The number of the item, or of its entry in an index, that use `j` uses.
  uint32_t FindOrAddItem(const Owner& owner, size_t j, uint32_t bytes_at_start) {
    const auto [at, is_new] = numbers_.try_emplace({owner, trace_.uses[j].resource},
                                                   static_cast<uint32_t>(trace_.items.size()));
    if (is_new) {
      trace_.items.push_back({.use = static_cast<uint32_t>(j), .bytes_at_start = bytes_at_start});
      of_item_.emplace_back();
    }
    return at->second;
  }

  void AddWrite(size_t request, size_t j, const Owner& owner, bool deletes) {
    RecordedUse& use = trace_.uses[j];
    // A deletion shows that the item existed.
    const uint32_t item = FindOrAddItem(owner, j, deletes ? use.bytes : 0);
    RecordedWrite write{.item = item, .bytes = deletes ? 0 : use.bytes};
    use.write = static_cast<uint32_t>(trace_.writes.size());
    Writes& writes = of_item_[item];
    if (writes.first) {
      write.previous = writes.request;
      write.bytes_before = trace_.writes[writes.last].bytes;
    } else {
      writes.first = use.write;
    }
    writes.last = use.write;
    writes.request = static_cast<uint32_t>(request);
    trace_.writes.push_back(write);
  }

  const std::vector<trace::Resource>& resources_;
  RecordedTrace& trace_;
  std::optional<Owner> owner_;  // of the uses that come
  // By the item, and the table itself or an index.
  absl::flat_hash_map<std::pair<Owner, uint32_t>, uint32_t> numbers_;
  std::vector<Writes> of_item_;  // by the same numbers as RecordedTrace::items
};

class TraceLoader {
 public:
  void Add(const trace::Request& request) {
    const size_t first = trace_.uses.size();
    for (const trace::Use& use : request.uses) {
      if (use.throttled) {
        ++trace_.throttled;
        continue;
      }
      AddUse(use, first);
    }
    if (trace_.uses.size() == first) return;
    const bool is_one = IsOneOperation(request.operation);
    for (size_t i = first; i < trace_.uses.size(); ++i) {
      trace_.uses[i].begins = i == first || (trace_.uses[i].begins && !is_one);
    }
    trace_.requests.push_back(
        {.at = request.at,
         .access = FindOrAddAccess(request.operation, trace_.uses[first].resource),
         .uses = static_cast<uint32_t>(first)});
  }

  RecordedTrace Finish(trace::TraceContents contents) {
    RankSortKeys();
    NameKeys(contents.resources);
    SortByTime();
    FollowItems(contents.resources);
    trace_.resources = std::move(contents.resources);
    trace_.has_plain_keys = contents.has_plain_keys;
    trace_.warnings = std::move(contents.warnings);
    return std::move(trace_);
  }

 private:
  void AddUse(const trace::Use& use, size_t first) {
    RecordedUse added;
    added.hash = use.hash;
    added.half_units = Short(use.half_units);
    added.bytes = Short(use.bytes);
    added.resource = use.resource;
    added.kind = use.kind;
    added.begins = use.begins;
    added.has_key = use.has_key;
    added.has_sort = use.has_sort;
    added.sort = use.sort_hash;
    if (use.has_sort && !use.sort_key.empty()) {
      added.sort =
          sort_keys_.try_emplace(std::string(use.sort_key), sort_keys_.size()).first->second;
      has_plain_sort_keys_ = true;
    }
    if (use.has_key && !use.partition_key.empty()) {
      plain_keys_.try_emplace(use.hash, use.resource, use.partition_key);
    }
    // Reads of all shards of a key in one request count as one read of the key.
    const bool joins = trace_.uses.size() > first && !use.begins && use.has_key &&
                       use.kind == AccessKind::kRead && trace_.uses.back().hash == use.hash &&
                       trace_.uses.back().resource == use.resource;
    if (!joins) return trace_.uses.push_back(added);
    RecordedUse& last = trace_.uses.back();
    last.half_units = Short(int64_t{last.half_units} + added.half_units);
    last.bytes = Short(int64_t{last.bytes} + added.bytes);
  }

  uint32_t FindOrAddAccess(trace::Operation operation, uint32_t resource) {
    const auto [at, is_new] = numbers_.try_emplace(std::pair(operation, resource),
                                                   static_cast<uint32_t>(trace_.accesses.size()));
    if (is_new) trace_.accesses.push_back({operation, resource});
    return at->second;
  }

  // Replaces numbers in the order of appearance by numbers in the order of the keys' bytes.
  void RankSortKeys() {
    if (!has_plain_sort_keys_) return;
    std::vector<std::pair<std::string_view, uint64_t>> sorted(sort_keys_.begin(), sort_keys_.end());
    std::sort(sorted.begin(), sorted.end());
    std::vector<uint64_t> ranks(sorted.size());
    for (size_t i = 0; i < sorted.size(); ++i) ranks[sorted[i].second] = i;
    for (RecordedUse& use : trace_.uses) {
      if (use.has_sort) use.sort = use.sort < ranks.size() ? ranks[use.sort] : use.sort;
    }
  }

  void NameKeys(const std::vector<trace::Resource>& resources) {
    for (const auto& [hash, key] : plain_keys_) {
      trace::Use use;
      use.hash = hash;
      use.partition_key = key.second;
      trace_.key_texts[hash] = trace::PartitionKeyText(resources[key.first], use);
    }
  }

  // Requests of several threads, and across blocks, are slightly out of order.
  void SortByTime() {
    std::vector<RecordedRequest>& requests = trace_.requests;
    const auto is_earlier = [](const RecordedRequest& left, const RecordedRequest& right) {
      return left.at < right.at;
    };
    if (!std::is_sorted(requests.begin(), requests.end(), is_earlier)) {
      std::vector<size_t> order(requests.size());
      std::iota(order.begin(), order.end(), 0);
      std::stable_sort(order.begin(), order.end(), [&](size_t left, size_t right) {
        return is_earlier(requests[left], requests[right]);
      });
      std::vector<RecordedRequest> sorted;
      std::vector<RecordedUse> uses;
      sorted.reserve(requests.size());
      uses.reserve(trace_.uses.size());
      for (const size_t i : order) {
        sorted.push_back(requests[i]);
        sorted.back().uses = static_cast<uint32_t>(uses.size());
        for (size_t j = requests[i].uses; j < trace_.UsesEnd(i); ++j) {
          uses.push_back(trace_.uses[j]);
        }
      }
      requests = std::move(sorted);
      trace_.uses = std::move(uses);
    }
    if (requests.empty()) return;
    const Micros first = requests.front().at;
    for (RecordedRequest& request : requests) request.at -= first;
    trace_.length = requests.back().at;
  }

  // From write to write of each item, and of each of its entries in an index.
  void FollowItems(const std::vector<trace::Resource>& resources) {
    ItemHistory history(resources, &trace_);
    for (size_t i = 0; i < trace_.requests.size(); ++i) history.Add(i);
    history.CloseRound();
  }

  RecordedTrace trace_;
  std::map<std::pair<trace::Operation, uint32_t>, uint32_t> numbers_;
  absl::flat_hash_map<std::string, uint64_t> sort_keys_;
  bool has_plain_sort_keys_ = false;
  // By hash: a resource that has it, and the key.
  absl::flat_hash_map<uint64_t, std::pair<uint32_t, std::string>> plain_keys_;
};

}  // namespace

std::string RecordedTrace::KeyText(uint64_t hash) const {
  const auto found = key_texts.find(hash);
  return found == key_texts.end() ? trace::HashText(hash) : found->second;
}

std::string ResourceName(const trace::Resource& resource) {
  return resource.index.empty() ? resource.table : Concat(resource.table, "/", resource.index);
}

absl::StatusOr<RequestsRead> ReadRequests(
    const std::string& file,
    absl::FunctionRef<absl::StatusOr<std::string>(const std::string& path)> read,
    const LogAssumptions& assumptions,
    absl::FunctionRef<void(const trace::Request& request)> visit) {
  DYNOLITH_ASSIGN_OR_RETURN(std::string text, read(file));
  RequestsRead result{.is_log = IsAccessLog(text)};
  const auto read_once = [&](const std::string& path) {
    return path == file ? absl::StatusOr<std::string>(std::move(text)) : read(path);
  };
  DYNOLITH_ASSIGN_OR_RETURN(result.contents, result.is_log
                                                 ? ReadAccessLog(file, text, assumptions, visit)
                                                 : trace::ReadTrace(file, read_once, visit));
  return result;
}

absl::StatusOr<std::shared_ptr<const RecordedTrace>> LoadTrace(
    const std::string& file,
    absl::FunctionRef<absl::StatusOr<std::string>(const std::string& path)> read,
    const LogAssumptions& assumptions) {
  TraceLoader loader;
  DYNOLITH_ASSIGN_OR_RETURN(
      RequestsRead requests,
      ReadRequests(file, read, assumptions, [&](const trace::Request& each) { loader.Add(each); }));
  auto loaded = std::make_shared<RecordedTrace>(loader.Finish(std::move(requests.contents)));
  loaded->is_log = requests.is_log;
  if (loaded->requests.empty()) {
    return absl::InvalidArgumentError(messages::TraceEmpty(file));
  }
  return std::shared_ptr<const RecordedTrace>(std::move(loaded));
}

}  // namespace dynolith::lab
