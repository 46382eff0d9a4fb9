/* Inside of site/metadata: what its files share. */
#pragma once

#include "base/template/template.h"
#include "published/paths.h"
#include "site/metadata/metadata.h"

struct odp_metadata {
    const struct odp_site_job *job;
    const struct odp_catalog *catalog;
    const char *base;                 /* ends in '/' */
    struct odp_templates *templates;  /* templates/documents */
    json_t *portal;                   /* what every document may ask for (model/portal.json) */
    struct metadata_painter *painter; /* picture.c; NULL: nothing was drawn yet */
    enum odp_status status;           /* the first failure stays, and later documents are not made */
    struct odp_arena arena;
};

/* ---- documents.c ---- */
/* In the arena. */
#define metadata_printf(m, ...) odp_arena_printf(&(m)->arena, __VA_ARGS__)
/* "katalog/<slug>" + REST, in the arena: the place of a dataset's documents for machines; not
 * data/<slug>/latest/, whose files are those of a version. */
const char *metadata_beside_page(struct odp_metadata *m, const char *slug, const char *rest);
/* {"entries", "modified"}: what documents of the whole catalogue say. */
json_t *metadata_of_all(const struct odp_metadata *m);
/* Appends PAGE of templates/documents with DATA (taken; NULL: only the portal) to OUT. */
void metadata_render_take(struct odp_metadata *m, const char *page, enum odp_lang lang, json_t *data,
                          struct odp_buffer *out);
/* The same as JSON; NULL: FAIL. */
json_t *metadata_json_take(struct odp_metadata *m, const char *page, enum odp_lang lang, json_t *data);
/* The same, staged at PATH. */
void metadata_put_take(struct odp_metadata *m, const char *page, const char *path, const char *type,
                       json_t *data);
void metadata_put_json_take(struct odp_metadata *m, const char *path, const char *type, json_t *value);

/* ---- the documents ---- */
/* The graph of dcat.jsonld, as it is written: its catalogue's nodes, then those of the datasets, then TERMS
 * of other vocabularies, {address: text}. */
struct metadata_dcat {
    struct odp_buffer graph;
    json_t *terms;
};
struct metadata_dcat metadata_dcat_begin(struct odp_metadata *m);
/* What the graph has of the dataset of DOCUMENT, appended to TEXTS, the text of its part. */
void metadata_dcat_make(struct odp_metadata *m, json_t *document, struct odp_buffer *texts);
void metadata_dcat_add(struct metadata_dcat *d, struct odp_slice texts);
/* Stages and releases D. */
void metadata_dcat_end(struct odp_metadata *m, struct metadata_dcat *d);
void metadata_sheets(struct odp_metadata *m, json_t *document, const json_t *entry);
/* What feed.xml says of the newest version of ENTRY, appended to TEXTS, the text of its part. */
void metadata_feed_make(struct odp_metadata *m, const json_t *entry, struct odp_buffer *texts);
/* feed.xml; NEWEST: what metadata_feed_make has said of each entry. */
void metadata_feed(struct odp_metadata *m, const char *const *newest);
void metadata_dataset_feed(struct odp_metadata *m, json_t *document);
void metadata_well_known(struct odp_metadata *m);
void metadata_picture(struct odp_metadata *m, const json_t *entry);
void metadata_portal_picture(struct odp_metadata *m);
void metadata_painter_close(struct metadata_painter *p);

/* A workbook of one sheet, made of JSON, checked and staged; nothing of it depends on the clock. PAGE of
 * templates/documents with DATA (taken), as katalog/<slug>/<PAGE>.xlsx. The page's JSON:
 *   {"sheet", "title", "about", "note", "paper": 9 | 8 (A4, A3), "freeze": [row, column] (may be absent),
 *    "columns": [{"title", "width", "label"?}], "facts": [["Walidata", "…"]],
 *    "rows": [{"section"?: true, "cells": ["…", 1]}]}
 * DOCUMENT: what the workbook's properties say of its dataset. */
void metadata_workbook_take(struct odp_metadata *m, const char *page, const json_t *document, json_t *data);
