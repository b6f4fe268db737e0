// SearchVectors, from the members of a call to the text of its output.
#include "api/json/operations.h"
#include "api/json/read_vectors.h"
#include "api/json/run_operation.h"
#include "api/json/search_front_end.h"
#include "api/json/write_vectors.h"

namespace dynolith {
namespace {

constexpr OperationRow kRows[] = {
    {"SearchVectors",
     &RunOperation<SearchVectorsRequest, SearchVectorsOutput, &Database::SearchVectors>,
     &CheckSearchInput},
};

}  // namespace

absl::Span<const OperationRow> VectorOperations() { return kRows; }

}  // namespace dynolith
