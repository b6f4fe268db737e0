// The replicas of global tables in the regions of a load's target.
#ifndef DYNOLITH_TOOLS_FILES_TABLE_REPLICAS_H_
#define DYNOLITH_TOOLS_FILES_TABLE_REPLICAS_H_

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/client/service_target.h"
#include "tools/files/table/findings.h"
#include "tools/files/table/table_design.h"

namespace dynolith::designs {

// The target of calls in another region. Errors: there is no such region.
using RegionTarget =
    std::function<absl::StatusOr<std::unique_ptr<client::ServiceTarget>>(const std::string&)>;

// About five minutes (client::WaitBeforeLook).
inline constexpr int kLooksMax = 150;

// The error of a table that there is not.
inline constexpr std::string_view kNoTable = "ResourceNotFoundException";

// The call with the ARN that it wants, as a DescribeTable of the table has it. Without one it stays
// as it is, and the service refuses it.
TableCall WithArn(TableCall call, const JsonTree& described);

// One thread at a time.
class TableReplicas {
 public:
  struct Options {
    std::string region;      // in which the tables are made
    RegionTarget in_region;  // empty: there is one region
    std::function<void(const Finding&)> find;
    std::function<void()> begun;  // a replica has been begun, and is waited for; may be empty
  };
  explicit TableReplicas(Options options) : options_(std::move(options)) {}

  // Whether the target has regions: then all calls are to go to `in_region(region)`. `connection`:
  // to any of them; nothing is changed.
  bool HasRegions(client::ServiceConnection* connection);
  // Takes away the replicas that the target cannot have, and says so. Reports what is wrong in the
  // others. False: the tables cannot be made. Requires: HasRegions was called.
  bool Reduce(std::vector<TableDesign>* tables);
  // Makes the replicas one by one, or those of a strong table together, each with its settings.
  // Requires: the table is ACTIVE, and Reduce. False: an error was reported.
  bool Make(client::ServiceConnection* connection, const TableDesign& design);
  // Names those that an existing table lacks.
  void SayMissing(const TableDesign& design, const JsonTree& described);
  // Deletes the replicas that a table has, so that it can be deleted. False: an error was reported.
  bool Remove(client::ServiceConnection* connection, const TableDesign& design);

 private:
  struct Region {
    std::unique_ptr<client::ServiceTarget> target;
    std::unique_ptr<client::ServiceConnection> connection;
  };

  // nullptr: it is not served.
  client::ServiceConnection* InRegion(const std::string& region);
  void Fail(const FileLocation& place, std::string text) {
    options_.find({place, std::move(text), true});
  }
  // False: it failed, which is reported.
  bool Do(client::ServiceConnection* connection, const TableCall& call);
  // nullopt: it could not be described, which is reported.
  std::optional<JsonTree> Describe(client::ServiceConnection* connection,
                                   const TableDesign& design);
  bool SetUp(const TableDesign& design, const ReplicaDesign& replica);
  bool UpdateReplicas(client::ServiceConnection* connection, const TableDesign& design,
                      JsonTree updates, const std::function<bool(const JsonTree&)>& is_done,
                      JsonTree more = {});

  const Options options_;
  bool has_regions_ = false;
  std::map<std::string, Region> regions_;
};

}  // namespace dynolith::designs

#endif  // DYNOLITH_TOOLS_FILES_TABLE_REPLICAS_H_
