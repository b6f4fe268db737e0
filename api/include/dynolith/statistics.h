// What a database holds and has done: figures for a program that watches itself.
#ifndef DYNOLITH_API_INCLUDE_DYNOLITH_STATISTICS_H_
#define DYNOLITH_API_INCLUDE_DYNOLITH_STATISTICS_H_

#include <cstdint>

#include "engine/store/store_statistics.h"

namespace dynolith {

struct Statistics {
  uint64_t tables = 0;
  uint64_t indexes = 0;
  StoreStatistics store;
};

}  // namespace dynolith

#endif  // DYNOLITH_API_INCLUDE_DYNOLITH_STATISTICS_H_
