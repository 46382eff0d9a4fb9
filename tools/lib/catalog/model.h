/* A catalogue: portal, datasets with their resources, code lists, releases; and lookups in it. Everything
 * lives in the catalogue's arena or JSON trees, and is read-only after odp_catalog_open (catalog.h). */
#pragma once

#include "base/format.h"
#include "base/arena.h"
#include "base/map.h"
#include "base/limits.h"
#include "catalog/schema.h"
#include "catalog/theme.h"

/* Table Dialect v2, as far as CSV and workbooks go. 0 for a character = none. */
struct odp_dialect {
    char delimiter;              /* ',' */
    char quote;                  /* '"' */
    bool double_quote;           /* true */
    char escape;                 /* 0 */
    char comment;                /* first character of comment lines; 0 = none */
    const char *line_terminator; /* NULL: found in the file (CRLF, LF or CR, also mixed) */
    bool header;                 /* true */
    uint32_t *header_rows;       /* physical rows from 1; {1} by default; more than one are joined */
    size_t nheader_rows;
    const char *header_join; /* " " */
    uint32_t *comment_rows;  /* rows to skip, from 1 */
    size_t ncomment_rows;
    bool skip_initial_space;
    const char *null_sequence; /* unquoted text that means null; NULL = none */
    const char *sheet_name;    /* of a workbook, or NULL */
    uint32_t sheet_number;     /* from 1; 0: absent */
    bool declared;             /* the descriptor has a dialect */
};

enum odp_geometry_mode {
    ODP_GEOMETRY_FULL,
    ODP_GEOMETRY_SIMPLIFIED,
    ODP_GEOMETRY_NONE
}; /* odp:apiGeometry */

/* Bits of odp_geometry_spec.types. */
enum {
    ODP_GEOM_BIT_POINT = 1,
    ODP_GEOM_BIT_MULTIPOINT = 2,
    ODP_GEOM_BIT_LINE = 4,
    ODP_GEOM_BIT_MULTILINE = 8,
    ODP_GEOM_BIT_POLYGON = 16,
    ODP_GEOM_BIT_MULTIPOLYGON = 32
};

/* odp:geometry of a resource: {"types": ["Polygon", …], "required": true, "bbox": [w,s,e,n], "crs":
 * "EPSG:32748", "check": true}; of a table without shapes also {"lon": "bujur", "lat": "lintang"} or
 * {"field": "lokasi"}. The default box is Indonesia's: 94.5, -11.5, 141.5, 6.5 only where portal.json
 * declares one; else the whole world. */
struct odp_geometry_spec {
    bool present;     /* the resource has a geometry */
    unsigned types;   /* allowed, 0 = any */
    bool required;    /* default true */
    bool check_valid; /* GEOS; default true */
    bool has_bbox;
    double bbox[4];             /* west, south, east, north */
    const char *crs;            /* used where .prj is missing; NULL: none declared */
    const char *crs_operation;  /* odp:crsOperation or NULL */
    bool csv_wkt;               /* odp:csvGeometry "wkt" */
    enum odp_geometry_mode api; /* default full */
    uint32_t lon, lat;          /* public number fields that hold it, in degrees, counted from 1; 0: none */
    uint32_t field;             /* the same of a geopoint or geojson field */
    const char *where;
};
/* The geometry is made of the record's own fields, not read from the source. */
static inline bool odp_geometry_is_of_fields(const struct odp_geometry_spec *g)
{
    return g->field != 0 || g->lon != 0;
}

struct odp_dataset;
struct odp_resource;

struct odp_foreign_key {
    struct odp_key local;              /* fields of this resource */
    const struct odp_resource *target; /* resolved; may be the resource itself */
    struct odp_key remote;             /* fields of the target, same n */
    const char *label;                 /* "references/kabkota (2025-04-25)", "kontraktor" */
    const char *where;
};

/* One odp:rules entry. The expression is text here: tools/lib/catalog/expr compiles it. */
struct odp_rule {
    const char *code;
    struct odp_slice expr;
    struct odp_text message;
    enum odp_severity severity; /* the entry's, else odp:severity of ODP-L01, else ERROR */
    const char *file;           /* the descriptor, and the place of the expression's text */
    uint32_t line, column;
    const char *where; /* "dataset.json:70" */
};

/* odp:charts of a resource: pictures made of all its records. {"name", "type", "title", "description",
 * "category", "series", "value", "aggregate", "top", "sort", "planned", "actual"}. A map has a symbol for
 * each record, at its point: coloured by category or by value. A histogram counts records by classes of
 * VALUE. A gantt has the records (CATEGORY says which, SERIES of what) that are most days late. Where a
 * table declares none, some are derived from its schema. */
enum odp_chart_type {
    ODP_CHART_BAR,
    ODP_CHART_LINE,
    ODP_CHART_STACKED,
    ODP_CHART_MAP,
    ODP_CHART_HISTOGRAM,
    ODP_CHART_GANTT
};
extern const char *const odp_chart_type_names[]; /* ended by NULL */
enum odp_chart_aggregate { ODP_CHART_COUNT, ODP_CHART_SUM, ODP_CHART_MEAN, ODP_CHART_MIN, ODP_CHART_MAX };

struct odp_chart {
    const char *name; /* "pagu-per-sumber": [a-z0-9-], unique in the dataset */
    enum odp_chart_type type;
    struct odp_text title, description; /* description may be empty */
    int category; /* public field of the bars, of the line's horizontal axis; maps: of the colours, or -1 */
    int series;   /* field of the lines, of the parts of a bar; -1: one series */
    int value;    /* number or integer field; -1 with COUNT */
    int planned, actual;                /* date fields of a gantt; else -1 */
    enum odp_chart_aggregate aggregate; /* COUNT by default without a value, else SUM; maps: none */
    int64_t top;   /* so many categories at most, what remains is "Lainnya" / "Others"; 12 by default, 0: all
                      (to 60) */
    bool by_value; /* "sort": "value" (largest first; bars' and stacks' default), else "category" (lines') */
    bool derived;  /* from the schema: where there is nothing to see, it is left out */
    const char *where;
};

/* One figure of the summary of a resource (write/summary). */
struct odp_measure {
    const char *name;                    /* "count", "luas_ha", "tingkat=Berat" */
    int field;                           /* -1: how many records there are */
    const struct odp_category *category; /* of FIELD: how many records have it; NULL: FIELD is a number */
    enum odp_chart_aggregate aggregate;  /* COUNT, SUM or MEAN */
};

/* odp:record, odp:highlights, odp:aggregate: what is summed up, by time and place. */
struct odp_measures {
    struct odp_text record;   /* what a record is, in the plural: "kawasan", "slum areas"; may be empty */
    struct odp_text one;      /* odp:recordOne: in the singular; may be empty */
    struct odp_measure *item; /* by rank: those of odp:highlights (nhighlights) first, at most 40 */
    uint32_t n, nhighlights;
    int time;   /* public field: a year, yearmonth, date or datetime (by its year); -1: none */
    bool panel; /* TIME is part of the primary key: a sum over times means nothing */
};

/* odp:print: how the PDF sets the records. {"layout": "table" | "entries", "heading": [fields], "title":
 * field, "status": field, "group": field, "records": n} */
enum odp_print_layout { ODP_PRINT_TABLE, ODP_PRINT_ENTRIES };

struct odp_print_spec {
    enum odp_print_layout layout;
    struct odp_key heading;   /* entries: what names a record ("jenis", "nomor"); n == 0: the primary key */
    int title, status, group; /* fields or -1; entries of one group stand together under its name */
    int64_t records;          /* at most so many are printed; 10000 by default */
};

/* odp:queryables of a resource: what else its records can be filtered, sorted and counted by; in the query
 * index, not in the downloads.
 *   {"name", "title"?, "field", "prefix": n}     the first n characters of a text field (kode_provinsi of
 *                                                kode_kabkota), or of an earlier queryable
 *   {"name"?, "title"?, "key": [fields], "take": field}   a field of the record that a foreign key within the
 *                                                         package leads to; its name by default */
enum odp_queryable_kind { ODP_QUERYABLE_PREFIX, ODP_QUERYABLE_TAKEN };
struct odp_queryable {
    const char *name; /* of no field of the schema, and of no other queryable */
    struct odp_text title;
    enum odp_queryable_kind kind;
    enum odp_type type;
    int field;                         /* PREFIX: field of the schema, or -1 */
    int queryable;                     /* PREFIX: an earlier queryable, or -1 */
    int64_t prefix;                    /* characters, 1 to 64 */
    const struct odp_foreign_key *key; /* TAKEN: its target is an earlier resource of the same dataset, its
                                          remote fields are the target's primary key */
    int take;                          /* TAKEN: public field of the target */
    const char *where;
};

/* odp:timeline of a resource whose records are milestones: {"project", "milestone", "planned", "actual",
 * "date", "delay"}. DATE and DELAY are names of columns that the query index gets: the actual day, else the
 * planned one; and by how many days the milestone is late (actual - planned; of one that is not reached, the
 * version's date - planned where that is past; else null). */
struct odp_timeline {
    int project, milestone, planned, actual; /* public fields; planned and actual are dates */
    const char *date, *delay;                /* of no field and no queryable */
    const char *where;
};

enum odp_source_type { ODP_SOURCE_CSV, ODP_SOURCE_SHAPEFILE };

struct odp_resource {
    const struct odp_dataset *dataset;
    const char *name;
    const char *title_text;
    struct odp_text title, description;
    const char *path;     /* relative, safe */
    const char *encoding; /* "utf-8" by default */
    bool encoding_declared;
    const char *format; /* as written or NULL */
    int64_t bytes;      /* -1 when absent */
    const char *hash;   /* "sha256:…" or NULL */
    struct odp_dialect dialect;
    struct odp_schema schema;
    struct odp_geometry_spec geometry;
    struct odp_foreign_key *foreign; /* foreignKeys and odp:foreignKeys */
    size_t nforeign;
    struct odp_rule *rules;
    size_t nrules;
    const signed char *severity;     /* overrides by code, or NULL: for odp_diags_set_overrides */
    struct odp_drift drift;          /* odp:drift, its own or the dataset's; defaults where there is none */
    const char *edition;             /* code lists: as dataset.json calls it, "2025"; else NULL. The newest is
                                        published under the list's name (NAME), others under this */
    const char *edition_date;        /* code lists: odp:editionDate, or NULL */
    bool has_private;                /* a field is not public: source lines are never quoted */
    bool primary;                    /* the first resource: paths without its name */
    const char *deprecated, *sunset; /* of a further resource: dates, both or neither */
    const char *replaced_by;         /* odp:replacedBy: another resource of the dataset, or NULL */
    struct odp_chart *charts;        /* odp:charts, its own or (of the first) the dataset's */
    size_t ncharts;
    struct odp_measures measures; /* odp:record and odp:highlights, the same */
    struct odp_print_spec print;  /* odp:print, the same; defaults where there is none */
    uint32_t *slices; /* odp:slices, its own or the dataset's: public fields by index; NULL: none */
    uint32_t nslices;
    bool no_search;          /* odp:index: false: no query index is made */
    struct odp_key *indexes; /* odp:index: lists of public fields */
    size_t nindexes;
    int datetime[2]; /* odp:datetime: public date or datetime fields of start and end (the same: an instant);
                        -1: none */
    struct odp_queryable *queryables; /* odp:queryables */
    size_t nqueryables;
    const struct odp_timeline *timeline;   /* odp:timeline, or NULL */
    const struct odp_foreign_key *through; /* see odp_place_through */
    size_t index;                    /* within the whole catalogue: datasets' and lists' resources, 0-based */
    const struct odp_limits *limits; /* the portal's; NULL: the usual ones (odp_limits_of) */
    const char *where;
    const json_t *json;
};

/* Whether CODE is an error in R's data by odp:severity: then they are not published. */
bool odp_resource_refuses(const struct odp_resource *r, enum odp_code code);

/* As dataset.json calls R. */
static inline const char *odp_resource_said(const struct odp_resource *r)
{
    return r->edition != NULL ? r->edition : r->name;
}

static inline const struct odp_limits *odp_limits_of(const struct odp_resource *r)
{
    return r->limits != NULL ? r->limits : &odp_limits_usual;
}

enum odp_dataset_state { ODP_STATE_DRAFT, ODP_STATE_ACTIVE, ODP_STATE_DEPRECATED, ODP_STATE_WITHDRAWN };
extern const char *const odp_dataset_states[]; /* "draft" …; ended by NULL */

/* odp:retention: for how long versions stay. Hours; -1: for ever; 0: none are kept. Without it all versions
 * stay. */
struct odp_retention {
    bool present;
    int64_t all;           /* every version that is younger than this */
    int64_t hourly, daily; /* then the last of each hour, of each day */
};

/* odp:formerSlugs: an address the dataset had. */
struct odp_former_slug {
    const char *slug, *sunset; /* "YYYY-MM-DD": the address answers 308 until then */
};

/* odp:labels of a code list: which of its fields name the codes, and how the names are to read. */
enum odp_labels_casing { ODP_LABELS_AS_WRITTEN, ODP_LABELS_TITLE };
struct odp_labels_spec {
    const char *name, *name_en; /* NULL: "nama", else the first text besides the code; "nama_en" */
    enum odp_labels_casing casing;
    struct odp_strings keep; /* words that are written as they stand here */
};
/* What the names of columns with labels end in: "_nama", "_nama_en"; by enum odp_lang. */
extern const char *const odp_label_suffix[ODP_LANGS];

struct odp_dataset {
    const char *slug; /* "kumuh"; of a code list "kabkota": no dataset has the same */
    const char *path; /* its folder in the catalogue, and what keys call it: "kumuh", "references/kabkota" */
    bool reference;   /* a code list. Its resources are its editions, the newest first */
    int64_t order;    /* odp:order; INT64_MAX when absent */
    struct odp_text title, description;
    struct odp_strings formats; /* of odp_format_names, in the entry's order */
    const char *last_update;    /* "2024-03-15" or NULL when taken from a field */
    int last_update_field;      /* index into resources[0].schema, or -1 */
    const char *frequency;
    enum odp_dataset_state state;
    bool draft;                      /* of a preview: shown, so active, but a draft */
    const char *deprecated, *sunset; /* odp:deprecated, odp:sunset: dates or NULL */
    const char *replaced_by;         /* odp:replacedBy: a slug or NULL */
    struct odp_former_slug *former;  /* odp:formerSlugs */
    size_t nformer;
    struct odp_text correction; /* odp:correction; empty: none */
    struct odp_retention retention;
    const struct odp_subject **subjects; /* odp:subjects */
    size_t nsubjects;
    struct odp_drift drift;        /* odp:drift */
    struct odp_labels_spec labels; /* odp:labels of a code list */
    bool places;          /* odp:places of a code list: its codes are places, with pages of their own */
    bool boundaries;      /* odp:boundaries of a code list: geometries of the places of another one */
    int64_t notify_every; /* odp:notifyEvery: at least so many seconds between notices of new versions; 0:
                             each at once */
    struct odp_resource *resources;
    size_t nresources;
    const char *dir;       /* folder of dataset.json */
    const char *root;      /* the catalogue's folder: links in DIR may not lead out of it. NULL: anywhere */
    const char *file;      /* path of dataset.json as shown in messages */
    struct odp_slice text; /* its bytes, for positions */
    const json_t *json;    /* the whole descriptor */
};
static inline bool odp_dataset_is_published(const struct odp_dataset *d)
{
    return d->state == ODP_STATE_ACTIVE || d->state == ODP_STATE_DEPRECATED;
}

struct odp_tier {
    const char *name; /* "public" */
    struct odp_text title, support;
    int64_t daily;      /* requests a day; -1 = unlimited */
    int64_t burst;      /* requests a second */
    int64_t concurrent; /* queries at once */
    int64_t price;      /* rupiah */
    int64_t webhooks;   /* subscriptions an account may have; ODP_WEBHOOKS_ANY, ODP_WEBHOOKS_UNSAID */
};
#define ODP_WEBHOOKS_ANY    (-1) /* null: any number */
#define ODP_WEBHOOKS_UNSAID (-2) /* absent: the gateway's default */

/* A subject area: portal.json's "subjects". */
struct odp_subject {
    const char *name; /* "kumuh" */
    struct odp_text title;
    const char *theme; /* code of the EU's data themes ("SOCI"), or NULL */
};

enum { ODP_CLIENT_NAMES = 3 };

/* How hard a file's twins are compressed: gzip 1 to 9, brotli 1 to 11; 0: there is none. */
struct odp_levels {
    int64_t gzip, br;
};
/* "compression": the levels of files. */
struct odp_compression {
    struct odp_levels usual, pages, large; /* PAGES: further pages of the API, unless these are small */
    int64_t large_above;                   /* bytes: a file of more is LARGE */
};
extern const struct odp_compression odp_compression_usual;

struct odp_portal {
    struct odp_text title, publisher, legal_basis;
    const char *base_url; /* ends in '/' */
    const char *time_zone;
    const signed char *severity; /* odp:severity for all datasets; NULL: none */
    struct odp_text license_title;
    const char *license_name, *license_path;
    int64_t page_records, page_bytes; /* 1000, 1048576 */
    struct odp_compression compression;
    struct odp_limits limits; /* "limits": of what comes from outside */
    bool has_bbox;
    double bbox[4]; /* default permitted box for geometries */
    struct odp_tier *tiers;
    size_t ntiers;
    struct odp_subject *subjects; /* in portal.json's order */
    size_t nsubjects;
    const char *
        *approval_keys; /* approval.keys: minisign public keys ("RW…"); none: no approval is asked for */
    size_t napproval_keys;
    const char *security_expires; /* security.expires (security.h), or NULL; and its place in portal.json */
    uint32_t security_line, security_column;
    const char *clients[ODP_CLIENT_NAMES]; /* clients.javascript, .python, .php: names of the client
                                              libraries' packages; NULL: not named */
    const json_t *json;
};

struct odp_release {
    const char *version, *date;
    struct odp_text *changes;
    size_t nchanges;
};

struct odp_cross_rule; /* a rule across datasets (cross.h) */

struct odp_catalog {
    struct odp_arena arena;
    const char *dir;
    const char *root;  /* the folder that links may not lead out of: dir; NULL: anywhere */
    const char *share; /* folder of the portal's templates and assets ("…/share/odp/portal"), set by who
                          opened it; NULL: no pages */
    bool preview;      /* set by who opened it: the site shows drafts, and may not be published */
    struct odp_portal portal;
    struct odp_theme theme;       /* theme.json */
    struct odp_dataset *datasets; /* by (order, slug), then the code lists by slug */
    size_t ndatasets, nlists;     /* nlists: so many of them are code lists */
    struct odp_release *releases; /* newest first */
    size_t nreleases;
    struct odp_cross_rule *cross; /* rules.json, in its order */
    size_t ncross;
    size_t nresources;                     /* of datasets and code lists: the bound of odp_resource.index */
    const struct odp_resource **resources; /* all, by index */
    const struct odp_resource *
        *order;            /* all, so that targets of foreign keys come first (cycles: by index) */
    struct odp_map slugs;  /* numbers of datasets; empty: none of them (odp_catalog_index) */
    struct odp_map fields; /* names of public fields of published datasets … */
    struct odp_field_meaning **meanings; /* … and what they mean, by number of the name */
};

/* What a name stands for in some datasets: a type and a unit. */
struct odp_field_meaning {
    const struct odp_field *field;           /* of FIRST */
    const struct odp_dataset *first, *other; /* by their order; NULL: no other */
    struct odp_field_meaning *next;
};

/* Once the order is known: which keys lead to records with places (odp_place_through). */
void odp_catalog_link_places(struct odp_catalog *c);
/* Fills the tables that odp_catalog_find and odp_catalog_other_meaning look into: once all datasets are
 * there. */
void odp_catalog_index(struct odp_catalog *c);

/* "kumuh", "kabkota", "references/kabkota"; or NULL. */
struct odp_dataset *odp_catalog_find(const struct odp_catalog *c, const char *slug);
/* The first published dataset but D, no code list, whose public field of F's name has another type or
 * unit; NULL: none. */
const struct odp_dataset *odp_catalog_other_meaning(const struct odp_catalog *c, const struct odp_dataset *d,
                                                    const struct odp_field *f);
/* The nearest slug (or path of a code list) by edit distance, or NULL when none is near. */
const char *odp_catalog_nearest(const struct odp_catalog *c, const char *slug);

/* A resource's file: SOURCES/<slug>/<path>, or in the dataset's own folder if SOURCES is NULL. Code lists are
 * always in the catalogue. */
char *odp_dataset_source_dir(const struct odp_dataset *d, const char *sources,
                             struct odp_arena *a) ODP_MUST_USE;
char *odp_resource_source(const struct odp_resource *r, const char *sources,
                          struct odp_arena *a) ODP_MUST_USE;

/* Once the catalogue is open: the key of R's places, which are codes in a public field, of a code list
 * with odp:places, rather of one that has places above it (a regency, whose list has a key to provinces).
 * NULL: none. Of such a list: the key to the places above. */
const struct odp_foreign_key *odp_place_key(const struct odp_resource *r);
/* The public key of R, which has no places itself, to records that have (a risk's, to its project): one
 * step, to a table that is read before R and published. NULL: none. */
const struct odp_foreign_key *odp_place_through(const struct odp_resource *r);
/* The key of R's places, be it its own or that of the records it leads to. NULL: none. */
const struct odp_foreign_key *odp_place_of(const struct odp_resource *r);
/* The edition of the list of places that R, of a list with odp:boundaries, draws; NULL: R is none. */
const struct odp_resource *odp_boundaries_of(const struct odp_resource *r);
/* The table with the boundaries of R's places, else of the places above them; NULL: nobody has drawn them,
 * or R draws places itself. */
const struct odp_resource *odp_boundaries_for(const struct odp_catalog *c, const struct odp_resource *r);

/* The three numbers of a release: "2.5.0". False (and OUT as it was, or in part): not of that form. */
bool odp_release_numbers(const char *version, uint64_t out[3]);
