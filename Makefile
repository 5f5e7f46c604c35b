# make demo | check: one command each on a fresh machine; `make help` lists the rest.
VERSION = 1.0
CC ?= cc
CFLAGS ?= -O2 -g
PREFIX ?= /usr/local
MANPREFIX ?= $(PREFIX)/share/man
PROGPREFIX ?=
PROTOC_C ?= protoc-c
B ?= build

WARN = -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Wwrite-strings -Wvla
OURS = -std=c11 -D_GNU_SOURCE -DVERSION='"$(VERSION)"' $(WARN) -Ilib -I$(B)/gen -MMD -MP
LIBS = -lprotobuf-c -lcsv -lz -lm

PROTO = $(patsubst proto/%.proto,$(B)/gen/%.pb-c.h,$(wildcard proto/*.proto))
LIB = $(patsubst lib/%.c,$(B)/lib/%.o,$(wildcard lib/*.c)) $(PROTO:$(B)/gen/%.h=$(B)/gen/%.o)
TOOLS = $(patsubst cmd/%.c,%,$(filter-out cmd/tool.c,$(wildcard cmd/*.c)))
BIN = $(TOOLS:%=$(B)/bin/%)
UNIT = $(patsubst tests/unit/%.c,$(B)/unit/%,$(wildcard tests/unit/*.c))
FUZZ = $(patsubst tests/fuzz/%.c,%,$(filter-out tests/fuzz/main.c,$(wildcard tests/fuzz/*.c)))

# demo and check build on all cores, unless -j was given
PARALLEL = $(if $(findstring jobserver,$(MAKEFLAGS)),,-j$(shell nproc))

all: $(BIN)

$(B)/gen/%.pb-c.c $(B)/gen/%.pb-c.h: proto/%.proto
	@mkdir -p $(@D)
	$(PROTOC_C) --proto_path=proto --c_out=$(B)/gen $<

$(B)/gen/%.o: $(B)/gen/%.c
	$(CC) $(OURS) $(CPPFLAGS) $(CFLAGS) -c -o $@ $<

$(B)/lib/%.o: lib/%.c | $(PROTO)
	@mkdir -p $(@D)
	$(CC) $(OURS) $(CPPFLAGS) $(CFLAGS) -c -o $@ $<

$(B)/cmd/%.o: cmd/%.c | $(PROTO)
	@mkdir -p $(@D)
	$(CC) $(OURS) $(CPPFLAGS) $(CFLAGS) -c -o $@ $<

$(B)/libours.a: $(LIB)
	@rm -f $@
	$(AR) rcs $@ $^

$(B)/bin/%: $(B)/cmd/%.o $(B)/cmd/tool.o $(B)/libours.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS)

$(B)/unit/%: tests/unit/%.c $(B)/libours.a
	@mkdir -p $(@D)
	$(CC) $(OURS) -Itests/unit $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -o $@ $< $(B)/libours.a $(LIBS)

$(B)/replay/%: tests/fuzz/%.c tests/fuzz/main.c $(B)/libours.a
	@mkdir -p $(@D)
	$(CC) $(OURS) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -o $@ $< tests/fuzz/main.c $(B)/libours.a $(LIBS)

# peaks.csv is data of the product: it is compiled in
$(B)/gen/peaks_csv.h: lib/data/peaks.csv
	@mkdir -p $(@D)
	od -An -v -tx1 $< | sed 's/ \(..\)/0x\1,/g' >$@

$(B)/lib/peaks.o: $(B)/gen/peaks_csv.h

deps:
	@sh tests/deps.sh

demo: deps
	@$(MAKE) --no-print-directory $(PARALLEL) all
	@$(MAKE) --no-print-directory -C examples -f demo.mk BIN=../$(B)/bin

check: deps
	@$(MAKE) --no-print-directory $(PARALLEL) all unit replay
	@sh tests/run.sh $(B)

check-corpus: all
	@sh tests/corpus.sh $(B)

unit: $(UNIT)
replay: $(FUZZ:%=$(B)/replay/%)

asan:
	$(MAKE) B=build/asan CFLAGS="-O1 -g -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer" all unit replay
	sh tests/run.sh build/asan

fuzz:
	$(MAKE) B=build/fuzz CC=clang CFLAGS="-O1 -g -fsanitize=address,undefined,fuzzer-no-link" build/fuzz/libours.a
	sh tests/fuzz.sh build/fuzz

lint:
	@sh tests/lint.sh

bench: all
	@sh tests/bench/run.sh $(B)

accept-goldens: all
	@ACCEPT=1 sh tests/run.sh $(B)

# bash completion, from what each tool says of itself
$(B)/completions/xla-filters.bash: $(BIN)
	@mkdir -p $(@D)
	@for t in $(TOOLS); do printf "complete -o default -W '%s' $(PROGPREFIX)%s\n" \
	    "$$($(B)/bin/$$t --help | sed -n 's/^  -., \(--[a-z-]*\).*/\1/p; s/^      \(--[a-z-]*\).*/\1/p' | tr '\n' ' ')" $$t; done >$@

install: all $(B)/completions/xla-filters.bash
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(MANPREFIX)/man1 $(DESTDIR)$(MANPREFIX)/man5 $(DESTDIR)$(MANPREFIX)/man7
	for t in $(TOOLS); do install -m 755 $(B)/bin/$$t $(DESTDIR)$(PREFIX)/bin/$(PROGPREFIX)$$t || exit 1; done
	install -Dm 644 $(B)/completions/xla-filters.bash $(DESTDIR)$(PREFIX)/share/bash-completion/completions/$(PROGPREFIX)xla-filters
	for s in 1 5 7; do for m in man/*.$$s; do [ ! -f $$m ] || install -m 644 $$m $(DESTDIR)$(MANPREFIX)/man$$s/$(PROGPREFIX)$${m##*/} || exit 1; done; done

uninstall:
	rm -f $(DESTDIR)$(PREFIX)/share/bash-completion/completions/$(PROGPREFIX)xla-filters
	for t in $(TOOLS); do rm -f $(DESTDIR)$(PREFIX)/bin/$(PROGPREFIX)$$t; done
	for s in 1 5 7; do for m in man/*.$$s; do rm -f $(DESTDIR)$(MANPREFIX)/man$$s/$(PROGPREFIX)$${m##*/}; done; done

dist:
	git archive --format=tar --prefix=xla-filters-$(VERSION)/ HEAD | gzip -9n >$(B)/xla-filters-$(VERSION).tar.gz

clean:
	rm -rf build

help:
	@echo 'all            the commands, in build/bin'
	@echo 'demo           install what is missing, build, run the main pipeline on a real capture'
	@echo 'check          install what is missing, build, run the tests (needs no other data)'
	@echo 'check-corpus   the tests against ../shared/corpus, where it is'
	@echo 'asan           the tests under the address and undefined-behaviour sanitizers'
	@echo 'lint           formatting, static checks, man pages'
	@echo 'fuzz           each fuzzer for FUZZ_SECONDS (60)'
	@echo 'bench          speed and memory on a large capture made here'
	@echo 'accept-goldens rewrite the expected outputs (look at the diff)'
	@echo 'install uninstall dist clean      DESTDIR PREFIX MANPREFIX PROGPREFIX are kept to'

-include $(wildcard $(B)/lib/*.d $(B)/cmd/*.d $(B)/gen/*.d $(B)/unit/*.d)
.PHONY: all deps demo check check-corpus unit replay asan fuzz lint bench accept-goldens install uninstall dist clean help
.SECONDARY:
