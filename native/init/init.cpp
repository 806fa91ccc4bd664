// The first process of a sandbox. It starts the program with its limits and its filter of system calls; then it refuses
// and reports the calls that the filter hands over, pauses everything inside on request, and counts memory where no
// control group does. It ends with the program or with the referee, and the kernel then ends all the rest.
//
// The program runs as the same user, so nothing of this process may be within its reach: it cannot be traced or read
// (it is not dumpable), and shares no descriptor that matters. Knows no bots; obeys only its arguments and the referee.
//
//     ludus-init --control FD --output FD [--user ID] [--watch MEGABYTES] [--filter FD]... [--limit NAME=VALUE]...
//                [--env NAME=VALUE]... -- COMMAND...
//
// The referee's lines, one letter each: `s` stop everything inside, `c` continue. The answers: `stopped`, `refused
// NUMBER` once for each system call, `memory` before it ends because too much was used. Exit status: the program's, or
// 128 and its signal; 125 where the program could not be prepared.
#include <dirent.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

constexpr int could_not_start = 125, not_executable = 126, not_found = 127;
constexpr int no_listener = 1;       // what the program's process says where it has none; otherwise the number above it
constexpr int first_new_call = 424;  // from here on the numbers are the same on all processors, and calls are recent

struct Plan {
  int control = -1, output = -1;
  uid_t user = 0;            ///< to become, or 0 to stay who we are
  std::uint64_t watch = 0;   ///< bytes that everything inside may use together, or 0 where a control group counts
  std::vector<int> filters;  ///< descriptors of programs for the kernel; the last one hands calls over to us
  std::vector<std::pair<int, rlim_t>> limits;
  std::vector<std::string> environment;
  char** command = nullptr;
};

[[noreturn]] void give_up(const char* what) {
  dprintf(STDERR_FILENO, "ludus-init: %s: %s\n", what, std::strerror(errno));
  _exit(could_not_start);
}

std::uint64_t number(const char* text) {
  char* end = nullptr;
  errno = 0;
  const std::uint64_t value = std::strtoull(text, &end, 10);
  if (errno != 0 || end == text || *end != '\0') {
    errno = EINVAL;
    give_up(text);
  }
  return value;
}

std::pair<int, rlim_t> limit(const std::string& text) {
  static constexpr std::array<std::pair<std::string_view, int>, 11> names{{{"nproc", RLIMIT_NPROC},
                                                                           {"nofile", RLIMIT_NOFILE},
                                                                           {"fsize", RLIMIT_FSIZE},
                                                                           {"core", RLIMIT_CORE},
                                                                           {"memlock", RLIMIT_MEMLOCK},
                                                                           {"msgqueue", RLIMIT_MSGQUEUE},
                                                                           {"sigpending", RLIMIT_SIGPENDING},
                                                                           {"rtprio", RLIMIT_RTPRIO},
                                                                           {"nice", RLIMIT_NICE},
                                                                           {"data", RLIMIT_DATA},
                                                                           {"cpu", RLIMIT_CPU}}};
  const auto at = text.find('=');
  for (const auto& [name, resource] : names) {
    if (text.substr(0, at) == name) return {resource, number(text.c_str() + at + 1)};
  }
  errno = EINVAL;
  give_up(text.c_str());
}

Plan read_plan(char** words) {
  Plan plan;
  for (++words; *words != nullptr && std::string_view(*words) != "--"; words += 2) {
    const std::string_view option = words[0];
    const char* value = words[1];
    if (value == nullptr) break;
    if (option == "--control") plan.control = static_cast<int>(number(value));
    if (option == "--output") plan.output = static_cast<int>(number(value));
    if (option == "--user") plan.user = static_cast<uid_t>(number(value));
    if (option == "--watch") plan.watch = number(value) << 20;
    if (option == "--filter") plan.filters.push_back(static_cast<int>(number(value)));
    if (option == "--limit") plan.limits.push_back(limit(value));
    if (option == "--env") plan.environment.emplace_back(value);
  }
  if (*words == nullptr || words[1] == nullptr || plan.control < 0 || plan.output < 0) {
    errno = EINVAL;
    give_up("arguments");
  }
  plan.command = words + 1;
  return plan;
}

/// All descriptors but the first three are closed when the program takes over.
void keep_descriptors_from_program() {
#ifdef SYS_close_range
  if (syscall(SYS_close_range, 3U, ~0U, 4U) == 0) return;  // CLOSE_RANGE_CLOEXEC
#endif
  for (int fd = 3; fd < 1024; ++fd) fcntl(fd, F_SETFD, FD_CLOEXEC);
}

/// Becomes the user, and what nobody of that user can read or trace; dies with the process that started us. In this
/// order: a change of user undoes the other two. The saved user stays root where it was: otherwise the process that
/// started us, root without capabilities, could not end us.
void become_unreachable(uid_t user) {
  if (user != 0 && (setgroups(0, nullptr) != 0 || setresgid(user, user, user) != 0 || setresuid(user, user, 0) != 0))
    give_up("user");
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct nothing[_LINUX_CAPABILITY_U32S_3]{};
  if (syscall(SYS_capset, &header, nothing) != 0) give_up("capabilities");
  if (prctl(PR_SET_DUMPABLE, 0) != 0 || prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) give_up("prctl");
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) give_up("no_new_privs");
}

/// Installs a filter; one that hands over calls gives us the descriptor to take them from, if the kernel can do that.
/// Without it those calls fail with ENOSYS, and nobody learns of them.
int install(int file, bool hands_over) {
  std::vector<sock_filter> program(4096);
  const ssize_t size = read(file, program.data(), program.size() * sizeof(sock_filter));
  if (size <= 0) give_up("filter");
  sock_fprog rules{static_cast<unsigned short>(static_cast<std::size_t>(size) / sizeof(sock_filter)), program.data()};
  if (hands_over) {
    const long made = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &rules);
    if (made >= 0) return static_cast<int>(made);
  }
  if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &rules) != 0) give_up("seccomp");
  return -1;
}

/// What the program's process does before it becomes the program. Descriptors are shared with us until we unshare them.
[[noreturn]] void run_program(const Plan& plan, int prepared) {
  if (plan.user != 0 && setresuid(plan.user, plan.user, plan.user) != 0) give_up("user");
  for (const auto& [resource, value] : plan.limits) {
    const rlimit both{value, value};
    if (setrlimit(resource, &both) != 0) give_up("limit");
  }
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  for (const auto& word : plan.environment) putenv(const_cast<char*>(word.c_str()));
  int listener = -1;
  for (const int filter : plan.filters) listener = install(filter, filter == plan.filters.back());
  const auto found = static_cast<std::uint64_t>(listener + no_listener + 1);
  if (write(prepared, &found, sizeof found) != sizeof found) give_up("eventfd");
  if (write(plan.output, "ready\n", 6) != 6) give_up("ready");
  for (char letter = 0; letter != '\n';) {
    if (read(STDIN_FILENO, &letter, 1) != 1) _exit(could_not_start);
  }
  if (dup2(plan.output, STDOUT_FILENO) < 0) give_up("output");
  execvp(plan.command[0], plan.command);
  const int status = errno == ENOENT || errno == ENOTDIR ? not_found : not_executable;
  dprintf(STDERR_FILENO, "%s: %s\n", plan.command[0], errno == ENOENT ? "not found" : std::strerror(errno));
  _exit(status);
}

void tell(int control, const char* line) {
  (void)!write(control, line, std::strlen(line));
}

/// Answers one call that the filter handed over: it is refused, and reported the first time.
void refuse(int listener, int control) {
  static std::array<bool, 1024> reported{};
  seccomp_notif asked{};
  if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &asked) != 0) return;  // its thread is gone
  seccomp_notif_resp answer{};
  answer.id = asked.id;
  answer.error = asked.data.nr >= first_new_call ? -ENOSYS : -EPERM;
  ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);
  const auto call = static_cast<std::size_t>(asked.data.nr);
  if (call >= reported.size() || reported[call]) return;
  reported[call] = true;
  char line[32];
  std::snprintf(line, sizeof line, "refused %zu\n", call);
  tell(control, line);
}

/// Memory of everything inside, for machines whose kernel does not add it up for us.
class Watch {
 public:
  explicit Watch(std::uint64_t most) : most_(most), processes_(most != 0 ? opendir("/proc") : nullptr) {
    if (most != 0 && processes_ == nullptr) give_up("/proc");
  }

  /// Whether more is used than allowed, found twice in a row: a process between vfork and exec counts twice.
  bool exceeded() {
    if (most_ == 0 || used(false) <= most_ ||
        used(true) <= most_) {  // pages that processes share are counted once only if need be
      strikes_ = 0;
      return false;
    }
    return ++strikes_ > 1;
  }
  /// Until the next look.
  int milliseconds() const { return most_ == 0 ? -1 : strikes_ > 0 || last_ > most_ / 2 ? 5 : 25; }

 private:
  static constexpr std::uint64_t inode_bytes = 1536;        ///< the kernel's part of a file in memory
  static constexpr std::uint64_t socket_bytes = 512 << 10;  ///< what may be on its way in a local socket

  std::uint64_t used(bool exactly) {
    std::uint64_t total = 0;
    rewinddir(processes_);
    while (const dirent* entry = readdir(processes_)) {
      if (entry->d_name[0] < '0' || entry->d_name[0] > '9' || std::string_view(entry->d_name) == "1") continue;
      total += process(entry->d_name, exactly);
    }
    for (const char* folder : {"/tmp", "/play", "/dev/shm"}) {
      struct statfs about{};
      if (statfs(folder, &about) != 0) continue;
      total += (about.f_blocks - about.f_bfree) * static_cast<std::uint64_t>(about.f_bsize);
      total += (about.f_files - about.f_ffree) * inode_bytes;
    }
    total += value("/proc/net/sockstat", "sockets: used") * socket_bytes;
    return last_ = total;
  }

  std::uint64_t process(const char* pid, bool exactly) {
    std::string place = std::string("/proc/") + pid;
    std::string_view status = contents(place + "/status");
    if (!shows_memory(status)) {
      place = living_thread(place);
      if (place.empty()) return 0;
      status = contents(place + "/status");
    }
    const std::uint64_t anonymous = field(status, "\nRssAnon:");
    const std::uint64_t beside = field(status, "\nVmPTE:") + field(status, "\nVmSwap:");
    if (!exactly) return (anonymous + beside) << 10;
    const std::string_view shares = contents(place + "/smaps_rollup");
    const bool known = shares.find("\nPss_Anon:") != shares.npos;
    return ((known ? field(shares, "\nPss_Anon:") : anonymous) + beside) << 10;
  }

  static bool shows_memory(std::string_view status) { return status.find("\nRssAnon:") != status.npos; }

  /// A thread that shows the memory of its process; none where the process has ended. Needed where the first thread has
  /// ended and others run: the process then looks like one that has ended.
  std::string living_thread(const std::string& process) {
    DIR* threads = opendir((process + "/task").c_str());
    if (threads == nullptr) return {};
    std::string found;
    while (const dirent* entry = readdir(threads)) {
      const std::string place = process + "/task/" + entry->d_name;
      if (entry->d_name[0] == '.' || !shows_memory(contents(place + "/status"))) continue;
      found = place;
      break;
    }
    closedir(threads);
    return found;
  }

  std::uint64_t value(const std::string& path, std::string_view name) { return field(contents(path), name); }

  static std::uint64_t field(std::string_view text, std::string_view name) {
    const auto at = text.find(name);
    return at == text.npos ? 0 : std::strtoull(text.data() + at + name.size(), nullptr, 10);
  }

  /// A file of /proc; valid until the next call.
  std::string_view contents(const std::string& path) {
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return {};
    const ssize_t size = read(file, buffer_.data(), buffer_.size() - 1);
    close(file);
    buffer_[static_cast<std::size_t>(std::max<ssize_t>(size, 0))] = '\0';
    return {buffer_.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0))};
  }

  std::uint64_t most_;
  DIR* processes_;
  std::array<char, 8192> buffer_{};
  std::uint64_t last_ = 0;
  int strikes_ = 0;
};

/// Buries the dead. Ends with the status of the program when that has ended.
void bury(pid_t program) {
  int status = 0;
  for (pid_t dead; (dead = waitpid(-1, &status, WNOHANG)) > 0;) {
    if (dead == program) _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
  }
}

/// Does what the referee says; ends where there is none any more.
void obey(int control) {
  char letter = 0;
  if (read(control, &letter, 1) != 1) _exit(128 + SIGKILL);
  // One signal to all processes at once: none of them can start another in between.
  if (letter == 's') {
    kill(-1, SIGSTOP);
    tell(control, "stopped\n");
  } else if (letter == 'c') {
    kill(-1, SIGCONT);
  }
}

/// The program's process is ready and says where calls are handed over; -1 if nowhere. From now on our descriptors are
/// our own, so that the program alone has its output open. If we come late, its output is our standard output too: it
/// has been told to go on, and has put it there while the descriptors were still in common.
int take_listener(int prepared, int output) {
  std::uint64_t found = 0;
  if (read(prepared, &found, sizeof found) != sizeof found || unshare(CLONE_FILES) != 0) give_up("listener");
  if (dup2(STDERR_FILENO, STDOUT_FILENO) < 0) give_up("output");
  close(output);
  close(prepared);
  return static_cast<int>(found) - no_listener - 1;
}

[[noreturn]] void keep(const Plan& plan, pid_t program, int deaths, int prepared) {
  pollfd waiting[] = {{deaths, POLLIN, 0}, {plan.control, POLLIN, 0}, {prepared, POLLIN, 0}};
  int listener = -1;
  Watch watch(plan.watch);
  for (;;) {
    if (poll(waiting, 3, watch.milliseconds()) < 0 && errno != EINTR) give_up("poll");
    if (waiting[0].revents != 0) {
      signalfd_siginfo about[16];
      (void)!read(deaths, about, sizeof about);
      bury(program);
    }
    if (waiting[1].revents != 0) obey(plan.control);
    if (waiting[2].revents != 0 && listener < 0) {
      waiting[2].fd = listener = take_listener(prepared, plan.output);
    } else if ((waiting[2].revents & POLLIN) != 0) {
      refuse(listener, plan.control);
    } else if (waiting[2].revents != 0) {
      waiting[2].fd = -1;  // no process is left that could be refused anything
    }
    if (watch.exceeded()) {
      tell(plan.control, "memory\n");
      _exit(128 + SIGKILL);
    }
  }
}

}  // namespace

int main(int, char** words) {
  const Plan plan = read_plan(words);
  keep_descriptors_from_program();
  become_unreachable(plan.user);
  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  sigprocmask(SIG_BLOCK, &child, nullptr);
  const int deaths = signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK), prepared = eventfd(0, EFD_CLOEXEC);
  if (deaths < 0 || prepared < 0) give_up("descriptors");
  // Descriptors in common, so that the one on which the kernel hands over calls reaches us.
  const long program = syscall(SYS_clone, CLONE_FILES | SIGCHLD, nullptr, nullptr, nullptr, nullptr);
  if (program < 0) give_up("fork");
  if (program == 0) run_program(plan, prepared);
  keep(plan, static_cast<pid_t>(program), deaths, prepared);
}
