// Operations as C++ programs reach them: the methods of Database hold a request against the service
// model before the operation sees it.
#ifndef DYNOLITH_TESTS_UNIT_API_CHECKED_H_
#define DYNOLITH_TESTS_UNIT_API_CHECKED_H_

#include <type_traits>

#include "api/request/operation_context.h"
#include "engine/base/status_macros.h"
#include "engine/model/check_members.h"
#include "engine/model/members.h"

namespace dynolith {

//   Checked<members::CreateTableInput::kShape>(&CreateTable, context_, request)
template <int shape, typename Output, typename Request>
Output Checked(Output (*operation)(const OperationContext&, const Request&),
               const OperationContext& context, const std::type_identity_t<Request>& request) {
  DYNOLITH_RETURN_IF_ERROR(CheckMembers(ShapeAt(shape), &request));
  return operation(context, request);
}

}  // namespace dynolith

#endif  // DYNOLITH_TESTS_UNIT_API_CHECKED_H_
