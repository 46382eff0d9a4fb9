/* Inside of site/clients: what there is to call, as people read of it. One source
 * (templates/clients/reference.json, written by hand in both languages) for the READMEs in the packages
 * (readme.c) and for the portal (odp_client_description).
 *
 * reference.json:
 *   guide      chapters {id, title, body: [block…]}: what a user does with the library, with whole programs
 *   reference  sections {id, title, text?, entries: [{id, title, text, signature, options, returns, errors,
 * example, symbols}…]}: every public member brief      {dataset, resource}: the shortest program that reads
 * one, for the page of each dataset kinds      the errors, by kind: {id, name, parent, text, status?} A text
 * is {id, en} in Markdown: paragraphs, "- " lists, `code`, [labels](addresses). A block is one of {text},
 * {shell} (lines for a terminal), {example} (of templates/clients/<language>/examples) and {code}; it may say
 * `only`: a language or several, and `needs`: a mark without which it is left out. What is said by language
 * is {"javascript": …, "python": …, "php": …}. Marks (@PACKAGE@ …: describe.c) are filled in; in a text their
 * values are escaped. */
#ifndef ODP_SITE_CLIENTS_DESCRIBE_H
#define ODP_SITE_CLIENTS_DESCRIBE_H

#include "published/doc.h"
#include "site/clients/clients_internal.h"

/* What reference.json says for L and this catalogue: {language, label, package, module, requires, guide:
 * [{id, title, body: [{text} | {shell} | {code, name, file}]}], reference: [{id, title, text?, entries: [{id,
 * title, text, signature, options: [{name, type, default?, text}], options_of?, returns?: {type, text?},
 * errors: [names], example?}]}], errors: [{name, parent?, status?, text}], datasets: [{slug, accessor, type,
 * title, page, brief, resources: [{name, type, title, brief}]}]}. A chapter or block that this catalogue has
 * nothing for is not there. FAIL: no memory, or reference.json is wrong (failure set). *OUT is the caller's.
 */
enum odp_status client_describe(json_t **out, const struct client_model *m,
                                enum odp_client_language l) ODP_MUST_USE;

/* Markdown's own characters in TEXT with a backslash before them; line ends become spaces. */
void client_markdown_text(struct odp_buffer *out, const char *text);

#endif
