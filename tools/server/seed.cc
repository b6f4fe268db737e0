#include "tools/server/seed.h"

#include <memory>

#include "engine/base/status_macros.h"
#include "tools/client/service_target.h"
#include "tools/files/finding_printer.h"
#include "tools/server/messages.h"

namespace dynolith {
namespace {

designs::LoadOptions MakeLoadOptions(const SeedOptions& options) {
  return {.files = options.files,
          .read = options.read,
          .if_exists = designs::IfExists::kKeep,
          .table = "",
          .journal = "",
          .to = "",
          .in_region = options.in_region};
}

absl::Status ToStatus(const designs::LoadSummary& summary) {
  if (summary.is_over) return absl::CancelledError(messages::SeedInterrupted());
  if (summary.errors == 0) return absl::OkStatus();
  return absl::FailedPreconditionError(messages::DesignErrors(summary.errors));
}

}  // namespace

absl::Status CheckSeeds(const SeedOptions& options) {
  designs::FindingPrinter printer;
  const designs::LoadListener listener = {// Warnings come with the load.
                                          .find =
                                              [&](const designs::Finding& finding) {
                                                if (finding.is_error) printer.Print(finding);
                                              },
                                          .is_over = options.is_over};
  DYNOLITH_ASSIGN_OR_RETURN(const designs::LoadSummary summary,
                            LoadDesigns(MakeLoadOptions(options), nullptr, listener));
  return ToStatus(summary);
}

absl::Status Seed(const SeedOptions& options, Database* database) {
  std::vector<std::string> made;
  designs::FindingPrinter printer;
  const designs::LoadListener listener = {
      .find = [&](const designs::Finding& finding) { printer.Print(finding); },
      .progress = nullptr,
      .made =
          [&](const std::string& table) {
            if (options.wait) options.wait();
            database->SetCapacity(table, {}).IgnoreError();
            made.push_back(table);
          },
      .replica_begun = options.wait,
      .is_over = options.is_over};
  const client::PatienceUntil patience(options.is_over);
  const std::unique_ptr<client::ServiceTarget> target = client::MakeDatabaseTarget(database);
  DYNOLITH_ASSIGN_OR_RETURN(const designs::LoadSummary summary,
                            LoadDesigns(MakeLoadOptions(options), target.get(), listener));
  DYNOLITH_RETURN_IF_ERROR(ToStatus(summary));
  for (const std::string& table : made) {
    DYNOLITH_RETURN_IF_ERROR(database->SetCapacity(table, options.capacity));
  }
  return absl::OkStatus();
}

}  // namespace dynolith
