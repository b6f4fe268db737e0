// The admin endpoint below /_dynolith/: tests read and move the clock, sweep, and hold reads back;
// backups are made of the checkpoint that it makes.
//
//   GET  /_dynolith/clock                        -> {"now": seconds, "mode": "manual" | "system"}
//   POST /_dynolith/clock/advance {"seconds": n} -> the same
//   POST /_dynolith/clock/set     {"now": t}     -> the same; seconds or "2026-01-31T12:00:00Z"
//   POST /_dynolith/ttl/sweep                    -> {"deleted": items}
//   GET  /_dynolith/staleness                    -> what is set and held (staleness_text.h)
//   POST /_dynolith/staleness/hold    scope      -> the same
//   POST /_dynolith/staleness/release scope      -> the same
//   GET  /_dynolith/metrics                      -> text for Prometheus (metrics_text.h)
//   POST /_dynolith/checkpoint                   -> {"folder": text}
//   POST /_dynolith/checkpoint/remove            -> {}
//   .../_dynolith/faults                         -> fault_admin.h
//   .../_dynolith/capacity                       -> capacity_admin.h
//   .../_dynolith/hot-keys                       -> capacity_admin.h
//   .../_dynolith/heat                           -> heat_admin.h
//   GET  /_dynolith/, /_dynolith/page/...        -> a page for browsers (tools/live/live_page.h)
//   whatever comes to nothing                    -> 4xx or 500 {"error": text}
#ifndef DYNOLITH_TOOLS_DYNOLITH_ADMIN_H_
#define DYNOLITH_TOOLS_DYNOLITH_ADMIN_H_

#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "dynolith/database.h"
#include "engine/base/clock.h"
#include "tools/dynolith/capacity_admin.h"
#include "tools/dynolith/fault_admin.h"
#include "tools/dynolith/heat_admin.h"
#include "tools/http/server.h"
#include "tools/wire/wire.h"

namespace dynolith {

struct AdminOptions {
  Database* database = nullptr;
  ManualClock* clock = nullptr;  // the database's; nullptr: that is the machine's
  std::string data_folder;       // the database's; empty: it is in memory
  // What Prometheus is told (metrics_text.h).
  std::function<std::string()> metrics = [] { return std::string(); };
  // What answers every other path.
  http::Handler* next = nullptr;
  // Called after each request of the endpoint; empty: nothing is recorded.
  std::function<void(const http::ExchangeRecord&)> record;
  // Called after each failure of the server's own; empty: as above.
  std::function<void(const http::FailureRecord&)> fail;
};

// Answers programs on this machine only, by the address of their sockets, and no web pages but its
// own: neither what a browser says another page has asked for, nor another name of this machine in
// Host. Asks for no signature. Thread-safe.
class Admin final : public http::Handler {
 public:
  // The options' pointers must outlive the endpoint.
  explicit Admin(AdminOptions options)
      : options_(std::move(options)),
        faults_(options_.database),
        capacity_(options_.database),
        heat_(options_.database) {}

  http::Lane LaneOf(const http::Request& request) const override;
  bool HandleOnLoop(const http::Request& request, http::Response* response) override;
  void Handle(const http::Request& request, http::Response* response) override;

  // Ends what is recorded only for those who look and have gone. To be called every few seconds.
  void EndIdle() { heat_.EndIdle(); }

 private:
  void Answer(const http::Request& request, http::Response* response);
  // Of a path that is there, and a method that it has.
  void AnswerGet(std::string_view path, http::Response* response) const;
  void AnswerPost(std::string_view path, std::string_view body, http::Response* response);
  void MoveClock(std::string_view path, std::string_view body, http::Response* response);
  void HoldOrRelease(std::string_view path, std::string_view body, http::Response* response);
  void AnswerClock(http::Response* response) const;
  void Advance(std::string_view body, http::Response* response);
  void Set(std::string_view body, http::Response* response);
  // Moves the clock unless that would be backwards or too far, and waits for what that makes due.
  void MoveTo(absl::Time time, http::Response* response) ABSL_EXCLUSIVE_LOCKS_REQUIRED(moving_);
  void Sweep(http::Response* response);
  void Checkpoint(http::Response* response);
  void RemoveCheckpoint(http::Response* response);

  const AdminOptions options_;
  const FaultAdmin faults_;
  const CapacityAdmin capacity_;
  HeatAdmin heat_;
  absl::Mutex moving_;         // held from the look at the clock to its move
  absl::Mutex checkpointing_;  // held while the folder of the checkpoint is made or removed
};

}  // namespace dynolith

#endif  // DYNOLITH_TOOLS_DYNOLITH_ADMIN_H_
