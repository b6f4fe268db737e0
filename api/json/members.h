// The members of every request structure as numbers, for Fields: members::PutItemInput::kTableName.
#ifndef DYNOLITH_API_JSON_MEMBERS_H_
#define DYNOLITH_API_JSON_MEMBERS_H_

namespace dynolith::members {
#include "api/json/members.inc"
}  // namespace dynolith::members

#endif  // DYNOLITH_API_JSON_MEMBERS_H_
