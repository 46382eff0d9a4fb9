/* What the part that is open asks its stage for, and puts into it. */
#include "published/parts_internal.h"

#include <stdio.h>

void odp_part_add_state(struct odp_buffer *to, const char *asked, const struct odp_site_file *f)
{
    odp_buffer_add(to, asked, strlen(asked) + 1);
    odp_buffer_add_char(to, f == NULL ? '-' : *asked == THERE ? '+' : (char)('0' + f->cls));
    if (f != NULL && *asked == WHOLE)
        odp_buffer_add(to, f->sha256, sizeof f->sha256);
}

/* The part that is open on this thread, or NULL. */
static struct stage_parts *open_part(const struct odp_stage *s)
{
    struct stage_parts *p = s->parts;
    return p != NULL && p->open && pthread_equal(p->thread, pthread_self()) ? p : NULL;
}

/* PATHS gets KIND and PATH, unless MAP has them. Returns what was added, or NULL. */
static const char *note(struct odp_map *map, struct odp_buffer *paths, char kind, const char *path)
{
    bool fresh;
    const size_t at = paths->len, len = strlen(path) + 1;
    odp_buffer_add_char(paths, kind);
    odp_buffer_add(paths, path, len);
    if (paths->failed)
        return NULL;
    (void)odp_map_put(map, (struct odp_slice){paths->ptr + at, len}, &fresh);
    paths->len = fresh ? paths->len : at;
    return fresh ? paths->ptr + at : NULL;
}

static bool has_put(const struct stage_parts *p, const char *path)
{
    char asked[1024];
    int len = snprintf(asked, sizeof asked, "%c%s", WHOLE, path);
    return len > 0 && (size_t)len < sizeof asked &&
           odp_map_find(&p->put, (struct odp_slice){asked, (size_t)len}) != ODP_MAP_NONE;
}

static void asked_for(const struct odp_stage *s, char kind, const char *path, const struct odp_site_file *f)
{
    struct stage_parts *p = open_part(s);
    if (p == NULL || has_put(p, path))
        return;
    const char *asked = note(&p->asked, &p->asked_paths, kind, path);
    if (asked != NULL)
        odp_part_add_state(&p->asked_state, asked, f);
}

void odp_part_asked(const struct odp_stage *s, const char *path, const struct odp_site_file *f)
{
    asked_for(s, WHOLE, path, f);
}

void odp_part_asked_there(const struct odp_stage *s, const char *path, const struct odp_site_file *f)
{
    asked_for(s, THERE, path, f);
}

void odp_part_asked_all(const struct odp_stage *s)
{
    struct stage_parts *p = open_part(s);
    if (p != NULL)
        p->loose = true;
}

void odp_part_key_tells(struct odp_stage *s)
{
    struct stage_parts *p = open_part(s);
    if (p == NULL)
        return;
    odp_map_clear(&p->asked);
    odp_buffer_clear(&p->asked_paths);
    odp_buffer_clear(&p->asked_state);
}

void odp_part_put(const struct odp_stage *s, const struct odp_site_file *f)
{
    struct stage_parts *p = open_part(s);
    if (p != NULL && f->encoding == NULL) /* twins go with their files */
        (void)note(&p->put, &p->put_paths, WHOLE, f->path);
}

void odp_parts_close(struct stage_parts *p)
{
    if (p == NULL)
        return;
    struct odp_buffer *const buffers[] = {&p->asked_paths, &p->put_paths, &p->asked_state};
    for (size_t i = 0; i < ODP_COUNT(buffers); i++)
        odp_buffer_release(buffers[i]);
    odp_mapped_close(&p->before);
    odp_map_release(&p->names);
    odp_map_release(&p->asked);
    odp_map_release(&p->put);
}
