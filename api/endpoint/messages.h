// The texts about databases behind endpoints.
#ifndef DYNOLITH_API_ENDPOINT_MESSAGES_H_
#define DYNOLITH_API_ENDPOINT_MESSAGES_H_

#include <string>
#include <string_view>

#include "engine/base/strings.h"

namespace dynolith::messages {

inline std::string EndpointExcludes(std::string_view option) {
  return Concat("DatabaseOptions::", option,
                " is of a database in this process, and `endpoint` names a service elsewhere: set "
                "one of them");
}
inline std::string OnlyInThisProcess(std::string_view method, std::string_view endpoint) {
  return Concat("Database::", method, " exists only for a database in this process, and not for ",
                "the service at ", endpoint);
}
inline std::string AnswerUnread(std::string_view endpoint, std::string_view operation,
                                std::string_view reason) {
  return Concat("the answer of ", endpoint, " to ", operation, " cannot be read: ", reason);
}
inline std::string PageEndsNowhere(std::string_view attribute) {
  return Concat("a sink has ended the page after an item without its key attribute ", attribute,
                ", where no next page can begin: the projection leaves it out");
}
inline std::string AnswerOfOtherTable(std::string_view table) {
  return Concat("it has items of ", table, ", which was not asked for");
}

}  // namespace dynolith::messages

#endif  // DYNOLITH_API_ENDPOINT_MESSAGES_H_
