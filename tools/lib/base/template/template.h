/* Logic-less templates (Mustache's semantics) with escaping by context, checked when they are loaded.
 *
 * A set is a folder of ours and folders that win over it, file by file (a ministry's own look), each with
 *
 *   pages/<name>.html   or <name>.id.html and <name>.en.html, one for each language; .xml, .txt, .json
 *   parts/<name>.html   {{> name}}: included at load; the context (inside which element) flows through
 *   words/<any>.json    {"key": {"id": "…", "en": "…"}}: {{w.key}} in the page's language; a key of a folder
 *                       that wins replaces ours; {name} and {name|filter} in a word are values
 *
 * A compiled-in set has parts and words in deeper folders too, and any other file in a folder is a page
 * named by its whole path ("python/datasets.py"; without a model it has COMMON).
 *
 * Tags: {{name}} {{a.b}} {{.}} {{{name}}} {{&name}} {{#name}}…{{/name}} {{^name}}…{{/name}} {{! comment}}
 * {{> part}}. Sections: an array (once an element, which becomes the innermost scope), an object (its
 * members become the innermost scope), a text that is not empty, true. No lambdas, no other delimiters. A
 * tag alone on its line (sections, comments, parts) takes the line with it, and a part is indented like
 * its tag.
 *
 * Every name is checked against a MODEL when the set is opened, so a page cannot use a name that never
 * exists. A model is JSON:
 *
 *   "text"     {{name}}, escaped for its place
 *   "flag"     true or false, absent is false: sections only
 *   "both"     {"id": "…", "en": "…"} or a text: {{name}} is that of the page's language, or the other where
 *              it has none; a section asks whether there is any
 *   "number"   an integer or a decimal: {{name}} writes its digits; a section asks whether it exists
 *   "html"     markup that the compiler made, a text or {"id", "en"}: {{{name}}} in text of an element only
 *   "json"     any value: {{{name}}} as the whole of <script type="application/ld+json"> or
 *              "application/json"; written so that it cannot end the element
 *   "code"     a piece of a program (an identifier, a type): {{{name}}} in a form without markup
 *   {…}        an object: members by name; [m]: an array of m
 *   "text?"    may be absent (a section around it asks); an object that may be absent has a member "?": true;
 *              an array is never absent, it is empty
 *
 * A value may go through a filter, {{name|filter}}: day (2024-03-15 as 15 Maret 2024), number (1204 as
 * 1.204), size (bytes as 984,5 KB), id, en (of "both": that language), both ("Indonesian / English", once
 * where they are the same), word PREFIX (the word PREFIX + value, or the value without such a word),
 * percent (as a part of an address), markup (as HTML, before the page escapes it: HTML that is shown to be
 * copied), line (one line, for a comment in code that nothing in it can end). In the section of a list,
 * {{#-first}}, {{#-last}} and their {{^…}} ask whether the item is the first, or the last.
 *
 * Contexts of HTML: text of an element, attribute in quotes (double or single), URL (href, src, action,
 * formaction, poster, cite, data, srcset of one address; an address that begins with a scheme other than
 * http, https, mailto, tel — or data:image/ in src — becomes "#"). Refused: style attributes, <style> and
 * <script> (but the JSON above), an attribute without quotes, a name of an element or attribute, a
 * comment. .xml pages: text and attributes of XML; .txt pages: nothing is escaped. .json pages: values are
 * in quotes, {{{json}}} and numbers without them; a comma before ] or } is left out, so that members and
 * items may be optional.
 *
 * Programs (.py .js .mjs .ts .toml: as the inside of a literal in double quotes; .php: of one in single
 * quotes) and .md (Markdown's own signs) have no contexts: {{name}} is escaped in that one way everywhere.
 *
 * Errors, with file, line and column (ODP-C25): unclosed or crossed section, unknown name, unknown part, a
 * part that includes itself, a misplaced value, unbalanced braces, not UTF-8, an unknown word. All faults
 * of a set are reported, not the first alone. */
#pragma once

#include <jansson.h>

#include "base/buffer.h"
#include "base/diag.h"

struct odp_templates;

struct odp_template_model {
    const char *page;    /* "dataset": of pages/dataset*.html; every page of the folders must have one */
    const json_t *names; /* an object; next to it every page has COMMON */
};

/* A file that is compiled in (odp_compile_in_templates in tools/cmake/rooms.cmake). */
struct odp_template_text {
    const char *path; /* "pages/report.html", "parts/…", "words/…" */
    const unsigned char *text;
};

struct odp_templates_options {
    const char *const *folders; /* those that win first, ours last; a missing one is skipped */
    size_t nfolders;
    const struct odp_template_text
        *texts;           /* compiled-in files, after all folders; ends with a path of NULL; may be NULL */
    const json_t *common; /* model of the names that every page has */
    const struct odp_template_model *models;
    size_t nmodels;
    bool proven; /* the same files were opened before without a fault: each is read, and a page compiled, when
                  * it is first rendered, by one thread at a time */
};

/* OK; BAD: faults, reported; FAIL. Texts are borrowed until close. */
enum odp_status odp_templates_open(struct odp_templates **out, const struct odp_templates_options *o,
                                   struct odp_diags *diags) ODP_MUST_USE;
void odp_templates_close(struct odp_templates *t);
/* Whether there is a page of that name. */
bool odp_templates_has(const struct odp_templates *t, const char *page);
/* PAGE in LANG, appended. SCOPES: objects, the innermost last; a name is searched from there outwards. Data
 * that lack what the model promises are our mistake: FAIL, and the failure names page and name. Any thread,
 * but of a set that is proven. */
enum odp_status odp_templates_render(struct odp_templates *t, const char *page, enum odp_lang lang,
                                     const json_t *const *scopes, size_t n,
                                     struct odp_buffer *out) ODP_MUST_USE;
/* The word KEY, or NULL. */
const char *odp_templates_word(const struct odp_templates *t, const char *key, enum odp_lang lang);
/* All words whose keys begin with PREFIX, for a script, as members of INTO. */
enum odp_status odp_templates_words(const struct odp_templates *t, const char *prefix, enum odp_lang lang,
                                    json_t *into) ODP_MUST_USE;

/* A set that is compiled in whole (TEXTS; MODELS: JSON, an object of pages' models, and of what all pages
 * have as "common"). What is wrong with it is our own mistake: OK or FAIL. */
enum odp_status odp_templates_open_made(struct odp_templates **out, const struct odp_template_text *texts,
                                        const unsigned char *models) ODP_MUST_USE;
/* PAGE of such a set, written of M, which it takes; appended to OUT. The set is opened for each page: for
 * what a run writes once. */
enum odp_status odp_templates_write(const struct odp_template_text *texts, const unsigned char *models,
                                    const char *page, enum odp_lang lang, json_t *m,
                                    struct odp_buffer *out) ODP_MUST_USE;
