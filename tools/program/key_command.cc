// `dynolith key`: changes the keys of an encrypted data folder.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "api/database/states_folder.h"
#include "api/service/database_folders.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
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

// The data folders of the databases with names, in the order of these, and last the folder itself.
absl::StatusOr<std::vector<std::string>> DataFolders(const std::string& folder) {
  DYNOLITH_ASSIGN_OR_RETURN(const std::string beside, FoldersBeside(folder));
  DYNOLITH_ASSIGN_OR_RETURN(std::vector<std::string> names, NamesInFolder(beside));
  std::sort(names.begin(), names.end());
  std::vector<std::string> folders;
  for (const std::string& name : names) {
    const std::string named = Concat(beside, "/", name);
    if (StatesFolder::IsStore(named)) folders.push_back(named);
  }
  folders.push_back(folder);
  return folders;
}

// The folder, and before it its snapshots, which belong to who holds the folder, and the databases
// with names: who sees the folder open with the new key knows that all is done.
absl::Status Rotate(const KeyOptions& options) {
  DYNOLITH_ASSIGN_OR_RETURN(const std::vector<std::string> all, DataFolders(options.folder));
  std::vector<std::shared_ptr<const FolderLock>> locks;
  std::vector<std::string> folders;
  for (const std::string& folder : all) {
    DYNOLITH_ASSIGN_OR_RETURN(locks.emplace_back(),
                              FolderLock::Take(folder, FolderLock::Kind::kExclusive));
    DYNOLITH_ASSIGN_OR_RETURN(const StatesFolder states, StatesFolder::Of(folder));
    DYNOLITH_ASSIGN_OR_RETURN(const std::vector<std::string> snapshots, states.ListSnapshots());
    for (const std::string& name : snapshots) folders.push_back(states.FindSnapshot(name));
    folders.push_back(folder);
  }
  DYNOLITH_RETURN_IF_ERROR(RewrapKeys(folders, options.encryption_key, options.to));
  Print(messages::KeyRotated(options.folder, all.size() - 1, folders.size() - all.size()));
  return absl::OkStatus();
}

absl::Status Renew(const KeyOptions& options) {
  DYNOLITH_ASSIGN_OR_RETURN(const std::vector<std::string> all, DataFolders(options.folder));
  for (const std::string& folder : all) {
    DYNOLITH_ASSIGN_OR_RETURN(const RenewedKeys renewed,
                              RenewDataKeys(folder, options.encryption_key));
    Print(messages::KeysRenewed(folder, renewed.newest, renewed.retired));
  }
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
  CLI::App* const rotate = AddPart(
      key, "rotate",
      "From now on another key opens the folder, its databases with names, and the snapshots "
      "of all. Nothing else is written again, so this takes no time; backups keep the key "
      "that they have",
      &options);
  rotate
      ->add_option("--to", options.to,
                   "Where the new key comes from: file:PATH, env:NAME or command:TEXT")
      ->required()
      ->check(KeySource())
      ->type_name("KEY");
  rotate->callback([exit_code] { *exit_code = Finish(Rotate(options)); });
  CLI::App* const renew = AddPart(
      key, "renew",
      "Write the whole folder again with a new data key, and forget the earlier ones; the same "
      "for each of its databases with names. Snapshots and backups keep theirs",
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
