/* A resource's records as a printed document: a tagged PDF with cover, brief, charts, contents, records,
 * meaning of the fields. In Indonesian, with English added on the cover and in the fields' explanations. */
#pragma once

#include "write/charts/chart.h"

struct odp_print_job {
    const struct odp_catalog *catalog;
    const struct odp_resource *resource;
    bool has_geometry;
    const char *version, *date; /* date: "2024-03-15…" */
    const char *slice_field;    /* NULL, or the field whose value all records have */
    struct odp_slice slice_value;
    const struct odp_code_lists *codes;  /* or NULL */
    const char *page;                    /* address of the version on the dataset's page: the QR code */
    const char *url;                     /* permanent address of the version's data */
    const char *digest;                  /* "sha256:…" of the version's content */
    const char *summary;                 /* the version's summary (write/summary), JSON; NULL: no brief */
    const char *before, *before_version; /* that of the version before, and its name; NULL: none */
    const char *base; /* address of the version's folder, ends in '/': values of odp:document are below it */
    uint64_t total;   /* records of the version */
    /* The first of them. A row is schema.n cells (ptr NULL: null or not public), then, with a geometry, lon
     * and lat (or label_lon, label_lat, geometry_type), as in CSV. */
    const struct odp_slice *cells;
    uint64_t rows;
    uint32_t columns;                     /* cells a row */
    struct odp_chart_data *const *charts; /* finished */
    size_t ncharts;
};

/* The whole file in OUT. The same job gives the same bytes. FAIL: fonts, memory, a library. */
enum odp_status odp_print_pdf(const struct odp_print_job *job, struct odp_buffer *out) ODP_MUST_USE;
