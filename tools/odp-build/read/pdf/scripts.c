/* Programs inside of a PDF: JavaScript, and actions that start something. Where readers look for them (ISO
 * 32000-1, 12.6 and 7.7.3): the catalogue's names, open action, additional actions and form; actions of pages
 * and of their annotations. */
#include "read/pdf/pdf_internal.h"

/* Actions that follow one another (/Next), looked at. A chain may be a ring. */
#define CHAIN 64

qpdf_oh odp_document_get(qpdf_data q, qpdf_oh dict, const char *key)
{
    return qpdf_oh_is_dictionary(q, dict) ? qpdf_oh_get_key(q, dict, key) : qpdf_oh_new_null(q);
}

static bool is_script(qpdf_data q, qpdf_oh action)
{
    qpdf_oh kind = odp_document_get(q, action, "/S");
    bool found = qpdf_oh_is_name_and_equals(q, kind, "/JavaScript") ||
                 qpdf_oh_is_name_and_equals(q, kind, "/Launch") ||
                 qpdf_oh_is_name_and_equals(q, kind, "/Rendition") ||
                 qpdf_oh_is_name_and_equals(q, kind, "/ImportData");
    qpdf_oh_release(q, kind);
    return found;
}

/* ACTION, the ones that follow it, and its siblings in a list. Takes the handle. */
static bool chain_has_script(qpdf_data q, qpdf_oh action)
{
    bool found = false;
    for (int i = 0; i < CHAIN && !found; i++) {
        if (qpdf_oh_is_array(
                q, action)) { /* the first of a list goes on, the others are looked at by themselves */
            int n = qpdf_oh_get_array_n_items(q, action);
            for (int k = 0; k < n && k < CHAIN && !found; k++) {
                qpdf_oh item = qpdf_oh_get_array_item(q, action, k);
                found = is_script(q, item);
                qpdf_oh_release(q, item);
            }
            qpdf_oh first = n > 0 ? qpdf_oh_get_array_item(q, action, 0) : qpdf_oh_new_null(q);
            qpdf_oh_release(q, action);
            action = first;
        }
        found = found || is_script(q, action);
        qpdf_oh next = odp_document_get(q, action, "/Next");
        qpdf_oh_release(q, action);
        action = next;
        if (qpdf_oh_is_null(q, action))
            break;
    }
    qpdf_oh_release(q, action);
    return found;
}

/* Is there a dictionary that names the action KEY of DICT (or, of an additional-actions dictionary, any of
 * its) as JavaScript or as a program to be started? */
static bool has_action(qpdf_data q, qpdf_oh dict)
{
    /* Events of additional actions: of the catalogue, of pages, of annotations, of fields (12.6.3). */
    static const char *const events[] = {"/WC", "/WS", "/DS", "/WP", "/DP", "/O",  "/C",  "/E", "/X", "/D",
                                         "/U",  "/Fo", "/Bl", "/PO", "/PC", "/PV", "/PI", "/K", "/F", "/V"};
    bool found = chain_has_script(q, odp_document_get(q, dict, "/A"));
    qpdf_oh more = odp_document_get(q, dict, "/AA");
    if (qpdf_oh_is_dictionary(q, more))
        for (size_t i = 0; i < ODP_COUNT(events) && !found; i++)
            found = chain_has_script(q, odp_document_get(q, more, events[i]));
    qpdf_oh_release(q, more);
    return found;
}

/* A field and its kids: only the topmost are asked, for those below are annotations of pages, too. */
static bool form_has_scripts(qpdf_data q, qpdf_oh root)
{
    qpdf_oh form = odp_document_get(q, root, "/AcroForm"), fields = odp_document_get(q, form, "/Fields");
    bool found = false;
    int n = qpdf_oh_is_array(q, fields) ? qpdf_oh_get_array_n_items(q, fields) : 0;
    for (int i = 0; i < n && i < ODP_DOCUMENT_PAGES_MAX && !found; i++) {
        qpdf_oh field = qpdf_oh_get_array_item(q, fields, i);
        found = has_action(q, field);
        qpdf_oh_release(q, field);
    }
    qpdf_oh_release(q, fields);
    qpdf_oh_release(q, form);
    return found;
}

bool odp_document_root_has_scripts(qpdf_data q, qpdf_oh root)
{
    qpdf_oh names = odp_document_get(q, root, "/Names"), scripts = odp_document_get(q, names, "/JavaScript");
    bool found = !qpdf_oh_is_null(q, scripts);
    qpdf_oh_release(q, scripts);
    qpdf_oh_release(q, names);
    return found || chain_has_script(q, odp_document_get(q, root, "/OpenAction")) || has_action(q, root) ||
           form_has_scripts(q, root);
}

bool odp_document_page_has_scripts(qpdf_data q, qpdf_oh page, int *budget)
{
    bool found = has_action(q, page);
    qpdf_oh list = odp_document_get(q, page, "/Annots");
    int n = qpdf_oh_is_array(q, list) ? qpdf_oh_get_array_n_items(q, list) : 0;
    for (int i = 0; i<n && * budget> 0 && !found; i++, --*budget) {
        qpdf_oh annotation = qpdf_oh_get_array_item(q, list, i);
        found = has_action(q, annotation);
        qpdf_oh_release(q, annotation);
    }
    qpdf_oh_release(q, list);
    return found;
}
