#include "api/c/database_handle.h"

#include <string>
#include <string_view>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "api/c/error_handle.h"
#include "api/c/messages.h"
#include "api/service/messages.h"
#include "api/service/open_settings.h"
#include "api/service/time_text.h"
#include "dynolith/restorable_database.h"
#include "engine/base/clock.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/store/without_folders/messages.h"

namespace dynolith::c {
namespace {

// The Host of a call that has none: this database has no address.
constexpr std::string_view kEndpointAddress = "localhost";

absl::Time ClockStart(const OpenSettings& settings) {
  if (settings.clock_start) return *settings.clock_start;
  return absl::FromUnixMillis(absl::ToUnixMillis(SystemClock().Now()));
}

// With the other regions, if there are any.
absl::Status OpenInstance(const OpenSettings& settings, RestorableOptions options,
                          dynolith_database* handle) {
  const DispatcherOptions calls = {.endpoint_address = std::string(kEndpointAddress)};
  if (settings.regions.size() < 2) {
    DYNOLITH_ASSIGN_OR_RETURN(handle->instance, DatabaseInstance::Open(std::move(options), calls));
    return absl::OkStatus();
  }
  DYNOLITH_ASSIGN_OR_RETURN(handle->regions,
                            NamedDatabases::Open({.each = std::move(options),
                                                  .calls = calls,
                                                  .more_regions = {settings.regions.begin() + 1,
                                                                   settings.regions.end()}}));
  handle->instance = handle->regions->FindRegion(settings.regions.front());
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<dynolith_database>> OpenHandle(std::string_view options) {
  DYNOLITH_ASSIGN_OR_RETURN(OpenSettings settings, ReadOpenSettings(options));
  auto handle = std::make_unique<dynolith_database>();
  if (!settings.endpoint.empty()) {
    DYNOLITH_ASSIGN_OR_RETURN(handle->endpoint, OpenEndpoint(settings));
    return handle;
  }
  handle->transfers = MakeTransfers(settings.buckets_folder);
  if (handle->transfers == nullptr && !settings.buckets_folder.empty()) {
    return absl::FailedPreconditionError(
        messages::BuiltWithoutFolders(Concat("buckets in the folder ", settings.buckets_folder)));
  }
  if (!settings.buckets_folder.empty()) settings.database.transfers = handle->transfers.get();
  const absl::Time start = ClockStart(settings);
  RestorableOptions restorable{.database = settings.database};
  if (settings.manual_clock) restorable.manual_clock_start = start;
  DYNOLITH_RETURN_IF_ERROR(OpenInstance(settings, std::move(restorable), handle.get()));
  if (!settings.clock_start) return handle;
  // An open database has moved the clock forward to the latest time in its folder.
  const absl::Time now = handle->instance->Begin().clock()->Now();
  if (now != start) {
    return absl::FailedPreconditionError(messages::ClockStartTooEarly(
        "clock_start", TimeText(start), settings.database.path, TimeText(now)));
  }
  return handle;
}

// Whether it may have snapshots, and forks.
absl::Status CheckAlone(const dynolith_database& database) {
  DYNOLITH_RETURN_IF_ERROR(CheckInProcess(database));
  if (database.regions == nullptr) return absl::OkStatus();
  return absl::FailedPreconditionError(messages::RegionsHaveOneClock("a snapshot"));
}

absl::StatusOr<std::unique_ptr<dynolith_database>> ForkHandle(const dynolith_database& of,
                                                              std::string_view snapshot,
                                                              std::string_view path) {
  DYNOLITH_RETURN_IF_ERROR(CheckAlone(of));
  auto handle = std::make_unique<dynolith_database>();
  handle->transfers = of.transfers;
  DYNOLITH_ASSIGN_OR_RETURN(handle->instance,
                            of.instance->Fork(snapshot, {.path = std::string(path)}));
  return handle;
}

absl::StatusOr<std::unique_ptr<dynolith_database>> RegionHandle(const dynolith_database& of,
                                                                std::string_view region) {
  DYNOLITH_RETURN_IF_ERROR(CheckInProcess(of));
  if (of.regions == nullptr) return absl::FailedPreconditionError(messages::NoOtherRegions());
  auto handle = std::make_unique<dynolith_database>();
  handle->transfers = of.transfers;
  handle->regions = of.regions;
  handle->instance = of.regions->FindRegion(region);
  if (handle->instance == nullptr) return absl::NotFoundError(messages::NoSuchRegion(region));
  return handle;
}

// Gives the handle that `make` returns to a caller of the C interface.
template <typename Make>
dynolith_error* HandOut(dynolith_database** place, Make make) {
  if (place != nullptr) *place = nullptr;
  return Guarded([&]() -> absl::Status {
    if (place == nullptr) return absl::InvalidArgumentError(messages::NoPlaceForDatabase());
    DYNOLITH_ASSIGN_OR_RETURN(std::unique_ptr<dynolith_database> handle, make());
    *place = handle.release();
    return absl::OkStatus();
  });
}

}  // namespace

absl::Status CheckInProcess(const dynolith_database& database) {
  DYNOLITH_RETURN_IF_ERROR(database.process.CheckNotForked());
  if (database.endpoint == nullptr) return absl::OkStatus();
  return absl::FailedPreconditionError(messages::NotBehindEndpoint(database.endpoint->address()));
}

absl::StatusOr<DatabaseInstance::Use> Begin(const dynolith_database& database) {
  DYNOLITH_RETURN_IF_ERROR(CheckInProcess(database));
  DatabaseInstance::Use use = database.instance->Begin();
  if (!use) return absl::InternalError(messages::DatabaseNotOpen());
  return use;
}

}  // namespace dynolith::c

const char* dynolith_version(void) { return DYNOLITH_VERSION; }

dynolith_error* dynolith_open(const char* options, size_t options_size,
                              dynolith_database** database) {
  return dynolith::c::HandOut(database, [&] {
    return dynolith::c::OpenHandle({options, options_size});
  });
}

void dynolith_close(dynolith_database* database) {
  // A child of the process that opened the database must not touch it.
  if (database == nullptr || database->process.IsForked()) return;
  delete database;
}

dynolith_error* dynolith_region(dynolith_database* database, const char* region, size_t region_size,
                                dynolith_database** opened) {
  return dynolith::c::HandOut(opened, [&] {
    return dynolith::c::RegionHandle(*database, {region, region_size});
  });
}

dynolith_error* dynolith_snapshot(dynolith_database* database, const char* name, size_t name_size) {
  return dynolith::c::Guarded([&]() -> absl::Status {
    DYNOLITH_RETURN_IF_ERROR(dynolith::c::CheckAlone(*database));
    return database->instance->restorable().TakeSnapshot({name, name_size});
  });
}

dynolith_error* dynolith_restore(dynolith_database* database, const char* name, size_t name_size) {
  return dynolith::c::Guarded([&]() -> absl::Status {
    DYNOLITH_RETURN_IF_ERROR(dynolith::c::CheckAlone(*database));
    return database->instance->restorable().Restore({name, name_size});
  });
}

dynolith_error* dynolith_remove_snapshot(dynolith_database* database, const char* name,
                                         size_t name_size) {
  return dynolith::c::Guarded([&]() -> absl::Status {
    DYNOLITH_RETURN_IF_ERROR(dynolith::c::CheckAlone(*database));
    return database->instance->restorable().RemoveSnapshot({name, name_size});
  });
}

dynolith_error* dynolith_fork(dynolith_database* database, const char* name, size_t name_size,
                              const char* path, size_t path_size, dynolith_database** fork) {
  return dynolith::c::HandOut(fork, [&] {
    return dynolith::c::ForkHandle(*database, {name, name_size}, {path, path_size});
  });
}
