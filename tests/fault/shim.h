/* Shared by the parts of the preloaded library; shim.c says what it is for. Only the calls that take libc's
 * place may be seen from outside. */
#pragma once

#include <dlfcn.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

#pragma GCC visibility push(hidden)

/* ---- which calls fail (shim.c) ---- */

extern uintptr_t text_low, text_high, sqlite_low, sqlite_high; /* the code of the program, and of SQLite */

static inline int from_program(const void *caller)
{
    uintptr_t at = (uintptr_t)caller;
    return at >= text_low && at < text_high;
}

static inline int from_sqlite(const void *caller)
{
    uintptr_t at = (uintptr_t)caller;
    return at >= sqlite_low && at < sqlite_high;
}

/* One more call of the kind WHAT: whether it is one that fails. */
int fails(const char *what);
/* The error of a call that fails: what the run asks for, else OWN. */
int error_of(int own);
/* The same in errno; returns -1. */
int failed(int own);
/* Something would be changed: by a file system that turns read-only it is not, by a full disk not when it
 * wants room. -1: a file that is there is opened, which a quota that is used up does not refuse. */
int change_fails(int wants_room);
/* The kind is bytes: the disk has room for so many, or (0) they are counted only. */
int has_budget(void);
/* How many of N bytes the disk has room for: all, some, or none (-1 with errno). A budget of 0 counts only.
 */
ssize_t room_for(int fd, size_t n);

/* ---- a hook before a call (shim.c) ---- */

void hook_path(const char *what, const char *path);
void hook_fd(const char *what, int fd);

/* ---- the log of what changes (shim_log.c) ---- */

extern int log_fd, blob_fd; /* -1: nothing is written down */

void log_start(void);
/* While an operation is done and written down no other is begun, so the order is the true one. */
void log_begin(void);
void log_end(void);
void put_log(const char *text, size_t n);
void log_path(const char *path);
/* What was done to one or two paths (B: or NULL), with a number. */
void log_paths(const char *what, unsigned long long number, const char *a, const char *b);
void log_bytes(const char *what, int fd, const void *p, size_t n, unsigned long long at);
/* FD was synced: its present state is safe from now on, whoever wrote it. */
void log_sync(int fd);
/* The same of the file system: what every file below the root holds by now. */
void log_sync_all(void);
/* False: FD is no file below the root, as far as that can be known by its file system. */
int logged(int fd, struct stat *st);
/* The number by which a sync names the folder PATH. */
unsigned long long number_of(const char *path);
/* Where a write without an offset would begin, or began. */
unsigned long long place_of(int fd);

#pragma GCC visibility pop
