/* What a shapefile declares: columns and their types, encoding, coordinate system, its files. */
#include <errno.h>

#include "base/file.h"
#include "read/shapefile/reader.h"
#include "read/source.h"
#include "repair/draft/draft_internal.h"
#include "words/draft.h"

static enum odp_status open_probe(struct odp_draft *d, struct odp_source **out, struct odp_diags *diags)
{
    draft_resource_text(d);
    d->resource.schema.n = 0;
    d->resource.schema.match = ODP_MATCH_PARTIAL;
    d->resource.geometry = (struct odp_geometry_spec){.present = true, .crs = d->crs_assumed ? d->crs : NULL};
    if (d->options.catalog != NULL && d->options.catalog->portal.has_bbox) {
        d->resource.geometry.has_bbox = true;
        memcpy(d->resource.geometry.bbox, d->options.catalog->portal.bbox, sizeof d->resource.geometry.bbox);
    }
    return odp_source_open(out, &d->resource, d->options.path, d->options.file, 1, diags);
}

static void take_columns(struct odp_draft *d, const struct shape_source *s)
{
    uint32_t n = s->base.info.ncolumns;
    d->ncolumns = n;
    d->labels = odp_arena_zero(&d->arena, (size_t)n + 1, sizeof *d->labels);
    d->native = odp_arena_zero(&d->arena, (size_t)n + 1, 1);
    d->native_width = odp_arena_zero(&d->arena, (size_t)n + 1, sizeof *d->native_width);
    for (uint32_t i = 0; i < n; i++) {
        d->labels[i] = odp_arena_copy(&d->arena, s->base.info.labels[i]);
        if (i < s->dbf.nfields) {
            d->native[i] = s->dbf.fields[i].type;
            d->native_width[i] = s->dbf.fields[i].width;
        }
    }
    draft_labels(d);
}

static void note_parts(struct odp_draft *d, const struct shape_source *s)
{
    const char *how = s->parts[SHAPE_CPG].present ? ".cpg"
                      : s->dbf.driver != 0        ? "language driver id"
                                                  : "byte .dbf";
    bool stated = s->parts[SHAPE_CPG].present || s->dbf.driver != 0;
    d->encoding = odp_arena_str(&d->arena, s->encoding);
    if (stated || strcmp(s->encoding, "UTF-8") != 0)
        draft_fact(d, W_draft_encoding_attributes_by, ARGS(C(s->encoding), C(how)));
    else
        draft_note(d, NULL, T(W_draft_encoding_attributes), T(W_draft_no_cpg_no_language_driver), NULL);
    d->crs = d->crs_assumed ? d->crs : odp_arena_str(&d->arena, s->base.info.crs);
    if (d->crs_assumed && strcmp(d->crs, "EPSG:4326") != 0)
        draft_note(d, NULL, T(W_draft_coordinate_system), T(W_draft_no_prj_taken_zone), ARGS(C(d->crs)));
    else if (d->crs_assumed)
        draft_note(d, NULL, T(W_draft_coordinate_system), T(W_draft_no_prj_taken_epsg_4326), NULL);
    else
        draft_fact(d, W_draft_coordinate_system_by_prj, ARGS(C(d->crs != NULL ? d->crs : "")));
}

/* What the reader proposes for the .prj that is missing; else degrees, and what it could be, too, in a
 * note. */
static void take_guess(struct odp_draft *d, const struct odp_diags *own)
{
    size_t n;
    const struct odp_diag_group *const *groups = odp_diags_groups(own, &n);
    d->crs = "EPSG:4326";
    for (size_t i = 0; i < n; i++) {
        const struct odp_diag *x = groups[i]->examples != NULL ? &groups[i]->examples->diag : NULL;
        if (x == NULL || x->code != ODP_G09)
            continue;
        if (x->proposal.ptr != NULL)
            d->crs = odp_arena_copy(&d->arena, x->proposal).ptr;
        else if (x->args[0].len > 0)
            draft_note(d, NULL, T(W_draft_coordinate_system), T(W_draft_no_prj_could_be),
                       ARGS(S(x->args[0])));
    }
}

enum odp_status draft_shape_probe(struct odp_draft *d, struct odp_diags *diags)
{
    struct odp_source *source = NULL;
    struct odp_diags *own = NULL;
    enum odp_status status = odp_diags_new(&own, 10);
    if (status != ODP_OK)
        return status;
    status = open_probe(d, &source, own);
    if (status == ODP_BAD && odp_diags_code_count(own, ODP_G09) > 0) {
        take_guess(d, own);
        odp_diags_clear(own);
        d->crs_assumed = true;
        status = open_probe(d, &source, own);
    }
    if (status == ODP_BAD && odp_diags_merge(diags, own) == ODP_FAIL)
        status = ODP_FAIL;
    odp_diags_free(own);
    if (status == ODP_OK) {
        const struct shape_source *s = (const void *)source;
        take_columns(d, s);
        note_parts(d, s);
        if (d->ncolumns == 0)
            status = draft_fault(d, diags, s->parts[SHAPE_DBF].present ? ODP_I08 : ODP_G10, NULL, NULL);
    }
    odp_source_close(source);
    return status == ODP_OK ? draft_status(d) : status;
}

enum odp_status draft_shape_files(struct odp_draft *d)
{
    static const char *const extensions[] = {".shp", ".shx", ".dbf", ".prj", ".cpg"};
    const char **files;
    size_t n;
    enum odp_status status = odp_dir_siblings(d->options.path, &d->arena, &files, &n);
    if (status != ODP_OK)
        return status == ODP_BAD ? odp_failure_set("open", d->options.path, EACCES) : status;
    d->sources = files;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < ODP_COUNT(extensions); k++)
            if (odp_path_ends(files[i], extensions[k]))
                d->sources[d->nsources++] = files[i];
    return ODP_OK;
}
