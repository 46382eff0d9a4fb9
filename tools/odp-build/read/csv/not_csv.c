/* Files that are not CSV whatever their name says: one sentence about the file instead of faults about its
 * bytes (ODP-F03). */
#include "base/path.h"
#include "base/text.h"
#include "read/csv/reader.h"

enum { SNIFF = 512 };

/* Signatures as the formats define them, at byte AT. Specific ones come before general ones. */
static const struct {
    const char *name;
    enum csv_maker makes;
    uint8_t at, n;
    const char *bytes;
} signatures[] = {
    {"GeoPackage", CSV_MAKES_SHAPES, 68, 2, "GP"}, /* of SQLite, below: its application id */
    {"SQLite", CSV_MAKES_CSV, 0, 16, "SQLite format 3"},
    {"FlatGeobuf", CSV_MAKES_SHAPES, 0, 4, "fgb\x03"},
    {"PMTiles", CSV_MAKES_NOTHING, 0, 7, "PMTiles"},
    {"Parquet", CSV_MAKES_NOTHING, 0, 5, "PAR1\x15"},
    {"Arrow", CSV_MAKES_NOTHING, 0, 8, "ARROW1\0"},
    {"Avro", CSV_MAKES_NOTHING, 0, 4, "Obj\x01"},
    {"shapefile (.shp)", CSV_MAKES_NOTHING, 0, 4, "\0\0\x27\x0A"},
    {"Excel 97 (.xls)", CSV_MAKES_NOTHING, 0, 8, "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1"},
    {"Access (.mdb)", CSV_MAKES_NOTHING, 0, 10, "\0\1\0\0Standa"},
    {"SPSS (.sav)", CSV_MAKES_NOTHING, 0, 4, "$FL2"},
    {"Stata (.dta)", CSV_MAKES_NOTHING, 0, 11, "<stata_dta>"},
    {"HDF5", CSV_MAKES_NOTHING, 0, 4, "\x89HDF"},
    {"NetCDF", CSV_MAKES_NOTHING, 0, 4, "CDF\x01"},
    {"NetCDF", CSV_MAKES_NOTHING, 0, 4, "CDF\x02"},
    {"GeoTIFF/TIFF", CSV_MAKES_NOTHING, 0, 4, "II*\0"},
    {"GeoTIFF/TIFF", CSV_MAKES_NOTHING, 0, 4, "MM\0*"},
    {"PNG", CSV_MAKES_NOTHING, 0, 4, "\x89PNG"},
    {"JPEG", CSV_MAKES_NOTHING, 0, 3, "\xFF\xD8\xFF"},
    {"GIF", CSV_MAKES_NOTHING, 0, 5, "GIF89"},
    {"RTF", CSV_MAKES_NOTHING, 0, 5, "{\\rtf"},
    {"PDF", CSV_MAKES_NOTHING, 0, 5, "%PDF-"},
    {"gzip", CSV_MAKES_NOTHING, 0, 3, "\x1F\x8B\x08"},
    {"bzip2", CSV_MAKES_NOTHING, 0, 10, "BZh91AY&SY"},
    {"xz", CSV_MAKES_NOTHING, 0, 5,
     "\xFD"
     "7zXZ"},
    {"Zstandard", CSV_MAKES_NOTHING, 0, 4, "\x28\xB5\x2F\xFD"},
    {"RAR", CSV_MAKES_NOTHING, 0, 6, "Rar!\x1A\x07"},
    {"7-Zip", CSV_MAKES_NOTHING, 0, 6, "7z\xBC\xAF\x27\x1C"},
};

/* Texts: how they begin (white space aside), and what one of them has among its first bytes; WITHIN NULL:
 * nothing more. */
static const struct {
    const char *name;
    enum csv_maker makes;
    const char *begins, *within;
} texts[] = {
    {"MapInfo (.tab)", CSV_MAKES_SHAPES, "!table", NULL},
    {"MapInfo (.mif)", CSV_MAKES_SHAPES, "Version ", "\nDelimiter"},
    {"MapInfo (.mif)", CSV_MAKES_SHAPES, "Version ", "\nCharset"},
    {"MapInfo (.mif)", CSV_MAKES_SHAPES, "Version ", "\nColumns"},
    {"DXF", CSV_MAKES_SHAPES, "0", "\nSECTION"},
    {"HTML", CSV_MAKES_NOTHING, "<!doctype html", NULL},
    {"HTML", CSV_MAKES_NOTHING, "<html", NULL},
    {"HTML", CSV_MAKES_NOTHING, "<table", NULL},
    {"HTML", CSV_MAKES_NOTHING, "<head", NULL},
    {"HTML", CSV_MAKES_NOTHING, "<body", NULL},
    {"KML", CSV_MAKES_SHAPES, "<kml", NULL},
    {"KML", CSV_MAKES_SHAPES, "<?xml", "<kml"},
    {"GPX", CSV_MAKES_SHAPES, "<gpx", NULL},
    {"GPX", CSV_MAKES_SHAPES, "<?xml", "<gpx"},
    {"GML", CSV_MAKES_SHAPES, "<?xml", "FeatureCollection"},
    {"GML", CSV_MAKES_SHAPES, "<gml:", NULL},
    {"QGIS (.qgs)", CSV_MAKES_NOTHING, "<!DOCTYPE qgis", NULL},
    {"Excel 2003 XML", CSV_MAKES_NOTHING, "<?xml", "Excel.Sheet"},
    {"Excel 2003 XML", CSV_MAKES_NOTHING, "<?xml", "office:spreadsheet"},
    {"XML", CSV_MAKES_NOTHING, "<?xml", NULL},
    {"SQL", CSV_MAKES_NOTHING, "SET ", ";\n"},
    {"SQL", CSV_MAKES_NOTHING, "--", "\nSET "},
    {"SQL", CSV_MAKES_NOTHING, "--", "CREATE TABLE"},
    {"SQL", CSV_MAKES_NOTHING, "CREATE TABLE ", NULL},
    {"SQL", CSV_MAKES_NOTHING, "INSERT INTO ", NULL},
};

static bool begins(struct odp_slice s, const char *text)
{
    size_t n = strlen(text);
    return s.len >= n && strncasecmp(s.ptr, text, n) == 0;
}

static bool holds(struct odp_slice s, const char *text)
{
    return memmem(s.ptr, s.len, text, strlen(text)) != NULL;
}

static bool found(struct csv_other *out, const char *name, enum csv_maker makes)
{
    *out = (struct csv_other){name, makes};
    return true;
}

/* A zip archive; what office programs write names its parts near the beginning. */
static bool zip_kind(struct odp_slice s, struct csv_other *out)
{
    if (holds(s, "[Content_Types].xml") || holds(s, "xl/") || holds(s, "_rels/") || holds(s, "docProps/"))
        return found(out, "Excel (.xlsx)", CSV_MAKES_NOTHING);
    if (holds(s, "opendocument"))
        return found(out, "OpenDocument (.ods)", CSV_MAKES_NOTHING);
    return holds(s, ".kml") ? found(out, "KMZ", CSV_MAKES_SHAPES) : found(out, "ZIP", CSV_MAKES_NOTHING);
}

/* JSON needs its second token too: a label may begin with a bracket. */
static bool json_kind(struct odp_slice s, struct csv_other *out)
{
    if (s.len < 2 || (*s.ptr != '{' && *s.ptr != '['))
        return false;
    struct odp_slice rest = odp_slice_trim((struct odp_slice){s.ptr + 1, s.len - 1});
    if (!(*s.ptr == '{' ? begins(rest, "\"") && (holds(rest, "\":") || holds(rest, "\" :"))
                        : begins(rest, "{")))
        return false;
    if (holds(s, "\"Feature") || holds(s, "\"Topology\"") || holds(s, "\"coordinates\""))
        return found(out, holds(s, "\"Topology\"") ? "TopoJSON" : "GeoJSON", CSV_MAKES_SHAPES);
    return found(out, "JSON", CSV_MAKES_NOTHING);
}

bool csv_other_kind(struct odp_slice s, bool header, struct csv_other *out)
{
    s.len = s.len < SNIFF ? s.len : SNIFF;
    if (begins(s, "\xEF\xBB\xBF"))
        s = (struct odp_slice){s.ptr + 3, s.len - 3};
    if (s.len > 3 && memcmp(s.ptr, "PK\x03\x04", 4) == 0)
        return zip_kind(s, out);
    bool sqlite = begins(s, "SQLite format 3");
    for (size_t k = 0; k < ODP_COUNT(signatures); k++) {
        size_t at = signatures[k].at, n = signatures[k].n;
        if (s.len >= at + n && memcmp(s.ptr + at, signatures[k].bytes, n) == 0 && (at == 0 || sqlite))
            return found(out, signatures[k].name, signatures[k].makes);
    }
    s = odp_slice_trim(s);
    for (size_t k = 0; k < ODP_COUNT(texts); k++)
        if (begins(s, texts[k].begins) && (texts[k].within == NULL || holds(s, texts[k].within)))
            return found(out, texts[k].name, texts[k].makes);
    return header && json_kind(s, out);
}

struct odp_slice csv_conversion(const struct csv_other *other, const char *file, struct odp_arena *a)
{
    const char *name = odp_path_last(file), *dot = strrchr(name, '.');
    const int stem = dot != NULL && dot > name ? (int)(dot - name) : (int)strlen(name);
    const bool shapes = other->makes == CSV_MAKES_SHAPES;
    char *made = odp_arena_printf(a, shapes ? "%.*s-shp" : "%.*s.csv", stem, name);
    struct odp_slice out = {NULL, 0};
    struct odp_buffer b;
    if (other->makes == CSV_MAKES_NOTHING)
        return ODP_LIT("");
    odp_buffer_init(&b);
    odp_buffer_add_str(&b, shapes ? "ogr2ogr -f \"ESRI Shapefile\" -lco ENCODING=UTF-8 " : "ogr2ogr -f CSV ");
    odp_text_shell(&b, odp_slice_of(made));
    odp_buffer_add_char(&b, ' ');
    odp_text_shell(&b, odp_slice_of(file));
    if (odp_buffer_status(&b) == ODP_OK)
        out = odp_arena_copy(a, odp_buffer_slice(&b));
    odp_buffer_release(&b);
    return out.ptr != NULL ? out : ODP_LIT("");
}
