/* A shapefile in a zip archive: its parts are unpacked into memory, at most limits.archiveBytes together. */
#include <stdlib.h>
#include <strings.h>
#include <zip.h>

#include "base/path.h"
#include "read/shapefile/reader.h"
#include "words/read.h"

static const struct odp_text zip_damaged = {{W_read_zip_archive_damaged}};

static const struct odp_text zip_twice = {{W_read_zip_archive_holds_part_more}};

/* What macOS adds, and hidden files, are no data. */
static bool is_data(const char *name)
{
    return name != NULL && strncmp(name, "__MACOSX/", 9) != 0 && odp_path_last(name)[0] != '.';
}

/* What an archive holds, in words. */
struct holding {
    const char *shapes; /* ".shp: 2 (satu.shp, dua.shp)" */
    const char *other;  /* what could be a source by itself: another archive, a table; NULL: nothing */
    const char *all;    /* the first of all files, where there is no .shp */
};

static const char *joined(struct shape_source *s, const char *list, const char *name)
{
    return strlen(list) < 120 ? shape_arg(s, "%s%s%s", list, *list != '\0' ? ", " : "", name) : list;
}

/* The archive's only .shp, or -1 and HOLDS says what there is. */
static zip_int64_t find_shp(struct shape_source *s, zip_t *z, struct holding *holds)
{
    static const char *const sources[] = {".zip", ".csv", ".tsv", ".xlsx"};
    zip_int64_t n = zip_get_num_entries(z, 0), at = -1, count = 0;
    const char *found = "";
    holds->all = "";
    for (zip_int64_t i = 0; i < n; i++) {
        const char *name = zip_get_name(z, (zip_uint64_t)i, 0);
        if (!is_data(name) || *odp_path_last(name) == '\0')
            continue;
        holds->all = joined(s, holds->all, name);
        for (size_t k = 0; k < ODP_COUNT(sources) && holds->other == NULL; k++)
            holds->other = odp_path_ends(name, sources[k]) ? shape_arg(s, "%s", name) : NULL;
        if (!odp_path_ends(name, ".shp"))
            continue;
        if (++count <= 4)
            found = joined(s, found, name);
        at = i;
    }
    if (count > 0)
        holds->all = holds->other = NULL;
    holds->shapes = shape_arg(s, ".shp: %lld%s%s%s", (long long)count, count > 0 ? " (" : "", found,
                              count > 0 ? ")" : "");
    return count == 1 ? at : -1;
}

static enum odp_status too_large(struct shape_source *s, size_t limit, uint64_t found)
{
    const struct odp_resource *r = s->base.resource;
    struct odp_diag d = {.file = s->base.info.file,
                         .resource = r->name,
                         .dataset = r->dataset != NULL ? r->dataset->slug : NULL};
    struct odp_limit_text text;
    odp_limit_diag(&d, odp_limits_of(r), limit, found, &text);
    odp_diags_add(s->diags, &d);
    return ODP_BAD;
}

/* The archive cannot be read; MESSAGE says why, by its name and DETAIL. */
static enum odp_status refuse(struct shape_source *s, const struct odp_text *message, const char *detail)
{
    const char *file = s->base.info.file;
    struct odp_diag d = {.code = ODP_G13, .file = file, .args = {odp_slice_of(file), odp_slice_of(detail)}};
    return shape_refuse(s, &d, message);
}

/* Refuses the archive for WHY, of libzip; memory that it lacked is the machine's failure. */
static enum odp_status damaged(struct shape_source *s, zip_error_t *why)
{
    if (zip_error_code_zip(why) == ZIP_ER_MEMORY)
        return odp_failure_memory();
    return refuse(s, &zip_damaged, shape_arg(s, "%s", zip_error_strerror(why)));
}

static enum odp_status unpack(struct shape_source *s, zip_t *z, zip_uint64_t index, struct shape_part *p,
                              uint64_t *total)
{
    zip_stat_t st;
    if (zip_stat_index(z, index, 0, &st) != 0 || (st.valid & ZIP_STAT_SIZE) == 0)
        return damaged(s, zip_get_error(z));
    const struct odp_limits *limits = odp_limits_of(s->base.resource);
    if (st.size > (uint64_t)limits->archive_bytes - *total)
        return too_large(s, offsetof(struct odp_limits, archive_bytes), st.size + *total);
    if (st.size > ODP_RATIO_FROM && (st.valid & ZIP_STAT_COMP_SIZE) != 0 &&
        st.size / (uint64_t)limits->ratio >= st.comp_size)
        return too_large(s, offsetof(struct odp_limits, ratio),
                         st.size / (st.comp_size > 0 ? st.comp_size : 1));
    *total += st.size;
    p->mem = malloc(st.size + 1); /* never NULL for an empty file */
    if (p->mem == NULL)
        return odp_failure_memory();
    zip_file_t *f = zip_fopen_index(z, index, 0);
    if (f == NULL)
        return damaged(s, zip_get_error(z));
    zip_int64_t got = 0;
    uint64_t len = 0;
    /* One byte more than the stated size: a longer entry is noticed, and at the end libzip compares the CRC.
     */
    while (len <= st.size && (got = zip_fread(f, p->mem + len, st.size + 1 - len)) > 0)
        len += (uint64_t)got;
    const char *why = got < 0 ? shape_arg(s, "%s", zip_file_strerror(f)) : "CRC";
    bool starved = got < 0 && zip_error_code_zip(zip_file_get_error(f)) == ZIP_ER_MEMORY;
    zip_fclose(f);
    if (starved)
        return odp_failure_memory();
    if (got < 0 || len != st.size)
        return refuse(s, &zip_damaged, shape_arg(s, "%s (%s)", p->name, why));
    p->size = len;
    p->present = true;
    return ODP_OK;
}

enum odp_status shape_unzip(struct shape_source *s, const char *path)
{
    int error = 0;
    const char *file = s->base.info.file;
    struct holding holds = {0};
    zip_t *z = zip_open(path, ZIP_RDONLY, &error);
    if (z == NULL) {
        zip_error_t e;
        zip_error_init_with_code(&e, error);
        enum odp_status bad = damaged(s, &e);
        zip_error_fini(&e);
        return bad;
    }
    enum odp_status st = ODP_OK;
    uint64_t total = 0;
    zip_int64_t shp = find_shp(s, z, &holds);
    if (shp < 0) {
        struct odp_diag d = {
            .code = ODP_G19,
            .file = file,
            .args = {odp_slice_of(holds.shapes), odp_slice_of(holds.other), odp_slice_of(holds.all)}};
        st = shape_refuse(s, &d, NULL);
        goto done;
    }
    const char *shp_name = zip_get_name(z, (zip_uint64_t)shp, 0);
    size_t stem = strlen(shp_name) - 4;
    for (zip_int64_t i = 0; i < zip_get_num_entries(z, 0) && st == ODP_OK; i++) {
        const char *name = zip_get_name(z, (zip_uint64_t)i, 0);
        if (name == NULL || strlen(name) != stem + 4 || strncasecmp(name, shp_name, stem) != 0)
            continue;
        for (int k = 0; k < SHAPE_PARTS && st == ODP_OK; k++) {
            struct shape_part *p = &s->parts[k];
            if (strcasecmp(name + stem, shape_extensions[k]) != 0)
                continue;
            if (p->present) {
                st = refuse(s, &zip_twice, shape_extensions[k]);
                break;
            }
            p->name = shape_arg(s, "%s/%s", file, name);
            st = unpack(s, z, (zip_uint64_t)i, p, &total);
            s->base.info.bytes += p->size;
        }
    }
done:
    zip_discard(z);
    return st;
}
