#include "engine/partition/heat_record.h"

#include <algorithm>
#include <string>
#include <utility>

#include "engine/base/big_endian.h"

namespace dynolith {
namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;

size_t HeatBucket(std::string_view position) {
  uint64_t hash = 0;
  if (position.size() >= sizeof(hash)) {
    hash = ReadBigEndian(position);
  } else {
    std::string padded(position);
    padded.resize(sizeof(hash));
    hash = ReadBigEndian(padded);
  }
  return ((hash >> 32) * HeatRecord::kBuckets) >> 32;
}

}  // namespace

void HeatRecord::Row::Clear() {
  for (const AccessKind kind : {AccessKind::kRead, AccessKind::kWrite}) {
    operations[kind].store(0, kRelaxed);
    consumed[kind].store(0, kRelaxed);
    bytes[kind].store(0, kRelaxed);
    for (auto& count : refused[kind]) count.store(0, kRelaxed);
  }
  for (Cell& cell : cells) {
    for (Count* count : {&cell.operations, &cell.consumed, &cell.throttled}) {
      count->store(0, kRelaxed);
    }
    cell.bytes.store(0, kRelaxed);
  }
}

HeatSlot HeatRecord::Row::Take() const {
  HeatSlot taken;
  taken.begin = slot.load(kRelaxed) * kSlot;
  for (const AccessKind kind : {AccessKind::kRead, AccessKind::kWrite}) {
    taken.operations[kind] = operations[kind].load(kRelaxed);
    taken.consumed[kind] = consumed[kind].load(kRelaxed);
    taken.bytes[kind] = bytes[kind].load(kRelaxed);
    for (size_t i = 0; i < kThroughputLimits; ++i) {
      taken.refused[kind][i] = refused[kind][i].load(kRelaxed);
    }
  }
  for (size_t i = 0; i < kBuckets; ++i) {
    const HeatSlot::Cell cell = {.bucket = i,
                                 .operations = cells[i].operations.load(kRelaxed),
                                 .consumed = cells[i].consumed.load(kRelaxed),
                                 .throttled = cells[i].throttled.load(kRelaxed),
                                 .bytes = cells[i].bytes.load(kRelaxed)};
    if (cell.operations > 0 || cell.throttled > 0) taken.cells.push_back(cell);
  }
  return taken;
}

HeatRecord::Row* HeatRecord::RowAt(Micros now) {
  const int64_t slot = now / kSlot;
  const size_t place = static_cast<size_t>(slot) % kSlots;
  Row* const current = rows_[place].load(std::memory_order_acquire);
  if (current != nullptr && current->slot.load(std::memory_order_acquire) == slot) return current;

  absl::MutexLock lock(&mutex_);
  std::unique_ptr<Row>& row = owned_[place];
  if (row == nullptr) {
    row = std::make_unique<Row>();
    row->slot.store(slot, kRelaxed);
    rows_[place].store(row.get(), std::memory_order_release);
    return row.get();
  }
  const int64_t held = row->slot.load(kRelaxed);
  if (held > slot) return nullptr;
  if (held < slot) {
    row->Clear();
    row->slot.store(slot, std::memory_order_release);
  }
  return row.get();
}

void HeatRecord::AddAccess(std::string_view position, AccessKind kind, Tokens tokens, int64_t bytes,
                           Micros now) {
  Row* const row = RowAt(now);
  if (row == nullptr) return;
  const auto consumed = static_cast<uint32_t>(static_cast<double>(tokens) /
                                              (kHeatUnit * static_cast<double>(kTokensPerUnit)));
  row->operations[kind].fetch_add(1, kRelaxed);
  row->consumed[kind].fetch_add(consumed, kRelaxed);
  row->bytes[kind].fetch_add(static_cast<uint64_t>(bytes), kRelaxed);
  Cell& cell = row->cells[HeatBucket(position)];
  cell.operations.fetch_add(1, kRelaxed);
  cell.consumed.fetch_add(consumed, kRelaxed);
  cell.bytes.fetch_add(static_cast<uint64_t>(bytes), kRelaxed);
}

void HeatRecord::AddThrottled(std::string_view position, AccessKind kind, ThroughputLimit limit,
                              Micros now) {
  Row* const row = RowAt(now);
  if (row == nullptr) return;
  row->refused[kind][static_cast<size_t>(limit)].fetch_add(1, kRelaxed);
  row->cells[HeatBucket(position)].throttled.fetch_add(1, kRelaxed);
}

std::vector<HeatSlot> HeatRecord::Report(Micros since, Micros now) const {
  const int64_t newest = now / kSlot;
  const int64_t oldest = std::max(newest - static_cast<int64_t>(kSlots) + 1, since / kSlot);
  std::vector<HeatSlot> slots;
  for (int64_t slot = std::max<int64_t>(oldest, 0); slot <= newest; ++slot) {
    absl::MutexLock lock(&mutex_);
    const std::unique_ptr<Row>& row = owned_[static_cast<size_t>(slot) % kSlots];
    if (row == nullptr || row->slot.load(kRelaxed) != slot) continue;
    slots.push_back(row->Take());
  }
  return slots;
}

}  // namespace dynolith
