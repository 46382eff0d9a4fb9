/* The state folder itself: whose it is, who holds it, what role it has. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/refusal.h"
#include "service/state/log.h"
#include "service/state/state_internal.h"
#include "words/state.h"

enum { LOCK_TRIES = 20, LOCK_PAUSE_MS = 50, CLOSED_BITS = 027 };

static enum odp_lang operators = ODP_LANG_EN;

void odp_state_speak(enum odp_lang lang)
{
    operators = lang;
}

enum odp_lang odp_state_lang(void)
{
    return operators;
}

const char *odp_state_reason(int errnum)
{
    return odp_refusal_text(errnum).in[operators];
}

enum odp_status odp_state_bad(char why[ODP_WHY], const char *id, const char *en, ...)
{
    va_list args;
    va_start(args, en);
    (void)vsnprintf(why, ODP_WHY, odp_word(operators, id, en), args);
    va_end(args);
    return ODP_BAD;
}

bool odp_state_path(char out[ODP_PATH_MAX], const char *dir, const char *name)
{
    int n = snprintf(out, ODP_PATH_MAX, "%s/%s", dir, name);
    return n > 0 && n < ODP_PATH_MAX;
}

const char *odp_state_file(char out[ODP_PATH_MAX], const char *dir, const char *name)
{
    (void)odp_state_path(out, dir, name);
    return out;
}

/* Parents as usual, the folder itself for us alone, whatever the umask. */
static enum odp_status make(const char *dir, char why[ODP_WHY])
{
    char parent[ODP_PATH_MAX];
    size_t n = strlen(dir);
    while (n > 1 && dir[n - 1] == '/')
        n--;
    while (n > 0 && dir[n - 1] != '/')
        n--;
    (void)snprintf(parent, sizeof parent, "%.*s", (int)n, dir);
    if (n > 0 && odp_dir_make(parent) != ODP_OK) {
        (void)snprintf(why, ODP_WHY, "%s", odp_failure_text());
        odp_failure_clear();
        return ODP_BAD;
    }
    if (mkdir(dir, 0700) != 0 && errno != EEXIST)
        return odp_state_bad(why, W_state_folder_not_made, dir, odp_state_reason(errno));
    return ODP_OK;
}

enum odp_status odp_state_folder(const char *dir, char why[ODP_WHY])
{
    struct stat s;
    if (strlen(dir) == 0 || strlen(dir) > ODP_PATH_MAX - 64)
        return odp_state_bad(why, W_state_path_too_long);
    if (stat(dir, &s) != 0) {
        enum odp_status st = make(dir, why);
        if (st != ODP_OK)
            return st;
    }
    if (stat(dir, &s) != 0 || !S_ISDIR(s.st_mode))
        return odp_state_bad(why, W_state_not_a_folder, dir);
    if (s.st_uid != geteuid())
        return odp_state_bad(why, W_state_of_other_user, dir, (long)s.st_uid);
    if ((s.st_mode & CLOSED_BITS) != 0) {
        if (chmod(dir, 0700) != 0)
            return odp_failure_set("chmod", dir, errno);
        odp_log("warning", "the state folder was open to others; its mode is 0700 now");
    }
    if (access(dir, R_OK | W_OK | X_OK) != 0)
        return odp_state_bad(why, W_state_folder_not_written, dir, odp_state_reason(errno));
    return ODP_OK;
}

static void held(const char *dir, int fd, char why[ODP_WHY])
{
    char text[24] = "";
    ssize_t n = pread(fd, text, sizeof text - 1, 0);
    long pid = n > 0 ? strtol(text, NULL, 10) : 0;
    if (pid > 0)
        (void)odp_state_bad(why, W_state_in_use_by, dir, pid);
    else
        (void)odp_state_bad(why, W_state_in_use, dir);
}

static int try_lock(int fd)
{
    /* Commands keep it for a moment only. */
    for (int i = 0; i < LOCK_TRIES; i++) {
        if (flock(fd, LOCK_EX | LOCK_NB) == 0)
            return 0;
        if (errno != EWOULDBLOCK && errno != EINTR)
            return errno;
        struct timespec t = {.tv_nsec = LOCK_PAUSE_MS * 1000000L};
        nanosleep(&t, NULL);
    }
    return EWOULDBLOCK;
}

enum odp_status odp_state_lock(const char *dir, int *fd, char why[ODP_WHY])
{
    char path[ODP_PATH_MAX], pid[24];
    *fd = -1;
    int f = open(odp_state_file(path, dir, "lock"), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (f < 0)
        return odp_state_bad(why, W_state_not_opened, path, odp_state_reason(errno));
    int e = try_lock(f);
    if (e == EWOULDBLOCK)
        held(dir, f, why);
    if (e != 0) {
        close(f);
        return e == EWOULDBLOCK ? ODP_BAD : odp_failure_set("lock", path, e);
    }
    int n = snprintf(pid, sizeof pid, "%ld\n", (long)getpid());
    (void)!fchmod(f, 0600);
    if (ftruncate(f, 0) != 0 || pwrite(f, pid, (size_t)n, 0) !=
                                    n) { /* the number is for people; a full disk will be said elsewhere */
        (void)!ftruncate(f, 0);
    }
    *fd = f;
    return ODP_OK;
}

enum odp_status odp_state_role(const char *dir, char role[16], char why[ODP_WHY])
{
    char path[ODP_PATH_MAX];
    struct odp_buffer text = {0};
    role[0] = '\0';
    if (odp_file_kind_of(odp_state_file(path, dir, "role")) == ODP_FILE_NONE)
        return ODP_OK;
    enum odp_status st = odp_file_read(path, 64, &text, NULL);
    struct odp_slice s = odp_slice_trim(odp_buffer_slice(&text));
    if (st == ODP_OK && (odp_slice_is(s, "writer") || odp_slice_is(s, "replica"))) {
        (void)snprintf(role, 16, "%.*s", (int)s.len, s.ptr);
    } else if (st != ODP_FAIL) {
        st = odp_state_bad(why, W_state_no_role, path);
    }
    odp_buffer_release(&text);
    return st;
}

enum odp_status odp_state_put_file(const char *dir, const char *name, struct odp_slice bytes)
{
    char path[ODP_PATH_MAX], part[ODP_PATH_MAX + 8];
    (void)snprintf(part, sizeof part, "%s.part", odp_state_file(path, dir, name));
    if (unlink(part) != 0 && errno != ENOENT) /* of a process that was killed; we hold the lock */
        return odp_failure_set("remove", part, errno);
    enum odp_status st = odp_file_put(part, bytes, 0600, NULL);
    return st == ODP_OK ? odp_file_rename(part, path) : st;
}
