/* odp-build export: one pass that checks a dataset with everything a check does and writes the distributions that were asked for into a
 * plain folder. The bytes are those that a build publishes of the version its odp:lastUpdate names (a correction, "<date>.1", is a
 * build's to know). Slices, pages, profiles, indexes and the portal belong to a site, so none is made, nor are templates looked at. */
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "published/history.h"
#include "run/drift.h"
#include "run/export_folder.h"
#include "run/run.h"

struct export_run {
    struct run run;
    const struct odp_emitter *chosen[ODP_EMIT_MAX];
    size_t nchosen;
    struct export_folder folder;
    atomic_bool wrong; /* something is, so nothing will be written */
};

/* BAD, and said why; ID and EN are in the arena, or NULL without memory. */
static enum odp_status refuse(struct export_run *e, const char *id, const char *en)
{
    struct odp_run *result = e->run.result;
    if (id == NULL || en == NULL)
        return ODP_FAIL;
    result->refused = (struct odp_text){{id, en}};
    result->catalog_wrong = true;
    return ODP_BAD;
}

#define REFUSE(e, id, en, ...) refuse(e, odp_arena_printf((e)->run.arena, id, __VA_ARGS__), odp_arena_printf((e)->run.arena, en, __VA_ARGS__))

/* ---- what is to be written -------------------------------------------------------------------------------------------------------- */

/* Names of the emitters that make distributions, for a message. */
static const char *known_formats(struct odp_arena *a)
{
    size_t n;
    const struct odp_emitter *const *kinds = odp_emitters(&n);
    const char *list = "";
    for (size_t k = 0; k < n && list != NULL; k++)
        if (kinds[k]->format != NULL)
            list = odp_arena_printf(a, "%s%s%s", list, *list != '\0' ? ", " : "", kinds[k]->name);
    return list;
}

/* The emitters of --format; without it all that make distributions. */
static enum odp_status choose(struct export_run *e, const char *formats)
{
    size_t n;
    const struct odp_emitter *const *kinds = odp_emitters(&n);
    for (const char *name = formats; name != NULL; name = *name == ',' ? name + 1 : NULL) {
        struct odp_slice word = {name, strcspn(name, ",")};
        const struct odp_emitter *found = NULL;
        for (size_t k = 0; k < n; k++)
            if (kinds[k]->format != NULL && odp_slice_is(word, kinds[k]->name))
                found = kinds[k];
        if (found == NULL)
            return REFUSE(e, "--format: “%.*s” bukan format; yang ada: %s", "--format: “%.*s” is no format; there are: %s", (int)word.len, word.ptr,
                          known_formats(e->run.arena));
        for (size_t k = 0; k < e->nchosen && found != NULL; k++)
            found = e->chosen[k] != found ? found : NULL; /* named twice */
        if (found != NULL)
            e->chosen[e->nchosen++] = found;
        name += word.len;
    }
    for (size_t k = 0; k < n && formats == NULL; k++)
        if (kinds[k]->format != NULL)
            e->chosen[e->nchosen++] = kinds[k];
    return ODP_OK;
}

static bool is_exported(const struct export_run *e, const struct odp_resource *r)
{
    return !r->dataset->reference && odp_run_selected(&e->run, r->dataset) && e->run.tasks[r->index].role == ROLE_SELECTED;
}

/* Every dataset offers what was asked for: a file that does not come is told before hours of work, not after. */
static enum odp_status check_offered(struct export_run *e, const struct odp_dataset *d)
{
    size_t offered = 0;
    if (d->state == ODP_STATE_WITHDRAWN)
        return REFUSE(e, "%s sudah ditarik", "%s is withdrawn", d->slug);
    for (size_t k = 0; k < e->nchosen; k++) {
        bool found = false;
        for (size_t i = 0; i < d->formats.n; i++)
            found = found || odp_slice_is(d->formats.item[i], e->chosen[k]->format);
        offered += found;
        if (!found && e->run.options->formats != NULL)
            return REFUSE(e, "%s tidak terbit sebagai %s; odp:formats: %s. Pilih yang ada dengan --format, atau tambahkan formatnya di %s",
                          "%s is not published as %s; odp:formats: %s. Choose one of these with --format, or add the format in %s", d->slug, e->chosen[k]->name,
                          odp_run_formats(&e->run, d), d->file);
    }
    return offered > 0 ? ODP_OK : REFUSE(e, "%s tidak terbit dalam format apa pun (odp:formats)", "%s is published in no format (odp:formats)", d->slug);
}

/* A file to be written. */
struct planned {
    const char *name;
    struct stat before; /* what is there now */
    bool there;
};

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct planned *)a)->name, ((const struct planned *)b)->name);
}

/* Neither does a file take the place of another one of the run, nor of a source, nor of what is no file. */
static enum odp_status check_places(struct export_run *e, const struct planned *files, size_t n)
{
    const struct run *r = &e->run;
    for (size_t i = 0; i < n; i++) {
        if (i > 0 && strcmp(files[i - 1].name, files[i].name) == 0)
            return REFUSE(e, "dua tabel bernama berkas %s; ekspor satu per satu", "two tables have the file name %s; export them one by one", files[i].name);
        if (files[i].there && !S_ISREG(files[i].before.st_mode))
            return REFUSE(e, "%s/%s sudah ada dan bukan berkas", "%s/%s is there and is no file", r->options->out, files[i].name);
    }
    for (size_t k = 0; k < r->catalog->nresources; k++) {
        struct stat st;
        bool as = r->options->as_file != NULL && is_exported(e, r->catalog->resources[k]);
        const char *path = as ? r->options->as_file : odp_resource_source(r->catalog->resources[k], r->options->sources, r->arena);
        if (path == NULL)
            return ODP_FAIL;
        bool there = stat(path, &st) == 0;
        for (size_t i = 0; i < n && there; i++)
            if (files[i].there && files[i].before.st_dev == st.st_dev && files[i].before.st_ino == st.st_ino)
                return REFUSE(e, "%s/%s adalah berkas sumber %s; pilih --out lain", "%s/%s is the source file %s; choose another --out", r->options->out,
                              files[i].name, path);
    }
    return ODP_OK;
}

/* Everything that can be refused before the data is read. */
static enum odp_status plan(struct export_run *e)
{
    const struct odp_catalog *c = e->run.catalog;
    struct planned *files = odp_arena_zero(e->run.arena, c->nresources * ODP_EMIT_MAX + 1, sizeof *files);
    const char *manifest = odp_path_join(e->run.arena, e->run.options->out, "manifest.json");
    size_t n = 0;
    enum odp_status status = files != NULL && manifest != NULL ? ODP_OK : ODP_FAIL;
    if (status == ODP_OK && odp_file_kind_of(manifest) != ODP_FILE_NONE)
        return REFUSE(e, "%s adalah situs yang terbit; pilih --out lain", "%s is a published site; choose another --out", e->run.options->out);
    for (size_t i = 0; i < c->ndatasets && status == ODP_OK; i++)
        status = odp_run_selected(&e->run, &c->datasets[i]) ? check_offered(e, &c->datasets[i]) : ODP_OK;
    for (size_t i = 0; i < c->nresources && status == ODP_OK; i++) {
        /* Whether it has a geometry its source will say: more names than files do no harm here. */
        const struct odp_emit_job job = {.catalog = c, .resource = c->resources[i], .version = "", .has_geometry = true, .chosen = e->chosen, .nchosen = e->nchosen};
        for (size_t k = 0; k < e->nchosen && status == ODP_OK && is_exported(e, c->resources[i]); k++) {
            if (!odp_emit_offers(&job, e->chosen[k]))
                continue;
            const char *path = odp_emit_data_path(&job, e->chosen[k]->extension, e->run.arena);
            const char *place = path != NULL ? odp_path_join(e->run.arena, e->run.options->out, export_name(path)) : NULL;
            if (place == NULL)
                return ODP_FAIL;
            files[n].name = export_name(path);
            files[n].there = lstat(place, &files[n].before) == 0;
            n++;
        }
    }
    if (n > 0)
        qsort(files, n, sizeof *files, by_name);
    return status == ODP_OK ? check_places(e, files, n) : status;
}

/* ---- reading, checking, writing ----------------------------------------------------------------------------------------------------- */

static enum odp_status no_version(struct export_run *e, const struct odp_resource *r, struct odp_diags *diags)
{
    struct odp_diag diag = {.code = ODP_V05, .dataset = r->dataset->slug, .file = r->dataset->file, .args = {odp_slice_of(r->name)}};
    enum odp_status status = odp_diags_add(diags, &diag);
    e->run.tasks[r->index].errors += status == ODP_BAD;
    return status == ODP_FAIL ? ODP_FAIL : ODP_BAD;
}

static enum odp_status export_resource(struct export_run *e, const struct turn *turn)
{
    const struct odp_resource *r = turn->resource;
    const struct odp_dataset *d = r->dataset;
    const struct odp_catalog *c = e->run.catalog;
    bool plain = !is_exported(e, r), hopeless = atomic_load_explicit(&e->wrong, memory_order_relaxed);
    /* Where the version is the newest value of a field, which stands in the files, it must be known before the first byte. */
    bool first = plain || hopeless || (d->last_update == NULL && r->primary);
    enum odp_status status = first ? odp_run_turn(&e->run, turn, turn->role == ROLE_KEYS, NULL) : ODP_OK;
    if (status != ODP_OK || plain)
        return status;
    const char *date = odp_run_version(&e->run, d);
    if (date == NULL)
        return no_version(e, r, turn->diags);
    if (hopeless)
        return ODP_OK;
    struct odp_arena *a = &e->run.tasks[r->index].arena;
    struct odp_emit_job job = {.catalog = c,
                               .resource = r,
                               .output = &e->folder.output,
                               .version = odp_version_name(date, a),
                               .date = date,
                               .release = c->nreleases > 0 ? c->releases[0].version : "",
                               .chosen = e->chosen,
                               .nchosen = e->nchosen,
                               .codes = e->run.codes,
                               .arena = a,
                               .source_dir = odp_dataset_source_dir(d, e->run.options->sources, a)};
    return job.version != NULL && job.source_dir != NULL ? odp_run_turn(&e->run, turn, first, &job) : ODP_FAIL;
}

static enum odp_status take_resource(void *ctx, const struct turn *turn)
{
    struct export_run *e = ctx;
    enum odp_status status = export_resource(e, turn);
    if (status == ODP_BAD && turn->role == ROLE_SELECTED)
        atomic_store_explicit(&e->wrong, true, memory_order_relaxed);
    return status;
}

static const char *date_of(const void *ctx, const struct odp_dataset *d)
{
    return odp_run_version(ctx, d);
}

static enum odp_status export_all(struct export_run *e)
{
    struct run *r = &e->run;
    enum odp_status status = export_folder_open(&e->folder, r->options->out, r->arena, &r->lock);
    if (status == ODP_BAD)
        return REFUSE(e, "ekspor lain sedang menulis ke %s", "another export is writing into %s", r->options->out);
    if (status == ODP_OK)
        status = odp_run_schedule(r, &(struct work){.ctx = e, .take = take_resource});
    if (status != ODP_FAIL && r->options->as_file == NULL)
        status = odp_worst(status, odp_run_overdue(r, date_of, r));
    if (status == ODP_FAIL)
        return status;
    status = odp_worst(status, odp_diags_count(r->result->diags, ODP_SEVERITY_ERROR) > 0 ? ODP_BAD : ODP_OK);
    for (size_t i = 0; i < r->catalog->ndatasets; i++)
        r->outcomes[i] = odp_run_rejected(r, &r->catalog->datasets[i]) ? ODP_OUTCOME_REJECTED : ODP_OUTCOME_CHECKED;
    status = odp_worst(status, odp_run_summarize(r, NULL, NULL));
    if (status == ODP_OK)
        status = export_folder_commit(&e->folder);
    if (status == ODP_OK) {
        r->result->exported = e->folder.files;
        r->result->nexported = e->folder.nfiles;
    }
    return status;
}

enum odp_status odp_run_export(struct odp_run *result, const struct odp_options *o)
{
    struct export_run e = {0};
    e.folder.lock = -1;
    enum odp_status status = odp_run_open(&e.run, result, o);
    if (status == ODP_OK)
        status = choose(&e, o->formats);
    if (status == ODP_OK)
        status = plan(&e);
    if (status == ODP_OK && o->previous != NULL && o->as_file == NULL)
        status = odp_run_previous(&e.run);
    if (status == ODP_OK && e.run.previous != NULL)
        status = odp_run_gate(&e.run);
    if (status == ODP_OK)
        status = export_all(&e);
    export_folder_close(&e.folder);
    odp_run_close(&e.run);
    return status;
}
