// Identifies the client of a thread's reads, for monotonic reads.
#ifndef DYNOLITH_API_INCLUDE_DYNOLITH_CLIENT_SCOPE_H_
#define DYNOLITH_API_INCLUDE_DYNOLITH_CLIENT_SCOPE_H_

#include <string_view>
#include <utility>

namespace dynolith {

// While it lives, the reads of its thread are those of the client of that name, for
// StalenessRule::monotonic; scopes may nest. All reads outside of a scope belong to one client,
// whose name is empty. The name must outlive the scope, which must end on the thread that made it.
class ClientScope {
 public:
  explicit ClientScope(std::string_view name) : before_(std::exchange(Current(), name)) {}
  ClientScope(const ClientScope&) = delete;
  ClientScope& operator=(const ClientScope&) = delete;
  ~ClientScope() { Current() = before_; }

  // The name of the calling thread's client.
  static std::string_view& Current() {
    thread_local std::string_view current;
    return current;
  }

 private:
  const std::string_view before_;
};

}  // namespace dynolith

#endif  // DYNOLITH_API_INCLUDE_DYNOLITH_CLIENT_SCOPE_H_
