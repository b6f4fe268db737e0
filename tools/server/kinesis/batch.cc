#include "tools/server/kinesis/batch.h"

#include <string_view>
#include <unordered_set>

#include "tools/server/kinesis/kinesis_client.h"

namespace dynolith::kinesis {

std::vector<size_t> ChooseBatch(const std::deque<WaitingRecord>& waiting) {
  std::vector<size_t> batch;
  std::unordered_set<std::string_view> items;
  size_t bytes = 0;
  for (size_t i = 0; i < waiting.size() && batch.size() < kRecordsMax; ++i) {
    const KinesisRecord& record = waiting[i].record;
    if (waiting[i].is_sent || !items.insert(record.partition_key).second) continue;
    const bool is_large = record.bytes() > kRecordBytesMax;
    if (!batch.empty() && (is_large || bytes + record.bytes() > kRequestBytesMax)) break;
    batch.push_back(i);
    bytes += record.bytes();
    if (is_large) break;
  }
  return batch;
}

}  // namespace dynolith::kinesis
