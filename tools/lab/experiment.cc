#include "tools/lab/experiment.h"

#include <numeric>

namespace dynolith::lab {

double SizeRange::mean() const {
  if (list.empty()) return static_cast<double>(least + most) / 2;
  return static_cast<double>(std::accumulate(list.begin(), list.end(), int64_t{0})) /
         static_cast<double>(list.size());
}

Type TableDesign::TypeOf(const std::string& attribute) const {
  const auto is = [&attribute](const KeyPart& part) { return part.attribute == attribute; };
  if (is(partition_key)) return partition_key.type;
  if (sort_key && is(*sort_key)) return sort_key->type;
  for (const IndexDesign& index : indexes) {
    if (is(index.partition_key)) return index.partition_key.type;
    if (index.sort_key && is(*index.sort_key)) return index.sort_key->type;
  }
  return Type::kString;
}

bool IsWrite(Operation operation) { return operation >= Operation::kPutItem; }

bool IsTransaction(Operation operation) {
  return operation == Operation::kTransactGetItems || operation == Operation::kTransactWriteItems;
}

}  // namespace dynolith::lab
