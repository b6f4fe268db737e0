// What Abseil's other parts want of its debugging, which has no stack or symbols to read here.
#include "absl/debugging/stacktrace.h"
#include "absl/debugging/symbolize.h"

namespace absl {
ABSL_NAMESPACE_BEGIN

int GetStackTrace(void** /*result*/, int /*max_depth*/, int /*skip_count*/) { return 0; }
bool Symbolize(const void* /*address*/, char* /*out*/, int /*out_size*/) { return false; }

ABSL_NAMESPACE_END
}  // namespace absl
