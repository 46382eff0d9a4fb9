/* Internal to catalog/expr. lex.c makes tokens of the text, compile.c a program for a stack machine, eval.c
 * runs it over a batch in strips of rows: an instruction is a loop over the strip. There is no tree, so ten
 * thousand ORs need no more stack than one. */
#pragma once

#include "catalog/expr/expr.h"
#include "catalog/expr/num.h"
#include "catalog/expr/spatial.h"

#define EXPR_TEXT_MAX 65536 /* bytes of one expression */
#define EXPR_DEPTH    100   /* parentheses, NOTs and signs inside each other */
#define EXPR_ARGS     16    /* of one function */

enum token_kind {
    TOKEN_END,
    TOKEN_NAME,
    TOKEN_QUOTED /* "name" */,
    TOKEN_NUMBER,
    TOKEN_TEXT,
    TOKEN_OPEN,
    TOKEN_CLOSE,
    TOKEN_COMMA,
    TOKEN_PLUS,
    TOKEN_MINUS,
    TOKEN_TIMES,
    TOKEN_OVER,
    TOKEN_EQ,
    TOKEN_NE,
    TOKEN_LT,
    TOKEN_LE,
    TOKEN_GT,
    TOKEN_GE,
    TOKEN_AND,
    TOKEN_OR,
    TOKEN_NOT,
    TOKEN_IN,
    TOKEN_LIKE,
    TOKEN_BETWEEN,
    TOKEN_IS,
    TOKEN_NULL,
    TOKEN_TRUE,
    TOKEN_FALSE,
    TOKEN_SHAPE /* JSON only: a geometry as WKT in TEXT */
};

struct token {
    enum token_kind kind;
    uint32_t at, len;      /* bytes of the expression */
    struct odp_slice text; /* names and texts without quotes and escapes */
};

/* Static types. All ordered ones but TEXT are numbers at run time. */
enum kind {
    KIND_BOOL,
    KIND_NUMBER,
    KIND_TEXT,
    KIND_DATE,
    KIND_TIME,
    KIND_DATETIME,
    KIND_YEARMONTH,
    KIND_DURATION, /* text that has no order */
    KIND_COMPLEX   /* list, array, object, geopoint, geojson, the geometry: only IS NULL */
};

enum op {
    OP_FIELD,
    OP_CONST_NUM,
    OP_CONST_TEXT,
    OP_CONST_BOOL,
    OP_GEOMETRY, /* the record's geometry, for IS NULL */
    OP_SPATIAL,
    OP_ADD,
    OP_SUB,
    OP_MUL,
    OP_DIV,
    OP_NEG,
    OP_CALL, /* of a function; KIND: of its arguments, where they may be of any */
    OP_EQ,
    OP_NE,
    OP_LT,
    OP_LE,
    OP_GT,
    OP_GE,
    OP_BETWEEN,
    OP_LIKE,
    OP_IS_NULL,
    OP_IN_BEGIN,
    OP_IN_ITEM,
    OP_IN_END,
    OP_AND,
    OP_OR,
    OP_NOT
};

struct instr {
    uint8_t op;     /* enum op */
    uint8_t kind;   /* enum kind of the operands; of the field for OP_FIELD */
    bool negate;    /* NOT BETWEEN, NOT LIKE, NOT IN, IS NOT NULL */
    bool truth;     /* OP_CONST_BOOL */
    uint32_t field; /* OP_CALL: arguments */
    struct num num;
    struct odp_slice text; /* of dates and times: the canonical text (as in `data`, catalog/index/search.h) */
    const struct odp_spatial *spatial;
    uint8_t relation; /* OP_SPATIAL: enum odp_spatial_op; NEGATE there: OP(literal, geometry). OP_CALL: the
                         function's number */
};

struct odp_expr {
    struct instr *code;
    uint32_t n, depth; /* DEPTH: registers the program needs */
    uint32_t *fields;
    uint32_t nfields;
    struct odp_expr_pair *pairs;
    uint32_t npairs;
    const struct odp_schema *schema;
    const char *geometry; /* its name, where the expression uses it; else NULL */
    bool borrows;         /* what GEOS prepared belongs to others */
};

/* An operation, by enum op. */
struct expr_op {
    const char *sign; /* between operands, in normal forms and SQL; NULL: it has none */
    uint8_t operands; /* registers it takes */
    uint8_t chain;    /* enum op of the chain that it is a link of (expr_node); 0: of none */
};
extern const struct expr_op expr_ops[];

/* The state of a compilation. A fault latches: the first one counts, the parser then is at the end of the
 * tokens, and later calls do nothing. */
struct compiler {
    struct odp_arena *arena;
    struct odp_slice text; /* ptr NULL: the tokens were not made of a text, their places count tokens */
    const struct odp_schema *schema;
    const char *geometry;      /* NULL: records have none */
    const char *const *others; /* NULL, or further geometries */
    struct token *tokens;
    size_t at, last; /* the next token; TOKEN_END */
    struct odp_expr *expr;
    uint32_t cap, stack; /* room in code; registers in use */
    unsigned nesting;
    struct instr dropped; /* takes instructions after a fault */
    struct odp_expr_fault *fault;
    enum odp_status status;
};

/* What a part of the expression left on the stack. */
struct operand {
    enum kind kind;
    bool literal;   /* a single constant: code[first] */
    uint32_t first; /* where its code begins */
    uint32_t at, end;
};

/* fault.c: C's status becomes BAD, or STATUS. Bytes AT … END - 1 of the text. */
void expr_stop(struct compiler *c, enum odp_status status);
void expr_fault(struct compiler *c, size_t at, size_t end, const char *id, const char *en);
void expr_fault_token(struct compiler *c, const struct token *t, const char *id, const char *en);
/* {0} and {1} of both texts are replaced. */
void expr_fault_about(struct compiler *c, const struct token *t, const char *id, const char *en,
                      struct odp_slice first, struct odp_slice second);
void expr_fault_field(struct compiler *c, const struct token *t);
/* "CASEI, ACCENTI, …": all functions. */
struct odp_slice expr_function_names(struct odp_arena *a);
/* ID and EN are expected at the next token. */
void expr_expected(struct compiler *c, const char *id, const char *en);
/* TEXT with {0} and {1} replaced, in A. */
const char *expr_fill(struct odp_arena *a, const char *text, struct odp_slice first, struct odp_slice second);

/* lex.c: the tokens of C's text. */
void expr_lex(struct compiler *c);
/* compile.c: the program of C's tokens; its status. */
enum odp_status expr_compile_tokens(struct compiler *c, const struct odp_expr **out) ODP_MUST_USE;
bool expr_take(struct compiler *c, enum token_kind kind);
/* program.c: appends an instruction that takes POPS registers and leaves one. */
struct instr *expr_emit(struct compiler *c, enum op op, enum kind kind, uint32_t pops);
/* E uses field INDEX (schema->n and on: a pair). */
void expr_note_field(struct odp_expr *e, uint32_t index);

/* constant.c */
enum kind expr_kind_of(enum odp_type t);
/* The value of canonical text of an ordered kind but TEXT; null: not one. */
struct num expr_value(enum kind kind, struct odp_slice text);
/* Makes A and B comparable (a text literal becomes a date), or reports why not. ORDERED: for < > BETWEEN. */
void expr_unify(struct compiler *c, struct operand *a, struct operand *b, bool ordered);
void expr_require(struct compiler *c, const struct operand *o, enum kind kind);

/* spatial*.c: TRUTH[i] (enum odp_truth) of S for each of the N records of B from FIRST on; unknown where the
 * record has no geometry (B->geometry NULL: all of them). Any thread. FAIL: no memory. */
enum odp_status expr_eval_spatial(const struct odp_spatial *s, const struct odp_batch *b, uint32_t first,
                                  uint32_t n, uint8_t *truth) ODP_MUST_USE;

/* One record without a batch: a value a field (num, text or truth by its kind). */
struct expr_cell {
    struct num num;
    struct odp_slice text; /* ptr NULL: null */
    uint8_t truth;
};
bool expr_cell_is_null(enum kind kind, const struct expr_cell *cell);
/* call.c. The function of NAME, in any case; -1 */
int expr_function_find(struct odp_slice name);
/* Of a call: the kind of argument K, and of what comes out. */
enum kind expr_call_takes(const struct instr *in, uint32_t k);
enum kind expr_call_gives(const struct instr *in);
bool expr_is_casei(const struct instr *in);
/* Its value; texts are ARG's or in A. */
struct expr_cell expr_call(const struct instr *in, const struct expr_cell *arg, struct odp_arena *a);

struct reg;
struct reg *expr_registers(struct odp_arena *a, uint32_t depth,
                           size_t rows) ODP_MUST_USE; /* each has room for so many values */
/* SHAPE: catalog/index/gpb.h; ptr NULL: none. REG: E's depth. SCRATCH is the caller's to reset. */
enum odp_status expr_eval_row(const struct odp_expr *e, struct reg *reg, const struct expr_cell *cells,
                              struct odp_slice shape, struct odp_arena *scratch, uint8_t *truth) ODP_MUST_USE;

/* The program as a tree, for what must look at it from above. Chains are one node with many operands,
 * so depth follows the nesting of the text. */
struct expr_node {
    const struct instr
        *in; /* OP_IN_END: value, then items; OP_AND, OP_OR: two or more; OP_ADD, OP_MUL: a chain of JOINs */
    uint32_t first, end; /* its code */
    struct expr_node *child, *last, *next;
    uint8_t join;            /* in a chain of + and -, or * and /: the operation before it (enum op) */
    uint32_t leaves, values; /* conditions below it; constants */
    bool constant;           /* uses no field and no geometry */
};
const struct expr_node *expr_tree(struct odp_arena *a, const struct odp_expr *e) ODP_MUST_USE;

/* constant.c: TEXT, a parameter's value, as a constant of TYPE. BAD: *EXPECTED (literals) describes what is
 * one. */
enum odp_status expr_constant(struct odp_arena *a, struct odp_slice text, enum odp_type type,
                              struct instr *out, struct odp_text *expected) ODP_MUST_USE;
