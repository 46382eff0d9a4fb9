/* katalog/<slug>.xml: the versions of one dataset as an Atom feed (RFC 4287). Ids, dates and the two languages in one text are as in feed.xml
 * (tools/odp-build/site/pages): data/<slug>/<version>/ names a version and nothing else; `updated` is the day of the data at 00:00 where the portal is, or the
 * version's own instant, never the day of the build. */
#include "site/metadata/metadata_internal.h"

enum { VERSIONS_MAX = 50 };

#define NEVER "1970-01-01T00:00:00Z"

static void text(struct odp_buffer *out, const char *s)
{
    odp_html_text(out, s);
}

/* "Indonesian / English", or one where they are the same. */
static void both(struct odp_buffer *out, const struct odp_text *t)
{
    const char *id = odp_text_get(t, ODP_LANG_ID), *en = odp_text_get(t, ODP_LANG_EN);
    text(out, id);
    if (strcmp(id, en) != 0) {
        odp_buffer_add_str(out, " / ");
        text(out, en);
    }
}

static void stamp(const struct metadata *m, struct odp_buffer *out, const char *date)
{
    struct odp_datetime at;
    char form[ODP_DATETIME_SIZE];
    if (odp_date_parse(odp_slice_of(date), ODP_DATETIME, NULL, NULL, &at) != ODP_DATE_OK) {
        if (odp_date_parse(odp_slice_of(date), ODP_DATE, NULL, NULL, &at) != ODP_DATE_OK) {
            odp_buffer_add_str(out, NEVER);
            return;
        }
        const char *zone = m->catalog->portal.time_zone;
        at.hour = at.minute = at.second = 0;
        at.nanos = 0;
        at.has_time = at.has_offset = true;
        at.offset = 0;
        (void)odp_zone_offset(zone != NULL ? zone : "UTC", &at.offset); /* the catalogue has refused one that is not known */
    }
    odp_buffer_add(out, form, odp_date_format(&at, ODP_DATETIME, form));
}

/* "400 rekaman (timeline 2000)": the main table's, each further one under its own name. */
static struct odp_text count(struct metadata *m, const json_t *version)
{
    const json_t *resources = json_object_get(version, "resources");
    const char *more = "";
    for (size_t i = 1; i < json_array_size(resources); i++) {
        const json_t *r = json_array_get(resources, i);
        more = metadata_printf(m, "%s%s%s %lld", more, *more != '\0' ? ", " : " (", metadata_text(r, "name"),
                               (long long)json_integer_value(json_object_get(r, "rows")));
    }
    const long long rows = json_integer_value(json_object_get(version, "rows"));
    const char *end = *more != '\0' ? ")." : ".";
    return (struct odp_text){{metadata_printf(m, "%lld rekaman%s%s", rows, more, end), metadata_printf(m, "%lld records%s%s", rows, more, end)}};
}

static void put_summary(struct metadata *m, struct odp_buffer *out, const json_t *version)
{
    const struct odp_text reason = metadata_both(version, "correction"), note = metadata_both(version, "note");
    const struct odp_text changes = odp_metadata_changes(version, &m->arena);
    const bool withdrawn = strcmp(metadata_text(version, "state"), "withdrawn") == 0;
    struct odp_text said = count(m, version);
    m->doc.failed = m->doc.failed || changes.in[ODP_LANG_ID] == NULL || changes.in[ODP_LANG_EN] == NULL;
    if (withdrawn)
        said = (struct odp_text){
            {metadata_printf(m, "Ditarik. Alasan: %s. %s", metadata_text(version, "reason"), odp_text_get(&note, ODP_LANG_ID)),
             metadata_printf(m, "Withdrawn. Reason: %s. %s", metadata_text(version, "reason"), odp_text_get(&note, ODP_LANG_EN))}};
    else if (!odp_text_is_empty(&changes))
        said = (struct odp_text){{metadata_printf(m, "%s %s", said.in[ODP_LANG_ID], changes.in[ODP_LANG_ID]),
                                  metadata_printf(m, "%s %s", said.in[ODP_LANG_EN], changes.in[ODP_LANG_EN])}};
    if (!odp_text_is_empty(&reason))
        said = (struct odp_text){{metadata_printf(m, "%s %s", odp_text_get(&reason, ODP_LANG_ID), said.in[ODP_LANG_ID]),
                                  metadata_printf(m, "%s %s", odp_text_get(&reason, ODP_LANG_EN), said.in[ODP_LANG_EN])}};
    odp_buffer_add_str(out, "<summary>");
    both(out, &said);
    odp_buffer_add_str(out, "</summary>\n");
}

static void put_link(struct metadata *m, struct odp_buffer *out, const char *rel, const char *type, const char *title, const char *path)
{
    odp_buffer_printf(out, "<link rel=\"%s\" type=\"", rel);
    text(out, type);
    if (title != NULL) {
        odp_buffer_add_str(out, "\" title=\"");
        text(out, title);
    }
    odp_buffer_add_str(out, "\" href=\"");
    text(out, metadata_url(m, path));
    odp_buffer_add_str(out, "\"/>\n");
}

static void put_version(struct metadata *m, struct odp_buffer *out, const json_t *entry, const json_t *version)
{
    const char *slug = metadata_text(entry, "slug"), *name = metadata_text(version, "version");
    const json_t *files = json_object_get(json_array_get(json_object_get(version, "resources"), 0), "files");
    const char *changes = metadata_printf(m, "data/%s/%s/changes.html", slug, name);
    const struct odp_text title = metadata_both(entry, "title");
    const bool withdrawn = strcmp(metadata_text(version, "state"), "withdrawn") == 0, corrected = json_object_get(version, "correction") != NULL;
    odp_buffer_add_str(out, "<entry>\n<id>");
    text(out, metadata_printf(m, "%sdata/%s/%s/%s", m->base, slug, name, withdrawn ? "#withdrawn" : ""));
    odp_buffer_add_str(out, "</id>\n<title>");
    both(out, &title);
    odp_buffer_add_str(out, ": ");
    text(out, name);
    odp_buffer_add_str(out, withdrawn ? " (ditarik / withdrawn)" : corrected ? " (koreksi / correction)" : "");
    odp_buffer_add_str(out, "</title>\n");
    put_link(m, out, "alternate", "text/html", NULL, metadata_printf(m, METADATA_PAGE_ID, slug));
    for (size_t i = 0; i < json_array_size(files); i++) {
        const json_t *file = json_array_get(files, i);
        put_link(m, out, "enclosure", metadata_text(file, "media_type"), metadata_text(file, "format"),
                 metadata_path(metadata_text(file, "url")));
    }
    if (odp_stage_find(m->job->stage, changes) != NULL)
        put_link(m, out, "related", "text/html", "perubahan / changes", changes);
    odp_buffer_printf(out, "<category term=\"%s\"/>\n", withdrawn ? "withdrawn" : corrected ? "correction" : "version");
    put_summary(m, out, version);
    odp_buffer_add_str(out, "<updated>");
    stamp(m, out, metadata_text(version, "date"));
    odp_buffer_add_str(out, "</updated>\n</entry>\n");
}

static void put_head(struct metadata *m, struct odp_buffer *out, const json_t *entry)
{
    const char *slug = metadata_text(entry, "slug"), *license = metadata_license(m, entry, ODP_LANG_ID);
    const struct odp_text title = metadata_both(entry, "title"), description = metadata_both(entry, "description");
    odp_buffer_add_str(out, "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<feed xmlns=\"http://www.w3.org/2005/Atom\" xml:lang=\"id\">\n<id>");
    text(out, metadata_url(m, metadata_printf(m, "katalog/%s.xml", slug)));
    odp_buffer_add_str(out, "</id>\n<title>");
    both(out, &title);
    odp_buffer_add_str(out, "</title>\n<subtitle>");
    both(out, &description);
    odp_buffer_add_str(out, "</subtitle>\n<updated>");
    stamp(m, out, metadata_text(entry, "last_update"));
    odp_buffer_add_str(out, "</updated>\n");
    put_link(m, out, "self", "application/atom+xml", NULL, metadata_printf(m, "katalog/%s.xml", slug));
    put_link(m, out, "alternate", "text/html", NULL, metadata_printf(m, METADATA_PAGE_ID, slug));
    odp_buffer_add_str(out, "<author><name>");
    both(out, &m->catalog->portal.publisher);
    odp_buffer_add_str(out, "</name></author>\n");
    if (*license != '\0') {
        odp_buffer_add_str(out, "<rights>");
        text(out, metadata_printf(m, "%s, %s", license, metadata_text(json_object_get(entry, "license"), "path")));
        odp_buffer_add_str(out, "</rights>\n");
    }
}

enum odp_status metadata_feed(struct metadata *m, const json_t *entry)
{
    const char *slug = metadata_text(entry, "slug");
    struct odp_buffer out;
    json_t *document;
    size_t told = 0;
    enum odp_status status = metadata_read(m, metadata_printf(m, "data/%s/versions.json", slug), &document);
    const json_t *versions = json_object_get(document, "data");
    odp_buffer_init(&out);
    put_head(m, &out, entry);
    for (size_t i = 0; i < json_array_size(versions) && told < VERSIONS_MAX; i++) {
        const json_t *version = json_array_get(versions, i);
        if (strcmp(metadata_text(version, "state"), "thinned") == 0)
            continue; /* no news: another version stands in */
        put_version(m, &out, entry, version);
        told++;
    }
    odp_buffer_add_str(&out, "</feed>\n");
    if (status == ODP_OK)
        status = metadata_put(m, metadata_printf(m, "katalog/%s.xml", slug), "application/atom+xml", &out);
    odp_buffer_release(&out);
    json_decref(document);
    return status;
}
