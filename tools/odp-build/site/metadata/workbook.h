/* Inside of site/metadata: a workbook of one sheet, made of JSON, checked and staged. Nothing of it depends
 * on the clock. */
#ifndef ODP_SITE_METADATA_WORKBOOK_H
#define ODP_SITE_METADATA_WORKBOOK_H

#include "site/metadata/metadata_internal.h"

/* PAGE of templates/documents with DATA (taken), as katalog/<slug>/<PAGE>.xlsx. The page's JSON:
 *   {"sheet", "title", "about", "note", "paper": 9 | 8 (A4, A3), "freeze": [row, column] (may be absent),
 * "columns": [{"title", "width", "label"?}], "facts": [["Walidata", "…"]], "rows": [{"section"?: true,
 * "cells": ["…", 1]}]} DOCUMENT: what the workbook's properties say of its dataset. */
enum odp_status workbook_put_take(struct odp_metadata *m, const char *page, const json_t *document,
                                  json_t *data) ODP_MUST_USE;

#endif
