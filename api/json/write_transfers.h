// Outputs of exports and imports -> JSON.
#ifndef DYNOLITH_API_JSON_WRITE_TRANSFERS_H_
#define DYNOLITH_API_JSON_WRITE_TRANSFERS_H_

#include "api/json/json_writer.h"
#include "dynolith/transfers.h"

namespace dynolith {

void WriteOutputJson(const ImportTableDescription& output, JsonWriter* writer);
void WriteOutputJson(const ListImportsOutput& output, JsonWriter* writer);
void WriteOutputJson(const ExportDescription& output, JsonWriter* writer);
void WriteOutputJson(const ListExportsOutput& output, JsonWriter* writer);

}  // namespace dynolith

#endif  // DYNOLITH_API_JSON_WRITE_TRANSFERS_H_
