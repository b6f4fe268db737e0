#include "tools/server/kinesis/kinesis_client.h"

#include <optional>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/time/clock.h"
#include "api/json/json_writer.h"
#include "api/remote/messages.h"
#include "api/remote/remote_service.h"
#include "engine/base/errors.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/text/json_tree.h"
#include "tools/files/table/json_parts.h"
#include "tools/server/kinesis/messages.h"

namespace dynolith::kinesis {
namespace {

constexpr int kHttpOk = 200;
constexpr int kHttpContentTooLarge = 413;
// Of an answer's body in an error.
constexpr size_t kShownBytesMax = 500;

std::string_view TextAt(const JsonTree& tree, std::string_view name) {
  const JsonTree* const member = tree.Find(name);
  const bool is_text = member != nullptr && member->kind == JsonTree::Kind::kString;
  return is_text ? std::string_view(member->text) : std::string_view();
}

absl::Status ErrorOf(const client::HttpAnswer& answer) {
  const std::string name = client::ReadErrorName(answer.body);
  const std::string reason = messages::KinesisAnswered(
      answer.status,
      designs::WithoutSpaces(std::string_view(answer.body).substr(0, kShownBytesMax)));
  if (name == "ResourceNotFoundException") return absl::NotFoundError(reason);
  if (name == "UnknownOperationException") return absl::UnimplementedError(reason);
  if (name == "InvalidArgumentException" || name == "ValidationException" ||
      answer.status == kHttpContentTooLarge) {
    return absl::InvalidArgumentError(reason);
  }
  return absl::UnavailableError(reason);
}

std::string PutRecordsBody(std::string_view stream,
                           absl::Span<const KinesisRecord* const> records) {
  size_t bytes = 256;
  for (const KinesisRecord* record : records) bytes += 64 + record->bytes() * 4 / 3;
  std::string body;
  body.reserve(bytes);
  JsonWriter writer(&body);
  writer.BeginObject();
  writer.Key("StreamName");
  writer.String(stream);
  writer.Key("Records");
  writer.BeginArray();
  for (const KinesisRecord* record : records) {
    writer.BeginObject();
    writer.Key("Data");
    writer.String(absl::Base64Escape(ToAbsl(record->data)));
    writer.Key("PartitionKey");
    writer.String(record->partition_key);
    writer.EndObject();
  }
  writer.EndArray();
  writer.EndObject();
  return body;
}

// {"FailedRecordCount": 1, "Records": [{"SequenceNumber": …, "ShardId": …},
//   {"ErrorCode": "ProvisionedThroughputExceededException", "ErrorMessage": …}]}
absl::StatusOr<std::vector<std::string>> ReadOutcomes(std::string_view body, size_t records) {
  const std::optional<JsonTree> tree = ParseJson(body, designs::kJsonDepthMax);
  const JsonTree* const list = tree ? tree->Find("Records") : nullptr;
  if (list == nullptr || list->elements.size() != records) {
    return absl::UnavailableError(messages::KinesisOddAnswer());
  }
  std::vector<std::string> outcomes;
  for (const JsonTree& record : list->elements) {
    const std::string_view code = TextAt(record, "ErrorCode");
    const bool is_taken = code.empty() && !TextAt(record, "SequenceNumber").empty();
    outcomes.push_back(
        is_taken ? "" : messages::KinesisRecordRefused(code, TextAt(record, "ErrorMessage")));
  }
  return outcomes;
}

}  // namespace

class KinesisClient::Connection final : public KinesisConnection {
 public:
  explicit Connection(KinesisClient* client)
      : client_(*client),
        connection_(client::HttpConnection::Make(client_.address_, client_.trust_.get())) {}

  absl::StatusOr<std::vector<std::string>> PutRecords(
      std::string_view stream, absl::Span<const KinesisRecord* const> records) override {
    DYNOLITH_ASSIGN_OR_RETURN(const std::string body,
                              Call("PutRecords", PutRecordsBody(stream, records)));
    return ReadOutcomes(body, records.size());
  }

  absl::Status FindStream(std::string_view stream) override {
    std::string input;
    JsonWriter writer(&input);
    writer.BeginObject();
    writer.Key("StreamName");
    writer.String(stream);
    writer.Key("Limit");  // of shards
    writer.Integer(1);
    writer.EndObject();
    const absl::StatusOr<std::string> body = Call("DescribeStream", input);
    // An endpoint that knows PutRecords only says then whether there is the stream.
    if (absl::IsUnimplemented(body.status())) return absl::OkStatus();
    DYNOLITH_RETURN_IF_ERROR(body.status());
    const std::optional<JsonTree> tree = ParseJson(*body, designs::kJsonDepthMax);
    const JsonTree* const description = tree ? tree->Find("StreamDescription") : nullptr;
    const std::string_view status =
        description == nullptr ? "" : TextAt(*description, "StreamStatus");
    if (status == "ACTIVE" || status == "UPDATING") return absl::OkStatus();
    return absl::UnavailableError(status.empty() ? messages::KinesisOddAnswer()
                                                 : messages::KinesisStreamIs(stream, status));
  }

 private:
  absl::StatusOr<std::string> Call(std::string_view operation, std::string_view body) {
    DYNOLITH_ASSIGN_OR_RETURN(const std::shared_ptr<const client::Credentials> credentials,
                              client_.identity_->Get());
    const client::HttpHeaders headers = client_.signer_.Headers(
        *credentials, Concat("Kinesis_20131202.", operation), body, absl::Now());
    absl::StatusOr<client::HttpAnswer> answer = connection_->Send(
        {.headers = headers, .body = body, .interrupted = client_.options_.interrupted});
    if (!answer.ok()) {
      return absl::UnavailableError(
          messages::ClientUnreached(client_.url(), MessageOf(answer.status())));
    }
    if (answer->status != kHttpOk) return ErrorOf(*answer);
    return std::move(answer->body);
  }

  KinesisClient& client_;
  const std::unique_ptr<client::HttpConnection> connection_;
};

KinesisClient::KinesisClient(KinesisClientOptions options, http::ServerAddress address,
                             std::shared_ptr<client::CallerIdentity> identity,
                             std::unique_ptr<client::TlsTrust> trust)
    : options_(std::move(options)),
      address_(std::move(address)),
      identity_(std::move(identity)),
      trust_(std::move(trust)),
      signer_(identity_->region(), address_.authority, client::kKinesis) {}

absl::StatusOr<std::unique_ptr<KinesisClient>> KinesisClient::Open(
    const KinesisClientOptions& options) {
  std::optional<http::ServerAddress> address =
      http::IsServerUrl(options.url) ? http::ParseServerUrl(options.url) : std::nullopt;
  if (!address) return absl::InvalidArgumentError(messages::ClientNotAServer(options.url));
  DYNOLITH_ASSIGN_OR_RETURN(std::shared_ptr<client::CallerIdentity> identity,
                            client::CallerIdentity::Find(*address, {.region = options.region}));
  std::unique_ptr<client::TlsTrust> trust;
  if (address->is_tls) {
    DYNOLITH_ASSIGN_OR_RETURN(trust, client::TlsTrust::Load(""));
  }
  return std::unique_ptr<KinesisClient>(
      new KinesisClient(options, *std::move(address), std::move(identity), std::move(trust)));
}

std::unique_ptr<KinesisConnection> KinesisClient::Connect() {
  return std::make_unique<Connection>(this);
}

}  // namespace dynolith::kinesis
