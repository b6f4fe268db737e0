#include "engine/store/limits/long_changes.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "engine/base/status_macros.h"

namespace dynolith {

absl::Status LongChanges::Translate(const WriteBatch& batch) {
  absl::Status status;
  batch.ForEach([&](const WriteBatch::Change& change) {
    if (!status.ok()) return;
    switch (change.operation) {
      case WriteBatch::Operation::kPut:
        return Put(change.family, change.key, change.value);
      case WriteBatch::Operation::kDelete:
        return Delete(change.family, change.key);
      case WriteBatch::Operation::kDeleteRange:
        status = DeleteRange(change.key, change.value);
        return;
    }
  });
  DYNOLITH_RETURN_IF_ERROR(status);
  return DeleteMarkers();
}

void LongChanges::Put(Family family, std::string_view key, std::string_view value) {
  const KeptKey kept = Note(family, key, /*is_put=*/true);
  DeleteParts(kept);
  shape_.AppendPuts(kept, value, &kept_);
}

void LongChanges::Delete(Family family, std::string_view key) {
  const KeptKey kept = Note(family, key, /*is_put=*/false);
  DeleteParts(kept);
  kept_.Delete(kept.family, kept.key);
}

void LongChanges::DeleteParts(const KeptKey& kept) {
  if (!shape_.HasParts(kept.family)) return;
  const std::string parts = LongRows::PartsOf(kept.family, kept.key);
  kept_.DeleteRange(Family::kLog, parts, EndOfPrefix(parts));
}

KeptKey LongChanges::Note(Family family, std::string_view key, bool is_put) {
  std::vector<KeptKey> markers;
  KeptKey kept = shape_.Keep(family, key, [&](const KeptKey& marker) {
    markers.push_back(marker);
    if (is_put) LongRows::AppendMarker(marker, &kept_);
  });
  for (size_t depth = 0; depth < markers.size(); ++depth) {
    const KeptKey& marker = markers[depth];
    BucketChange& change = buckets_[{depth, LongRows::Bucket(marker.family, marker.key)}];
    change.marker = marker;
    // A bucket of a bucket is there by its marker.
    const std::string& row = depth + 1 < markers.size() ? markers[depth + 1].key : kept.key;
    if (is_put) {
      change.put.insert(row);
      change.deleted.erase(row);
    } else if (depth + 1 == markers.size()) {
      change.put.erase(row);
      change.deleted.insert(row);
    }
  }
  if (family == Family::kLog && !markers.empty()) {
    if (is_put) {
      long_log_puts_.emplace(key);
    } else {
      long_log_puts_.erase(std::string(key));
    }
  }
  return kept;
}

absl::Status LongChanges::DeleteRange(std::string_view begin, std::string_view end) {
  const size_t plain = shape_.plain();
  // The rows that are kept under their own keys, whole markers among them.
  std::string first(begin.substr(0, plain));
  if (begin.size() > plain) first += '\0';
  const std::string last(end.substr(0, plain));
  if (first < last) {
    kept_.DeleteRange(Family::kLog, first, last);
    if (shape_.HasParts(Family::kLog)) {
      kept_.DeleteRange(Family::kLog, LongRows::PartsBegin(Family::kLog, first),
                        LongRows::PartsBegin(Family::kLog, last));
    }
  }
  // Those in buckets, row by row.
  std::vector<std::string> put(long_log_puts_.lower_bound(begin), long_log_puts_.lower_bound(end));
  for (const std::string& key : put) Delete(Family::kLog, key);
  std::vector<std::string> heads;
  Cursor markers = reads_.view().Scan(
      Family::kLog, LongRows::MarkersBegin(begin.substr(0, plain)),
      LongRows::MarkersBegin(std::string(end.substr(0, plain)) + '\0'), Direction::kForward);
  for (markers.SeekToStart(); markers.Valid(); markers.Next()) {
    DYNOLITH_ASSIGN_OR_RETURN(std::string head, LongRows::HeadOf(markers.key()));
    heads.push_back(std::move(head));
  }
  DYNOLITH_RETURN_IF_ERROR(markers.status());
  for (const std::string& head : heads) {
    DYNOLITH_RETURN_IF_ERROR(DeleteLongRows(head, begin, end));
  }
  return absl::OkStatus();
}

absl::Status LongChanges::DeleteLongRows(std::string_view head, std::string_view begin,
                                         std::string_view end) {
  const std::string behind = EndOfPrefix(head);
  Cursor rows =
      reads_.Scan(Family::kLog, std::max(begin, head), std::min(end, std::string_view(behind)),
                  Direction::kForward, {}, nullptr);
  std::vector<std::string> keys;
  for (rows.SeekToStart(); rows.Valid(); rows.Next()) keys.emplace_back(rows.key());
  DYNOLITH_RETURN_IF_ERROR(rows.status());
  for (const std::string& key : keys) Delete(Family::kLog, key);
  return absl::OkStatus();
}

absl::StatusOr<bool> LongChanges::BecomesEmpty(const std::string& bucket,
                                               const BucketChange& change) const {
  Cursor rows = reads_.view().Scan(Family::kLog, bucket, EndOfPrefix(bucket), Direction::kForward);
  for (rows.SeekToStart(); rows.Valid(); rows.Next()) {
    if (!change.deleted.contains(rows.key())) return false;
  }
  DYNOLITH_RETURN_IF_ERROR(rows.status());
  return true;
}

absl::Status LongChanges::DeleteMarkers() {
  for (auto it = buckets_.rbegin(); it != buckets_.rend(); ++it) {
    const auto& [depth, bucket] = it->first;
    const BucketChange& change = it->second;
    if (!change.put.empty() || change.deleted.empty()) continue;
    DYNOLITH_ASSIGN_OR_RETURN(const bool is_empty, BecomesEmpty(bucket, change));
    if (!is_empty) continue;
    const KeptKey& marker = change.marker;
    kept_.Delete(marker.family, marker.key);
    if (depth > 0) {
      const std::string above = marker.key.substr(0, LongRows::kBucketBytes);
      BucketChange& change_above = buckets_[{depth - 1, above}];
      change_above.put.erase(marker.key);
      change_above.deleted.insert(marker.key);
    } else if (marker.family == Family::kLog) {
      kept_.Delete(Family::kLog, LongRows::MarkerEntry(marker.key));
    }
  }
  return absl::OkStatus();
}

}  // namespace dynolith
