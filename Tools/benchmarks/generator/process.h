/* What a server uses, by the kernel's books, and how much others got in the way. */
#ifndef PROCESS_H
#define PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* CPU time of all threads of the process, in ns. */
uint64_t process_cpu(pid_t process);

/* Resident memory of the process, in bytes. */
uint64_t process_memory(pid_t process);

bool process_lives(pid_t process);

/* The CPU time of other programs since the last call, as a share of one core's time. */
double contention(pid_t server);

#endif
