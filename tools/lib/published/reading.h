/* Published files read back: the records of one distribution, as typed text and geometry, one after the
 * other.
 *
 * Five forms carry records: JSON (the envelope), its records a line each, GeoJSON, CSV (the exact one), and
 * the API's pages (the envelope in pieces). The text of a field is the canonical text that was emitted
 * (numbers keep their literal), so equal text means an equal value, and the logical digest of a version
 * (published/logical.c) can be computed again from its files. Memory: one record (and one piece of the file)
 * at a time. Input is hostile: a damaged file is BAD with a sentence (page, record, byte where the record
 * begins), never a crash; what is behind a damaged record is not read.
 *
 * The files are ours: they are read as they are written, and what is written otherwise is damaged. One record
 * a line, members in the schema's order, none missing, none more, a feature's id equal to its key, nothing
 * behind the end. So nothing is read that the digest does not cover, but for the envelope's meta and links, a
 * collection's name and bbox, and the label points of a CSV. A file is whole when its end was read and its
 * records are as many as meta.total (JSON, pages) and the schema's odp:rows say: a CSV that was cut between
 * two records is found, too. Pages number 1 to n, of one version and one total. (A file of odp:slices has
 * other rows: read it by a layout without odp:rows.)
 *
 * Geometry is whole in JSON and GeoJSON, in pages unless odp:apiGeometry simplifies it or leaves it out, in
 * CSV as wkt, and as lon, lat where odp:geometry.heights is false. A record without geometry is whole
 * wherever that can be seen. Coordinates have at most 7 decimals, so round(v * 1e7) of what is read is the
 * integer that was written; above 2^53 of these units the nearest double is again the one that was written.
 */
#pragma once

#include "base/digest.h"
#include "base/format.h"
#include "catalog/records/geom.h"
#include "published/layout.h"

/* The form of a file by its name in the index ("json", "geojson", "csv"), and of "api", the pages. NONE: it
 * cannot be read back ("excel.csv", "xlsx", "pdf"). */
enum odp_form odp_form_find(const char *name);

struct odp_reading_record {
    uint64_t row;                    /* from 1 */
    const struct odp_slice *text;    /* by field of the layout; ptr NULL: null */
    const struct odp_geom *geometry; /* NULL: none, or this form does not carry it */
    bool geometry_whole;             /* the form carries this record's geometry exactly (or it has none) */
};

struct odp_reading;
/* PATHS: the file, or the pages in order (on the disk), borrowed until close. */
enum odp_status odp_reading_open(struct odp_reading **out, enum odp_form form, const struct odp_layout *l,
                                 const char *const *paths, size_t npaths) ODP_MUST_USE;
/* OK: *REC holds the next record, until the next call. DONE: the end, and the file was whole. BAD: see
 * odp_reading_fault. */
enum odp_status odp_reading_next(struct odp_reading *r, struct odp_reading_record *rec) ODP_MUST_USE;
/* What is wrong, in English, with line or byte; "" if nothing is. Valid until close. */
const char *odp_reading_fault(const struct odp_reading *r);
void odp_reading_close(struct odp_reading *r);

/* The logical digest of what remains to be read. *WHOLE is false if this form does not carry a geometry
 * whole: OUT then covers the attributes alone; compare it with another form's attributes. BAD: see
 * odp_reading_fault. */
struct odp_reading_digest {
    uint8_t
        logical[ODP_SHA256_SIZE]; /* header, attributes and geometry: as in versions.json; only if WHOLE */
    uint8_t attributes[ODP_SHA256_SIZE]; /* header and attributes without geometry: equal in all forms of a
                                            version */
    uint64_t rows;
    bool whole;
};
enum odp_status odp_reading_digest(struct odp_reading *r, struct odp_reading_digest *out) ODP_MUST_USE;
