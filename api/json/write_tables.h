// Outputs of the table operations -> JSON.
#ifndef DYNOLITH_API_JSON_WRITE_TABLES_H_
#define DYNOLITH_API_JSON_WRITE_TABLES_H_

#include <string_view>

#include "api/json/json_writer.h"
#include "dynolith/requests.h"

namespace dynolith {

// "ACTIVE".
std::string_view TableStatusWord(TableStatus status);
std::string_view IndexStatusWord(IndexStatus status);

// {"<key>":{…description…}}: `key` is "Table" or "TableDescription".
void WriteTableJson(std::string_view key, const TableDescription& description, JsonWriter* writer);
// {"TableDescription":{…}} with what the service still shows of a table when it is being deleted.
void WriteDeletedTableJson(const TableDescription& description, JsonWriter* writer);
// {…TableCreationParameters…}: what was asked for when the table was made.
void WriteTableParameters(const TableMeta& meta, JsonWriter* writer);
void WriteOutputJson(const ListTablesOutput& output, JsonWriter* writer);
void WriteOutputJson(const DescribeLimitsOutput& output, JsonWriter* writer);
void WriteOutputJson(const DescribeEndpointsOutput& output, JsonWriter* writer);

}  // namespace dynolith

#endif  // DYNOLITH_API_JSON_WRITE_TABLES_H_
