// Outputs of SearchVectors -> JSON.
#ifndef DYNOLITH_API_JSON_WRITE_VECTORS_H_
#define DYNOLITH_API_JSON_WRITE_VECTORS_H_

#include "api/json/json_writer.h"
#include "dynolith/vectors.h"

namespace dynolith {

void WriteOutputJson(const SearchVectorsOutput& output, JsonWriter* writer);

}  // namespace dynolith

#endif  // DYNOLITH_API_JSON_WRITE_VECTORS_H_
