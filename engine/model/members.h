// The members of every request structure as numbers, for Fields: members::PutItemInput::kTableName.
#ifndef DYNOLITH_ENGINE_MODEL_MEMBERS_H_
#define DYNOLITH_ENGINE_MODEL_MEMBERS_H_

namespace dynolith::members {
#include "engine/model/members.inc"
}  // namespace dynolith::members

#endif  // DYNOLITH_ENGINE_MODEL_MEMBERS_H_
