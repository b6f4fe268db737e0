// The C++ structures of the model -> JSON, by their bindings (engine/model/binding.h).
#ifndef DYNOLITH_API_JSON_WRITE_STRUCTURE_H_
#define DYNOLITH_API_JSON_WRITE_STRUCTURE_H_

#include <string_view>

#include "api/json/json_writer.h"
#include "engine/model/shapes.h"

namespace dynolith {

// Writes the structure, which is of the C++ type to which the shape is bound, as an object.
void WriteStructure(const Shape& shape, const void* structure, JsonWriter* writer);

// Writes the present members into an open object, except `but`.
void WriteMembers(const Shape& shape, const void* structure, JsonWriter* writer,
                  std::string_view but = "");

}  // namespace dynolith

#endif  // DYNOLITH_API_JSON_WRITE_STRUCTURE_H_
