/* .shp, .shx, .dbf and .cpg by shapelib, .prj by us. The five are written under another name and renamed when
 * complete. shapelib reports few write errors, so its file hooks are wrapped and remember the first one. */
#include "base/shapelib.h"
#include "sample.h"

#include <errno.h>
#include <shapefil.h>
#include <stdio.h>
#include <stdlib.h>

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
    (void)message;
}

struct writer {
    struct sample_context *c;
    const struct sample_table *t;
    struct sample_faults *faults;
    struct sample_projection *projection;
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

/* What shapelib needs of a column: room for every value, and for the faults. */
static int column_width(const struct sample_table *t, size_t i, int places)
{
    const struct sample_field *f = &t->field[i];
    size_t width = 24;
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
        if (f->max_length > 0)
            width = (size_t)f->max_length;
        for (size_t k = 0; k < f->categories.n; k++)
            width = f->categories.item[k].len > width ? f->categories.item[k].len : width;
        return width < 254 ? (int)width : 254;
    }
}

static enum odp_status add_columns(struct writer *w)
{
    for (size_t i = 0; i < w->t->nfields; i++) {
        const struct sample_field *f = &w->t->field[i];
        int places = f->type == FORM_NUMBER ? w->t->recipe->fields[f->recipe].places : 0;
        char name[11];
        (void)snprintf(name, sizeof name, "%.10s", f->column);
        w->width[i] = column_width(w->t, i, places);
        w->numeric[i] = f->type == FORM_INTEGER || f->type == FORM_NUMBER || f->type == FORM_YEAR;
        char type = w->numeric[i] ? 'N' : f->type == FORM_DATE ? 'D' : 'C';
        if (DBFAddNativeFieldType(w->dbf, name, type, w->width[i], places) < 0)
            return odp_failure_set("DBFAddNativeFieldType", name, 0);
    }
    return ODP_OK;
}

static enum odp_status put_text(struct writer *w, int row, size_t i, struct odp_slice s)
{
    char cell[256] = "";
    int width = w->width[i];
    if (s.len > (size_t)width)
        return sample_bad(w->c, "%s.%s: a value is longer than its column", w->t->recipe->slug,
                          w->t->field[i].name);
    (void)snprintf(cell, sizeof cell, "%*.*s", w->numeric[i] ? width : 0, (int)s.len, s.ptr);
    return DBFWriteAttributeDirectly(w->dbf, row, (int)i, cell)
               ? ODP_OK
               : odp_failure_set("DBFWriteAttribute", w->t->path, 0);
}

/* Numbers with a point and dates as yyyymmdd, as DBF wants them, whatever the descriptor says of CSV. */
static enum odp_status put_cell(struct writer *w, int row, size_t i, const struct sample_row *r,
                                const struct sample_plan *p)
{
    static const char yyyymmdd[] = "%Y%m%d";
    struct sample_field f = w->t->field[i];
    const struct sample_value *v = &r->v[f.recipe];
    if (v->kind == VALUE_NULL)
        return DBFWriteNULLAttribute(w->dbf, row, (int)i)
                   ? ODP_OK
                   : odp_failure_set("DBFWriteNULLAttribute", w->t->path, 0);
    f.decimal = '.';
    f.group = '\0';
    f.pattern = f.type == FORM_DATE ? yyyymmdd : f.pattern;
    struct sample_cell cell = {.text = w->text};
    odp_buffer_clear(&cell.text);
    sample_render(&f, &w->t->recipe->fields[f.recipe], v, 0, &cell.text);
    enum odp_status s = odp_buffer_status(&cell.text);
    if (s == ODP_OK && p->kind != NULL && p->kind->place == FAULT_CELL && p->field == i)
        s = sample_fault_cell(w->t, p, &cell);
    w->text = cell.text;
    struct odp_slice text = odp_buffer_slice(&w->text);
    if (s == ODP_OK && w->t->encoding != NULL) {
        odp_buffer_clear(&w->coded);
        s = sample_encode(w->t->encoding, text, &w->coded);
        text = odp_buffer_slice(&w->coded);
    }
    return s == ODP_OK ? put_text(w, row, i, text) : s;
}

static enum odp_status put_geometry(struct writer *w, const struct sample_row *row, enum sample_damage damage)
{
    static const int types[] = {SHPT_NULL, SHPT_POINT, SHPT_ARC, SHPT_POLYGON};
    struct sample_shape shape;
    enum odp_status s = sample_shape_make(w->projection, w->t, row, w->c, damage, &shape);
    if (s != ODP_OK)
        return s;
    bool null = shape.nparts == 0, point = w->t->recipe->shape == SHAPE_POINT;
    SHPObject *o =
        SHPCreateObject(null ? SHPT_NULL : types[w->t->recipe->shape], -1, null || point ? 0 : shape.nparts,
                        shape.part, NULL, shape.n, shape.x, shape.y, NULL, NULL);
    if (o == NULL)
        return odp_failure_set("SHPCreateObject", w->t->path, ENOMEM);
    int at = SHPWriteObject(w->shp, -1, o);
    SHPDestroyObject(o);
    return at >= 0 ? ODP_OK : odp_failure_set("SHPWriteObject", w->t->path, 0);
}

static enum odp_status put_rows(struct writer *w, uint64_t rows)
{
    struct sample_row *row = malloc(sizeof *row);
    if (row == NULL)
        return odp_failure_set("malloc", NULL, ENOMEM);
    enum odp_status s = ODP_OK;
    for (uint64_t i = 0; i < rows && s == ODP_OK; i++) {
        struct sample_plan p;
        s = sample_row_make(w->c, w->t, i, SIZE_MAX, row);
        if (s != ODP_OK)
            break;
        sample_fault_plan(w->c, w->faults, w->t, i, &p);
        s = sample_fault_value(w->c, w->t, row, &p);
        if (s == ODP_OK && p.kind != NULL)
            s = sample_fault_record(w->faults, w->t, &p, 0, i + 1);
        if (s == ODP_OK)
            s = put_geometry(w, row, p.kind != NULL ? p.damage : DAMAGE_NONE);
        for (size_t k = 0; k < w->t->nfields && s == ODP_OK; k++)
            s = put_cell(w, (int)i, k, row, &p);
        if (s == ODP_OK && write_failed)
            s = odp_failure_set("write", w->t->path, EIO);
    }
    free(row);
    return s;
}

static int zone_of(const struct sample_context *c, const struct sample_table *t)
{
    return c->zone >= 0 ? c->zone : t->recipe->zone;
}

/* ESRI's spelling, which every GIS reads. */
static enum odp_status put_prj(const char *path, int zone)
{
    static const char datum[] =
        "GEOGCS[\"GCS_WGS_1984\",DATUM[\"D_WGS_1984\",SPHEROID[\"WGS_1984\",6378137.0,298.257223563]],"
        "PRIMEM[\"Greenwich\",0.0],UNIT[\"Degree\",0.0174532925199433]]";
    char text[1024];
    if (zone == 0)
        (void)snprintf(text, sizeof text, "%s", datum);
    else
        (void)snprintf(text, sizeof text,
                       "PROJCS[\"WGS_1984_UTM_Zone_%dS\",%s,PROJECTION[\"Transverse_Mercator\"],PARAMETER["
                       "\"False_Easting\",500000.0],"
                       "PARAMETER[\"False_Northing\",10000000.0],PARAMETER[\"Central_Meridian\",%d.0],"
                       "PARAMETER[\"Scale_Factor\",0.9996],"
                       "PARAMETER[\"Latitude_Of_Origin\",0.0],UNIT[\"Meter\",1.0]]",
                       zone, datum, zone * 6 - 183);
    (void)remove(path);
    return odp_file_put(path, odp_slice_of(text), 0644, NULL);
}

static enum odp_status write_parts(struct writer *w, uint64_t rows, const char *base)
{
    static const int types[] = {SHPT_NULL, SHPT_POINT, SHPT_ARC, SHPT_POLYGON};
    SAHooks hooks;
    char *shp = odp_arena_printf(&w->c->arena, "%s.shp", base),
         *dbf = odp_arena_printf(&w->c->arena, "%s.dbf", base);
    char *prj = odp_arena_printf(&w->c->arena, "%s.prj", base);
    SASetupDefaultHooks(&plain);
    hooks = plain;
    hooks.FWrite = checked_write;
    hooks.FClose = checked_close;
    hooks.Error = silent; /* main says it */
    write_failed = false;
    w->shp = SHPCreateLL(shp, types[w->t->recipe->shape], &hooks);
    w->dbf = DBFCreateLL(dbf, w->t->encoding != NULL ? "1252" : "UTF-8", &hooks);
    enum odp_status s = w->shp != NULL && w->dbf != NULL ? ODP_OK : odp_failure_set("create", base, errno);
    if (s == ODP_OK) {
        DBFSetLastModifiedDate(w->dbf, 124, 3, 15); /* no clock in the bytes */
        s = add_columns(w);
    }
    if (s == ODP_OK)
        s = put_rows(w, rows);
    if (w->shp != NULL)
        SHPClose(w->shp);
    if (w->dbf != NULL)
        DBFClose(w->dbf);
    if (s == ODP_OK && write_failed)
        s = odp_failure_set("close", base, EIO);
    return s == ODP_OK ? put_prj(prj, zone_of(w->c, w->t)) : s;
}

enum { PARTS = 5 };
static const char *const extension[PARTS] = {".dbf", ".shx", ".prj", ".cpg", ".shp"};

static void remove_parts(struct odp_arena *arena, const char *base)
{
    for (size_t i = 0; i < PARTS; i++) {
        char *path = odp_arena_printf(arena, "%s%s", base, extension[i]);
        (void)remove(path);
    }
}

static enum odp_status rename_parts(struct odp_arena *arena, const char *from, const char *to)
{
    enum odp_status s = ODP_OK;
    for (size_t i = 0; i < PARTS && s == ODP_OK; i++) {
        char *a = odp_arena_printf(arena, "%s%s", from, extension[i]),
             *b = odp_arena_printf(arena, "%s%s", to, extension[i]);
        struct odp_file_info info;
        s = odp_file_seal(a, &info);
        if (s == ODP_OK)
            s = odp_file_rename(a, b);
    }
    return s;
}

enum odp_status sample_write_shape(struct sample_context *c, const struct sample_table *t, uint64_t rows,
                                   const char *path, struct sample_faults *faults)
{
    struct writer w = {.c = c, .t = t, .faults = faults};
    int stem = (int)strlen(path) - 4; /* ".shp" */
    if (rows > INT32_MAX)
        return sample_bad(c, "%s: too many rows for a shapefile", t->recipe->slug);
    char *base = odp_arena_printf(&c->arena, "%.*s-part", stem, path),
         *to = odp_arena_printf(&c->arena, "%.*s", stem, path);
    odp_buffer_init(&w.text);
    odp_buffer_init(&w.coded);
    enum odp_status s = sample_projection_open(zone_of(c, t), &w.projection);
    if (s == ODP_OK)
        s = write_parts(&w, rows, base);
    if (s == ODP_OK)
        s = rename_parts(&c->arena, base, to);
    if (s != ODP_OK)
        remove_parts(&c->arena, base);
    sample_projection_close(w.projection);
    odp_buffer_release(&w.coded);
    odp_buffer_release(&w.text);
    return s;
}
