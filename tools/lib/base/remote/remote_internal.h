/* Inside of base/remote: what the kinds of remote share. */
#pragma once

#include "base/remote/remote.h"

enum { REMOTE_TRIES = 5, REMOTE_PARALLEL = 8 };

struct remote_secret {
    struct odp_slice text; /* in the address */
    struct remote_secret *next;
};

struct odp_remote {
    enum odp_remote_kind kind;
    struct odp_arena arena;
    const char *address; /* as given, without slashes at its end */
    const char *shown;
    struct remote_secret *secrets;
    char fault[700];
    struct odp_downloader *downloader; /* URL */
    char *bearer;                      /* URL: "Authorization: Bearer …"; malloc, wiped; NULL: none */
    const char *program;               /* rclone: its path */
    bool examined;                     /* rclone: the next two are known */
    bool hashes;                       /* the store knows digests */
    bool typed;                        /* the store keeps a media type with each file */
};

/* One kind. Paths are checked before these are called; BAD with a fault as in remote.h. NULL: the kind cannot
 * do it. */
struct remote_kind {
    enum odp_status (*open)(struct odp_remote *r);
    void (*close)(struct odp_remote *r);
    enum odp_status (*read)(struct odp_remote *r, const char *path, size_t max, struct odp_buffer *out);
    enum odp_status (*fetch)(struct odp_remote *r, struct odp_remote_file **files, size_t n, const char *dir,
                             const struct odp_progress *progress);
    enum odp_status (*put)(struct odp_remote *r, const struct odp_remote_put *files, size_t n,
                           const struct odp_progress *progress);
    enum odp_status (*write)(struct odp_remote *r, const char *path, struct odp_slice bytes,
                             const struct odp_remote_put *how);
    enum odp_status (*remove)(struct odp_remote *r, const char *const *paths, size_t n);
    enum odp_status (*look)(struct odp_remote *r, struct odp_remote_file *files, size_t n);
    enum odp_status (*list)(struct odp_remote *r, const char *folder, struct odp_arena *a,
                            const char ***paths, size_t *n);
};
extern const struct remote_kind remote_folder, remote_url, remote_rclone;

/* Remembers the fault, secrets masked; returns BAD. */
enum odp_status remote_fault(struct odp_remote *r, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* Finds the secrets of r->address and makes r->shown. */
void remote_address(struct odp_remote *r);

/* The result of one fetched file: OK, DONE (not there), BAD (other bytes), FAIL. The first that is not OK
 * becomes the fault and *STATUS. */
void remote_fetched(struct odp_remote *r, struct odp_remote_file *f, enum odp_status one,
                    enum odp_status *status);
/* OK: the file at PATH has the size (and digest, where known) of F. DONE: missing. BAD: it is something else.
 */
enum odp_status remote_fits(const char *path, const struct odp_remote_file *f);
/* DIR/path in A, its folder made. */
char *remote_place(struct odp_arena *a, const char *dir, const char *path);
/* FROM as a new file at TO by way of TO.part: whole or not there, 0444, synced. BAD: FROM is not F. */
enum odp_status remote_copy(const char *from, const char *to, const struct odp_remote_file *f);
/* Waits before try N (from 1) is repeated: 0.3 s, 0.6 s, 1.2 s, 2.4 s. */
void remote_pause(unsigned n);
