/* The programs of a capture: HLO modules from captures, dumps and folders, found by what an event says of its
 * program, and the cells that each instruction adds to an event.
 *
 * Owns the modules, the inputs they lie in and all text it hands out; everything lives until programs_free.
 */
#ifndef PROGRAMS_H
#define PROGRAMS_H
#include "cost.h"
#include "hlo.h"
#include "inp.h"
#include "tsv.h"

#define PROGRAM_NONE UINT32_MAX

enum { PROGRAMS_ROWS = 8 };

struct instr_cells {  /* encoded, with TABs between */
    struct str head;  /* computation instr opcode category op_name */
    struct str place; /* source source_from */
    struct str dtype;
    struct str flops, bytes, from; /* each one cell */
    struct str
        row[PROGRAMS_ROWS]; /* kept here for whoever puts them together, by whatever tells them apart */
};

struct program {
    struct str cell; /* what column `program` says: the id, else the module's name */
    struct str name;
    struct hlo_module *m; /* NULL: its HLO is not here */
    bool by_name;         /* the module was found by name, its id differs or is not known */
    bool rivals;          /* and others of that name differ from it */
    bool used;
    struct cost_set cost;
    bool costed;
    struct instr_cells *cells; /* per instruction, head.n == 0: not made yet */
};

struct programs {
    struct loaded {
        struct hlo_module *m;
        bool capture; /* embedded in a capture: its id is the program's */
        bool has_id;  /* its own, or for text the one in the dump file's name */
        uint64_t id;
    } * module;
    size_t nmodule, module_cap;
    struct program *program;
    size_t nprogram, program_cap;
    struct map key; /* id cell TAB module cell -> program */
    struct inp **input;
    size_t ninput, input_cap;
    const char *bare;    /* a capture that holds no HLO, or NULL */
    const regex_t *user; /* --user-re, or NULL */
    struct arena arena;
    struct buf scratch;
};

/* Read the modules of a file, or of a folder's files (those after optimization, if there are any).  A fault
 * after the first module is in e with 0 modules lost before it. */
int programs_load(struct programs *p, const char *path, struct err *e);
/* A module that was read otherwise: it is p's from now on. */
void programs_add(struct programs *p, struct hlo_module *m, bool capture);
/* The program of an event by its cells program_id and module ("-" where missing); PROGRAM_NONE if both are.
 */
uint32_t programs_find(struct programs *p, struct str id, struct str module);
/* The program that a loaded module is. */
uint32_t programs_of(struct programs *p, size_t module);
struct instr_cells *programs_cells(struct programs *p, uint32_t program, uint32_t instr);
void programs_free(struct programs *p);
#endif
