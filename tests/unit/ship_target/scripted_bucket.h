// A bucket in memory that speaks as much of S3's protocol as the target does, and fails as a test
// says.
#ifndef DYNOLITH_TESTS_UNIT_SHIP_TARGET_SCRIPTED_BUCKET_H_
#define DYNOLITH_TESTS_UNIT_SHIP_TARGET_SCRIPTED_BUCKET_H_

#include <cstdlib>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/strings.h"
#include "tests/unit/remote/scripted_server.h"

namespace dynolith::testing {

struct BucketRequest {
  std::string call;  // "PUT /bucket/a/log/1?partNumber=1&uploadId=1"
  std::string head;
  std::string body;

  // Of a header; empty: there is none.
  std::string Header(const std::string& name) const {
    const size_t begin = head.find("\r\n" + name + ": ");
    if (begin == std::string::npos) return "";
    const size_t value = begin + name.size() + 4;
    return head.substr(value, head.find("\r\n", value) - value);
  }
};

inline ScriptedAnswer ErrorAnswer(int status, const std::string& code,
                                  const std::string& more = "") {
  return {.status = status,
          .body = Concat("<?xml version=\"1.0\"?><Error><Code>", code, "</Code><Message>of ", code,
                         "</Message>", more, "</Error>")};
}

class ScriptedBucket {
 public:
  // The answer in place of the bucket's own, or nullopt; `number` counts from 1. Where the answer
  // of the bucket is given, the call has been made: the fault may still change or lose it.
  using Fault = std::function<std::optional<ScriptedAnswer>(const BucketRequest&, int number)>;
  using LateFault = std::function<void(const BucketRequest&, int number, ScriptedAnswer*)>;

  ScriptedBucket() : server_([this](const std::string& text) { return Answer(text); }) {}

  std::string url() const { return server_.url(); }
  const ScriptedServer& server() const { return server_; }

  void FailBefore(Fault fault) {
    const std::lock_guard lock(mutex_);
    before_ = std::move(fault);
  }
  void FailAfter(LateFault fault) {
    const std::lock_guard lock(mutex_);
    after_ = std::move(fault);
  }
  // Since the last time.
  std::vector<std::string> TakeCalls() {
    const std::lock_guard lock(mutex_);
    return std::exchange(calls_, {});
  }
  std::map<std::string, std::string> objects() {
    const std::lock_guard lock(mutex_);
    return objects_;
  }
  void SetObject(const std::string& path, const std::string& bytes) {
    const std::lock_guard lock(mutex_);
    ReplaceObject(path, bytes);
  }
  // The same within a fault.
  void ReplaceObject(const std::string& path, const std::string& bytes) {
    objects_[path] = bytes;
    ++version_;
  }
  size_t uploads() {
    const std::lock_guard lock(mutex_);
    return uploads_.size();
  }

 private:
  struct Upload {
    std::string crc;
    std::map<int, std::string> parts;
  };

  ScriptedAnswer Answer(const std::string& text) {
    const std::lock_guard lock(mutex_);
    const size_t end = text.find("\r\n\r\n");
    const BucketRequest request = {.call = text.substr(0, text.find(" HTTP/")),
                                   .head = text.substr(0, end + 2),
                                   .body = text.substr(end + 4)};
    calls_.push_back(request.call);
    ++number_;
    if (before_) {
      std::optional<ScriptedAnswer> answer = before_(request, number_);
      if (answer) return *answer;
    }
    ScriptedAnswer answer = Serve(request);
    if (after_) after_(request, number_, &answer);
    return answer;
  }

  ScriptedAnswer Serve(const BucketRequest& request) {
    const std::string method = request.call.substr(0, request.call.find(' '));
    const std::string target = request.call.substr(method.size() + 1);
    const std::string path = target.substr(0, target.find('?'));
    const std::string query = target.substr(path.size());
    const size_t id_at = query.find("uploadId=");
    const std::string id = id_at == std::string::npos ? "" : query.substr(id_at + 9);
    if (method == "POST" && query == "?uploads=") return Begin(request);
    if (!id.empty()) return ServeUpload(method, path, query, id, request.body);
    if (method == "PUT") {
      if (request.Header("If-None-Match") == "*" && objects_.contains(path)) {
        return ErrorAnswer(412, "PreconditionFailed");
      }
      objects_[path] = request.body;
      crcs_[path] = request.Header("x-amz-meta-crc32c");
      ++version_;
      return {.headers = "ETag: \"1\"\r\n"};
    }
    if (method == "POST" || query.find("list-type") != std::string::npos ||
        query.find("?encoding-type") != std::string::npos) {
      return ErrorAnswer(501, "NotImplemented");
    }
    return Read(method, path, request);
  }

  ScriptedAnswer Begin(const BucketRequest& request) {
    const std::string id = Concat("id", ++last_upload_);
    uploads_[id].crc = request.Header("x-amz-meta-crc32c");
    return {.body = Concat("<InitiateMultipartUploadResult><UploadId>", id,
                           "</UploadId></InitiateMultipartUploadResult>")};
  }

  ScriptedAnswer ServeUpload(const std::string& method, const std::string& path,
                             const std::string& query, const std::string& id,
                             const std::string& body) {
    const auto upload = uploads_.find(id);
    if (upload == uploads_.end()) return ErrorAnswer(404, "NoSuchUpload");
    if (method == "PUT") {
      upload->second.parts[std::atoi(query.c_str() + std::string("?partNumber=").size())] = body;
      return {.headers = "ETag: \"part\"\r\n"};
    }
    if (method == "POST") {
      std::string& object = objects_[path];
      object.clear();
      for (const auto& [number, part] : upload->second.parts) object += part;
      crcs_[path] = upload->second.crc;
      ++version_;
    }
    uploads_.erase(upload);
    if (method == "DELETE") return {.status = 204};
    return {.body =
                "<CompleteMultipartUploadResult><ETag>x</ETag></CompleteMultipartUploadResult>"};
  }

  ScriptedAnswer Read(const std::string& method, const std::string& path,
                      const BucketRequest& request) {
    const auto object = objects_.find(path);
    if (object == objects_.end()) return ErrorAnswer(404, "NoSuchKey");
    const std::string etag = Concat("\"", version_, "\"");
    const std::string wanted = request.Header("If-Match");
    if (!wanted.empty() && wanted != etag) return ErrorAnswer(412, "PreconditionFailed");
    ScriptedAnswer answer = {.body = object->second, .headers = Concat("ETag: ", etag, "\r\n")};
    if (const std::string& crc = crcs_[path]; !crc.empty()) {
      answer.headers += Concat("X-Amz-Meta-Crc32c: ", crc, "\r\n");
    }
    // Only its length is told.
    if (method == "HEAD") answer.lost_bytes = answer.body.size();
    const std::string range = request.Header("Range");
    if (method == "GET" && !range.empty()) {
      const size_t begin = std::strtoull(range.c_str() + 6, nullptr, 10);
      const size_t bytes = answer.body.size();
      if (begin >= bytes) return ErrorAnswer(416, "InvalidRange");
      answer.status = 206;
      answer.body = answer.body.substr(
          begin, std::strtoull(range.c_str() + range.find('-') + 1, nullptr, 10) - begin + 1);
      answer.headers += Concat("Content-Range: bytes ", begin, "-", begin + answer.body.size() - 1,
                               "/", bytes, "\r\n");
    }
    return answer;
  }

  std::mutex mutex_;
  Fault before_;
  LateFault after_;
  int number_ = 0;
  int version_ = 0;
  int last_upload_ = 0;
  std::vector<std::string> calls_;
  std::map<std::string, std::string> objects_;  // by path: "/bucket/a/log/1"
  std::map<std::string, std::string> crcs_;
  std::map<std::string, Upload> uploads_;  // by identifier
  ScriptedServer server_;
};

}  // namespace dynolith::testing

#endif  // DYNOLITH_TESTS_UNIT_SHIP_TARGET_SCRIPTED_BUCKET_H_
