#include "published/parts.h"

#include <libdeflate.h>

#include "published/seals.h"
#include "published/parts_internal.h"

/* The file: head, then the parts: a record, then its texts: the name, the paths asked for, the paths put,
 * each ended by a zero byte, and the part's own text. Before each path is what is asked of it. */
struct head {
    char magic[16];
    uint8_t common[ODP_SHA256_SIZE];
    uint32_t rest; /* CRC-32 of all that follows: it tells damage; nobody else writes the file */
};
struct record {
    uint8_t key[ODP_SHA256_SIZE], asked[ODP_SHA256_SIZE], put[ODP_SHA256_SIZE];
    uint32_t nasked, nput, ntext, bytes; /* bytes: of the texts */
};
static const char magic[16] = "odp-parts-2\n";

static enum odp_status digest(struct odp_buffer *text, uint8_t out[ODP_SHA256_SIZE])
{
    return odp_buffer_status(text) == ODP_OK ? odp_digest_of(text->ptr, text->len, out) : ODP_FAIL;
}

static uint64_t said(const struct odp_stage *s)
{
    return odp_diags_count(s->diags, ODP_SEVERITY_ERROR) + odp_diags_count(s->diags, ODP_SEVERITY_WARNING) +
           odp_diags_count(s->diags, ODP_SEVERITY_NOTE);
}

/* ---- the site before ---- */

/* The record at AT of FILE, in R; its texts, or NULL: it is damaged. */
static const char *record_at(struct odp_slice file, size_t at, struct record *r)
{
    if (file.len - at < sizeof *r)
        return NULL;
    memcpy(r, file.ptr + at, sizeof *r);
    const char *texts = file.ptr + at + sizeof *r;
    if (r->bytes > file.len - at - sizeof *r || r->ntext > r->bytes)
        return NULL;
    size_t n = 0;
    for (const char *c = texts, *end = texts + r->bytes - r->ntext; c < end; n++) {
        const char *zero = memchr(c, '\0', (size_t)(end - c));
        if (zero == NULL)
            return NULL;
        c = zero + 1;
    }
    return n == 1 + (size_t)r->nasked + r->nput ? texts : NULL;
}

static struct odp_slice before(const struct stage_parts *p)
{
    return (struct odp_slice){p->before.ptr, p->before.len};
}

/* Enters all parts of the file. False: it is no file of ours. */
static bool enter_all(struct stage_parts *p, struct odp_arena *a)
{
    const struct odp_slice file = before(p);
    struct head head;
    if (file.len < sizeof head)
        return false;
    memcpy(&head, file.ptr, sizeof head);
    if (memcmp(head.magic, magic, sizeof magic) != 0 ||
        memcmp(head.common, p->common, sizeof p->common) != 0 ||
        libdeflate_crc32(0, file.ptr + sizeof head, file.len - sizeof head) != head.rest)
        return false;
    for (size_t at = sizeof head; at < file.len;) {
        struct record r;
        bool fresh;
        const char *texts = record_at(file, at, &r);
        if (texts == NULL)
            return false;
        uint32_t number = odp_map_put(&p->names, odp_slice_of(texts), &fresh);
        p->at = odp_arena_more(a, p->at, number, sizeof *p->at);
        p->at[number] = at;
        at += sizeof r + r.bytes;
    }
    return true;
}

enum odp_status odp_stage_parts(struct odp_stage *s, const uint8_t common[ODP_SHA256_SIZE])
{
    struct stage_parts *p = odp_arena_zero(&s->arena, 1, sizeof *p);
    enum odp_status status = ODP_OK;
    odp_map_init(&p->names);
    odp_map_init(&p->asked);
    odp_map_init(&p->put);
    memcpy(p->common, common, sizeof p->common);
    s->parts = p;
    if (s->same != NULL) {
        const char *path = odp_arena_printf(&s->arena, "%s.parts", odp_site_dir(s->same));
        const uint64_t size = odp_file_size_of(path);
        if (size > 0)
            status = odp_mapped_open(&p->before, path, size);
        if (status == ODP_OK && !enter_all(p, &s->arena))
            odp_map_clear(&p->names);
    }
    return status == ODP_OK ? odp_arena_status(&s->arena) : status;
}

/* ---- begin ---- */

/* Whether the N paths at *PATHS are what DIGEST says, in the stage or (OF_BEFORE) in the site before;
 * *PATHS moves on. */
static bool is_still(const struct odp_stage *s, const char **paths, uint32_t n, bool of_before,
                     const uint8_t wanted[ODP_SHA256_SIZE])
{
    struct odp_buffer *state = &s->parts->asked_state;
    uint8_t now[ODP_SHA256_SIZE];
    odp_buffer_clear(state);
    for (uint32_t i = 0; i < n; i++, *paths += strlen(*paths) + 1)
        odp_part_add_state(state, *paths,
                           of_before ? odp_site_find(s->same, *paths + 1) : odp_stage_look(s, *paths + 1));
    return digest(state, now) == ODP_OK && memcmp(now, wanted, sizeof now) == 0;
}

/* RECORD goes into the file that will be written. */
static void keep(struct odp_stage *s, struct odp_slice record)
{
    struct stage_parts *p = s->parts;
    p->now = odp_arena_more(&s->arena, p->now, p->n, sizeof *p->now);
    p->now[p->n++] = record;
}

/* DONE: the record of NAME still holds, and its files are linked. */
static enum odp_status carry(struct odp_stage *s, const char *name)
{
    struct stage_parts *p = s->parts;
    struct record r;
    uint32_t number = odp_map_find(&p->names, odp_slice_of(name));
    if (number == ODP_MAP_NONE)
        return ODP_OK;
    const char *texts = record_at(before(p), p->at[number], &r), *path = texts + strlen(texts) + 1;
    const bool same =
        is_still(s, &path, r.nasked, false, r.asked) && memcmp(r.key, p->key, sizeof r.key) == 0;
    const char *put = path;
    if (!is_still(s, &path, r.nput, true, r.put))
        return ODP_OK;
    p->text_before = (struct odp_slice){path, r.ntext};
    if (!same)
        return ODP_OK;
    for (uint32_t i = 0; i < r.nput; i++, put += strlen(put) + 1)
        if (odp_stage_link_same(s, odp_site_find(s->same, put + 1), NULL) != ODP_OK)
            return ODP_FAIL;
    s->text = p->text_before;
    keep(s, (struct odp_slice){texts - sizeof r, sizeof r + r.bytes});
    return ODP_DONE;
}

enum odp_status odp_part_begin(struct odp_stage *s, const char *name, struct odp_slice key)
{
    struct stage_parts *p = s->parts;
    s->text = (struct odp_slice){0};
    if (p == NULL)
        return ODP_OK;
    struct odp_buffer *const buffers[] = {&p->asked_paths, &p->put_paths, &p->asked_state};
    for (size_t i = 0; i < ODP_COUNT(buffers); i++)
        odp_buffer_clear(buffers[i]);
    odp_map_clear(&p->asked);
    odp_map_clear(&p->put);
    p->text_before = (struct odp_slice){0};
    enum odp_status status = odp_digest_of(key.ptr, key.len, p->key);
    if (status == ODP_OK)
        status = carry(s, name);
    odp_buffer_clear(&p->asked_state);
    p->name = odp_arena_str(&s->arena, name);
    p->open = status == ODP_OK;
    p->thread = pthread_self();
    p->loose = false;
    p->said = said(s);
    return status;
}

/* ---- end ---- */

static uint32_t count(struct odp_slice paths)
{
    uint32_t n = 0;
    for (size_t i = 0; i < paths.len; i++)
        n += paths.ptr[i] == '\0';
    return n;
}

enum odp_status odp_part_end(struct odp_stage *s, enum odp_status status)
{
    struct stage_parts *p = s->parts;
    if (p == NULL)
        return status;
    p->open = false;
    if (status != ODP_OK || p->loose || said(s) != p->said)
        return status;
    const struct odp_slice name = {p->name, strlen(p->name) + 1}, asked = odp_buffer_slice(&p->asked_paths),
                           put = odp_buffer_slice(&p->put_paths);
    struct record r = {.nasked = count(asked), .nput = count(put), .ntext = (uint32_t)s->text.len};
    const char *path = put.ptr;
    struct odp_buffer all = {0};
    memcpy(r.key, p->key, sizeof r.key);
    status = digest(&p->asked_state, r.asked);
    odp_buffer_clear(&p->asked_state);
    for (uint32_t i = 0; i < r.nput; i++, path += strlen(path) + 1)
        odp_part_add_state(&p->asked_state, path, odp_stage_look(s, path + 1));
    if (status == ODP_OK)
        status = digest(&p->asked_state, r.put);
    r.bytes = (uint32_t)(name.len + asked.len + put.len + s->text.len);
    const struct odp_slice pieces[] = {{(const char *)&r, sizeof r}, name, asked, put, s->text};
    for (size_t i = 0; i < ODP_COUNT(pieces); i++)
        odp_buffer_add_slice(&all, pieces[i]);
    keep(s, odp_arena_copy(&s->arena, odp_buffer_slice(&all)));
    odp_buffer_release(&all);
    return status;
}

void odp_part_set_text(struct odp_stage *s, struct odp_slice text)
{
    s->text = odp_arena_copy(&s->arena, text);
}

struct odp_slice odp_part_text(const struct odp_stage *s)
{
    return s->text;
}

struct odp_slice odp_part_text_before(const struct odp_stage *s)
{
    return s->parts != NULL ? s->parts->text_before : (struct odp_slice){0};
}

/* As those that are linked, it is not checked again: the site before is whole. */
enum odp_status odp_part_read_before(const struct odp_stage *s, const char *path, struct odp_buffer *out)
{
    struct odp_arena arena = {0};
    const struct odp_site_file *f = odp_site_find(s->same, path);
    int errnum = 0;
    enum odp_status status =
        f != NULL ? odp_file_read(odp_path_join(&arena, odp_site_dir(s->same), path), f->size, out, &errnum)
                  : ODP_BAD;
    odp_arena_release(&arena);
    return status == ODP_BAD ? odp_failure_set("read", path, errnum) : status;
}

enum odp_status odp_parts_write(const struct odp_stage *s, const char *build)
{
    struct stage_parts *p = s->parts;
    struct head head = {0};
    struct odp_arena arena = {0};
    struct odp_slice *all = odp_arena_array(&arena, p->n + 1, sizeof *all);
    memcpy(head.magic, magic, sizeof magic);
    memcpy(head.common, p->common, sizeof head.common);
    all[0] = (struct odp_slice){(const char *)&head, sizeof head};
    for (size_t i = 0; i < p->n; i++) {
        all[i + 1] = p->now[i];
        head.rest = libdeflate_crc32(head.rest, p->now[i].ptr, p->now[i].len);
    }
    enum odp_status status = odp_beside_put(build, "parts", all, p->n + 1);
    odp_arena_release(&arena);
    return status;
}
