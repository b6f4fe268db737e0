// `dynolith mcp`: its options.
#include <CLI/CLI.hpp>
#include <algorithm>

#include "tools/mcp/mcp_server.h"
#include "tools/program/command_parts.h"
#include "tools/program/commands.h"
#include "tools/program/database_flags.h"
#include "tools/program/option_checks.h"

namespace dynolith {
namespace {

// Where the data is.
void AddMcpData(CLI::App* command, mcp::BackendOptions* backend) {
  OpenSettings* const settings = &backend->settings;
  CLI::Option* const data = AddDatabaseFlag(command, "path", settings)->check(NamedPath());
  CLI::Option* const endpoint =
      command
          ->add_option("--endpoint", backend->endpoint,
                       "Work on the tables of this server, or of the service, instead of own ones")
          ->excludes(data)
          ->type_name("URL");
  command
      ->add_option("--region", backend->region,
                   "The region for which calls of --endpoint are signed (default: as SDKs find it)")
      ->needs(endpoint)
      ->check(Region())
      ->type_name("REGION");
  command
      ->add_option("--ca", backend->certificates_file,
                   "Trust the certificates in this PEM file (default: those of the system)")
      ->needs(endpoint)
      ->check(NamedPath())
      ->type_name("FILE");
  command
      ->add_option("--admin-token", backend->admin_token_file,
                   "The file with the token of --endpoint's admin endpoint, if it has one")
      ->needs(endpoint)
      ->check(NamedPath())
      ->type_name("FILE");
  AddDatabaseFlag(command, "encryption_key", settings)->needs(data);
  AddDatabaseFlag(command, "clock", settings)->excludes(endpoint);
  AddUnreadFlag(command, "clock_start", &backend->clock_start)->excludes(endpoint);
  AddDatabaseFlag(command, "hot_keys", settings)->excludes(endpoint);
  AddDatabaseFlag(command, "capacity.mode", settings)->excludes(endpoint);
}

// What tools may do.
void AddMcpRules(CLI::App* command, mcp::ToolRules* rules) {
  command->add_flag_callback(
      "--allow-writes",
      [rules] { rules->permission = std::max(rules->permission, mcp::Permission::kWrite); },
      "Let tools create and change tables and items, load files, take snapshots and set faults; "
      "without it they only read");
  command->add_flag_callback(
      "--allow-deletes", [rules] { rules->permission = mcp::Permission::kDelete; },
      "Let tools also delete tables, items and snapshots, restore snapshots and advance the "
      "clock; implies --allow-writes");
  command
      ->add_option("--keep-snapshots", rules->snapshots_kept,
                   "How many of the automatic snapshots before destructive calls are kept")
      ->check(WholeBetween(1, 1000))
      ->capture_default_str()
      ->type_name("N");
  command->add_flag("--without-snapshots", rules->without_snapshots,
                    "Let destructive tools run also where no snapshot can be taken, as at the "
                    "service itself");
}

// How clients reach it.
void AddMcpTransport(CLI::App* command, mcp::McpOptions* options) {
  CLI::Option* const http = command->add_flag(
      "--http", options->over_http,
      "Listen for clients at /mcp, instead of serving one on standard input and output");
  command->add_option("--host", options->host, "Address to listen on")
      ->needs(http)
      ->capture_default_str();
  command->add_option("--port", options->port, "Port to listen on; 0 picks a free one")
      ->needs(http)
      ->check(WholeBetween(0, 65535))
      ->capture_default_str();
  CLI::Option* const token =
      command
          ->add_option("--token", options->token_file,
                       "Admit callers that send the word in this file (Authorization: Bearer WORD)")
          ->needs(http)
          ->check(NamedPath())
          ->type_name("FILE");
  command
      ->add_flag("--without-token", options->without_token,
                 "Admit every program on this machine instead")
      ->needs(http)
      ->excludes(token);
  command
      ->add_option(
          "--allow-origin", options->pages.origins,
          "Let web pages of this origin call, not only those of localhost; may be repeated")
      ->needs(http)
      ->expected(1)
      ->take_all()
      ->check(OriginToAllow())
      ->type_name("ORIGIN");
  command
      ->add_option("--allow-host", options->pages.hosts,
                   "Let web pages call the server by this name; may be repeated")
      ->needs(http)
      ->expected(1)
      ->take_all()
      ->check(HostToAllow())
      ->type_name("NAME");
  CLI::Option* const certificate =
      command
          ->add_option("--tls-cert", options->tls_certificate_file, "Speak TLS: PEM certificates")
          ->needs(http)
          ->check(NamedPath())
          ->type_name("FILE");
  CLI::Option* const key =
      command->add_option("--tls-key", options->tls_key_file, "PEM private key")
          ->needs(http)
          ->check(NamedPath())
          ->type_name("FILE");
  certificate->needs(key);
  key->needs(certificate);
}

}  // namespace

void AddMcp(CLI::App* app, int* exit_code) {
  static mcp::McpOptions options;
  CLI::App* const command = app->add_subcommand(
      "mcp", "Offer tables and the lab to assistants as tools (Model Context Protocol)");
  AddMcpData(command, &options.backend);
  AddMcpRules(command, &options.rules);
  AddMcpTransport(command, &options);
  command->callback([exit_code] { *exit_code = Finish(mcp::RunMcp(options)); });
  command->footer(
      "By default it serves one client on standard input and output, with tables in memory that "
      "tools\n"
      "may only read.\n"
      "Examples:\n"
      "  dynolith mcp --data ./data\n"
      "  dynolith mcp --endpoint http://127.0.0.1:8000 --allow-writes\n"
      "  dynolith mcp --allow-deletes --clock manual --hot-keys\n"
      "  claude mcp add dynolith -- dynolith mcp --endpoint http://127.0.0.1:8000\n"
      "  openssl rand -hex 24 > mcp.token\n"
      "  dynolith mcp --http --token mcp.token --data ./data");
}

}  // namespace dynolith
