#include "api/c/database_handle.h"

#include <string>
#include <string_view>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "api/c/error_handle.h"
#include "api/settings/time_text.h"
#include "engine/base/messages/admin.h"
#include "engine/base/messages/c_face.h"
#include "engine/base/status_macros.h"

namespace dynolith::c {
namespace {

// Of a call without a Host: nobody reaches this database under an address.
constexpr std::string_view kEndpointAddress = "localhost";

absl::Time ClockStart(const OpenSettings& settings) {
  if (settings.clock_start) return *settings.clock_start;
  return absl::FromUnixMillis(absl::ToUnixMillis(SystemClock().Now()));
}

absl::StatusOr<std::unique_ptr<dynolith_database>> OpenHandle(std::string_view options) {
  DYNOLITH_ASSIGN_OR_RETURN(OpenSettings settings, ReadOpenSettings(options));
  auto handle = std::make_unique<dynolith_database>(settings);
  DatabaseOptions& database = settings.database;
  if (settings.manual_clock) database.clock = &handle->clock;
  if (!settings.buckets_folder.empty()) database.transfers = &handle->transfers;
  const absl::Time start = handle->clock.Now();
  DYNOLITH_ASSIGN_OR_RETURN(handle->database, Database::Open(database));
  // An open database has moved the clock forward to the latest time in its folder.
  if (settings.clock_start && handle->clock.Now() != start) {
    return absl::FailedPreconditionError(messages::ClockStartTooEarly(
        "clock_start", TimeText(start), database.path, TimeText(handle->clock.Now())));
  }
  handle->dispatcher.emplace(handle->database.get(),
                             DispatcherOptions{.endpoint_address = std::string(kEndpointAddress)});
  handle->admin.emplace(handle->database.get(), settings.manual_clock ? &handle->clock : nullptr);
  return handle;
}

}  // namespace
}  // namespace dynolith::c

dynolith_database::dynolith_database(const dynolith::OpenSettings& settings)
    : clock(dynolith::c::ClockStart(settings)), transfers(settings.buckets_folder) {}

const char* dynolith_version(void) { return DYNOLITH_VERSION; }

dynolith_error* dynolith_open(const char* options, size_t options_size,
                              dynolith_database** database) {
  if (database != nullptr) *database = nullptr;
  return dynolith::c::Guarded([&]() -> absl::Status {
    if (database == nullptr) {
      return absl::InvalidArgumentError(dynolith::messages::NoPlaceForDatabase());
    }
    DYNOLITH_ASSIGN_OR_RETURN(std::unique_ptr<dynolith_database> handle,
                              dynolith::c::OpenHandle({options, options_size}));
    *database = handle.release();
    return absl::OkStatus();
  });
}

void dynolith_close(dynolith_database* database) { delete database; }
