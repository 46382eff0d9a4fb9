/* The calls for memory that take libc's place, and those of nginx's pools. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "gateway_shim.h"

static _Thread_local bool for_json;

static bool alloc_fails(enum origin o)
{
    o = for_json && o == PROGRAM ? JSON : o;
    static const int kinds[] = {
        [OTHER] = -1,          [PROGRAM] = K_alloc, [JSON] = K_json, [CRYPTO] = K_crypto,
        [SQLITE] = K_sqlalloc, [HTTP] = K_http,     [CURL] = K_curl, [NGINX] = K_nginx};
    return kinds[o] >= 0 && fails((enum kind)kinds[o]);
}

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);

void *malloc(size_t n)
{
    return alloc_fails(CALLER) ? NULL : __libc_malloc(n);
}

void *calloc(size_t n, size_t size)
{
    return alloc_fails(CALLER) ? NULL : __libc_calloc(n, size);
}

void *realloc(void *p, size_t n)
{
    return alloc_fails(CALLER) ? NULL : __libc_realloc(p, n);
}

int posix_memalign(void **out, size_t align, size_t n)
{
    return alloc_fails(CALLER) ? ENOMEM : NEXT(posix_memalign)(out, align, n);
}

char *strdup(const char *s)
{
    size_t n = strlen(s) + 1;
    char *copy = alloc_fails(CALLER) ? NULL : __libc_malloc(n);
    return copy != NULL ? memcpy(copy, s, n) : NULL;
}

char *strndup(const char *s, size_t most)
{
    size_t n = strnlen(s, most);
    char *copy = alloc_fails(CALLER) ? NULL : __libc_malloc(n + 1);
    if (copy != NULL) {
        memcpy(copy, s, n);
        copy[n] = '\0';
    }
    return copy;
}

/* ---- jansson, whose memory the program gets for it (base/json_load.c): still of the kind json ---- */

static void *(*json_get)(size_t n);

static void *get_for_json(size_t n)
{
    for_json = true;
    void *p = json_get(n);
    for_json = false;
    return p;
}

void json_set_alloc_funcs(void *(*get)(size_t), void (*let_go)(void *));
void json_set_alloc_funcs(void *(*get)(size_t), void (*let_go)(void *))
{
    void *library =
        dlopen("libjansson.so.4", RTLD_LAZY | RTLD_NOLOAD); /* a module's is not among the next ones */
    void (*set)(void *(*)(size_t), void (*)(void *)) = NULL;
    *(void **)&set = dlsym(library != NULL ? library : RTLD_NEXT, "json_set_alloc_funcs");
    json_get = get;
    if (set != NULL)
        set(get_for_json, let_go);
}

/* ---- nginx's pools ---- */

/* nginx's pools give out of what they have, so the module's own calls are caught in its table of imported
 * functions. */
#define POOL(name, args, pass)                                                                               \
    static void *(*real_##name)args;                                                                         \
    static void *pool_##name args                                                                            \
    {                                                                                                        \
        return fails(K_pool) ? NULL : real_##name pass;                                                      \
    }
POOL(ngx_palloc, (void *p, size_t n), (p, n))
POOL(ngx_pcalloc, (void *p, size_t n), (p, n))
POOL(ngx_pnalloc, (void *p, size_t n), (p, n))
POOL(ngx_list_push, (void *l), (l))
POOL(ngx_array_push, (void *a), (a))
POOL(ngx_create_temp_buf, (void *p, size_t n), (p, n))
POOL(ngx_pool_cleanup_add, (void *p, size_t n), (p, n))
POOL(ngx_alloc, (size_t n, void *log), (n, log))
POOL(ngx_calloc, (size_t n, void *log), (n, log))
POOL(ngx_pstrdup, (void *p, void *s), (p, s))

static const struct {
    const char *name;
    void **real, *ours;
} pool[] = {
#define ENTRY(name)                                                                                          \
    {                                                                                                        \
#name, (void **)&real_##name, (void *)pool_##name                                                    \
    }
    ENTRY(ngx_palloc),     ENTRY(ngx_pcalloc), ENTRY(ngx_pnalloc),         ENTRY(ngx_list_push),
    ENTRY(ngx_array_push), ENTRY(ngx_alloc),   ENTRY(ngx_create_temp_buf), ENTRY(ngx_pool_cleanup_add),
    ENTRY(ngx_calloc),     ENTRY(ngx_pstrdup)};

static void patch_one(void **slot, const char *name)
{
    uintptr_t page = (uintptr_t)slot & ~(uintptr_t)4095;
    for (size_t i = 0; i < sizeof pool / sizeof *pool; i++) {
        if (strcmp(pool[i].name, name) != 0 || *slot == pool[i].ours ||
            mprotect((void *)page, 4096, PROT_READ | PROT_WRITE) != 0)
            continue;
        *pool[i].real = *slot;
        *slot = pool[i].ours;
    }
}

void patch_pool(const struct dl_phdr_info *info)
{
    const ElfW(Dyn) *d = NULL;
    const ElfW(Sym) *symbols = NULL;
    const char *strings = NULL;
    const ElfW(Rela) * tables_of[2] = {NULL, NULL};
    size_t sizes[2] = {0, 0};
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
            d = (const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
    for (; d != NULL && d->d_tag != DT_NULL; d++) {
        if (d->d_tag == DT_SYMTAB)
            symbols = (const void *)d->d_un.d_ptr;
        if (d->d_tag == DT_STRTAB)
            strings = (const void *)d->d_un.d_ptr;
        if (d->d_tag == DT_JMPREL)
            tables_of[0] = (const void *)d->d_un.d_ptr;
        if (d->d_tag == DT_PLTRELSZ)
            sizes[0] = d->d_un.d_val;
        if (d->d_tag == DT_RELA)
            tables_of[1] = (const void *)d->d_un.d_ptr;
        if (d->d_tag == DT_RELASZ)
            sizes[1] = d->d_un.d_val;
    }
    for (int t = 0; t < 2 && symbols != NULL && strings != NULL; t++)
        for (size_t i = 0; i < sizes[t] / sizeof(ElfW(Rela)); i++) {
            const ElfW(Rela) *r = &tables_of[t][i];
            size_t symbol = ELF64_R_SYM(r->r_info);
            if (symbol != 0)
                patch_one((void **)(info->dlpi_addr + r->r_offset), strings + symbols[symbol].st_name);
        }
}
