#!/usr/bin/env bash
# A macOS application and a disk image of it, made from dist/intentscope after `develop.py bundle` on a Mac:
#
#     packaging/macos/make-app.sh
#
# Signed for this machine only; for others, set IDENTITY to a Developer ID and notarise the image afterwards.
# Untested: no Mac has run it yet.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

version=$(sed -n 's/^version = "\(.*\)"$/\1/p' pyproject.toml | head -n 1)
app=dist/Intentscope.app
rm -rf "$app"
mkdir -p "$app/Contents/MacOS" "$app/Contents/Resources"
cp -R dist/intentscope/. "$app/Contents/MacOS/"

icons=build/intentscope.iconset
rm -rf "$icons" && mkdir -p "$icons"
for size in 16 32 128 256 512; do
  qlmanage -t -s "$size" -o build packaging/linux/intentscope.svg >/dev/null
  cp build/intentscope.svg.png "$icons/icon_${size}x${size}.png"
  qlmanage -t -s "$((size * 2))" -o build packaging/linux/intentscope.svg >/dev/null
  cp build/intentscope.svg.png "$icons/icon_${size}x${size}@2x.png"
done
iconutil --convert icns --output "$app/Contents/Resources/intentscope.icns" "$icons"

cat > "$app/Contents/Info.plist" <<PLIST
<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>CFBundleName</key><string>Intentscope</string>
  <key>CFBundleIdentifier</key><string>org.intentscope.Intentscope</string>
  <key>CFBundleExecutable</key><string>intentscope</string>
  <key>CFBundleIconFile</key><string>intentscope</string>
  <key>CFBundlePackageType</key><string>APPL</string>
  <key>CFBundleShortVersionString</key><string>$version</string>
  <key>CFBundleVersion</key><string>$version</string>
  <key>LSMinimumSystemVersion</key><string>12.0</string>
  <key>NSHighResolutionCapable</key><true/>
</dict>
</plist>
PLIST

codesign --force --deep --sign "${IDENTITY:--}" "$app"
hdiutil create -volname Intentscope -srcfolder "$app" -ov -format UDZO "dist/intentscope-$version.dmg"
