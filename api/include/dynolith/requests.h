// One request and one output per operation, with DynamoDB's member names in snake_case. Fill by
// name:
//   database->PutItem({.table_name = "music", .item = {{"pk", Value::S("a")}}});
//
// They are made from the one description of the service's structures, engine/model/model.txt; what
// each member means is DynamoDB's API reference. An absent optional is an absent member; a member
// that the service has a default for holds that default. Where an output or a request of the
// service has one member that says everything, that member stands for it: CreateTable gives a
// TableDescription, and the `put` of a WriteRequest is the item.
#ifndef DYNOLITH_API_INCLUDE_DYNOLITH_REQUESTS_H_
#define DYNOLITH_API_INCLUDE_DYNOLITH_REQUESTS_H_

#include "engine/base/errors.h"
#include "engine/model/structures.h"

#endif  // DYNOLITH_API_INCLUDE_DYNOLITH_REQUESTS_H_
