#include "tools/lab/recorded_trace.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include "engine/base/messages/trace.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"

namespace dynolith::lab {
namespace {

uint32_t Short(int64_t amount) {
  return static_cast<uint32_t>(
      std::clamp<int64_t>(amount, 0, std::numeric_limits<uint32_t>::max()));
}

bool IsTransaction(trace::Operation operation) {
  return operation == trace::Operation::kTransactGetItems ||
         operation == trace::Operation::kTransactWriteItems ||
         operation == trace::Operation::kExecuteTransaction;
}

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
    const bool is_one = IsTransaction(request.operation);
    for (size_t i = first; i < trace_.uses.size(); ++i) {
      trace_.uses[i].begins = i == first || (trace_.uses[i].begins && !is_one);
    }
    trace_.requests.push_back({.at = request.at,
                               .access = AccessOf(request.operation, trace_.uses[first].resource),
                               .uses = static_cast<uint32_t>(first)});
  }

  RecordedTrace Finish(trace::TraceContents contents) {
    RankSortKeys();
    NameKeys(contents.resources);
    SortByTime();
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
    // The shards of a key that were asked together are one read of it.
    const bool joins = trace_.uses.size() > first && !use.begins && use.has_key &&
                       use.kind == AccessKind::kRead && trace_.uses.back().hash == use.hash &&
                       trace_.uses.back().resource == use.resource;
    if (!joins) return trace_.uses.push_back(added);
    RecordedUse& last = trace_.uses.back();
    last.half_units = Short(int64_t{last.half_units} + added.half_units);
    last.bytes = Short(int64_t{last.bytes} + added.bytes);
  }

  uint32_t AccessOf(trace::Operation operation, uint32_t resource) {
    const auto [at, is_new] = numbers_.try_emplace(std::pair(operation, resource),
                                                   static_cast<uint32_t>(trace_.accesses.size()));
    if (is_new) trace_.accesses.push_back({operation, resource});
    return at->second;
  }

  // Numbers in the order of the keys' bytes, in place of those in the order of their coming.
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

  // Of several threads, and from write to write, they come a little out of order.
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

absl::StatusOr<std::shared_ptr<const RecordedTrace>> LoadTrace(
    const std::string& file,
    absl::FunctionRef<absl::StatusOr<std::string>(const std::string& path)> read) {
  TraceLoader loader;
  DYNOLITH_ASSIGN_OR_RETURN(
      trace::TraceContents contents,
      trace::ReadTrace(file, read, [&](const trace::Request& request) { loader.Add(request); }));
  auto loaded = std::make_shared<RecordedTrace>(loader.Finish(std::move(contents)));
  if (loaded->requests.empty()) {
    return absl::InvalidArgumentError(messages::TraceEmpty(file));
  }
  return std::shared_ptr<const RecordedTrace>(std::move(loaded));
}

}  // namespace dynolith::lab
