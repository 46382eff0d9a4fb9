/* Inside of expressions. The text becomes tokens (lex.c), the tokens become a program for a stack machine (compile.c, with the
 * types of types.c), the program runs over a batch in strips of rows (eval.c): one instruction, one loop over the strip.
 * There is no tree, so a chain of ten thousand ORs needs no more stack than one. */
#ifndef ODP_EXPR_CODE_H
#define ODP_EXPR_CODE_H

#include "expr/expr.h"
#include "expr/num.h"

#define EXPR_TEXT_MAX 65536 /* bytes of one expression */
#define EXPR_DEPTH    100   /* parentheses, NOTs and signs inside each other */

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
    TOKEN_FALSE
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
    KIND_COMPLEX   /* list, array, object, geopoint, geojson: only IS NULL */
};

enum op {
    OP_FIELD,
    OP_CONST_NUM,
    OP_CONST_TEXT,
    OP_CONST_BOOL,
    OP_ADD,
    OP_SUB,
    OP_MUL,
    OP_DIV,
    OP_NEG,
    OP_FOLD,
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
    uint8_t op;   /* enum op */
    uint8_t kind; /* enum kind of the operands; of the field for OP_FIELD */
    bool negate;  /* NOT BETWEEN, NOT LIKE, NOT IN, IS NOT NULL */
    bool truth;   /* OP_CONST_BOOL */
    uint32_t field;
    struct num num;
    struct odp_slice text;
};

struct odp_expr {
    struct instr *code;
    uint32_t n, depth; /* DEPTH: registers the program needs */
    uint32_t *fields;
    uint32_t nfields;
    const struct odp_schema *schema;
};

/* The state of one compilation. */
struct compiler {
    struct odp_arena *arena;
    struct odp_slice text;
    const struct odp_schema *schema;
    struct token *tokens;
    size_t at; /* the next token */
    struct odp_expr *expr;
    uint32_t cap, stack; /* room in code; registers in use */
    unsigned nesting;
    struct odp_expr_fault *fault;
};

/* What a part of the expression left on the stack. */
struct operand {
    enum kind kind;
    bool literal;   /* a single constant: code[first] */
    uint32_t first; /* where its code begins */
    uint32_t at, end;
};

/* BAD: *FAULT is set. FAIL: no memory. */
enum odp_status expr_lex(struct compiler *c) ODP_MUST_USE;
enum odp_status expr_fault(struct compiler *c, size_t at, size_t end, const char *id, const char *en) ODP_MUST_USE;
/* {0} and {1} of both texts are replaced. */
enum odp_status expr_fault_about(struct compiler *c, size_t at, size_t end, const char *id, const char *en,
                                 struct odp_slice first, struct odp_slice second) ODP_MUST_USE;
enum odp_status expr_fault_field(struct compiler *c, const struct token *t) ODP_MUST_USE;

enum kind expr_kind_of(enum odp_type t);
/* Makes A and B comparable (a text literal becomes the date it says) or says why they are not. ORDERED: for < > BETWEEN. */
enum odp_status expr_unify(struct compiler *c, struct operand *a, struct operand *b, bool ordered) ODP_MUST_USE;
enum odp_status expr_require(struct compiler *c, const struct operand *o, enum kind kind) ODP_MUST_USE;
/* The value of canonical text of an ordered kind that is not TEXT; null when it is none. */
struct num expr_value(enum kind kind, struct odp_slice text);

/* LIKE with % _ and \, by characters of valid UTF-8. (A text literal cannot end in a backslash: \' is a quote.) */
bool expr_like(struct odp_slice text, struct odp_slice pattern);
/* Lower case for ASCII, Latin-1 and Latin Extended-A. OUT has room for 2 * s.len bytes; returns the length. */
size_t expr_fold(struct odp_slice s, char *out);

#endif
