/* The folder an export writes into. Files are made in DIR/.odp-export/, which nobody else looks at, and are
 * put in their places at the end, each by one rename: first the files, then SHA256SUMS, which names them with
 * their digests (`sha256sum -c SHA256SUMS`). Until then nothing in DIR changes, and a run that ends without
 * commit leaves DIR as it was (not even there, where it made it). Other files in DIR stay. A run that is
 * killed between two renames leaves files that an older SHA256SUMS does not know: whole ones, each of its
 * kind. */
#pragma once

#include <pthread.h>

#include "run/run.h"
#include "write/emit.h"

struct export_folder {
    struct odp_output output; /* for emitters; any thread */
    struct odp_arena *arena;
    const char *dir, *hidden; /* DIR, DIR/.odp-export */
    const char *made;         /* the uppermost folder that was not there before; NULL: DIR was */
    int lock;
    pthread_mutex_t *mutex;     /* of the arena and all that follows; borrowed */
    struct odp_exported *files; /* in their hidden places; path: the name alone */
    size_t nfiles;
    unsigned long long scratches;
};

/* Makes DIR where it is missing, and locks it. BAD: another export is writing there. Close it in every case.
 * Who uses A while files are written holds MUTEX. */
enum odp_status export_folder_open(struct export_folder *f, const char *dir, struct odp_arena *a,
                                   pthread_mutex_t *mutex) ODP_MUST_USE;
/* All files get their names, SHA256SUMS at last. Their list is sorted; paths as shown. */
enum odp_status export_folder_commit(struct export_folder *f) ODP_MUST_USE;
void export_folder_close(struct export_folder *f);
