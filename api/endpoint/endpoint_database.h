// The Database behind an endpoint.
#ifndef DYNOLITH_API_ENDPOINT_ENDPOINT_DATABASE_H_
#define DYNOLITH_API_ENDPOINT_ENDPOINT_DATABASE_H_

#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "api/endpoint/endpoint_calls.h"
#include "api/endpoint/json_service.h"
#include "api/remote/retries.h"
#include "api/request/operation_context.h"
#include "dynolith/database.h"

namespace dynolith {

// What is no operation of the service fails, and names itself.
class EndpointDatabase final : public Database {
 public:
  // `endpoint`: for messages. Borrows `retries`, which may be a part of the service: that is
  // destroyed last.
  EndpointDatabase(std::unique_ptr<JsonService> service, std::string_view endpoint,
                   client::Retries* retries)
      : Database(&calls_),
        service_(std::move(service)),
        calls_(service_.get(), endpoint, retries) {}

  // Errors: those of Database::Open.
  static absl::StatusOr<std::unique_ptr<Database>> Open(const DatabaseOptions& options);

  // In a child of the process that opened it, it is left as it is: its connections are the
  // parent's, and TLS would end them there.
  static void operator delete(EndpointDatabase* database, std::destroying_delete_t) {
    if (database->calls_.process().IsForked()) return;
    database->~EndpointDatabase();
    ::operator delete(database);
  }

  absl::StatusOr<int64_t> SweepExpiredItems() override { return Absent("SweepExpiredItems"); }
  absl::Status TakeBackgroundFailure() override { return calls_.process().CheckNotForked(); }
  absl::StatusOr<std::unique_ptr<TableLoad>> LoadTable(const CreateTableRequest&) override {
    return Absent("LoadTable");
  }
  absl::StatusOr<std::unique_ptr<ChangeReader>> ReadChanges(const ChangesFrom&) override {
    return Absent("ReadChanges");
  }
  absl::Status Checkpoint(const std::string&) override { return Absent("Checkpoint"); }
  absl::Status SetCapacity(std::string_view, const CapacityOptions&) override {
    return Absent("SetCapacity");
  }
  absl::StatusOr<CapacityReport> ReportCapacity(std::string_view) const override {
    return Absent("ReportCapacity");
  }
  std::vector<UseReport> ReportUse() const override { return {}; }
  absl::StatusOr<HotKeyReport> ReportHotKeys(std::string_view, std::string_view) const override {
    return Absent("ReportHotKeys");
  }
  absl::Status WatchHeat(std::string_view, bool) override { return Absent("WatchHeat"); }
  absl::StatusOr<HeatReport> ReportHeat(std::string_view, std::string_view,
                                        absl::Time) const override {
    return Absent("ReportHeat");
  }
  absl::Status SetIndexShards(std::string_view, std::string_view, int) override {
    return Absent("SetIndexShards");
  }
  absl::StatusOr<IndexShards> DescribeIndexShards(std::string_view,
                                                  std::string_view) const override {
    return Absent("DescribeIndexShards");
  }
  absl::StatusOr<IndexReport> ReportIndexes(std::string_view) const override {
    return Absent("ReportIndexes");
  }
  absl::StatusOr<int64_t> AddFault(const FaultRule&) override { return Absent("AddFault"); }
  bool RemoveFault(int64_t) override { return false; }
  void RemoveFaults() override {}
  std::vector<FaultReport> ListFaults() const override { return {}; }
  absl::Status HoldReads(const ReadScope&) override { return Absent("HoldReads"); }
  absl::Status ReleaseReads(const ReadScope&) override { return Absent("ReleaseReads"); }
  StalenessState DescribeStaleness() const override { return {}; }
  Statistics TakeStatistics() const override { return {}; }
  void Interrupt() override { calls_.Interrupt(); }
  absl::Status WaitForBackfills() override { return Absent("WaitForBackfills"); }

 protected:
  const OperationContext& context() const override { return context_; }

 private:
  absl::Status Absent(std::string_view method) const;

  const OperationContext context_;  // with none of the parts
  const std::unique_ptr<JsonService> service_;
  EndpointCalls calls_;
};

}  // namespace dynolith

#endif  // DYNOLITH_API_ENDPOINT_ENDPOINT_DATABASE_H_
