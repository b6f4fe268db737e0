// Where a bucket is: its server, how it is addressed there, and who signs calls of it.
#ifndef DYNOLITH_TOOLS_SHIP_TARGET_S3_PLACE_H_
#define DYNOLITH_TOOLS_SHIP_TARGET_S3_PLACE_H_

#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "api/remote/aws_settings.h"
#include "api/remote/caller_identity.h"
#include "api/remote/server_address.h"
#include "tools/ship/target/ship_target.h"

namespace dynolith::ship {

inline constexpr std::string_view kS3Scheme = "s3://";

struct S3Url {
  std::string bucket;
  std::string prefix;  // of all names: empty, or with a / at its end
};
// Of s3://BUCKET[/PREFIX]. Errors: kInvalidArgument.
absl::StatusOr<S3Url> ParseS3Url(std::string_view url);

struct S3Place {
  http::ServerAddress address;
  bool is_path_style = false;     // the bucket is the first part of paths, not of the host
  std::string certificates_file;  // as TlsTrust::Load
  std::shared_ptr<client::CallerIdentity> identity;
};
// The endpoint is that of the options, else of the SDKs' settings (`s3_endpoint`), else AWS's for
// the bucket. AWS's own is addressed by the bucket's host, unless the bucket's name has dots, which
// its certificate does not cover; others by paths. The region is that of the options, of an
// endpoint of AWS, of the SDKs' settings; for servers of others us-east-1. Errors: kInvalidArgument
// for an endpoint that is no address; those of CallerIdentity::Find.
absl::StatusOr<S3Place> FindS3Place(
    const S3Url& url, const TargetOptions& options,
    const client::Environment& environment = client::ProcessEnvironment);

}  // namespace dynolith::ship

#endif  // DYNOLITH_TOOLS_SHIP_TARGET_S3_PLACE_H_
