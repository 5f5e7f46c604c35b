/* What kind of file this is, by its first bytes (never by its name): for choosing a reader, and so that a
 * tool that was given the wrong file can say what it looks like and which tool reads it. */
#ifndef KIND_H
#define KIND_H
#include "buf.h"

enum kind {
    KIND_EMPTY,
    KIND_HLO_TEXT,
    KIND_HLO_PROTO,  /* HloProto: a module, maybe its buffer assignment */
    KIND_HLO_MODULE, /* HloModuleProto: the module alone */
    KIND_XPLANE,     /* XSpace */
    KIND_STABLEHLO,  /* MLIR, text or bytecode */
    KIND_TRACE_JSON,
    KIND_BUFFERS,    /* buffer assignment as text */
    KIND_TABLE,      /* TSV or CSV with a header */
    KIND_LOG,        /* with an out-of-memory message on its first line */
    KIND_OTHER_DUMP, /* what XLA dumps beside these: live ranges, reports, thunks, LLVM IR, PTX */
    KIND_WEB_PAGE,
    KIND_TEXT, /* none of these */
    KIND_BINARY
};
/* From the first bytes of a file: a few kB are enough. */
enum kind kind_of(const void *p, size_t n);
/* "StableHLO (before XLA); take compiled.as_text() or an XLA dump": ends the sentence "this is ...". */
const char *kind_says(enum kind k);
#endif
