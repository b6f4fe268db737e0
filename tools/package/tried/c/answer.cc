// The same program with the C++ library.
#include <dynolith/database.h>

#include <iostream>

int main() {
  const auto database = dynolith::Database::Open({.in_memory = true});
  if (!database.ok()) return 1;
  std::cout << (*database)->ListTables({})->table_names.size() << "\n";
}
