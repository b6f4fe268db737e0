#include "tools/server/receiving.h"

#include <algorithm>
#include <utility>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "api/json/json_member.h"
#include "api/json/json_writer.h"
#include "api/service/admin_error.h"
#include "api/service/time_text.h"
#include "engine/base/status_macros.h"
#include "tools/ship/messages.h"
#include "tools/ship/state_file.h"

namespace dynolith {
namespace {

constexpr std::string_view kReceivingPath = "/_dynolith/receiving";

}  // namespace

absl::StatusOr<std::unique_ptr<Receiving>> Receiving::Begin(ship::ReceiveOptions options,
                                                            const DatabaseOptions& database,
                                                            Log* log) {
  if (options.url.empty()) return nullptr;
  options.folder = ship::RealFolder(database.path);
  options.encryption_key = database.encryption_key;
  options.note = [log](std::string_view text) { log->Write(LogLevel::kInfo, text); };
  options.warn = [log](std::string_view text) { log->Write(LogLevel::kWarning, text); };
  std::unique_ptr<Receiving> receiving(new Receiving);
  DYNOLITH_ASSIGN_OR_RETURN(receiving->receiver_, ship::Receiver::Open(std::move(options)));
  DYNOLITH_RETURN_IF_ERROR(receiving->receiver_->Begin());
  const ship::ReceivingReport report = receiving->receiver_->Report();
  log->Write(LogLevel::kInfo,
             ship::messages::ReceivingFrom(report.target, TimeText(report.received)));
  return receiving;
}

bool Receiving::IsPath(std::string_view path) { return path == kReceivingPath; }

void Receiving::Answer(const AdminRequest& request, JsonResponse* answer) const {
  if (request.method != "GET") return AnswerWrongMethod(request.path, "GET", answer);
  const ship::ReceivingReport report = receiver_->Report();
  JsonWriter writer(&answer->body);
  writer.BeginObject();
  WriteText(&writer, "target", report.target);
  WriteText(&writer, "received", TimeText(report.received));
  WriteText(&writer, "base", report.base);
  WriteCount(&writer, "segments", report.segments);
  WriteCount(&writer, "bases", report.bases);
  WriteCount(&writer, "bytes", report.bytes);
  WriteCount(&writer, "failures", report.failures);
  if (!report.waits.empty()) WriteText(&writer, "waits", report.waits);
  if (report.away_since) {
    WriteText(&writer, "awaySince", TimeText(*report.away_since));
    WriteText(&writer, "why", report.why_away);
  }
  writer.EndObject();
}

void Receiving::AddMetrics(MetricFamilies* families) const {
  const ship::ReceivingReport report = receiver_->Report();
  AddCount("receive_segments_total", "Segments of logs that were received.",
           static_cast<double>(report.segments), families);
  AddCount("receive_bases_total", "Bases that were received.", static_cast<double>(report.bases),
           families);
  AddCount("receive_bytes_total", "Bytes that were received, of segments and of bases' new files.",
           static_cast<double>(report.bytes), families);
  AddCount("receive_failures_total", "Attempts to receive that failed, and are repeated.",
           static_cast<double>(report.failures), families);
  AddLevel("receive_lag_seconds", "Since when what was written is not known to be here.",
           absl::ToDoubleSeconds(std::max(absl::Now() - report.received, absl::ZeroDuration())),
           families);
}

}  // namespace dynolith
