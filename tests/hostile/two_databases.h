// Two databases over one hostile store, as two servers would be.
#ifndef DYNOLITH_TESTS_HOSTILE_TWO_DATABASES_H_
#define DYNOLITH_TESTS_HOSTILE_TWO_DATABASES_H_

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "api/database/database_impl.h"
#include "api/json/dispatch.h"
#include "engine/base/clock.h"
#include "tests/hostile/hostile_store.h"

namespace dynolith::hostile {

// A server without its sockets.
class Server {
 public:
  // Any failure to open ends the process with a message.
  // `clock`: the database's, which must outlive it; nullptr: the machine's.
  explicit Server(std::unique_ptr<SharedStore> store, ManualClock* clock = nullptr,
                  const TableDelays& delays = {});

  // The answer to a call of the service's JSON protocol.
  JsonResponse Call(std::string_view operation, std::string_view body) const;
  DatabaseImpl* database() const { return database_.get(); }

 private:
  std::unique_ptr<DatabaseImpl> database_;
  std::unique_ptr<Dispatcher> dispatcher_;
};

// Every check of a store; the disagreements, or nothing.
std::string CheckServer(const Server& server);

class TwoDatabases {
 public:
  using Open = std::function<std::unique_ptr<SharedStore>()>;
  // Makes table "towns" with the keys h and r, its indexes "global" on v and r, and "local" on v,
  // all numbers. Then both databases are opened.
  // `clock`: that of both; nullptr: the machine's. It must outlive them.
  // If a store on PostgreSQL is given (given_store.h), it is emptied and used instead.
  explicit TwoDatabases(const HostileOptions& options, ManualClock* clock = nullptr);
  // The same over stores that `open` opens, with the machine's clock.
  explicit TwoDatabases(Open open);

  const Server& server(size_t i) const { return *servers_[i % servers_.size()]; }
  HostileRows* rows() const { return rows_.get(); }  // nullptr: another store
  // Closes one of them and opens it again.
  void Reopen(size_t i);
  // The same store for one more process.
  std::unique_ptr<SharedStore> OpenStore() const { return open_(); }
  // From now on the store does no harm.
  void Calm();
  // Every check of a store, once it does no harm any more; the disagreements, or nothing.
  std::string Check();

 private:
  TwoDatabases(std::shared_ptr<HostileRows> rows, Open open, ManualClock* clock);

  const std::shared_ptr<HostileRows> rows_;
  ManualClock* const clock_;
  const Open open_;
  std::array<std::unique_ptr<Server>, 2> servers_;
};

}  // namespace dynolith::hostile

#endif  // DYNOLITH_TESTS_HOSTILE_TWO_DATABASES_H_
