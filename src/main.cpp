#include <malloc.h>

#include "commands/command_line.h"

int main(int argc, char** argv) {
  // Windows come and go: large blocks are given back when they are freed instead of piling up in the heap.
  mallopt(M_MMAP_THRESHOLD, 1 << 20);
  return meteor::run_command_line(argc, argv);
}
