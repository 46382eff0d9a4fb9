/* The keys that differ, of all versions of a message. A packed key is, for each part, a mark (0 null, 1 a
 * value) and a value's length and text; numbers are in their shortest form, since 1.50 that became 1.5 is the
 * same record (as in tools/odp-build/site/differences). */
#include <search.h>

#include "service/webhooks/events/match_internal.h"

/* ---- packing ---- */

/* An older version may have a text where a number is now. */
static bool is_number(struct odp_slice s)
{
    static const char digits[] = "0123456789";
    char text[ODP_DECIMAL_SIZE];
    if (s.len >= sizeof text)
        return false;
    memcpy(text, s.ptr, s.len);
    text[s.len] = '\0';
    const char *p = text + (text[0] == '-');
    size_t n = strspn(p, digits);
    if (n == 0)
        return false;
    p += n;
    if (*p == '.') {
        n = strspn(p + 1, digits);
        p += 1 + n;
    }
    if (n > 0 && (*p == 'e' || *p == 'E')) {
        p += p[1] == '-' || p[1] == '+' ? 2 : 1;
        n = strspn(p, digits);
        p += n;
    }
    return n > 0 && p == text + s.len;
}

struct odp_slice match_keys_part(const struct match_work *w, size_t i, struct odp_slice part,
                                 char room[ODP_DECIMAL_SIZE])
{
    const struct odp_search_info *info = w->newest->info;
    if (i >= info->nkey || !odp_type_is_number(info->columns[info->key[i]].type) || part.ptr == NULL ||
        !is_number(part))
        return part;
    return (struct odp_slice){room, odp_decimal_normal(part, room)};
}

/* True: the parts are in their shortest form. */
static bool pack(const struct match_work *w, size_t side, const struct odp_slice *parts, size_t n,
                 struct odp_buffer *out)
{
    char number[ODP_DECIMAL_SIZE];
    bool exact = true;
    odp_buffer_init(out);
    for (size_t i = 0; i < n; i++) {
        struct odp_slice s = side == MATCH_KEYED ? match_keys_part(w, i, parts[i], number) : parts[i];
        odp_buffer_add_char(out, s.ptr != NULL);
        if (s.ptr == NULL)
            continue;
        exact = exact && odp_slice_eq(s, parts[i]);
        odp_buffer_add(out, &s.len, sizeof s.len);
        odp_buffer_add_slice(out, s);
    }
    return exact;
}

/* ---- entries ---- */

static int order(const void *a, const void *b)
{
    const struct match_entry *x = a, *y = b;
    return x->side != y->side ? (x->side > y->side) - (x->side < y->side) : odp_slice_cmp(x->key, y->key);
}

struct match_entry *match_keys_find(struct match_work *w, size_t side, const struct odp_slice *parts,
                                    size_t n)
{
    struct odp_buffer packed;
    (void)pack(w, side, parts, n, &packed);
    const struct match_entry wanted = {.side = side, .key = odp_buffer_slice(&packed)};
    void *const *found = tfind(&wanted, &w->keys, order);
    w->arena.failed = w->arena.failed || packed.failed; /* not found is another answer */
    odp_buffer_release(&packed);
    return found != NULL ? *found : NULL;
}

/* The literals as they are written. */
static const char *write_told(struct match_work *w, const struct odp_slice *parts, size_t n)
{
    struct odp_buffer text = {0};
    for (size_t i = 0; i < n; i++)
        events_key_add(&text, parts[i], i == 0);
    const char *told = odp_arena_str(&w->arena, odp_buffer_cstr(&text));
    w->arena.failed = w->arena.failed || text.failed;
    odp_buffer_release(&text);
    return told;
}

static struct match_entry *insert(struct match_work *w, size_t side, const struct odp_slice *parts, size_t n)
{
    struct odp_buffer packed;
    struct match_entry *e = odp_arena_zero(&w->arena, 1, sizeof *e);
    bool exact = pack(w, side, parts, n, &packed);
    bool ok = odp_buffer_status(&packed) == ODP_OK;
    e->side = side;
    e->key = odp_arena_copy(&w->arena, odp_buffer_slice(&packed));
    e->told = exact ? NULL : write_told(w, parts, n);
    e->place = w->nkeys++;
    odp_buffer_release(&packed);
    if (!ok || tsearch(e, &w->keys, order) == NULL) {
        (void)odp_failure_set("match keys", NULL, 0);
        return NULL;
    }
    if (w->last != NULL)
        w->last->next = e;
    else
        w->first = e;
    w->last = e;
    return e;
}

enum odp_status match_keys_add(struct match_work *w, size_t side, const struct odp_slice *parts, size_t n,
                               enum odp_change_op op)
{
    struct match_entry *e = match_keys_find(w, side, parts, n);
    if (e == NULL && w->nkeys >= ODP_EVENT_MATCH_KEYS)
        return ODP_DONE;
    if (e == NULL)
        e = insert(w, side, parts, n);
    if (e == NULL)
        return ODP_FAIL;
    /* A key has one change, whatever happened on the way; a whole row counts as often as it is there. */
    for (int before = 0; side == MATCH_KEYED && before < EVENTS_OPS; before++)
        if (e->times[before] > 0) {
            op = events_op_join((enum odp_change_op)before, op);
            e->times[before] = 0;
        }
    e->times[op]++;
    return odp_arena_status(&w->arena);
}

static void leave(void *entry)
{
    (void)entry; /* it lives in the arena */
}

void match_keys_release(struct match_work *w)
{
    tdestroy(w->keys, leave);
    w->keys = NULL;
}
