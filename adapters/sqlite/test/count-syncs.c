// Counts fsync and fdatasync of a process, and writes the count to the file named by SYNC_COUNT when it ends.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

static int count = 0;

int fsync(int file) {
  count++;
  return ((int (*)(int))dlsym(RTLD_NEXT, "fsync"))(file);
}

int fdatasync(int file) {
  count++;
  return ((int (*)(int))dlsym(RTLD_NEXT, "fdatasync"))(file);
}

__attribute__((destructor)) static void tell(void) {
  const char *name = getenv("SYNC_COUNT");
  FILE *out = name ? fopen(name, "w") : NULL;
  if (!out) return;
  fprintf(out, "%d", count);
  fclose(out);
}
