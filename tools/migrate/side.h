// A side of a migration: a data folder or an endpoint, and calls that are repeated until they
// succeed.
#ifndef DYNOLITH_TOOLS_MIGRATE_SIDE_H_
#define DYNOLITH_TOOLS_MIGRATE_SIDE_H_

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/text/json_tree.h"
#include "tools/client/service_target.h"
#include "tools/migrate/rate_limiter.h"

namespace dynolith::migrate {

struct SideOptions {
  std::string place;           // a folder, or the address of a server
  std::string region;          // of an endpoint; empty: is found
  std::string profile;         // of an endpoint; empty: AWS_PROFILE's
  std::string certificates;    // a file (PEM); empty: the system's
  bool read_only = false;      // of a folder
  std::string encryption_key;  // of a folder; empty: it is not encrypted
  size_t memory_budget_bytes = 0;
};

// The error of a call that was given up because the run is over.
inline constexpr std::string_view kGivenUp = "given up";

// Thread-safe; a Caller is for one thread.
class Side {
 public:
  // Opens a folder, which no other process has then; of an endpoint nothing is asked. `is_over`:
  // whether calls are to be given up; it must be thread-safe. Errors: as MakeServerTarget; those of
  // opening the folder; kInvalidArgument for options that are for endpoints.
  static absl::StatusOr<std::unique_ptr<Side>> Open(const SideOptions& options,
                                                    std::function<bool()> is_over);

  class Caller {
   public:
    // Repeats the call while it is throttled, and for some two minutes while there is no answer or
    // the service fails; the first call of all for a few seconds only. `limiter` slows down when
    // throttled; may be nullptr. The error of a call without an answer is client::kNoAnswer.
    client::ServiceAnswer Call(std::string_view operation, std::string_view body,
                               RateLimiter* limiter = nullptr);
    client::ServiceAnswer Call(std::string_view operation, const JsonTree& input,
                               RateLimiter* limiter = nullptr) {
      return Call(operation, std::string_view(PrintJson(input)), limiter);
    }
    // The output. Errors: kFailedPrecondition with operation and error; kCancelled: given up.
    absl::StatusOr<JsonTree> Ask(std::string_view operation, const JsonTree& input,
                                 RateLimiter* limiter = nullptr);

   private:
    friend class Side;
    Caller(Side* side, std::unique_ptr<client::ServiceConnection> connection)
        : side_(side), connection_(std::move(connection)) {}

    Side* side_;
    std::unique_ptr<client::ServiceConnection> connection_;
  };

  Caller Connect() { return Caller(this, target_->Connect()); }
  bool is_folder() const { return is_folder_; }
  client::ServiceTarget* target() { return target_.get(); }
  const std::string& place() const { return place_; }
  const std::function<bool()>& is_over() const { return is_over_; }
  // As Caller::Ask.
  absl::Status ToStatus(std::string_view operation, const client::ServiceAnswer& answer) const;

 private:
  Side(const SideOptions& options, std::function<bool()> is_over);

  const std::string place_;
  const bool is_folder_;
  const std::function<bool()> is_over_;
  std::unique_ptr<client::ServiceTarget> target_;
  std::atomic<bool> has_answered_ = false;
};

}  // namespace dynolith::migrate

#endif  // DYNOLITH_TOOLS_MIGRATE_SIDE_H_
