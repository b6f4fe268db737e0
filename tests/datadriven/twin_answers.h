// Answers as a C++ program gets them from a database behind an endpoint, printed as the service
// prints them. So the texts of an operation say as well how its requests are written and its
// answers read on the client's side.
#ifndef DYNOLITH_TESTS_DATADRIVEN_TWIN_ANSWERS_H_
#define DYNOLITH_TESTS_DATADRIVEN_TWIN_ANSWERS_H_

#include <string_view>

#include "api/json/json_response.h"
#include "dynolith/database.h"

namespace dynolith::datadriven {

// Calls that have passed through the structures of C++, and those that no structure can hold, such
// as invalid numbers, and that the service has answered alone.
struct TwinCounts {
  int typed = 0;
  int direct = 0;
};

// `database` does what the endpoint would.
JsonResponse AnswerOfTwin(Database* database, std::string_view operation, std::string_view body,
                          TwinCounts* counts);

}  // namespace dynolith::datadriven

#endif  // DYNOLITH_TESTS_DATADRIVEN_TWIN_ANSWERS_H_
