/* Inside of write: what cairo 1.16 cannot write, added with qpdf: the document's language (/Lang), XMP
 * metadata, DisplayDocTitle, /Scope of TH, /Alt of figures, an /ID made of the content. */
#pragma once

#include "base/buffer.h"

struct odp_figure {
    const char *alternative;
};
struct odp_finish {
    const char *lang; /* "id-ID" */
    const char *title, *title_en;
    const char *description, *publisher, *licence_url, *url, *digest;
    const char *date;                 /* "2024-03-15": of creation and modification */
    const struct odp_figure *figures; /* the structure tree's elements of type Figure, in order */
    size_t nfigures;
};
/* PDF as cairo wrote it; the finished one in OUT. FAIL also when the number of figures is not that of the
 * structure tree. */
enum odp_status odp_print_finish(const struct odp_buffer *pdf, const struct odp_finish *f,
                                 struct odp_buffer *out) ODP_MUST_USE;
