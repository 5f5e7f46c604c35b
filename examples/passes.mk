# What each compiler pass did to a module: make -f examples/passes.mk DUMP=dir
#
# DUMP holds the dumps of every pass (XLA_FLAGS="--xla_dump_to=dir --xla_dump_hlo_pass_re=.*"): any number of modules,
# text or proto, plain or gzip.  One row per dump, in the order in which the compiler went; the pass is the one that left
# the module so.  `added` and `removed` count instructions by name against the dump before; a layout copy is an
# instruction that only changes layout.
#
# INSTR=name    what happened to that instruction instead: a row where it appears (the layer at which the graph was
#               changed), changes (and what of it) or is gone
# MODULE=0008   only that module, by the number in its file names or by its name
here := $(dir $(lastword $(MAKEFILE_LIST)))
BIN ?= $(here)../build/bin
DUMP ?= .
MODULE ?=
INSTR ?=
export PATH := $(abspath $(BIN)):$(PATH)
export LC_ALL := C

.PHONY: passes
passes:
	@find '$(DUMP)' -type f \( -name '*.txt' -o -name '*.pb' -o -name '*.gz' \) \
	    \( -name '*.[0-9][0-9][0-9][0-9].*' -o -name '*before_optimizations.*' -o -name '*after_optimizations.[th]*' \) \
	    -exec hlo2tsv -q -t module {} + | awk -v module='$(MODULE)' -f $(here)bin/passes-list.awk | sort | cut -f2- | \
	while IFS= read -r dump; do \
	    printf 'dump\t%s\n' "$$dump"; \
	    hlo2tsv -q "$${dump##*	}"; \
	done | awk -v instr='$(INSTR)' -f $(here)bin/passes.awk
