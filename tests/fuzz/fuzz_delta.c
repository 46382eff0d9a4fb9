/* Any bytes as a delta to an old file of a thousand digits. A first byte 1: the rest is what gzip holds
 * (header and operations); 2: the operations alone, under a right header; 3: two files, divided by the first
 * NUL byte, whose delta is made and applied. */
#include <stdio.h>
#include <zlib.h>

#include "fuzz.h"
#include "site/differences/delta.h"

enum { OLD = 1000, NEW = 2000 };

static void write_old(void)
{
    static uint8_t digits[OLD];
    for (size_t i = 0; i < OLD; i++)
        digits[i] = (uint8_t)('0' + i % 10);
    fuzz_write_bytes(fuzz_path("old"), digits, OLD);
}

static void write_packed(struct odp_slice head, struct odp_slice rest)
{
    gzFile out = gzopen(fuzz_path("delta"), "wb1");
    NEED(out != NULL && gzwrite(out, head.ptr, (unsigned)head.len) == (int)head.len);
    NEED(rest.len == 0 || gzwrite(out, rest.ptr, (unsigned)rest.len) == (int)rest.len);
    NEED(gzclose(out) == Z_OK);
}

static struct odp_delta_side side(const char *name)
{
    struct odp_delta_side s = {.path = strdup(fuzz_path(name)), .version = "1"};
    NEED(s.path != NULL && odp_file_seal(s.path, &s.info) == ODP_OK);
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
    NEED(fresh != NULL);
    remove(fresh);
    odp_arena_init(&a);
    enum odp_status status = odp_delta_apply(fuzz_path("delta"), old, fresh, &h, &a, &why);
    NEED(status != ODP_FAIL);
    if (status == ODP_BAD)
        NEED(*why.in[ODP_LANG_EN] != '\0' && odp_file_kind_of(fresh) == ODP_FILE_NONE);
    if (status == ODP_OK) {
        NEED(odp_delta_header(fuzz_path("delta"), &h, &a, &why) == ODP_OK);
        NEED(odp_file_seal(fresh, &info) == ODP_OK && info.size == h.to.size);
        NEED(memcmp(info.sha256, h.to.sha256, sizeof info.sha256) == 0);
    }
    odp_arena_release(&a);
    free(fresh);
    return status;
}

static void there_and_back(struct odp_slice in)
{
    struct odp_slice rest = in;
    struct odp_slice first = fuzz_cut(&rest, ODP_LIT("\0")),
                     second = {in.ptr + first.len, in.len - first.len};
    struct odp_file *file;
    fuzz_write(fuzz_path("from"), first);
    fuzz_write(fuzz_path("to"), second);
    const struct odp_delta_side from = side("from"), to = side("to");
    remove(fuzz_path("delta"));
    NEED(odp_file_create(&file, fuzz_path("delta"), 0600) == ODP_OK);
    NEED(odp_delta_make(file, &from, &to, UINT64_MAX) == ODP_OK && odp_file_close(file, NULL) == ODP_OK);
    NEED(apply(from.path) == ODP_OK);
    free((void *)(uintptr_t)from.path);
    free((void *)(uintptr_t)to.path);
}

void fuzz_one(struct odp_slice in)
{
    char head[400], hex[ODP_SHA256_HEX];
    unsigned mode = fuzz_choice(&in, 3);
    write_old();
    if (mode == 3) {
        there_and_back(in);
        return;
    }
    const struct odp_delta_side old = side("old");
    odp_digest_hex(old.info.sha256, hex);
    snprintf(head, sizeof head,
             "{\"format\":\"odp-delta-1\",\"from\":{\"bytes\":%d,\"sha256\":\"%s\"},\"to\":{\"bytes\":%d,"
             "\"sha256\":\"%s\"}}\n",
             OLD, hex, NEW, hex);
    if (mode == 0)
        fuzz_write(fuzz_path("delta"), in);
    else
        write_packed(odp_slice_of(mode == 2 ? head : ""), in);
    (void)apply(old.path);
    free((void *)(uintptr_t)old.path);
}
