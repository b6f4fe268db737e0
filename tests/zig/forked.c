// A program that forks while it has a database in a folder: the child ends by exit(), with its own
// status, and waits for no thread of its parent.
//
//   forked <folder>
#include <dynolith/dynolith.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  char text[4096];
  const int size = snprintf(text, sizeof(text), "{\"path\": \"%s\"}", argv[1]);
  dynolith_database* database = NULL;
  dynolith_error* const error = dynolith_open(text, (size_t)size, &database);
  if (error != NULL) {
    fprintf(stderr, "forked: %s\n", dynolith_error_message(error));
    return 1;
  }
  const pid_t child = fork();
  if (child == 0) {
    // In place of a test that never ends.
    alarm(20);
    exit(7);
  }
  int status = 0;
  if (waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 7) {
    fprintf(stderr, "forked: the child ended with status %#x\n", (unsigned)status);
    return 1;
  }
  dynolith_close(database);
  return 0;
}
