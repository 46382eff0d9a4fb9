/* Heavy libraries that not every run needs (PROJ alone brings forty others), loaded where they are first called.
 *
 * base/libraries/NAME.def lists the headers of one and the functions that we call; CMake (tools/cmake/libraries.cmake) makes of it
 *   "base/libraries/NAME.h"   what a source includes in place of the library's headers. There every function listed is a pointer in the table odp_calls_NAME, so
 *                       calls are written as ever; odp_load_NAME() fills the table and comes before the first of them.
 *   lib/odp/NAME.so     a module beside the program that is linked with the library and holds nothing but the table.
 * A function that is not listed is an undefined reference when the program is linked: add its name to the list.
 *
 * With -DODP_MODULES=OFF (sanitizers, coverage) base/libraries/NAME.h only includes, the library is linked as usual, and odp_load_NAME does nothing. A program
 * that wants the library linked although others load it (odp-gateway: libcurl) calls odp_link_NAME() first. */
#ifndef ODP_BASE_LIBRARY_H
#define ODP_BASE_LIBRARY_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

/* A table begins with the text that tells one list of functions, of one version of this program, from
 * another. */
struct odp_library {
    const char *name, *stamp;
    void *calls; /* of SIZE bytes; NULLs until it is loaded */
    size_t size;
    pthread_mutex_t lock;
    atomic_bool loaded;
};

/* Loads what is not loaded yet. FAIL: the module is missing, damaged or not of this program. Any thread. */
enum odp_status odp_library_load(struct odp_library *l) ODP_MUST_USE;
/* Takes TABLE, which is linked into the program. Before there are threads. */
void odp_library_link(struct odp_library *l, const void *table);

#endif
