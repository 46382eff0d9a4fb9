/* Field types: the rows of contract/types.def. The family says how values are read. */
#pragma once

#include "base/datetime.h"
#include "base/diag.h"

enum odp_type {
#define ODP_FIELD_TYPE(id, ...) ODP_TYPE_##id,
#include "contract/types.def"
#undef ODP_FIELD_TYPE
    ODP_TYPE_COUNT
};

/* A value's form in JSON: decides quoting in every text format. */
enum odp_repr {
    ODP_REPR_STRING,
    ODP_REPR_LITERAL, /* number, boolean, year: as it is */
    ODP_REPR_JSON,    /* object, array, geopoint: as it is */
};

enum odp_family {
    ODP_FAMILY_TEXT,
    ODP_FAMILY_NUMBER,
    ODP_FAMILY_TRUTH,
    ODP_FAMILY_DATE,
    ODP_FAMILY_DURATION,
    ODP_FAMILY_LIST,
    ODP_FAMILY_POINT,
    ODP_FAMILY_GEOJSON,
    ODP_FAMILY_JSON,
    ODP_FAMILY_ANY,
    ODP_FAMILIES
};

/* A column of an index; DATED is text of letters and digits that sorts as the dates do. */
enum odp_storage {
    ODP_STORAGE_TEXT,
    ODP_STORAGE_WHOLE,
    ODP_STORAGE_DECIMAL,
    ODP_STORAGE_TRUTH,
    ODP_STORAGE_INSTANT,
    ODP_STORAGE_DATED,
    ODP_STORAGES
};

/* A cell of a workbook. */
enum odp_cell_look {
    ODP_SHEET_TEXT,
    ODP_SHEET_NUMBER,
    ODP_SHEET_YEAR,
    ODP_SHEET_BOOLEAN,
    ODP_SHEET_DATE,
    ODP_SHEET_TIME,
    ODP_SHEET_DATETIME,
    ODP_SHEETS
};

struct odp_field_type {
    const char *name; /* "string" */
    enum odp_family family;
    enum odp_date_kind date; /* of ODP_FAMILY_DATE; else ODP_DATE */
    const char *shape;       /* of ODP_FAMILY_DATE: "YYYY-MM-DD" */
    enum odp_repr repr;
    enum odp_storage storage;
    enum odp_cell_look sheet;
    const char *cell_format; /* NULL: text */
    const char *json_type, *json_format, *json_pattern;
    const char *python, *python_where, *python_convert, *php, *typescript;
    struct odp_text label, hint;
    bool plain, ordered, counted, item, patterned;
};
extern const struct odp_field_type odp_field_types[ODP_TYPE_COUNT];

static inline const struct odp_field_type *odp_field_type(enum odp_type t)
{
    return &odp_field_types[t];
}

static inline enum odp_family odp_type_family(enum odp_type t)
{
    return odp_field_types[t].family;
}

static inline enum odp_repr odp_type_repr(enum odp_type t)
{
    return odp_field_types[t].repr;
}

/* Whether T is number or integer: written with a decimal sign and groups, computed with. */
static inline bool odp_type_is_number(enum odp_type t)
{
    return odp_field_types[t].family == ODP_FAMILY_NUMBER;
}

/* Of numbers: those with decimals, and those without. */
static inline bool odp_type_is_decimal(enum odp_type t)
{
    return odp_type_is_number(t) && odp_field_types[t].storage == ODP_STORAGE_DECIMAL;
}
static inline bool odp_type_is_whole(enum odp_type t)
{
    return odp_type_is_number(t) && odp_field_types[t].storage == ODP_STORAGE_WHOLE;
}

/* Whether values are compared byte by byte: string and any. */
static inline bool odp_type_is_text(enum odp_type t)
{
    return odp_field_types[t].family == ODP_FAMILY_TEXT || odp_field_types[t].family == ODP_FAMILY_ANY;
}

/* "string" …; "" where T is no type. */
const char *odp_type_name(enum odp_type t);
/* The type NAME, or ODP_TYPE_COUNT. */
enum odp_type odp_type_of(struct odp_slice name);
