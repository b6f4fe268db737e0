// What the answers of calls say of consumed capacity, added up.
#ifndef DYNOLITH_TESTS_RANDOM_CONSUMED_UNITS_H_
#define DYNOLITH_TESTS_RANDOM_CONSUMED_UNITS_H_

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "dynolith/requests.h"
#include "dynolith/use_report.h"

namespace dynolith::random {

// By what it is of: "T" all of the table, "T.table" the table itself, "T.ix" an index.
using Units = std::map<std::string, double>;

void AddUnits(const ConsumedCapacity& consumed, Units* units);
void AddUnits(const std::optional<ConsumedCapacity>& consumed, Units* units);
// Of several tables, or of one several times.
void AddUnits(const std::vector<ConsumedCapacity>& consumed, Units* units);
// Of a search, which does not name its table.
void AddUnits(const std::optional<VectorCapacity>& consumed, Units* units);
// Of all calls so far, as the database has counted it.
void AddUnits(const std::vector<UseReport>& reports, Units* units);

}  // namespace dynolith::random

#endif  // DYNOLITH_TESTS_RANDOM_CONSUMED_UNITS_H_
