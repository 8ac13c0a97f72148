# SPDX-License-Identifier: MIT
# Targets for the macOS package; included by the Makefile, which defines VENV,
# BIN and PIP. They need neither torch for Linux nor its compiler.

MACOS_CACHE ?= build/macos
# setup.py builds with setuptools and ninja; zig compiles; lief reads Mach-O.
MACOS_REQUIREMENTS := "setuptools>=77" "ninja>=1.11" "ziglang>=0.15" "lief>=1.0"

.PHONY: wheel-macos audit-macos macos-symbols

$(VENV)/.macos: tools/macos/macos.mk | $(BIN)/python
	$(PIP) $(MACOS_REQUIREMENTS)
	touch $@

wheel-macos: $(VENV)/.macos
	$(BIN)/python -m tools.macos.build_wheel --cache $(MACOS_CACHE)

audit-macos: wheel-macos
	$(BIN)/python -m tools.macos.audit_wheel dist/*-macosx_14_0_arm64.whl

# Reads all supported torch releases (about 600 MB); needed for a new one only.
macos-symbols: $(VENV)/.macos
	$(BIN)/python -m tools.macos.write_symbol_lists --downloads $(MACOS_CACHE)/wheels
