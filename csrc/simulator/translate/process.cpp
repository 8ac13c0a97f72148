// SPDX-License-Identifier: MIT
// posix_spawn with both outputs collected through pipes.
#include "simulator/translate/process.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

extern "C" char** environ;  // NOLINT(readability-redundant-declaration)

namespace flash_attn_mps::simulator {
namespace {

struct Pipe {
  std::array<int, 2> ends = {-1, -1};

  Pipe() {
    if (pipe2(ends.data(), O_CLOEXEC) != 0) {
      ends = {-1, -1};
    }
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    close_end(0);
    close_end(1);
  }
  bool is_open() const { return ends[0] >= 0; }
  void close_end(std::size_t end) {
    if (ends[end] >= 0) {
      close(ends[end]);
      ends[end] = -1;
    }
  }
};

class SpawnActions {
 public:
  SpawnActions() { posix_spawn_file_actions_init(&actions_); }
  SpawnActions(const SpawnActions&) = delete;
  SpawnActions& operator=(const SpawnActions&) = delete;
  ~SpawnActions() { posix_spawn_file_actions_destroy(&actions_); }

  void redirect(int from, int to) {
    posix_spawn_file_actions_adddup2(&actions_, from, to);
  }
  void no_input() {
    posix_spawn_file_actions_addopen(&actions_, 0, "/dev/null", O_RDONLY, 0);
  }
  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

// Returns false at the end of the stream.
bool read_some(int descriptor, std::string& text) {
  std::array<char, 65536> buffer{};
  const ssize_t count = read(descriptor, buffer.data(), buffer.size());
  if (count > 0) {
    text.append(buffer.data(), static_cast<std::size_t>(count));
  }
  return count > 0 || (count < 0 && errno == EINTR);
}

// One end of a pipe and what came out of it.
struct Stream {
  int descriptor;
  std::string* text;
};

void collect(Pipe& output, Pipe& error, ProcessResult& result) {
  std::vector<Stream> open = {{output.ends[0], &result.output},
                              {error.ends[0], &result.error}};
  while (!open.empty()) {
    std::vector<pollfd> waiting;
    for (const Stream& stream : open) {
      waiting.push_back({stream.descriptor, POLLIN, 0});
    }
    if (poll(waiting.data(), waiting.size(), -1) < 0 && errno != EINTR) {
      return;
    }
    std::size_t index = 0;
    std::erase_if(open, [&](const Stream& stream) {
      const bool is_ready = waiting[index++].revents != 0;
      return is_ready && !read_some(stream.descriptor, *stream.text);
    });
  }
}

int wait_for(pid_t process) {
  int status = 0;
  while (waitpid(process, &status, 0) < 0) {
    if (errno != EINTR) {
      return -1;
    }
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

ProcessResult run_process(const std::vector<std::string>& command) {
  ProcessResult result;
  Pipe output;
  Pipe error;
  if (command.empty() || !output.is_open() || !error.is_open()) {
    result.error = std::strerror(errno);
    return result;
  }
  SpawnActions actions;
  actions.no_input();
  actions.redirect(output.ends[1], 1);
  actions.redirect(error.ends[1], 2);
  std::vector<char*> arguments;
  for (const std::string& argument : command) {
    arguments.push_back(const_cast<char*>(argument.c_str()));
  }
  arguments.push_back(nullptr);
  pid_t process = 0;
  const int failure = posix_spawnp(&process,
                                   arguments[0],
                                   actions.get(),
                                   nullptr,
                                   arguments.data(),
                                   environ);
  if (failure != 0) {
    result.error = std::strerror(failure);
    return result;
  }
  output.close_end(1);
  error.close_end(1);
  collect(output, error, result);
  result.status = wait_for(process);
  return result;
}

}  // namespace flash_attn_mps::simulator
