; Inno Setup recipe for a Windows installer, made from dist\intentscope after `develop.py bundle` on Windows:
;
;     iscc /DVersion=0.1.0 packaging\windows\intentscope.iss
;
; Untested: no Windows machine has run it yet.

#ifndef Version
  #define Version "0.0.0"
#endif

[Setup]
AppId={{6B0C9E0F-6D5B-4E0E-9C59-1D3B0A8E7F42}
AppName=Intentscope
AppVersion={#Version}
AppPublisher=The Intentscope developers
DefaultDirName={autopf}\Intentscope
DefaultGroupName=Intentscope
DisableProgramGroupPage=yes
PrivilegesRequired=lowest
PrivilegesRequiredOverridesAllowed=dialog
ArchitecturesAllowed=x64compatible
ArchitecturesInstallIn64BitMode=x64compatible
Compression=lzma2/max
SolidCompression=yes
LicenseFile=..\..\LICENSE
OutputDir=..\..\dist
OutputBaseFilename=intentscope-{#Version}-setup
UninstallDisplayIcon={app}\intentscope.exe
ChangesEnvironment=yes

[Files]
Source: "..\..\dist\intentscope\*"; DestDir: "{app}"; Flags: recursesubdirs createallsubdirs ignoreversion

[Icons]
Name: "{group}\Intentscope"; Filename: "{app}\intentscope.exe"
Name: "{group}\Licences"; Filename: "{app}\LICENCES.txt"

[Tasks]
Name: "path"; Description: "Let a terminal find the command intentscope"; Flags: unchecked

[Registry]
Root: HKCU; Subkey: "Environment"; ValueType: expandsz; ValueName: "Path"; ValueData: "{olddata};{app}"; Tasks: path; Check: IsNotOnPath

[Code]
function IsNotOnPath(): Boolean;
var
  Path: string;
begin
  if not RegQueryStringValue(HKCU, 'Environment', 'Path', Path) then
    Path := '';
  Result := Pos(';' + Uppercase(ExpandConstant('{app}')) + ';', ';' + Uppercase(Path) + ';') = 0;
end;
