#include "engine/store/postgres/change_calls.h"

#include <array>
#include <utility>

#include "engine/base/status_macros.h"
#include "engine/store/postgres/limits.h"
#include "engine/store/postgres/messages.h"
#include "engine/store/transaction/stamp.h"

namespace dynolith::postgres {
namespace {

// More changes of a family go in arrays: a statement costs more than an element.
constexpr size_t kSingleChangesMax = 8;

absl::Status CheckSize(size_t key_bytes, size_t value_bytes) {
  if (key_bytes > kKeyBytesMax) {
    return absl::InvalidArgumentError(messages::StoreKeyTooLong(key_bytes, kKeyBytesMax));
  }
  if (value_bytes > kValueBytesMax) {
    return absl::InvalidArgumentError(messages::StoreValueTooLong(value_bytes, kValueBytesMax));
  }
  return absl::OkStatus();
}

}  // namespace

void ChangeCalls::Expect(Family family, std::string_view key,
                         std::optional<std::string_view> value) {
  Call call = {.verb = value ? Verb::kExpectValue : Verb::kExpectNone,
               .family = family,
               .parameters = {Keep(std::string(key))}};
  if (value) call.parameters.push_back(Keep(std::string(*value)));
  calls_.push_back(std::move(call));
}

void ChangeCalls::ExpectPresent(Family family, std::string_view key) {
  calls_.push_back(
      {.verb = Verb::kExpectPresent, .family = family, .parameters = {Keep(std::string(key))}});
}

absl::Status ChangeCalls::PutStamped(Family family, std::string_view key, uint16_t place,
                                     std::string_view value) {
  DYNOLITH_RETURN_IF_ERROR(CheckSize(key.size() + kStampBytes, value.size()));
  const std::string place_bytes = {static_cast<char>(place >> 8), static_cast<char>(place)};
  const std::string_view kept_key = Keep(std::string(key));
  const std::string_view kept_place = Keep(place_bytes);
  const std::string_view kept_value = Keep(std::string(value));
  if (stamps_ == StampSource::kCounter) {
    Counted& counted = counted_[static_cast<size_t>(family)];
    counted.keys.push_back(kept_key);
    counted.places.push_back(kept_place);
    counted.values.push_back(kept_value);
  } else {
    stamped_.push_back({.verb = Verb::kPutStamped,
                        .family = family,
                        .parameters = {kept_key, kept_place, kept_value}});
  }
  return absl::OkStatus();
}

absl::Status ChangeCalls::Add(const WriteBatch& batch) {
  if (batch.bytes() > kBatchBytesMax) {
    return absl::InvalidArgumentError(messages::StoreBatchTooLong(batch.bytes(), kBatchBytesMax));
  }
  std::array<Changes, kFamilies> changes;
  absl::Status status;
  batch.ForEach([&](const WriteBatch::Change& change) {
    status.Update(CheckSize(change.key.size(), change.value.size()));
    Changes& of_family = changes[static_cast<size_t>(change.family)];
    switch (change.operation) {
      case WriteBatch::Operation::kPut:
        of_family[change.key] = change.value;
        break;
      case WriteBatch::Operation::kDelete:
        of_family[change.key] = std::nullopt;
        break;
      case WriteBatch::Operation::kDeleteRange:
        // Before all puts: those before it in the batch that it deletes are not made.
        of_family.erase(of_family.lower_bound(change.key), of_family.lower_bound(change.value));
        calls_.push_back({.verb = Verb::kDeleteRange,
                          .family = change.family,
                          .parameters = {change.key, change.value}});
    }
  });
  if (!status.ok()) return status;
  for (size_t family = 0; family < kFamilies; ++family) {
    AddFamily(static_cast<Family>(family), changes[family]);
  }
  return absl::OkStatus();
}

void ChangeCalls::AddFamily(Family family, const Changes& changes) {
  if (changes.size() <= kSingleChangesMax) {
    for (const auto& [key, value] : changes) {
      Call call = {
          .verb = value ? Verb::kPut : Verb::kDelete, .family = family, .parameters = {key}};
      if (value) call.parameters.push_back(*value);
      calls_.push_back(std::move(call));
    }
    return;
  }
  std::vector<std::string_view> keys;
  std::vector<std::string_view> values;
  std::vector<std::string_view> deleted;
  for (const auto& [key, value] : changes) {
    (value ? keys : deleted).push_back(key);
    if (value) values.push_back(*value);
  }
  if (!keys.empty()) {
    calls_.push_back({.verb = Verb::kPutMany,
                      .family = family,
                      .parameters = {Keep(ArrayOf(keys)), Keep(ArrayOf(values))}});
  }
  if (!deleted.empty()) {
    calls_.push_back(
        {.verb = Verb::kDeleteMany, .family = family, .parameters = {Keep(ArrayOf(deleted))}});
  }
}

std::vector<Call> ChangeCalls::Finish() {
  for (Call& call : stamped_) calls_.push_back(std::move(call));
  Verb verb = Verb::kPutCounting;
  for (size_t family = 0; family < kFamilies; ++family) {
    const Counted& counted = counted_[family];
    if (counted.keys.empty()) continue;
    calls_.push_back({.verb = std::exchange(verb, Verb::kPutCounted),
                      .family = static_cast<Family>(family),
                      .parameters = {Keep(ArrayOf(counted.keys)), Keep(ArrayOf(counted.places)),
                                     Keep(ArrayOf(counted.values))}});
  }
  calls_.push_back({.verb = Verb::kCommit});
  return std::move(calls_);
}

}  // namespace dynolith::postgres
