// The content and the work of a database: figures for a program that monitors itself.
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
