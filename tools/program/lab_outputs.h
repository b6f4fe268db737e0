// The files that the commands of `dynolith lab` write.
#ifndef DYNOLITH_TOOLS_PROGRAM_LAB_OUTPUTS_H_
#define DYNOLITH_TOOLS_PROGRAM_LAB_OUTPUTS_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "tools/lab/report/price_list.h"
#include "tools/lab/result/run_result.h"

namespace dynolith {

absl::Status WriteTextFile(const std::string& file, std::string_view text);
// Before a run that may take long: whether its result can go there. Empty: nowhere.
absl::Status CheckWritable(const std::string& file);
// With those above it. Empty: none.
absl::Status MakeFolder(const std::string& folder);
// A page for a browser.
absl::Status WriteReport(const std::string& file, const std::vector<lab::RunResult>& runs,
                         const lab::PriceList& prices);

}  // namespace dynolith

#endif  // DYNOLITH_TOOLS_PROGRAM_LAB_OUTPUTS_H_
