// Items as Data Pipeline's older exports have them, one on a line:
//
//   line      = attribute *( %x02 attribute ) [ %x02 ]      ; STX
//   attribute = name %x03 value                             ; ETX
//   value     = '{"s":"x"}'                                 ; JSON, its type in lower case
//
// Neither of the two signs stands in JSON as it is.
#ifndef DYNOLITH_TOOLS_FILES_ITEMS_PIPELINE_LINE_H_
#define DYNOLITH_TOOLS_FILES_ITEMS_PIPELINE_LINE_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "engine/text/json_tree.h"

namespace dynolith::designs {

// The error of a line, and its position in bytes from 1.
struct PipelineError {
  size_t column = 0;
  std::string text;
};

// The item, its values in the service's JSON. nullopt: `error` says why.
std::optional<JsonTree> ReadPipelineLine(std::string_view line, PipelineError* error);

// Whether such a line is among the first ones of a text.
bool HoldsPipelineLines(std::string_view beginning);

}  // namespace dynolith::designs

#endif  // DYNOLITH_TOOLS_FILES_ITEMS_PIPELINE_LINE_H_
