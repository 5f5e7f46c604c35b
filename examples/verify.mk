# Is what attrib says of graphs true?  make -f examples/verify.mk ON=graphs.xplane.pb OFF=plain.xplane.pb
#
# The same program captured with CUDA or HIP graphs and without (XLA_FLAGS=--xla_gpu_enable_command_buffer=): without,
# the tracer names every kernel, and that is the answer.  First the HLO of the two is compared; then a row per
# instruction: device events per run of the program in both, and device time per run; `agree` is 1 where the numbers of
# events do.  The last line gives the agreement by instructions, by events and by time.
#
# HLO=file or folder   where the programs' HLO is, if it is not in the captures
# DIFFER=1             only the rows that do not agree
here := $(dir $(lastword $(MAKEFILE_LIST)))
BIN ?= $(here)../build/bin
ON ?= graphs.xplane.pb
OFF ?= plain.xplane.pb
HLO ?=
DIFFER ?=
export PATH := $(abspath $(BIN)):$(PATH)
export LC_ALL := C

.PHONY: verify
verify:
	@T=$$(mktemp -d) && trap 'rm -rf "$$T"' EXIT && \
	hlo2tsv -q '$(or $(HLO),$(ON))' | cut -f1-5 | sort >"$$T/on" && \
	hlo2tsv -q '$(or $(HLO),$(OFF))' | cut -f1-5 | sort >"$$T/off" && \
	if cmp -s "$$T/on" "$$T/off"; then \
	    echo "same HLO in both: $$(grep -c . <"$$T/on") instructions" >&2; \
	else \
	    echo "the HLO differs in $$(comm -3 "$$T/on" "$$T/off" | grep -c .) rows: not the same program" >&2; \
	fi && \
	xplane2tsv -q '$(ON)' | attrib -t op --hlo '$(or $(HLO),$(ON))' >"$$T/on" && \
	xplane2tsv -q '$(OFF)' | attrib -t op --hlo '$(or $(HLO),$(OFF))' >"$$T/off" && \
	awk -v differ='$(DIFFER)' -f $(here)bin/verify.awk "$$T/on" "$$T/off"
