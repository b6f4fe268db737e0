// The texts about items in files.
#ifndef DYNOLITH_TOOLS_FILES_ITEMS_MESSAGES_H_
#define DYNOLITH_TOOLS_FILES_ITEMS_MESSAGES_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "engine/base/strings.h"

namespace dynolith::messages {

// --- files

inline std::string DesignCannotRead(std::string_view reason) {
  return Concat("cannot be read: ", reason);
}
inline std::string DesignTooLarge(size_t bytes_max) {
  return Concat("a document of more than ", bytes_max >> 20,
                " MB is not read; items may stand one on a line, in a file of any size");
}
inline std::string DesignNotJson() { return "no JSON from here on"; }
inline std::string DesignNameTwice(std::string_view name) {
  return Concat(name, " stands twice in this map");
}
inline std::string DesignNotUtf8() { return "no UTF-8"; }

// --- items

inline std::string DesignNotAnItem() { return "an item is a JSON object"; }
inline std::string DesignOnlyWrites() {
  return "this is neither a PutRequest with an Item nor a DeleteRequest with a Key, and left out";
}
inline std::string DesignOtherTable(std::string_view table) {
  return Concat("this is an item of the table ", table, ", the first one of the file is not");
}
inline std::string DesignPageIsNotLast(std::string_view member) {
  return Concat("with ", member, " there are more items that are not in this file");
}
inline std::string PipelineNoAttribute() {
  return "no attribute of a line of Data Pipeline: a name, the byte 3, and a value in JSON are "
         "wanted";
}
inline std::string PipelineNoValue(std::string_view name) {
  return Concat(name, " has no value as Data Pipeline writes them: {\"s\": \"text\"}");
}
inline std::string DesignCarriageReturns() {
  return "there is a carriage return within the first line; lines have to end with LF or CRLF";
}
inline std::string DesignFieldsDiffer(size_t fields, size_t names) {
  return Concat(fields, fields == 1 ? " field" : " fields", ", but the first line names ", names);
}

}  // namespace dynolith::messages

#endif  // DYNOLITH_TOOLS_FILES_ITEMS_MESSAGES_H_
