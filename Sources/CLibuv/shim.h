#ifndef ROLLCALL_CLIBUV_SHIM_H
#define ROLLCALL_CLIBUV_SHIM_H

#include <uv.h>

_Static_assert(
    UV_VERSION_MAJOR == 1 && UV_VERSION_MINOR >= 44,
    "Rollcall is written to the surface of libuv 1.44 and later 1.x");

#endif
