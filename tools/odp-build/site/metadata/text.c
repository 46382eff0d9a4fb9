/* Texts of the documents: members of entries, addresses, dates, licences, subjects. */
#include "site/metadata/metadata_internal.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/datetime.h"

const char *metadata_text(const json_t *o, const char *key)
{
    const char *s = json_string_value(json_object_get(o, key));
    return s != NULL ? s : "";
}

struct odp_text metadata_both(const json_t *o, const char *key)
{
    const json_t *v = json_object_get(o, key);
    const char *s = json_string_value(v);
    if (s != NULL)
        return (struct odp_text){{s, s}};
    return (struct odp_text){{json_string_value(json_object_get(v, "id")), json_string_value(json_object_get(v, "en"))}};
}

const char *metadata_in(const json_t *o, const char *key, enum odp_lang lang)
{
    const struct odp_text t = metadata_both(o, key);
    return odp_text_get(&t, lang);
}

const char *metadata_printf(struct metadata *m, const char *fmt, ...)
{
    va_list args, again;
    const char *s = NULL;
    va_start(args, fmt);
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, fmt, args);
    char *room = n >= 0 ? odp_arena_alloc(&m->arena, (size_t)n + 1) : NULL;
    if (room != NULL && vsnprintf(room, (size_t)n + 1, fmt, again) == n)
        s = room;
    va_end(again);
    va_end(args);
    m->doc.failed = m->doc.failed || s == NULL;
    return s != NULL ? s : "";
}

const char *metadata_path(const char *url)
{
    while (strncmp(url, "../", 3) == 0)
        url += 3;
    return url;
}

const char *metadata_url(struct metadata *m, const char *path)
{
    return metadata_printf(m, "%s%s", m->base, path);
}

const char *metadata_day(struct metadata *m, const char *date)
{
    struct odp_datetime d;
    struct odp_slice day = odp_slice_of(date);
    day.len = day.len > 10 ? 10 : day.len;
    if (odp_date_parse(day, ODP_DATE, NULL, NULL, &d) != ODP_DATE_OK)
        return "";
    return metadata_printf(m, "%.10s", date);
}

const char *metadata_license(const struct metadata *m, const json_t *entry, enum odp_lang lang)
{
    const json_t *license = json_object_get(entry, "license");
    const struct odp_portal *p = &m->catalog->portal;
    if (p->license_name != NULL && strcmp(metadata_text(license, "name"), p->license_name) == 0 && !odp_text_is_empty(&p->license_title))
        return odp_text_get(&p->license_title, lang);
    const char *title = metadata_in(license, "title", lang);
    return *title != '\0' ? title : metadata_text(license, "name");
}

const char *metadata_newest(const struct metadata *m)
{
    const char *newest = m->catalog->nreleases > 0 ? m->catalog->releases[0].date : "";
    for (size_t i = 0; i < json_array_size(m->job->entries); i++) {
        const char *date = metadata_text(json_array_get(m->job->entries, i), "last_update");
        newest = strcmp(date, newest) > 0 ? date : newest;
    }
    return newest;
}

const json_t *metadata_subject(const struct metadata *m, const json_t *entry, size_t i)
{
    const char *name = json_string_value(json_array_get(json_object_get(entry, "subjects"), i));
    const json_t *subjects = json_object_get(m->catalog->portal.json, "subjects");
    for (size_t k = 0; name != NULL && k < json_array_size(subjects); k++) {
        const json_t *subject = json_array_get(subjects, k);
        if (strcmp(metadata_text(subject, "name"), name) == 0)
            return subject;
    }
    return NULL;
}

const char *metadata_theme(struct metadata *m, const json_t *subject)
{
    const char *theme = metadata_text(subject, "theme");
    if (*theme == '\0')
        return NULL;
    return strstr(theme, "://") != NULL ? theme : metadata_printf(m, METADATA_EU "data-theme/%s", theme);
}

/* "timeline: 5 rekaman baru, 0 dihapus, 2 berubah" in both languages, after what was SAID before. */
static struct odp_text add_changes(struct odp_text said, const char *table, const json_t *changes, struct odp_arena *a)
{
    const char *before = *said.in[ODP_LANG_ID] != '\0' ? "; " : "", *colon = *table != '\0' ? ": " : "";
    const long long n[] = {json_integer_value(json_object_get(changes, "added")), json_integer_value(json_object_get(changes, "removed")),
                           json_integer_value(json_object_get(changes, "changed"))};
    return (struct odp_text){{odp_arena_printf(a, "%s%s%s%s%lld rekaman baru, %lld dihapus, %lld berubah", said.in[ODP_LANG_ID], before,
                                               table, colon, n[0], n[1], n[2]),
                              odp_arena_printf(a, "%s%s%s%s%lld records added, %lld removed, %lld changed", said.in[ODP_LANG_EN], before,
                                               table, colon, n[0], n[1], n[2])}};
}

struct odp_text odp_metadata_changes(const json_t *version, struct odp_arena *a)
{
    const json_t *resources = json_object_get(version, "resources");
    struct odp_text said = {{"", ""}};
    const char *from = NULL;
    for (size_t i = 0; i < json_array_size(resources); i++) {
        const json_t *r = json_array_get(resources, i), *changes = json_object_get(r, "changes");
        if (!json_is_object(changes))
            continue;
        from = metadata_text(changes, "from");
        said = add_changes(said, i > 0 ? metadata_text(r, "name") : "", changes, a);
        if (said.in[ODP_LANG_ID] == NULL || said.in[ODP_LANG_EN] == NULL)
            return (struct odp_text){{NULL, NULL}};
    }
    if (from == NULL)
        return said;
    return (struct odp_text){{odp_arena_printf(a, "%s sejak %s.", said.in[ODP_LANG_ID], from),
                              odp_arena_printf(a, "%s since %s.", said.in[ODP_LANG_EN], from)}};
}
