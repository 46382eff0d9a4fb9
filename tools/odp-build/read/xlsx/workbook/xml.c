/* One part of the package as a stream of XML events. No document type is let through, so there are no
 * entities but XML's five; nothing is fetched. What bounds memory: expat holds one token at a time, and a
 * token longer than WB_SILENT_MAX ends the reading. */
#include "read/xlsx/workbook/workbook_internal.h"

#include "words/read.h"

static const char *const namespaces[] = {"http://schemas.openxmlformats.org/spreadsheetml/2006/main",
                                         "http://purl.oclc.org/ooxml/spreadsheetml/main"};

const char *wb_attribute(const char **attributes, const char *name)
{
    for (; attributes[0] != NULL; attributes += 2)
        if (strcmp(attributes[0], name) == 0)
            return attributes[1];
    return NULL;
}

bool wb_is_true(const char *value)
{
    return value != NULL &&
           (strcmp(value, "1") == 0 || strcmp(value, "true") == 0 || strcmp(value, "on") == 0);
}

void wb_xml_pause(struct wb_xml *x)
{
    x->paused = true;
    (void)XML_StopParser(x->parser, XML_TRUE);
}

void wb_xml_stop(struct wb_xml *x, enum odp_workbook_fault_kind kind, const char *id, const char *en)
{
    if (x->status != ODP_OK)
        return;
    x->status = wb_fault(x->in.fault, kind, x->in.name, id, en);
    (void)XML_StopParser(x->parser, XML_FALSE);
}

void wb_xml_fail(struct wb_xml *x)
{
    x->status = ODP_FAIL;
    (void)XML_StopParser(x->parser, XML_FALSE);
}

/* The root decides which prefix is the spreadsheet's. */
static void take_root(struct wb_xml *x, const char *name, const char **attributes)
{
    const char *colon = strchr(name, ':');
    size_t n = colon != NULL ? (size_t)(colon - name) + 1 : 0;
    char declaration[48] = "xmlns";
    if (n >= sizeof(x->prefix)) {
        wb_xml_stop(x, ODP_WORKBOOK_DAMAGED, W_read_xml_not_spreadsheet);
        return;
    }
    memcpy(x->prefix, name, n);
    x->nprefix = n;
    if (x->any_namespace)
        return;
    if (n > 0)
        snprintf(declaration, sizeof(declaration), "xmlns:%.*s", (int)(n - 1), name);
    const char *space = wb_attribute(attributes, declaration);
    if (space == NULL || (strcmp(space, namespaces[0]) != 0 && strcmp(space, namespaces[1]) != 0))
        wb_xml_stop(x, ODP_WORKBOOK_NOT_XLSX, W_read_xml_but_not_spreadsheet);
}

/* The name without the prefix; NULL: of another namespace. */
static const char *local(const struct wb_xml *x, const char *name)
{
    if (x->nprefix == 0)
        return strchr(name, ':') == NULL ? name : NULL;
    return strncmp(name, x->prefix, x->nprefix) == 0 ? name + x->nprefix : NULL;
}

static void XMLCALL on_start(void *data, const XML_Char *name, const XML_Char **attributes)
{
    struct wb_xml *x = data;
    x->silent = 0;
    if (x->status != ODP_OK)
        return;
    if (++x->depth > WB_DEPTH_MAX) {
        wb_xml_stop(x, ODP_WORKBOOK_DAMAGED, W_read_xml_nested_too_deeply);
        return;
    }
    if (x->depth == 1)
        take_root(x, name, attributes);
    if (x->skip != 0 || x->status != ODP_OK)
        return;
    const char *own = local(x, name);
    if (own == NULL || strcmp(own, "extLst") == 0)
        x->skip = x->depth;
    else
        x->events->start(x, own, attributes);
}

static void XMLCALL on_end(void *data, const XML_Char *name)
{
    struct wb_xml *x = data;
    x->silent = 0;
    if (x->status != ODP_OK)
        return;
    if (x->skip == x->depth)
        x->skip = 0;
    else if (x->skip == 0 && x->events->end != NULL)
        x->events->end(x, name + x->nprefix);
    x->depth--;
}

static void XMLCALL on_text(void *data, const XML_Char *s, int n)
{
    struct wb_xml *x = data;
    x->silent = 0;
    if (x->status == ODP_OK && x->skip == 0 && x->events->text != NULL)
        x->events->text(x, s, n);
}

static void XMLCALL on_doctype(void *data, const XML_Char *name, const XML_Char *system,
                               const XML_Char *public_id, int internal)
{
    (void)name, (void)system, (void)public_id, (void)internal;
    wb_xml_stop(data, ODP_WORKBOOK_DAMAGED, W_read_has_dtd_which_not_read);
}

enum odp_status wb_xml_open(struct wb_xml *x, struct odp_workbook *w, const char *part,
                            const struct wb_events *events, void *ctx, struct odp_workbook_fault *fault)
{
    *x = (struct wb_xml){.in = {.w = w, .name = x->name, .fault = fault}, .ctx = ctx, .events = events};
    snprintf(x->name, sizeof(x->name), "%s", part);
    enum odp_status status = wb_entry_open(&x->in);
    if (status != ODP_OK)
        return status;
    x->parser = XML_ParserCreate(NULL);
    if (x->parser == NULL)
        return odp_failure_memory();
    XML_SetUserData(x->parser, x);
    XML_SetElementHandler(x->parser, on_start, on_end);
    XML_SetCharacterDataHandler(x->parser, on_text);
    XML_SetStartDoctypeDeclHandler(x->parser, on_doctype);
    return ODP_OK;
}

/* What the parser said after a piece. OK: more is wanted, or a handler paused. */
static enum odp_status judge(struct wb_xml *x, enum XML_Status said)
{
    if (x->status != ODP_OK)
        return x->status;
    if (said != XML_STATUS_ERROR)
        return ODP_OK;
    if (XML_GetErrorCode(x->parser) == XML_ERROR_NO_MEMORY)
        return x->status = odp_failure_memory();
    return x->status = WB_DAMAGED(x->in.fault, x->in.name, W_read_xml_damaged_cut_off);
}

enum odp_status wb_xml_step(struct wb_xml *x)
{
    enum odp_status status = x->status;
    if (status == ODP_OK && x->paused) {
        x->paused = false;
        status = judge(x, XML_ResumeParser(x->parser));
    }
    while (status == ODP_OK && !x->paused && !x->at_end) {
        size_t got = 0;
        void *buf = XML_GetBuffer(x->parser, WB_CHUNK);
        if (buf == NULL)
            return x->status = odp_failure_memory();
        status = wb_entry_read(&x->in, buf, WB_CHUNK, &got);
        if (status != ODP_OK)
            return x->status = status;
        x->silent += got;
        if (x->silent > WB_SILENT_MAX)
            return x->status = wb_fault(x->in.fault, ODP_WORKBOOK_TOO_LARGE, x->in.name,
                                        W_read_one_xml_element_too_long);
        x->at_end = got == 0;
        status = judge(x, XML_ParseBuffer(x->parser, (int)got, x->at_end));
    }
    return status != ODP_OK ? status : x->paused ? ODP_OK : ODP_DONE;
}

void wb_xml_close(struct wb_xml *x)
{
    if (x->parser != NULL)
        XML_ParserFree(x->parser);
    if (x->in.file != NULL)
        zip_fclose(x->in.file);
    x->parser = NULL;
    x->in.file = NULL;
}

enum odp_status wb_xml_run(struct odp_workbook *w, const char *part, const struct wb_events *events,
                           void *ctx, bool any_namespace, struct odp_workbook_fault *fault)
{
    struct wb_xml x;
    enum odp_status status = wb_xml_open(&x, w, part, events, ctx, fault);
    x.any_namespace = any_namespace;
    while (status == ODP_OK)
        status = wb_xml_step(&x);
    wb_xml_close(&x);
    return status == ODP_DONE ? ODP_OK : status;
}
