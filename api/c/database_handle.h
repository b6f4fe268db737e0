// What stands behind a dynolith_database: the database and what it borrows.
#ifndef DYNOLITH_API_C_DATABASE_HANDLE_H_
#define DYNOLITH_API_C_DATABASE_HANDLE_H_

#include <memory>
#include <optional>

#include "api/admin/admin_calls.h"
#include "api/json/dispatch.h"
#include "api/settings/open_settings.h"
#include "api/transfer/files/bucket_transfer.h"
#include "dynolith/database.h"
#include "dynolith/dynolith.h"
#include "engine/base/clock.h"

struct dynolith_database {
  explicit dynolith_database(const dynolith::OpenSettings& settings);

  dynolith::ManualClock clock;  // the database's, unless that is the machine's
  dynolith::BucketTransfer transfers;
  std::unique_ptr<dynolith::Database> database;
  std::optional<dynolith::Dispatcher> dispatcher;
  std::optional<dynolith::AdminCalls> admin;
};

#endif  // DYNOLITH_API_C_DATABASE_HANDLE_H_
