#include "engine/store/transaction/row_beliefs.h"

#include <algorithm>
#include <bit>

#include "engine/store/rows/shared_row.h"

namespace dynolith {

bool RowBeliefs::Find(std::string_view key, Row* row, Ticket* ticket) {
  const SharedRow found = rows_.Find(key, ticket);
  // What is written once is often written again soon. Without a hash the set was in use.
  ticket->may_add = !found && ticket->hash != 0;
  if (!found || row == nullptr) return false;
  row->Hold(found.value());
  return true;
}

bool RowBeliefs::AreWorthATry(Tables tables) {
  for (; tables != 0; tables &= tables - 1) {
    Trust& trust = trust_[std::countr_zero(tables)];
    if (trust.left.load(std::memory_order_relaxed) <= 0 &&
        trust.asked_without.fetch_add(1, std::memory_order_relaxed) % kTriedAnyway != 0) {
      return false;
    }
  }
  return true;
}

void RowBeliefs::Tell(Tables tables, bool were_right) {
  for (; tables != 0; tables &= tables - 1) {
    std::atomic<int>& left = trust_[std::countr_zero(tables)].left;
    // Two at once may lose the smaller one's part; trust needs no exact count.
    const int before = left.load(std::memory_order_relaxed);
    const int after =
        std::clamp(before + (were_right ? 1 : -kLossOfWrong), -kLossOfWrong, kTrustMax);
    if (after != before) left.store(after, std::memory_order_relaxed);
  }
}

void RowBeliefs::Learn(std::string_view key, std::optional<std::string_view> value,
                       const Ticket& ticket) {
  if (value && value->size() > kRowBytesMax) value.reset();
  RowCache::Change change;
  if (rows_.BeginChangeOfFound(key, &change)) {
    if (value) return rows_.EndChange(change, key, *value);
    return rows_.EndChange(change);
  }
  if (value && ticket.may_add) rows_.Add(ticket, key, *value);
}

}  // namespace dynolith
