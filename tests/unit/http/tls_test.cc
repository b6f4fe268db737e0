// TLS: the same server behind a certificate, and clear errors for files that are none.
#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

#include "tests/unit/http/raw_client.h"
#include "tools/server/http/server.h"

namespace dynolith::http {
namespace {

class TlsTest : public ::testing::Test, public Handler {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("tls_test." + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
    WriteCertificate();
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void Handle(const Request& request, Response* response) override {
    response->body = std::string(request.body) + "!";
  }

  std::string File(const char* name) { return folder_ / name; }

  // A self-signed certificate for an hour.
  void WriteCertificate() {
    EVP_PKEY* const key = EVP_EC_gen("P-256");
    X509* const certificate = X509_new();
    ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1);
    X509_gmtime_adj(X509_getm_notBefore(certificate), 0);
    X509_gmtime_adj(X509_getm_notAfter(certificate), 3600);
    X509_set_pubkey(certificate, key);
    X509_NAME* const name = X509_get_subject_name(certificate);
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC,
                               reinterpret_cast<const unsigned char*>("localhost"), -1, -1, 0);
    X509_set_issuer_name(certificate, name);
    X509_sign(certificate, key, EVP_sha256());
    FILE* file = std::fopen(File("cert.pem").c_str(), "w");
    PEM_write_X509(file, certificate);
    std::fclose(file);
    file = std::fopen(File("key.pem").c_str(), "w");
    PEM_write_PrivateKey(file, key, nullptr, nullptr, 0, nullptr, nullptr);
    std::fclose(file);
    X509_free(certificate);
    EVP_PKEY_free(key);
  }

  ServerOptions Options() {
    return {.port = 0,
            .threads = 1,
            .tls_certificate_file = File("cert.pem"),
            .tls_key_file = File("key.pem")};
  }

  std::filesystem::path folder_;
};

// One encrypted connection over a RawClient's socket.
class TlsClient {
 public:
  explicit TlsClient(const RawClient& client)
      : context_(SSL_CTX_new(TLS_client_method())), ssl_(SSL_new(context_)) {
    SSL_set_fd(ssl_, client.socket());
    connected_ = SSL_connect(ssl_) == 1;
  }
  TlsClient(const TlsClient&) = delete;
  TlsClient& operator=(const TlsClient&) = delete;
  ~TlsClient() {
    SSL_free(ssl_);
    SSL_CTX_free(context_);
  }

  bool connected() const { return connected_; }
  void Send(std::string_view bytes) {
    SSL_write(ssl_, bytes.data(), static_cast<int>(bytes.size()));
  }
  // Reads until `end` has come or the connection ends.
  std::string ReadUntil(std::string_view end) {
    std::string text;
    char bytes[4096];
    while (text.find(end) == std::string::npos) {
      const int count = SSL_read(ssl_, bytes, sizeof bytes);
      if (count <= 0) break;
      text.append(bytes, static_cast<size_t>(count));
    }
    return text;
  }

 private:
  SSL_CTX* const context_;
  SSL* const ssl_;
  bool connected_ = false;
};

TEST_F(TlsTest, Serves) {
  auto server = Server::Start(Options(), this);
  ASSERT_TRUE(server.ok()) << server.status();
  RawClient raw((*server)->port());
  TlsClient client(raw);
  ASSERT_TRUE(client.connected());
  for (int i = 0; i < 3; ++i) {
    client.Send("POST / HTTP/1.1\r\nContent-Length: 2\r\n\r\nhi");
    const std::string answer = client.ReadUntil("hi!");
    EXPECT_TRUE(answer.starts_with("HTTP/1.1 200 OK\r\n")) << answer;
  }
  // A body of several TLS records.
  const std::string large(100'000, 'x');
  client.Send("POST / HTTP/1.1\r\nConnection: close\r\nContent-Length: 100000\r\n\r\n" + large);
  EXPECT_TRUE(client.ReadUntil("\n!").ends_with(large + "!"));
}

TEST_F(TlsTest, PlainRequestsAreTold) {
  auto server = Server::Start(Options(), this);
  ASSERT_TRUE(server.ok()) << server.status();
  RawClient plain((*server)->port());
  const Answer told = plain.Call("GET / HTTP/1.1\r\n\r\n");
  EXPECT_EQ(told.status, 400);
  EXPECT_EQ(told.body, "The plain HTTP request was sent to HTTPS port");
  EXPECT_TRUE(plain.ClosedWithin(std::chrono::minutes(1)));
}

// With or without having said anything.
TEST_F(TlsTest, WhoMakesNoHandshakeIsClosed) {
  ServerOptions options = Options();
  options.request_timeout = absl::Milliseconds(200);
  auto server = Server::Start(options, this);
  ASSERT_TRUE(server.ok()) << server.status();
  RawClient plain((*server)->port());
  plain.Send("GET / HTTP/1.1\r\n\r\n");
  EXPECT_TRUE(plain.ClosedWithin(std::chrono::minutes(1)));
  RawClient neither((*server)->port());
  neither.Send("What is this?\r\n\r\n");
  EXPECT_TRUE(neither.ClosedWithin(std::chrono::minutes(1)));
  RawClient silent((*server)->port());
  EXPECT_TRUE(silent.ClosedWithin(std::chrono::minutes(1)));
}

TEST_F(TlsTest, StopsWithOpenConnections) {
  auto server = Server::Start(Options(), this);
  ASSERT_TRUE(server.ok()) << server.status();
  RawClient raw((*server)->port());
  TlsClient client(raw);
  ASSERT_TRUE(client.connected());
  (*server)->Stop();
  EXPECT_EQ((*server)->counters().connections, 0u);
}

TEST_F(TlsTest, FilesThatAreNone) {
  ServerOptions options = Options();
  options.tls_key_file = File("cert.pem");
  const auto wrong_key = Server::Start(options, this);
  ASSERT_FALSE(wrong_key.ok());
  EXPECT_NE(std::string(wrong_key.status().message()).find(File("cert.pem")), std::string::npos);
}

}  // namespace
}  // namespace dynolith::http
