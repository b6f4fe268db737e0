#include "tools/server/shipping.h"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <utility>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "api/json/json_member.h"
#include "api/json/json_writer.h"
#include "api/service/admin_error.h"
#include "api/service/messages.h"
#include "api/service/time_text.h"
#include "dynolith/database.h"
#include "engine/base/errors.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "tools/server/messages.h"
#include "tools/ship/receiver.h"
#include "tools/ship/state_file.h"

namespace dynolith {
namespace {

constexpr std::string_view kPath = "/_dynolith/shipping";
// At the end of the server, for what was written last.
constexpr absl::Duration kShipPatience = absl::Seconds(10);

absl::Status CheckOptions(const ShippingOptions& options) {
  if (options.is_shared) return absl::InvalidArgumentError(messages::ShipNeedsOwnStore());
  if (options.data_folder.empty()) {
    return absl::InvalidArgumentError(messages::ShipNeedsFolder());
  }
  if (options.is_one_of_many) return absl::InvalidArgumentError(messages::ShipOfOneDatabase());
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<Shipping>> Shipping::Make(const ShippingOptions& options, Log* log) {
  const std::string folder = ship::RealFolder(options.data_folder);
  if (options.ship.url.empty()) {
    if (!options.data_folder.empty() && !options.reads_only) {
      DYNOLITH_RETURN_IF_ERROR(ship::CheckDoesNotReceive(folder));
    }
    return nullptr;
  }
  DYNOLITH_RETURN_IF_ERROR(CheckOptions(options));
  ship::ShipOptions ship = options.ship;
  ship.folder = folder;
  ship.is_encrypted = !options.encryption_key.empty();
  ship.note = [log](std::string_view text) { log->Write(LogLevel::kInfo, text); };
  ship.warn = [log](std::string_view text) { log->Write(LogLevel::kWarning, text); };
  ship.fenced = [log](const absl::Status& why) {
    log->Write(LogLevel::kError, MessageOf(why));
    // At once: what would still be acknowledged is in no other store. The folder is as after a
    // kill.
    std::_Exit(1);
  };
  DYNOLITH_RETURN_IF_ERROR(
      ship::TakeOverReceived(ship, options.encryption_key, options.check_opens));
  std::unique_ptr<Shipping> shipping(new Shipping);
  DYNOLITH_ASSIGN_OR_RETURN(shipping->shipper_, ship::Shipper::Open(std::move(ship)));
  return shipping;
}

absl::Status Shipping::Begin(DatabaseInstance* database) {
  return shipper_->Begin([database](const std::string& to) {
    const DatabaseInstance::Use use = database->Begin();
    if (!use) return absl::UnavailableError(messages::DatabaseNotOpen());
    return use.database()->Checkpoint(to);
  });
}

void Shipping::Stop() { shipper_->Stop(kShipPatience); }

bool Shipping::IsPath(std::string_view path) { return path == kPath; }

void Shipping::Answer(const AdminRequest& request, JsonResponse* answer) const {
  if (request.method != "GET") return AnswerWrongMethod(request.path, "GET", answer);
  const ship::ShippingReport report = shipper_->Report();
  JsonWriter writer(&answer->body);
  writer.BeginObject();
  WriteText(&writer, "target", report.target);
  if (report.shipped) WriteText(&writer, "shipped", TimeText(*report.shipped));
  if (report.base) WriteText(&writer, "base", TimeText(*report.base));
  WriteCount(&writer, "segments", report.segments);
  WriteCount(&writer, "bases", report.bases);
  WriteCount(&writer, "files", report.files);
  WriteCount(&writer, "bytes", report.bytes);
  WriteCount(&writer, "backlog", report.backlog_bytes);
  WriteCount(&writer, "failures", report.failures);
  if (report.away_since) {
    WriteText(&writer, "awaySince", TimeText(*report.away_since));
    WriteText(&writer, "why", report.why_away);
  }
  writer.EndObject();
}

void Shipping::AddMetrics(MetricFamilies* families) const {
  const ship::ShippingReport report = shipper_->Report();
  AddCount("ship_segments_total", "Segments of logs that were shipped.",
           static_cast<double>(report.segments), families);
  AddCount("ship_bases_total", "Bases that were shipped.", static_cast<double>(report.bases),
           families);
  AddCount("ship_bytes_total", "Bytes that were shipped, of segments and of bases' new files.",
           static_cast<double>(report.bytes), families);
  AddCount("ship_failures_total", "Attempts to ship that failed, and are repeated.",
           static_cast<double>(report.failures), families);
  AddLevel("ship_backlog_bytes", "Bytes of logs that wait to be shipped.",
           static_cast<double>(report.backlog_bytes), families);
  if (!report.shipped) return;
  AddLevel("ship_lag_seconds", "Since when the target does not have what was written.",
           absl::ToDoubleSeconds(std::max(absl::Now() - *report.shipped, absl::ZeroDuration())),
           families);
}

}  // namespace dynolith
