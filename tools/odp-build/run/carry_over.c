/* Carries over from the previous site: versions, and their pages and indexes as long as they stay. */
#include "run/build_internal.h"
#include "published/builds.h"
#include "published/stage.h"

static bool starts(const char *s, const char *with)
{
    return strncmp(s, with, strlen(with)) == 0;
}

struct keep {
    const char *slug;
    const struct part *part;
    uint64_t number; /* of this build */
    bool all;        /* nothing of the dataset is made anew */
    bool anew;       /* versions.json is written again: the rest of the build reads it, and its bytes may be
                        elsewhere */
    const struct odp_site *public_only; /* the previous site, where its keyed files cannot be had */
};

/* The version that a page "…/v/<version>/p/<n>.json" belongs to, in NAME; false: another page. */
static bool page_version(const char *path, char name[64])
{
    const char *v = strstr(path, "/v/"), *end = v != NULL ? strchr(v + 3, '/') : NULL;
    if (end == NULL || end - (v + 3) >= 64)
        return false;
    memcpy(name, v + 3, (size_t)(end - (v + 3)));
    name[end - (v + 3)] = '\0';
    return true;
}

/* The version that a file in the folder of SLUG belongs to by its place, in NAME: "data/<slug>/<version>/…",
 * "search/<slug>/<version>/…", a page of the API. False: none; "latest" is a name here that no version has.
 */
static bool version_of(const char *path, const char *slug, char name[64])
{
    if (starts(path, "v1/"))
        return page_version(path, name);
    const char *at = strchr(path, '/') + 1 + strlen(slug) + 1, *end = strchr(at, '/');
    if (end == NULL || end - at >= 64)
        return false;
    memcpy(name, at, (size_t)(end - at));
    name[end - at] = '\0';
    return true;
}

/* Pages of a version that is no longer the current one stay for as many builds as can be rolled back. */
static bool page_stays(const struct keep *k, const char *version)
{
    const struct odp_version *v = odp_history_find(&k->part->history, version);
    const json_t *superseded = v != NULL ? json_object_get(v->json, "superseded") : NULL;
    if (superseded == NULL) /* this build is about to supersede it */
        return !k->all && v != NULL && v == odp_history_current(&k->part->history);
    return superseded != NULL && v->state == ODP_VERSION_PUBLISHED &&
           k->number < (uint64_t)json_integer_value(superseded) + ODP_KEEP_BUILDS;
}

static bool keeps(const void *ctx, const struct odp_site_file *f)
{
    const struct keep *k = ctx;
    char name[64];
    if (!odp_site_path_is_of(f->path, k->slug))
        return false;
    if (k->public_only != NULL && f->cls != ODP_CLASS_PUBLIC && !odp_site_has(k->public_only, f))
        return false;
    bool list = k->anew && strstr(f->path, "/versions.json") != NULL;
    /* What has not changed itself may mean something else beside datasets that have. */
    bool score = k->part->same && strstr(f->path, "/scorecard.json") != NULL;
    bool labels = starts(f->path, "data/") && strstr(f->path, "/labels-") != NULL; /* label_files.c */
    if (!version_of(f->path, k->slug, name))
        return k->all && !list && !score && !labels && !starts(f->path, "search/");
    if (!starts(f->path, "data/")) /* indexes like pages, so that a cursor leads on for as long as they do */
        return k->part->version != NULL && strcmp(name, k->part->version) == 0 ? k->all : page_stays(k, name);
    /* No part of the version: highlights and words may be others now (write/summary.c). */
    if (!k->all && k->part->version != NULL && strcmp(name, k->part->version) == 0 &&
        strstr(f->path, ".summary.json") != NULL)
        return false;
    const struct odp_version *v = odp_history_find(&k->part->history, name);
    return v == NULL ? k->all : v->state == ODP_VERSION_PUBLISHED;
}

/* Versions from the time of another slug lie under the present one from now on, under the names they had;
 * control sends callers of the old addresses here. */
static bool keeps_former(const void *ctx, const struct odp_site_file *f)
{
    const struct keep *k = ctx;
    return starts(f->path, "data/") && keeps(ctx, f) && odp_site_path_is_of(f->path, k->slug);
}

static char *under_present_slug(const void *ctx, const char *path, struct odp_arena *a)
{
    const struct keep *k = ctx;
    return odp_arena_printf(a, "data/%s%s", k->part->history.slug, path + strlen("data/") + strlen(k->slug));
}

struct former {
    struct keep keep;
    const struct odp_site *previous;
    struct odp_arena *arena;
};

/* A file made anew at the place of one that is published, where the content has not changed. */
static bool gives_way(const void *ctx, const struct odp_site_file *staged)
{
    const struct former *f = ctx;
    const char *slug = f->keep.part->history.slug;
    if (!starts(staged->path, "data/") || !odp_site_path_is_of(staged->path, slug))
        return false;
    const char *path =
        odp_arena_printf(f->arena, "data/%s%s", f->keep.slug, staged->path + strlen("data/") + strlen(slug));
    const struct odp_site_file *old = odp_site_find(f->previous, path);
    return old != NULL && keeps_former(&f->keep, old);
}

static enum odp_status carry_former(struct build *b, const struct part *part)
{
    const struct keep k = {part->former, part, b->number, false, false, NULL};
    const struct former f = {k, b->run.previous, b->run.arena};
    enum odp_status status = odp_stage_drop_if(b->run.stage, part->history.slug, gives_way, &f);
    if (status != ODP_OK)
        return status;
    const struct odp_stage_moving how = {keeps_former, under_present_slug, &k};
    return odp_stage_carry_as(b->run.stage, b->run.previous, part->former, &how, b->run.result->diags);
}

enum odp_status odp_build_carry(struct build *b, const struct odp_dataset *d, bool all)
{
    const struct part *part = &b->parts[odp_build_index(b, d)];
    bool poor = b->run.previous != NULL && odp_site_is_public_only(b->run.previous);
    bool elsewhere = b->run.previous != NULL && odp_site_origin(b->run.previous) != NULL;
    const struct keep k = {d->slug, part, b->number, all, elsewhere, poor ? b->run.previous : NULL};
    if (part->former != NULL)
        return carry_former(b, part);
    if (all && poor)
        return odp_build_complain(b, ODP_V16, d, NULL, NULL, NULL);
    if (b->run.previous == NULL)
        return ODP_OK;
    enum odp_status status =
        odp_stage_carry_if(b->run.stage, b->run.previous, d->slug, keeps, &k, b->run.result->diags);
    return status == ODP_OK && all && elsewhere && part->history.n > 0
               ? odp_history_put(b->run.stage, &part->history)
               : status;
}

struct thinned {
    const char *slug;
    const struct odp_history *history;
};

static bool is_thinned(const void *ctx, const struct odp_site_file *f)
{
    const struct thinned *t = ctx;
    char name[64];
    if (!odp_site_path_is_of(f->path, t->slug) || !version_of(f->path, t->slug, name))
        return false;
    const struct odp_version *v = odp_history_find(t->history, name);
    return v != NULL && v->state == ODP_VERSION_THINNED;
}

enum odp_status odp_build_drop_thinned(struct build *b, const struct odp_dataset *d)
{
    const struct part *part = &b->parts[odp_build_index(b, d)];
    const struct thinned t = {d->slug, &part->history};
    bool any = false;
    for (size_t i = 0; i < part->nlog; i++)
        any = any || strcmp(part->log[i].what, "thinned") == 0;
    return any ? odp_stage_drop_if(b->run.stage, d->slug, is_thinned, &t) : ODP_OK;
}
