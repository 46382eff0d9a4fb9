/* Inside of write: chunks of JSON records, made once for the download and the API's pages. */
#pragma once

#include "write/record.h"

/* The file's beginning; the records follow, without the comma of the first. */
#define ODP_JSON_HEAD "{\"data\":["
/* The name of such chunks (see odp_emitter.form); LABELS: with the columns that JOB has of them. */
const char *odp_json_form(const struct odp_emit_job *job, enum odp_geometry_mode mode, bool labels);
/* ",\n{…}" for each good record; PLAN has the lead ",\n". */
enum odp_status odp_json_format(const struct odp_json_plan *plan, const struct odp_batch *b,
                                struct odp_chunk *out) ODP_MUST_USE;
