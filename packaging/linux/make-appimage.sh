#!/usr/bin/env bash
# An AppImage, made from dist/intentscope after `develop.py bundle`; needs appimagetool on the path:
#
#     packaging/linux/make-appimage.sh
#
# Untested: appimagetool was not at hand where this was written.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

version=$(sed -n 's/^version = "\(.*\)"$/\1/p' pyproject.toml | head -n 1)
tree=build/AppDir
rm -rf "$tree"
mkdir -p "$tree/usr/lib" "$tree/usr/bin" "$tree/usr/share/metainfo"
cp -R dist/intentscope "$tree/usr/lib/intentscope"
ln -s ../lib/intentscope/intentscope "$tree/usr/bin/intentscope"
cp packaging/linux/intentscope.desktop packaging/linux/intentscope.svg "$tree/"
cp packaging/linux/org.intentscope.Intentscope.metainfo.xml "$tree/usr/share/metainfo/"
ln -s usr/bin/intentscope "$tree/AppRun"
ARCH=$(uname -m) VERSION=$version appimagetool "$tree" "dist/Intentscope-$version-$(uname -m).AppImage"
