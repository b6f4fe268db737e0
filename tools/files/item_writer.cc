#include "tools/files/item_writer.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <string_view>
#include <thread>
#include <utility>

#include "engine/base/errors.h"
#include "engine/base/exceptions.h"
#include "engine/base/limits.h"
#include "engine/base/strings.h"
#include "engine/process/thread_start.h"
#include "engine/text/json_string.h"
#include "tools/files/messages.h"
#include "tools/files/table/json_parts.h"

namespace dynolith::designs {
namespace {

// Well below the limit of a request's body.
constexpr size_t kBatchBytesMax = 4 << 20;
// Batches that may wait for one connection.
constexpr size_t kWaitingMax = 8;

std::string KeyText(const std::vector<std::string>& key_attributes, const JsonTree& item) {
  std::string key;
  for (const std::string& name : key_attributes) {
    if (const JsonTree* value = item.Find(name)) key += PrintJson(*value);
    key += '\n';
  }
  return key;
}

// The input of DeleteItem, or of PutItem with conditions, which are not written in batches.
JsonTree MakeWriteCall(const std::string& table, const JsonTree& item, const ItemWrite& write) {
  JsonTree input = write.conditions;
  input.kind = JsonTree::Kind::kMap;
  SetMember(&input, "TableName", TextTree(table));
  SetMember(&input, write.is_deletion ? "Key" : "Item", item);
  return input;
}

// Whether the call failed only because it is not repeated any more.
bool IsGivenUp(const client::ServiceAnswer& answer) {
  return client::IsPatienceOver() && !answer.error.empty() &&
         client::KindOfFailure(answer.status, answer.error) != client::FailureKind::kFinal;
}

void AppendName(std::string_view name, std::string* body) {
  AppendJsonString(name, body);
  *body += ':';
}

}  // namespace

// A connection with its thread and the batches that wait for it.
class ItemWriter::Lane {
 public:
  Lane(ItemWriter* writer, std::unique_ptr<client::ServiceConnection> connection)
      : writer_(writer), connection_(std::move(connection)) {}
  // Batches that wait are still written.
  ~Lane() {
    End();
    if (thread_.joinable()) thread_.join();
  }
  absl::Status Start() {
    return StartThread([this] { Run(); }, &thread_);
  }

  void Add(const std::string& table, Item item, const LoadPosition& position) {
    const bool is_twice = std::any_of(open_.items.begin(), open_.items.end(),
                                      [&](const Item& other) { return other.key == item.key; });
    const bool is_call = !item.operation.empty();
    const bool is_full = open_.items.size() == kBatchWriteRequestsMax ||
                         open_.bytes + item.json.size() > kBatchBytesMax;
    if (is_twice || is_full || is_call || open_.table != table) Flush();
    if (open_.items.empty()) open_.first = position;
    open_.table = table;
    open_.bytes += item.json.size();
    open_.items.push_back(std::move(item));
    if (is_call) Flush();
  }
  void Flush() {
    if (open_.items.empty()) return;
    absl::MutexLock lock(&mutex_);
    mutex_.Await(absl::Condition(this, &Lane::HasRoom));
    waiting_.push_back(std::exchange(open_, {}));
  }
  void End() {
    absl::MutexLock lock(&mutex_);
    is_ended_ = true;
  }
  // Waits until the thread has finished all batches; to be called after End.
  void Join() {
    absl::MutexLock lock(&mutex_);
    mutex_.Await(absl::Condition(&is_done_));
  }
  // The position of the first item of the oldest unfinished batch; nullopt: all are finished.
  std::optional<LoadPosition> FirstUndone() const {
    absl::MutexLock lock(&mutex_);
    if (in_work_) return in_work_;
    if (!waiting_.empty()) return waiting_.front().first;
    return open_.items.empty() ? std::nullopt : std::optional(open_.first);
  }

 private:
  bool HasRoom() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return waiting_.size() < kWaitingMax;
  }
  bool HasWork() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return is_ended_ || !waiting_.empty();
  }
  void Run() {
    while (true) {
      Batch batch;
      {
        absl::MutexLock lock(&mutex_);
        mutex_.Await(absl::Condition(this, &Lane::HasWork));
        if (waiting_.empty()) {
          is_done_ = true;
          return;
        }
        batch = std::move(waiting_.front());
        waiting_.pop_front();
        if (!in_work_) in_work_ = batch.first;
      }
      writer_->WriteOrLose(connection_.get(), batch);
      absl::MutexLock lock(&mutex_);
      // A lost batch stays unfinished, so that a resumed load writes it again.
      if (!writer_->is_lost_) in_work_.reset();
    }
  }

  ItemWriter* const writer_;
  const std::unique_ptr<client::ServiceConnection> connection_;
  Batch open_;  // used by the caller's thread only
  mutable absl::Mutex mutex_;
  std::optional<LoadPosition> in_work_ ABSL_GUARDED_BY(mutex_);
  std::deque<Batch> waiting_ ABSL_GUARDED_BY(mutex_);
  bool is_ended_ ABSL_GUARDED_BY(mutex_) = false;
  bool is_done_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

absl::StatusOr<std::unique_ptr<ItemWriter>> ItemWriter::Start(client::ServiceTarget* target,
                                                              Report report) {
  auto writer = std::unique_ptr<ItemWriter>(new ItemWriter(std::move(report)));
  for (size_t i = 0; i < target->connections(); ++i) {
    auto lane = std::make_unique<Lane>(writer.get(), target->Connect());
    const absl::Status started = lane->Start();
    if (!started.ok() && writer->lanes_.empty()) return started;
    if (!started.ok()) break;
    writer->lanes_.push_back(std::move(lane));
  }
  return writer;
}
ItemWriter::ItemWriter(Report report) : report_(std::move(report)) {}
ItemWriter::~ItemWriter() = default;

void ItemWriter::Put(const std::string& table, const std::vector<std::string>& key_attributes,
                     const JsonTree& item, const ItemWrite& write, FileLocation place,
                     const LoadPosition& position) {
  std::string key = KeyText(key_attributes, item);
  const size_t lane = std::hash<std::string>{}(key) % lanes_.size();
  Item added{{}, std::move(key), std::move(place)};
  if (write.is_plain()) {
    added.json = PrintJson(item);
  } else {
    added.json = PrintJson(MakeWriteCall(table, item, write));
    added.operation = write.is_deletion ? "DeleteItem" : "PutItem";
  }
  lanes_[lane]->Add(table, std::move(added), position);
}

void ItemWriter::Finish() {
  for (const std::unique_ptr<Lane>& lane : lanes_) lane->Flush();
  for (const std::unique_ptr<Lane>& lane : lanes_) lane->End();
  for (const std::unique_ptr<Lane>& lane : lanes_) {
    lane->Join();
    const std::optional<LoadPosition> undone = lane->FirstUndone();
    if (undone && (!lost_ || *undone < *lost_)) lost_ = undone;
  }
  lanes_.clear();
}

LoadPosition ItemWriter::DoneBefore(const LoadPosition& next) const {
  LoadPosition first = lost_ ? std::min(*lost_, next) : next;
  for (const std::unique_ptr<Lane>& lane : lanes_) {
    if (const auto undone = lane->FirstUndone()) first = std::min(first, *undone);
  }
  return first;
}

void ItemWriter::WriteOrLose(client::ServiceConnection* connection, const Batch& batch) {
  const absl::Status thrown = CatchThrown([&] {
    Write(connection, batch);
    return absl::OkStatus();
  });
  if (thrown.ok()) return;
  is_lost_ = true;
  Refuse(batch.items.front(),
         {.error = std::string(client::kNoAnswer), .message = std::string(MessageOf(thrown))});
}

void ItemWriter::Write(client::ServiceConnection* connection, const Batch& batch) {
  if (is_lost_) return;
  if (!batch.items.front().operation.empty()) return WriteEach(connection, batch);
  std::string body = "{\"RequestItems\":{";
  AppendName(batch.table, &body);
  body += '[';
  for (const Item& item : batch.items) {
    if (body.back() != '[') body += ',';
    body += Concat("{\"PutRequest\":{\"Item\":", item.json, "}}");
  }
  body += "]}}";
  client::Retries::Call retry(&client::PatientRetries());
  for (;;) {
    const client::ServiceAnswer answer = client::CallPatiently(connection, "BatchWriteItem", body);
    if (IsGivenUp(answer)) return Lose();
    if (!answer.error.empty()) return WriteEach(connection, batch);
    const JsonTree* const left = answer.output.Find("UnprocessedItems");
    if (left == nullptr || left->members.empty()) break;
    // WriteEach may repeat puts that were processed, which has no effect on the result.
    if (!retry.WaitForNext(client::FailureKind::kThrottled)) {
      return client::IsPatienceOver() ? Lose() : WriteEach(connection, batch);
    }
    JsonTree again = MapTree();
    SetMember(&again, "RequestItems", *left);
    body = PrintJson(again);
  }
  written_ += batch.items.size();
}

void ItemWriter::WriteEach(client::ServiceConnection* connection, const Batch& batch) {
  for (const Item& item : batch.items) {
    std::string body = item.json;
    if (item.operation.empty()) {
      body = "{\"TableName\":";
      AppendJsonString(batch.table, &body);
      body += Concat(",\"Item\":", item.json, "}");
    }
    const client::ServiceAnswer answer = client::CallPatiently(
        connection, item.operation.empty() ? "PutItem" : std::string_view(item.operation), body);
    if (answer.error.empty()) {
      ++written_;
      continue;
    }
    if (IsGivenUp(answer)) return Lose();
    Refuse(item, answer);
    // Who has failed for so long fails for the next item, too.
    if (answer.error == client::kNoAnswer ||
        client::KindOfFailure(answer.status, answer.error) == client::FailureKind::kTransient) {
      return Lose();
    }
  }
}

void ItemWriter::Refuse(const Item& item, const client::ServiceAnswer& answer) {
  ++refused_;
  report_(item.place, messages::DesignItemRefused(answer.error, answer.message));
}

}  // namespace dynolith::designs
