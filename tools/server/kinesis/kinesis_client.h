// Calls of an endpoint that speaks Kinesis: JSON 1.1, signed (Signature Version 4).
#ifndef DYNOLITH_TOOLS_SERVER_KINESIS_KINESIS_CLIENT_H_
#define DYNOLITH_TOOLS_SERVER_KINESIS_KINESIS_CLIENT_H_

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "api/remote/caller_identity.h"
#include "api/remote/http_connection.h"
#include "api/remote/request_signer.h"
#include "api/remote/server_address.h"
#include "tools/server/kinesis/kinesis_record.h"

namespace dynolith::kinesis {

// Of PutRecords, with partition keys (api/facts/stream_targets.md §5).
inline constexpr size_t kRecordsMax = 500;
inline constexpr size_t kRequestBytesMax = size_t{5} << 20;
inline constexpr size_t kRecordBytesMax = size_t{1} << 20;

struct KinesisClientOptions {
  std::string url;     // of a server: "http://127.0.0.1:4566"
  std::string region;  // for signatures
  // Borrowed; once true, running calls end soon.
  const std::atomic<bool>* interrupted = nullptr;
};

// One call at a time. Errors of both calls: kNotFound: there is no such stream; kInvalidArgument:
// the endpoint refuses what it is sent; kUnimplemented: it does not know the call; kUnavailable: no
// answer, or another error. Their texts are the reason.
class KinesisConnection {
 public:
  virtual ~KinesisConnection() = default;
  // For each record why it was not taken; empty: it was. Requires: at most kRecordsMax.
  virtual absl::StatusOr<std::vector<std::string>> PutRecords(
      std::string_view stream, absl::Span<const KinesisRecord* const> records) = 0;
  // Whether there is the stream, and it takes records; an endpoint that cannot say is believed to
  // have it. Not kUnimplemented.
  virtual absl::Status FindStream(std::string_view stream) = 0;
};

// Thread-safe.
class KinesisClient {
 public:
  // Nothing is asked of the endpoint. Credentials by the SDKs' chain. Errors: kInvalidArgument for
  // an invalid address or no certificates; those of CallerIdentity::Find.
  static absl::StatusOr<std::unique_ptr<KinesisClient>> Open(const KinesisClientOptions& options);

  // The client must outlive the connection.
  std::unique_ptr<KinesisConnection> Connect();
  const std::string& url() const { return options_.url; }

 private:
  class Connection;

  KinesisClient(KinesisClientOptions options, http::ServerAddress address,
                std::shared_ptr<client::CallerIdentity> identity,
                std::unique_ptr<client::TlsTrust> trust);

  const KinesisClientOptions options_;
  const http::ServerAddress address_;
  const std::shared_ptr<client::CallerIdentity> identity_;
  const std::unique_ptr<client::TlsTrust> trust_;  // nullptr without TLS
  client::RequestSigner signer_;
};

}  // namespace dynolith::kinesis

#endif  // DYNOLITH_TOOLS_SERVER_KINESIS_KINESIS_CLIENT_H_
