// Linux's epoll, which the C library's own module for Swift leaves out. Elsewhere there is nothing in here.
#ifndef ROLLCALL_CEPOLL_H
#define ROLLCALL_CEPOLL_H

#ifdef __linux__
#include <sys/epoll.h>
#endif

#endif
