/* Any bytes as a delta to an old file of a thousand digits. A first byte 1: the rest is what gzip holds
 * (header and operations); 2: the operations alone, under a right header; 3: two files, divided by the first
 * NUL byte, whose delta is made and applied. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "fuzz.h"
#include "site/differences/delta.h"

enum { OLD = 1000, NEW = 2000 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void write_old(void)
{
    static uint8_t digits[OLD];
    for (size_t i = 0; i < OLD; i++)
        digits[i] = (uint8_t)('0' + i % 10);
    fuzz_write(fuzz_path("old"), digits, OLD);
}

static void write_packed(struct odp_slice head, const uint8_t *data, size_t size)
{
    gzFile out = gzopen(fuzz_path("delta"), "wb1");
    if (out == NULL || gzwrite(out, head.ptr, (unsigned)head.len) != (int)head.len ||
        (size > 0 && gzwrite(out, data, (unsigned)size) != (int)size) || gzclose(out) != Z_OK)
        abort();
}

static struct odp_delta_side side(const char *name)
{
    struct odp_delta_side s = {.path = strdup(fuzz_path(name)), .version = "1"};
    if (s.path == NULL || odp_file_seal(s.path, &s.info) != ODP_OK)
        abort();
    return s;
}

/* Whatever is applied: it never fails for another reason than the data; what it makes is what the header
 * says. */
static enum odp_status apply(const char *old)
{
    struct odp_arena a;
    struct odp_delta_header h;
    struct odp_file_info info;
    struct odp_text why;
    char *fresh = strdup(fuzz_path("new"));
    if (fresh == NULL)
        abort();
    remove(fresh);
    odp_arena_init(&a);
    enum odp_status status = odp_delta_apply(fuzz_path("delta"), old, fresh, &h, &a, &why);
    if (status == ODP_FAIL ||
        (status == ODP_BAD && (*why.in[ODP_LANG_EN] == '\0' || odp_file_kind_of(fresh) != ODP_FILE_NONE)))
        abort();
    if (status == ODP_OK && (odp_delta_header(fuzz_path("delta"), &h, &a, &why) != ODP_OK ||
                             odp_file_seal(fresh, &info) != ODP_OK || info.size != h.to.size ||
                             memcmp(info.sha256, h.to.sha256, sizeof info.sha256) != 0))
        abort();
    odp_arena_release(&a);
    free(fresh);
    return status;
}

static void there_and_back(const uint8_t *data, size_t size)
{
    const uint8_t *nul = memchr(data, 0, size);
    size_t n = nul != NULL ? (size_t)(nul - data) : size;
    struct odp_file *file;
    fuzz_write(fuzz_path("from"), data, n);
    fuzz_write(fuzz_path("to"), data + n, size - n);
    const struct odp_delta_side from = side("from"), to = side("to");
    remove(fuzz_path("delta"));
    if (odp_file_create(&file, fuzz_path("delta"), 0600) != ODP_OK ||
        odp_delta_make(file, &from, &to, UINT64_MAX) != ODP_OK || odp_file_close(file, NULL) != ODP_OK ||
        apply(from.path) != ODP_OK)
        abort();
    free((void *)(uintptr_t)from.path);
    free((void *)(uintptr_t)to.path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char head[400], hex[ODP_SHA256_HEX];
    uint8_t mode = size > 0 && data[0] >= 1 && data[0] <= 3 ? data[0] : 0;
    write_old();
    if (mode == 3) {
        there_and_back(data + 1, size - 1);
    } else {
        const struct odp_delta_side old = side("old");
        odp_digest_hex(old.info.sha256, hex);
        snprintf(head, sizeof head,
                 "{\"format\":\"odp-delta-1\",\"from\":{\"bytes\":%d,\"sha256\":\"%s\"},\"to\":{\"bytes\":%d,"
                 "\"sha256\":\"%s\"}}\n",
                 OLD, hex, NEW, hex);
        if (mode == 0)
            fuzz_write(fuzz_path("delta"), data, size);
        else
            write_packed(odp_slice_of(mode == 2 ? head : ""), data + 1, size - 1);
        (void)apply(old.path);
        free((void *)(uintptr_t)old.path);
    }
    odp_failure_clear();
    return 0;
}
