#include "tools/server/trace/trace_recorder.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "engine/base/big_endian.h"
#include "engine/base/exceptions.h"
#include "engine/base/status_macros.h"
#include "engine/key/key_codec.h"
#include "engine/process/thread_start.h"

namespace dynolith::trace {
namespace {

// Between two writes; what is lost when the process is killed.
constexpr absl::Duration kPeriod = absl::Milliseconds(250);
// Of requests in one block; they lie in memory as a whole.
constexpr size_t kBlockRequests = 4'096;
constexpr size_t kBlockUses = 8'192;

// In a buffer, a request is this, followed by its uses, each with its key.
struct BufferedRequest {
  Micros at = 0;
  uint32_t bytes = 0;  // of the uses
  Operation operation = Operation::kOther;
};
struct BufferedUse {
  uint64_t id = 0;
  int64_t half_units = 0;
  int64_t size = 0;
  uint32_t key_bytes = 0;         // behind this
  uint32_t collection_bytes = 0;  // of these; 0: no key
  AccessKind kind = AccessKind::kRead;
  uint8_t limit = 0;  // 1 more than the limit; 0: charged
  bool begins = true;
  bool has_sort = false;
};

template <typename Record>
void AppendRecord(const Record& record, std::string* bytes) {
  bytes->append(reinterpret_cast<const char*>(&record), sizeof(record));
}
template <typename Record>
Record TakeRecord(std::string_view* bytes) {
  Record record;
  std::memcpy(&record, bytes->data(), sizeof(record));
  bytes->remove_prefix(sizeof(record));
  return record;
}

// The request that a thread works for.
struct RequestUnderWay {
  const TraceRecorder* recorder = nullptr;
  Operation operation = Operation::kOther;
  Micros at = 0;
  std::string uses;
};
RequestUnderWay& CurrentRequest() {
  thread_local RequestUnderWay current;
  return current;
}

// A table or index as this thread last defined it for its recorder: it is defined again when one of
// these members differs.
struct DefinedResource {
  bool on_demand = false;
  int64_t read_units = 0;
  int64_t write_units = 0;
  int64_t shards = 0;

  friend bool operator==(const DefinedResource&, const DefinedResource&) = default;
};
struct DefinedResources {
  uint64_t serial = 0;
  std::unordered_map<uint64_t, DefinedResource> by_id;
};
DefinedResources& DefinedByThread() {
  thread_local DefinedResources defined;
  return defined;
}

std::atomic<uint64_t> recorders = 0;
std::atomic<size_t> threads = 0;
size_t ThreadNumber() {
  thread_local const size_t number = threads.fetch_add(1, std::memory_order_relaxed);
  return number;
}

Micros Now() { return absl::GetCurrentTimeNanos() / 1'000; }

void AppendUse(const ObservedAccess& access, bool begins, std::string* bytes) {
  const ThroughputUse& use = *access.use;
  const bool has_key = use.partition_key_bytes > 0;
  const std::string_view key = has_key ? use.named_key : use.position.key;
  BufferedUse buffered;
  buffered.id = use.id;
  buffered.half_units = use.tokens * 2 / kTokensPerUnit;
  buffered.size = use.item_size;
  buffered.key_bytes = static_cast<uint32_t>(key.size());
  buffered.collection_bytes = static_cast<uint32_t>(use.partition_key_bytes);
  buffered.kind = use.kind;
  buffered.limit = access.limit ? static_cast<uint8_t>(*access.limit) + 1 : 0;
  buffered.begins = begins;
  buffered.has_sort = has_key && key.size() > use.partition_key_bytes;
  AppendRecord(buffered, bytes);
  bytes->append(key);
}

// `bytes` borrows the keys.
Use TakeUse(std::string_view* bytes, uint64_t* id) {
  const auto buffered = TakeRecord<BufferedUse>(bytes);
  const std::string_view key = bytes->substr(0, buffered.key_bytes);
  bytes->remove_prefix(buffered.key_bytes);
  *id = buffered.id;
  Use use;
  use.kind = buffered.kind;
  use.begins = buffered.begins;
  if (buffered.limit > 0) use.throttled = static_cast<ThroughputLimit>(buffered.limit - 1);
  use.half_units = buffered.half_units;
  use.bytes = buffered.size;
  // Of a table that is scanned from its beginning there is no position.
  if (key.size() >= kRowHashBytes) use.hash = ReadBigEndian(key);
  use.has_key = buffered.collection_bytes >= kRowHashBytes;
  if (!use.has_key) return use;
  use.partition_key = key.substr(kRowHashBytes, buffered.collection_bytes - kRowHashBytes);
  use.has_sort = buffered.has_sort;
  if (!use.has_sort) return use;
  use.sort_key = key.substr(buffered.collection_bytes);
  use.sort_hash = StableHash(use.sort_key);
  return use;
}

Resource ToResource(const ObservedAccess& access) {
  Resource resource;
  resource.table = access.table->name;
  if (access.index != nullptr) resource.index = access.index->name;
  resource.on_demand = access.on_demand;
  resource.units = access.units;
  resource.shards = access.index != nullptr ? access.index->shards : 1;
  resource.key = access.index != nullptr ? access.index->key : access.table->key;
  if (access.index == nullptr) {
    resource.local_indexes =
        std::count_if(access.table->indexes.begin(), access.table->indexes.end(),
                      [](const IndexSchema& index) { return index.kind == IndexKind::kLocal; });
  }
  return resource;
}

// Cuts requests into blocks.
class BlockMaker {
 public:
  // `resource_of`: by the id of the table or index.
  explicit BlockMaker(absl::FunctionRef<Resource(uint64_t)> resource_of)
      : resource_of_(resource_of) {}

  bool is_full() const { return block_.requests.size() >= kBlockRequests || uses_ >= kBlockUses; }
  bool is_empty() const { return block_.requests.empty() && block_.dropped == 0; }
  void SetDropped(uint64_t dropped) { block_.dropped = dropped; }
  void Add(const BufferedRequest& request, std::string_view uses) {
    Request& added = block_.requests.emplace_back();
    added.at = request.at;
    added.operation = request.operation;
    while (!uses.empty()) {
      uint64_t id = 0;
      Use use = TakeUse(&uses, &id);
      use.resource = FindNumber(id);
      added.uses.push_back(use);
      ++uses_;
    }
  }
  std::string Take(bool plain) {
    std::string bytes;
    EncodeBlock(block_, plain, &bytes);
    block_ = {};
    numbers_.clear();
    uses_ = 0;
    return bytes;
  }

 private:
  uint32_t FindNumber(uint64_t id) {
    const auto [at, is_new] =
        numbers_.try_emplace(id, static_cast<uint32_t>(block_.resources.size()));
    if (is_new) block_.resources.push_back(resource_of_(id));
    return at->second;
  }

  const absl::FunctionRef<Resource(uint64_t)> resource_of_;
  std::unordered_map<uint64_t, uint32_t> numbers_;
  Block block_;
  size_t uses_ = 0;
};

}  // namespace

// --- on a request's way

void TraceRecorder::BeginCall(std::string_view operation) {
  RequestUnderWay& current = CurrentRequest();
  current.recorder = this;
  current.operation = OperationNamed(operation);
  current.at = Now();
  current.uses.clear();
}

void TraceRecorder::EndCall(const ObservedEnd& end) {
  RequestUnderWay& current = CurrentRequest();
  current.recorder = nullptr;
  if (!end.given_up && !current.uses.empty()) Add(current.at, current.operation, current.uses);
}

void TraceRecorder::NoteAccesses(absl::Span<const ObservedAccess> accesses) {
  if (is_failed_.load(std::memory_order_relaxed)) return;
  RequestUnderWay& current = CurrentRequest();
  std::string alone;
  std::string* const uses = current.recorder == this ? &current.uses : &alone;
  for (const ObservedAccess& access : accesses) {
    Define(access);
    AppendUse(access, &access == accesses.data(), uses);
  }
  if (!alone.empty()) Add(Now(), Operation::kOther, alone);
}

void TraceRecorder::Define(const ObservedAccess& access) {
  DefinedResources& defined = DefinedByThread();
  if (defined.serial != serial_) {
    defined.by_id.clear();
    defined.serial = serial_;
  }
  const DefinedResource is = {access.on_demand, access.units.read, access.units.write,
                              access.index != nullptr ? access.index->shards : 1};
  DefinedResource& was = defined.by_id[access.use->id];
  if (was == is) return;
  was = is;
  Resource resource = ToResource(access);
  absl::MutexLock lock(&mutex_);
  resources_[access.use->id] = std::move(resource);
}

void TraceRecorder::Add(Micros at, Operation operation, std::string_view uses) {
  Buffer& buffer = buffers_[ThreadNumber() % buffers_.size()];
  const size_t bytes = sizeof(BufferedRequest) + uses.size();
  const size_t half = options_.buffer_bytes_max / 2;
  bool is_half_full = false;
  {
    absl::MutexLock lock(&buffer.mutex);
    const size_t before = buffer.bytes.size();
    if (before + bytes > options_.buffer_bytes_max) {
      dropped_.fetch_add(1, std::memory_order_relaxed);
      return;
    }
    AppendRecord(BufferedRequest{at, static_cast<uint32_t>(uses.size()), operation}, &buffer.bytes);
    buffer.bytes.append(uses);
    is_half_full = before < half && before + bytes >= half;
  }
  if (!is_half_full) return;
  absl::MutexLock lock(&mutex_);
  is_wanted_ = true;
}

// --- beside them

absl::StatusOr<std::unique_ptr<TraceRecorder>> TraceRecorder::Start(
    const RecorderOptions& options) {
  RecorderOptions own = options;
  own.files.run = static_cast<uint64_t>(absl::GetCurrentTimeNanos());
  DYNOLITH_ASSIGN_OR_RETURN(TraceFiles files, TraceFiles::Open(own.files));
  std::unique_ptr<TraceRecorder> recorder(new TraceRecorder(own, std::move(files)));
  DYNOLITH_RETURN_IF_ERROR(
      StartThread([running = recorder.get()] { running->Run(); }, &recorder->writer_));
  return recorder;
}

TraceRecorder::TraceRecorder(const RecorderOptions& options, TraceFiles files)
    : options_(options),
      serial_(recorders.fetch_add(1, std::memory_order_relaxed) + 1),
      files_(std::move(files)) {}

TraceRecorder::~TraceRecorder() {
  {
    absl::MutexLock lock(&mutex_);
    is_ending_ = true;
  }
  if (writer_.joinable()) writer_.join();
}

void TraceRecorder::Run() {
  const auto is_called = [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return is_wanted_ || is_ending_;
  };
  for (bool is_ending = false; !is_ending;) {
    {
      absl::MutexLock lock(&mutex_);
      mutex_.AwaitWithTimeout(absl::Condition(&is_called), kPeriod);
      is_wanted_ = false;
      is_ending = is_ending_;
    }
    WriteAll();
  }
}

void TraceRecorder::WriteAll() {
  const absl::Status status = CatchThrown([this] { return WriteTaken(); });
  if (status.ok()) return;
  is_failed_ = true;
  if (!options_.fail) return;
  const auto tell = [&] {
    options_.fail(status);
    return absl::OkStatus();
  };
  CatchThrown(tell).IgnoreError();
}

absl::Status TraceRecorder::WriteTaken() {
  std::vector<std::string> taken(buffers_.size());
  for (size_t i = 0; i < buffers_.size(); ++i) {
    absl::MutexLock lock(&buffers_[i].mutex);
    taken[i].reserve(buffers_[i].bytes.size());
    std::swap(taken[i], buffers_[i].bytes);
  }
  if (is_failed_.load(std::memory_order_relaxed)) return absl::OkStatus();
  return WriteBlocks(taken);
}

absl::Status TraceRecorder::WriteBlocks(const std::vector<std::string>& taken) {
  std::vector<std::pair<BufferedRequest, std::string_view>> requests;
  for (const std::string& buffer : taken) {
    for (std::string_view rest = buffer; !rest.empty();) {
      const auto request = TakeRecord<BufferedRequest>(&rest);
      requests.emplace_back(request, rest.substr(0, request.bytes));
      rest.remove_prefix(request.bytes);
    }
  }
  std::stable_sort(requests.begin(), requests.end(), [](const auto& left, const auto& right) {
    return left.first.at < right.first.at;
  });
  const auto resource_of = [this](uint64_t id) {
    absl::MutexLock lock(&mutex_);
    return resources_[id];
  };
  BlockMaker maker(resource_of);
  const uint64_t dropped = this->dropped();
  maker.SetDropped(dropped - std::exchange(told_dropped_, dropped));
  for (const auto& [request, uses] : requests) {
    maker.Add(request, uses);
    if (!maker.is_full()) continue;
    DYNOLITH_RETURN_IF_ERROR(files_.Append(maker.Take(options_.files.plain_keys)));
  }
  if (maker.is_empty()) return absl::OkStatus();
  return files_.Append(maker.Take(options_.files.plain_keys));
}

}  // namespace dynolith::trace
