# Every new capture under a folder, every night: make -f examples/nightly.mk RUNS=dir OUT=dir
#
# Each folder under RUNS that holds a capture is investigated into OUT/<its name> (investigate.mk: only what is new or
# changed), and gets a line in OUT/history.tsv.  OUT/slower.tsv compares the two newest, instruction by instruction and
# source line: what got slower.  Folders are taken in the order of their names, so name them by date.
here := $(dir $(lastword $(MAKEFILE_LIST)))
BIN ?= $(here)../build/bin
RUNS ?= .
OUT ?= nightly
export LC_ALL := C
CAPTURES := $(shell find '$(RUNS)' -type f \( -name '*.xplane.pb' -o -name '*.xplane.pb.gz' -o -name '*.trace.json' -o \
    -name '*.trace.json.gz' \) 2>/dev/null | sed 's|/[^/]*$$||; s|/plugins/profile/[^/]*$$||' | sort -u)
NAMES := $(foreach c,$(CAPTURES),$(subst /,_,$(patsubst $(RUNS)/%,%,$(c))))
LATEST := $(lastword $(NAMES))
BEFORE := $(lastword $(filter-out $(LATEST),$(NAMES)))
ifeq ($(CAPTURES),)
$(error no capture under RUNS=$(RUNS))
endif

all: $(OUT)/history.tsv $(if $(BEFORE),$(OUT)/slower.tsv)
.DELETE_ON_ERROR:
.PHONY: all FORCE
FORCE:

# one investigation per capture folder; its own make knows what is up to date
define run
$(OUT)/$(subst /,_,$(patsubst $(RUNS)/%,%,$(1)))/report.txt: FORCE
	@$$(MAKE) --no-print-directory -s -f $(here)investigate.mk BIN=$(BIN) CAP=$(1) OUT=$$(@D) >/dev/null
endef
$(foreach c,$(CAPTURES),$(eval $(call run,$(c))))
REPORTS := $(NAMES:%=$(OUT)/%/report.txt)

$(OUT)/history.tsv: $(REPORTS)
	@sh $(here)bin/history $(NAMES:%=$(OUT)/%) >$@.tmp && mv $@.tmp $@
	@tail -n 5 $@

$(OUT)/slower.tsv: $(REPORTS)
	@sh $(here)bin/slower $(OUT)/$(BEFORE)/roofline.tsv $(OUT)/$(LATEST)/roofline.tsv >$@.tmp && mv $@.tmp $@
	@echo "slower than in $(BEFORE):"
	@head -n 11 $@
