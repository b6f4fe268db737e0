// The texts of `dynolith doctor`: findings and remedies.
#ifndef DYNOLITH_TOOLS_PROGRAM_DOCTOR_MESSAGES_H_
#define DYNOLITH_TOOLS_PROGRAM_DOCTOR_MESSAGES_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/strings.h"

namespace dynolith::messages {

inline std::string DoctorMegabytes(uint64_t bytes) { return Concat(bytes >> 20, " MB"); }

// --- host, port and server

inline std::string ProcessName(std::string_view name, std::string_view number) {
  return Concat(name, " (process ", number, ")");
}
inline std::string By(std::string_view holder) {
  return holder.empty() ? std::string() : Concat(": ", holder);
}
inline std::string HostUnknown(std::string_view host, std::string_view reason) {
  return Concat("cannot find the address of ", host, ", nor can clients: ", reason);
}
inline std::string HostUnknownRemedy() {
  return "look at the name, /etc/hosts and the name server; this machine is 127.0.0.1";
}
inline std::string LocalhostIsSix() {
  return "localhost is ::1 first, where a server does not listen unless it is told to: some "
         "clients "
         "try no other address";
}
inline std::string LocalhostIsSixRemedy(std::string_view port) {
  return Concat("give clients http://127.0.0.1:", port, ", or serve with --host ::1");
}
inline std::string PortFree(std::string_view host, std::string_view port) {
  return Concat(host, ":", port, " is free");
}
inline std::string PortForbidden(std::string_view port) {
  return Concat("port ", port, " is kept for the superuser");
}
inline std::string PortUnusable(std::string_view host, std::string_view port,
                                std::string_view reason) {
  return Concat("cannot listen on ", host, ":", port, ": ", reason);
}
inline std::string TakeAnotherPort() {
  return "dynolith serve --port N, of 1024 to 65535, or 0 for one that is free";
}
inline std::string StrangerAnswers(std::string_view url, std::string_view holder) {
  return Concat("what listens at ", url, " does not answer as a server of DynamoDB does",
                By(holder));
}
inline std::string ServerAnswers(std::string_view url, std::string_view holder) {
  return Concat(url, " answers", By(holder));
}
inline std::string TlsListens(std::string_view url, std::string_view holder) {
  return Concat("something listens at ", url, By(holder));
}
inline std::string AskByPing(std::string_view url) { return Concat("dynolith ping ", url); }
inline std::string NobodyAnswers(std::string_view url) { return Concat("nobody answers at ", url); }
inline std::string StartServer(std::string_view port) {
  return Concat("dynolith serve", port == "8000" ? "" : Concat(" --port ", port));
}
inline std::string HostSilent(std::string_view host, std::string_view port) {
  return Concat("nobody listens on ", host, ":", port, ", which is another machine's address");
}
inline std::string HostUnreachable(std::string_view url, std::string_view reason) {
  return Concat("cannot reach ", url, ": ", reason);
}
inline std::string HostSilentRemedy() {
  return "start the server there with --host 0.0.0.0, and let its port through firewalls; of a "
         "container, publish the port (-p 8000:8000)";
}
inline std::string ClocksAgree() { return "the server's clock and this machine's agree"; }
inline std::string ClocksApart(int64_t seconds) {
  return Concat("the server's clock is ", seconds < 0 ? -seconds : seconds, " s ",
                seconds < 0 ? "behind" : "ahead of",
                " this machine's: signatures of a time more "
                "than 15 minutes away are refused");
}
inline std::string SetClock() { return "set the clock that is wrong (timedatectl set-ntp true)"; }

// --- clients

inline std::string NoEndpoint() {
  return "neither the environment nor the profile names one: SDKs and the AWS CLI ask AWS itself, "
         "unless each call says where";
}
inline std::string SetEndpoint(std::string_view url) {
  return Concat("export AWS_ENDPOINT_URL_DYNAMODB=", url,
                ", or give clients --endpoint-url or "
                "endpoint_url");
}
inline std::string EndpointIgnored(std::string_view place, std::string_view by) {
  return Concat(place, " does not count, since ", by, " says that such are ignored");
}
inline std::string TakeAway(std::string_view place) {
  return place.starts_with("AWS_")
             ? Concat("unset ", place)
             : Concat("take ignore_configured_endpoint_urls away from ", place);
}
inline std::string EndpointNoUrl(std::string_view place, std::string_view value) {
  return Concat(place, " says ", value,
                ", which is no address that begins with http:// or https://");
}
inline std::string EndpointElsewhere(std::string_view place, std::string_view value,
                                     std::string_view url) {
  return Concat(place, " sends clients to ", value, ", and not to ", url);
}
inline std::string EndpointElsewhereRemedy(std::string_view url, std::string_view value) {
  return Concat("export AWS_ENDPOINT_URL_DYNAMODB=", url,
                "; or ask about that one: dynolith doctor ", value);
}
inline std::string EndpointFine(std::string_view place, std::string_view value) {
  return Concat(place, " sends clients to ", value);
}
inline std::string ProfileMissingRemedy() {
  return "unset AWS_PROFILE AWS_DEFAULT_PROFILE, or name a profile that is there";
}
inline std::string CredentialsFine(std::string_view place) {
  return Concat("from ", place, "; any will do, unless the server has --auth verify");
}
inline std::string CredentialsElsewhere(std::string_view place) {
  return Concat("they come by way of ", place, ", which may ask somebody elsewhere each time");
}
inline std::string CredentialsMissing() {
  return "there are none, and clients sign nothing without: they search for some, and then fail";
}
inline std::string SetCredentials() {
  return "export AWS_ACCESS_KEY_ID=local AWS_SECRET_ACCESS_KEY=local";
}
inline std::string RegionMissing() { return "there is none, and clients want one"; }
inline std::string SetRegion() {
  return "export AWS_REGION=us-east-1 AWS_DEFAULT_REGION=us-east-1";
}
inline std::string RegionNotForAll(std::string_view region) {
  return Concat("AWS_REGION is ", region, ", which boto3 and older AWS CLIs do not read");
}
inline std::string RegionsDiffer(std::string_view region, std::string_view other) {
  return Concat("AWS_REGION is ", region, " and AWS_DEFAULT_REGION ", other,
                ": some clients read the one, some the other");
}
inline std::string SetDefaultRegion(std::string_view region) {
  return Concat("export AWS_DEFAULT_REGION=", region);
}
inline std::string RegionFine(std::string_view region, std::string_view place) {
  return Concat(region, ", from ", place);
}
inline std::string ProxyNone() { return "there is none"; }
inline std::string ProxyAvoided(std::string_view proxy, std::string_view without,
                                std::string_view host) {
  return Concat(proxy, " is set, and ", without, " leaves ", host, " out");
}
inline std::string ProxyInBetween(std::string_view proxy, std::string_view value,
                                  std::string_view host) {
  return Concat(proxy, " sends what clients ask ", host, " to ", value);
}
inline std::string SetNoProxy(std::string_view host, std::string_view before) {
  const std::string all = Concat(host, before.empty() ? "" : ",", before);
  return Concat("export NO_PROXY=", all, " no_proxy=", all);
}

// --- limits

inline std::string FilesFine(uint64_t files) {
  return Concat("this process may open ",
                files >= uint64_t{1} << 40 ? std::string("any number of") : Concat(files),
                " files");
}
inline std::string FilesFew(uint64_t files) {
  return Concat("this process may open ", files,
                " files, and each connection is one, as is each table file of a store");
}
inline std::string FilesFewRemedy() {
  return "LimitNOFILE= of a systemd unit, --ulimit nofile=4096 of a container, ulimit -Hn";
}
inline std::string FileSizeLimited(uint64_t bytes) {
  return Concat("files may not be larger than ", DoctorMegabytes(bytes),
                ": writes will fail there");
}
inline std::string FileSizeLimitedRemedy() { return "ulimit -f unlimited"; }
inline std::string AddressSpaceLimited(uint64_t bytes) {
  return Concat("the address space ends at ", DoctorMegabytes(bytes),
                ", of which threads take much that they do not use");
}
inline std::string AddressSpaceLimitedRemedy() {
  return "ulimit -v unlimited, and --memory-budget for what is really used";
}
inline std::string MemoryFine(uint64_t bytes) {
  return Concat("the control group may have ", DoctorMegabytes(bytes));
}
inline std::string MemoryUnlimited() { return "no control group limits it"; }
inline std::string MemoryScarce(uint64_t bytes) {
  return Concat("the control group may have ", DoctorMegabytes(bytes),
                ", and a server that keeps data in a folder grows to about 256 MB");
}
inline std::string MemoryScarceRemedy(uint64_t budget) {
  return Concat("dynolith serve --data DIR --memory-budget ", budget >> 20, "MB");
}
inline std::string MemoryTooScarceRemedy() {
  return "give it 48 MB or more, and serve with --memory-budget 16MB";
}
inline std::string ProcessorsUsable(int processors) {
  return Concat(processors, processors == 1 ? " may be used" : " may be used at once");
}

// --- the disk and its files

inline std::string DiskElsewhere() {
  return "the folder is on a file system that another machine or program serves: its locks and "
         "fsync may not hold what they promise";
}
inline std::string DiskElsewhereRemedy() {
  return "take a folder on a disk of this machine if data has to survive";
}
inline std::string DiskInMemory() { return "the folder is on a file system in memory"; }
inline std::string DiskInMemoryRemedy() { return "take a folder on a disk if data has to survive"; }
inline std::string DiskOfContainer() {
  return "the folder is in a container's own layer, which goes when the container goes";
}
inline std::string DiskOfContainerRemedy() { return "mount a volume there if data has to survive"; }
inline std::string SpaceFine(std::string_view folder, uint64_t bytes) {
  return Concat(DoctorMegabytes(bytes), " free at ", folder);
}
inline std::string SpaceScarce(std::string_view folder, uint64_t bytes) {
  return Concat("only ", DoctorMegabytes(bytes), " free at ", folder);
}
inline std::string FileNumbersGone(std::string_view folder) {
  return Concat("the file system at ", folder, " has no numbers for new files (df -i)");
}
inline std::string SpaceRemedy() { return "make room, or give another --data"; }
inline std::string DataNew(std::string_view folder) {
  return Concat(folder, " will be a new data folder");
}
inline std::string DataOpens(std::string_view folder) {
  return Concat(folder, " opens; dynolith check looks at all that is in it");
}
inline std::string DataDatabases(std::string_view folder) {
  return Concat("the databases in ", folder, " are data folders of their own, and not looked at");
}
inline std::string DataDatabasesRemedy() { return "give --data each of them, to look at it"; }
inline std::string DataHeldRemedy() {
  return "fine if that is the server; then ask the server, and not the folder";
}
inline std::string DataRefusedRemedy() {
  return "the folder is as it was; give what it was made with";
}
inline std::string DataNoRoomRemedy() {
  return "raise that limit, or stop other programs of this user";
}
inline std::string DataForbiddenRemedy() {
  return "let this user read and write all files of the folder";
}
inline std::string DataDamagedRemedy(std::string_view folder) {
  return Concat("dynolith repair ", folder,
                " NEW saves what can be read; dynolith restore makes a "
                "folder of a backup");
}
inline std::string DataNoFolder(std::string_view path) { return Concat(path, " is no folder"); }
inline std::string DataUnwritable(std::string_view folder, std::string_view reason) {
  return Concat(folder, " cannot be written: ", reason);
}
inline std::string TakeAnotherFolder() { return "give a folder that this user may write"; }

}  // namespace dynolith::messages

#endif  // DYNOLITH_TOOLS_PROGRAM_DOCTOR_MESSAGES_H_
