// One request and one output per operation, with DynamoDB's member names in snake_case. Fill by
// name:
//   database->PutItem({.table_name = "music", .item = {{"pk", Value::S("a")}}});
//
// They are generated from the description of the service's structures, engine/model/model.txt;
// DynamoDB's API reference explains each member. An absent optional is an absent member; a member
// with a default in the service holds that default. Where a request or an output of the service
// consists of one member, that member replaces it: CreateTable returns a TableDescription, and the
// `put` of a WriteRequest is the item.
#ifndef DYNOLITH_API_INCLUDE_DYNOLITH_REQUESTS_H_
#define DYNOLITH_API_INCLUDE_DYNOLITH_REQUESTS_H_

#include "engine/base/errors.h"
#include "engine/model/structures.h"

#endif  // DYNOLITH_API_INCLUDE_DYNOLITH_REQUESTS_H_
