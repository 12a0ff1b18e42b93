// Fails reads of a SQLite database and its log with EIO while the file named by FAIL_READS is there: so many of a
// hundred as it holds.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *control;
static unsigned int drawn = 1;

static ssize_t (*real_read)(int, void *, size_t);
static ssize_t (*real_pread)(int, void *, size_t, off_t);

__attribute__((constructor)) static void start(void) {
  real_read = dlsym(RTLD_NEXT, "read");
  real_pread = dlsym(RTLD_NEXT, "pread64");
  control = getenv("FAIL_READS");
}

static int ends_with(const char *text, size_t length, const char *end) {
  size_t size = strlen(end);
  return length > size && memcmp(text + length - size, end, size) == 0;
}

static int is_of_database(int file) {
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, path, sizeof path);
  return length > 0 && (ends_with(path, length, ".sqlite") || ends_with(path, length, "-wal"));
}

static int percent(void) {
  FILE *file = fopen(control, "r");
  if (!file) return 0;
  int found = 0;
  if (fscanf(file, "%d", &found) != 1) found = 0;
  fclose(file);
  return found;
}

static int fails(int file) {
  if (!control || !is_of_database(file)) return 0;
  return rand_r(&drawn) % 100 < percent();
}

ssize_t read(int file, void *bytes, size_t length) {
  if (!fails(file)) return real_read(file, bytes, length);
  errno = EIO;
  return -1;
}

ssize_t pread(int file, void *bytes, size_t length, off_t at) {
  if (!fails(file)) return real_pread(file, bytes, length, at);
  errno = EIO;
  return -1;
}

ssize_t pread64(int file, void *bytes, size_t length, off_t at) {
  return pread(file, bytes, length, at);
}
