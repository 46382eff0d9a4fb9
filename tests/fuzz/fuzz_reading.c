/* Any bytes as a published file that is read back. The first byte says what they are: its low three bits the
 * form (0 JSON, 1 GeoJSON, 2 CSV, 3 pages, divided by NUL bytes, 4 a schema.json), the others which schema
 * they are read by.
 *
 * Beside the sanitizers: the machine never fails, a file that was read to its end is valid JSON, and reading
 * again gives the same. */
#include "fuzz.h"

#include <stdio.h>

#include "base/json.h"
#include "published/reading.h"

enum { PAGES_MAX = 4, DEEP = 150 };

#define FIELD(name, type) "{\"name\":\"" name "\",\"type\":\"" type "\"}"
static const char *const schemas[] = {
    "{\"fields\":[" FIELD("s", "string") "," FIELD("n", "number") "," FIELD("b", "boolean") "," FIELD(
        "o", "object") "],\"primaryKey\":[\"s\",\"n\"]}",
    "{\"fields\":[" FIELD("s", "string") "," FIELD(
        "geometry", "date") "],\"odp:geometry\":{\"heights\":false},\"primaryKey\":\"s\"}",
    "{\"fields\":[" FIELD("s", "any") "],\"odp:geometry\":{\"api\":\"simplified\"},\"odp:rows\":1}",
    "{\"fields\":[],\"odp:geometry\":{\"api\":\"none\"}}",
    "{\"fields\":[]}",
};

/* A schema that was understood can be asked for everything. */
static void read_schema(struct odp_slice text)
{
    struct odp_arena arena;
    struct odp_layout *l;
    const char *why;
    odp_arena_init(&arena);
    json_t *json = json_loadb(text.ptr, text.len, 0, NULL);
    enum odp_status status = odp_layout_read(&l, json, &arena, &why);
    NEED(status == ODP_OK || (status == ODP_BAD && why[0] != '\0'));
    for (uint32_t k = 0; status == ODP_OK && k < l->n; k++)
        NEED(odp_layout_find(l, l->fields[k].name) == (int)k);
    json_decref(json);
    odp_arena_release(&arena);
}

static bool is_deep(struct odp_slice text)
{
    size_t n = 0;
    for (size_t i = 0; i < text.len; i++)
        n += text.ptr[i] == '[' || text.ptr[i] == '{';
    return n > DEEP;
}

/* Every byte of a record can be read. */
static size_t sum_record(const struct odp_layout *l, const struct odp_reading_record *rec)
{
    size_t sum = 0;
    for (uint32_t k = 0; k < l->n; k++)
        for (size_t i = 0; i < rec->text[k].len; i++)
            sum += (unsigned char)rec->text[k].ptr[i];
    const struct odp_geom *g = rec->geometry;
    for (uint32_t i = 0; g != NULL && i < g->npoints; i++)
        sum += g->xy[2 * (size_t)i] > 0 || (g->z != NULL && g->z[i] > 0);
    for (uint32_t p = 0; g != NULL && g->poly != NULL && p < g->npolys; p++)
        NEED(g->poly[p] < g->poly[p + 1] && g->poly[p + 1] <= g->nparts);
    for (uint32_t k = 0; g != NULL && k < g->nparts; k++)
        NEED(g->part[k] < g->part[k + 1] && g->part[k + 1] <= g->npoints);
    return sum;
}

static enum odp_status read_records(const struct odp_layout *l, enum odp_form form, const char *const *paths,
                                    size_t n, uint64_t *rows)
{
    static volatile size_t sink;
    struct odp_reading *r;
    struct odp_reading_record rec;
    enum odp_status status;
    NEED(odp_reading_open(&r, form, l, paths, n) == ODP_OK);
    for (*rows = 0; (status = odp_reading_next(r, &rec)) == ODP_OK; ++*rows)
        sink += sum_record(l, &rec);
    NEED(status == ODP_DONE || (status == ODP_BAD && odp_reading_fault(r)[0] != '\0'));
    odp_reading_close(r);
    return status;
}

static void read_files(const struct odp_layout *l, enum odp_form form, const char *const *paths, size_t n,
                       bool *whole)
{
    struct odp_reading *r;
    struct odp_reading_digest d;
    uint64_t rows;
    enum odp_status once = read_records(l, form, paths, n, &rows);
    NEED(odp_reading_open(&r, form, l, paths, n) == ODP_OK);
    enum odp_status again = odp_reading_digest(r, &d);
    NEED((once == ODP_DONE && again == ODP_OK && d.rows == rows) || (once == ODP_BAD && again == ODP_BAD));
    odp_reading_close(r);
    *whole = once == ODP_DONE;
}

void fuzz_one(struct odp_slice in)
{
    struct odp_arena arena;
    struct odp_layout *l;
    const char *why, *paths[PAGES_MAX];
    const size_t nschemas = ODP_COUNT(schemas);
    unsigned form = in.len > 0 ? *in.ptr & 7u : 0, which = in.len > 0 ? (unsigned char)*in.ptr >> 3 : 0;
    size_t n = 0;
    bool whole;
    char first;
    if (in.len == 0 || form > 5)
        return;
    in = (struct odp_slice){in.ptr + 1, in.len - 1};
    if (form == 4) {
        read_schema(in);
        return;
    }
    odp_arena_init(&arena);
    json_t *json = json_loads(schemas[which % nschemas], 0, NULL);
    NEED(odp_layout_read(&l, json, &arena, &why) == ODP_OK);
    struct odp_slice rest = in;
    do {
        char name[16];
        bool cuts = form == ODP_FORM_PAGES && n + 1 < PAGES_MAX;
        snprintf(name, sizeof name, "page-%zu", n);
        paths[n] = fuzz_path(name); /* four stay valid */
        struct odp_slice before = rest, page = cuts ? fuzz_cut(&rest, ODP_LIT("\0")) : rest;
        fuzz_write(paths[n++], page);
        if (!cuts || page.len == before.len)
            break;
    } while (n < PAGES_MAX);
    read_files(l, form == 5 ? ODP_FORM_LINES : (enum odp_form)form, paths, n, &whole);
    if (whole && n == 1 && form != ODP_FORM_CSV && form != 5 && !is_deep(in))
        NEED(odp_json_valid(in, &first) && first == '{');
    json_decref(json);
    odp_arena_release(&arena);
}
