/* What makes an index with a geometry a GeoPackage (OGC 12-128r19, version 1.4): its identity, the tables
 * gpkg_…, and the extension that the R*Tree is. Nothing comes from a clock: what has changed when is the
 * version's own date. */
#include <string.h>

#include "catalog/index/gpb.h"
#include "write/index/index_internal.h"

/* 1.1.1.1.1, 1.1.2 (the records of table 3 and WGS 84), 1.1.3, 2.1.5, 2.3.2. */
static const char tables[] =
    "PRAGMA application_id=0x47504B47; PRAGMA user_version=10400;"
    "CREATE TABLE gpkg_spatial_ref_sys(srs_name TEXT NOT NULL, srs_id INTEGER PRIMARY KEY,"
    " organization TEXT NOT NULL, organization_coordsys_id INTEGER NOT NULL, definition TEXT NOT NULL,"
    " description TEXT);"
    "INSERT INTO gpkg_spatial_ref_sys VALUES"
    "('Undefined Cartesian SRS', -1, 'NONE', -1, 'undefined', 'undefined Cartesian coordinates'),"
    "('Undefined geographic SRS', 0, 'NONE', 0, 'undefined', 'undefined geographic coordinates'),"
    "('WGS 84 geodetic', 4326, 'EPSG', 4326,"
    " 'GEOGCS[\"WGS 84\",DATUM[\"WGS_1984\",SPHEROID[\"WGS 84\",6378137,298.257223563,"
    "AUTHORITY[\"EPSG\",\"7030\"]],AUTHORITY[\"EPSG\",\"6326\"]],"
    "PRIMEM[\"Greenwich\",0,AUTHORITY[\"EPSG\",\"8901\"]],"
    "UNIT[\"degree\",0.0174532925199433,AUTHORITY[\"EPSG\",\"9122\"]],"
    "AXIS[\"Latitude\",NORTH],AXIS[\"Longitude\",EAST],AUTHORITY[\"EPSG\",\"4326\"]]',"
    " 'longitude and latitude in decimal degrees on the WGS 84 spheroid');"
    "CREATE TABLE gpkg_contents(table_name TEXT NOT NULL PRIMARY KEY, data_type TEXT NOT NULL,"
    " identifier TEXT UNIQUE, description TEXT DEFAULT '',"
    " last_change DATETIME NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ','now')),"
    " min_x DOUBLE, min_y DOUBLE, max_x DOUBLE, max_y DOUBLE, srs_id INTEGER,"
    " CONSTRAINT fk_gc_r_srs_id FOREIGN KEY (srs_id) REFERENCES gpkg_spatial_ref_sys(srs_id));"
    "CREATE TABLE gpkg_geometry_columns(table_name TEXT NOT NULL, column_name TEXT NOT NULL,"
    " geometry_type_name TEXT NOT NULL, srs_id INTEGER NOT NULL, z TINYINT NOT NULL, m TINYINT NOT NULL,"
    " CONSTRAINT pk_geom_cols PRIMARY KEY (table_name, column_name),"
    " CONSTRAINT uk_gc_table_name UNIQUE (table_name),"
    " CONSTRAINT fk_gc_tn FOREIGN KEY (table_name) REFERENCES gpkg_contents(table_name),"
    " CONSTRAINT fk_gc_srs FOREIGN KEY (srs_id) REFERENCES gpkg_spatial_ref_sys (srs_id));"
    "CREATE TABLE gpkg_extensions(table_name TEXT, column_name TEXT, extension_name TEXT NOT NULL,"
    " definition TEXT NOT NULL, scope TEXT NOT NULL,"
    " CONSTRAINT ge_tce UNIQUE (table_name, column_name, extension_name));";

const char *writer_geometry_type(const struct odp_search_writer *w)
{
    static const char *const names[] = {"POINT",           "MULTIPOINT", "LINESTRING",
                                        "MULTILINESTRING", "POLYGON",    "MULTIPOLYGON"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (w->job.resource->geometry.types == 1u << k)
            return names[k];
    return "GEOMETRY";
}

enum odp_status writer_make_geopackage(struct odp_search_writer *w)
{
    return writer_exec(w, tables);
}

/* Annex F.3: whoever edits a copy of the file keeps its R*Tree whole. %t: the table, %g: its geometry, %r:
 * the R*Tree. */
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

static const char *name_of(const struct odp_search_names *n, char hole)
{
    switch (hole) {
    case 't':
        return n->table;
    case 'g':
        return n->geometry;
    default:
        return n->rtree;
    }
}

/* TEXT with names put in. */
static void add_named(struct odp_search_writer *w, const char *text)
{
    for (const char *p = text; *p != '\0'; p++) {
        if (*p == '%')
            odp_buffer_add_str(&w->text, name_of(&w->info.names, *++p));
        else
            odp_buffer_add_char(&w->text, *p);
    }
}

static enum odp_status make_trigger(struct odp_search_writer *w, const struct trigger *t)
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
    return writer_exec_text(w);
}

enum odp_status writer_end_geopackage(struct odp_search_writer *w)
{
    const struct odp_search_names *n = &w->info.names;
    const struct odp_resource *r = w->job.resource;
    const char *title = odp_text_get(&r->dataset->title, ODP_LANG_ID), *at = w->info.last_update;
    char box[4][32];
    for (int k = 0; k < 4; k++)
        sqlite3_snprintf(sizeof box[k], box[k], w->info.has_bbox ? "%!.15g" : "NULL", w->info.bbox[k]);
    enum odp_status status = writer_execf(
        w,
        "INSERT INTO gpkg_contents VALUES(%Q, 'features', %Q, %Q, '%.10sT00:00:00.000Z', %s, %s, %s, %s, %d)",
        n->plain_table, n->plain_table, title, at, box[0], box[1], box[2], box[3], ODP_GPB_SRS);
    if (status == ODP_OK) /* with a table of attributes named, GDAL does not look for more of them */
        status = writer_execf(w,
                              "INSERT INTO gpkg_contents(table_name, data_type, identifier, last_change) "
                              "VALUES('odp_label', 'attributes', 'odp_label', '%.10sT00:00:00.000Z')",
                              at);
    if (status == ODP_OK)
        status =
            writer_execf(w, "INSERT INTO gpkg_geometry_columns VALUES(%Q, %Q, %Q, %d, %d, 0)", n->plain_table,
                         n->plain_geometry, writer_geometry_type(w), ODP_GPB_SRS, w->heights ? 2 : 0);
    if (status == ODP_OK)
        status = writer_execf(w,
                              "INSERT INTO gpkg_extensions VALUES(%Q, %Q, 'gpkg_rtree_index', "
                              "'http://www.geopackage.org/spec140/#extension_rtree', 'write-only')",
                              n->plain_table, n->plain_geometry);
    for (size_t k = 0; k < sizeof triggers / sizeof *triggers && status == ODP_OK; k++)
        status = make_trigger(w, &triggers[k]);
    return status;
}
