// The model's values and schemas as the engine's, and back.
#ifndef DYNOLITH_TESTS_RANDOM_TO_ENGINE_H_
#define DYNOLITH_TESTS_RANDOM_TO_ENGINE_H_

#include "dynolith/requests.h"
#include "engine/value/item.h"
#include "tests/model/operation.h"

namespace dynolith::random {

Value ToEngine(const model::Value& value);
Item ToEngine(const model::Item& item);
model::Value ToModel(ValueView value);
model::Item ToModel(ItemView item);

CreateTableRequest ToEngine(const model::Table& table);
UpdateTableRequest ToCreation(const model::CreateIndexOp& op);

}  // namespace dynolith::random

#endif  // DYNOLITH_TESTS_RANDOM_TO_ENGINE_H_
