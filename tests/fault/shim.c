/* Preloaded into odp-build (and odp-gateway) by the tests beside it: lets the Nth call of one kind fail.
 *   ODP_FAULT=alloc:N | read:N | write:N | fsync:N | rename:N | close:N | link:N | open:N | make:N | unlink:N
 *             mmap:N | thread:N | trunc:N | mode:N | look:N | list:N | lock:N | random:N | spawn:N | temp:N
 *             sqlalloc:N | sqlopen:N | sqlread:N | sqlwrite:N      the same, asked for by SQLite
 *             jsonalloc:N                                          memory that odp-build gets for jansson
 *             types:N                                              readdir does not tell what a name is
 *             change:N                                             whatever changes a file or folder
 *             bytes:N                                              a disk with room for N bytes
 *             clock:N                                              the clock jumps by ODP_CLOCK_JUMP seconds
 * N from 1; N = 0 counts only. "kind:N+" fails from the Nth call on; "kind:N:EDQUOT" (or "kind:N+:EROFS")
 * says with which error. rename is renameat2 too, fsync syncfs and fdatasync, alloc mmap and what libc
 * allocates for the program (strdup), link linkat and symlink; make is mkdir and mkdtemp, unlink all that
 * removes, write pwrite and SQLite's writes too; mode is chmod, look stat, readlink, realpath and access,
 * list readdir, temp mkstemp, memfd_create and pipe2, spawn fork and posix_spawnp. The number of calls goes
 * to the file ODP_FAULT_COUNT at exit. Allocations, reads, opens, closes and looks count only when they are
 * asked for by the program itself, not by the libraries: those have their own ways to fail. A read that fails
 * goes on failing, as a bad disk's.
 *
 *   ODP_HOOK=open:N:PART | read:N:PART, ODP_HOOK_DO=COMMAND
 *             before the Nth call on a file whose path contains PART, a shell runs COMMAND
 *   ODP_POWER_LOG=FOLDER, ODP_POWER_ROOT=FOLDER
 *             what changes below ROOT is written down in order, with the bytes: see power_faults.py
 *
 * This file: which calls fail, and the hook. shim_log.c is the log; shim_files.c and shim_system.c are the
 * calls. */
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "shim.h"

static atomic_long calls;
static long fail_at = -1;
static int fail_on, fail_errno; /* from fail_at on; 0: the kind's own error */
static char kind[16];
uintptr_t text_low, text_high, sqlite_low, sqlite_high;

static atomic_long spent; /* bytes written */

static int errno_of(const char *name)
{
    static const struct {
        const char *name;
        int e;
    } all[] = {{"EIO", EIO},       {"ENOSPC", ENOSPC}, {"EDQUOT", EDQUOT}, {"EROFS", EROFS},
               {"ENOMEM", ENOMEM}, {"EAGAIN", EAGAIN}, {"EACCES", EACCES}, {"EMFILE", EMFILE},
               {"EFBIG", EFBIG},   {"EPERM", EPERM},   {"ENOLCK", ENOLCK}, {"ENOSYS", ENOSYS}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(all[i].name, name) == 0)
            return all[i].e;
    return 0;
}

/* ---- which calls fail ---- */

int fails(const char *what)
{
    if (fail_at < 0 || strcmp(what, kind) != 0)
        return 0;
    long n = atomic_fetch_add(&calls, 1) + 1;
    return n == fail_at || (fail_on && fail_at > 0 && n > fail_at);
}

int error_of(int own)
{
    return fail_errno != 0 ? fail_errno : own;
}

int failed(int own)
{
    errno = error_of(own);
    return -1;
}

int has_budget(void)
{
    return strcmp(kind, "bytes") == 0;
}

int change_fails(int wants_room)
{
    if ((wants_room >= 0 || fail_errno != EDQUOT) && fails("change")) {
        (void)failed(EROFS);
        return 1;
    }
    if (wants_room > 0 && fail_at > 0 && has_budget() && atomic_load(&spent) >= fail_at) {
        (void)failed(ENOSPC);
        return 1;
    }
    return 0;
}

ssize_t room_for(int fd, size_t n)
{
    struct stat st;
    if (fail_at < 0 || !has_budget() || NEXT(fstat)(fd, &st) != 0 || !S_ISREG(st.st_mode))
        return (ssize_t)n;
    long before = atomic_fetch_add(&spent, (long)n);
    if (fail_at == 0 || before + (long)n <= fail_at)
        return (ssize_t)n;
    return before < fail_at ? fail_at - before : failed(ENOSPC);
}

/* ---- a hook before a call ---- */

static char hook_kind[16], hook_part[256];
static const char *hook_do;
static atomic_long hook_left;

static void hook_start(void)
{
    const char *text = getenv("ODP_HOOK");
    long n = 0;
    hook_do = getenv("ODP_HOOK_DO");
    if (text != NULL && hook_do != NULL && sscanf(text, "%15[a-z]:%ld:%255s", hook_kind, &n, hook_part) == 3)
        atomic_store(&hook_left, n);
}

static void run_hook(void)
{
    int saved = errno;
    char *const words[] = {"sh", "-c", (char *)(uintptr_t)hook_do, NULL};
    char *const environment[] = {"PATH=/usr/local/bin:/usr/bin:/bin", NULL};
    pid_t pid;
    if (NEXT(posix_spawnp)(&pid, "sh", NULL, NULL, words, environment) == 0)
        (void)waitpid(pid, NULL, 0);
    errno = saved;
}

void hook_path(const char *what, const char *path)
{
    if (atomic_load(&hook_left) > 0 && path != NULL && strcmp(what, hook_kind) == 0 &&
        strstr(path, hook_part) != NULL && atomic_fetch_sub(&hook_left, 1) == 1)
        run_hook();
}

void hook_fd(const char *what, int fd)
{
    char link[32], path[PATH_MAX];
    if (atomic_load(&hook_left) <= 0 || strcmp(what, hook_kind) != 0)
        return;
    (void)snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = NEXT(readlink)(link, path, sizeof path - 1);
    path[n > 0 ? n : 0] = '\0';
    hook_path(what, path);
}

/* ---- start and end ---- */

/* The program's code, from the first mapping of /proc/self/exe that is executable. */
static void find_program(void)
{
    char line[512], exe[256];
    ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
    FILE *maps = n > 0 ? fopen("/proc/self/maps", "re") : NULL;
    if (maps == NULL)
        return;
    exe[n] = '\0';
    while (fgets(line, sizeof line, maps) != NULL) {
        unsigned long low, high;
        char mode[8];
        if (strstr(line, exe) != NULL && sscanf(line, "%lx-%lx %7s", &low, &high, mode) == 3 &&
            mode[2] == 'x') {
            text_low = low;
            text_high = high;
        }
    }
    fclose(maps);
}

/* The same of SQLite's. */
static int find_sqlite(struct dl_phdr_info *info, size_t size, void *ctx)
{
    if (info->dlpi_name == NULL || strstr(info->dlpi_name, "libsqlite3") == NULL)
        return 0;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_LOAD && (info->dlpi_phdr[i].p_flags & PF_X) != 0) {
            sqlite_low = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
            sqlite_high = sqlite_low + info->dlpi_phdr[i].p_memsz;
        }
    return 1;
}

/* What our programs start (rclone, a shell) inherits this library, and neither fails nor counts. */
static int is_ours(void)
{
    return strncmp(program_invocation_short_name, "odp-", 4) == 0;
}

__attribute__((constructor)) static void start(void)
{
    const char *fault = is_ours() ? getenv("ODP_FAULT") : NULL;
    find_program();
    (void)dl_iterate_phdr(find_sqlite, NULL);
    if (fault != NULL && sscanf(fault, "%15[a-z]:%ld", kind, &fail_at) != 2)
        fail_at = -1;
    if (fail_at >= 0) {
        const char *name = strrchr(fault, ':');
        fail_on = strchr(fault, '+') != NULL;
        fail_errno = name != strchr(fault, ':') ? errno_of(name + 1) : 0;
    }
    hook_start();
    log_start();
    atomic_store(&calls, 0);
    atomic_store(&spent, 0);
}

__attribute__((destructor)) static void stop(void)
{
    const char *path = is_ours() ? getenv("ODP_FAULT_COUNT") : NULL;
    FILE *out = path != NULL ? fopen(path, "we") : NULL;
    if (out != NULL) {
        fprintf(out, "%ld\n", has_budget() ? atomic_load(&spent) : atomic_load(&calls));
        fclose(out);
    }
}
