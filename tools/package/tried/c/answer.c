// As a stranger would begin: libdynolith-dev, nothing else of Dynolith.
#include <dynolith/dynolith.h>
#include <stdio.h>

int main(void) {
  dynolith_database* database = NULL;
  dynolith_error* error = dynolith_open("{}", 2, &database);
  if (error != NULL) return 1;
  dynolith_response response = DYNOLITH_RESPONSE_INIT;
  dynolith_call(database, "ListTables", 10, "{}", 2, &response);
  printf("%.*s\n", (int)response.body_size, (const char*)response.body);
  dynolith_response_free(&response);
  dynolith_close(database);
  return 0;
}
