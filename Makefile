# The front door: `make run` trains a network on the embedded digits and saves it, `make test` runs the tests. CMake and
# Ninja work behind it, in build/release. CC=clang, BUILD=build/other and FLAGS="-D..." choose otherwise.
BUILD  = build/release
PREFIX = /usr/local
FLAGS  =
ONLY   =

export BUILD

.PHONY: all build run test test-full test-gpu bench lint format docs install deb amalgamation clean deps
all: build

deps:
	@scripts/deps.sh all

build:
	@scripts/deps.sh build
	@scripts/build.sh $(BUILD) product $(FLAGS)

run: build
	@$(BUILD)/facula train cnn --data digits --force --save $(BUILD)/digits.safetensors
	@printf '\nThe network is in %s. Now:\n' $(BUILD)/digits.safetensors
	@printf '    %s\n' '$(BUILD)/facula eval $(BUILD)/digits.safetensors' \
		'$(BUILD)/facula predict $(BUILD)/digits.safetensors IMAGE.png --invert --top 3' \
		'$(BUILD)/facula train --resume $(BUILD)/digits.safetensors --epochs 20'

test:
	@scripts/deps.sh build test gpu
	@scripts/build.sh $(BUILD) all $(FLAGS)
	@scripts/test.sh $(BUILD) -LE 'full|kernels'

test-full:
	@scripts/deps.sh all
	@.ci/run --full

test-gpu:
	@scripts/deps.sh build test
	@scripts/build.sh $(BUILD) all $(FLAGS)
	@scripts/test-gpu.sh $(BUILD)

bench:
	@scripts/deps.sh build bench
	@scripts/build.sh $(BUILD) benchmarks $(FLAGS)
	@bench/run.sh $(BUILD) $(ONLY)

lint:
	@scripts/deps.sh build lint
	@scripts/build.sh $(BUILD) all $(FLAGS)
	@scripts/lint.sh $(BUILD)

format:
	@scripts/deps.sh lint
	@scripts/sources.sh | xargs -r clang-format -i

docs:
	@scripts/deps.sh docs
	@scripts/docs.sh build/docs
	@echo "build/docs/html/index.html"

# The library knows where its plugins are installed.
install: override FLAGS += -DCMAKE_INSTALL_PREFIX="$(PREFIX)"
install: build
	@DESTDIR="$(DESTDIR)" cmake --install $(BUILD) --prefix "$(PREFIX)"
	@printf '\nInstalled. Where the compiler and the loader do not look in %s:\n' '$(PREFIX)'
	@printf '    %s\n' 'export PKG_CONFIG_PATH=$(PREFIX)/lib/pkgconfig' 'export LD_LIBRARY_PATH=$(PREFIX)/lib'

# Debian packages, in build/deb/packages.
deb:
	@scripts/deps.sh build deb
	@scripts/deb.sh build/deb

# The library as one file and its header, in build/amalgamation.
amalgamation:
	@scripts/deps.sh build amalgamation
	@scripts/build.sh $(BUILD) facula_rows $(FLAGS)
	@python3 scripts/amalgamate.py . $(BUILD) build/amalgamation
	@echo "build/amalgamation/facula.c and facula.h"

clean:
	rm -rf build/release build/ci build/docs build/amalgamation
