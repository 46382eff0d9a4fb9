/* Room for what is written: on the disk of the state folder, and in the key table. */
#include <sys/statvfs.h>

#include "core/keys/keytable.h"
#include "service/state/state.h"

const char *odp_state_room(const struct odp_state *s, uint64_t *left)
{
    struct statvfs v;
    *left = 0;
    if (statvfs(s->options->state_dir, &v) != 0)
        return "failing";
    *left = (uint64_t)v.f_bavail * v.f_frsize;
    if ((v.f_flag & ST_RDONLY) != 0)
        return "read-only";
    if (*left < ODP_STATE_ROOM)
        return "no-space";
    return odp_keytable_count(s->table) >= odp_keytable_capacity(s->table) ? "table-full" : "ok";
}
