// Measures the library in this process.
#ifndef DYNOLITH_TOOLS_LAB_MEASURE_LIBRARY_TARGET_H_
#define DYNOLITH_TOOLS_LAB_MEASURE_LIBRARY_TARGET_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "dynolith/database.h"
#include "engine/base/limits.h"
#include "tools/lab/measure/service_call.h"

namespace dynolith::lab {

class LibraryTarget final : public MeasuredTarget {
 public:
  // A database with these options; in memory without a path. Errors: those of Database::Open.
  static absl::StatusOr<std::unique_ptr<LibraryTarget>> Open(DatabaseOptions options);

  std::unique_ptr<MeasuredConnection> Connect() override;
  std::string name() const override { return name_; }
  std::optional<int64_t> warm_max() const override { return kTableThroughputMax; }
  size_t connections_max() const override { return 64; }
  bool knows_storage() const override { return true; }
  void BeginLoading(const std::vector<std::string>& tables) override;
  void EndLoading(const std::vector<std::string>& tables) override;

 private:
  LibraryTarget(std::string name, const CapacityOptions& capacity,
                std::unique_ptr<Database> database)
      : name_(std::move(name)), capacity_(capacity), database_(std::move(database)) {}
  void SetCapacity(const std::vector<std::string>& tables, const CapacityOptions& capacity);

  const std::string name_;
  const CapacityOptions capacity_;
  const std::unique_ptr<Database> database_;
};

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_MEASURE_LIBRARY_TARGET_H_
