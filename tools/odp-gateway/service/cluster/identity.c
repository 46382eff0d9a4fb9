/* STATE/sync: "odp-sync-1 ID GENERATION CHANGE", the last two what a replica has applied ("-" and 0:
 * nothing). Who has no such file, or one that cannot be read, is a new machine: that is safe, since counts
 * are kept by machine and the newest keys are loaded. */
#include "service/cluster/cluster_internal.h"

#include <stdio.h>

#include "base/file.h"
#include "service/state/state_internal.h"

enum odp_status odp_sync_identity_read(struct odp_sync *y)
{
    struct odp_buffer text = {0};
    char path[ODP_PATH_MAX];
    enum odp_status st =
        odp_file_read(odp_state_file(path, y->s->options->state_dir, "sync"), 4096, &text, NULL);
    bool known = st == ODP_OK &&
                 odp_wire_identity_read(odp_slice_trim(odp_buffer_slice(&text)), y->id, &y->keys.saved);
    odp_buffer_release(&text);
    y->keys.mark = y->keys.saved;
    if (known || st == ODP_FAIL)
        return st;
    st = odp_random_hex(y->id, ODP_WIRE_ID);
    return st == ODP_OK ? odp_sync_identity_save(y) : st;
}

enum odp_status odp_sync_identity_save(struct odp_sync *y)
{
    char text[128];
    const struct odp_wire_mark *h = &y->keys.mark;
    int n = snprintf(text, sizeof text, "odp-sync-1 %s %s %llu\n", y->id,
                     h->generation[0] != '\0' ? h->generation : "-", (unsigned long long)h->change);
    enum odp_status st =
        odp_state_put_file(y->s->options->state_dir, "sync", (struct odp_slice){text, (size_t)n});
    if (st == ODP_OK)
        y->keys.saved = *h;
    return st;
}
