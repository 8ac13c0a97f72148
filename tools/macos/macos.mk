# SPDX-License-Identifier: MIT
# Targets for the macOS package; included by the Makefile, which defines BIN
# (programs of the development environment) and VENV_READY, which makes it.

MACOS_CACHE ?= build/macos

.PHONY: wheel-macos audit-macos macos-symbols

wheel-macos: $(VENV_READY)
	$(BIN)/python -m tools.macos.build_wheel --cache $(MACOS_CACHE)

audit-macos: wheel-macos
	$(BIN)/python -m tools.macos.audit_wheel dist/flash_attn_mps-*-macosx_14_0_arm64.whl

# Reads all supported torch releases (about 600 MB); needed for a new one only.
macos-symbols: $(VENV_READY)
	$(BIN)/python -m tools.macos.write_symbol_lists --downloads $(MACOS_CACHE)/wheels
