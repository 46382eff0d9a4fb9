/* The formats that a dataset can offer, and the files of each: contract/formats.def as data. */
#pragma once

#include "base/slice.h"
#include "base/text.h"

/* By what a file's records are read back (published/reading.h). PAGES are the API's, which are no download;
 * LINES is a record a line and nothing else. */
enum odp_form {
    ODP_FORM_NONE = -1,
    ODP_FORM_JSON,
    ODP_FORM_GEOJSON,
    ODP_FORM_CSV,
    ODP_FORM_PAGES,
    ODP_FORM_LINES
};

enum odp_format {
#define ODP_FORMAT(symbol, ...) ODP_FORMAT_##symbol,
#define ODP_FORMAT_ALSO(...)
#include "contract/formats.def"
#undef ODP_FORMAT
#undef ODP_FORMAT_ALSO
    ODP_FORMATS
};
/* As odp:formats lists them; ended by NULL. */
extern const char *const odp_format_names[ODP_FORMATS + 1];

/* A file of a format, or what else an emitter writes: then FORMAT is NULL, and nothing is said behind the
 * media type. */
struct odp_format_file {
    const char *format;     /* "CSV" */
    const char *name;       /* "excel.csv" */
    const char *extension;  /* ".excel.csv" */
    const char *media_type; /* with its parameters */
    const char *file_type;  /* of the EU's list: "CSV" */
    bool needs_geometry;
    enum odp_form form; /* NONE: it cannot be read back */
    struct odp_text label, use;
};

enum {
#define ODP_FORMAT(symbol, emitter, ...)      ODP_FILE_##emitter,
#define ODP_FORMAT_ALSO(symbol, emitter, ...) ODP_FILE_##emitter,
#include "contract/formats.def"
#undef ODP_FORMAT
#undef ODP_FORMAT_ALSO
    ODP_FORMAT_FILES
};
extern const struct odp_format_file odp_format_files[ODP_FORMAT_FILES]; /* by ODP_FILE_<emitter> */

/* The file called NAME ("excel.csv"); NULL: no format has one. */
const struct odp_format_file *odp_format_file_find(struct odp_slice name);
/* Whether FORMAT, as odp:formats has it, has a file that takes nothing but geometries. */
bool odp_format_needs_geometry(struct odp_slice format);
/* Whether programs can read the records of FORMAT: it has a file that is read back. */
bool odp_format_is_readable(struct odp_slice format);
