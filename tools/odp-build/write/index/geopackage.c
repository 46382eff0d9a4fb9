/* Makes an index with a geometry a GeoPackage (OGC 12-128r19, version 1.4): its identity, the tables gpkg_…,
 * and the R*Tree extension. No date comes from a clock: last_change is the version's own date. */
#include <string.h>

#include "catalog/index/gpb.h"
#include "write/index/index_internal.h"

extern const unsigned char odp_geopackage_sql[];

const char *writer_geometry_type(const struct odp_search_writer *w)
{
    static const char *const names[] = {"POINT",           "MULTIPOINT", "LINESTRING",
                                        "MULTILINESTRING", "POLYGON",    "MULTIPOLYGON"};
    for (size_t k = 0; k < ODP_COUNT(names); k++)
        if (w->job.resource->geometry.types == 1u << k)
            return names[k];
    return "GEOMETRY";
}

void writer_make_geopackage(struct odp_search_writer *w)
{
    writer_exec(w, (const char *)odp_geopackage_sql);
}

/* Annex F.3: triggers that keep the R*Tree whole when a copy of the file is edited. %t: the table, %g: its
 * geometry, %r: the R*Tree. */
struct trigger {
    const char *name, *event, *when, *action;
};
#define NEW_IS   "(NEW.%g NOT NULL AND NOT ST_IsEmpty(NEW.%g))"
#define NEW_NONE "(NEW.%g ISNULL OR ST_IsEmpty(NEW.%g))"
#define NEW_BOX  "ST_MinX(NEW.%g), ST_MaxX(NEW.%g), ST_MinY(NEW.%g), ST_MaxY(NEW.%g)"
#define PUT_NEW  "INSERT OR REPLACE INTO %r VALUES(NEW.fid, " NEW_BOX "); "
#define DROP_OLD "DELETE FROM %r WHERE id = OLD.fid; "
static const struct trigger triggers[] = {
    {"insert", "INSERT ON %t", NEW_IS, PUT_NEW},
    {"update2", "UPDATE OF %g ON %t", "OLD.fid = NEW.fid AND " NEW_NONE, DROP_OLD},
    {"update4", "UPDATE ON %t", "OLD.fid != NEW.fid AND " NEW_NONE,
     "DELETE FROM %r WHERE id IN (OLD.fid, NEW.fid); "},
    {"update5", "UPDATE ON %t", "OLD.fid != NEW.fid AND " NEW_IS, DROP_OLD PUT_NEW},
    {"update6", "UPDATE OF %g ON %t",
     "OLD.fid = NEW.fid AND " NEW_IS " AND (OLD.%g NOT NULL AND NOT ST_IsEmpty(OLD.%g))",
     "UPDATE %r SET (minx, maxx, miny, maxy) = (" NEW_BOX ") WHERE id = NEW.fid; "},
    {"update7", "UPDATE OF %g ON %t",
     "OLD.fid = NEW.fid AND " NEW_IS " AND (OLD.%g ISNULL OR ST_IsEmpty(OLD.%g))", PUT_NEW},
    {"delete", "DELETE ON %t", "OLD.%g NOT NULL", DROP_OLD},
};

/* TEXT with names put in. */
static void add_named(struct odp_search_writer *w, const char *text)
{
    const struct odp_search_names *n = &w->info.names;
    for (const char *p = text; *p != '\0'; p++) {
        if (*p != '%')
            odp_buffer_add_char(&w->text, *p);
        else if (*++p == 't')
            odp_buffer_add_str(&w->text, n->table);
        else
            odp_buffer_add_str(&w->text, *p == 'g' ? n->geometry : n->rtree);
    }
}

static void make_trigger(struct odp_search_writer *w, const struct trigger *t)
{
    odp_buffer_add_str(&w->text, "CREATE TRIGGER ");
    odp_buffer_printf(&w->text, "%.*s_%s\" AFTER ", (int)strlen(w->info.names.rtree) - 1, w->info.names.rtree,
                      t->name);
    add_named(w, t->event);
    odp_buffer_add_str(&w->text, " WHEN ");
    add_named(w, t->when);
    odp_buffer_add_str(&w->text, " BEGIN ");
    add_named(w, t->action);
    odp_buffer_add_str(&w->text, "END");
    writer_exec_text(w);
}

void writer_end_geopackage(struct odp_search_writer *w)
{
    const struct odp_search_names *n = &w->info.names;
    const struct odp_resource *r = w->job.resource;
    const char *title = odp_text_get(&r->dataset->title, ODP_LANG_ID), *at = w->info.last_update;
    char box[4][32];
    for (int k = 0; k < 4; k++)
        sqlite3_snprintf(sizeof box[k], box[k], w->info.has_bbox ? "%!.15g" : "NULL", w->info.bbox[k]);
    writer_execf(
        w,
        "INSERT INTO gpkg_contents VALUES(%Q, 'features', %Q, %Q, '%.10sT00:00:00.000Z', %s, %s, %s, %s, %d)",
        n->plain_table, n->plain_table, title, at, box[0], box[1], box[2], box[3], ODP_GPB_SRS);
    /* With a table of attributes named, GDAL does not look for more of them. */
    writer_execf(w,
                 "INSERT INTO gpkg_contents(table_name, data_type, identifier, last_change) "
                 "VALUES('odp_label', 'attributes', 'odp_label', '%.10sT00:00:00.000Z')",
                 at);
    writer_execf(w, "INSERT INTO gpkg_geometry_columns VALUES(%Q, %Q, %Q, %d, %d, 0)", n->plain_table,
                 n->plain_geometry, writer_geometry_type(w), ODP_GPB_SRS, w->heights ? 2 : 0);
    writer_execf(w,
                 "INSERT INTO gpkg_extensions VALUES(%Q, %Q, 'gpkg_rtree_index', "
                 "'http://www.geopackage.org/spec140/#extension_rtree', 'write-only')",
                 n->plain_table, n->plain_geometry);
    for (size_t k = 0; k < ODP_COUNT(triggers); k++)
        make_trigger(w, &triggers[k]);
}
