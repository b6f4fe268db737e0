// Any bytes as an answer of S3's protocol, and as a text in a URL: nothing is read out of nothing,
// and what is encoded is decoded as it was.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "tools/ship/target/s3_answers.h"
#include "tools/ship/target/s3_signer.h"

namespace dynolith::ship {
namespace {

void DemandOfXml(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

}  // namespace

void TryS3Answer(std::string_view body) {
  const std::string error = ReadS3Error(body).code;
  const std::optional<S3Page> page = ReadS3Page(body);
  // The root that a reader asks for stands in the body.
  DemandOfXml(error.empty() || body.find("Error") != std::string_view::npos, "an error of nothing");
  DemandOfXml(!page || body.find("ListBucketResult") != std::string_view::npos,
              "a page of nothing");
  DemandOfXml(!page || page->objects.size() <= body.size(), "more objects than bytes");
  if (const auto uploads = ReadS3Uploads(body)) {
    DemandOfXml(uploads->size() <= body.size(), "more uploads than bytes");
  }
  if (const auto id = ReadS3UploadId(body)) DemandOfXml(!id->empty(), "an upload without a name");
  if (const auto etag = ReadS3CompletedEtag(body)) DemandOfXml(!etag->empty(), "an empty ETag");
  if (const auto errors = ReadS3DeleteErrors(body)) {
    DemandOfXml(errors->size() <= body.size(), "more errors than bytes");
  }
  const std::string text(body);
  DemandOfXml(UrlDecoded(UrlEncoded(text)) == text, "an encoded text is another one");
  DemandOfXml(UrlDecoded(UrlEncoded(text, /*keeps_slash=*/true)) == text,
              "an encoded path is another one");
}

}  // namespace dynolith::ship

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  dynolith::ship::TryS3Answer({reinterpret_cast<const char*>(data), size});
  return 0;
}
