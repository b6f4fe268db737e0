#include "api/transfer/files/data_file.h"

#include <openssl/evp.h>

#include <utility>

#include "engine/base/status_macros.h"

namespace dynolith {
namespace {

constexpr size_t kWriteBytes = 1 << 16;
constexpr int kMemoryLevel = 8;  // zlib's default

EVP_MD_CTX* ToDigestContext(void* context) { return static_cast<EVP_MD_CTX*>(context); }

}  // namespace

void Md5Sum::FreeContext::operator()(void* context) const {
  EVP_MD_CTX_free(ToDigestContext(context));
}

Md5Sum::Md5Sum() : context_(EVP_MD_CTX_new()) {
  EVP_DigestInit_ex(ToDigestContext(context_.get()), EVP_md5(), nullptr);
}

void Md5Sum::Add(std::string_view bytes) {
  EVP_DigestUpdate(ToDigestContext(context_.get()), bytes.data(), bytes.size());
}

std::string Md5Sum::Finish() {
  std::string digest(EVP_MAX_MD_SIZE, '\0');
  unsigned int size = 0;
  EVP_DigestFinal_ex(ToDigestContext(context_.get()),
                     reinterpret_cast<unsigned char*>(digest.data()), &size);
  digest.resize(size);
  return digest;
}

std::string Md5(std::string_view bytes) {
  Md5Sum sum;
  sum.Add(bytes);
  return sum.Finish();
}

absl::StatusOr<std::unique_ptr<DataFile>> DataFile::Create(const Bucket& bucket, std::string name) {
  DYNOLITH_ASSIGN_OR_RETURN(ObjectFile file, bucket.Create(name));
  return std::unique_ptr<DataFile>(new DataFile(std::move(file), std::move(name)));
}

DataFile::DataFile(ObjectFile file, std::string name)
    : file_(std::move(file)), name_(std::move(name)), out_(kWriteBytes) {
  deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzipWindowBits, kMemoryLevel,
               Z_DEFAULT_STRATEGY);
}

DataFile::~DataFile() { deflateEnd(&stream_); }

absl::Status DataFile::Append(std::string_view line) {
  stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(line.data()));
  stream_.avail_in = static_cast<uInt>(line.size());
  ++lines_;
  bytes_ += line.size();
  return Compress(Z_NO_FLUSH);
}

absl::StatusOr<DataFile::Summary> DataFile::Finish() {
  DYNOLITH_RETURN_IF_ERROR(Compress(Z_FINISH));
  return Summary{name_, lines_, md5_.Finish()};
}

absl::Status DataFile::Compress(int flush) {
  do {
    stream_.next_out = reinterpret_cast<Bytef*>(out_.data());
    stream_.avail_out = static_cast<uInt>(out_.size());
    deflate(&stream_, flush);
    const std::string_view piece(out_.data(), out_.size() - stream_.avail_out);
    md5_.Add(piece);
    DYNOLITH_RETURN_IF_ERROR(file_.Write(piece));
  } while (stream_.avail_out == 0);
  return absl::OkStatus();
}

}  // namespace dynolith
