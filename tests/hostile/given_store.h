// The store on PostgreSQL that a test of several databases may be given instead of a hostile one.
#ifndef DYNOLITH_TESTS_HOSTILE_GIVEN_STORE_H_
#define DYNOLITH_TESTS_HOSTILE_GIVEN_STORE_H_

#include <memory>
#include <string>

#include "engine/store/postgres/address.h"
#include "engine/store/transaction/shared_store.h"

namespace dynolith::hostile {

// The URL in DYNOLITH_STORE_URL; empty: there is none.
std::string GivenStoreUrl();

// What is to number its commits: a counter if DYNOLITH_STORE_STAMPS is "counter".
postgres::StampSource GivenStamps();

// Makes the store, or deletes all of its rows. Requires: nobody has it open. Any failure ends the
// process with a message, here and below.
void EmptyGivenStore(const std::string& url);
std::unique_ptr<SharedStore> OpenGivenStore(const std::string& url);

}  // namespace dynolith::hostile

#endif  // DYNOLITH_TESTS_HOSTILE_GIVEN_STORE_H_
