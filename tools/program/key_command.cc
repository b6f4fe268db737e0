// `dynolith key`: changes the keys of an encrypted data folder.
#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "api/database/states_folder.h"
#include "engine/base/status_macros.h"
#include "engine/store/folder_lock.h"
#include "engine/store/rotation/rotate_keys.h"
#include "tools/program/command_parts.h"
#include "tools/program/commands.h"
#include "tools/program/database_flags.h"
#include "tools/program/messages.h"
#include "tools/program/option_checks.h"
#include "tools/program/print.h"

namespace dynolith {
namespace {

struct KeyOptions {
  std::string folder;
  std::string encryption_key;
  std::string to;
};

// The folder, and before it its snapshots, which belong to who holds the folder: who sees the
// folder open with the new key knows that all is done.
absl::Status Rotate(const KeyOptions& options) {
  DYNOLITH_ASSIGN_OR_RETURN(const std::shared_ptr<const FolderLock> lock,
                            FolderLock::Take(options.folder, FolderLock::Kind::kExclusive));
  DYNOLITH_ASSIGN_OR_RETURN(const StatesFolder states, StatesFolder::Of(options.folder));
  DYNOLITH_ASSIGN_OR_RETURN(const std::vector<std::string> snapshots, states.ListSnapshots());
  std::vector<std::string> folders;
  folders.reserve(snapshots.size() + 1);
  for (const std::string& name : snapshots) folders.push_back(states.FindSnapshot(name));
  folders.push_back(options.folder);
  DYNOLITH_RETURN_IF_ERROR(RewrapKeys(folders, options.encryption_key, options.to));
  Print(messages::KeyRotated(options.folder, snapshots.size()));
  return absl::OkStatus();
}

absl::Status Renew(const KeyOptions& options) {
  DYNOLITH_ASSIGN_OR_RETURN(const RenewedKeys renewed,
                            RenewDataKeys(options.folder, options.encryption_key));
  Print(messages::KeysRenewed(options.folder, renewed.newest, renewed.retired));
  return absl::OkStatus();
}

CLI::App* AddPart(CLI::App* key, const char* name, const char* what, KeyOptions* options) {
  CLI::App* const part = key->add_subcommand(name, what);
  part->add_option("DIR", options->folder, "Encrypted data folder, not in use by a server")
      ->required()
      ->check(NamedPath());
  AddKeyFlag(part, &options->encryption_key)->required();
  return part;
}

}  // namespace

void AddKey(CLI::App* app, int* exit_code) {
  static KeyOptions options;
  CLI::App* const key = app->add_subcommand("key", "Change the keys of an encrypted data folder");
  key->require_subcommand(1);
  CLI::App* const rotate =
      AddPart(key, "rotate",
              "From now on another key opens the folder and its snapshots. Nothing else is written "
              "again, so this takes no time; backups keep the key that they have",
              &options);
  rotate
      ->add_option("--to", options.to,
                   "Where the new key comes from: file:PATH, env:NAME or command:TEXT")
      ->required()
      ->check(KeySource())
      ->type_name("KEY");
  rotate->callback([exit_code] { *exit_code = Finish(Rotate(options)); });
  CLI::App* const renew =
      AddPart(key, "renew",
              "Write the whole folder again with a new data key, and forget the earlier ones; "
              "snapshots and backups keep theirs",
              &options);
  renew->callback([exit_code] { *exit_code = Finish(Renew(options)); });
  key->footer(
      "Examples:\n"
      "  openssl rand -hex 32 > /etc/dynolith/key\n"
      "  dynolith serve --data /var/lib/music --encryption-key file:/etc/dynolith/key\n"
      "  dynolith key rotate /var/lib/music --encryption-key file:/etc/dynolith/key \\\n"
      "      --to 'command:aws kms decrypt --ciphertext-blob fileb:///etc/dynolith/key.kms \\\n"
      "          --query Plaintext --output text'\n"
      "  dynolith key renew /var/lib/music --encryption-key env:MUSIC_KEY");
}

}  // namespace dynolith
