// Linked with every C++ program: where it crashes, the places in its sources are named on standard error, innermost
// first, where its author looks. Then it ends by the same signal as without this.
//
// It knows nothing of the program, and does nothing before a crash but to prepare: a stack for its own use, because a
// recursion without end leaves none.

#include <execinfo.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

extern "C" const char __executable_start, etext;

namespace {

const int most_places = 64, most_named = 5;
char stack[1 << 16], program[4096], addresses[most_named][24];
const char show[] = "addr2line -i -s -e \"$0\" \"$@\" | sed -e '/^ludus_/d; /^?/d; s/ (.*//' | uniq | head -n 6";
const char head[] = "it crashed here (the innermost place first):\n";

void name_places(int signal) {
  void* places[most_places];
  const char* command[5 + most_named] = {"sh", "-c", show, program};
  const int count = backtrace(places, most_places);
  int named = 0;
  for (int place = 2; place < count && named < most_named; place++) {  // the first two are those of this handler
    const char* at = static_cast<const char*>(places[place]);
    if (at < &__executable_start || at >= &etext) continue;  // a library's
    snprintf(addresses[named], sizeof addresses[named], "%lx",
             static_cast<long>(at - &__executable_start) - (place > 2));
    command[4 + named] = addresses[named];
    named++;
  }
  if (named > 0 && write(2, head, sizeof head - 1) > 0) {
    const pid_t child = vfork();
    if (child == 0) {
      dup2(2, 1);
      execvp(command[0], const_cast<char**>(command));
      _exit(127);
    }
    if (child > 0) waitpid(child, nullptr, 0);
  }
  raise(signal);  // its action is the default again
}

__attribute__((constructor(102))) void prepare() {
  const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
  void* one[1];
  if (length <= 0 || backtrace(one, 1) < 1) return;  // the first call loads what it needs
  stack_t used = {};
  used.ss_sp = stack;
  used.ss_size = sizeof stack;
  sigaltstack(&used, nullptr);
  struct sigaction action = {};
  action.sa_handler = name_places;
  action.sa_flags = static_cast<int>(SA_ONSTACK | SA_RESETHAND | SA_NODEFER);
  const int deadly[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
  for (const int signal : deadly) sigaction(signal, &action, nullptr);
}

}  // namespace
