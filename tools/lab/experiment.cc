#include "tools/lab/experiment.h"

#include <numeric>

namespace dynolith::lab {

double SizeRange::mean() const {
  if (list.empty()) return static_cast<double>(least + most) / 2;
  return static_cast<double>(std::accumulate(list.begin(), list.end(), int64_t{0})) /
         static_cast<double>(list.size());
}

bool IsWrite(Operation operation) { return operation >= Operation::kPutItem; }

bool IsTransaction(Operation operation) {
  return operation == Operation::kTransactGetItems || operation == Operation::kTransactWriteItems;
}

}  // namespace dynolith::lab
