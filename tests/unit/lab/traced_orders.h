// A trace that was made by hand: customers' orders, and an index of them by status.
#ifndef DYNOLITH_TESTS_UNIT_LAB_TRACED_ORDERS_H_
#define DYNOLITH_TESTS_UNIT_LAB_TRACED_ORDERS_H_

#include <cstdint>
#include <string>

#include "tools/server/trace/trace_format.h"

namespace dynolith::testing {

inline constexpr Micros kBegun = 1'790'856'000'000'000;

inline trace::Block OrdersBlock() {
  trace::Block block;
  trace::Resource orders;
  orders.table = "orders";
  orders.key = {.hash = {{"customer", Type::kString}}, .range = {{"order", Type::kString}}};
  trace::Resource by_status;
  by_status.table = "orders";
  by_status.index = "by-status";
  by_status.key = {.hash = {{"status", Type::kString}}, .range = {}};
  block.resources = {orders, by_status};
  return block;
}

inline trace::Use Write(uint32_t resource, uint64_t hash, int64_t half_units, int64_t bytes = 100) {
  return {.resource = resource,
          .kind = AccessKind::kWrite,
          .half_units = half_units,
          .bytes = bytes,
          .hash = hash,
          .has_key = true,
          .has_sort = true,
          .sort_hash = hash / 3};
}

// With hashed keys.
inline std::string MakeTraceFile(const trace::Block& block) {
  std::string file = trace::EncodeHeader({.run = 1});
  trace::EncodeBlock(block, /*plain=*/false, &file);
  return file;
}

// Ten seconds in which somebody makes an order each second, and then looks at the open ones.
inline std::string Orders() {
  trace::Block block = OrdersBlock();
  for (int i = 0; i < 10; ++i) {
    trace::Request put = {
        .at = kBegun + i * kSecond, .operation = trace::Operation::kPutItem, .uses = {}};
    put.uses.push_back(Write(0, 0x1111111111111111 * static_cast<uint64_t>(i + 1), 4));
    put.uses.push_back(Write(1, 0x7777777777777777, 2));
    put.uses.back().begins = false;
    block.requests.push_back(put);
    trace::Request query = {
        .at = kBegun + i * kSecond + 500'000, .operation = trace::Operation::kQuery, .uses = {}};
    query.uses.push_back({.resource = 1,
                          .half_units = 4,
                          .bytes = 4 * 4'096,
                          .hash = 0x7777777777777777,
                          .has_key = true});
    block.requests.push_back(query);
  }
  return MakeTraceFile(block);
}

}  // namespace dynolith::testing

#endif  // DYNOLITH_TESTS_UNIT_LAB_TRACED_ORDERS_H_
