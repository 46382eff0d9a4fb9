/* Inside of tools/odp-build/read/pdf: walking a hostile PDF with qpdf. Every handle that is taken is given
 * back; nothing recurses. */
#pragma once

#include <qpdf/qpdf-c.h>

#include "read/pdf/document.h"

/* Pages, and what is looked at on them, at most. A file has more only if its lists contain each other. */
#define ODP_DOCUMENT_PAGES_MAX 200000

/* DICT[KEY], or null: qpdf itself warns of what is no dictionary. To be given back. */
qpdf_oh odp_document_get(qpdf_data q, qpdf_oh dict, const char *key);

/* The catalogue's: names, open action, additional actions, form. */
bool odp_document_root_has_scripts(qpdf_data q, qpdf_oh root);
/* The page's: its actions and those of its annotations. BUDGET: annotations that may still be looked at. */
bool odp_document_page_has_scripts(qpdf_data q, qpdf_oh page, int *budget);
