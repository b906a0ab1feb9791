/* A clock that stands still at FIXED_CLOCK, in seconds since 1970, for programs that LD_PRELOAD this library.
   The test vectors have a fixed time, and most Standard Webhooks libraries read the clock of the system.
   Clocks that measure durations keep running. Go reads the clock without this library. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static time_t fixed(void) {
  const char *seconds = getenv("FIXED_CLOCK");
  return seconds == NULL ? 0 : (time_t)atoll(seconds);
}

int clock_gettime(clockid_t clock, struct timespec *result) {
  if (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE) {
    return (int)syscall(SYS_clock_gettime, clock, result);
  }
  result->tv_sec = fixed();
  result->tv_nsec = 0;
  return 0;
}

int gettimeofday(struct timeval *restrict result, void *restrict zone) {
  (void)zone;
  result->tv_sec = fixed();
  result->tv_usec = 0;
  return 0;
}

time_t time(time_t *result) {
  if (result != NULL) *result = fixed();
  return fixed();
}
