/* .shp, .shx, .dbf and .cpg by shapelib, .prj by us. The five are written under another name and renamed when
 * complete. shapelib reports few write errors, so its file hooks are wrapped and remember the first one. */
#include <errno.h>
#include <proj.h>
#include <shapefil.h>
#include <stdio.h>

#include "base/shapelib.h"
#include "sample.h"

static SAHooks plain; /* shapelib's hooks have no user pointer; odp-sample has one thread */
static bool write_failed;

static SAOffset checked_write(ODP_HOOK_CONST void *p, SAOffset size, SAOffset n, SAFile f)
{
    SAOffset done = plain.FWrite(p, size, n, f);
    write_failed |= done != n;
    return done;
}

static int checked_close(SAFile f)
{
    int e = plain.FClose(f);
    write_failed |= e != 0;
    return e;
}

static void silent(const char *message)
{
}

static const int types[] = {SHPT_NULL, SHPT_POINT, SHPT_ARC, SHPT_POLYGON};

struct writer {
    struct sample_context *c;
    const struct sample_table *t;
    PJ *utm;
    SHPHandle shp;
    DBFHandle dbf;
    struct odp_buffer text, coded;
    int width[SAMPLE_FIELDS];
    bool numeric[SAMPLE_FIELDS];
};

static int digits_of(double v)
{
    char buf[64];
    return snprintf(buf, sizeof buf, "%.0f", v);
}

/* The width of a column: room for every value, and for the faults. */
static int column_width(const struct sample_field *f, int places)
{
    size_t width = f->max_length > 0 ? (size_t)f->max_length : 24;
    switch (f->type) {
    case FORM_YEAR:
        return 4;
    case FORM_DATE:
        return 8;
    case FORM_INTEGER:
        return f->has_maximum ? digits_of(f->maximum + 1) : 15;
    case FORM_NUMBER:
        return (f->has_maximum ? digits_of(f->maximum + 1) : 12) + 1 + places;
    case FORM_BOOLEAN:
        return 5;
    default:
        for (size_t k = 0; k < f->categories.n; k++)
            width = f->categories.item[k].len > width ? f->categories.item[k].len : width;
        return width < 254 ? (int)width : 254;
    }
}

static void add_columns(struct writer *w)
{
    for (size_t i = 0; i < w->t->nfields; i++) {
        const struct sample_field *f = &w->t->field[i];
        int places = f->type == FORM_NUMBER ? f->recipe->places : 0;
        char name[11], type = f->type == FORM_DATE ? 'D' : 'C';
        (void)snprintf(name, sizeof name, "%.10s", f->column);
        w->width[i] = column_width(f, places);
        w->numeric[i] = f->type == FORM_INTEGER || f->type == FORM_NUMBER || f->type == FORM_YEAR;
        if (DBFAddNativeFieldType(w->dbf, name, w->numeric[i] ? 'N' : type, w->width[i], places) < 0)
            sample_note(w->c, odp_failure_set("DBFAddNativeFieldType", name, 0));
    }
}

/* Numbers with a point and dates as yyyymmdd, as DBF wants them, whatever the descriptor says of CSV. */
static void put_cell(struct writer *w, size_t i, const struct sample_row *r, const struct sample_plan *p)
{
    struct sample_field f = w->t->field[i];
    const struct sample_value *v = &r->v[f.recipe->slot];
    int row = (int)r->index, width = w->width[i];
    bool raw;
    char cell[256] = "";
    if (v->kind == VALUE_NULL) {
        if (!DBFWriteNULLAttribute(w->dbf, row, (int)i))
            sample_note(w->c, odp_failure_set("DBFWriteNULLAttribute", w->t->path, 0));
        return;
    }
    f.decimal = '.';
    f.group = '\0';
    f.pattern = f.type == FORM_DATE ? "%Y%m%d" : f.pattern;
    odp_buffer_clear(&w->text);
    sample_render(&f, v, 0, &w->text);
    sample_fault_cell(w->t, p, &w->t->field[i], &w->text, &raw);
    sample_note(w->c, odp_buffer_status(&w->text));
    struct odp_slice text = sample_encode(w->c, w->t->encoding, odp_buffer_slice(&w->text), &w->coded);
    if (text.len > (size_t)width)
        sample_bad(w->c, "%s.%s: a value is longer than its column", w->t->recipe->slug, f.name);
    if (!sample_going(w->c))
        return;
    (void)snprintf(cell, sizeof cell, "%*.*s", w->numeric[i] ? width : 0, (int)text.len, text.ptr);
    if (!DBFWriteAttributeDirectly(w->dbf, row, (int)i, cell))
        sample_note(w->c, odp_failure_set("DBFWriteAttribute", w->t->path, 0));
}

static void put_geometry(struct writer *w, const struct sample_row *row, const struct sample_plan *plan)
{
    struct sample_shape shape;
    sample_shape_make(w->c, w->utm, w->t, row, plan, &shape);
    bool null = shape.nparts == 0, point = w->t->recipe->shape == SHAPE_POINT;
    SHPObject *o =
        SHPCreateObject(null ? SHPT_NULL : types[w->t->recipe->shape], -1, null || point ? 0 : shape.nparts,
                        shape.part, NULL, shape.n, shape.x, shape.y, NULL, NULL);
    if (o == NULL || SHPWriteObject(w->shp, -1, o) < 0)
        sample_note(w->c, odp_failure_set("SHPWriteObject", w->t->path, 0));
    if (o != NULL)
        SHPDestroyObject(o);
}

static void put_rows(struct writer *w, uint64_t rows)
{
    struct sample_row row;
    add_columns(w);
    for (uint64_t i = 0; i < rows && sample_going(w->c); i++) {
        sample_row_make(w->c, w->t, i, SIZE_MAX, &row);
        const struct sample_plan p = sample_fault_plan(w->c, w->t, &row);
        sample_fault_record(w->c, w->t, &p, 0, i + 1);
        if (sample_going(w->c))
            put_geometry(w, &row, &p);
        for (size_t k = 0; k < w->t->nfields && sample_going(w->c); k++)
            put_cell(w, k, &row, &p);
        if (write_failed)
            sample_note(w->c, odp_failure_set("write", w->t->path, EIO));
    }
}

/* ESRI's spelling, which every GIS reads. */
static void put_prj(struct sample_context *c, const char *path, int zone)
{
    static const char datum[] =
        "GEOGCS[\"GCS_WGS_1984\",DATUM[\"D_WGS_1984\",SPHEROID[\"WGS_1984\",6378137.0,298.257223563]],"
        "PRIMEM[\"Greenwich\",0.0],UNIT[\"Degree\",0.0174532925199433]]";
    const char *utm =
        odp_arena_printf(&c->arena,
                         "PROJCS[\"WGS_1984_UTM_Zone_%dS\",%s,PROJECTION[\"Transverse_Mercator\"],PARAMETER["
                         "\"False_Easting\",500000.0],"
                         "PARAMETER[\"False_Northing\",10000000.0],PARAMETER[\"Central_Meridian\",%d.0],"
                         "PARAMETER[\"Scale_Factor\",0.9996],"
                         "PARAMETER[\"Latitude_Of_Origin\",0.0],UNIT[\"Meter\",1.0]]",
                         zone, datum, zone * 6 - 183);
    sample_put(c, path, odp_slice_of(zone == 0 ? datum : utm));
}

static void write_parts(struct writer *w, uint64_t rows, const char *base)
{
    struct odp_arena *a = &w->c->arena;
    SAHooks hooks;
    SASetupDefaultHooks(&plain);
    hooks = plain;
    hooks.FWrite = checked_write;
    hooks.FClose = checked_close;
    hooks.Error = silent; /* main says it */
    write_failed = false;
    w->shp = SHPCreateLL(odp_arena_printf(a, "%s.shp", base), types[w->t->recipe->shape], &hooks);
    w->dbf =
        DBFCreateLL(odp_arena_printf(a, "%s.dbf", base), w->t->encoding != NULL ? "1252" : "UTF-8", &hooks);
    if (w->shp != NULL && w->dbf != NULL) {
        DBFSetLastModifiedDate(w->dbf, 124, 3, 15); /* no clock in the bytes */
        put_rows(w, rows);
    } else {
        sample_note(w->c, odp_failure_set("create", base, errno));
    }
    if (w->shp != NULL)
        SHPClose(w->shp);
    if (w->dbf != NULL)
        DBFClose(w->dbf);
    if (write_failed)
        sample_note(w->c, odp_failure_set("close", base, EIO));
}

/* The parts get their names when all are whole; where something failed, none is left. */
static void finish_parts(struct sample_context *c, const char *from, const char *to)
{
    static const char *const extension[] = {".dbf", ".shx", ".prj", ".cpg", ".shp"};
    struct odp_file_info info;
    for (size_t i = 0; i < ODP_COUNT(extension); i++) {
        const char *part = odp_arena_printf(&c->arena, "%s%s", from, extension[i]);
        if (sample_going(c))
            sample_note(c, odp_file_seal(part, &info));
        if (sample_going(c))
            sample_note(c, odp_file_rename(part, odp_arena_printf(&c->arena, "%s%s", to, extension[i])));
        else
            (void)remove(part);
    }
}

void sample_write_shape(struct sample_context *c, const struct sample_table *t, uint64_t rows,
                        const char *path)
{
    struct writer w = {.c = c, .t = t};
    int stem = (int)strlen(path) - 4, /* ".shp" */
        zone = c->zone >= 0 ? c->zone : t->recipe->zone;
    PJ_CONTEXT *context = zone != 0 ? proj_context_create() : NULL;
    const char *base = odp_arena_printf(&c->arena, "%.*s-part", stem, path),
               *utm = odp_arena_printf(&c->arena, "+proj=utm +zone=%d +south +ellps=WGS84", zone);
    if (rows > INT32_MAX)
        sample_bad(c, "%s: too many rows for a shapefile", t->recipe->slug);
    w.utm = zone != 0 ? proj_create(context, utm) : NULL;
    if (zone != 0 && w.utm == NULL)
        sample_note(c, odp_failure_set("proj_create", utm, 0));
    if (sample_going(c)) {
        write_parts(&w, rows, base);
        put_prj(c, odp_arena_printf(&c->arena, "%s.prj", base), zone);
        finish_parts(c, base, odp_arena_printf(&c->arena, "%.*s", stem, path));
    }
    proj_destroy(w.utm);
    if (context != NULL)
        proj_context_destroy(context);
    odp_buffer_release(&w.coded);
    odp_buffer_release(&w.text);
}
