// Outputs of ExecuteStatement, BatchExecuteStatement and ExecuteTransaction -> JSON.
#ifndef DYNOLITH_API_JSON_WRITE_STATEMENTS_H_
#define DYNOLITH_API_JSON_WRITE_STATEMENTS_H_

#include "api/json/json_writer.h"
#include "dynolith/statements.h"

namespace dynolith {

// Each writes one whole output object.
void WriteOutputJson(const ExecuteStatementOutput& output, JsonWriter* writer);
void WriteOutputJson(const BatchExecuteStatementOutput& output, JsonWriter* writer);
void WriteOutputJson(const ExecuteTransactionOutput& output, JsonWriter* writer);

}  // namespace dynolith

#endif  // DYNOLITH_API_JSON_WRITE_STATEMENTS_H_
