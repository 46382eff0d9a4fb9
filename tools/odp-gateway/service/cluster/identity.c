/* STATE/sync: "odp-sync-1 ID GENERATION CHANGE", the last two what a replica has applied ("-" and 0:
 * nothing). Who has no such file, or one that cannot be read, is a new machine: that is safe, since counts
 * are kept by machine and the newest keys are loaded. */
#include "service/cluster/cluster_internal.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"

static bool read_line(struct odp_sync *y, struct odp_slice text)
{
    static const char magic[] = "odp-sync-1 ";
    struct odp_slice s = odp_slice_trim(text);
    struct odp_slice word[3];
    if (s.len < sizeof magic || memcmp(s.ptr, magic, sizeof magic - 1) != 0)
        return false;
    s.ptr += sizeof magic - 1;
    s.len -= sizeof magic - 1;
    for (int i = 0; i < 3; i++) {
        const char *end = s.len > 0 ? memchr(s.ptr, ' ', s.len) : NULL;
        if ((end == NULL) != (i == 2))
            return false;
        word[i] = (struct odp_slice){s.ptr, end != NULL ? (size_t)(end - s.ptr) : s.len};
        if (end != NULL)
            s = (struct odp_slice){end + 1, s.len - word[i].len - 1};
    }
    uint64_t change = 0;
    if (!odp_wire_hex(word[0], ODP_WIRE_ID) || !odp_wire_number(word[2], INT64_MAX, &change))
        return false;
    memcpy(y->id, word[0].ptr, ODP_WIRE_ID);
    if (odp_wire_hex(word[1], ODP_WIRE_GENERATION)) {
        memcpy(y->keys.saved.generation, word[1].ptr, ODP_WIRE_GENERATION);
        y->keys.saved.change = change;
    }
    return true;
}

static char *path_of(struct odp_sync *y, struct odp_arena *a, const char *name)
{
    return odp_path_join(a, y->s->options->state_dir, name);
}

enum odp_status odp_sync_identity_read(struct odp_sync *y)
{
    struct odp_buffer text;
    struct odp_arena a;
    odp_buffer_init(&text);
    odp_arena_init(&a);
    char *path = path_of(y, &a, "sync");
    enum odp_status st = path != NULL ? odp_file_read(path, 4096, &text, NULL) : ODP_FAIL;
    bool known = st == ODP_OK && read_line(y, odp_buffer_slice(&text));
    if (known)
        y->keys.head = y->keys.saved;
    else if (st != ODP_FAIL) {
        st = odp_random_hex(y->id, ODP_WIRE_ID);
        if (st == ODP_OK)
            st = odp_sync_identity_save(y);
    }
    odp_arena_release(&a);
    odp_buffer_release(&text);
    return st;
}

enum odp_status odp_sync_identity_save(struct odp_sync *y)
{
    struct odp_buffer text;
    struct odp_arena a;
    const struct odp_wire_head *h = &y->keys.head;
    odp_buffer_init(&text);
    odp_arena_init(&a);
    char *path = path_of(y, &a, "sync"), *fresh = path_of(y, &a, "sync.new");
    enum odp_status st = path != NULL && fresh != NULL ? ODP_OK : ODP_FAIL;
    odp_buffer_printf(&text, "odp-sync-1 %s %s %llu\n", y->id, h->generation[0] != '\0' ? h->generation : "-",
                      (unsigned long long)h->change);
    if (st == ODP_OK)
        st = odp_buffer_status(&text);
    if (st == ODP_OK && unlink(fresh) != 0 && errno != ENOENT)
        st = odp_failure_set("unlink", fresh, errno);
    if (st == ODP_OK)
        st = odp_file_put(fresh, odp_buffer_slice(&text), 0600, NULL);
    if (st == ODP_OK)
        st = odp_file_rename(fresh, path);
    if (st == ODP_OK)
        y->keys.saved = *h;
    odp_arena_release(&a);
    odp_buffer_release(&text);
    return st;
}
