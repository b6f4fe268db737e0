#include "tools/migrate/change_stream.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "absl/time/clock.h"
#include "engine/base/errors.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "tools/files/table/json_parts.h"
#include "tools/migrate/item_writes.h"
#include "tools/migrate/messages.h"

namespace dynolith::migrate {
namespace {

using designs::MapTree;
using designs::MemberText;
using designs::SetMember;
using designs::TextTree;
using designs::WordTree;

// How long the service keeps records.
constexpr absl::Duration kKept = absl::Hours(24);
constexpr absl::Duration kBetweenLooks = absl::Seconds(10);
// Records before the copy need not be written again; no more of them are skipped than this takes.
constexpr absl::Duration kSkippingMax = absl::Seconds(30);

int64_t NowSeconds() { return absl::ToUnixSeconds(absl::Now()); }

const JsonTree* Image(const JsonTree& record, std::string_view name) {
  const JsonTree* const change = record.Find("dynamodb");
  return change == nullptr ? nullptr : change->Find(name);
}

std::string_view SequenceOf(const JsonTree& record) {
  return MemberText(Image(record, "SequenceNumber"));
}

double AgeSeconds(const JsonTree& record) {
  const std::string made(MemberText(Image(record, "ApproximateCreationDateTime")));
  const double age =
      absl::ToDoubleSeconds(absl::Now() - absl::UnixEpoch()) - std::strtod(made.c_str(), nullptr);
  return std::max(0.0, age);
}

// Those whose parents have been read to the end, or are no longer kept.
std::vector<std::string> ReadyShards(const TableState& table) {
  std::vector<std::string> ready;
  for (const auto& [id, shard] : table.shards) {
    if (shard.is_done) continue;
    const auto parent = table.shards.find(shard.parent);
    if (parent == table.shards.end() || parent->second.is_done) ready.push_back(id);
  }
  return ready;
}

bool HasNewImages(std::string_view view) {
  return view == "NEW_AND_OLD_IMAGES" || view == "NEW_IMAGE";
}

// The last write to each key: later ones replace earlier ones.
class LastWrites {
 public:
  void Add(bool is_deletion, const excerpt::TableKeys& keys, JsonTree tree) {
    std::string key = CanonicalText(KeyOf(keys, tree));
    writes_[std::move(key)] = {is_deletion, std::move(tree)};
  }
  std::vector<ItemWrite> Take() {
    std::vector<ItemWrite> list;
    for (auto& [key, write] : writes_) list.push_back(std::move(write));
    return list;
  }

 private:
  std::map<std::string, ItemWrite> writes_;
};

// What TO has of one record's item: nullptr as `image`: it is gone.
absl::Status AddRecord(Work* work, const excerpt::TableKeys& keys, const JsonTree* before,
                       const JsonTree* image, const JsonTree& key, LastWrites* writes) {
  std::optional<JsonTree> now;
  if (image != nullptr) {
    DYNOLITH_ASSIGN_OR_RETURN(now, work->changes()->Change(keys, *image));
  }
  // Under rules, the key may follow from other attributes, so what stood there before counts.
  const bool has_other_key = before != nullptr && work->changes()->has_rules();
  if (!now || has_other_key) {
    const JsonTree& old = before != nullptr ? *before : key;
    DYNOLITH_ASSIGN_OR_RETURN(std::optional<JsonTree> gone, work->changes()->ChangeKey(keys, old));
    if (gone) writes->Add(/*is_deletion=*/true, keys, *std::move(gone));
  }
  if (now) writes->Add(/*is_deletion=*/false, keys, *std::move(now));
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<bool> SwitchStreamOn(Work* work, TableSource* source) {
  Side::Caller caller = work->from()->Connect();
  if (source->StreamView().empty()) {
    JsonTree specification = MapTree();
    SetMember(&specification, "StreamEnabled", WordTree("true"));
    SetMember(&specification, "StreamViewType", TextTree("NEW_AND_OLD_IMAGES"));
    JsonTree input = MapTree();
    SetMember(&input, "TableName", TextTree(source->name));
    SetMember(&input, "StreamSpecification", std::move(specification));
    const client::ServiceAnswer answer = caller.Call("UpdateTable", input);
    if (answer.error == kGivenUp || answer.error == client::kNoAnswer) {
      return work->from()->ToStatus("UpdateTable", answer);
    }
    if (!answer.error.empty()) {
      work->Warn(messages::MigrateNoStream(source->name, answer.error, answer.message));
      return false;
    }
    DYNOLITH_ASSIGN_OR_RETURN(JsonTree table, AwaitActive(work->from(), &caller, source->name));
    source->description = std::move(table);
  }
  JsonTree input = MapTree();
  SetMember(&input, "StreamArn", TextTree(source->StreamArn()));
  const client::ServiceAnswer answer = caller.Call("DescribeStream", input);
  if (answer.error.empty()) return true;
  if (answer.error == kGivenUp) return work->from()->ToStatus("DescribeStream", answer);
  work->Warn(messages::MigrateNoStream(source->name, answer.error, answer.message));
  return false;
}

absl::Status ChangeStream::FindShards(Side::Caller* caller) {
  {
    absl::MutexLock lock(&mutex_);
    if (!has_ended_one_ && absl::Now() - looked_ < kBetweenLooks) return absl::OkStatus();
    has_ended_one_ = false;
  }
  JsonTree input = MapTree();
  SetMember(&input, "StreamArn", TextTree(work_->state()->Get(source_->name).stream));
  std::map<std::string, ShardState> found;
  while (true) {
    client::ServiceAnswer answer = caller->Call("DescribeStream", input);
    if (answer.error == "ResourceNotFoundException") {
      return absl::DataLossError(messages::MigrateStreamGone(source_->name));
    }
    if (!answer.error.empty()) return work_->from()->ToStatus("DescribeStream", answer);
    const JsonTree* const stream = answer.output.Find("StreamDescription");
    const JsonTree* const shards = stream == nullptr ? nullptr : stream->Find("Shards");
    if (shards == nullptr) break;
    for (const JsonTree& shard : shards->elements) {
      const JsonTree* const range = shard.Find("SequenceNumberRange");
      found[std::string(MemberText(shard.Find("ShardId")))] = {
          .parent = std::string(MemberText(shard.Find("ParentShardId"))),
          .is_done = false,
          .after = "",
          .first = std::string(
              MemberText(range == nullptr ? nullptr : range->Find("StartingSequenceNumber"))),
          .seen = NowSeconds()};
    }
    const JsonTree* const last = stream->Find("LastEvaluatedShardId");
    if (MemberText(last).empty()) break;
    SetMember(&input, "ExclusiveStartShardId", *last);
  }
  looked_ = absl::Now();
  bool is_lost = false;
  work_->state()->Change([&](MigrationState* state) {
    std::map<std::string, ShardState>& shards = state->tables[source_->name].shards;
    for (auto shard = shards.begin(); shard != shards.end();) {
      const bool is_there = found.count(shard->first) > 0;
      is_lost = is_lost || (!is_there && !shard->second.is_done);
      shard = is_there ? std::next(shard) : shards.erase(shard);
    }
    shards.insert(found.begin(), found.end());
  });
  if (is_lost) return absl::DataLossError(messages::MigrateTrimmed(source_->name));
  return absl::OkStatus();
}

// Records behind a position are trimmed without an error where nothing was read yet, and a whole
// shard may come and go unseen.
absl::Status ChangeStream::CheckKept() const {
  const TableState table = work_->state()->Get(source_->name);
  for (const auto& [id, shard] : table.shards) {
    if (shard.is_done || NowSeconds() - shard.seen < absl::ToInt64Seconds(kKept)) continue;
    return absl::DataLossError(messages::MigrateTrimmed(source_->name));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> ChangeStream::MakeIterator(Side::Caller* caller, const std::string& id,
                                                       const ShardState& shard, bool needs_all) {
  // TRIM_HORIZON begins behind what was trimmed, and does not tell.
  const bool is_at_first = shard.after.empty() && !shard.first.empty() && needs_all;
  const std::string& number = is_at_first ? shard.first : shard.after;
  JsonTree input = MapTree();
  SetMember(&input, "StreamArn", TextTree(work_->state()->Get(source_->name).stream));
  SetMember(&input, "ShardId", TextTree(id));
  SetMember(&input, "ShardIteratorType",
            TextTree(is_at_first           ? "AT_SEQUENCE_NUMBER"
                     : shard.after.empty() ? "TRIM_HORIZON"
                                           : "AFTER_SEQUENCE_NUMBER"));
  if (!number.empty()) SetMember(&input, "SequenceNumber", TextTree(number));
  client::ServiceAnswer answer = caller->Call("GetShardIterator", input);
  if (answer.error == "TrimmedDataAccessException" || answer.error == "ResourceNotFoundException") {
    return absl::DataLossError(messages::MigrateTrimmed(source_->name));
  }
  // An engine whose numbers begin with those of records: there are none yet.
  if (is_at_first && answer.error == "ValidationException") {
    return MakeIterator(caller, id, shard, /*needs_all=*/false);
  }
  if (!answer.error.empty()) return work_->from()->ToStatus("GetShardIterator", answer);
  return std::string(MemberText(answer.output.Find("ShardIterator")));
}

absl::StatusOr<std::optional<JsonTree>> ChangeStream::ReadPage(Side::Caller* caller,
                                                               const std::string& iterator) {
  JsonTree input = MapTree();
  SetMember(&input, "ShardIterator", TextTree(iterator));
  client::ServiceAnswer answer = caller->Call("GetRecords", input);
  if (answer.error == "ExpiredIteratorException") return std::nullopt;
  if (answer.error == "TrimmedDataAccessException" || answer.error == "ResourceNotFoundException") {
    return absl::DataLossError(messages::MigrateTrimmed(source_->name));
  }
  if (!answer.error.empty()) return work_->from()->ToStatus("GetRecords", answer);
  return std::move(answer.output);
}

// One page of records that are older than the copy. Whether there may be more.
absl::StatusOr<bool> ChangeStream::SkipPage(Side::Caller* caller, const std::string& id) {
  Shard shard;
  {
    absl::MutexLock lock(&mutex_);
    shard = shards_[id];
  }
  const TableState table = work_->state()->Get(source_->name);
  const ShardState& position = table.shards.at(id);
  if (position.is_done) return false;
  if (shard.iterator.empty()) {
    DYNOLITH_ASSIGN_OR_RETURN(shard.iterator,
                              MakeIterator(caller, id, position, /*needs_all=*/false));
  }
  DYNOLITH_ASSIGN_OR_RETURN(std::optional<JsonTree> page, ReadPage(caller, shard.iterator));
  if (!page) return false;
  const JsonTree* const records = page->Find("Records");
  const std::string next(MemberText(page->Find("NextShardIterator")));
  const bool has_records = records != nullptr && !records->elements.empty();
  work_->state()->Change([&](MigrationState* state) {
    ShardState& own = state->tables[source_->name].shards[id];
    if (has_records) own.after = SequenceOf(records->elements.back());
    own.is_done = next.empty();
    own.seen = NowSeconds();
  });
  absl::MutexLock lock(&mutex_);
  shards_[id].iterator = next;
  return has_records && !next.empty();
}

absl::Status ChangeStream::NotePositions() {
  Side::Caller caller = work_->from()->Connect();
  work_->state()->Change([&](MigrationState* state) {
    TableState& table = state->tables[source_->name];
    table.stream = source_->StreamArn();
    table.shards.clear();
  });
  DYNOLITH_RETURN_IF_ERROR(FindShards(&caller));
  const absl::Time end = absl::Now() + kSkippingMax;
  // Nothing may be skipped behind records that are not: they would be written last.
  for (bool has_ended_one = true; has_ended_one && absl::Now() < end;) {
    has_ended_one = false;
    for (const std::string& id : ReadyShards(work_->state()->Get(source_->name))) {
      bool has_more = true;
      while (has_more && absl::Now() < end) {
        DYNOLITH_ASSIGN_OR_RETURN(has_more, SkipPage(&caller, id));
      }
      has_ended_one |= work_->state()->Get(source_->name).shards.at(id).is_done;
    }
  }
  return work_->state()->Save();
}

absl::StatusOr<ChangeStream::Pass> ChangeStream::Follow() {
  DYNOLITH_RETURN_IF_ERROR(CheckKept());
  Side::Caller caller = work_->from()->Connect();
  DYNOLITH_RETURN_IF_ERROR(FindShards(&caller));
  const TableState table = work_->state()->Get(source_->name);
  const std::vector<std::string> ready = ReadyShards(table);
  Pass all;
  for (const auto& [id, shard] : table.shards) {
    const bool waits = !shard.is_done && std::find(ready.begin(), ready.end(), id) == ready.end();
    all.is_at_end = all.is_at_end && !waits;
  }
  absl::Mutex mutex;
  DYNOLITH_RETURN_IF_ERROR(work_->Together(ready.size(), [&](size_t number) {
    const absl::StatusOr<Pass> pass = FollowShard(ready[number]);
    if (!pass.ok()) return pass.status();
    absl::MutexLock lock(&mutex);
    all.records += pass->records;
    all.is_at_end = all.is_at_end && pass->is_at_end;
    all.lag_seconds = std::max(all.lag_seconds, pass->lag_seconds);
    return absl::OkStatus();
  }));
  return all;
}

absl::StatusOr<ChangeStream::Pass> ChangeStream::FollowShard(const std::string& id) {
  Side::Caller from = work_->from()->Connect();
  Side::Caller to = work_->to()->Connect();
  std::string iterator;
  {
    absl::MutexLock lock(&mutex_);
    iterator = shards_[id].iterator;
  }
  std::optional<JsonTree> page;
  while (!page) {
    if (iterator.empty()) {
      const TableState table = work_->state()->Get(source_->name);
      DYNOLITH_ASSIGN_OR_RETURN(iterator,
                                MakeIterator(&from, id, table.shards.at(id), /*needs_all=*/true));
    }
    DYNOLITH_ASSIGN_OR_RETURN(page, ReadPage(&from, iterator));
    iterator.clear();
  }
  JsonTree records = designs::TakeMember(&*page, "Records");
  const std::vector<JsonTree>& list = records.elements;
  const bool has_images = HasNewImages(source_->StreamView());
  DYNOLITH_RETURN_IF_ERROR(has_images ? Apply(&to, list) : ApplyKeys(&to, list));
  *work_->changed() += list.size();
  const std::string next(MemberText(page->Find("NextShardIterator")));
  work_->state()->Change([&](MigrationState* state) {
    TableState& table = state->tables[source_->name];
    table.changes += list.size();
    ShardState& own = table.shards[id];
    if (!list.empty()) own.after = SequenceOf(list.back());
    own.is_done = next.empty();
    own.seen = NowSeconds();
  });
  absl::MutexLock lock(&mutex_);
  shards_[id].iterator = next;
  has_ended_one_ = has_ended_one_ || next.empty();
  Pass pass = {.records = list.size(), .is_at_end = list.empty() && !next.empty()};
  if (!list.empty()) pass.lag_seconds = AgeSeconds(list.back());
  return pass;
}

void ChangeStream::Refuse(const absl::Status& status) {
  if (status.ok()) return;
  work_->Refuse(source_->name, messages::MigrateRule(source_->name, MessageOf(status)));
}

absl::Status ChangeStream::Apply(Side::Caller* to, const std::vector<JsonTree>& records) {
  LastWrites writes;
  for (const JsonTree& record : records) {
    const JsonTree* const key = Image(record, "Keys");
    if (key == nullptr) continue;
    const bool is_gone = MemberText(record.Find("eventName")) == "REMOVE";
    const JsonTree* const image = is_gone ? nullptr : Image(record, "NewImage");
    Refuse(AddRecord(work_, source_->keys, Image(record, "OldImage"), image, *key, &writes));
  }
  return WriteItems(work_, to, source_->keys, writes.Take());
}

// The records have no new images: the items are read as they are now, once each.
absl::Status ChangeStream::ApplyKeys(Side::Caller* to, const std::vector<JsonTree>& records) {
  Side::Caller from = work_->from()->Connect();
  std::map<std::string, const JsonTree*> keys;
  LastWrites writes;
  for (const JsonTree& record : records) {
    const JsonTree* const key = Image(record, "Keys");
    const JsonTree* const before = Image(record, "OldImage");
    if (key != nullptr) keys[CanonicalText(*key)] = key;
    if (key == nullptr || before == nullptr || !work_->changes()->has_rules()) continue;
    Refuse(AddRecord(work_, source_->keys, before, nullptr, *key, &writes));
  }
  for (const auto& [text, key] : keys) {
    if (!work_->reads()->Await(work_->from()->is_over())) {
      return absl::CancelledError(messages::MigrateStopped());
    }
    JsonTree input = MapTree();
    SetMember(&input, "TableName", TextTree(source_->name));
    SetMember(&input, "Key", *key);
    SetMember(&input, "ConsistentRead", WordTree("true"));
    SetMember(&input, "ReturnConsumedCapacity", TextTree("TOTAL"));
    DYNOLITH_ASSIGN_OR_RETURN(const JsonTree answer, from.Ask("GetItem", input, work_->reads()));
    work_->reads()->Charge(ConsumedUnits(answer, 1));
    Refuse(AddRecord(work_, source_->keys, nullptr, answer.Find("Item"), *key, &writes));
  }
  return WriteItems(work_, to, source_->keys, writes.Take());
}

}  // namespace dynolith::migrate
