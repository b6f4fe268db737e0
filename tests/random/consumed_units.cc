#include "tests/random/consumed_units.h"

namespace dynolith::random {
namespace {

void Add(const std::string& name, const std::optional<double>& amount, Units* units) {
  if (amount) (*units)[name] += *amount;
}

void AddPart(const std::string& name, const Capacity& capacity, Units* units) {
  Add(name, capacity.capacity_units, units);
  Add(name + " read", capacity.read_capacity_units, units);
  Add(name + " write", capacity.write_capacity_units, units);
}

void AddBytes(const std::string& name, const VectorCapacity& capacity, Units* units) {
  Add(name + " searched bytes", capacity.vector_search_request_bytes, units);
  Add(name + " search units", capacity.vector_search_units, units);
  Add(name + " written bytes", capacity.vector_write_request_bytes, units);
}

}  // namespace

void AddUnits(const ConsumedCapacity& consumed, Units* units) {
  const std::string& table = consumed.table_name;
  Add(table, consumed.capacity_units, units);
  Add(table + " read", consumed.read_capacity_units, units);
  Add(table + " write", consumed.write_capacity_units, units);
  if (consumed.table) AddPart(table + ".table", *consumed.table, units);
  for (const auto* indexes :
       {&consumed.local_secondary_indexes, &consumed.global_secondary_indexes}) {
    for (const auto& [name, capacity] : *indexes) AddPart(table + "." + name, capacity, units);
  }
  for (const auto& [name, capacity] : consumed.vector_indexes) {
    AddBytes(table + "." + name, capacity, units);
  }
}

void AddUnits(const std::optional<ConsumedCapacity>& consumed, Units* units) {
  if (consumed) AddUnits(*consumed, units);
}

void AddUnits(const std::vector<ConsumedCapacity>& consumed, Units* units) {
  for (const ConsumedCapacity& part : consumed) AddUnits(part, units);
}

void AddUnits(const std::optional<VectorCapacity>& consumed, Units* units) {
  if (consumed) AddBytes("search", *consumed, units);
}

void AddUnits(const std::vector<UseReport>& reports, Units* units) {
  for (const UseReport& report : reports) {
    const std::string name = "counted of " + report.table_name + "." + report.index_name;
    (*units)[name + " reads"] += report.reads.consumed;
    (*units)[name + " writes"] += report.writes.consumed;
  }
}

}  // namespace dynolith::random
