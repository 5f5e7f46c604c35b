# The investigation, in seven steps, of one capture: make -f examples/investigate.mk CAP=dir OUT=dir
#
# CAP holds what a profiler left (looked for at any depth), or is it: *.xplane.pb, *.trace.json, plain or gzip; one
# of them is enough.  DUMP (default: CAP) may hold what the compiler dumped: HLO and *-buffer-assignment.txt; nothing of it is
# needed.  LOG may name what the job wrote to standard error, PEAKS a table of peaks, CSV XProf's exported tables.
# OUT gets a table per question and report.txt; a rerun does only what changed.
#
#   1 event.tsv        what the tracer recorded
#   2 attributed.tsv   which instruction and line each kernel is                        (attrib)
#   3 budget idle launch skip step verdict chain: where the time went                   (skipstats)
#   4 check unreliable capture: do the records agree, what can they not tell            (checksum)
#   5 lane critical last: one step, its critical path                                   (swimlane)
#   6 roofline.tsv, memory.tsv, peak.tsv: how far from the hardware, what fills memory  (roofline, liveness)
#   7 changes.tsv      what to change first                                             (changes)
here := $(dir $(lastword $(MAKEFILE_LIST)))
BIN ?= $(here)../build/bin
CAP ?= .
OUT ?= out
DUMP ?= $(CAP)
LOG ?=
PEAKS ?=
CSV ?=
SHELL := /bin/sh
export PATH := $(abspath $(BIN)):$(PATH)
export LC_ALL := C

find = $(shell find '$(1)' -type f \( $(2) \) 2>/dev/null | sort)
XPLANE := $(firstword $(call find,$(CAP),-name '*.xplane.pb' -o -name '*.xplane.pb.gz'))
JSON := $(firstword $(call find,$(CAP),-name '*.trace.json' -o -name '*.trace.json.gz'))
HLO := $(call find,$(DUMP),-name '*after_optimizations.txt' -o -name '*after_optimizations.hlo.pb' -o -name '*.hlo_proto.pb')
PLAN := $(call find,$(DUMP),-name '*after_optimizations-buffer-assignment.txt')
SOURCE := $(or $(XPLANE),$(JSON))
ifeq ($(SOURCE),)
$(error no *.xplane.pb and no *.trace.json under CAP=$(CAP))
endif

all: $(OUT)/report.txt
.DELETE_ON_ERROR:
.PHONY: all

$(OUT)/.made:
	@mkdir -p $(OUT)
	@touch $@

# 1
$(OUT)/event.tsv: $(SOURCE) | $(OUT)/.made
ifneq ($(XPLANE),)
	xplane2tsv -q -s device_ordinal,device_duration_ps -o $@ $<
else
	trace2tsv -q -s device_ordinal -o $@ $<
endif

# 2
$(OUT)/attributed.tsv: $(OUT)/event.tsv $(HLO)
	attrib -q $(addprefix --hlo ,$(XPLANE) $(HLO)) -o $@ $<
$(OUT)/how.tsv: $(OUT)/event.tsv $(HLO)
	attrib -q $(addprefix --hlo ,$(XPLANE) $(HLO)) -t how -o $@ $<

# 3
$(OUT)/budget.tsv: $(OUT)/attributed.tsv $(LOG)
	skipstats -q $(addprefix --log ,$(LOG)) $(addprefix --meta ,$(XPLANE)) -d $(OUT) $<

# 4: status 1 says that a check fails, which is an answer
$(OUT)/check.tsv: $(OUT)/attributed.tsv $(JSON) $(HLO) $(PLAN) $(CSV)
	checksum -q $(addprefix --meta ,$(XPLANE)) $(if $(XPLANE),$(addprefix --json ,$(JSON))) \
	    $(addprefix --hlo ,$(XPLANE) $(HLO)) $(addprefix --buffers ,$(PLAN)) $(addprefix --csv ,$(CSV)) \
	    -d $(OUT) $< || [ $$? = 1 ]

# 5
$(OUT)/critical.tsv: $(OUT)/attributed.tsv
	swimlane -q -d $(OUT) $<

# 6
$(OUT)/roofline.tsv: $(OUT)/attributed.tsv $(PEAKS)
	roofline -q $(addprefix --peaks ,$(or $(PEAKS),$(XPLANE))) -o $@ $<
$(OUT)/memory.tsv: $(PLAN) $(if $(PLAN),,$(XPLANE)) | $(OUT)/.made
	liveness -q -t summary -o $@ $^ || : >$@
$(OUT)/peak.tsv: $(PLAN) $(if $(PLAN),,$(XPLANE)) | $(OUT)/.made
	liveness -q -t peak -o $@ $^ || : >$@

# 7
$(OUT)/changes.tsv: $(OUT)/attributed.tsv $(OUT)/budget.tsv $(OUT)/critical.tsv $(OUT)/roofline.tsv
	changes -q --budget $(OUT)/budget.tsv --critical $(OUT)/critical.tsv --roofline $(OUT)/roofline.tsv \
	    $(if $(PLAN),--plan $(firstword $(PLAN))) -o $@ $<

$(OUT)/report.txt: $(addprefix $(OUT)/,how.tsv budget.tsv check.tsv critical.tsv roofline.tsv changes.tsv) \
    $(if $(XPLANE)$(PLAN),$(OUT)/memory.tsv $(OUT)/peak.tsv) $(here)bin/report
	@sh $(here)bin/report $(OUT) $(SOURCE) >$@.tmp && mv $@.tmp $@
	@cat $@
