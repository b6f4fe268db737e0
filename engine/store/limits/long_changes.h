// Changes of rows that may be in several parts.
#ifndef DYNOLITH_ENGINE_STORE_LIMITS_LONG_CHANGES_H_
#define DYNOLITH_ENGINE_STORE_LIMITS_LONG_CHANGES_H_

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "engine/store/limits/long_reads.h"
#include "engine/store/limits/long_rows.h"
#include "engine/store/store.h"

namespace dynolith {

// Turns a batch into that of the kept rows. Belongs to one attempt.
class LongChanges {
 public:
  // Borrows the reads of the attempt.
  explicit LongChanges(const LongReads* reads) : reads_(*reads), shape_(reads->shape()) {}

  // Errors: those of reads, which only deletions of long keys and of ranges need.
  absl::Status Translate(const WriteBatch& batch);
  const WriteBatch& kept() const { return kept_; }

 private:
  // The rows that the batch leaves in a bucket, or takes out of it, as they are kept.
  struct BucketChange {
    KeptKey marker;
    std::set<std::string, std::less<>> put;
    std::set<std::string, std::less<>> deleted;
  };

  void Put(Family family, std::string_view key, std::string_view value);
  void Delete(Family family, std::string_view key);
  absl::Status DeleteRange(std::string_view begin, std::string_view end);
  absl::Status DeleteLongRows(std::string_view head, std::string_view begin, std::string_view end);
  void DeleteParts(const KeptKey& kept);
  KeptKey Note(Family family, std::string_view key, bool is_put);
  // Deletes the markers of buckets that become empty.
  absl::Status DeleteMarkers();
  absl::StatusOr<bool> BecomesEmpty(const std::string& bucket, const BucketChange& change) const;

  const LongReads& reads_;
  const LongRows& shape_;
  WriteBatch kept_;
  // By the depth of the bucket, then its name: the innermost ones come last.
  std::map<std::pair<size_t, std::string>, BucketChange> buckets_;
  // The long keys of kLog that the batch has put, which a later range may delete again.
  std::set<std::string, std::less<>> long_log_puts_;
};

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STORE_LIMITS_LONG_CHANGES_H_
