// Where the copies of a store are shipped to: objects with names, in a folder or in a bucket of
// S3's protocol.
#ifndef DYNOLITH_TOOLS_SHIP_TARGET_SHIP_TARGET_H_
#define DYNOLITH_TOOLS_SHIP_TARGET_SHIP_TARGET_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace dynolith::ship {

// What Get returns at most.
inline constexpr size_t kGetBytesMax = 64 << 20;

struct ObjectInfo {
  std::string name;
  uint64_t bytes = 0;
};

// Names are texts such as "log/0000000000000001" (object_name.h). An object appears and is replaced
// as a whole, durably: when a call returns, a loss of power takes nothing back. No name may be the
// folder of another one: with "a", there is no "a/b".
//
// Errors of all calls name the target, the object and the cause:
// * kInvalidArgument: a name that may not be one, a target that is not able to do this;
// * kUnavailable: the target is away, overloaded or throttles, or the call was interrupted; it may
//   be made again;
// * kPermissionDenied;
// * kResourceExhausted: no space, or a quota;
// * kNotFound: there is no such object, bucket or local file;
// * kDataLoss: the bytes that arrived are not those that were sent;
// * kInternal: an error of a local file.
//
// Thread-safe.
class ShipTarget {
 public:
  virtual ~ShipTarget() = default;

  // For messages: "s3://bucket/prefix", or the folder.
  virtual std::string Describe() const = 0;

  // Replaces the object if there is one.
  virtual absl::Status Put(std::string_view name, std::string_view bytes) = 0;
  // False: an object of that name exists, and stays as it is. Of many callers at the same time,
  // also on other machines, one makes the object.
  virtual absl::StatusOr<bool> PutNew(std::string_view name, std::string_view bytes) = 0;
  // Like Put, with the bytes of the local file `path`, which must not change meanwhile. Takes
  // bounded memory.
  virtual absl::Status PutFile(std::string_view name, const std::string& path) = 0;

  // Errors: kOutOfRange for an object of more than kGetBytesMax.
  virtual absl::StatusOr<std::string> Get(std::string_view name) = 0;
  // Into the new local file `path`, which is synced, or removed after an error. Takes bounded
  // memory. Errors: kAlreadyExists if there is such a file.
  virtual absl::Status GetFile(std::string_view name, const std::string& path) = 0;

  // The objects whose names begin with `prefix` and are greater than `after`, in the order of their
  // names' bytes. What is put or deleted meanwhile may be among them.
  virtual absl::StatusOr<std::vector<ObjectInfo>> List(std::string_view prefix,
                                                       std::string_view after = "") = 0;

  // Objects that do not exist are no error. After an error, some may be deleted.
  virtual absl::Status Delete(const std::vector<std::string>& names) = 0;
};

struct TargetOptions {
  std::string endpoint;                            // of S3's protocol; empty: is found
  std::string region;                              // empty: is found
  const std::atomic<bool>* interrupted = nullptr;  // borrowed: once true, calls end soon
  // Nothing will be put or deleted: a folder is neither made nor prepared for that, and an error of
  // kUnavailable if there is none.
  bool only_reads = false;
  // Somebody has shipped there: a folder is not made, and an error of kUnavailable if there is
  // none, or an empty one, as where its disk is not mounted.
  bool must_exist = false;
};

// `url`: s3://BUCKET[/PREFIX], of which nothing is asked yet; or a folder's path, also as
// file:///PATH, which is made if there is none. Errors: kInvalidArgument says what is wrong with
// the URL, the endpoint, the region or the credentials; those of calls.
absl::StatusOr<std::unique_ptr<ShipTarget>> OpenTarget(std::string_view url,
                                                       const TargetOptions& options);

}  // namespace dynolith::ship

#endif  // DYNOLITH_TOOLS_SHIP_TARGET_SHIP_TARGET_H_
