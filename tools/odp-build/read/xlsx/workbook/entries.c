/* The archive's entries by name, opened and read within the limits; and what is wrong with a workbook, for
 * who reads it. */
#include <stdlib.h>

#include "read/xlsx/workbook/workbook_internal.h"
#include "words/read.h"

enum odp_status wb_fault(struct odp_workbook_fault *fault, enum odp_workbook_fault_kind kind,
                         const char *part, const char *id, const char *en)
{
    *fault = (struct odp_workbook_fault){.kind = kind, .what = {{id, en}}};
    snprintf(fault->part, sizeof(fault->part), "%s", part != NULL ? part : "");
    return ODP_BAD;
}

static char lower(char c)
{
    return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c == '\\' ? '/' : c);
}

enum odp_status wb_index(struct odp_workbook *w, struct odp_workbook_fault *fault)
{
    zip_int64_t n = zip_get_num_entries(w->zip, 0);
    if (n > WB_ENTRIES_MAX)
        return wb_fault(fault, ODP_WORKBOOK_TOO_LARGE, NULL, W_read_archive_holds_more_than_65);
    w->entries = odp_arena_array(&w->arena, (size_t)(n > 0 ? n : 0) + 1, sizeof(*w->entries));
    for (zip_int64_t i = 0; i < n; i++) {
        const char *name = zip_get_name(w->zip, (zip_uint64_t)i, ZIP_FL_ENC_RAW);
        if (name == NULL || strlen(name) > 1024)
            continue;
        char *copy = odp_arena_str(&w->arena, name[0] == '/' ? name + 1 : name);
        for (char *p = copy; *p != '\0'; p++)
            *p = lower(*p);
        w->entries[w->nentries++] = (struct wb_entry){copy, (zip_uint64_t)i};
    }
    qsort(w->entries, w->nentries, sizeof(*w->entries), odp_by_string); /* a string comes first in them */
    for (size_t i = 1; i < w->nentries; i++)
        if (strcmp(w->entries[i - 1].name, w->entries[i].name) == 0)
            return WB_DAMAGED(fault, w->entries[i].name, W_read_part_file_twice);
    return ODP_OK;
}

const struct wb_entry *wb_find(const struct odp_workbook *w, const char *name)
{
    char wanted[1040];
    size_t n = 0;
    for (; name[n] != '\0' && n < sizeof(wanted) - 1; n++)
        wanted[n] = lower(name[n]);
    wanted[n] = '\0';
    struct wb_entry key = {wanted, 0};
    return w->nentries == 0 ? NULL
                            : bsearch(&key, w->entries, w->nentries, sizeof(*w->entries), odp_by_string);
}

enum odp_status wb_entry_open(struct wb_part *p)
{
    struct odp_workbook *w = p->w;
    struct odp_workbook_fault *fault = p->fault;
    const char *part = p->name;
    const struct wb_entry *e = wb_find(w, part);
    if (e == NULL)
        return WB_DAMAGED(fault, part, W_read_part_not_file);
    zip_stat_t st;
    if (zip_stat_index(w->zip, e->index, 0, &st) != 0 || (st.valid & ZIP_STAT_COMP_SIZE) == 0)
        return WB_DAMAGED(fault, part, W_read_zip_archive_damaged_2);
    if ((st.valid & ZIP_STAT_ENCRYPTION_METHOD) != 0 && st.encryption_method != ZIP_EM_NONE)
        return wb_fault(fault, ODP_WORKBOOK_ENCRYPTED, part, W_read_locked_by_password);
    if ((st.valid & ZIP_STAT_COMP_METHOD) != 0 && st.comp_method != ZIP_CM_STORE &&
        st.comp_method != ZIP_CM_DEFLATE)
        return WB_DAMAGED(fault, part, W_read_compressed_by_method_no_workbook);
    if ((st.valid & ZIP_STAT_SIZE) != 0 && st.size > w->limits.part_bytes)
        return wb_fault(fault, ODP_WORKBOOK_TOO_LARGE, part, W_read_unpacks_too_much);
    p->packed = st.comp_size;
    p->size = (st.valid & ZIP_STAT_SIZE) != 0 ? st.size : 0;
    p->file = zip_fopen_index(w->zip, e->index, 0);
    if (p->file != NULL)
        return ODP_OK;
    if (zip_error_code_zip(zip_get_error(w->zip)) == ZIP_ER_MEMORY)
        return odp_failure_memory();
    return WB_DAMAGED(fault, part, W_read_zip_archive_damaged_2);
}

enum odp_status wb_entry_read(struct wb_part *p, void *buf, size_t cap, size_t *got)
{
    const struct odp_workbook_limits *most = &p->w->limits;
    zip_int64_t n = zip_fread(p->file, buf, cap);
    if (n < 0) /* also the checksum, at the end */
        return zip_error_code_zip(zip_file_get_error(p->file)) == ZIP_ER_MEMORY
                   ? odp_failure_memory()
                   : WB_DAMAGED(p->fault, p->name, W_read_zip_archive_damaged_cut_off);
    *got = (size_t)n;
    p->read += (uint64_t)n;
    if (p->read > most->part_bytes)
        return wb_fault(p->fault, ODP_WORKBOOK_TOO_LARGE, p->name, W_read_unpacks_too_much);
    if (p->read > ODP_RATIO_FROM && p->read / most->ratio > p->packed)
        return wb_fault(p->fault, ODP_WORKBOOK_TOO_LARGE, p->name, W_read_compressed_beyond_reason_zip_bomb);
    return ODP_OK;
}
