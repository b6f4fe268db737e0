#include "api/json/operations.h"

#include <vector>

namespace dynolith {
namespace {

std::vector<Operation> AllBuiltOperations() {
  std::vector<Operation> operations;
  for (const absl::Span<const OperationRow> group :
       {ItemOperations(), TableOperations(), TableFeatureOperations(), BackupOperations(),
        TransferOperations(), TransactionOperations(), StatementOperations(),
        TimeToLiveOperations(), StreamOperations(), VectorOperations()}) {
    for (const OperationRow& row : group) {
      for (const Service service : {Service::kDynamo, Service::kStreams}) {
        const OperationShape* shape = FindOperation(service, row.name);
        if (shape != nullptr) operations.push_back({&row, shape});
      }
    }
  }
  return operations;
}

}  // namespace

const Operation* FindBuiltOperation(Service service, std::string_view name) {
  static const std::vector<Operation>& operations =
      *new std::vector<Operation>(AllBuiltOperations());
  for (const Operation& operation : operations) {
    if (operation.shape->service == service && operation.row->name == name) return &operation;
  }
  return nullptr;
}

}  // namespace dynolith
