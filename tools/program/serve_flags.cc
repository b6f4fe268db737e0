#include "tools/program/serve_flags.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/store/postgres/address.h"
#include "engine/store/postgres/postgres_store.h"
#include "engine/store/store.h"
#include "tools/program/messages.h"
#include "tools/program/option_checks.h"
#include "tools/server/http/network.h"

namespace dynolith {

void AddListening(CLI::App* command, ServeOptions* options) {
  command->add_option("--host", options->host, "Address to listen on")->capture_default_str();
  command->add_option("--port", options->port, "Port to listen on; 0 picks a free one")
      ->check(WholeBetween(0, 65535))
      ->capture_default_str();
}

void AddStoreFlags(CLI::App* command, ServeOptions* options) {
  static PostgresOptions store;
  static auto stamps = postgres::StampSource::kTransactionIds;
  CLI::Option* const url =
      command
          ->add_option("--store", store.url,
                       "Keep everything in this PostgreSQL database, which other servers use as "
                       "well: postgresql://role@host,host/database (dynolith store --help)")
          ->type_name("URL");
  command
      ->add_option("--store-connections", store.connections_max,
                   "The most connections to the store for writes; as many for reads, and a fourth "
                   "of that for snapshots")
      ->check(WholeBetween(1, 1000))
      ->needs(url)
      ->capture_default_str()
      ->type_name("N");
  url->each([options](const std::string& text) {
    // What is wrong with it is said when it is opened.
    options->store_place = [place = PostgresStore::PlaceOf(text).value_or("")] {
      return messages::StampedStore(place, stamps == postgres::StampSource::kCounter);
    };
    options->open_store = []() -> absl::StatusOr<std::unique_ptr<Store>> {
      return PostgresStore::Open(store, &stamps);
    };
  });
}

void CheckStoreFlags(const CLI::App& command) {
  // What is kept, cached or timed by one process alone. Asked of few starts, so all others do not
  // pay for a look-up of each.
  for (const char* flag : {"--data",           "--memory",         "--sync",
                           "--encryption-key", "--memory-budget",  "--cache",
                           "--item-cache",     "--vector-search",  "--vector-memory",
                           "--staleness",      "--staleness-seed", "--clock",
                           "--clock-start",    "--isolate",        "--shared-db",
                           "--regions",        "--region-port",    "--databases-made-by",
                           "--databases-max",  "--databases-open"}) {
    if (command.get_option(flag)->count() > 0) throw CLI::ExcludesError("--store", flag);
  }
}

void AddThreads(CLI::App* command, ServeOptions* options) {
  command
      ->add_option("--threads", options->threads,
                   "Event loops; 0: one for each processor that it may use")
      ->check(WholeBetween(0, 1024))
      ->capture_default_str();
}

void AddTls(CLI::App* command, ServeOptions* options) {
  CLI::Option* const certificate =
      command
          ->add_option("--tls-cert", options->tls_certificate_file, "Speak TLS: PEM certificates")
          ->check(NamedPath())
          ->type_name("FILE");
  CLI::Option* const key =
      command->add_option("--tls-key", options->tls_key_file, "PEM private key")
          ->check(NamedPath())
          ->type_name("FILE");
  certificate->needs(key);
  key->needs(certificate);
}

void AddAdminCallers(CLI::App* command, ServeOptions* options) {
  command
      ->add_option("--admin-token", options->admin_token_file,
                   "Let whoever sends the word in this file use /_dynolith/ from anywhere "
                   "(Authorization: Bearer WORD); implies --admin")
      ->check(NamedPath())
      ->type_name("FILE");
  command
      ->add_option_function<std::vector<std::string>>(
          "--admin-from",
          [options](const std::vector<std::string>& networks) {
            for (const std::string& network : networks) {
              options->admin_networks.push_back(*http::ParseNetwork(network));
            }
          },
          "Let programs of this network use /_dynolith/, such as 172.16.0.0/12 or fd00::/8, not "
          "only those on this machine; may be repeated; implies --admin")
      ->expected(1)
      ->take_all()
      ->check(CallersNetwork())
      ->type_name("CIDR");
}

void AddTrace(CLI::App* command, ServeOptions* options) {
  CLI::Option* const file =
      command
          ->add_option("--trace", options->trace_file,
                       "Write what each request uses of which key into this file, for dynolith lab "
                       "trace and for experiments that replay it; what the file holds already "
                       "becomes FILE.1")
          ->check(NamedPath())
          ->type_name("FILE");
  command->add_option("--trace-size", options->trace_megabytes, "Of each file of the trace, in MB")
      ->needs(file)
      ->check(WholeBetween(1, 1'000'000))
      ->capture_default_str()
      ->type_name("MB");
  command
      ->add_option("--trace-files", options->trace_files,
                   "How many files there are at most: FILE, FILE.1, …; the oldest goes")
      ->needs(file)
      ->check(WholeBetween(1, 1'000))
      ->capture_default_str()
      ->type_name("N");
  static const std::map<std::string, bool> kKeys = {{"hash", false}, {"plain", true}};
  command
      ->add_option("--trace-keys", options->trace_plain_keys,
                   "hash (the default): keys can be told apart, but not read; plain: the keys "
                   "themselves")
      ->needs(file)
      ->transform(CLI::CheckedTransformer(kKeys).description(""))
      ->transform(AmongWords("hash|plain"))
      ->type_name("hash|plain");
}

void AddCallers(CLI::App* command, ServeOptions* options) {
  static const std::map<std::string, http::AuthMode> kModes = {{"off", http::AuthMode::kOff},
                                                               {"shape", http::AuthMode::kShape},
                                                               {"verify", http::AuthMode::kVerify}};
  command
      ->add_option("--auth", options->auth,
                   "off: no signature needed; shape (the default): requests must look signed; "
                   "verify: signatures are checked")
      ->transform(CLI::CheckedTransformer(kModes).description(""))
      ->transform(AmongWords("off|shape|verify"))
      ->type_name("off|shape|verify");
  command
      ->add_option("--credentials", options->credentials_file,
                   "For --auth verify: lines \"access_key secret_key [session_token]\"")
      ->check(NamedPath())
      ->type_name("FILE");
  // expected(1): CLI11 would take the words behind a value for further values of the option.
  command
      ->add_option("--allow-origin", options->pages.origins,
                   "Let web pages of this origin call, not only those of localhost: "
                   "https://app.example, null or * for all; may be repeated")
      ->expected(1)
      ->take_all()
      ->check(OriginToAllow())
      ->type_name("ORIGIN");
  command
      ->add_option("--allow-host", options->pages.hosts,
                   "Let web pages call the server by this name, not only by localhost or an "
                   "address: db.example, or * for all; may be repeated")
      ->expected(1)
      ->take_all()
      ->check(HostToAllow())
      ->type_name("NAME");
}

void AddLog(CLI::App* command, LogOptions* options) {
  static const std::map<std::string, LogLevel> kLevels = {
      {"error", LogLevel::kError}, {"warning", LogLevel::kWarning}, {"info", LogLevel::kInfo}};
  CLI::Option* const level =
      command
          ->add_option(
              "--log-level", options->level,
              "error: what went wrong by the server's own fault; warning (the default): also what "
              "should be changed; info: also each request")
          ->transform(CLI::CheckedTransformer(kLevels).description(""))
          ->transform(AmongWords("error|warning|info"))
          ->type_name("error|warning|info");
  command
      ->add_flag_callback(
          "--verbose", [options] { options->level = LogLevel::kInfo; },
          "The same as --log-level info: one line per request")
      ->excludes(level);
  static const std::map<std::string, bool> kFormats = {{"text", false}, {"json", true}};
  command
      ->add_option("--log-format", options->json,
                   "text (the default), or json: one JSON object a line")
      ->transform(CLI::CheckedTransformer(kFormats).description(""))
      ->transform(AmongWords("text|json"))
      ->type_name("text|json");
}

}  // namespace dynolith
