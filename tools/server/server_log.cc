#include "tools/server/server_log.h"

#include "engine/base/strings.h"
#include "tools/server/messages.h"

namespace dynolith {
namespace {

constexpr size_t kRefusalsMax = 100;

// Writes an exchange for programs.
void WriteExchange(Log* log, const http::ExchangeRecord& record) {
  // The operation follows the version of the service.
  const std::string_view target = record.target;
  log->Write(LogLevel::kInfo, messages::RequestWasAnswered(),
             {{"method", record.method},
              {"path", record.path},
              {"operation", target.substr(target.find('.') + 1)},
              {"status", record.status},
              {"in", static_cast<int64_t>(record.request_bytes)},
              {"out", static_cast<int64_t>(record.response_bytes)},
              {"us", absl::ToInt64Microseconds(record.duration)},
              {"request_id", record.request_id}});
}

}  // namespace

std::function<void(const http::ExchangeRecord&)> ServerLog::Recorder() {
  if (!log_->Shows(LogLevel::kInfo)) return nullptr;
  return [log = log_](const http::ExchangeRecord& record) {
    if (log->is_json()) return WriteExchange(log, record);
    log->Write(LogLevel::kInfo,
               messages::RequestAnswered(record.method, record.path, record.target, record.status),
               {{"in", static_cast<int64_t>(record.request_bytes)},
                {"out", static_cast<int64_t>(record.response_bytes)},
                {"us", absl::ToInt64Microseconds(record.duration)},
                {"request_id", record.request_id}});
  };
}

void ServerLog::NoteFailure(const http::FailureRecord& record) {
  log_->Write(LogLevel::kError, messages::CallFailed(),
              {{"status", record.status},
               {"kind", record.kind},
               {"operation", record.operation},
               {"table", record.tables},
               {"request_id", record.request_id},
               {"cause", record.cause}});
}

void ServerLog::NoteBackgroundFailure(const absl::Status& failure) {
  log_->Write(LogLevel::kError, messages::BackgroundWorkFailed(),
              {{"cause", ToStd(failure.message())}});
}

void ServerLog::NoteTraceEnd(const absl::Status& why) {
  log_->Write(LogLevel::kError, messages::TraceEnds(), {{"cause", ToStd(why.message())}});
}

void ServerLog::NoteImportFault(const ImportFault& fault) {
  if (fault.object.empty()) {
    log_->Write(LogLevel::kWarning, messages::ImportWentWrong(),
                {{"table", fault.table}, {"cause", fault.reason}});
    return;
  }
  log_->Write(LogLevel::kWarning, messages::ImportLeftOut(),
              {{"table", fault.table},
               {"object", fault.object},
               {"line", fault.line},
               {"cause", fault.reason}});
}

void ServerLog::NoteRefusal(std::string_view reason) {
  {
    absl::MutexLock lock(&mutex_);
    if (refusals_.size() == kRefusalsMax || !refusals_.emplace(reason).second) return;
  }
  if (log_->is_json()) {
    log_->Write(LogLevel::kWarning, messages::PageWasRefused(), {{"cause", reason}});
    return;
  }
  log_->Write(LogLevel::kWarning, messages::PageRefused(reason));
}

}  // namespace dynolith
