// Tables as the AWS CLI writes and reads them: inputs of CreateTable, outputs of DescribeTable, and
// inputs of calls that change a table.
#ifndef DYNOLITH_TOOLS_FILES_TABLE_CREATE_TABLE_H_
#define DYNOLITH_TOOLS_FILES_TABLE_CREATE_TABLE_H_

#include <optional>
#include <string>

#include "engine/text/json_tree.h"
#include "tools/files/table/findings.h"
#include "tools/files/table/table_design.h"

namespace dynolith::designs {

// The design, if it is one of them: {"TableName": …, "KeySchema": …}, {"Table": {…}},
// {"TableDescription": {…}}, {"TableName": …, "TimeToLiveSpecification": …} or
// {"TableName": …, "PointInTimeRecoverySpecification": …}. The two specifications may also stand
// beside a KeySchema.
std::optional<TableDesign> ReadTableJson(const std::string& file, const JsonTree& tree,
                                         Findings* findings);

// The input of CreateTable that makes such a table. `description`: {"TableName": …, …} as
// DescribeTable answers it.
JsonTree ToCreateTableCall(const JsonTree& description);

// Adds UpdateTimeToLive or UpdateContinuousBackups with this specification. A TTL that is off and
// recovery that is off are what a new table has: no call.
void AddSpecification(const std::string& file, std::string_view operation, std::string_view member,
                      JsonTree specification, TableDesign* design, Findings* findings,
                      UnknownMembers unknown = UnknownMembers::kWarn);

}  // namespace dynolith::designs

#endif  // DYNOLITH_TOOLS_FILES_TABLE_CREATE_TABLE_H_
