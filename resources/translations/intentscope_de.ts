<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="de" sourcelanguage="en">
<context>
    <name>Intentscope</name>
    <message>
        <source>          because {cause}</source>
        <translation>          weil {cause}</translation>
    </message>
    <message>
        <source>  and {n} more</source>
        <translation>  und {n} weitere</translation>
    </message>
    <message>
        <source>  and {n} more; --json has all</source>
        <translation>  und {n} weitere; mit --json alle</translation>
    </message>
    <message numerus="yes">
        <source>  Right, of {n} marked after their decision: {share}</source>
        <translation>
            <numerusform>  Richtig, von {n} danach markierten: {share}</numerusform>
            <numerusform>  Richtig, von {n} danach markierten: {share}</numerusform>
        </translation>
    </message>
    <message>
        <source>  routed answer: right first {first}, among its hits {among}; any store had it in {anywhere}</source>
        <translation>  geroutete Antwort: richtig an erster Stelle {first}, unter ihren Treffern {among}; irgendein Speicher hatte es in {anywhere}</translation>
    </message>
    <message>
        <source>  {name} {outcome} {ms} ms  {step}</source>
        <translation>  {name} {outcome} {ms} ms  {step}</translation>
    </message>
    <message>
        <source>  {name}: {hits} of {looks} found, {rate}</source>
        <translation>  {name}: {hits} von {looks} gefunden, {rate}</translation>
    </message>
    <message numerus="yes">
        <source>  {n} expect nothing that is taught here; see --task</source>
        <translation>
            <numerusform>  {n} erwartet nichts, was hier gelehrt ist; siehe --task</numerusform>
            <numerusform>  {n} erwarten nichts, was hier gelehrt ist; siehe --task</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source> (and {n} more lines alike)</source>
        <translation>
            <numerusform> (und {n} weitere Zeile dieser Art)</numerusform>
            <numerusform> (und {n} weitere Zeilen dieser Art)</numerusform>
        </translation>
    </message>
    <message>
        <source> (not enough alone)</source>
        <translation> (allein nicht genug)</translation>
    </message>
    <message>
        <source> ({done} of {whole})</source>
        <translation> ({done} von {whole})</translation>
    </message>
    <message>
        <source> ({metric} has no value for these cases)</source>
        <translation> ({metric} hat für diese Fälle keinen Wert)</translation>
    </message>
    <message>
        <source> --set and --settings were left out.</source>
        <translation> --set und --settings blieben außer Acht.</translation>
    </message>
    <message>
        <source> among its {table}</source>
        <translation> bei {table}</translation>
    </message>
    <message>
        <source> and </source>
        <translation> und </translation>
    </message>
    <message>
        <source> and more</source>
        <translation> und mehr</translation>
    </message>
    <message>
        <source> and {count} more</source>
        <translation> und {count} mehr</translation>
    </message>
    <message>
        <source> And {more} more.</source>
        <translation> Und {more} mehr.</translation>
    </message>
    <message>
        <source> by {words}</source>
        <translation> durch {words}</translation>
    </message>
    <message>
        <source> from {low} to {high}</source>
        <translation> von {low} bis {high}</translation>
    </message>
    <message>
        <source> It named this program then, too: take those lines out by hand.</source>
        <translation> Sie nannte dieses Programm auch damals schon: nehmen Sie diese Zeilen von Hand heraus.</translation>
    </message>
    <message>
        <source> Near it: {found}.</source>
        <translation> Ähnlich: {found}.</translation>
    </message>
    <message>
        <source> of at least {low}</source>
        <translation> ab {low}</translation>
    </message>
    <message>
        <source> of at most {high}</source>
        <translation> bis {high}</translation>
    </message>
    <message>
        <source> or </source>
        <translation> oder </translation>
    </message>
    <message>
        <source> Save again to replace that, or Esc to take it.</source>
        <translation> Speichern Sie noch einmal, um das zu ersetzen, oder Esc, um es zu übernehmen.</translation>
    </message>
    <message>
        <source> Start the assistant anew; `connect {key} --undo` takes it back.</source>
        <translation> Starten Sie den Assistenten neu; `connect {key} --undo` nimmt es zurück.</translation>
    </message>
    <message>
        <source> to </source>
        <translation> zu </translation>
    </message>
    <message>
        <source> to {stores}</source>
        <translation> zu {stores}</translation>
    </message>
    <message>
        <source> What it held before it named this program stays in {backup}.</source>
        <translation> Was sie enthielt, bevor sie dieses Programm nannte, bleibt in {backup}.</translation>
    </message>
    <message>
        <source> What it held is kept in {backup}.</source>
        <translation> Was darin stand, ist in {backup} aufgehoben.</translation>
    </message>
    <message>
        <source> {backup} is what it was.</source>
        <translation> {backup} ist, was sie war.</translation>
    </message>
    <message>
        <source># About Intentscope

Type a query and see, live, what a hybrid intent detector makes of it, and why.

| | |
| --- | --- |
{table}

[A report of this system]({report}) gathers versions, state and settings as a text to read and copy. Nothing is sent,
and what you typed is left out unless you add it.

## Licence

Intentscope is free software under the [Apache licence 2.0](licence:Intentscope). [What it is built with](licences.md)
stands under licences of its own.

## What it connects to

Nothing that you have not set up: a local LLM, powers that you approved, assistants that you let in. What you type and
teach stays in the profile. The Internet is reached only when you ask for it: to fetch the parts of another encoder, to
look for a newer version where `updates.url` says, or to open a link in the browser.
</source>
        <translation># Über Intentscope

Geben Sie eine Anfrage ein und sehen Sie live, was ein hybrider Absichtsdetektor daraus macht, und warum.

| | |
| --- | --- |
{table}

[Ein Bericht über dieses System]({report}) sammelt Versionen, Zustand und Einstellungen als Text zum Lesen und Kopieren. Nichts wird gesendet,
und was Sie getippt haben, bleibt draußen, wenn Sie es nicht hinzufügen.

## Lizenz

Intentscope ist freie Software unter der [Apache-Lizenz 2.0](licence:Intentscope). [Womit es gebaut ist](licences.md),
steht unter eigenen Lizenzen.

## Womit es sich verbindet

Mit nichts, was Sie nicht eingerichtet haben: einem lokalen LLM, Fähigkeiten, die Sie genehmigt haben, Assistenten, die Sie einlassen. Was Sie tippen und
beibringen, bleibt im Profil. Das Internet wird nur erreicht, wenn Sie es verlangen: um die Teile eines anderen Encoders zu holen, um
nach einer neueren Version zu sehen, wo `updates.url` es sagt, oder um einen Link im Browser zu öffnen.
</translation>
    </message>
    <message>
        <source># Licences

What Intentscope is built with. A name leads to the texts that its package brings. Qt 6 (PySide6) is used under the
LGPL 3; in an installed program its libraries are files of their own and may be replaced. The fonts, Inter and JetBrains
Mono, are used under the SIL Open Font License.

| package | version | licence |
| --- | --- | --- |
{table}
</source>
        <translation># Lizenzen

Womit Intentscope gebaut ist. Ein Name führt zu den Texten, die sein Paket mitbringt. Qt 6 (PySide6) wird unter der
LGPL 3 verwendet; in einem installierten Programm sind seine Bibliotheken eigene Dateien und dürfen ersetzt werden. Die Schriften, Inter und JetBrains
Mono, werden unter der SIL Open Font License verwendet.

| Paket | Version | Lizenz |
| --- | --- | --- |
{table}
</translation>
    </message>
    <message>
        <source># {name}

Its package brings no text of its licence.
</source>
        <translation># {name}

Das Paket bringt keinen Text seiner Lizenz mit.
</translation>
    </message>
    <message>
        <source>&amp;Label</source>
        <translation>&amp;Label</translation>
    </message>
    <message>
        <source>&amp;Namespace</source>
        <translation>&amp;Namensraum</translation>
    </message>
    <message>
        <source>&amp;Own conf.</source>
        <translation>&amp;Eigene Konf.</translation>
    </message>
    <message>
        <source>&amp;Pattern</source>
        <translation>&amp;Muster</translation>
    </message>
    <message>
        <source>&amp;Response</source>
        <translation>Antwort&amp;text</translation>
    </message>
    <message>
        <source>&amp;Says</source>
        <translation>&amp;Sagt</translation>
    </message>
    <message>
        <source>&amp;The lines are</source>
        <translation>&amp;Die Zeilen sind</translation>
    </message>
    <message>
        <source>&amp;Trigger</source>
        <translation>&amp;Auslöser</translation>
    </message>
    <message>
        <source>&amp;Weight</source>
        <translation>&amp;Gewicht</translation>
    </message>
    <message>
        <source>(chosen)</source>
        <translation>(gewählt)</translation>
    </message>
    <message>
        <source>(dead)</source>
        <translation>(tot)</translation>
    </message>
    <message>
        <source>(in both)</source>
        <translation>(in beiden)</translation>
    </message>
    <message>
        <source>(in force)</source>
        <translation>(in Kraft)</translation>
    </message>
    <message>
        <source>(nearly in both)</source>
        <translation>(beinahe in beiden)</translation>
    </message>
    <message>
        <source>(shipped scale)</source>
        <translation>(mitgelieferte Skala)</translation>
    </message>
    <message>
        <source>(without it: {instead})</source>
        <translation>(ohne es: {instead})</translation>
    </message>
    <message>
        <source>({line} bytes, left out)</source>
        <translation>({line} Bytes, ausgelassen)</translation>
    </message>
    <message>
        <source>* best of its column; best: the most right answers</source>
        <translation>* bester der Spalte; bester: die meisten richtigen Antworten</translation>
    </message>
    <message>
        <source>, as for “{example}”.</source>
        <translation>, wie für „{example}“.</translation>
    </message>
    <message>
        <source>, level with {name}</source>
        <translation>, gleichauf mit {name}</translation>
    </message>
    <message>
        <source>, Ollama {version}</source>
        <translation>, Ollama {version}</translation>
    </message>
    <message>
        <source>, since {when}</source>
        <translation>, seit {when}</translation>
    </message>
    <message>
        <source>, under {policy}.</source>
        <translation>, unter {policy}.</translation>
    </message>
    <message>
        <source>, {lead} ahead of {name}</source>
        <translation>, {lead} vor {name}</translation>
    </message>
    <message numerus="yes">
        <source>, {n} variables</source>
        <translation>
            <numerusform>, {n} Variable</numerusform>
            <numerusform>, {n} Variablen</numerusform>
        </translation>
    </message>
    <message>
        <source>--against goes with a share, such as 10.</source>
        <translation>--against gehört zu einem Anteil, etwa 10.</translation>
    </message>
    <message>
        <source>--against-run goes without --against, --sweep, --tokens and --llm.</source>
        <translation>--against-run geht nicht mit --against, --sweep, --tokens und --llm zusammen.</translation>
    </message>
    <message>
        <source>--ask-anew, --llm-seconds and --repeat go with --llm.</source>
        <translation>--ask-anew, --llm-seconds und --repeat gehören zu --llm.</translation>
    </message>
    <message>
        <source>--columns takes HEADING=COLUMN, such as --columns Frage=text; each heading once.</source>
        <translation>--columns nimmt HEADING=COLUMN, wie --columns Frage=text; jede Überschrift einmal.</translation>
    </message>
    <message>
        <source>--from goes with --install accurate.</source>
        <translation>--from geht mit --install accurate.</translation>
    </message>
    <message>
        <source>--junit tells one evaluation, and goes without --sweep.</source>
        <translation>--junit gibt eine Auswertung wieder und geht nicht mit --sweep zusammen.</translation>
    </message>
    <message>
        <source>--kind settings takes FILE.</source>
        <translation>--kind settings braucht DATEI.</translation>
    </message>
    <message>
        <source>--llm goes with --task type, intent and power.</source>
        <translation>--llm gehört zu --task type, intent und power.</translation>
    </message>
    <message>
        <source>--llm with --against or --sweep goes with --task type.</source>
        <translation>--llm mit --against oder --sweep gehört zu --task type.</translation>
    </message>
    <message>
        <source>--llm-seconds takes a number above 0.</source>
        <translation>--llm-seconds nimmt eine Zahl über 0.</translation>
    </message>
    <message>
        <source>--log says what comes by --stdin.</source>
        <translation>--log sagt, was über --stdin kommt.</translation>
    </message>
    <message>
        <source>--name goes with --change.</source>
        <translation>--name geht mit --change.</translation>
    </message>
    <message>
        <source>--no-teach goes with --task route.</source>
        <translation>--no-teach geht mit --task route.</translation>
    </message>
    <message>
        <source>--offline goes with --leave.</source>
        <translation>--offline gehört zu --leave.</translation>
    </message>
    <message>
        <source>--plot takes a file ending in .svg, in a folder that is there, not “{plot}”.</source>
        <translation>--plot nimmt eine Datei mit der Endung .svg in einem vorhandenen Ordner, nicht „{plot}“.</translation>
    </message>
    <message>
        <source>--precision goes with one evaluation of --task intent, memory or power.</source>
        <translation>--precision gehört zu einer einzelnen Auswertung mit --task intent, memory oder power.</translation>
    </message>
    <message>
        <source>--run goes with TEXT or --stdin, and --compare with --run.</source>
        <translation>--run gehört zu TEXT oder --stdin, und --compare zu --run.</translation>
    </message>
    <message>
        <source>--sizes takes numbers from 1 to {most_triggers}.</source>
        <translation>--sizes nimmt Zahlen von 1 bis {most_triggers}.</translation>
    </message>
    <message>
        <source>--sizes takes whole numbers, not “{sizes}”.</source>
        <translation>--sizes nimmt ganze Zahlen, nicht „{sizes}“.</translation>
    </message>
    <message>
        <source>--strangers goes with --precision.</source>
        <translation>--strangers gehört zu --precision.</translation>
    </message>
    <message>
        <source>--strangers takes cases for which nothing is right: there are none.</source>
        <translation>--strangers braucht Fälle, für die nichts richtig ist: es gibt keine.</translation>
    </message>
    <message>
        <source>--task goes with --judge.</source>
        <translation>--task gehört zu --judge.</translation>
    </message>
    <message>
        <source>--task type judges the six types of search intent; if the cases name labels of memories, use --task intent.</source>
        <translation>--task type beurteilt die sechs Typen der Suchabsicht; nennen die Fälle Labels von Erinnerungen, nehmen Sie --task intent.</translation>
    </message>
    <message>
        <source>--title, --stores, --colour and --about go with --add or --change.</source>
        <translation>--title, --stores, --colour und --about gehen mit --add oder --change.</translation>
    </message>
    <message>
        <source>--tokens goes with --task power, and without --against and --sweep.</source>
        <translation>--tokens geht mit --task power und ohne --against und --sweep.</translation>
    </message>
    <message>
        <source>--yes goes with --fill.</source>
        <translation>--yes gehört zu --fill.</translation>
    </message>
    <message>
        <source>.mcp.json in the project</source>
        <translation>.mcp.json im Projekt</translation>
    </message>
    <message>
        <source>.vscode/mcp.json in the project</source>
        <translation>.vscode/mcp.json im Projekt</translation>
    </message>
    <message>
        <source>0 to {ms} ms</source>
        <translation>0 bis {ms} ms</translation>
    </message>
    <message>
        <source>0.300 to 0.700</source>
        <translation>0.300 bis 0.700</translation>
    </message>
    <message>
        <source>0.500, as when new</source>
        <translation>0.500, wie neu</translation>
    </message>
    <message>
        <source>0:0.2:0.02 or 0.1,0.2,0.3</source>
        <translation>0:0.2:0.02 oder 0.1,0.2,0.3</translation>
    </message>
    <message>
        <source>1 file changed</source>
        <translation>1 Datei geändert</translation>
    </message>
    <message>
        <source>1 to 9 times</source>
        <translation>1- bis 9-mal</translation>
    </message>
    <message>
        <source>10 times or more</source>
        <translation>10-mal oder öfter</translation>
    </message>
    <message>
        <source>60 memories and 20 powers to look at. Ctrl+Z takes them out again.</source>
        <translation>60 Erinnerungen und 20 Fähigkeiten zum Ansehen. Strg+Z nimmt sie wieder heraus.</translation>
    </message>
    <message>
        <source>: of {n} cases fixes {fixes}, breaks {breaks}</source>
        <translation>: von {n} Fällen behebt es {fixes}, bricht es {breaks}</translation>
    </message>
    <message numerus="yes">
        <source>: of {n} cases none changes</source>
        <translation>
            <numerusform>: kein anderer Fall ändert sich</numerusform>
            <numerusform>: von {n} Fällen ändert sich keiner</numerusform>
        </translation>
    </message>
    <message>
        <source>; the others get theirs from the next question, or while the window is open</source>
        <translation>; die anderen bekommen ihre ab der nächsten Frage, oder solange das Fenster offen ist</translation>
    </message>
    <message>
        <source>&lt;p style=&quot;white-space: pre-wrap&quot;&gt;{text}&lt;/p&gt;</source>
        <translation>&lt;p style=&quot;white-space: pre-wrap&quot;&gt;{text}&lt;/p&gt;</translation>
    </message>
    <message>
        <source>= confidence in {label}</source>
        <translation>= Konfidenz für {label}</translation>
    </message>
    <message>
        <source>&gt;{ms} ms</source>
        <translation>&gt;{ms} ms</translation>
    </message>
    <message>
        <source>[{name}, {mime}, {n} bytes]</source>
        <translation>[{name}, {mime}, {n} Bytes]</translation>
    </message>
    <message>
        <source>a bonus</source>
        <translation>ein Zuschlag</translation>
    </message>
    <message>
        <source>a candidate is written as route.threshold=0.95, not “{part}”</source>
        <translation>ein Kandidat wird als route.threshold=0.95 geschrieben, nicht „{part}“</translation>
    </message>
    <message>
        <source>a candidate may differ in {keys} only, not in {key}</source>
        <translation>ein Kandidat darf nur in {keys} abweichen, nicht in {key}</translation>
    </message>
    <message>
        <source>A case is a query with the answer that would be right. Mark an answer on the scope as right (Ctrl+Up) or wrong (Ctrl+Down), import labelled queries, or write one yourself.</source>
        <translation>Ein Fall ist eine Anfrage mit der Antwort, die richtig wäre. Markieren Sie eine Antwort im Scope als richtig (Strg+Hoch) oder falsch (Strg+Herunter), importieren Sie markierte Anfragen, oder schreiben Sie selbst einen.</translation>
    </message>
    <message>
        <source>A case is a query with the answer that would be right. Mark answers on the scope (Ctrl+Up, Ctrl+Down), write cases on their page, or take them from a file.</source>
        <translation>Ein Fall ist eine Anfrage mit der Antwort, die richtig wäre. Markieren Sie Antworten im Scope (Strg+Hoch, Strg+Herunter), schreiben Sie Fälle auf deren Seite, oder nehmen Sie sie aus einer Datei.</translation>
    </message>
    <message>
        <source>A case needs a query.</source>
        <translation>Ein Fall braucht eine Anfrage.</translation>
    </message>
    <message>
        <source>A clear type</source>
        <translation>Ein klarer Typ</translation>
    </message>
    <message>
        <source>A cold start is not a time-out: the server loads the model into memory, which takes seconds, and only then answers within milliseconds. The model is kept loaded as long as llm.keep_alive says.</source>
        <translation>Ein Kaltstart ist keine Zeitüberschreitung: der Server lädt das Modell in den Speicher, was Sekunden dauert, und antwortet erst dann in Millisekunden. Das Modell bleibt so lange geladen, wie llm.keep_alive sagt.</translation>
    </message>
    <message>
        <source>a colon</source>
        <translation>ein Doppelpunkt</translation>
    </message>
    <message>
        <source>a comma</source>
        <translation>ein Komma</translation>
    </message>
    <message>
        <source>A conflict</source>
        <translation>Ein Konflikt</translation>
    </message>
    <message>
        <source>A conflict that git could not settle begins here: choose what stays, take out its markers, and try again.</source>
        <translation>Hier beginnt ein Konflikt, den git nicht lösen konnte: wählen Sie, was bleibt, nehmen Sie die Markierungen heraus und versuchen Sie es noch einmal.</translation>
    </message>
    <message>
        <source>A day is written as 2026-11-22, a time as 2026-11-22 04:26; “{typed}” is neither.</source>
        <translation>Ein Tag wird als 2026-11-22 geschrieben, eine Zeit als 2026-11-22 04:26; „{typed}“ ist keines von beiden.</translation>
    </message>
    <message>
        <source>A digest is kept instead of the text, and of the trace numbers and names: nothing to read, ask or decide.</source>
        <translation>Statt des Textes wird eine Prüfsumme behalten, vom Ablauf Zahlen und Namen: nichts zu lesen, zu fragen oder zu entscheiden.</translation>
    </message>
    <message>
        <source>A file beside the library {file} (its name ends in -wal or -shm) was removed or replaced while it was open, so nothing is stored any more; {kept}. Leave these files alone, and try again to open it anew.</source>
        <translation>Eine Datei neben der Bibliothek {file} (ihr Name endet auf -wal oder -shm) wurde entfernt oder ersetzt, während sie offen war, also wird nichts mehr gespeichert; {kept}. Lassen Sie diese Dateien in Ruhe, und versuchen Sie es noch einmal, um sie neu zu öffnen.</translation>
    </message>
    <message>
        <source>a file in a folder is needed</source>
        <translation>es braucht eine Datei in einem Ordner</translation>
    </message>
    <message>
        <source>a file is needed</source>
        <translation>es braucht eine Datei</translation>
    </message>
    <message>
        <source>a file to import, or the folder of a library</source>
        <translation>eine zu importierende Datei, oder der Ordner einer Bibliothek</translation>
    </message>
    <message>
        <source>A folder that holds {model_name} does as well: intentscope encoders --install accurate --from FOLDER</source>
        <translation>Ein Ordner mit {model_name} tut es auch: intentscope encoders --install accurate --from FOLDER</translation>
    </message>
    <message>
        <source>A gate on “{named}” goes with --against, --against-run or --sweep.</source>
        <translation>Eine Schranke auf „{named}“ gehört zu --against, --against-run oder --sweep.</translation>
    </message>
    <message>
        <source>A hook&apos;s log (Subcog, Claude Code)</source>
        <translation>Das Protokoll eines Hooks (Subcog, Claude Code)</translation>
    </message>
    <message>
        <source>A kept run</source>
        <translation>Ein aufgehobener Lauf</translation>
    </message>
    <message>
        <source>A key is sent over https:// alone.</source>
        <translation>Ein Schlüssel wird nur über https:// gesendet.</translation>
    </message>
    <message>
        <source>A keyword that the power declares.</source>
        <translation>Ein Stichwort, das die Fähigkeit nennt.</translation>
    </message>
    <message>
        <source>A library in a folder says itself what it holds: leave out --format, --task and --columns.</source>
        <translation>Eine Bibliothek in einem Ordner sagt selbst, was sie enthält: lassen Sie --format, --task und --columns weg.</translation>
    </message>
    <message>
        <source>A list of objects in [ ] was expected.</source>
        <translation>Eine Liste von Objekten in [ ] wurde erwartet.</translation>
    </message>
    <message>
        <source>A list of objects in [ ], alone or under “{kind}”, was expected.</source>
        <translation>Eine Liste von Objekten in [ ], allein oder unter „{kind}“, wurde erwartet.</translation>
    </message>
    <message>
        <source>A list of objects in [ ], alone or under “{needed}”, was expected.</source>
        <translation>Eine Liste von Objekten in [ ], allein oder unter „{needed}“, wurde erwartet.</translation>
    </message>
    <message>
        <source>a list of objects with “name”, “description” and “inputSchema”</source>
        <translation>eine Liste von Objekten mit „name“, „description“ und „inputSchema“</translation>
    </message>
    <message>
        <source>A list of records, alone or under “{kind}”, was expected.</source>
        <translation>Eine Liste von Einträgen war erwartet, allein oder unter „{kind}“.</translation>
    </message>
    <message>
        <source>a list of tools</source>
        <translation>eine Liste von Werkzeugen</translation>
    </message>
    <message>
        <source>a list “nlu” of objects with “intent” and “examples”</source>
        <translation>eine Liste „nlu“ von Objekten mit „intent“ und „examples“</translation>
    </message>
    <message>
        <source>a list “routes” of objects with “name” and “utterances”</source>
        <translation>eine Liste „routes“ von Objekten mit „name“ und „utterances“</translation>
    </message>
    <message>
        <source>A log is being taken in.</source>
        <translation>Ein Protokoll wird übernommen.</translation>
    </message>
    <message>
        <source>A log is being taken in: {n} of {m} queries.</source>
        <translation>Ein Protokoll wird übernommen: {n} von {m} Anfragen.</translation>
    </message>
    <message>
        <source>A look finds thresholds that nothing reaches, rules that never fire, detectors that stand still, memories that never come first, and vectors that do not fit.</source>
        <translation>Nachsehen findet Schwellen, die nichts erreicht, Regeln, die nie greifen, Detektoren, die stillstehen, Erinnerungen, die nie zuerst kommen, und Vektoren, die nicht passen.</translation>
    </message>
    <message>
        <source>a loopback address</source>
        <translation>eine lokale Adresse</translation>
    </message>
    <message>
        <source>a memory</source>
        <translation>eine Erinnerung</translation>
    </message>
    <message>
        <source>A memory before powers</source>
        <translation>Eine Erinnerung vor Fähigkeiten</translation>
    </message>
    <message>
        <source>A memory is active or paused; “{typed}” is neither.</source>
        <translation>Eine Erinnerung ist aktiv oder pausiert; „{typed}“ ist keins von beiden.</translation>
    </message>
    <message>
        <source>A memory is always in a namespace; “context” is the usual one.</source>
        <translation>Eine Erinnerung ist immer in einem Namensraum; „context“ ist der übliche.</translation>
    </message>
    <message>
        <source>A memory is surfaced from this confidence of its own on.</source>
        <translation>Eine Erinnerung wird ab dieser eigenen Konfidenz mitgegeben.</translation>
    </message>
    <message>
        <source>A memory keeps at least one trigger. Delete the memory instead.</source>
        <translation>Eine Erinnerung behält mindestens einen Auslöser. Löschen Sie stattdessen die Erinnerung.</translation>
    </message>
    <message>
        <source>A memory needs a trigger.</source>
        <translation>Eine Erinnerung braucht einen Auslöser.</translation>
    </message>
    <message>
        <source>a memory of its own</source>
        <translation>eine eigene Erinnerung</translation>
    </message>
    <message>
        <source>a memory that is gone</source>
        <translation>eine Erinnerung, die es nicht mehr gibt</translation>
    </message>
    <message>
        <source>a memory with the label {label}</source>
        <translation>eine Erinnerung mit dem Label {label}</translation>
    </message>
    <message>
        <source>a memory, a label, a type, a power or a route</source>
        <translation>eine Erinnerung, ein Label, ein Typ, eine Fähigkeit oder eine Route</translation>
    </message>
    <message>
        <source>A model of an Ollama server, by its embedding endpoint.</source>
        <translation>Ein Modell eines Ollama-Servers, über dessen Endpunkt für Einbettungen.</translation>
    </message>
    <message>
        <source>a model of your own choice, under the licence that its publisher names</source>
        <translation>ein Modell Ihrer Wahl, unter der Lizenz, die sein Herausgeber nennt</translation>
    </message>
    <message>
        <source>a name</source>
        <translation>ein Name</translation>
    </message>
    <message>
        <source>A name has at most {n} characters.</source>
        <translation>Ein Name hat höchstens {n} Zeichen.</translation>
    </message>
    <message>
        <source>A name has no / \ : * ? &quot; &lt; &gt; | in it, and no dot or blank at its ends.</source>
        <translation>Ein Name enthält kein / \ : * ? &quot; &lt; &gt; | und an den Enden keinen Punkt und kein Leerzeichen.</translation>
    </message>
    <message>
        <source>A name of more than 64 parts is not read.</source>
        <translation>Ein Name von mehr als 64 Teilen wird nicht gelesen.</translation>
    </message>
    <message>
        <source>a name stands there twice</source>
        <translation>ein Name steht zweimal da</translation>
    </message>
    <message>
        <source>A namespace needs a name.</source>
        <translation>Ein Namensraum braucht einen Namen.</translation>
    </message>
    <message>
        <source>A new power can be approved once it is saved.</source>
        <translation>Eine neue Fähigkeit kann genehmigt werden, sobald sie gespeichert ist.</translation>
    </message>
    <message>
        <source>A newer question took the LLM’s place.</source>
        <translation>Eine neuere Frage nahm den Platz des LLM ein.</translation>
    </message>
    <message>
        <source>A page of its tools is longer than {most_tools}; the rest is left out.</source>
        <translation>Eine Seite ihrer Werkzeuge ist länger als {most_tools}; der Rest ist ausgelassen.</translation>
    </message>
    <message>
        <source>A part of the answer ({kind_shown}, {size} bytes) is left out.</source>
        <translation>Ein Teil der Antwort ({kind_shown}, {size} Bytes) ist ausgelassen.</translation>
    </message>
    <message>
        <source>a password or key does not belong here: {place}</source>
        <translation>ein Passwort oder Schlüssel gehört nicht hierher: {place}</translation>
    </message>
    <message>
        <source>a password or key stands in its address or arguments, where everybody reads it who gets the library or an export of it: give it as a header or variable, whose values stay on this machine.</source>
        <translation>in der Adresse oder den Argumenten steht ein Passwort oder Schlüssel, wo alle ihn lesen, die die Bibliothek oder einen Export bekommen: Geben Sie ihn als Kopfzeile oder Variable an, deren Werte auf diesem Rechner bleiben.</translation>
    </message>
    <message>
        <source>a PDF document: save its text first</source>
        <translation>ein PDF-Dokument: speichern Sie zuerst seinen Text</translation>
    </message>
    <message>
        <source>a picture</source>
        <translation>ein Bild</translation>
    </message>
    <message>
        <source>a power has no success score</source>
        <translation>eine Fähigkeit hat keinen Erfolg</translation>
    </message>
    <message>
        <source>A power is an MCP server with words that call it. Add the sample library, or one of your own.</source>
        <translation>Eine Fähigkeit ist ein MCP-Server mit Worten, die ihn rufen. Fügen Sie die Beispielbibliothek hinzu, oder eine eigene.</translation>
    </message>
    <message>
        <source>A power is stopped after so many queries without use; 0: never.</source>
        <translation>Eine Fähigkeit wird nach so vielen Anfragen ohne Gebrauch angehalten; 0: nie.</translation>
    </message>
    <message>
        <source>A power is what an assistant can start.</source>
        <translation>Eine Fähigkeit ist, was ein Assistent starten kann.</translation>
    </message>
    <message>
        <source>A power needs a name.</source>
        <translation>Eine Fähigkeit braucht einen Namen.</translation>
    </message>
    <message>
        <source>A power whose name is in the query scores 0.95.</source>
        <translation>Eine Fähigkeit, deren Name in der Anfrage steht, hat den Score 0.95.</translation>
    </message>
    <message>
        <source>A profile has its own library, settings, history and log. It opens in a window of its own.</source>
        <translation>Ein Profil hat eigene Bibliothek, Einstellungen, eigenen Verlauf und eigenes Protokoll. Es öffnet sich in einem eigenen Fenster.</translation>
    </message>
    <message>
        <source>a program</source>
        <translation>ein Programm</translation>
    </message>
    <message>
        <source>a query</source>
        <translation>eine Anfrage</translation>
    </message>
    <message>
        <source>A query with it gives all of them the same score, and three of them are named.</source>
        <translation>Eine Anfrage damit gibt allen denselben Score, und drei davon werden genannt.</translation>
    </message>
    <message>
        <source>A query without topics has no type.</source>
        <translation>Eine Anfrage ohne Themen hat keinen Typ.</translation>
    </message>
    <message>
        <source>A replay is under way: {n} of {m} queries.</source>
        <translation>Eine Wiederholung läuft: {n} von {m} Anfragen.</translation>
    </message>
    <message>
        <source>A response has at most {n} characters.</source>
        <translation>Ein Antworttext hat höchstens {n} Zeichen.</translation>
    </message>
    <message>
        <source>a right power</source>
        <translation>eine richtige Fähigkeit</translation>
    </message>
    <message>
        <source>A right power among the first 3</source>
        <translation>Eine richtige Fähigkeit unter den ersten 3</translation>
    </message>
    <message>
        <source>A roll-out needs the log of decisions, which history.privacy has switched off.</source>
        <translation>Eine Einführung braucht das Protokoll der Entscheidungen, das history.privacy abgeschaltet hat.</translation>
    </message>
    <message>
        <source>A route needs a name of its own.</source>
        <translation>Eine Route braucht einen eigenen Namen.</translation>
    </message>
    <message>
        <source>A rule decides from {threshold} on.</source>
        <translation>Eine Regel entscheidet ab {threshold}.</translation>
    </message>
    <message>
        <source>A rule is moved within its pack. Its pack is changed in the editor.</source>
        <translation>Eine Regel wird innerhalb ihres Pakets bewegt. Ihr Paket ändert man im Editor.</translation>
    </message>
    <message>
        <source>A rule pack was expected: a table [pack], and its rules under [[rule]].</source>
        <translation>Ein Regelpaket wurde erwartet: eine Tabelle [pack], und seine Regeln unter [[rule]].</translation>
    </message>
    <message>
        <source>A rule that came with the program stays: switch it off instead.</source>
        <translation>Eine Regel, die mit dem Programm kam, bleibt: schalten Sie sie stattdessen aus.</translation>
    </message>
    <message>
        <source>A second power this close to the first keeps it from being activated; 0 turns that off.</source>
        <translation>Eine zweite Fähigkeit, die der ersten so nahe ist, verhindert ihre Aktivierung; 0 schaltet das aus.</translation>
    </message>
    <message>
        <source>A sentence that somebody would type, and what it is to bring.</source>
        <translation>Ein Satz, den jemand tippen würde, und was er bringen soll.</translation>
    </message>
    <message>
        <source>A set of defaults: ours, or the source documents&apos;.</source>
        <translation>Ein Satz von Standardwerten: unsere, oder die der Quelldokumente.</translation>
    </message>
    <message>
        <source>a setting of the candidate, such as route.threshold=0.95; by default those that it had</source>
        <translation>eine Einstellung des Kandidaten, etwa route.threshold=0.95; sonst die, die er hatte</translation>
    </message>
    <message>
        <source>a setting of the other side, such as route.threshold=0.95; may be repeated</source>
        <translation>eine Einstellung der anderen Seite, etwa route.threshold=0.95; auch mehrmals</translation>
    </message>
    <message>
        <source>a settings file (TOML)</source>
        <translation>eine Einstellungsdatei (TOML)</translation>
    </message>
    <message>
        <source>A store that is asked a query is given up after so many seconds.</source>
        <translation>Ein Speicher, der gefragt wird, wird nach so vielen Sekunden aufgegeben.</translation>
    </message>
    <message>
        <source>A table under [[{name}]] was expected.</source>
        <translation>Eine Tabelle unter [[{name}]] wurde erwartet.</translation>
    </message>
    <message>
        <source>A team&apos;s library</source>
        <translation>Die Bibliothek eines Teams</translation>
    </message>
    <message>
        <source>A team&apos;s library needs psycopg, which is not installed: the extra “postgres” has it, which from the sources “python3 packaging/develop.py run --with postgres” installs.</source>
        <translation>Die Bibliothek eines Teams braucht psycopg, das nicht installiert ist: Das Extra „postgres“ enthält es, das aus den Quellen „python3 packaging/develop.py run --with postgres“ installiert.</translation>
    </message>
    <message>
        <source>A tool has a description and no name: give it one, or remove it.</source>
        <translation>Ein Werkzeug hat eine Beschreibung und keinen Namen: geben Sie ihm einen, oder entfernen Sie es.</translation>
    </message>
    <message>
        <source>A trigger cannot be empty. Remove it instead.</source>
        <translation>Ein Auslöser kann nicht leer sein. Entfernen Sie ihn stattdessen.</translation>
    </message>
    <message>
        <source>A trigger has at most {n} characters.</source>
        <translation>Ein Auslöser hat höchstens {n} Zeichen.</translation>
    </message>
    <message>
        <source>A trigger of the memory is empty.</source>
        <translation>Ein Auslöser der Erinnerung ist leer.</translation>
    </message>
    <message>
        <source>A type from {threshold} on brings memories from {least} on.</source>
        <translation>Ein Typ ab {threshold} bringt Erinnerungen ab {least} mit.</translation>
    </message>
    <message>
        <source>A type from {threshold} on brings memories, unsure as they may be.</source>
        <translation>Ein Typ ab {threshold} bringt Erinnerungen mit, so unsicher sie auch sind.</translation>
    </message>
    <message>
        <source>A type matches, but the query has no topics, and the settings ask for one.</source>
        <translation>Ein Typ passt, aber die Anfrage hat keine Themen, und die Einstellungen verlangen eines.</translation>
    </message>
    <message>
        <source>A weak match begins at {weak}. Typing starts nothing.</source>
        <translation>Ein schwacher Treffer beginnt bei {weak}. Tippen startet nichts.</translation>
    </message>
    <message>
        <source>a ZIP archive or an office document: unpack it, or save its table as CSV</source>
        <translation>ein ZIP-Archiv oder Office-Dokument: packen Sie es aus, oder speichern Sie seine Tabelle als CSV</translation>
    </message>
    <message>
        <source>A {named} exists already: edit that one, or name this differently.</source>
        <translation>{named} gibt es schon: bearbeiten Sie das, oder nennen Sie dieses anders.</translation>
    </message>
    <message>
        <source>A “\” at the end stands before nothing.</source>
        <translation>Ein „\“ am Ende steht vor nichts.</translation>
    </message>
    <message>
        <source>About</source>
        <translation>Worum</translation>
    </message>
    <message>
        <source>about a second</source>
        <translation>etwa eine Sekunde</translation>
    </message>
    <message>
        <source>About Intentscope</source>
        <translation>Über Intentscope</translation>
    </message>
    <message>
        <source>about {n} hours</source>
        <translation>etwa {n} Stunden</translation>
    </message>
    <message>
        <source>about {n} min left</source>
        <translation>noch etwa {n} min</translation>
    </message>
    <message>
        <source>about {n} minutes</source>
        <translation>etwa {n} Minuten</translation>
    </message>
    <message>
        <source>about {n} s left</source>
        <translation>noch etwa {n} s</translation>
    </message>
    <message>
        <source>about {n} seconds</source>
        <translation>etwa {n} Sekunden</translation>
    </message>
    <message>
        <source>absent</source>
        <translation>fehlt</translation>
    </message>
    <message>
        <source>absent, not 0</source>
        <translation>fehlt, nicht 0</translation>
    </message>
    <message>
        <source>Abstain</source>
        <translation>Enthaltung</translation>
    </message>
    <message>
        <source>Acceptable (powers)</source>
        <translation>Annehmbar (Fähigkeiten)</translation>
    </message>
    <message>
        <source>Accesses</source>
        <translation>Zugriffe</translation>
    </message>
    <message>
        <source>Accurate</source>
        <translation>Accurate</translation>
    </message>
    <message>
        <source>accurate is not installed. {install}</source>
        <translation>accurate ist nicht installiert. {install}</translation>
    </message>
    <message>
        <source>accurate was written by another version of the program. {remedy}</source>
        <translation>accurate wurde von einer anderen Version des Programms geschrieben. {remedy}</translation>
    </message>
    <message>
        <source>accurate: write it from a folder of its model</source>
        <translation>accurate: aus einem Ordner seines Modells schreiben</translation>
    </message>
    <message>
        <source>activate it first.</source>
        <translation>aktivieren Sie sie zuerst.</translation>
    </message>
    <message>
        <source>Activated</source>
        <translation>Aktiviert</translation>
    </message>
    <message>
        <source>Activated from this confidence on.</source>
        <translation>Aktiviert ab dieser Konfidenz.</translation>
    </message>
    <message>
        <source>Activated: the power is started and its tools are there. Here it is only said what would be.</source>
        <translation>Aktiviert: die Fähigkeit wird gestartet, und ihre Werkzeuge sind da. Hier wird nur gesagt, was geschähe.</translation>
    </message>
    <message>
        <source>Activates</source>
        <translation>Aktiviert</translation>
    </message>
    <message>
        <source>Active</source>
        <translation>Aktiv</translation>
    </message>
    <message>
        <source>Add</source>
        <translation>Hinzufügen</translation>
    </message>
    <message>
        <source>Add a case</source>
        <translation>Einen Fall hinzufügen</translation>
    </message>
    <message>
        <source>Add a keyword</source>
        <translation>Ein Stichwort hinzufügen</translation>
    </message>
    <message>
        <source>Add a keyword and press Enter</source>
        <translation>Stichwort eingeben und Eingabe drücken</translation>
    </message>
    <message>
        <source>Add a name</source>
        <translation>Einen Namen hinzufügen</translation>
    </message>
    <message>
        <source>Add a rule</source>
        <translation>Eine Regel hinzufügen</translation>
    </message>
    <message>
        <source>Add a rule for “{label}” that finds “{cue}”</source>
        <translation>Eine Regel für „{label}“ anlegen, die „{cue}“ findet</translation>
    </message>
    <message>
        <source>Add a rule for “{label}” that finds “{cue}”, as sure as its others ({sure})</source>
        <translation>Eine Regel für „{label}“ anlegen, die „{cue}“ findet, so sicher wie ihre anderen ({sure})</translation>
    </message>
    <message>
        <source>Add a rule for “{label}” that finds “{cue}”, of weight {weight}</source>
        <translation>Eine Regel für „{label}“ anlegen, die „{cue}“ findet, mit Gewicht {weight}</translation>
    </message>
    <message>
        <source>Add a tool</source>
        <translation>Ein Werkzeug hinzufügen</translation>
    </message>
    <message>
        <source>Add a trigger</source>
        <translation>Einen Auslöser hinzufügen</translation>
    </message>
    <message>
        <source>Add an argument</source>
        <translation>Ein Argument hinzufügen</translation>
    </message>
    <message>
        <source>Add an example</source>
        <translation>Ein Beispiel hinzufügen</translation>
    </message>
    <message>
        <source>Add cases about the sample library</source>
        <translation>Fälle zur Beispielbibliothek hinzufügen</translation>
    </message>
    <message>
        <source>Add labelled queries</source>
        <translation>Markierte Anfragen hinzufügen</translation>
    </message>
    <message>
        <source>Add tags</source>
        <translation>Schlagwörter hinzufügen</translation>
    </message>
    <message>
        <source>add the library that ships with the program</source>
        <translation>die Bibliothek hinzufügen, die mit dem Programm kommt</translation>
    </message>
    <message>
        <source>Add the namespace</source>
        <translation>Den Namensraum hinzufügen</translation>
    </message>
    <message>
        <source>Add the query as one more trigger of the selected answer</source>
        <translation>Die Anfrage als weiteren Auslöser der gewählten Antwort hinzufügen</translation>
    </message>
    <message>
        <source>Add the sample library</source>
        <translation>Beispielbibliothek hinzufügen</translation>
    </message>
    <message>
        <source>Add the sample library, or teach the query with Ctrl+T.</source>
        <translation>Fügen Sie die Beispielbibliothek hinzu, oder bringen Sie die Anfrage mit Strg+T bei.</translation>
    </message>
    <message>
        <source>Add trigger</source>
        <translation>Auslöser hinzufügen</translation>
    </message>
    <message>
        <source>Add up again</source>
        <translation>Neu zusammenzählen</translation>
    </message>
    <message>
        <source>Add what a file holds to the library.</source>
        <translation>Der Bibliothek hinzufügen, was eine Datei enthält.</translation>
    </message>
    <message>
        <source>Add …</source>
        <translation>Hinzufügen …</translation>
    </message>
    <message>
        <source>added</source>
        <translation>hinzugefügt</translation>
    </message>
    <message>
        <source>Added the case.</source>
        <translation>Fall hinzugefügt.</translation>
    </message>
    <message>
        <source>Added the namespace “{name}”.</source>
        <translation>Namensraum „{name}“ hinzugefügt.</translation>
    </message>
    <message>
        <source>Added the sample library: {0} memories and powers.</source>
        <translation>Beispielbibliothek hinzugefügt: {0} Erinnerungen und Fähigkeiten.</translation>
    </message>
    <message>
        <source>Added {0} cases about the sample library.</source>
        <translation>{0} Fälle zur Beispielbibliothek hinzugefügt.</translation>
    </message>
    <message>
        <source>Adding the sample library</source>
        <translation>Die Beispielbibliothek wird hinzugefügt</translation>
    </message>
    <message>
        <source>Address</source>
        <translation>Adresse</translation>
    </message>
    <message>
        <source>Address of a team&apos;s library</source>
        <translation>Adresse einer Team-Bibliothek</translation>
    </message>
    <message>
        <source>Address of the Ollama server that encodes; empty: llm.url.</source>
        <translation>Adresse des Ollama-Servers, der einbettet; leer: llm.url.</translation>
    </message>
    <message>
        <source>Address of the Ollama server, such as http://127.0.0.1:11434; empty: none.</source>
        <translation>Adresse des Ollama-Servers, wie http://127.0.0.1:11434; leer: keiner.</translation>
    </message>
    <message>
        <source>Addresses of the servers that hold what is searched, parted by spaces; empty: the library&apos;s.</source>
        <translation>Adressen der Server, auf denen liegt, was durchsucht wird, durch Leerzeichen getrennt; leer: der der Bibliothek.</translation>
    </message>
    <message>
        <source>admitted</source>
        <translation>zugelassen</translation>
    </message>
    <message>
        <source>Advice only: no store is connected.</source>
        <translation>Nur ein Rat: kein Speicher ist verbunden.</translation>
    </message>
    <message>
        <source>After a prompt keep an engine running, without a window, that answers the next at once.</source>
        <translation>Nach einem Prompt eine Maschine ohne Fenster laufen lassen, die den nächsten sofort beantwortet.</translation>
    </message>
    <message>
        <source>After a typing pause of {ms} ms, not counted.</source>
        <translation>Nach einer Tipppause von {ms} ms, nicht gezählt.</translation>
    </message>
    <message>
        <source>After ms</source>
        <translation>Nach ms</translation>
    </message>
    <message>
        <source>After so long without a prompt an engine that the hook started ends.</source>
        <translation>Nach so langer Zeit ohne Prompt endet eine Maschine, die der Hook gestartet hat.</translation>
    </message>
    <message>
        <source>against the LLM</source>
        <translation>gegen das LLM</translation>
    </message>
    <message>
        <source>against the order before the change</source>
        <translation>gegen die Reihenfolge vor der Änderung</translation>
    </message>
    <message>
        <source>against the order by confidence</source>
        <translation>gegen die Reihenfolge nach Konfidenz</translation>
    </message>
    <message>
        <source>agree</source>
        <translation>einig</translation>
    </message>
    <message>
        <source>Agreement</source>
        <translation>Einigkeit</translation>
    </message>
    <message>
        <source>Ahead by</source>
        <translation>Voraus um</translation>
    </message>
    <message>
        <source>alarm</source>
        <translation>Alarm</translation>
    </message>
    <message>
        <source>alarm over {bound}</source>
        <translation>Alarm über {bound}</translation>
    </message>
    <message>
        <source>alarm under {bound}</source>
        <translation>Alarm unter {bound}</translation>
    </message>
    <message>
        <source>Alarm: {sentence}</source>
        <translation>Alarm: {sentence}</translation>
    </message>
    <message>
        <source>Alarms</source>
        <translation>Alarme</translation>
    </message>
    <message>
        <source>alike from here on, 0 to 1</source>
        <translation>gleich ab hier, 0 bis 1</translation>
    </message>
    <message>
        <source>All</source>
        <translation>Alle</translation>
    </message>
    <message>
        <source>all</source>
        <translation>alle</translation>
    </message>
    <message>
        <source>All arguments, as a JSON object.</source>
        <translation>Alle Argumente, als JSON-Objekt.</translation>
    </message>
    <message>
        <source>All changes are there.</source>
        <translation>Alle Änderungen sind dort.</translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation>Alle Dateien (*)</translation>
    </message>
    <message>
        <source>All is well</source>
        <translation>Alles in Ordnung</translation>
    </message>
    <message>
        <source>all is well</source>
        <translation>alles in Ordnung</translation>
    </message>
    <message>
        <source>All is well: nothing was found.</source>
        <translation>Alles in Ordnung: nichts wurde gefunden.</translation>
    </message>
    <message>
        <source>All kinds</source>
        <translation>Alle Arten</translation>
    </message>
    <message>
        <source>All links hold, but {name} is wrong.</source>
        <translation>Alle Glieder halten, aber {name} ist falsch.</translation>
    </message>
    <message>
        <source>All mine</source>
        <translation>Alle meine</translation>
    </message>
    <message>
        <source>All packs</source>
        <translation>Alle Pakete</translation>
    </message>
    <message>
        <source>All powers have {together} together</source>
        <translation>Alle Fähigkeiten haben zusammen {together}</translation>
    </message>
    <message>
        <source>all that is taught with it</source>
        <translation>alles dazu Beigebrachte</translation>
    </message>
    <message>
        <source>All the folder’s</source>
        <translation>Alle des Ordners</translation>
    </message>
    <message>
        <source>All triggers have their vectors.</source>
        <translation>Alle Auslöser haben ihre Vektoren.</translation>
    </message>
    <message numerus="yes">
        <source>All {n} cases stay as they are.</source>
        <translation>
            <numerusform>Der eine Fall bleibt, wie er ist.</numerusform>
            <numerusform>Alle {n} Fälle bleiben, wie sie sind.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>All {n} labels that have one</source>
        <translation>
            <numerusform>{n} Label, das eine hat</numerusform>
            <numerusform>Alle {n} Labels, die eine haben</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>All {n} memories are so already.</source>
        <translation>
            <numerusform>Die Erinnerung ist schon so.</numerusform>
            <numerusform>Alle {n} Erinnerungen sind schon so.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>All {n} triggers were compared, from {spelling} by spelling and {meaning} by meaning.</source>
        <translation>
            <numerusform>{n} Auslöser wurde verglichen, ab {spelling} nach Schreibweise und {meaning} nach Bedeutung.</numerusform>
            <numerusform>Alle {n} Auslöser wurden verglichen, ab {spelling} nach Schreibweise und {meaning} nach Bedeutung.</numerusform>
        </translation>
    </message>
    <message>
        <source>All {tools} tools of all {powers} powers: {everything} (003: {documented_everything}).</source>
        <translation>Alle {tools} Werkzeuge aller {powers} Fähigkeiten: {everything} (003: {documented_everything}).</translation>
    </message>
    <message>
        <source>all-MiniLM-L6-v2 with weights of 8 bits. It ships with the program.</source>
        <translation>all-MiniLM-L6-v2 mit Gewichten von 8 Bit. Es kommt mit dem Programm.</translation>
    </message>
    <message>
        <source>all-MiniLM-L6-v2, Apache-2.0; it ships with the program</source>
        <translation>all-MiniLM-L6-v2, Apache-2.0; kommt mit dem Programm</translation>
    </message>
    <message>
        <source>all-mpnet-base-v2 with weights of 8 bits: tells meanings apart better, and takes two to four times as long.</source>
        <translation>all-mpnet-base-v2 mit Gewichten von 8 Bit: unterscheidet Bedeutungen besser und braucht zwei- bis viermal so lange.</translation>
    </message>
    <message>
        <source>all-mpnet-base-v2, Apache-2.0; fetched and written with weights of 8 bits on this computer</source>
        <translation>all-mpnet-base-v2, Apache-2.0; geholt und auf diesem Rechner mit Gewichten von 8 Bit geschrieben</translation>
    </message>
    <message>
        <source>Alone it</source>
        <translation>Allein</translation>
    </message>
    <message>
        <source>along links</source>
        <translation>entlang von Verbindungen</translation>
    </message>
    <message>
        <source>along links at a time</source>
        <translation>entlang von Verbindungen zu einer Zeit</translation>
    </message>
    <message>
        <source>also what cannot be reached, never fires, or never comes first; here or at an address</source>
        <translation>auch, was unerreichbar ist, nie feuert oder nie zuerst kommt; hier oder an einer Adresse</translation>
    </message>
    <message>
        <source>also what it would be without each word</source>
        <translation>auch, was sie ohne jedes Wort wäre</translation>
    </message>
    <message>
        <source>Ambiguity margin</source>
        <translation>Abstand der Mehrdeutigkeit</translation>
    </message>
    <message>
        <source>among</source>
        <translation>dabei</translation>
    </message>
    <message>
        <source>Among labels: {sentence}</source>
        <translation>Unter den Labels: {sentence}</translation>
    </message>
    <message>
        <source>Among memories: {sentence}</source>
        <translation>Unter den Erinnerungen: {sentence}</translation>
    </message>
    <message>
        <source>Among powers: {sentence}</source>
        <translation>Unter den Fähigkeiten: {sentence}</translation>
    </message>
    <message>
        <source>Among the first 3</source>
        <translation>Unter den ersten 3</translation>
    </message>
    <message>
        <source>Among the first 5</source>
        <translation>Unter den ersten 5</translation>
    </message>
    <message>
        <source>An absent scorer</source>
        <translation>Ein fehlender Scorer</translation>
    </message>
    <message>
        <source>An address begins with http:// or https://.</source>
        <translation>Eine Adresse beginnt mit http:// oder https://.</translation>
    </message>
    <message>
        <source>an address begins with {schemes}, such as {such_as}</source>
        <translation>eine Adresse beginnt mit {schemes}, etwa {such_as}</translation>
    </message>
    <message>
        <source>An address that answers with the newest version as JSON, asked once a day; empty: never asked.</source>
        <translation>Eine Adresse, die die neueste Version als JSON nennt, einmal am Tag gefragt; leer: nie.</translation>
    </message>
    <message>
        <source>An assistant chose among several.</source>
        <translation>Ein Assistent hat unter mehreren gewählt.</translation>
    </message>
    <message>
        <source>an earlier case “{name}”</source>
        <translation>ein früherer Fall „{name}“</translation>
    </message>
    <message>
        <source>an earlier memory “{name}”</source>
        <translation>eine frühere Erinnerung „{name}“</translation>
    </message>
    <message>
        <source>an earlier power “{name}”</source>
        <translation>eine frühere Fähigkeit „{name}“</translation>
    </message>
    <message>
        <source>an earlier rule “{name}”</source>
        <translation>eine frühere Regel „{name}“</translation>
    </message>
    <message>
        <source>An example of “{intent}”: {refused}</source>
        <translation>Ein Beispiel für „{intent}“: {refused}</translation>
    </message>
    <message>
        <source>An import is under way.</source>
        <translation>Ein Import läuft.</translation>
    </message>
    <message>
        <source>An import is under way: line {n}.</source>
        <translation>Ein Import läuft: Zeile {n}.</translation>
    </message>
    <message>
        <source>An import is under way: {n} of {m} lines.</source>
        <translation>Ein Import läuft: {n} von {m} Zeilen.</translation>
    </message>
    <message>
        <source>An LLM that says another type with {least} or more would decide.</source>
        <translation>Ein LLM, das mit {least} oder mehr einen anderen Typ nennt, würde entscheiden.</translation>
    </message>
    <message>
        <source>An LLM that says the same type with {least} or more would surface memories.</source>
        <translation>Ein LLM, das mit {least} oder mehr denselben Typ nennt, brächte Erinnerungen hervor.</translation>
    </message>
    <message>
        <source>An object in { } was expected.</source>
        <translation>Ein Objekt in { } wurde erwartet.</translation>
    </message>
    <message>
        <source>An object with fields was expected.</source>
        <translation>Ein Objekt mit Feldern war erwartet.</translation>
    </message>
    <message>
        <source>an object “mcpServers” or “servers”, or a server.json</source>
        <translation>ein Objekt „mcpServers“ oder „servers“, oder eine server.json</translation>
    </message>
    <message>
        <source>an SQLite database: export what it holds first</source>
        <translation>eine SQLite-Datenbank: exportieren Sie zuerst, was sie enthält</translation>
    </message>
    <message>
        <source>an unknown kind</source>
        <translation>unbekannte Art</translation>
    </message>
    <message>
        <source>An utterance of “{name}”: {refused}</source>
        <translation>Eine Äußerung von „{name}“: {refused}</translation>
    </message>
    <message>
        <source>and {count} more lines with notes</source>
        <translation>und {count} weitere Zeilen mit Hinweisen</translation>
    </message>
    <message>
        <source>and {count} more lines with problems</source>
        <translation>und {count} weitere Zeilen mit Problemen</translation>
    </message>
    <message numerus="yes">
        <source>and {n} more</source>
        <translation>
            <numerusform>und {n} mehr</numerusform>
            <numerusform>und {n} mehr</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>and {n} more cases</source>
        <translation>
            <numerusform>und {n} weiterer Fall</numerusform>
            <numerusform>und {n} weitere Fälle</numerusform>
        </translation>
    </message>
    <message>
        <source>another encoder</source>
        <translation>ein anderer Encoder</translation>
    </message>
    <message>
        <source>another encoder answers</source>
        <translation>ein anderer Encoder antwortet</translation>
    </message>
    <message>
        <source>Another encoder is compared without the LLM.</source>
        <translation>Ein anderer Encoder wird ohne das LLM verglichen.</translation>
    </message>
    <message>
        <source>Another library lies at the address of the team&apos;s, or an older copy of it was put back there, so nothing was changed: leave by “intentscope team --leave --offline”, which keeps what is here, and join with a new profile.</source>
        <translation>Unter der Adresse der Team-Bibliothek liegt eine andere, oder eine ältere Kopie von ihr wurde dort zurückgespielt, also wurde nichts geändert: treten Sie mit „intentscope team --leave --offline“ aus, was behält, was hier ist, und mit einem neuen Profil wieder ein.</translation>
    </message>
    <message>
        <source>another namespace</source>
        <translation>anderer Namensraum</translation>
    </message>
    <message>
        <source>Another power is called “{name}”: give this one a different name.</source>
        <translation>Eine andere Fähigkeit heißt „{name}“: geben Sie dieser einen anderen Namen.</translation>
    </message>
    <message>
        <source>Another program has tables of the same name there ({said}), so nothing was made: name an empty database or schema.</source>
        <translation>Ein anderes Programm hat dort Tabellen gleichen Namens ({said}), also wurde nichts angelegt: nennen Sie eine leere Datenbank oder ein leeres Schema.</translation>
    </message>
    <message>
        <source>Another program is at work in {place}, so nothing was done: try again later.</source>
        <translation>Ein anderes Programm arbeitet in {place}, also wurde nichts getan: versuchen Sie es später noch einmal.</translation>
    </message>
    <message>
        <source>Another program is at work on the secrets in {file}: let it finish, and try again.</source>
        <translation>Ein anderes Programm arbeitet an den Geheimnissen in {file}: lassen Sie es fertig werden, und versuchen Sie es noch einmal.</translation>
    </message>
    <message>
        <source>Another program is writing to the library, as a long import does; this waits for it (Ctrl+C gives up).</source>
        <translation>Ein anderes Programm schreibt in die Bibliothek, wie bei einem langen Import; es wird darauf gewartet (Strg+C gibt auf).</translation>
    </message>
    <message>
        <source>Another text to try the rule on</source>
        <translation>Ein anderer Text zum Probieren der Regel</translation>
    </message>
    <message>
        <source>another value than today&apos;s {0}; {1}</source>
        <translation>ein anderer Wert als der heutige, {0}; {1}</translation>
    </message>
    <message>
        <source>another version of the program</source>
        <translation>eine andere Version des Programms</translation>
    </message>
    <message>
        <source>another wrong answer</source>
        <translation>eine andere falsche Antwort</translation>
    </message>
    <message>
        <source>Another {kind} has the {word} “{named}” already: give this one a different {word}.</source>
        <translation>Ein anderes {kind} hat schon {word} „{named}“: geben Sie diesem ein anderes.</translation>
    </message>
    <message>
        <source>Answer</source>
        <translation>Antwort</translation>
    </message>
    <message>
        <source>answer</source>
        <translation>Antwort</translation>
    </message>
    <message>
        <source>Answer an assistant over MCP on standard input and output.</source>
        <translation>Einem Assistenten über MCP auf Standardein- und -ausgabe antworten.</translation>
    </message>
    <message>
        <source>Answer an assistant&apos;s prompt hook: JSON on stdin, what joins the context on stdout.</source>
        <translation>Den Prompt-Hook eines Assistenten beantworten: JSON auf stdin, was zum Kontext kommt auf stdout.</translation>
    </message>
    <message>
        <source>Answer assistants over MCP by HTTP, on this machine only and behind a token.</source>
        <translation>Assistenten über MCP per HTTP antworten, nur auf diesem Rechner und hinter einem Token.</translation>
    </message>
    <message>
        <source>answer changes {n}</source>
        <translation>Antwort ändert sich {n}-mal</translation>
    </message>
    <message>
        <source>Answer on screen</source>
        <translation>Antwort auf dem Schirm</translation>
    </message>
    <message>
        <source>Answer prompt hooks until none has come for a while; the hook starts it by itself.</source>
        <translation>Prompt-Hooks beantworten, bis eine Weile keiner kam; der Hook startet das von selbst.</translation>
    </message>
    <message>
        <source>Answer the queries of a file, and keep them</source>
        <translation>Die Anfragen einer Datei beantworten und behalten</translation>
    </message>
    <message>
        <source>Answer: {name}, {level}; {outcome}</source>
        <translation>Antwort: {name}, {level}; {outcome}</translation>
    </message>
    <message>
        <source>Answered</source>
        <translation>Beantwortet</translation>
    </message>
    <message>
        <source>answered by</source>
        <translation>Antwort von</translation>
    </message>
    <message>
        <source>answered by {by}</source>
        <translation>Antwort von {by}</translation>
    </message>
    <message>
        <source>Answered from the cache</source>
        <translation>Aus dem Zwischenspeicher beantwortet</translation>
    </message>
    <message>
        <source>answered from {line} on</source>
        <translation>beantwortet ab {line}</translation>
    </message>
    <message>
        <source>Answered in time</source>
        <translation>Rechtzeitig beantwortet</translation>
    </message>
    <message>
        <source>answered in {ms} ms</source>
        <translation>beantwortet in {ms} ms</translation>
    </message>
    <message>
        <source>answered late</source>
        <translation>zu spät geantwortet</translation>
    </message>
    <message>
        <source>Answered rightly</source>
        <translation>Richtig beantwortet</translation>
    </message>
    <message>
        <source>answered rightly</source>
        <translation>richtig beantwortet</translation>
    </message>
    <message>
        <source>answered rightly, or rightly not at all</source>
        <translation>richtig beantwortet, oder zu Recht gar nicht</translation>
    </message>
    <message>
        <source>Answered within {budget} ms</source>
        <translation>Innerhalb von {budget} ms beantwortet</translation>
    </message>
    <message>
        <source>Answered within {budget} ms: {share}.</source>
        <translation>Antwort innerhalb von {budget} ms: {share}.</translation>
    </message>
    <message>
        <source>Answered, though nothing should be</source>
        <translation>Beantwortet, obwohl nichts antworten sollte</translation>
    </message>
    <message>
        <source>Answering the labelled cases, {done} of {total}.</source>
        <translation>Die markierten Fälle werden beantwortet, {done} von {total}.</translation>
    </message>
    <message>
        <source>Answers</source>
        <translation>Antwortet</translation>
    </message>
    <message>
        <source>Answers marked</source>
        <translation>Bewertete Antworten</translation>
    </message>
    <message>
        <source>Answers of both sides, paired</source>
        <translation>Antworten beider Seiten, gepaart</translation>
    </message>
    <message>
        <source>Answers of the LLM</source>
        <translation>Antworten des LLM</translation>
    </message>
    <message>
        <source>Answers stand still</source>
        <translation>Die Antworten stehen still</translation>
    </message>
    <message>
        <source>Answers that it can become a trigger of</source>
        <translation>Antworten, deren Auslöser es werden kann</translation>
    </message>
    <message>
        <source>Answers that the query can become a trigger of</source>
        <translation>Antworten, deren Auslöser die Anfrage werden kann</translation>
    </message>
    <message>
        <source>Answers that there are</source>
        <translation>Antworten, die es gibt</translation>
    </message>
    <message>
        <source>Any</source>
        <translation>Beliebig</translation>
    </message>
    <message>
        <source>any</source>
        <translation>beliebig</translation>
    </message>
    <message>
        <source>any JSON</source>
        <translation>beliebiges JSON</translation>
    </message>
    <message>
        <source>Any model of that library, in a folder or under its name.</source>
        <translation>Irgendein Modell dieser Bibliothek, in einem Ordner oder unter seinem Namen.</translation>
    </message>
    <message>
        <source>Applied: {what}</source>
        <translation>Angewandt: {what}</translation>
    </message>
    <message>
        <source>Applied: {what}.</source>
        <translation>Angewandt: {what}.</translation>
    </message>
    <message>
        <source>Apply</source>
        <translation>Anwenden</translation>
    </message>
    <message>
        <source>Apply: {0}</source>
        <translation>Anwenden: {0}</translation>
    </message>
    <message>
        <source>Approval: a power runs a program or asks an address, so it starts only after your yes to that.</source>
        <translation>Genehmigung: eine Fähigkeit startet ein Programm oder fragt eine Adresse, also erst nach Ihrem Ja dazu.</translation>
    </message>
    <message>
        <source>Approve this address</source>
        <translation>Diese Adresse genehmigen</translation>
    </message>
    <message>
        <source>Approve this command</source>
        <translation>Diesen Befehl genehmigen</translation>
    </message>
    <message>
        <source>Approve this power without starting it</source>
        <translation>Diese Fähigkeit genehmigen, ohne sie zu starten</translation>
    </message>
    <message>
        <source>Approve “{power}”</source>
        <translation>„{power}“ genehmigen</translation>
    </message>
    <message>
        <source>Approved</source>
        <translation>Genehmigt</translation>
    </message>
    <message>
        <source>approved</source>
        <translation>genehmigt</translation>
    </message>
    <message>
        <source>Approved and started “{name}”.</source>
        <translation>„{name}“ genehmigt und gestartet.</translation>
    </message>
    <message>
        <source>Approved before</source>
        <translation>Vorher genehmigt</translation>
    </message>
    <message>
        <source>Approved “{name}”.</source>
        <translation>„{name}“ genehmigt.</translation>
    </message>
    <message>
        <source>Approved “{name}”; “intentscope undo” takes that back.</source>
        <translation>„{name}“ genehmigt; „intentscope undo“ nimmt das zurück.</translation>
    </message>
    <message>
        <source>Approved: it may be started</source>
        <translation>Genehmigt: sie darf gestartet werden</translation>
    </message>
    <message>
        <source>Approve…</source>
        <translation>Genehmigen…</translation>
    </message>
    <message>
        <source>Approximate: the team&apos;s servers chose {found} memories among {triggers} triggers.</source>
        <translation>Näherung: Die Server des Teams wählten {found} Erinnerungen unter {triggers} Auslösern aus.</translation>
    </message>
    <message>
        <source>Argument</source>
        <translation>Argument</translation>
    </message>
    <message>
        <source>argument %(argument_name)s: %(message)s</source>
        <translation>Argument %(argument_name)s: %(message)s</translation>
    </message>
    <message>
        <source>Arguments</source>
        <translation>Argumente</translation>
    </message>
    <message>
        <source>Arguments of the tool</source>
        <translation>Argumente des Werkzeugs</translation>
    </message>
    <message>
        <source>As a trigger of an answer: a digit or the arrows, then Enter</source>
        <translation>Als Auslöser einer Antwort: eine Ziffer oder die Pfeile, dann Eingabe</translation>
    </message>
    <message>
        <source>As after its model was replaced on the server</source>
        <translation>Wie nachdem sein Modell auf dem Server ersetzt wurde</translation>
    </message>
    <message>
        <source>as built</source>
        <translation>wie gebaut</translation>
    </message>
    <message>
        <source>As built (shipped)</source>
        <translation>Wie gebaut (shipped)</translation>
    </message>
    <message>
        <source>As built: what the program of the source does, capped at 0.95, without bonus or penalty.</source>
        <translation>Wie gebaut: was das Programm der Quelle tut, bei 0.95 gekappt, ohne Zuschlag oder Abzug.</translation>
    </message>
    <message>
        <source>as decided</source>
        <translation>wie beschlossen</translation>
    </message>
    <message>
        <source>As decided (adr)</source>
        <translation>Wie beschlossen (adr)</translation>
    </message>
    <message>
        <source>As decided: keywords and LLM are weighed, and keywords lose a little while the LLM is silent.</source>
        <translation>Wie beschlossen: Stichwörter und LLM werden gewichtet, und Stichwörter verlieren etwas, solange das LLM schweigt.</translation>
    </message>
    <message>
        <source>As documented</source>
        <translation>Wie dokumentiert</translation>
    </message>
    <message>
        <source>As documented: the values of the documents that Intentscope was built after, unchanged.</source>
        <translation>Wie dokumentiert: die Werte der Dokumente, nach denen Intentscope gebaut ist, unverändert.</translation>
    </message>
    <message>
        <source>as it came with the program; “all”: all five that ship</source>
        <translation>wie sie mit dem Programm kam; „all“: alle fünf mitgelieferten</translation>
    </message>
    <message>
        <source>As it is</source>
        <translation>Wie es ist</translation>
    </message>
    <message>
        <source>as it is</source>
        <translation>wie es ist</translation>
    </message>
    <message>
        <source>as meant</source>
        <translation>wie gemeint</translation>
    </message>
    <message>
        <source>As one more trigger of an answer: its digit, then Enter</source>
        <translation>Als weiterer Auslöser einer Antwort: ihre Ziffer, dann Eingabe</translation>
    </message>
    <message>
        <source>as promised</source>
        <translation>wie versprochen</translation>
    </message>
    <message>
        <source>as shipped</source>
        <translation>wie ausgeliefert</translation>
    </message>
    <message>
        <source>As {n} values were tried, it takes p below {line}.</source>
        <translation>Da {n} Werte probiert wurden, muss p unter {line} liegen.</translation>
    </message>
    <message>
        <source>Ask</source>
        <translation>Fragen</translation>
    </message>
    <message>
        <source>Ask all that are found again, and list what differs</source>
        <translation>Alle gefundenen noch einmal stellen und auflisten, was anders ist</translation>
    </message>
    <message>
        <source>Ask and read</source>
        <translation>Fragen und lesen</translation>
    </message>
    <message>
        <source>Ask every store, also those that the decision does not lead to</source>
        <translation>Jeden Speicher fragen, auch die, zu denen die Entscheidung nicht führt</translation>
    </message>
    <message>
        <source>Ask it about each case; what it said before is kept and not asked again</source>
        <translation>Es zu jedem Fall fragen; was es früher sagte, ist aufbewahrt und wird nicht erneut gefragt</translation>
    </message>
    <message>
        <source>Ask it about each of the sample that it was not asked about; this may cost money</source>
        <translation>Es zu jeder der Stichprobe fragen, zu der es nicht gefragt wurde; das kann Geld kosten</translation>
    </message>
    <message>
        <source>Ask it again, and see what differs</source>
        <translation>Noch einmal stellen und sehen, was anders ist</translation>
    </message>
    <message>
        <source>Ask it for the route while you type, too.</source>
        <translation>Es auch beim Tippen nach der Route fragen.</translation>
    </message>
    <message>
        <source>Ask it on the scope, under today’s settings (Enter)</source>
        <translation>Im Scope stellen, mit den heutigen Einstellungen (Eingabe)</translation>
    </message>
    <message>
        <source>ask no LLM on either side</source>
        <translation>auf keiner Seite ein LLM fragen</translation>
    </message>
    <message>
        <source>Ask on the scope</source>
        <translation>Im Scope stellen</translation>
    </message>
    <message>
        <source>Ask once more, outside the budget, for topics and reasoning.</source>
        <translation>Noch einmal fragen, außerhalb des Budgets, nach Themen und Begründung.</translation>
    </message>
    <message>
        <source>Ask the first trigger</source>
        <translation>Den ersten Auslöser stellen</translation>
    </message>
    <message>
        <source>Ask the LLM</source>
        <translation>Das LLM fragen</translation>
    </message>
    <message>
        <source>ask the LLM for each case of types, labels or powers, and show what it adds</source>
        <translation>das LLM zu jedem Fall von Typen, Labels oder Fähigkeiten fragen und zeigen, was es beiträgt</translation>
    </message>
    <message>
        <source>Ask the LLM for this route now, as a query that is not typed is</source>
        <translation>Das LLM jetzt nach dieser Route fragen, wie bei einer Anfrage, die nicht getippt wird</translation>
    </message>
    <message>
        <source>Ask the LLM, if one is set up, where rules and examples do not decide.</source>
        <translation>Das LLM fragen, wenn eines eingerichtet ist, wo Regeln und Beispiele nicht entscheiden.</translation>
    </message>
    <message>
        <source>Ask the LLM, too</source>
        <translation>Auch das LLM fragen</translation>
    </message>
    <message>
        <source>Ask the query of the case on the scope (Enter)</source>
        <translation>Die Anfrage des Falls im Scope stellen (Eingabe)</translation>
    </message>
    <message>
        <source>Ask the selected memory in the scope</source>
        <translation>Die gewählte Erinnerung im Scope stellen</translation>
    </message>
    <message>
        <source>Ask the selected past query in the scope</source>
        <translation>Die gewählte frühere Anfrage im Scope stellen</translation>
    </message>
    <message>
        <source>Ask the server for its models</source>
        <translation>Den Server nach seinen Modellen fragen</translation>
    </message>
    <message>
        <source>Ask the trigger of the picked row on the scope</source>
        <translation>Den Auslöser der gewählten Zeile im Scope stellen</translation>
    </message>
    <message>
        <source>ask them again: what is answered otherwise today, and why</source>
        <translation>sie noch einmal stellen: was heute anders beantwortet wird, und warum</translation>
    </message>
    <message>
        <source>Ask this query again (Enter)</source>
        <translation>Diese Anfrage noch einmal stellen (Eingabe)</translation>
    </message>
    <message>
        <source>Asked</source>
        <translation>Gestellt</translation>
    </message>
    <message>
        <source>asked</source>
        <translation>gefragt</translation>
    </message>
    <message>
        <source>Asked for</source>
        <translation>Gefragt für</translation>
    </message>
    <message>
        <source>Asked for, never surfaced</source>
        <translation>Gefragt, nie eingeblendet</translation>
    </message>
    <message>
        <source>Asked when typing pauses, for at most {budget} ms.</source>
        <translation>Gefragt, wenn das Tippen pausiert, für höchstens {budget} ms.</translation>
    </message>
    <message>
        <source>asked {at}</source>
        <translation>gestellt {at}</translation>
    </message>
    <message>
        <source>Asked {runs} times each, {same} of {cases} that were answered more than once named the same each time; their confidences differ by up to {spread}.</source>
        <translation>Je {runs}-mal gefragt, nannten {same} von {cases} mit mehr als einer Antwort jedes Mal dasselbe; ihre Konfidenzen unterscheiden sich um bis zu {spread}.</translation>
    </message>
    <message>
        <source>Asking</source>
        <translation>Fragt</translation>
    </message>
    <message>
        <source>Asking again</source>
        <translation>Wird noch einmal gestellt</translation>
    </message>
    <message>
        <source>asking again</source>
        <translation>wird noch einmal gestellt</translation>
    </message>
    <message>
        <source>Asking for its models</source>
        <translation>Nach seinen Modellen wird gefragt</translation>
    </message>
    <message>
        <source>Asking for {0}</source>
        <translation>{0} wird angefordert</translation>
    </message>
    <message>
        <source>Asking the LLM failed: {name}.</source>
        <translation>Das LLM zu fragen schlug fehl: {name}.</translation>
    </message>
    <message>
        <source>Asking the LLM for routes is switched off (route.use_llm).</source>
        <translation>Das LLM nach Routen zu fragen ist ausgeschaltet (route.use_llm).</translation>
    </message>
    <message>
        <source>asking {answered} ({rate} a second) </source>
        <translation>gefragt: {answered} ({rate} je Sekunde) </translation>
    </message>
    <message>
        <source>Asking {model}, for at most {budget} ms.</source>
        <translation>{model} wird gefragt, für höchstens {budget} ms.</translation>
    </message>
    <message>
        <source>Asking {stores}</source>
        <translation>Frage {stores}</translation>
    </message>
    <message>
        <source>Asks for nothing</source>
        <translation>Fragt nach nichts</translation>
    </message>
    <message>
        <source>asks how relations or a network changed with time</source>
        <translation>fragt, wie sich Beziehungen oder ein Netz änderten</translation>
    </message>
    <message>
        <source>asks whether a group matched</source>
        <translation>fragt, ob eine Gruppe traf</translation>
    </message>
    <message>
        <source>Assistants</source>
        <translation>Assistenten</translation>
    </message>
    <message>
        <source>Assistants that can be connected</source>
        <translation>Assistenten, die verbunden werden können</translation>
    </message>
    <message numerus="yes">
        <source>Assistants, the last {n} days</source>
        <translation>
            <numerusform>Assistenten, {n} Tag</numerusform>
            <numerusform>Assistenten, die letzten {n} Tage</numerusform>
        </translation>
    </message>
    <message>
        <source>Assistants, today</source>
        <translation>Assistenten, heute</translation>
    </message>
    <message>
        <source>at least one weight must be above 0</source>
        <translation>mindestens ein Gewicht muss über 0 liegen</translation>
    </message>
    <message>
        <source>At least {least}.</source>
        <translation>Mindestens {least}.</translation>
    </message>
    <message>
        <source>at least {limit}</source>
        <translation>mindestens {limit}</translation>
    </message>
    <message>
        <source>at least {speed} when it was installed</source>
        <translation>mindestens {speed}, als er installiert wurde</translation>
    </message>
    <message>
        <source>at most {limit}</source>
        <translation>höchstens {limit}</translation>
    </message>
    <message>
        <source>At most {most_values} values are tried at once, not {count}.</source>
        <translation>Höchstens {most_values} Werte werden auf einmal probiert, nicht {count}.</translation>
    </message>
    <message>
        <source>At most {most} values are tried at once, not {n}.</source>
        <translation>Höchstens {most} Werte werden auf einmal probiert, nicht {n}.</translation>
    </message>
    <message>
        <source>At most {most} values are tried at once; this range has far more.</source>
        <translation>Höchstens {most} Werte werden auf einmal probiert; dieser Bereich hat weit mehr.</translation>
    </message>
    <message>
        <source>At most {most}.</source>
        <translation>Höchstens {most}.</translation>
    </message>
    <message numerus="yes">
        <source>At most {n} memories are surfaced</source>
        <translation>
            <numerusform>Höchstens {n} Erinnerung wird mitgegeben</numerusform>
            <numerusform>Höchstens {n} Erinnerungen werden mitgegeben</numerusform>
        </translation>
    </message>
    <message>
        <source>Audit 100 …</source>
        <translation>100 prüfen …</translation>
    </message>
    <message numerus="yes">
        <source>Audit of {n} decisions: agreement of</source>
        <translation>
            <numerusform>Prüfung von {n} Entscheidung: Einigkeit von</numerusform>
            <numerusform>Prüfung von {n} Entscheidungen: Einigkeit von</numerusform>
        </translation>
    </message>
    <message>
        <source>AUROC, answerable</source>
        <translation>AUROC, beantwortbar</translation>
    </message>
    <message>
        <source>Auto</source>
        <translation>Automatisch</translation>
    </message>
    <message>
        <source>automatic mode</source>
        <translation>automatischer Modus</translation>
    </message>
    <message>
        <source>average</source>
        <translation>Mittel</translation>
    </message>
    <message>
        <source>Back (Alt+Left)</source>
        <translation>Zurück (Alt+Links)</translation>
    </message>
    <message>
        <source>Back (Esc)</source>
        <translation>Zurück (Esc)</translation>
    </message>
    <message>
        <source>Back to the history</source>
        <translation>Zurück zum Verlauf</translation>
    </message>
    <message>
        <source>Back to the log</source>
        <translation>Zurück zum Protokoll</translation>
    </message>
    <message>
        <source>Back to the panes (Esc)</source>
        <translation>Zurück zu den Bereichen (Esc)</translation>
    </message>
    <message>
        <source>Balanced</source>
        <translation>Ausgewogen</translation>
    </message>
    <message>
        <source>Balanced: the mean of meaning and centroid, or the same words or a keyword where those are surer.</source>
        <translation>Ausgewogen: das Mittel von Bedeutung und Zentroid, oder gleiche Wörter oder ein Stichwort, wo diese sicherer sind.</translation>
    </message>
    <message>
        <source>band</source>
        <translation>Band</translation>
    </message>
    <message>
        <source>Band never reached: {name}</source>
        <translation>Band nie erreicht: {name}</translation>
    </message>
    <message>
        <source>Bands</source>
        <translation>Bänder</translation>
    </message>
    <message>
        <source>Bands of memories</source>
        <translation>Bänder der Erinnerungen</translation>
    </message>
    <message>
        <source>because the cues are {left} against {right}</source>
        <translation>weil die Hinweiswörter {left} gegen {right} sind</translation>
    </message>
    <message>
        <source>because the left selects by {left}, the right by {right}</source>
        <translation>weil links nach {left} gewählt wird, rechts nach {right}</translation>
    </message>
    <message>
        <source>because the left takes {left} and the right {right}</source>
        <translation>weil links {left} nimmt und rechts {right}</translation>
    </message>
    <message>
        <source>because the rules for its tier differ, or its other scores do</source>
        <translation>weil die Regeln für die Stufe sich unterscheiden, oder die anderen Scores</translation>
    </message>
    <message>
        <source>because the same cues stand in other sentences</source>
        <translation>weil dieselben Hinweiswörter in anderen Sätzen stehen</translation>
    </message>
    <message>
        <source>because {name} comes before it on the left</source>
        <translation>weil links {name} davor kommt</translation>
    </message>
    <message>
        <source>because {name} comes before it on the right</source>
        <translation>weil rechts {name} davor kommt</translation>
    </message>
    <message>
        <source>because {scorer} is absent {side}</source>
        <translation>weil {scorer} {side} fehlt</translation>
    </message>
    <message>
        <source>because {scorer} is {left} against {right}</source>
        <translation>weil {scorer} {left} gegen {right} steht</translation>
    </message>
    <message>
        <source>because {why}</source>
        <translation>weil {why}</translation>
    </message>
    <message>
        <source>Becomes as in the folder</source>
        <translation>Wird wie im Ordner</translation>
    </message>
    <message>
        <source>Before it is started for the first time you are shown exactly what is run.</source>
        <translation>Bevor sie zum ersten Mal gestartet wird, sehen Sie genau, was ausgeführt wird.</translation>
    </message>
    <message>
        <source>Begin here</source>
        <translation>Beginnen Sie hier</translation>
    </message>
    <message>
        <source>Beginning</source>
        <translation>Beginnt</translation>
    </message>
    <message>
        <source>Behind a twin</source>
        <translation>Hinter einem Zwilling</translation>
    </message>
    <message>
        <source>Behind {name} by {parts}; {lead} over none of these.</source>
        <translation>Hinter {name} durch {parts}; {lead} vor „keine davon“.</translation>
    </message>
    <message>
        <source>being fetched</source>
        <translation>wird geholt</translation>
    </message>
    <message>
        <source>below its label&apos;s threshold</source>
        <translation>unter der Schwelle seines Labels</translation>
    </message>
    <message>
        <source>Below the least confidence</source>
        <translation>Unter der geringsten Konfidenz</translation>
    </message>
    <message>
        <source>Below the least success score</source>
        <translation>Unter dem geringsten Erfolg</translation>
    </message>
    <message>
        <source>Below this an LLM answer does not count.</source>
        <translation>Darunter zählt eine Antwort des LLM nicht.</translation>
    </message>
    <message>
        <source>Below this confidence a memory is not found.</source>
        <translation>Unter dieser Konfidenz ist eine Erinnerung nicht gefunden.</translation>
    </message>
    <message>
        <source>below {trusted}</source>
        <translation>unter {trusted}</translation>
    </message>
    <message>
        <source>best</source>
        <translation>bester</translation>
    </message>
    <message>
        <source>Best from</source>
        <translation>Am besten ab</translation>
    </message>
    <message>
        <source>best rule</source>
        <translation>beste Regel</translation>
    </message>
    <message>
        <source>best threshold</source>
        <translation>beste Schwelle</translation>
    </message>
    <message>
        <source>best trigger</source>
        <translation>bester Auslöser</translation>
    </message>
    <message>
        <source>Best trigger per scorer</source>
        <translation>Bester Auslöser je Scorer</translation>
    </message>
    <message>
        <source>beyond the count</source>
        <translation>über der Anzahl</translation>
    </message>
    <message>
        <source>beyond the first five</source>
        <translation>nach den ersten fünf</translation>
    </message>
    <message>
        <source>beyond the first {n}</source>
        <translation>nach den ersten {n}</translation>
    </message>
    <message>
        <source>Bin</source>
        <translation>Papierkorb</translation>
    </message>
    <message>
        <source>Bin days</source>
        <translation>Tage im Papierkorb</translation>
    </message>
    <message>
        <source>blue</source>
        <translation>blau</translation>
    </message>
    <message>
        <source>Both outcomes for powers</source>
        <translation>Beide Ausgänge für Fähigkeiten</translation>
    </message>
    <message>
        <source>Both sides</source>
        <translation>Beide Seiten</translation>
    </message>
    <message>
        <source>Both sides are being settled</source>
        <translation>Beide Seiten werden fertig</translation>
    </message>
    <message>
        <source>Both triggers are of one memory already. Keep one of them, or delete one.</source>
        <translation>Beide Auslöser gehören schon zu einer Erinnerung. Behalten Sie einen davon, oder löschen Sie einen.</translation>
    </message>
    <message>
        <source>Both types</source>
        <translation>Beide Typen</translation>
    </message>
    <message>
        <source>both without the LLM</source>
        <translation>beide ohne das LLM</translation>
    </message>
    <message>
        <source>Break off the look</source>
        <translation>Das Nachsehen abbrechen</translation>
    </message>
    <message>
        <source>Break off the search</source>
        <translation>Die Suche abbrechen</translation>
    </message>
    <message>
        <source>Breaks {cases}.</source>
        <translation>Bricht {cases}.</translation>
    </message>
    <message>
        <source>breaks {n}</source>
        <translation>bricht {n}</translation>
    </message>
    <message>
        <source>Bring it back as you edited it</source>
        <translation>Zurückholen, wie Sie es bearbeitet haben</translation>
    </message>
    <message>
        <source>Bring mine back</source>
        <translation>Meins zurückholen</translation>
    </message>
    <message>
        <source>Bring the memory back to how it was before this step; that is a step of its own</source>
        <translation>Die Erinnerung so zurückholen, wie sie vor diesem Schritt war; das ist ein eigener Schritt</translation>
    </message>
    <message>
        <source>bring them back</source>
        <translation>sie zurückbringen</translation>
    </message>
    <message>
        <source>Bring what is taught into the server, as far as it changed</source>
        <translation>Was beigebracht ist, in den Server bringen, soweit es sich geändert hat</translation>
    </message>
    <message>
        <source>bring what is taught into this store, as far as it changed</source>
        <translation>bringt, was beigebracht ist, in diesen Speicher, soweit es sich geändert hat</translation>
    </message>
    <message>
        <source>Bringing to the server</source>
        <translation>Wird zum Server gebracht</translation>
    </message>
    <message>
        <source>broken</source>
        <translation>gebrochen</translation>
    </message>
    <message>
        <source>Budget, ms</source>
        <translation>Budget, ms</translation>
    </message>
    <message>
        <source>By</source>
        <translation>Durch</translation>
    </message>
    <message>
        <source>by</source>
        <translation>durch</translation>
    </message>
    <message>
        <source>By a case</source>
        <translation>Durch einen Fall</translation>
    </message>
    <message>
        <source>By confidence: how many right answers it promises, and how many came first.</source>
        <translation>Nach Konfidenz: wie viele richtige Antworten sie verspricht und wie viele zuerst kamen.</translation>
    </message>
    <message>
        <source>by default that of the ending of --output, else jsonl</source>
        <translation>sonst das der Endung von --output, sonst jsonl</translation>
    </message>
    <message>
        <source>by default the newest that is kept</source>
        <translation>sonst die neueste, die vorliegt</translation>
    </message>
    <message>
        <source>by default the setting serve.port; 0: any free one</source>
        <translation>sonst die Einstellung serve.port; 0: irgendein freier</translation>
    </message>
    <message>
        <source>by fields, words and meaning</source>
        <translation>nach Feldern, Wörtern und Bedeutung</translation>
    </message>
    <message>
        <source>by meaning</source>
        <translation>nach Bedeutung</translation>
    </message>
    <message>
        <source>By meaning came {by_meaning}, by words {by_words}.</source>
        <translation>Nach Bedeutung kamen {by_meaning}, nach Wörtern {by_words}.</translation>
    </message>
    <message>
        <source>By method</source>
        <translation>Nach Methode</translation>
    </message>
    <message>
        <source>By method; times in ms</source>
        <translation>Nach Methode; Zeiten in ms</translation>
    </message>
    <message>
        <source>By policy</source>
        <translation>Andere Art</translation>
    </message>
    <message>
        <source>by preset</source>
        <translation>je nach Vorgabe</translation>
    </message>
    <message>
        <source>By route</source>
        <translation>Nach Route</translation>
    </message>
    <message>
        <source>by rules alone {detected}</source>
        <translation>allein durch Regeln {detected}</translation>
    </message>
    <message>
        <source>By the candidate of a roll-out: {candidate}</source>
        <translation>Durch den Kandidaten einer Einführung: {candidate}</translation>
    </message>
    <message numerus="yes">
        <source>By {count} labelled cases.</source>
        <translation>
            <numerusform>Nach {count} markiertem Fall.</numerusform>
            <numerusform>Nach {count} markierten Fällen.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>By {count} texts that were left out of the fit and asked; labelled cases tell it better.</source>
        <translation>
            <numerusform>Nach {count} Text, der beim Anpassen ausgelassen und gefragt wurde; markierte Fälle sagen es besser.</numerusform>
            <numerusform>Nach {count} Texten, die beim Anpassen ausgelassen und gefragt wurden; markierte Fälle sagen es besser.</numerusform>
        </translation>
    </message>
    <message>
        <source>Cache</source>
        <translation>Cache</translation>
    </message>
    <message>
        <source>cache</source>
        <translation>Cache</translation>
    </message>
    <message>
        <source>Cache hours</source>
        <translation>Stunden im Zwischenspeicher</translation>
    </message>
    <message>
        <source>Calibrated</source>
        <translation>Kalibriert</translation>
    </message>
    <message>
        <source>Calibrated: as balanced, told as how often an answer of such a confidence is right.</source>
        <translation>Kalibriert: wie ausgewogen, ausgedrückt als die Häufigkeit, mit der eine Antwort solcher Konfidenz richtig ist.</translation>
    </message>
    <message>
        <source>Calibration error</source>
        <translation>Kalibrierungsfehler</translation>
    </message>
    <message>
        <source>calibration error (0 is best)</source>
        <translation>Kalibrierungsfehler (0 ist am besten)</translation>
    </message>
    <message>
        <source>Call</source>
        <translation>Aufrufen</translation>
    </message>
    <message>
        <source>Call it (Enter, or Ctrl+Enter)</source>
        <translation>Aufrufen (Eingabe oder Strg+Eingabe)</translation>
    </message>
    <message>
        <source>Call the tool whose arguments are filled in, on the powers page</source>
        <translation>Das Werkzeug mit den ausgefüllten Argumenten aufrufen, auf der Seite Fähigkeiten</translation>
    </message>
    <message>
        <source>Call time-out (ms)</source>
        <translation>Zeitgrenze für Aufrufe (ms)</translation>
    </message>
    <message>
        <source>Calls</source>
        <translation>Aufrufe</translation>
    </message>
    <message>
        <source>Calls that failed</source>
        <translation>Fehlgeschlagene Aufrufe</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Cancel  Esc</source>
        <translation>Abbrechen  Esc</translation>
    </message>
    <message>
        <source>Cancelled</source>
        <translation>Abgebrochen</translation>
    </message>
    <message>
        <source>Cancelled by a newer query.</source>
        <translation>Von einer neueren Anfrage abgebrochen.</translation>
    </message>
    <message>
        <source>Cancelled; nothing was changed.</source>
        <translation>Abgebrochen; nichts wurde geändert.</translation>
    </message>
    <message>
        <source>Candidate</source>
        <translation>Kandidat</translation>
    </message>
    <message>
        <source>Candidates</source>
        <translation>Kandidaten</translation>
    </message>
    <message>
        <source>Cap</source>
        <translation>Obergrenze</translation>
    </message>
    <message>
        <source>Cascade</source>
        <translation>Kaskade</translation>
    </message>
    <message>
        <source>Cascade: the first scorer that is sure enough decides, the strictest first.</source>
        <translation>Kaskade: der erste Scorer, der sicher genug ist, entscheidet; der strengste zuerst.</translation>
    </message>
    <message>
        <source>Case</source>
        <translation>Fall</translation>
    </message>
    <message>
        <source>Case says</source>
        <translation>Fall sagt</translation>
    </message>
    <message>
        <source>Cases</source>
        <translation>Fälle</translation>
    </message>
    <message>
        <source>cases</source>
        <translation>Fälle</translation>
    </message>
    <message>
        <source>cases for routes are kept but do not teach</source>
        <translation>Fälle für Routen werden behalten, bringen aber nichts bei</translation>
    </message>
    <message>
        <source>Cases from a file</source>
        <translation>Fälle aus einer Datei</translation>
    </message>
    <message>
        <source>Cases that expect it</source>
        <translation>Fälle, die sie erwarten</translation>
    </message>
    <message>
        <source>Cases that were answered</source>
        <translation>Beantwortete Fälle</translation>
    </message>
    <message>
        <source>Cases that were run</source>
        <translation>Geprüfte Fälle</translation>
    </message>
    <message>
        <source>Cause</source>
        <translation>Ursache</translation>
    </message>
    <message>
        <source>Centroid</source>
        <translation>Zentroid</translation>
    </message>
    <message>
        <source>Centroid: the mean of the meanings of all that is taught with an answer.</source>
        <translation>Zentroid: das Mittel der Bedeutungen von allem, was zu einer Antwort beigebracht ist.</translation>
    </message>
    <message>
        <source>Certain confidence</source>
        <translation>Sichere Konfidenz</translation>
    </message>
    <message>
        <source>Certain: all that is taught was looked at.</source>
        <translation>Sicher: alles Beigebrachte wurde angesehen.</translation>
    </message>
    <message>
        <source>Certain: it follows from the formulas and the settings.</source>
        <translation>Sicher: es folgt aus den Formeln und den Einstellungen.</translation>
    </message>
    <message>
        <source>Change</source>
        <translation>Ändern</translation>
    </message>
    <message>
        <source>change</source>
        <translation>Änderung</translation>
    </message>
    <message>
        <source>Change its threshold</source>
        <translation>Seine Schwelle ändern</translation>
    </message>
    <message>
        <source>Change the least confidence</source>
        <translation>Geringste Konfidenz ändern</translation>
    </message>
    <message>
        <source>Change the threshold</source>
        <translation>Schwelle ändern</translation>
    </message>
    <message>
        <source>Change threshold</source>
        <translation>Schwelle ändern</translation>
    </message>
    <message>
        <source>Change to a linear axis</source>
        <translation>Zu einer linearen Achse wechseln</translation>
    </message>
    <message>
        <source>Change to a logarithmic axis</source>
        <translation>Zu einer logarithmischen Achse wechseln</translation>
    </message>
    <message numerus="yes">
        <source>Change {n} memories</source>
        <translation>
            <numerusform>{n} Erinnerung ändern</numerusform>
            <numerusform>{n} Erinnerungen ändern</numerusform>
        </translation>
    </message>
    <message>
        <source>Changed</source>
        <translation>Geändert</translation>
    </message>
    <message>
        <source>changed</source>
        <translation>geändert</translation>
    </message>
    <message>
        <source>changed alike by both</source>
        <translation>von beiden gleich geändert</translation>
    </message>
    <message>
        <source>changed by both: from theirs to yours</source>
        <translation>von beiden geändert: vom fremden zum eigenen Stand</translation>
    </message>
    <message>
        <source>changed by you</source>
        <translation>geändert von Ihnen</translation>
    </message>
    <message>
        <source>changed by {author}</source>
        <translation>geändert von {author}</translation>
    </message>
    <message>
        <source>Changed on both sides</source>
        <translation>Auf beiden Seiten geändert</translation>
    </message>
    <message>
        <source>Changed on the page Namespaces, one weight at a time.</source>
        <translation>Wird auf der Seite Namensräume geändert, ein Gewicht nach dem anderen.</translation>
    </message>
    <message>
        <source>Changed on the page Route, under Routes.</source>
        <translation>Wird auf der Seite Route geändert, unter Routen.</translation>
    </message>
    <message>
        <source>Changed since: {causes}.</source>
        <translation>Seither geändert: {causes}.</translation>
    </message>
    <message>
        <source>changed {at}</source>
        <translation>geändert {at}</translation>
    </message>
    <message>
        <source>Changed {where}</source>
        <translation>Geändert {where}</translation>
    </message>
    <message>
        <source>Changed, and deleted {where}</source>
        <translation>Geändert und {where} gelöscht</translation>
    </message>
    <message>
        <source>Changed: the type of this query is {type} from now on.</source>
        <translation>Geändert: der Typ dieser Anfrage ist von jetzt an {type}.</translation>
    </message>
    <message>
        <source>Changed: this query goes to {label} from now on.</source>
        <translation>Geändert: diese Anfrage geht von jetzt an zu {label}.</translation>
    </message>
    <message>
        <source>Changed: {id}, {parts}</source>
        <translation>Geändert: {id}, {parts}</translation>
    </message>
    <message>
        <source>Changes</source>
        <translation>Änderungen</translation>
    </message>
    <message>
        <source>changes nothing</source>
        <translation>ändert nichts</translation>
    </message>
    <message>
        <source>Changes the setting {0}; loopback only</source>
        <translation>Ändert die Einstellung {0}; nur auf diesem Rechner</translation>
    </message>
    <message>
        <source>Character {place}</source>
        <translation>Zeichen {place}</translation>
    </message>
    <message>
        <source>Characters that are no valid Unicode were replaced by “�”.</source>
        <translation>Zeichen, die kein gültiges Unicode sind, wurden durch „�“ ersetzt.</translation>
    </message>
    <message>
        <source>characters {first} to {last}</source>
        <translation>Zeichen {first} bis {last}</translation>
    </message>
    <message>
        <source>Chats (OpenAI, ChatGPT, Claude, ShareGPT)</source>
        <translation>Chats (OpenAI, ChatGPT, Claude, ShareGPT)</translation>
    </message>
    <message>
        <source>Check</source>
        <translation>Prüfen</translation>
    </message>
    <message>
        <source>Check profile, library and encoder.</source>
        <translation>Profil, Bibliothek und Encoder prüfen.</translation>
    </message>
    <message>
        <source>Checking</source>
        <translation>Wird geprüft</translation>
    </message>
    <message>
        <source>Choose a longer time above, or all routes.</source>
        <translation>Wählen Sie oben eine längere Zeit oder alle Routen.</translation>
    </message>
    <message>
        <source>Choose a model that the server lists, or pull it.</source>
        <translation>Wählen Sie ein Modell, das der Server nennt, oder holen Sie es.</translation>
    </message>
    <message>
        <source>Choose a smaller model, or raise search_intent.llm_timeout_ms.</source>
        <translation>Wählen Sie ein kleineres Modell, oder erhöhen Sie search_intent.llm_timeout_ms.</translation>
    </message>
    <message>
        <source>Choose an encoder that can be loaded.</source>
        <translation>Wählen Sie einen Encoder, der sich laden lässt.</translation>
    </message>
    <message>
        <source>Choose another model on the Settings page.</source>
        <translation>Wählen Sie auf der Seite Einstellungen ein anderes Modell.</translation>
    </message>
    <message>
        <source>Choose another model or another llm.mode.</source>
        <translation>Wählen Sie ein anderes Modell oder einen anderen llm.mode.</translation>
    </message>
    <message>
        <source>Choose another of those side by side, in the list of duplicates</source>
        <translation>Eine andere der nebeneinander gezeigten wählen, in der Liste der Dubletten</translation>
    </message>
    <message>
        <source>Choose below what they hold.</source>
        <translation>Wählen Sie unten, was sie enthalten.</translation>
    </message>
    <message>
        <source>Choose folder</source>
        <translation>Ordner wählen</translation>
    </message>
    <message>
        <source>Choose in the inbox which answer gets the query</source>
        <translation>Im Eingang wählen, welche Antwort die Anfrage bekommt</translation>
    </message>
    <message>
        <source>choose it here</source>
        <translation>wählen Sie es hier</translation>
    </message>
    <message>
        <source>Choose labels</source>
        <translation>Labels wählen</translation>
    </message>
    <message>
        <source>Choose most</source>
        <translation>Höchstens zur Wahl</translation>
    </message>
    <message>
        <source>Choose powers</source>
        <translation>Fähigkeiten wählen</translation>
    </message>
    <message>
        <source>Choose routes</source>
        <translation>Routen wählen</translation>
    </message>
    <message>
        <source>Choose the server and the model that improve on the keywords</source>
        <translation>Server und Modell wählen, die es besser als die Stichwörter machen</translation>
    </message>
    <message>
        <source>Choose what the other side does otherwise, then Run. Nothing is changed by it, and nothing logged.</source>
        <translation>Wählen Sie, was die andere Seite anders macht, dann Ausführen. Nichts wird dadurch geändert, und nichts kommt ins Protokoll.</translation>
    </message>
    <message>
        <source>Choose {value} for it</source>
        <translation>Wählen Sie {value} dafür</translation>
    </message>
    <message>
        <source>chosen</source>
        <translation>gewählt</translation>
    </message>
    <message>
        <source>Chosen by an assistant</source>
        <translation>Von einem Assistenten gewählt</translation>
    </message>
    <message>
        <source>chosen by an assistant</source>
        <translation>von einem Assistenten gewählt</translation>
    </message>
    <message>
        <source>Chosen stage</source>
        <translation>Gewählter Schritt</translation>
    </message>
    <message>
        <source>Claude Code, prompt hook</source>
        <translation>Claude Code, Prompt-Hook</translation>
    </message>
    <message>
        <source>claude_desktop_config.json (Settings, Developer, Edit Config)</source>
        <translation>claude_desktop_config.json (Settings, Developer, Edit Config)</translation>
    </message>
    <message>
        <source>Clean up</source>
        <translation>Aufräumen</translation>
    </message>
    <message>
        <source>Clear</source>
        <translation>Leeren</translation>
    </message>
    <message>
        <source>Clear the cache</source>
        <translation>Zwischenspeicher leeren</translation>
    </message>
    <message>
        <source>Clear the list of recent files</source>
        <translation>Die Liste der zuletzt geöffneten Dateien leeren</translation>
    </message>
    <message>
        <source>Clear the log …</source>
        <translation>Protokoll leeren …</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>close again after S seconds</source>
        <translation>nach S Sekunden wieder schließen</translation>
    </message>
    <message>
        <source>Close it with “)”, or write \( for it.</source>
        <translation>Schließen Sie sie mit „)“, oder schreiben Sie \( dafür.</translation>
    </message>
    <message>
        <source>Close it with “]”, or write \[ for it.</source>
        <translation>Schließen Sie sie mit „]“, oder schreiben Sie \[ dafür.</translation>
    </message>
    <message>
        <source>Close other programs, or choose a smaller one.</source>
        <translation>Schließen Sie andere Programme, oder wählen Sie einen kleineren.</translation>
    </message>
    <message>
        <source>Close the comparison to teach or mark the answer that is selected behind it.</source>
        <translation>Schließen Sie den Vergleich, um die dahinter gewählte Antwort beizubringen oder zu markieren.</translation>
    </message>
    <message>
        <source>Close the window</source>
        <translation>Das Fenster schließen</translation>
    </message>
    <message>
        <source>Close this line</source>
        <translation>Diese Zeile schließen</translation>
    </message>
    <message>
        <source>closed its output</source>
        <translation>schloss ihre Ausgabe</translation>
    </message>
    <message>
        <source>closed the connection</source>
        <translation>schloss die Verbindung</translation>
    </message>
    <message>
        <source>Colour</source>
        <translation>Farbe</translation>
    </message>
    <message>
        <source>Colours of the window.</source>
        <translation>Farben des Fensters.</translation>
    </message>
    <message>
        <source>Columns</source>
        <translation>Spalten</translation>
    </message>
    <message>
        <source>columns to filter by, separated by commas</source>
        <translation>Spalten, nach denen gefiltert wird, durch Kommas getrennt</translation>
    </message>
    <message>
        <source>Combination</source>
        <translation>Kombination</translation>
    </message>
    <message>
        <source>Combination at the left</source>
        <translation>Kombination links</translation>
    </message>
    <message>
        <source>Combination at the right</source>
        <translation>Kombination rechts</translation>
    </message>
    <message>
        <source>combination=max; fallback_threshold=0.4</source>
        <translation>combination=max; fallback_threshold=0.4</translation>
    </message>
    <message>
        <source>Combinations</source>
        <translation>Kombinationen</translation>
    </message>
    <message>
        <source>Combinations side by side</source>
        <translation>Kombinationen nebeneinander</translation>
    </message>
    <message>
        <source>Combine</source>
        <translation>Kombinieren</translation>
    </message>
    <message>
        <source>Combine the scores by “{title}” (combination {name})</source>
        <translation>Die Scores durch „{title}“ kombinieren (combination {name})</translation>
    </message>
    <message>
        <source>Combine the scores of powers by “{title}” (power_combination {name})</source>
        <translation>Die Scores von Fähigkeiten durch „{title}“ kombinieren (power_combination {name})</translation>
    </message>
    <message>
        <source>Comes first</source>
        <translation>Kommt zuerst</translation>
    </message>
    <message>
        <source>Command</source>
        <translation>Befehl</translation>
    </message>
    <message>
        <source>Command line</source>
        <translation>Befehlszeile</translation>
    </message>
    <message>
        <source>command line</source>
        <translation>Befehlszeile</translation>
    </message>
    <message>
        <source>Commands</source>
        <translation>Befehle</translation>
    </message>
    <message>
        <source>compacted        from {:,} to {:,} bytes on the disk</source>
        <translation>verkleinert      von {:,} auf {:,} Bytes auf dem Datenträger</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>Vergleichen</translation>
    </message>
    <message>
        <source>Compare all</source>
        <translation>Alle vergleichen</translation>
    </message>
    <message>
        <source>Compare answers every case under today&apos;s settings and under others, and tells what turns.</source>
        <translation>Vergleichen beantwortet jeden Fall mit den heutigen und mit anderen Einstellungen und sagt, was kippt.</translation>
    </message>
    <message>
        <source>Compare every trigger with every other, in the background</source>
        <translation>Jeden Auslöser mit jedem anderen vergleichen, im Hintergrund</translation>
    </message>
    <message>
        <source>compare policies</source>
        <translation>Arten vergleichen</translation>
    </message>
    <message>
        <source>Compare presets</source>
        <translation>Vorgaben vergleichen</translation>
    </message>
    <message>
        <source>Comparing</source>
        <translation>Wird verglichen</translation>
    </message>
    <message>
        <source>Comparing both sides</source>
        <translation>Beide Seiten werden verglichen</translation>
    </message>
    <message>
        <source>Comparison</source>
        <translation>Vergleich</translation>
    </message>
    <message>
        <source>compressed (gzip): unpack it first</source>
        <translation>gepackt (gzip): packen Sie sie zuerst aus</translation>
    </message>
    <message>
        <source>Confidence</source>
        <translation>Konfidenz</translation>
    </message>
    <message>
        <source>confidence</source>
        <translation>Konfidenz</translation>
    </message>
    <message>
        <source>confidence below {least}</source>
        <translation>Konfidenz unter {least}</translation>
    </message>
    <message>
        <source>confidence from</source>
        <translation>Konfidenz ab</translation>
    </message>
    <message>
        <source>Confidence of the first answer</source>
        <translation>Konfidenz der ersten Antwort</translation>
    </message>
    <message>
        <source>Confidence of the type</source>
        <translation>Konfidenz des Typs</translation>
    </message>
    <message>
        <source>confidence {0}</source>
        <translation>Konfidenz {0}</translation>
    </message>
    <message>
        <source>confidence {left} against {right}</source>
        <translation>Konfidenz {left} gegen {right}</translation>
    </message>
    <message>
        <source>confidence {left} on both sides</source>
        <translation>Konfidenz {left} auf beiden Seiten</translation>
    </message>
    <message>
        <source>Confidence × weight</source>
        <translation>Konfidenz × Gewicht</translation>
    </message>
    <message>
        <source>Confidence, lead</source>
        <translation>Konf., Vorsprung</translation>
    </message>
    <message>
        <source>Confidences of right and wrong answers</source>
        <translation>Konfidenzen richtiger und falscher Antworten</translation>
    </message>
    <message>
        <source>Conflict</source>
        <translation>Konflikt</translation>
    </message>
    <message>
        <source>Conflicts</source>
        <translation>Konflikte</translation>
    </message>
    <message>
        <source>Confusion</source>
        <translation>Verwechslung</translation>
    </message>
    <message>
        <source>Confusion: expected answers by given ones</source>
        <translation>Verwechslung: erwartete Antworten gegen gegebene</translation>
    </message>
    <message>
        <source>Connect an assistant</source>
        <translation>Einen Assistenten verbinden</translation>
    </message>
    <message>
        <source>Connect an assistant: {0}</source>
        <translation>Einen Assistenten verbinden: {0}</translation>
    </message>
    <message>
        <source>Connect an LLM</source>
        <translation>Ein LLM verbinden</translation>
    </message>
    <message>
        <source>Connect to this address</source>
        <translation>Mit dieser Adresse verbinden</translation>
    </message>
    <message>
        <source>Connect…</source>
        <translation>Verbinden…</translation>
    </message>
    <message>
        <source>Contents of the help</source>
        <translation>Inhalt der Hilfe</translation>
    </message>
    <message>
        <source>Context</source>
        <translation>Kontext</translation>
    </message>
    <message>
        <source>Context length</source>
        <translation>Kontextlänge</translation>
    </message>
    <message>
        <source>Copied the answer.</source>
        <translation>Antwort kopiert.</translation>
    </message>
    <message>
        <source>Copied the comparison as text.</source>
        <translation>Den Vergleich als Text kopiert.</translation>
    </message>
    <message>
        <source>Copied the inspection as {0}.</source>
        <translation>Die Inspektion als {0} kopiert.</translation>
    </message>
    <message numerus="yes">
        <source>Copied {n} tokens.</source>
        <translation>
            <numerusform>{n} Token kopiert.</numerusform>
            <numerusform>{n} Token kopiert.</numerusform>
        </translation>
    </message>
    <message>
        <source>Copied.</source>
        <translation>Kopiert.</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>Kopieren</translation>
    </message>
    <message>
        <source>Copy all</source>
        <translation>Alles kopieren</translation>
    </message>
    <message>
        <source>Copy the address</source>
        <translation>Adresse kopieren</translation>
    </message>
    <message>
        <source>Copy the comparison as text</source>
        <translation>Den Vergleich als Text kopieren</translation>
    </message>
    <message>
        <source>Copy the inspection as</source>
        <translation>Die Inspektion kopieren als</translation>
    </message>
    <message>
        <source>Copy the inspection as JSON</source>
        <translation>Die Inspektion als JSON kopieren</translation>
    </message>
    <message>
        <source>Copy the inspection as Markdown</source>
        <translation>Die Inspektion als Markdown kopieren</translation>
    </message>
    <message>
        <source>Copy the inspection as text</source>
        <translation>Die Inspektion als Text kopieren</translation>
    </message>
    <message>
        <source>Copy the inspection as …</source>
        <translation>Die Inspektion kopieren als …</translation>
    </message>
    <message>
        <source>Copy the query of {0}</source>
        <translation>Abfrage von {0} kopieren</translation>
    </message>
    <message>
        <source>Copy the selected messages, or all (Ctrl+C in the list)</source>
        <translation>Die gewählten Nachrichten kopieren, oder alle (Strg+C in der Liste)</translation>
    </message>
    <message>
        <source>Copy the text at the left into an assistant’s configuration. What it asks over MCP is listed here.</source>
        <translation>Kopieren Sie den Text links in die Konfiguration eines Assistenten. Was er über MCP fragt, wird hier gelistet.</translation>
    </message>
    <message>
        <source>Copy the whole answer</source>
        <translation>Die ganze Antwort kopieren</translation>
    </message>
    <message>
        <source>Copy the whole library into one file, and say where.</source>
        <translation>Die ganze Bibliothek in eine Datei kopieren und sagen, wohin.</translation>
    </message>
    <message>
        <source>Copy what would be injected</source>
        <translation>Kopieren, was eingefügt würde</translation>
    </message>
    <message>
        <source>Copying what is here</source>
        <translation>Was hier ist, wird kopiert</translation>
    </message>
    <message>
        <source>Cost</source>
        <translation>Kosten</translation>
    </message>
    <message>
        <source>Cost of a query</source>
        <translation>Kosten einer Anfrage</translation>
    </message>
    <message>
        <source>Cost per query</source>
        <translation>Kosten je Anfrage</translation>
    </message>
    <message>
        <source>count</source>
        <translation>Anzahl</translation>
    </message>
    <message>
        <source>Count cases</source>
        <translation>Fälle zählen</translation>
    </message>
    <message>
        <source>counted</source>
        <translation>gezählt</translation>
    </message>
    <message>
        <source>Counting the labelled cases was stopped.</source>
        <translation>Das Zählen der markierten Fälle wurde angehalten.</translation>
    </message>
    <message>
        <source>Counts and times</source>
        <translation>Anzahlen und Zeiten</translation>
    </message>
    <message>
        <source>coverage</source>
        <translation>Abdeckung</translation>
    </message>
    <message>
        <source>Coverage and precision</source>
        <translation>Abdeckung und Präzision</translation>
    </message>
    <message>
        <source>CSV (*.csv)</source>
        <translation>CSV (*.csv)</translation>
    </message>
    <message>
        <source>CSV, JSON Lines, YAML, TOML and more; or drop it on the window.</source>
        <translation>CSV, JSON Lines, YAML, TOML und mehr; oder lassen Sie sie auf das Fenster fallen.</translation>
    </message>
    <message>
        <source>CSV…</source>
        <translation>CSV…</translation>
    </message>
    <message>
        <source>Ctrl+K also finds what has no key of its own.</source>
        <translation>Strg+K findet auch, was keine eigene Taste hat.</translation>
    </message>
    <message>
        <source>Cues</source>
        <translation>Hinweiswörter</translation>
    </message>
    <message>
        <source>Cues weighed by {policy}</source>
        <translation>Hinweiswörter, gewichtet nach {policy}</translation>
    </message>
    <message>
        <source>Cut by the budget: with the next it would be {total} of {budget} tokens.</source>
        <translation>Vom Budget begrenzt: mit der nächsten wären es {total} von {budget} Token.</translation>
    </message>
    <message>
        <source>Cut by the confidence: those below {least} are not surfaced.</source>
        <translation>Von der Konfidenz begrenzt: unter {least} wird nichts mitgegeben.</translation>
    </message>
    <message numerus="yes">
        <source>Cut by the count: at most {n} memories are surfaced.</source>
        <translation>
            <numerusform>Von der Anzahl begrenzt: höchstens {n} Erinnerung wird mitgegeben.</numerusform>
            <numerusform>Von der Anzahl begrenzt: höchstens {n} Erinnerungen werden mitgegeben.</numerusform>
        </translation>
    </message>
    <message>
        <source>Cut by the label: those below the threshold that their label carries are not surfaced.</source>
        <translation>Vom Label begrenzt: Was unter der Schwelle seines Labels liegt, wird nicht mitgegeben.</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>Dunkel</translation>
    </message>
    <message>
        <source>dark mode</source>
        <translation>dunkler Modus</translation>
    </message>
    <message>
        <source>Days</source>
        <translation>Tage</translation>
    </message>
    <message>
        <source>Debounce (ms)</source>
        <translation>Tipppause (ms)</translation>
    </message>
    <message>
        <source>decide nothing about this number</source>
        <translation>über diese Nummer nichts entscheiden</translation>
    </message>
    <message>
        <source>Decide nothing, and do not ask again</source>
        <translation>Nichts entscheiden und nicht mehr fragen</translation>
    </message>
    <message>
        <source>Decided</source>
        <translation>Entschieden</translation>
    </message>
    <message>
        <source>decided</source>
        <translation>entschieden</translation>
    </message>
    <message>
        <source>decided as right</source>
        <translation>als richtig entschieden</translation>
    </message>
    <message>
        <source>decided as skipped</source>
        <translation>als übersprungen entschieden</translation>
    </message>
    <message>
        <source>decided as taught</source>
        <translation>als beigebracht entschieden</translation>
    </message>
    <message>
        <source>decided as without an answer</source>
        <translation>als ohne Antwort entschieden</translation>
    </message>
    <message>
        <source>decided as wrong</source>
        <translation>als falsch entschieden</translation>
    </message>
    <message>
        <source>decided by a rule</source>
        <translation>durch eine Regel entschieden</translation>
    </message>
    <message>
        <source>decided by an answer that the LLM gave before</source>
        <translation>durch eine frühere Antwort des LLM entschieden</translation>
    </message>
    <message>
        <source>Decided by rules</source>
        <translation>Durch Regeln entschieden</translation>
    </message>
    <message>
        <source>decided by the best rule, for want of something surer</source>
        <translation>durch die beste Regel entschieden, mangels Sichererem</translation>
    </message>
    <message>
        <source>Decided by the LLM</source>
        <translation>Durch das LLM entschieden</translation>
    </message>
    <message>
        <source>decided by the LLM</source>
        <translation>durch das LLM entschieden</translation>
    </message>
    <message>
        <source>decided by the taught examples</source>
        <translation>durch die Beispiele entschieden</translation>
    </message>
    <message>
        <source>decides</source>
        <translation>entscheidet</translation>
    </message>
    <message>
        <source>decides the confidence</source>
        <translation>entscheidet die Konfidenz</translation>
    </message>
    <message>
        <source>Deciding took</source>
        <translation>Entscheiden dauerte</translation>
    </message>
    <message>
        <source>Decision</source>
        <translation>Entscheidung</translation>
    </message>
    <message>
        <source>Decision matrix</source>
        <translation>Entscheidungsmatrix</translation>
    </message>
    <message>
        <source>decision mode</source>
        <translation>Entscheidungsmodus</translation>
    </message>
    <message>
        <source>Decisions</source>
        <translation>Entscheidungen</translation>
    </message>
    <message>
        <source>Decisions and cases</source>
        <translation>Entscheidungen und Fälle</translation>
    </message>
    <message>
        <source>decisions and labels</source>
        <translation>Entscheidungen und Labels</translation>
    </message>
    <message>
        <source>Default</source>
        <translation>Standard</translation>
    </message>
    <message>
        <source>default</source>
        <translation>Standard</translation>
    </message>
    <message>
        <source>default {0}</source>
        <translation>Standard {0}</translation>
    </message>
    <message>
        <source>default {weight}</source>
        <translation>Standard {weight}</translation>
    </message>
    <message>
        <source>default: {0}</source>
        <translation>Standard: {0}</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>Löschen</translation>
    </message>
    <message>
        <source>Delete memories</source>
        <translation>Erinnerungen löschen</translation>
    </message>
    <message>
        <source>Delete the chosen trigger from its answer</source>
        <translation>Den gewählten Auslöser aus seiner Antwort löschen</translation>
    </message>
    <message>
        <source>Delete the selected cases (Del)</source>
        <translation>Die gewählten Fälle löschen (Entf)</translation>
    </message>
    <message>
        <source>Delete the selected memories</source>
        <translation>Die gewählten Erinnerungen löschen</translation>
    </message>
    <message>
        <source>Delete the selected powers (Del)</source>
        <translation>Die gewählten Fähigkeiten löschen (Entf)</translation>
    </message>
    <message>
        <source>Delete the selected rule (Del)</source>
        <translation>Die gewählte Regel löschen (Entf)</translation>
    </message>
    <message>
        <source>Delete trigger</source>
        <translation>Auslöser löschen</translation>
    </message>
    <message>
        <source>delete trigger P</source>
        <translation>Auslöser P löschen</translation>
    </message>
    <message>
        <source>Delete what is selected in a table</source>
        <translation>Löschen, was in einer Tabelle gewählt ist</translation>
    </message>
    <message>
        <source>Delete {names}? You can undo it, and take single ones out of the bin.</source>
        <translation>{names} löschen? Sie können es rückgängig machen und einzelne aus dem Papierkorb nehmen.</translation>
    </message>
    <message>
        <source>Delete {n} cases</source>
        <translation>{n} Fälle löschen</translation>
    </message>
    <message>
        <source>Delete {n} cases? You can undo it.</source>
        <translation>{n} Fälle löschen? Sie können es rückgängig machen.</translation>
    </message>
    <message numerus="yes">
        <source>Delete {n} memories …</source>
        <translation>
            <numerusform>{n} Erinnerung löschen …</numerusform>
            <numerusform>{n} Erinnerungen löschen …</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Delete {n} memories? They go to the bin and can be restored for {days} days.</source>
        <translation>
            <numerusform>{n} Erinnerung löschen? Sie kommt in den Papierkorb und kann {days} Tage lang wiederhergestellt werden.</numerusform>
            <numerusform>{n} Erinnerungen löschen? Sie kommen in den Papierkorb und können {days} Tage lang wiederhergestellt werden.</numerusform>
        </translation>
    </message>
    <message>
        <source>Delete {n} powers</source>
        <translation>{n} Fähigkeiten löschen</translation>
    </message>
    <message>
        <source>deleted</source>
        <translation>gelöscht</translation>
    </message>
    <message>
        <source>Deleted {0}.</source>
        <translation>{0} gelöscht.</translation>
    </message>
    <message>
        <source>Deleted {subject}.</source>
        <translation>{subject} gelöscht.</translation>
    </message>
    <message>
        <source>Deleted {where}</source>
        <translation>Gelöscht {where}</translation>
    </message>
    <message>
        <source>Deleted: {id}, {pattern}</source>
        <translation>Gelöscht: {id}, {pattern}</translation>
    </message>
    <message>
        <source>Deliver</source>
        <translation>Liefern</translation>
    </message>
    <message>
        <source>Description</source>
        <translation>Beschreibung</translation>
    </message>
    <message>
        <source>Details</source>
        <translation>Einzelheiten</translation>
    </message>
    <message>
        <source>Detect a type at all.</source>
        <translation>Überhaupt einen Typ erkennen.</translation>
    </message>
    <message>
        <source>Detected from, ms</source>
        <translation>Erkannt aus, ms</translation>
    </message>
    <message>
        <source>Detected is “{winner}” by {cues}.</source>
        <translation>Erkannt ist „{winner}“ durch {cues}.</translation>
    </message>
    <message>
        <source>detection is off</source>
        <translation>die Erkennung ist aus</translation>
    </message>
    <message>
        <source>Detection is switched off (search_intent.enabled).</source>
        <translation>Die Erkennung ist ausgeschaltet (search_intent.enabled).</translation>
    </message>
    <message>
        <source>Detection stands still</source>
        <translation>Die Erkennung steht still</translation>
    </message>
    <message>
        <source>differ</source>
        <translation>verschieden</translation>
    </message>
    <message>
        <source>Difference</source>
        <translation>Unterschied</translation>
    </message>
    <message>
        <source>Different</source>
        <translation>Verschieden</translation>
    </message>
    <message>
        <source>differs: {0}</source>
        <translation>verschieden: {0}</translation>
    </message>
    <message>
        <source>Direction</source>
        <translation>Richtung</translation>
    </message>
    <message>
        <source>Disconnected</source>
        <translation>Getrennt</translation>
    </message>
    <message>
        <source>Do again what was taken back last.</source>
        <translation>Noch einmal tun, was zuletzt zurückgenommen wurde.</translation>
    </message>
    <message>
        <source>do not ask: the digest of what was shown before</source>
        <translation>nicht fragen: die Prüfsumme dessen, was vorher gezeigt wurde</translation>
    </message>
    <message>
        <source>Dock</source>
        <translation>Andocken</translation>
    </message>
    <message>
        <source>document 003</source>
        <translation>Dokument 003</translation>
    </message>
    <message>
        <source>Documents of others are only read; nothing is ever written to them.</source>
        <translation>Dokumente anderer werden nur gelesen; nie wird etwas an ihnen geschrieben.</translation>
    </message>
    <message>
        <source>Documents on the Neo4j server that are only read: a label and its properties; empty: what filling puts.</source>
        <translation>Dokumente auf dem Neo4j-Server, die nur gelesen werden: ein Label und seine Eigenschaften; leer: was das Füllen hinlegt.</translation>
    </message>
    <message>
        <source>Documents on the PostgreSQL server that are only read: a table and its columns; empty: what filling puts.</source>
        <translation>Dokumente auf dem PostgreSQL-Server, die nur gelesen werden: eine Tabelle und ihre Spalten; leer: was das Füllen hinlegt.</translation>
    </message>
    <message>
        <source>Documents on the Qdrant server that are only read: a collection and its keys; empty: what filling puts.</source>
        <translation>Dokumente auf dem Qdrant-Server, die nur gelesen werden: eine Collection und ihre Schlüssel; leer: was das Füllen hinlegt.</translation>
    </message>
    <message>
        <source>does not answer</source>
        <translation>antwortet nicht</translation>
    </message>
    <message>
        <source>Does not compile, so it is left out.</source>
        <translation>Lässt sich nicht übersetzen und wird deshalb ausgelassen.</translation>
    </message>
    <message>
        <source>does not count</source>
        <translation>zählt nicht</translation>
    </message>
    <message>
        <source>Done again</source>
        <translation>Wiederholt</translation>
    </message>
    <message>
        <source>done again</source>
        <translation>wiederholt</translation>
    </message>
    <message>
        <source>Done again: {sentence}.</source>
        <translation>Wiederholt: {sentence}.</translation>
    </message>
    <message>
        <source>Doubt</source>
        <translation>Zweifel</translation>
    </message>
    <message>
        <source>Doubts</source>
        <translation>Zweifel</translation>
    </message>
    <message>
        <source>Download the model</source>
        <translation>Das Modell herunterladen</translation>
    </message>
    <message>
        <source>draw time and memory against size</source>
        <translation>Zeit und Speicher gegen die Größe zeichnen</translation>
    </message>
    <message>
        <source>Drop what is not saved (Esc)</source>
        <translation>Verwerfen, was nicht gespeichert ist (Esc)</translation>
    </message>
    <message>
        <source>Drop what is not saved of the rule</source>
        <translation>Verwerfen, was von der Regel nicht gespeichert ist</translation>
    </message>
    <message>
        <source>Drop your edits and show theirs</source>
        <translation>Ihre Änderungen verwerfen und die fremden zeigen</translation>
    </message>
    <message>
        <source>Drop your edits; it stays deleted</source>
        <translation>Ihre Änderungen verwerfen; es bleibt gelöscht</translation>
    </message>
    <message>
        <source>Duplicate</source>
        <translation>Doppel</translation>
    </message>
    <message>
        <source>Duplicate the selected rule</source>
        <translation>Die gewählte Regel verdoppeln</translation>
    </message>
    <message>
        <source>Duplicates</source>
        <translation>Dubletten</translation>
    </message>
    <message>
        <source>Duplicates (memories)</source>
        <translation>Dubletten (Erinnerungen)</translation>
    </message>
    <message>
        <source>Duplicates and conflicts</source>
        <translation>Dubletten und Konflikte</translation>
    </message>
    <message>
        <source>Each memory by itself, or one row per label: its best memory, and how many stand behind.</source>
        <translation>Jede Erinnerung für sich, oder eine Zeile je Label: seine beste Erinnerung, und wie viele dahinter stehen.</translation>
    </message>
    <message numerus="yes">
        <source>Each of {n} shared words adds {each}.</source>
        <translation>
            <numerusform>Das gemeinsame Wort bringt {each}.</numerusform>
            <numerusform>Jedes von {n} gemeinsamen Wörtern bringt {each}.</numerusform>
        </translation>
    </message>
    <message>
        <source>Each shows something else of how an answer comes about.</source>
        <translation>Jeder zeigt etwas anderes daran, wie eine Antwort zustande kommt.</translation>
    </message>
    <message>
        <source>ECE</source>
        <translation>ECE</translation>
    </message>
    <message>
        <source>Edit</source>
        <translation>Bearbeiten</translation>
    </message>
    <message>
        <source>Edit on the rules page</source>
        <translation>Auf der Seite Regeln bearbeiten</translation>
    </message>
    <message>
        <source>Edit the cell or the line of a list</source>
        <translation>Die Zelle oder die Zeile einer Liste bearbeiten</translation>
    </message>
    <message>
        <source>Edit the selected rule of the decision matrix</source>
        <translation>Die gewählte Regel der Entscheidungsmatrix bearbeiten</translation>
    </message>
    <message>
        <source>Edit …</source>
        <translation>Bearbeiten …</translation>
    </message>
    <message>
        <source>edited</source>
        <translation>bearbeitet</translation>
    </message>
    <message>
        <source>editor</source>
        <translation>bearbeitet</translation>
    </message>
    <message>
        <source>Effort</source>
        <translation>Aufwand</translation>
    </message>
    <message>
        <source>Embed query</source>
        <translation>Anfrage einbetten</translation>
    </message>
    <message>
        <source>Embedding {whole} triggers with {encoder}, {done} done</source>
        <translation>{whole} Auslöser werden mit {encoder} eingebettet, {done} fertig</translation>
    </message>
    <message>
        <source>Empty</source>
        <translation>Leeren</translation>
    </message>
    <message>
        <source>empty</source>
        <translation>leer</translation>
    </message>
    <message>
        <source>Empty now …</source>
        <translation>Jetzt leeren …</translation>
    </message>
    <message>
        <source>Empty the bin</source>
        <translation>Papierkorb leeren</translation>
    </message>
    <message>
        <source>Enable {mine}</source>
        <translation>{mine} einschalten</translation>
    </message>
    <message>
        <source>Enable {mine} and teach it “{phrase}”</source>
        <translation>{mine} einschalten und „{phrase}“ beibringen</translation>
    </message>
    <message>
        <source>Enabled</source>
        <translation>Eingeschaltet</translation>
    </message>
    <message>
        <source>Encoder</source>
        <translation>Encoder</translation>
    </message>
    <message>
        <source>Encoder {name} failed; lexical scores decide</source>
        <translation>Encoder {name} fehlgeschlagen; lexikalische Scores entscheiden</translation>
    </message>
    <message>
        <source>Encoder {name} is loading; the best lexical score decides for now</source>
        <translation>Encoder {name} lädt; vorerst entscheidet der beste lexikalische Score</translation>
    </message>
    <message>
        <source>Encoder {name} ready</source>
        <translation>Encoder {name} bereit</translation>
    </message>
    <message>
        <source>Encoder {name} ready, {made} of {of} triggers embedded</source>
        <translation>Encoder {name} bereit, {made} von {of} Auslösern eingebettet</translation>
    </message>
    <message>
        <source>ended in the tier that the case names</source>
        <translation>endete in der Stufe, die der Fall nennt</translation>
    </message>
    <message>
        <source>ended with exit code {code}</source>
        <translation>endete mit Exit-Code {code}</translation>
    </message>
    <message>
        <source>Engine alone</source>
        <translation>Engine allein</translation>
    </message>
    <message>
        <source>engine alone</source>
        <translation>Engine allein</translation>
    </message>
    <message>
        <source>Environment</source>
        <translation>Umgebung</translation>
    </message>
    <message>
        <source>Environment of the command, or headers for the URL</source>
        <translation>Umgebung des Befehls, oder Header für die URL</translation>
    </message>
    <message>
        <source>Environment or headers</source>
        <translation>Umgebung oder Header</translation>
    </message>
    <message>
        <source>Error rate</source>
        <translation>Fehlerrate</translation>
    </message>
    <message>
        <source>estimate: {letters_per_token} characters a token</source>
        <translation>Schätzung: {letters_per_token} Zeichen je Token</translation>
    </message>
    <message>
        <source>Evaluate</source>
        <translation>Auswerten</translation>
    </message>
    <message>
        <source>Evaluate puts every case to the engine of today. Nothing is started, and no LLM is asked unless you want it.</source>
        <translation>Auswerten legt jeden Fall der heutigen Engine vor. Nichts wird gestartet, und ein LLM nur gefragt, wenn Sie es wollen.</translation>
    </message>
    <message>
        <source>evaluate takes a file of cases and --task, or --runs.</source>
        <translation>evaluate nimmt eine Datei mit Fällen und --task, oder --runs.</translation>
    </message>
    <message>
        <source>evaluate takes either --against or --sweep.</source>
        <translation>evaluate nimmt entweder --against oder --sweep.</translation>
    </message>
    <message>
        <source>evaluate takes either --no-llm or --ask-anew.</source>
        <translation>evaluate nimmt entweder --no-llm oder --ask-anew.</translation>
    </message>
    <message>
        <source>Evaluating</source>
        <translation>Wird ausgewertet</translation>
    </message>
    <message>
        <source>Evaluation</source>
        <translation>Auswertung</translation>
    </message>
    <message>
        <source>Evaluations</source>
        <translation>Auswertungen</translation>
    </message>
    <message>
        <source>every answer was kept</source>
        <translation>jede Antwort war aufbewahrt</translation>
    </message>
    <message>
        <source>Every case is answered as before.</source>
        <translation>Jeder Fall wird beantwortet wie zuvor.</translation>
    </message>
    <message>
        <source>Every change is tried on all cases.</source>
        <translation>Jede Änderung wird an allen Fällen probiert.</translation>
    </message>
    <message>
        <source>Every cue that matched was held back</source>
        <translation>Jedes passende Hinweiswort wurde zurückgehalten</translation>
    </message>
    <message>
        <source>Every decision is put here as soon as a query rests: from the window, the command line, and MCP.</source>
        <translation>Jede Entscheidung kommt hierher, sobald eine Anfrage ruht: aus dem Fenster, von der Befehlszeile und über MCP.</translation>
    </message>
    <message>
        <source>Every link is fine.</source>
        <translation>Jedes Glied ist in Ordnung.</translation>
    </message>
    <message>
        <source>Every memory was used.</source>
        <translation>Jede Erinnerung wurde verwendet.</translation>
    </message>
    <message>
        <source>Every query goes the way it goes today.</source>
        <translation>Jede Anfrage geht den Weg, den sie heute geht.</translation>
    </message>
    <message>
        <source>Every step from now on can be taken back here.</source>
        <translation>Jeder Schritt von jetzt an kann hier zurückgenommen werden.</translation>
    </message>
    <message>
        <source>every text goes to the server</source>
        <translation>jeder Text geht an den Server</translation>
    </message>
    <message>
        <source>Every trigger is asked, too. You can go on working.</source>
        <translation>Jeder Auslöser wird auch gestellt. Sie können weiterarbeiten.</translation>
    </message>
    <message>
        <source>Every trigger with every other. You can go on working.</source>
        <translation>Jeder Auslöser mit jedem anderen. Sie können weiterarbeiten.</translation>
    </message>
    <message>
        <source>Everything</source>
        <translation>Alles</translation>
    </message>
    <message>
        <source>Evidence</source>
        <translation>Belege</translation>
    </message>
    <message>
        <source>evidence</source>
        <translation>Belege</translation>
    </message>
    <message>
        <source>Exact</source>
        <translation>Exakt</translation>
    </message>
    <message>
        <source>Exactly what is injected</source>
        <translation>Genau was eingefügt wird</translation>
    </message>
    <message>
        <source>Example</source>
        <translation>Beispiel</translation>
    </message>
    <message>
        <source>Examples</source>
        <translation>Beispiele</translation>
    </message>
    <message>
        <source>examples</source>
        <translation>Beispiele</translation>
    </message>
    <message>
        <source>Examples abstain below this confidence; 0: where fewer than nine in ten came out right.</source>
        <translation>Beispiele enthalten sich unter dieser Konfidenz; 0: wo weniger als neun von zehn richtig waren.</translation>
    </message>
    <message>
        <source>Examples abstained in {abstained} of {asked} cases.</source>
        <translation>Beispiele enthielten sich in {abstained} von {asked} Fällen.</translation>
    </message>
    <message>
        <source>Examples alone</source>
        <translation>Nur Beispiele</translation>
    </message>
    <message>
        <source>Examples are surer</source>
        <translation>Beispiele sind sicherer</translation>
    </message>
    <message>
        <source>examples are too unsure</source>
        <translation>Beispiele sind zu unsicher</translation>
    </message>
    <message>
        <source>Examples as today</source>
        <translation>Beispiele wie heute</translation>
    </message>
    <message>
        <source>Examples on the other side</source>
        <translation>Beispiele auf der anderen Seite</translation>
    </message>
    <message>
        <source>examples say that nothing is asked</source>
        <translation>Beispiele sagen, dass nichts gefragt ist</translation>
    </message>
    <message>
        <source>Examples say what is negated</source>
        <translation>Beispiele nennen, was verneint ist</translation>
    </message>
    <message>
        <source>exit 1 unless this holds; of a change also broken, fixed, net and p</source>
        <translation>mit 1 enden, wenn das nicht gilt; von einer Änderung auch broken, fixed, net und p</translation>
    </message>
    <message>
        <source>exp({own} {minus} {whole})</source>
        <translation>exp({own} {minus} {whole})</translation>
    </message>
    <message>
        <source>Expected</source>
        <translation>Erwartet</translation>
    </message>
    <message>
        <source>expected</source>
        <translation>erwartet</translation>
    </message>
    <message>
        <source>Expected against winner</source>
        <translation>Erwartetes gegen Gewinner</translation>
    </message>
    <message>
        <source>Expected against winner, and changes</source>
        <translation>Erwartetes gegen Gewinner, und Änderungen</translation>
    </message>
    <message>
        <source>Expected and right</source>
        <translation>Erwartet und richtig</translation>
    </message>
    <message>
        <source>Expected another?</source>
        <translation>Eine andere erwartet?</translation>
    </message>
    <message>
        <source>Expected answers</source>
        <translation>Erwartete Antworten</translation>
    </message>
    <message>
        <source>expected at least one argument</source>
        <translation>mindestens ein Argument wurde erwartet</translation>
    </message>
    <message numerus="yes">
        <source>Expected by {n} cases</source>
        <translation>
            <numerusform>Von {n} Fall erwartet</numerusform>
            <numerusform>Von {n} Fällen erwartet</numerusform>
        </translation>
    </message>
    <message>
        <source>expected one argument</source>
        <translation>ein Argument wurde erwartet</translation>
    </message>
    <message>
        <source>expected right</source>
        <translation>erwartet richtig</translation>
    </message>
    <message>
        <source>expected {expected}, got {given}</source>
        <translation>erwartet {expected}, bekommen {given}</translation>
    </message>
    <message>
        <source>expected {names}</source>
        <translation>erwartet {names}</translation>
    </message>
    <message>
        <source>Expected, parted by semicolons; nothing for no match</source>
        <translation>Erwartet, durch Strichpunkte getrennt; nichts für keinen Treffer</translation>
    </message>
    <message>
        <source>Expected: {label}</source>
        <translation>Erwartet: {label}</translation>
    </message>
    <message>
        <source>Expected: {label}; given: {other}</source>
        <translation>Erwartet: {label}; gegeben: {other}</translation>
    </message>
    <message>
        <source>Explain</source>
        <translation>Erklären</translation>
    </message>
    <message>
        <source>Explanation</source>
        <translation>Erklärung</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>Exportieren</translation>
    </message>
    <message>
        <source>export --kind library takes --output FOLDER, and no --format.</source>
        <translation>export --kind library nimmt --output FOLDER und kein --format.</translation>
    </message>
    <message>
        <source>Export the cases</source>
        <translation>Die Fälle exportieren</translation>
    </message>
    <message>
        <source>Export the memories</source>
        <translation>Die Erinnerungen exportieren</translation>
    </message>
    <message>
        <source>Export the pack</source>
        <translation>Das Paket exportieren</translation>
    </message>
    <message>
        <source>Export the picture</source>
        <translation>Das Bild exportieren</translation>
    </message>
    <message>
        <source>Export the powers</source>
        <translation>Die Fähigkeiten exportieren</translation>
    </message>
    <message>
        <source>Export the rules</source>
        <translation>Die Regeln exportieren</translation>
    </message>
    <message>
        <source>Export the times</source>
        <translation>Die Zeiten exportieren</translation>
    </message>
    <message>
        <source>Export {kind}</source>
        <translation>{kind} exportieren</translation>
    </message>
    <message>
        <source>Export…</source>
        <translation>Exportieren…</translation>
    </message>
    <message>
        <source>F1</source>
        <translation>F1</translation>
    </message>
    <message>
        <source>F1 averaged over labels, no match among them</source>
        <translation>F1, gemittelt über Labels, auch kein Treffer</translation>
    </message>
    <message>
        <source>F1, mean of labels</source>
        <translation>F1, Mittel der Labels</translation>
    </message>
    <message>
        <source>F5 starts it.</source>
        <translation>F5 startet sie.</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>Fehlgeschlagen</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>fehlgeschlagen</translation>
    </message>
    <message>
        <source>Failed questions to the LLM</source>
        <translation>Gescheiterte Fragen an das LLM</translation>
    </message>
    <message numerus="yes">
        <source>Failed {n} times.</source>
        <translation>
            <numerusform>{n}-mal gescheitert.</numerusform>
            <numerusform>{n}-mal gescheitert.</numerusform>
        </translation>
    </message>
    <message>
        <source>Falling</source>
        <translation>Fallend</translation>
    </message>
    <message>
        <source>Fault</source>
        <translation>Fehler</translation>
    </message>
    <message>
        <source>fetch what this one lacks</source>
        <translation>holen, was diesem fehlt</translation>
    </message>
    <message>
        <source>Fetching from the server</source>
        <translation>Wird vom Server geholt</translation>
    </message>
    <message>
        <source>Fetching the cases</source>
        <translation>Die Fälle werden geholt</translation>
    </message>
    <message>
        <source>Fetching {model_name}, part {number} of {count}</source>
        <translation>{model_name} wird geholt, Teil {number} von {count}</translation>
    </message>
    <message>
        <source>Fetching {repository}</source>
        <translation>{repository} wird geholt</translation>
    </message>
    <message>
        <source>Few examples: from six on a route is found more often.</source>
        <translation>Wenige Beispiele: ab sechs wird eine Route häufiger gefunden.</translation>
    </message>
    <message>
        <source>fewer than 0.1 %</source>
        <translation>weniger als 0.1 %</translation>
    </message>
    <message>
        <source>Figures</source>
        <translation>Kennzahlen</translation>
    </message>
    <message>
        <source>Figures over the values</source>
        <translation>Kennzahlen über die Werte</translation>
    </message>
    <message>
        <source>File</source>
        <translation>Datei</translation>
    </message>
    <message>
        <source>File formats</source>
        <translation>Dateiformate</translation>
    </message>
    <message>
        <source>Files</source>
        <translation>Dateien</translation>
    </message>
    <message>
        <source>Files and surroundings</source>
        <translation>Dateien und Umgebung</translation>
    </message>
    <message>
        <source>Files instead of a command are opened in the window.</source>
        <translation>Dateien statt eines Befehls werden im Fenster geöffnet.</translation>
    </message>
    <message>
        <source>Fill</source>
        <translation>Füllen</translation>
    </message>
    <message>
        <source>Fill in the arguments and call it</source>
        <translation>Die Argumente ausfüllen und aufrufen</translation>
    </message>
    <message>
        <source>fill what is searched on the servers, or bring it up to date</source>
        <translation>füllen, was auf den Servern durchsucht wird, oder es auf den neuesten Stand bringen</translation>
    </message>
    <message>
        <source>Fill {0}</source>
        <translation>{0} füllen</translation>
    </message>
    <message>
        <source>Filling the store: {done} of {whole} documents</source>
        <translation>Der Speicher wird gefüllt: {done} von {whole} Dokumenten</translation>
    </message>
    <message>
        <source>Filter by id, type, route, pattern or hint</source>
        <translation>Nach Id, Typ, Route, Muster oder Hinweis filtern</translation>
    </message>
    <message>
        <source>Filter by one word, or by none.</source>
        <translation>Filtern Sie nach einem Wort, oder nach keinem.</translation>
    </message>
    <message>
        <source>Filter the rules</source>
        <translation>Die Regeln filtern</translation>
    </message>
    <message>
        <source>Filters</source>
        <translation>Filter</translation>
    </message>
    <message>
        <source>Final {confidence}</source>
        <translation>Endgültig {confidence}</translation>
    </message>
    <message>
        <source>Find an action, a setting or a preset</source>
        <translation>Eine Aktion, eine Einstellung oder eine Vorgabe finden</translation>
    </message>
    <message>
        <source>Find in names, triggers, responses, labels and tags</source>
        <translation>In Namen, Auslösern, Antworttexten, Labels und Schlagwörtern suchen</translation>
    </message>
    <message>
        <source>Find in the table that is open</source>
        <translation>In der offenen Tabelle suchen</translation>
    </message>
    <message>
        <source>Find words in the queries</source>
        <translation>Wörter in den Anfragen suchen</translation>
    </message>
    <message>
        <source>Finds just what {other} finds.</source>
        <translation>Findet genau, was {other} findet.</translation>
    </message>
    <message>
        <source>Fine</source>
        <translation>In Ordnung</translation>
    </message>
    <message>
        <source>Fires on</source>
        <translation>Greift bei</translation>
    </message>
    <message>
        <source>First</source>
        <translation>Erste</translation>
    </message>
    <message>
        <source>first</source>
        <translation>zuerst</translation>
    </message>
    <message>
        <source>First answer</source>
        <translation>Erste Antwort</translation>
    </message>
    <message>
        <source>first answer right: {n}, at most {most} in a bin</source>
        <translation>erste Antwort richtig: {n}, höchstens {most} je Abschnitt</translation>
    </message>
    <message>
        <source>first answer within 10 ms</source>
        <translation>erste Antwort innerhalb von 10 ms</translation>
    </message>
    <message>
        <source>first answer wrong: {n}, at most {most} in a bin</source>
        <translation>erste Antwort falsch: {n}, höchstens {most} je Abschnitt</translation>
    </message>
    <message>
        <source>first answer {ms} ms</source>
        <translation>erste Antwort {ms} ms</translation>
    </message>
    <message>
        <source>First difference</source>
        <translation>Erster Unterschied</translation>
    </message>
    <message>
        <source>First differs here </source>
        <translation>Der erste Unterschied </translation>
    </message>
    <message>
        <source>First differs here: {name} is rank {rank} {side}, confidence {confidence}; “{title}” does not have it among its {n}.</source>
        <translation>Der erste Unterschied: {name} ist {side} Rang {rank}, Konfidenz {confidence}; „{title}“ hat es nicht unter seinen {n}.</translation>
    </message>
    <message>
        <source>First differs here: {name}, {ranks}, {numbers}, {why}.</source>
        <translation>Der erste Unterschied: {name}, {ranks}, {numbers}, {why}.</translation>
    </message>
    <message>
        <source>first differs here: {what}</source>
        <translation>der erste Unterschied: {what}</translation>
    </message>
    <message>
        <source>First lines</source>
        <translation>Erste Zeilen</translation>
    </message>
    <message>
        <source>first make the library&apos;s file smaller: what was kept larger or is free</source>
        <translation>zuerst die Datei der Bibliothek verkleinern: was größer behalten wurde oder frei ist</translation>
    </message>
    <message>
        <source>First rows</source>
        <translation>Erste Zeilen</translation>
    </message>
    <message>
        <source>First steps</source>
        <translation>Erste Schritte</translation>
    </message>
    <message>
        <source>Five minutes with Intentscope</source>
        <translation>Fünf Minuten mit Intentscope</translation>
    </message>
    <message>
        <source>fixed</source>
        <translation>behoben</translation>
    </message>
    <message>
        <source>Fixes {cases}.</source>
        <translation>Behebt {cases}.</translation>
    </message>
    <message>
        <source>fixes {fixes}, breaks {breaks}</source>
        <translation>behebt {fixes}, bricht {breaks}</translation>
    </message>
    <message>
        <source>fixes {n}</source>
        <translation>behebt {n}</translation>
    </message>
    <message>
        <source>fixes {n}, breaks {m}</source>
        <translation>richtet {n}, verdirbt {m}</translation>
    </message>
    <message>
        <source>Flatline: the router looks stuck</source>
        <translation>Nulllinie: die Routen scheinen festzustecken</translation>
    </message>
    <message>
        <source>Float</source>
        <translation>Lösen</translation>
    </message>
    <message>
        <source>Folder</source>
        <translation>Ordner</translation>
    </message>
    <message>
        <source>Folder of a sentence-transformers model</source>
        <translation>Ordner eines Modells von sentence-transformers</translation>
    </message>
    <message>
        <source>Follow</source>
        <translation>Folgen</translation>
    </message>
    <message>
        <source>follows relations between named things, paths, dependencies</source>
        <translation>folgt Beziehungen zwischen Benanntem, Wegen, Abhängigkeiten</translation>
    </message>
    <message>
        <source>font size</source>
        <translation>Schriftgröße</translation>
    </message>
    <message>
        <source>For a precision it takes {count} labelled cases, or several phrases an answer and the combination “Learned”.</source>
        <translation>Für eine Genauigkeit braucht es {count} markierte Fälle, oder mehrere Sätze je Antwort und die Kombination „Gelernt“.</translation>
    </message>
    <message>
        <source>for no store</source>
        <translation>für keinen Speicher</translation>
    </message>
    <message>
        <source>for now</source>
        <translation>vorerst</translation>
    </message>
    <message>
        <source>For queries to data stores as of a time; detection takes no notice</source>
        <translation>Für Anfragen an Datenspeicher nach einem Zeitpunkt; die Erkennung achtet nicht darauf</translation>
    </message>
    <message>
        <source>For “{0}” this power scores</source>
        <translation>Für „{0}“ hat diese Fähigkeit</translation>
    </message>
    <message>
        <source>Forget</source>
        <translation>Vergessen</translation>
    </message>
    <message>
        <source>Forget all decisions, for good</source>
        <translation>Alle Entscheidungen endgültig vergessen</translation>
    </message>
    <message>
        <source>forget all decisions; what they cost stays</source>
        <translation>alle Entscheidungen vergessen; was sie kosteten, bleibt</translation>
    </message>
    <message numerus="yes">
        <source>Forget all {n} decisions of the log? This cannot be undone.</source>
        <translation>
            <numerusform>Die {n} Entscheidung des Protokolls vergessen? Das lässt sich nicht rückgängig machen.</numerusform>
            <numerusform>Alle {n} Entscheidungen des Protokolls vergessen? Das lässt sich nicht rückgängig machen.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Forget all {n} queries of the history, also those that wait in the inbox, and the kept evaluations? This cannot be undone. What was taught from them stays.</source>
        <translation>
            <numerusform>Die {n} Anfrage des Verlaufs vergessen, auch wenn sie im Eingang wartet, und die aufgehobenen Auswertungen? Das lässt sich nicht rückgängig machen. Was daraus beigebracht wurde, bleibt.</numerusform>
            <numerusform>Alle {n} Anfragen des Verlaufs vergessen, auch die im Eingang, und die aufgehobenen Auswertungen? Das lässt sich nicht rückgängig machen. Was daraus beigebracht wurde, bleibt.</numerusform>
        </translation>
    </message>
    <message>
        <source>Forget all …</source>
        <translation>Alle vergessen …</translation>
    </message>
    <message>
        <source>forget every query and the kept evaluations</source>
        <translation>jede Anfrage und die aufgehobenen Auswertungen vergessen</translation>
    </message>
    <message>
        <source>Forget every weight that was set here</source>
        <translation>Jedes hier gesetzte Gewicht vergessen</translation>
    </message>
    <message>
        <source>forget for good what is in the bin</source>
        <translation>endgültig vergessen, was im Papierkorb ist</translation>
    </message>
    <message>
        <source>forget one of these for good</source>
        <translation>eine davon endgültig vergessen</translation>
    </message>
    <message>
        <source>Forget the answers of the LLM that are kept</source>
        <translation>Die behaltenen Antworten des LLM vergessen</translation>
    </message>
    <message>
        <source>Forget the selected past queries</source>
        <translation>Die gewählten früheren Anfragen vergessen</translation>
    </message>
    <message>
        <source>Forget the times of this session</source>
        <translation>Die Zeiten dieser Sitzung vergessen</translation>
    </message>
    <message>
        <source>Forget the whole history</source>
        <translation>Den ganzen Verlauf vergessen</translation>
    </message>
    <message>
        <source>Forget the whole history, for good</source>
        <translation>Den ganzen Verlauf endgültig vergessen</translation>
    </message>
    <message numerus="yes">
        <source>Forget the {n} things in the bin for good? This cannot be undone.</source>
        <translation>
            <numerusform>Die {n} Sache im Papierkorb endgültig vergessen? Das lässt sich nicht rückgängig machen.</numerusform>
            <numerusform>Die {n} Sachen im Papierkorb endgültig vergessen? Das lässt sich nicht rückgängig machen.</numerusform>
        </translation>
    </message>
    <message>
        <source>forget this one; may be repeated</source>
        <translation>diese vergessen; darf wiederholt werden</translation>
    </message>
    <message>
        <source>Forget what is selected, for good (Del)</source>
        <translation>Das Gewählte endgültig vergessen (Entf)</translation>
    </message>
    <message>
        <source>forget what the LLM said</source>
        <translation>vergessen, was das LLM sagte</translation>
    </message>
    <message>
        <source>forget what was set; may be repeated</source>
        <translation>vergessen, was gesetzt wurde; darf wiederholt werden</translation>
    </message>
    <message numerus="yes">
        <source>Forget {n} queries? This cannot be undone. What was taught from them stays.</source>
        <translation>
            <numerusform>{n} Anfrage vergessen? Das lässt sich nicht rückgängig machen. Was daraus beigebracht wurde, bleibt.</numerusform>
            <numerusform>{n} Anfragen vergessen? Das lässt sich nicht rückgängig machen. Was daraus beigebracht wurde, bleibt.</numerusform>
        </translation>
    </message>
    <message>
        <source>Forget …</source>
        <translation>Vergessen …</translation>
    </message>
    <message numerus="yes">
        <source>Forgot {n} answers of the LLM.</source>
        <translation>
            <numerusform>{n} Antwort des LLM vergessen.</numerusform>
            <numerusform>{n} Antworten des LLM vergessen.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Forgot {n} decisions.</source>
        <translation>
            <numerusform>{n} Entscheidung vergessen.</numerusform>
            <numerusform>{n} Entscheidungen vergessen.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Forgot {n} queries.</source>
        <translation>
            <numerusform>{n} Anfrage vergessen.</numerusform>
            <numerusform>{n} Anfragen vergessen.</numerusform>
        </translation>
    </message>
    <message>
        <source>Forward (Alt+Right)</source>
        <translation>Vor (Alt+Rechts)</translation>
    </message>
    <message>
        <source>Found</source>
        <translation>Gefunden</translation>
    </message>
    <message>
        <source>found among the first</source>
        <translation>gefunden unter den ersten</translation>
    </message>
    <message>
        <source>from</source>
        <translation>aus</translation>
    </message>
    <message>
        <source>From a file…</source>
        <translation>Aus einer Datei…</translation>
    </message>
    <message>
        <source>from an assistant’s prompt</source>
        <translation>aus dem Prompt eines Assistenten</translation>
    </message>
    <message>
        <source>From keywords</source>
        <translation>Aus Stichwörtern</translation>
    </message>
    <message>
        <source>From keywords and the LLM</source>
        <translation>Aus Stichwörtern und vom LLM</translation>
    </message>
    <message>
        <source>From the LLM</source>
        <translation>Vom LLM</translation>
    </message>
    <message>
        <source>From the preset</source>
        <translation>Aus der Vorgabe</translation>
    </message>
    <message>
        <source>from the window</source>
        <translation>aus dem Fenster</translation>
    </message>
    <message>
        <source>From this confidence of its own on a memory is surfaced whatever the type; 0: none is.</source>
        <translation>Ab dieser eigenen Konfidenz wird eine Erinnerung mitgegeben, welcher Typ auch immer; 0: keine.</translation>
    </message>
    <message>
        <source>From what is learned</source>
        <translation>Aus dem Gelernten</translation>
    </message>
    <message>
        <source>From what is learned and the LLM</source>
        <translation>Aus dem Gelernten und vom LLM</translation>
    </message>
    <message>
        <source>from which confidence on so many answers are right, such as 0.97</source>
        <translation>ab welcher Konfidenz so viele Antworten richtig sind, etwa 0.97</translation>
    </message>
    <message>
        <source>From {certain} on a memory is surfaced whatever the type.</source>
        <translation>Ab {certain} wird eine Erinnerung bei jedem Typ mitgegeben.</translation>
    </message>
    <message>
        <source>from {least} on</source>
        <translation>ab {least}</translation>
    </message>
    <message>
        <source>from {low} on</source>
        <translation>ab {low}</translation>
    </message>
    <message>
        <source>from {low} to {high}</source>
        <translation>von {low} bis {high}</translation>
    </message>
    <message numerus="yes">
        <source>From {n} decisions of the candidate on an alarm that today&apos;s do not raise, too, ends the roll-out.</source>
        <translation>
            <numerusform>Ab {n} Entscheidung des Kandidaten beendet ein Alarm die Einführung, den die heutigen nicht auch auslösen.</numerusform>
            <numerusform>Ab {n} Entscheidungen des Kandidaten beendet ein Alarm die Einführung, den die heutigen nicht auch auslösen.</numerusform>
        </translation>
    </message>
    <message>
        <source>from {source}</source>
        <translation>aus {source}</translation>
    </message>
    <message>
        <source>From {value} on {precision} of the answers are right ({low} to {high} with 95 %), and {coverage} of the queries that have an answer get one.</source>
        <translation>Ab {value} sind {precision} der Antworten richtig ({low} bis {high} mit 95 %), und {coverage} der Anfragen, für die es eine Antwort gibt, bekommen eine.</translation>
    </message>
    <message>
        <source>Full</source>
        <translation>Voll</translation>
    </message>
    <message>
        <source>further off</source>
        <translation>weiter weg</translation>
    </message>
    <message>
        <source>Further triggers</source>
        <translation>Weitere Auslöser</translation>
    </message>
    <message>
        <source>fused by reciprocal rank</source>
        <translation>nach reziprokem Rang vereint</translation>
    </message>
    <message>
        <source>Fuzzy</source>
        <translation>Unscharf</translation>
    </message>
    <message>
        <source>gate not met: {text}{why}</source>
        <translation>Schranke nicht erreicht: {text}{why}</translation>
    </message>
    <message>
        <source>General</source>
        <translation>Allgemein</translation>
    </message>
    <message>
        <source>Give it a command</source>
        <translation>Befehl angeben</translation>
    </message>
    <message>
        <source>Give the call up</source>
        <translation>Den Aufruf aufgeben</translation>
    </message>
    <message>
        <source>Give the power a name first.</source>
        <translation>Geben Sie der Fähigkeit zuerst einen Namen.</translation>
    </message>
    <message>
        <source>Give “{name}” a threshold of {after}</source>
        <translation>„{name}“ eine Schwelle von {after} geben</translation>
    </message>
    <message>
        <source>Give “{phrase}” the label “{after}” instead of “{before}”</source>
        <translation>„{phrase}“ das Label „{after}“ statt „{before}“ geben</translation>
    </message>
    <message>
        <source>Given</source>
        <translation>Gegeben</translation>
    </message>
    <message>
        <source>gives vectors of {shape} numbers, not of {dimension} as before: it </source>
        <translation>gibt Vektoren von {shape} Zahlen, nicht von {dimension} wie vorher: es </translation>
    </message>
    <message>
        <source>Go back</source>
        <translation>Zurückgehen</translation>
    </message>
    <message>
        <source>Go back or forward in the help</source>
        <translation>In der Hilfe zurück oder vor gehen</translation>
    </message>
    <message>
        <source>Go back with Esc to teach or mark the answer that is selected behind this.</source>
        <translation>Gehen Sie mit Esc zurück, um die dahinter gewählte Antwort beizubringen oder zu markieren.</translation>
    </message>
    <message>
        <source>go on alone, with all that is in the library</source>
        <translation>allein weitermachen, mit allem, was in der Bibliothek ist</translation>
    </message>
    <message>
        <source>Go to a pane at the side or below first (F6), then resize it.</source>
        <translation>Gehen Sie zuerst zu einem Bereich an der Seite oder unten (F6), dann ändern Sie seine Größe.</translation>
    </message>
    <message>
        <source>Go to a section</source>
        <translation>Zu einem Abschnitt gehen</translation>
    </message>
    <message>
        <source>Go to the cases</source>
        <translation>Zu den Fällen</translation>
    </message>
    <message>
        <source>Go to the connection</source>
        <translation>Zur Verbindung</translation>
    </message>
    <message>
        <source>Go to the history</source>
        <translation>Zum Verlauf</translation>
    </message>
    <message>
        <source>Go to the log</source>
        <translation>Zum Protokoll</translation>
    </message>
    <message>
        <source>Go to the memory</source>
        <translation>Zur Erinnerung</translation>
    </message>
    <message>
        <source>Go to the next pane</source>
        <translation>Zum nächsten Bereich gehen</translation>
    </message>
    <message>
        <source>Go to the next tab</source>
        <translation>Zum nächsten Reiter gehen</translation>
    </message>
    <message>
        <source>Go to the power</source>
        <translation>Zur Fähigkeit</translation>
    </message>
    <message>
        <source>Go to the powers</source>
        <translation>Zu den Fähigkeiten</translation>
    </message>
    <message>
        <source>Go to the previous pane</source>
        <translation>Zum vorigen Bereich gehen</translation>
    </message>
    <message>
        <source>Go to the query</source>
        <translation>Zur Anfrage gehen</translation>
    </message>
    <message>
        <source>Go to the rule</source>
        <translation>Zur Regel</translation>
    </message>
    <message>
        <source>Go to the rules</source>
        <translation>Zu den Regeln</translation>
    </message>
    <message>
        <source>Go to the scope</source>
        <translation>Zum Scope</translation>
    </message>
    <message>
        <source>Go to the selected answer, from the query</source>
        <translation>Von der Anfrage aus zur gewählten Antwort gehen</translation>
    </message>
    <message>
        <source>Go to the tab before</source>
        <translation>Zum vorigen Reiter gehen</translation>
    </message>
    <message>
        <source>Goes into {0}. Start the assistant anew afterwards. In a terminal, connect {1} writes it.</source>
        <translation>Gehört in {0}. Starten Sie den Assistenten danach neu. Im Terminal schreibt es connect {1}.</translation>
    </message>
    <message>
        <source>Goes to the bin</source>
        <translation>Kommt in den Papierkorb</translation>
    </message>
    <message>
        <source>gone: </source>
        <translation>weg: </translation>
    </message>
    <message>
        <source>got</source>
        <translation>erhalten</translation>
    </message>
    <message>
        <source>Graph</source>
        <translation>Graph</translation>
    </message>
    <message>
        <source>Graphiti</source>
        <translation>Graphiti</translation>
    </message>
    <message>
        <source>green</source>
        <translation>grün</translation>
    </message>
    <message>
        <source>grey</source>
        <translation>grau</translation>
    </message>
    <message>
        <source>Grimoire spells</source>
        <translation>Zauber von Grimoire</translation>
    </message>
    <message>
        <source>Group matches</source>
        <translation>Treffer gruppieren</translation>
    </message>
    <message>
        <source>Has no effect; kept so that files written for retrieval_semantic_threshold load.</source>
        <translation>Ohne Wirkung; behalten, damit sich Dateien für retrieval_semantic_threshold laden lassen.</translation>
    </message>
    <message>
        <source>has no rules</source>
        <translation>hat keine Regeln</translation>
    </message>
    <message>
        <source>has rules of several purposes</source>
        <translation>hat Regeln verschiedener Zwecke</translation>
    </message>
    <message>
        <source>Has stores</source>
        <translation>Speicher vorhanden</translation>
    </message>
    <message>
        <source>Hashed</source>
        <translation>Als Prüfsumme</translation>
    </message>
    <message>
        <source>hashed</source>
        <translation>als Prüfsumme</translation>
    </message>
    <message>
        <source>Have the server fetch this model</source>
        <translation>Den Server dieses Modell holen lassen</translation>
    </message>
    <message>
        <source>Have the stores answer that the decision leads to (Enter)</source>
        <translation>Die Speicher antworten lassen, zu denen die Entscheidung führt (Eingabe)</translation>
    </message>
    <message>
        <source>have the stores answer that the route leads to</source>
        <translation>die Speicher antworten lassen, zu denen die Route führt</translation>
    </message>
    <message>
        <source>Have the vectors made.</source>
        <translation>Lassen Sie die Vektoren machen.</translation>
    </message>
    <message>
        <source>Heading</source>
        <translation>Überschrift</translation>
    </message>
    <message>
        <source>Health</source>
        <translation>Zustand</translation>
    </message>
    <message>
        <source>Health: {0}</source>
        <translation>Zustand: {0}</translation>
    </message>
    <message>
        <source>held back</source>
        <translation>zurückgehalten</translation>
    </message>
    <message>
        <source>held back in {n}</source>
        <translation>in {n} zurückgehalten</translation>
    </message>
    <message>
        <source>held back · {detected}</source>
        <translation>zurückgehalten · {detected}</translation>
    </message>
    <message>
        <source>Help</source>
        <translation>Hilfe</translation>
    </message>
    <message>
        <source>Help for this page, or back from it</source>
        <translation>Hilfe zu dieser Seite, oder von ihr zurück</translation>
    </message>
    <message>
        <source>Help: go back</source>
        <translation>Hilfe: zurück</translation>
    </message>
    <message>
        <source>Help: go forward</source>
        <translation>Hilfe: vor</translation>
    </message>
    <message>
        <source>Here</source>
        <translation>Hier</translation>
    </message>
    <message>
        <source>here</source>
        <translation>hier</translation>
    </message>
    <message>
        <source>Hide</source>
        <translation>Verbergen</translation>
    </message>
    <message>
        <source>Hide the cases</source>
        <translation>Die Fälle ausblenden</translation>
    </message>
    <message>
        <source>High</source>
        <translation>Hoch</translation>
    </message>
    <message>
        <source>high ({high}) must not be below medium ({medium})</source>
        <translation>high ({high}) darf nicht unter medium ({medium}) liegen</translation>
    </message>
    <message>
        <source>high ({high}), medium ({medium}) and weak ({weak})</source>
        <translation>high ({high}), medium ({medium}) und weak ({weak})</translation>
    </message>
    <message>
        <source>High contrast</source>
        <translation>Hoher Kontrast</translation>
    </message>
    <message>
        <source>High from this confidence on.</source>
        <translation>Hoch ab dieser Konfidenz.</translation>
    </message>
    <message>
        <source>High or medium: {share}; the target of {quality_target} is {verdict}.</source>
        <translation>Hoch oder mittel: {share}; das Ziel von {quality_target} ist {verdict}.</translation>
    </message>
    <message>
        <source>Histograms</source>
        <translation>Histogramme</translation>
    </message>
    <message>
        <source>History</source>
        <translation>Verlauf</translation>
    </message>
    <message>
        <source>Hit rate</source>
        <translation>Trefferquote</translation>
    </message>
    <message>
        <source>Holds</source>
        <translation>Enthält</translation>
    </message>
    <message numerus="yes">
        <source>holds {n} documents</source>
        <translation>
            <numerusform>enthält {n} Dokument</numerusform>
            <numerusform>enthält {n} Dokumente</numerusform>
        </translation>
    </message>
    <message>
        <source>Hook</source>
        <translation>Hook</translation>
    </message>
    <message>
        <source>Hook budget (ms)</source>
        <translation>Budget des Hooks (ms)</translation>
    </message>
    <message>
        <source>How a namespace&apos;s memories are weighed for a type; this orders what is surfaced.</source>
        <translation>Wie die Erinnerungen eines Namensraums für einen Typ gewichtet werden; das ordnet, was mitgegeben wird.</translation>
    </message>
    <message>
        <source>How far the audit is</source>
        <translation>Wie weit die Prüfung ist</translation>
    </message>
    <message>
        <source>How far the call is</source>
        <translation>Wie weit der Aufruf ist</translation>
    </message>
    <message>
        <source>How far the simulation is</source>
        <translation>Wie weit die Simulation ist</translation>
    </message>
    <message>
        <source>How fast a keystroke is answered, against plain loops, in one run.</source>
        <translation>Wie schnell ein Anschlag beantwortet wird, gegen einfache Schleifen, in einem Lauf.</translation>
    </message>
    <message>
        <source>How good the answers to labelled queries are.</source>
        <translation>Wie gut die Antworten auf markierte Anfragen sind.</translation>
    </message>
    <message>
        <source>How it is built</source>
        <translation>Wie es gebaut ist</translation>
    </message>
    <message>
        <source>How it is reached</source>
        <translation>Wie sie erreicht wird</translation>
    </message>
    <message>
        <source>How it works</source>
        <translation>Wie es funktioniert</translation>
    </message>
    <message>
        <source>How keyword and LLM results become one.</source>
        <translation>Wie die Ergebnisse von Stichwörtern und LLM eins werden.</translation>
    </message>
    <message>
        <source>How large texts are, on top of the desktop&apos;s own text size.</source>
        <translation>Wie groß Texte sind, zusätzlich zur Textgröße des Desktops.</translation>
    </message>
    <message>
        <source>How likely the answer is by what was learned from all that is taught.</source>
        <translation>Wie wahrscheinlich die Antwort ist, nach dem, was aus allem Beigebrachten gelernt ist.</translation>
    </message>
    <message>
        <source>how long</source>
        <translation>wie lange</translation>
    </message>
    <message>
        <source>How long a power may take from its start to the list of its tools.</source>
        <translation>Wie lange eine Fähigkeit vom Start bis zur Liste ihrer Werkzeuge brauchen darf.</translation>
    </message>
    <message>
        <source>How long a tool of a power may take.</source>
        <translation>Wie lange ein Werkzeug einer Fähigkeit brauchen darf.</translation>
    </message>
    <message>
        <source>How long the LLM may take, from its dispatch.</source>
        <translation>Wie lange das LLM brauchen darf, ab seiner Absendung.</translation>
    </message>
    <message>
        <source>How long the LLM took</source>
        <translation>Wie lange das LLM brauchte</translation>
    </message>
    <message>
        <source>How long the prompt hook may take; then it gives what it has.</source>
        <translation>Wie lange der Prompt-Hook brauchen darf; dann gibt er, was er hat.</translation>
    </message>
    <message>
        <source>How long the server keeps the model loaded after a request.</source>
        <translation>Wie lange der Server das Modell nach einer Anfrage geladen hält.</translation>
    </message>
    <message>
        <source>How long typing must pause before the LLM is asked.</source>
        <translation>Wie lange das Tippen pausieren muss, bevor das LLM gefragt wird.</translation>
    </message>
    <message>
        <source>How many memories are surfaced</source>
        <translation>Wie viele Erinnerungen mitgegeben werden</translation>
    </message>
    <message>
        <source>How many memories, and how many powers, are listed.</source>
        <translation>Wie viele Erinnerungen und wie viele Fähigkeiten gelistet werden.</translation>
    </message>
    <message>
        <source>How many of all queries are of nothing that is taught: fewer are right then.</source>
        <translation>Wie viele aller Anfragen von nichts Gelehrtem handeln: Dann sind weniger Antworten richtig.</translation>
    </message>
    <message>
        <source>How many of the nearest they find was never measured.</source>
        <translation>Wie viele der nächsten sie finden, wurde noch nie gemessen.</translation>
    </message>
    <message>
        <source>how many triggers</source>
        <translation>wie viele Auslöser</translation>
    </message>
    <message>
        <source>How much a memory’s success counts in the order of what is surfaced: 0 not at all, 1 in full.</source>
        <translation>Wie viel der Erfolg einer Erinnerung in der Reihenfolge dessen zählt, was mitgegeben wird: 0 gar nicht, 1 voll.</translation>
    </message>
    <message>
        <source>How much of the log is read</source>
        <translation>Wie viel des Protokolls gelesen ist</translation>
    </message>
    <message>
        <source>How often a right answer is among the first</source>
        <translation>Wie oft eine richtige Antwort unter den ersten ist</translation>
    </message>
    <message>
        <source>how often an answer that balanced says so of is right; without an encoder as balanced</source>
        <translation>wie oft eine Antwort, von der „ausgewogen“ das sagt, richtig ist; ohne Encoder wie ausgewogen</translation>
    </message>
    <message>
        <source>How requests ended</source>
        <translation>Wie Anfragen endeten</translation>
    </message>
    <message>
        <source>How the first came about</source>
        <translation>Wie die erste zustande kam</translation>
    </message>
    <message>
        <source>How the LLM fared</source>
        <translation>Wie es dem LLM erging</translation>
    </message>
    <message>
        <source>How the model is asked; auto takes the first that server and model support.</source>
        <translation>Wie das Modell gefragt wird; auto nimmt das Erste, was Server und Modell können.</translation>
    </message>
    <message>
        <source>How the scores of one candidate become its confidence.</source>
        <translation>Wie die Scores eines Kandidaten zu seiner Konfidenz werden.</translation>
    </message>
    <message>
        <source>How-to</source>
        <translation>Anleitung</translation>
    </message>
    <message>
        <source>https://</source>
        <translation>https://</translation>
    </message>
    <message>
        <source>Hybrid</source>
        <translation>Hybrid</translation>
    </message>
    <message>
        <source>Icons</source>
        <translation>Symbole</translation>
    </message>
    <message>
        <source>Id</source>
        <translation>Id</translation>
    </message>
    <message>
        <source>Identical but for punctuation, spaces and case.</source>
        <translation>Gleich bis auf Satzzeichen, Leerzeichen und Großschreibung.</translation>
    </message>
    <message>
        <source>Identical but for upper and lower case.</source>
        <translation>Gleich bis auf Groß- und Kleinschreibung.</translation>
    </message>
    <message>
        <source>Identical, sign for sign.</source>
        <translation>Gleich, Zeichen für Zeichen.</translation>
    </message>
    <message>
        <source>Idle</source>
        <translation>Untätig</translation>
    </message>
    <message>
        <source>Idle minutes</source>
        <translation>Minuten ohne Prompt</translation>
    </message>
    <message>
        <source>Idle turns</source>
        <translation>Anfragen ohne Gebrauch</translation>
    </message>
    <message>
        <source>ids, separated by commas</source>
        <translation>Ids, durch Kommas getrennt</translation>
    </message>
    <message numerus="yes">
        <source>If right or wrong were a toss-up for each of the {n} cases that turned</source>
        <translation>
            <numerusform>Wenn richtig oder falsch für den gekippten Fall ein Münzwurf wäre</numerusform>
            <numerusform>Wenn richtig oder falsch für jeden der {n} gekippten Fälle ein Münzwurf wäre</numerusform>
        </translation>
    </message>
    <message>
        <source>ignored explicit argument %r</source>
        <translation>übergangenes Argument %r</translation>
    </message>
    <message>
        <source>Import</source>
        <translation>Importieren</translation>
    </message>
    <message>
        <source>Import a file</source>
        <translation>Eine Datei importieren</translation>
    </message>
    <message>
        <source>Import a file (Ctrl+O)</source>
        <translation>Eine Datei importieren (Strg+O)</translation>
    </message>
    <message>
        <source>Import a rule pack</source>
        <translation>Ein Regelpaket importieren</translation>
    </message>
    <message>
        <source>Import and export</source>
        <translation>Import und Export</translation>
    </message>
    <message>
        <source>Import my file</source>
        <translation>Meine Datei importieren</translation>
    </message>
    <message>
        <source>import takes either FILE or --seed.</source>
        <translation>import nimmt entweder FILE oder --seed.</translation>
    </message>
    <message>
        <source>Import the pack “{0}”</source>
        <translation>Das Paket „{0}“ importieren</translation>
    </message>
    <message>
        <source>Import {things}</source>
        <translation>{things} importieren</translation>
    </message>
    <message>
        <source>imported</source>
        <translation>importiert</translation>
    </message>
    <message>
        <source>Imported {kind} from {file}: {told}.</source>
        <translation>{kind} aus {file} importiert: {told}.</translation>
    </message>
    <message>
        <source>Importing {file}: line {n}</source>
        <translation>{file} wird importiert: Zeile {n}</translation>
    </message>
    <message>
        <source>Importing {file}: storing {m} lines</source>
        <translation>{file} wird importiert: {m} Zeilen werden gespeichert</translation>
    </message>
    <message>
        <source>Importing {file}: {n} of {m} answer</source>
        <translation>{file} wird importiert: {n} von {m} antworten</translation>
    </message>
    <message>
        <source>Importing {file}: {n} of {m} lines</source>
        <translation>{file} wird importiert: {n} von {m} Zeilen</translation>
    </message>
    <message>
        <source>Import…</source>
        <translation>Importieren…</translation>
    </message>
    <message>
        <source>In force: {policy}. Here they come to the same.</source>
        <translation>In Kraft: {policy}. Hier kommen sie auf dasselbe.</translation>
    </message>
    <message>
        <source>In force: {policy}. The number is the same, the topics are not.</source>
        <translation>In Kraft: {policy}. Die Zahl ist dieselbe, die Themen sind es nicht.</translation>
    </message>
    <message>
        <source>In force: {policy}. They part at “{row}”.</source>
        <translation>In Kraft: {policy}. Sie trennen sich bei „{row}“.</translation>
    </message>
    <message>
        <source>In none of the last {count} queries a type was detected.</source>
        <translation>In keiner der letzten {count} Anfragen wurde ein Typ erkannt.</translation>
    </message>
    <message>
        <source>In one line</source>
        <translation>In einer Zeile</translation>
    </message>
    <message>
        <source>In the bin there is no {value} “{wanted}”: “intentscope bin” lists what is.</source>
        <translation>Im Papierkorb ist kein {value} „{wanted}“: „intentscope bin“ listet, was da ist.</translation>
    </message>
    <message>
        <source>In the folder</source>
        <translation>Im Ordner</translation>
    </message>
    <message>
        <source>in the folder</source>
        <translation>im Ordner</translation>
    </message>
    <message>
        <source>In the last 24 hours</source>
        <translation>In den letzten 24 Stunden</translation>
    </message>
    <message>
        <source>In the last 30 days</source>
        <translation>In den letzten 30 Tagen</translation>
    </message>
    <message>
        <source>In the last 7 days</source>
        <translation>In den letzten 7 Tagen</translation>
    </message>
    <message>
        <source>In the last 90 days</source>
        <translation>In den letzten 90 Tagen</translation>
    </message>
    <message numerus="yes">
        <source>In the last {queries} queries {n} answers came first time and again, but never surely enough to be surfaced. With search_intent.certain_confidence at {least}, {fixes} of these queries would bring them up, {others} would bring up another answer, and {breaks} one that is marked wrong.</source>
        <translation>
            <numerusform>Unter den letzten {queries} Anfragen kam {n} Antwort immer wieder zuerst, aber nie sicher genug, um eingeblendet zu werden. Mit search_intent.certain_confidence bei {least} brächten {fixes} dieser Anfragen sie hervor, {others} eine andere Antwort und {breaks} eine, die als falsch markiert ist.</numerusform>
            <numerusform>Unter den letzten {queries} Anfragen kamen {n} Antworten immer wieder zuerst, aber nie sicher genug, um eingeblendet zu werden. Mit search_intent.certain_confidence bei {least} brächten {fixes} dieser Anfragen sie hervor, {others} eine andere Antwort und {breaks} eine, die als falsch markiert ist.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>In the last {queries} queries {n} answers came near again and again, and another one always came first.</source>
        <translation>
            <numerusform>In den letzten {queries} Anfragen kam {n} Antwort immer wieder nahe, und eine andere kam stets zuerst.</numerusform>
            <numerusform>In den letzten {queries} Anfragen kamen {n} Antworten immer wieder nahe, und eine andere kam stets zuerst.</numerusform>
        </translation>
    </message>
    <message>
        <source>in the routed answer</source>
        <translation>in der Antwort der Route</translation>
    </message>
    <message>
        <source>In time</source>
        <translation>Rechtzeitig</translation>
    </message>
    <message>
        <source>in time</source>
        <translation>rechtzeitig</translation>
    </message>
    <message>
        <source>in time, too unsure</source>
        <translation>rechtzeitig, zu unsicher</translation>
    </message>
    <message>
        <source>In time, too unsure:</source>
        <translation>Rechtzeitig, zu unsicher:</translation>
    </message>
    <message>
        <source>in use</source>
        <translation>in Gebrauch</translation>
    </message>
    <message>
        <source>In whichever tier, {share} offer a right power, or nothing where none serves.</source>
        <translation>In welcher Stufe auch immer: {share} bieten eine richtige Fähigkeit an, oder nichts, wo keine passt.</translation>
    </message>
    <message>
        <source>in {load_ms} ms</source>
        <translation>in {load_ms} ms</translation>
    </message>
    <message>
        <source>in {n} of {all} taught phrases and other cases</source>
        <translation>in {n} von {all} beigebrachten Texten und anderen Fällen</translation>
    </message>
    <message>
        <source>In {place}; start the assistant anew afterwards:</source>
        <translation>In {place}; starten Sie den Assistenten danach neu:</translation>
    </message>
    <message>
        <source>Inbox</source>
        <translation>Eingang</translation>
    </message>
    <message>
        <source>Inbox: ask the query in the scope</source>
        <translation>Eingang: die Anfrage im Scope stellen</translation>
    </message>
    <message>
        <source>Inbox: {small}</source>
        <translation>Eingang: {small}</translation>
    </message>
    <message>
        <source>Include my queries</source>
        <translation>Meine Anfragen aufnehmen</translation>
    </message>
    <message>
        <source>Injected</source>
        <translation>Eingefügt</translation>
    </message>
    <message>
        <source>Install</source>
        <translation>Installieren</translation>
    </message>
    <message>
        <source>Install it</source>
        <translation>Installieren</translation>
    </message>
    <message>
        <source>Install it again on the Settings page, or with “intentscope encoders --install accurate”.</source>
        <translation>Installieren Sie ihn noch einmal auf der Seite Einstellungen, oder mit „intentscope encoders --install accurate“.</translation>
    </message>
    <message>
        <source>Install it again.</source>
        <translation>Installieren Sie es noch einmal.</translation>
    </message>
    <message>
        <source>Install it on the Settings page, or with “intentscope encoders --install accurate”.</source>
        <translation>Installieren Sie ihn auf der Seite Einstellungen, oder mit „intentscope encoders --install accurate“.</translation>
    </message>
    <message>
        <source>Install it, some {0}</source>
        <translation>Installieren, etwa {0}</translation>
    </message>
    <message>
        <source>instead: a query that this route is right for</source>
        <translation>stattdessen: eine Anfrage, für die diese Route richtig ist</translation>
    </message>
    <message>
        <source>instead: one more trigger of this memory or power</source>
        <translation>stattdessen: ein weiterer Auslöser dieser Erinnerung oder Fähigkeit</translation>
    </message>
    <message>
        <source>Intentscope connects to this address and passes calls on to it:</source>
        <translation>Intentscope verbindet sich mit dieser Adresse und reicht Aufrufe an sie weiter:</translation>
    </message>
    <message>
        <source>Intentscope did not close in good order the last time.</source>
        <translation>Intentscope wurde zuletzt nicht ordentlich geschlossen.</translation>
    </message>
    <message>
        <source>Intentscope runs this command with your rights:</source>
        <translation>Intentscope führt diesen Befehl mit Ihren Rechten aus:</translation>
    </message>
    <message>
        <source>Intentscope shows which of your memories or tools a sentence would call, and why.</source>
        <translation>Intentscope zeigt, welche Ihrer Erinnerungen oder Werkzeuge ein Satz rufen würde, und warum.</translation>
    </message>
    <message>
        <source>intentscope: The window of this profile is open already; it came to the front.{lost}</source>
        <translation>intentscope: Das Fenster dieses Profils ist schon offen; es kam nach vorn.{lost}</translation>
    </message>
    <message>
        <source>invalid %(type)s value: %(value)r</source>
        <translation>kein gültiger Wert für %(type)s: %(value)r</translation>
    </message>
    <message>
        <source>invalid choice: %(value)r (choose from %(choices)s)</source>
        <translation>keine der Möglichkeiten: %(value)r (es gibt %(choices)s)</translation>
    </message>
    <message>
        <source>is a comment</source>
        <translation>ist ein Kommentar</translation>
    </message>
    <message>
        <source>Is added</source>
        <translation>Kommt hinzu</translation>
    </message>
    <message>
        <source>is an atomic group</source>
        <translation>ist eine atomare Gruppe</translation>
    </message>
    <message>
        <source>is no route that is set up now</source>
        <translation>ist keine Route, die jetzt eingerichtet ist</translation>
    </message>
    <message>
        <source>is not there or cannot be run</source>
        <translation>ist nicht da oder nicht ausführbar</translation>
    </message>
    <message>
        <source>It answered with status {status_code} ({phrase}).</source>
        <translation>Sie antwortete mit Status {status_code} ({phrase}).</translation>
    </message>
    <message>
        <source>it answered with {size}; {message_bytes} bytes are the most</source>
        <translation>sie antwortete mit {size}; {message_bytes} Bytes sind das Meiste</translation>
    </message>
    <message>
        <source>It answered without content.</source>
        <translation>Es hat ohne Inhalt geantwortet.</translation>
    </message>
    <message>
        <source>It answers, and all that others have changed is here.</source>
        <translation>Sie antwortet, und alles, was andere geändert haben, ist hier.</translation>
    </message>
    <message>
        <source>It asked {method} ({method_2}), which was declined.</source>
        <translation>Sie verlangte {method} ({method_2}), was abgelehnt wurde.</translation>
    </message>
    <message>
        <source>It asks for more than one: {types}.</source>
        <translation>Sie fragt nach mehr als einem: {types}.</translation>
    </message>
    <message numerus="yes">
        <source>It asks for {n} variables of your own environment. Cancel if you do not know why.</source>
        <translation>
            <numerusform>Sie verlangt {n} Variable Ihrer eigenen Umgebung. Brechen Sie ab, wenn Sie nicht wissen, warum.</numerusform>
            <numerusform>Sie verlangt {n} Variablen Ihrer eigenen Umgebung. Brechen Sie ab, wenn Sie nicht wissen, warum.</numerusform>
        </translation>
    </message>
    <message>
        <source>It begins at {least}, and no confidence can exceed {most}.</source>
        <translation>Es beginnt bei {least}, und keine Konfidenz kann {most} übersteigen.</translation>
    </message>
    <message numerus="yes">
        <source>It brings {n} tools.</source>
        <translation>
            <numerusform>Sie bringt {n} Werkzeug mit.</numerusform>
            <numerusform>Sie bringt {n} Werkzeuge mit.</numerusform>
        </translation>
    </message>
    <message>
        <source>It came from {author}, who shares this library ({at} UTC).</source>
        <translation>Es kam von {author}, der oder die diese Bibliothek teilt ({at} UTC).</translation>
    </message>
    <message>
        <source>It came from {source} ({verb}, {at} UTC).</source>
        <translation>Er kam aus {source} ({verb}, {at} UTC).</translation>
    </message>
    <message>
        <source>It came with the sample library ({at} UTC).</source>
        <translation>Er kam mit der Beispielbibliothek ({at} UTC).</translation>
    </message>
    <message>
        <source>it cannot be copied: {strerror}</source>
        <translation>sie lässt sich nicht kopieren: {strerror}</translation>
    </message>
    <message>
        <source>it cannot be read as TOML: {error}</source>
        <translation>sie ist nicht als TOML lesbar: {error}</translation>
    </message>
    <message>
        <source>It changes nothing.</source>
        <translation>Es ändert nichts.</translation>
    </message>
    <message>
        <source>It could not be fetched: {errors}.</source>
        <translation>Es konnte nicht geholt werden: {errors}.</translation>
    </message>
    <message>
        <source>It could not run.</source>
        <translation>Er konnte nicht laufen.</translation>
    </message>
    <message>
        <source>It ends at {below}, and nothing below {most} is found.</source>
        <translation>Es endet bei {below}, und unter {most} wird nichts gefunden.</translation>
    </message>
    <message>
        <source>It ends at {below}, and nothing is surfaced below {most}.</source>
        <translation>Es endet bei {below}, und unter {most} wird nichts mitgegeben.</translation>
    </message>
    <message>
        <source>it failed again</source>
        <translation>es schlug wieder fehl</translation>
    </message>
    <message>
        <source>It failed {count} times in a row, and is left alone for {seconds} s.</source>
        <translation>Er ist {count}-mal nacheinander ausgefallen und bleibt {seconds} s lang in Ruhe.</translation>
    </message>
    <message>
        <source>It has neither a command nor an address, so there is nothing to approve.</source>
        <translation>Sie hat weder Befehl noch Adresse, also gibt es nichts zu genehmigen.</translation>
    </message>
    <message>
        <source>It has neither a command nor an address: give it one under “How it is reached”.</source>
        <translation>Sie hat weder Befehl noch Adresse: geben Sie unter „Wie sie erreicht wird“ eins an.</translation>
    </message>
    <message>
        <source>It has no memory.</source>
        <translation>Sie hat keine Erinnerung.</translation>
    </message>
    <message>
        <source>it has no response</source>
        <translation>sie hat keine Antwort</translation>
    </message>
    <message>
        <source>It has no response: an assistant would get nothing.</source>
        <translation>Sie hat keinen Antworttext: ein Assistent bekäme nichts.</translation>
    </message>
    <message>
        <source>It has no rule and no example yet, so that an LLM alone can decide for it.</source>
        <translation>Sie hat noch keine Regel und kein Beispiel, sodass nur ein LLM für sie entscheiden kann.</translation>
    </message>
    <message>
        <source>It has no tools.</source>
        <translation>Sie hat keine Werkzeuge.</translation>
    </message>
    <message>
        <source>it has none of the tables</source>
        <translation>sie hat keine der Tabellen</translation>
    </message>
    <message>
        <source>it has tables of several</source>
        <translation>sie hat Tabellen von mehreren aus</translation>
    </message>
    <message>
        <source>it has to say where {parts} is</source>
        <translation>sie muss sagen, wo {parts} steht</translation>
    </message>
    <message>
        <source>It is approved: starting it asks nothing.</source>
        <translation>Sie ist genehmigt: sie zu starten fragt nichts.</translation>
    </message>
    <message>
        <source>It is as it was taught or imported; what you change from now on is kept here.</source>
        <translation>Sie ist, wie sie beigebracht oder importiert wurde; was Sie von jetzt an ändern, wird hier behalten.</translation>
    </message>
    <message>
        <source>It is being reached.</source>
        <translation>Er wird gerade erst erreicht.</translation>
    </message>
    <message>
        <source>it is empty: name a folder, or leave it out for the default profile.</source>
        <translation>er ist leer: nennen Sie einen Ordner, oder lassen Sie es für das übliche Profil weg.</translation>
    </message>
    <message>
        <source>It is made in {0}.</source>
        <translation>Es entsteht in {0}.</translation>
    </message>
    <message>
        <source>it is no address of a server, such as 127.0.0.1:11434 or http://127.0.0.1:11434</source>
        <translation>das ist keine Adresse eines Servers, wie 127.0.0.1:11434 oder http://127.0.0.1:11434</translation>
    </message>
    <message>
        <source>it is no name and no folder</source>
        <translation>das ist kein Name und kein Ordner</translation>
    </message>
    <message>
        <source>it is no whole address, such as https://example.org/intentscope.json</source>
        <translation>das ist keine ganze Adresse, wie https://example.org/intentscope.json</translation>
    </message>
    <message>
        <source>it is no whole path, such as /home/me/library</source>
        <translation>das ist kein ganzer Pfad, wie /home/me/library</translation>
    </message>
    <message>
        <source>it is not approved any more</source>
        <translation>sie nicht mehr genehmigt ist</translation>
    </message>
    <message>
        <source>it is not in the library any more</source>
        <translation>sie nicht mehr in der Bibliothek ist</translation>
    </message>
    <message>
        <source>It is not known where it came from.</source>
        <translation>Es ist nicht bekannt, woher er kam.</translation>
    </message>
    <message>
        <source>It is now level with {name}.</source>
        <translation>Es steht jetzt gleichauf mit {name}.</translation>
    </message>
    <message>
        <source>It is now number {place}, {behind} behind {name}.</source>
        <translation>Es ist jetzt Nummer {place}, {behind} hinter {name}.</translation>
    </message>
    <message>
        <source>It is now the only match.</source>
        <translation>Es ist jetzt der einzige Treffer.</translation>
    </message>
    <message>
        <source>it is paused</source>
        <translation>sie pausiert ist</translation>
    </message>
    <message>
        <source>It is paused: resume it, then start it here.</source>
        <translation>Sie ist pausiert: setzen Sie sie fort, dann starten Sie sie hier.</translation>
    </message>
    <message>
        <source>It is so already.</source>
        <translation>Es ist schon so.</translation>
    </message>
    <message>
        <source>It is the first label</source>
        <translation>Es ist das erste Label</translation>
    </message>
    <message>
        <source>It is the first memory</source>
        <translation>Es ist die erste Erinnerung</translation>
    </message>
    <message>
        <source>It is the first power</source>
        <translation>Es ist die erste Fähigkeit</translation>
    </message>
    <message>
        <source>It is the route</source>
        <translation>Es ist die Route</translation>
    </message>
    <message>
        <source>It is there already: memory:{name}. Teach that one more with --to, or name another one with --name.</source>
        <translation>Es ist schon da: memory:{name}. Lehren Sie diese Erinnerung mit --to mehr, oder benennen Sie eine andere mit --name.</translation>
    </message>
    <message>
        <source>It is there. Use it when you like.</source>
        <translation>Er ist da. Verwenden Sie ihn, wann Sie mögen.</translation>
    </message>
    <message>
        <source>it is written as in “{such_as}”</source>
        <translation>sie wird geschrieben wie in „{such_as}“</translation>
    </message>
    <message>
        <source>It leads by other scores, but {combination} does not count them so.</source>
        <translation>Es führt bei anderen Scores, aber {combination} zählt sie nicht so.</translation>
    </message>
    <message>
        <source>it lets no more clients in for now</source>
        <translation>er lässt im Augenblick niemanden mehr ein</translation>
    </message>
    <message>
        <source>It lies from {least} to {below}; a confidence is {most} at most, or {next} and more.</source>
        <translation>Es liegt zwischen {least} und {below}; eine Konfidenz ist höchstens {most}, oder {next} und mehr.</translation>
    </message>
    <message>
        <source>it must be a number from 0 to {most_weight}</source>
        <translation>es muss eine Zahl von 0 bis {most_weight} sein</translation>
    </message>
    <message>
        <source>it must be a number{within}</source>
        <translation>es muss eine Zahl{within} sein</translation>
    </message>
    <message>
        <source>it must be a text</source>
        <translation>es muss ein Text sein</translation>
    </message>
    <message>
        <source>it must be a whole number{within}</source>
        <translation>es muss eine ganze Zahl{within} sein</translation>
    </message>
    <message>
        <source>it must be names of stores, parted by commas</source>
        <translation>es müssen Namen von Speichern sein, durch Kommas getrennt</translation>
    </message>
    <message>
        <source>it must be names, parted by commas</source>
        <translation>es müssen Namen sein, durch Kommas getrennt</translation>
    </message>
    <message>
        <source>it must be true or false</source>
        <translation>es muss true oder false sein</translation>
    </message>
    <message>
        <source>it must be {either}</source>
        <translation>es muss {either} sein</translation>
    </message>
    <message>
        <source>It now leads by {lead}.</source>
        <translation>Es führt jetzt mit {lead}.</translation>
    </message>
    <message>
        <source>It said that its tools had changed, but did not tell them: {told}.</source>
        <translation>Sie sagte, ihre Werkzeuge hätten sich geändert, nannte sie aber nicht: {told}.</translation>
    </message>
    <message>
        <source>It says nothing of itself.</source>
        <translation>Es sagt nichts von sich.</translation>
    </message>
    <message>
        <source>It says that it offers no tools.</source>
        <translation>Sie sagt, dass sie keine Werkzeuge anbietet.</translation>
    </message>
    <message>
        <source>It sends so many messages that they are only read at a slower pace.</source>
        <translation>Sie sendet so viele Nachrichten, dass sie nur langsamer gelesen werden.</translation>
    </message>
    <message>
        <source>It sent a message of {size}, which was left out: {message_bytes} bytes are the most.</source>
        <translation>Sie sandte eine Nachricht von {size}, die ausgelassen wurde: {message_bytes} Bytes sind das Meiste.</translation>
    </message>
    <message>
        <source>It stands there already.</source>
        <translation>Sie steht schon dort.</translation>
    </message>
    <message>
        <source>It takes no arguments.</source>
        <translation>Es nimmt keine Argumente.</translation>
    </message>
    <message>
        <source>It takes {high} to be activated. Typing starts nothing.</source>
        <translation>Zum Aktivieren braucht es {high}. Tippen startet nichts.</translation>
    </message>
    <message>
        <source>It took {seconds} s.</source>
        <translation>Es dauerte {seconds} s.</translation>
    </message>
    <message>
        <source>It was approved before, and is another by now.</source>
        <translation>Sie war genehmigt und ist inzwischen eine andere.</translation>
    </message>
    <message>
        <source>It was approved before, but runs another program by now, or is steered by other values.</source>
        <translation>Sie war genehmigt, führt aber inzwischen ein anderes Programm aus oder wird von anderen Werten gesteuert.</translation>
    </message>
    <message>
        <source>It was asked {asked} times and never answered within {budget} ms; mostly: {outcome}, {times} times.</source>
        <translation>Es wurde {asked}-mal gefragt und antwortete nie innerhalb von {budget} ms; meist: {outcome}, {times}-mal.</translation>
    </message>
    <message>
        <source>It was loaded already and is warm {took}.</source>
        <translation>Es war schon geladen und ist warm {took}.</translation>
    </message>
    <message>
        <source>It was loaded {took}. {cold_start}</source>
        <translation>Es wurde {took} geladen. {cold_start}</translation>
    </message>
    <message>
        <source>It was started again, because its command line or address, or its program, has changed.</source>
        <translation>Sie wurde neu gestartet, weil ihre Befehlszeile oder Adresse oder ihr Programm sich geändert hat.</translation>
    </message>
    <message>
        <source>It was stopped after {turns} queries without use (powers.idle_turns).</source>
        <translation>Sie wurde nach {turns} Anfragen ohne Gebrauch angehalten (powers.idle_turns).</translation>
    </message>
    <message>
        <source>It was stopped to make room for “{name}”: powers.most_running is {most}.</source>
        <translation>Sie wurde angehalten, um Platz für „{name}“ zu machen: powers.most_running ist {most}.</translation>
    </message>
    <message>
        <source>It was stopped, because {reason}.</source>
        <translation>Sie wurde angehalten, weil {reason}.</translation>
    </message>
    <message>
        <source>It was typed in the window ({at} UTC).</source>
        <translation>Er wurde im Fenster eingegeben ({at} UTC).</translation>
    </message>
    <message>
        <source>It would be injected, as number {rank}.</source>
        <translation>Sie würde mitgegeben, als Nummer {rank}.</translation>
    </message>
    <message>
        <source>It would be {label}, a route that is switched off.</source>
        <translation>Es wäre {label}, eine ausgeschaltete Route.</translation>
    </message>
    <message>
        <source>It would begin at {least}, which is where it ends.</source>
        <translation>Es begänne bei {least}, wo es auch endet.</translation>
    </message>
    <message>
        <source>It would end before it begins.</source>
        <translation>Sie endete, bevor sie beginnt.</translation>
    </message>
    <message>
        <source>It would not be injected: {why}.</source>
        <translation>Sie würde nicht mitgegeben: {why}.</translation>
    </message>
    <message>
        <source>It would still lose. {effect}</source>
        <translation>Es würde trotzdem verlieren. {effect}</translation>
    </message>
    <message>
        <source>It writes text to its standard output that is no MCP message and was passed over: “{shown}”.</source>
        <translation>Sie schreibt Text auf ihre Standardausgabe, der keine MCP-Nachricht ist und übergangen wurde: „{shown}“.</translation>
    </message>
    <message>
        <source>Its arguments are known once the server tells them.</source>
        <translation>Seine Argumente sind bekannt, sobald der Server sie nennt.</translation>
    </message>
    <message>
        <source>its arguments, or all of them as one JSON object</source>
        <translation>ihre Argumente, oder alle zusammen als ein JSON-Objekt</translation>
    </message>
    <message>
        <source>Its cases expect nothing already.</source>
        <translation>Seine Fälle erwarten schon nichts.</translation>
    </message>
    <message>
        <source>its command line or address has changed</source>
        <translation>ihre Befehlszeile oder Adresse sich geändert hat</translation>
    </message>
    <message>
        <source>its confidence is {own}, below its own threshold {least}</source>
        <translation>seine Konfidenz ist {own}, unter seiner eigenen Schwelle {least}</translation>
    </message>
    <message>
        <source>its confidence is {own}, {least} is needed (search_intent.surfacing_confidence)</source>
        <translation>ihre Konfidenz ist {own}, nötig sind {least} (search_intent.surfacing_confidence)</translation>
    </message>
    <message>
        <source>its description as a whole</source>
        <translation>seine Beschreibung als Ganzes</translation>
    </message>
    <message>
        <source>its keyword</source>
        <translation>sein Stichwort</translation>
    </message>
    <message>
        <source>its label</source>
        <translation>ihr Label</translation>
    </message>
    <message>
        <source>Its last words: “{line}”.</source>
        <translation>Ihre letzten Worte: „{line}“.</translation>
    </message>
    <message>
        <source>Its licence</source>
        <translation>Seine Lizenz</translation>
    </message>
    <message>
        <source>its lines are of several kinds</source>
        <translation>ihre Zeilen sind verschiedener Art</translation>
    </message>
    <message>
        <source>Its list of tools is longer than {most}; the rest is left out.</source>
        <translation>Ihre Liste von Werkzeugen ist länger als {most}; der Rest ist ausgelassen.</translation>
    </message>
    <message>
        <source>Its model: a folder or a name (sentence-transformers), a name (ollama); empty: all-MiniLM-L6-v2.</source>
        <translation>Sein Modell: ein Ordner oder Name (sentence-transformers), ein Name (ollama); leer: all-MiniLM-L6-v2.</translation>
    </message>
    <message>
        <source>Its name for other commands: {name}</source>
        <translation>Ihr Name für andere Befehle: {name}</translation>
    </message>
    <message>
        <source>Its namespace counts {weight}-fold.</source>
        <translation>Ihr Namensraum zählt {weight}-fach.</translation>
    </message>
    <message>
        <source>its only trigger</source>
        <translation>ihr einziger Auslöser</translation>
    </message>
    <message>
        <source>its records are of several kinds</source>
        <translation>ihre Einträge sind verschiedener Art</translation>
    </message>
    <message>
        <source>Its schema has a form of its own: the arguments are written as JSON.</source>
        <translation>Sein Schema hat eine eigene Form: die Argumente werden als JSON geschrieben.</translation>
    </message>
    <message>
        <source>its success score is below min_score</source>
        <translation>ihr Erfolgswert liegt unter min_score</translation>
    </message>
    <message>
        <source>its table {table} is written in a way of its own</source>
        <translation>ihre Tabelle {table} ist auf eigene Weise geschrieben</translation>
    </message>
    <message>
        <source>Its tools as they are stored; none can be called now:</source>
        <translation>Ihre Werkzeuge, wie gespeichert; keines kann jetzt aufgerufen werden:</translation>
    </message>
    <message>
        <source>Its tools now:</source>
        <translation>Ihre Werkzeuge jetzt:</translation>
    </message>
    <message>
        <source>Its value</source>
        <translation>Ihr Wert</translation>
    </message>
    <message>
        <source>Its values</source>
        <translation>Ihre Werte</translation>
    </message>
    <message>
        <source>Its vectors are not there yet.</source>
        <translation>Ihre Vektoren sind noch nicht da.</translation>
    </message>
    <message numerus="yes">
        <source>its words {words}</source>
        <translation>
            <numerusform>ihr Wort {words}</numerusform>
            <numerusform>ihre Wörter {words}</numerusform>
        </translation>
    </message>
    <message>
        <source>Join and open</source>
        <translation>Eintreten und öffnen</translation>
    </message>
    <message>
        <source>JSON</source>
        <translation>JSON</translation>
    </message>
    <message>
        <source>JSON Lines</source>
        <translation>JSON Lines</translation>
    </message>
    <message>
        <source>JSON Lines (*.jsonl)</source>
        <translation>JSON Lines (*.jsonl)</translation>
    </message>
    <message>
        <source>JSON Lines with query, text, prompt or message</source>
        <translation>JSON Lines mit query, text, prompt oder message</translation>
    </message>
    <message>
        <source>JSON mode</source>
        <translation>JSON-Modus</translation>
    </message>
    <message>
        <source>Judge</source>
        <translation>Beurteilen</translation>
    </message>
    <message>
        <source>Judging: {done} of {whole}</source>
        <translation>Wird beurteilt: {done} von {whole}</translation>
    </message>
    <message>
        <source>Keep</source>
        <translation>Behalten</translation>
    </message>
    <message>
        <source>Keep &amp;mine</source>
        <translation>&amp;Meine behalten</translation>
    </message>
    <message>
        <source>Keep alive</source>
        <translation>Geladen halten</translation>
    </message>
    <message>
        <source>Keep better</source>
        <translation>Besseres behalten</translation>
    </message>
    <message>
        <source>Keep engine</source>
        <translation>Maschine behalten</translation>
    </message>
    <message>
        <source>Keep it, but let it answer nothing</source>
        <translation>Behalten, aber nichts beantworten lassen</translation>
    </message>
    <message>
        <source>Keep queries from now on</source>
        <translation>Anfragen von jetzt an behalten</translation>
    </message>
    <message>
        <source>keep the answers, for history and inbox</source>
        <translation>die Antworten behalten, für Verlauf und Eingang</translation>
    </message>
    <message>
        <source>Keep the chosen, merge, different, delete, next, in that list</source>
        <translation>Gewählte behalten, zusammenführen, verschieden, löschen, weiter, in dieser Liste</translation>
    </message>
    <message>
        <source>Keep the final confidence from falling below the keywords&apos; own.</source>
        <translation>Die endgültige Konfidenz nicht unter die der Stichwörter fallen lassen.</translation>
    </message>
    <message>
        <source>Keep the password in the keyring (Enter)</source>
        <translation>Das Passwort im Schlüsselbund behalten (Eingabetaste)</translation>
    </message>
    <message>
        <source>keep the password of this store; read from stdin</source>
        <translation>bewahrt das Passwort dieses Speichers auf; von stdin gelesen</translation>
    </message>
    <message>
        <source>Keep the trigger under one of the two answers.</source>
        <translation>Behalten Sie den Auslöser unter einer der beiden Antworten.</translation>
    </message>
    <message>
        <source>Keep the window open</source>
        <translation>Das Fenster offen lassen</translation>
    </message>
    <message>
        <source>Keep theirs</source>
        <translation>Fremde behalten</translation>
    </message>
    <message>
        <source>Keep them from now on</source>
        <translation>Von jetzt an behalten</translation>
    </message>
    <message>
        <source>Keep what is shown as PNG, SVG or CSV</source>
        <translation>Das Gezeigte als PNG, SVG oder CSV aufheben</translation>
    </message>
    <message>
        <source>Keeping on both sides</source>
        <translation>Wird auf beiden Seiten behalten</translation>
    </message>
    <message numerus="yes">
        <source>keeps {n} answers of the LLM, in front of those that are kept here</source>
        <translation>
            <numerusform>bewahrt {n} Antwort des LLM auf, vor denen, die hier aufbewahrt werden</numerusform>
            <numerusform>bewahrt {n} Antworten des LLM auf, vor denen, die hier aufbewahrt werden</numerusform>
        </translation>
    </message>
    <message>
        <source>Kept</source>
        <translation>Behalten</translation>
    </message>
    <message>
        <source>kept</source>
        <translation>behalten</translation>
    </message>
    <message>
        <source>Kept answers looked up for routes</source>
        <translation>Behaltene Antworten für Routen</translation>
    </message>
    <message>
        <source>Kept answers of the LLM, in the last {days} days</source>
        <translation>Aufbewahrte Antworten des LLM in den letzten {days} Tagen</translation>
    </message>
    <message>
        <source>Kept as a case.</source>
        <translation>Als Fall behalten.</translation>
    </message>
    <message>
        <source>Kept as run {key}; --against-run {key} tells what turned since.</source>
        <translation>Als Lauf {key} aufgehoben; --against-run {key} sagt, was seither kippte.</translation>
    </message>
    <message>
        <source>kept on both sides: {0}</source>
        <translation>auf beiden Seiten behalten: {0}</translation>
    </message>
    <message>
        <source>Keys</source>
        <translation>Tasten</translation>
    </message>
    <message>
        <source>Keyword</source>
        <translation>Stichwort</translation>
    </message>
    <message>
        <source>Keyword or semantic</source>
        <translation>Stichwort oder Semantik</translation>
    </message>
    <message>
        <source>Keyword or semantic: the larger of these two scores.</source>
        <translation>Stichwort oder Semantik: der größere dieser beiden Scores.</translation>
    </message>
    <message>
        <source>Keyword {0}: {1}. Press to remove it.</source>
        <translation>Stichwort {0}: {1}. Drücken, um es zu entfernen.</translation>
    </message>
    <message>
        <source>Keywords</source>
        <translation>Stichwörter</translation>
    </message>
    <message>
        <source>keywords</source>
        <translation>Stichwörter</translation>
    </message>
    <message>
        <source>Keywords + lexical</source>
        <translation>Stichwörter + lexikalisch</translation>
    </message>
    <message>
        <source>Keywords against LLM</source>
        <translation>Stichwörter gegen LLM</translation>
    </message>
    <message>
        <source>Keywords and examples decide alone.</source>
        <translation>Stichwörter und Beispiele entscheiden allein.</translation>
    </message>
    <message>
        <source>keywords and LLM</source>
        <translation>Stichwörter und LLM</translation>
    </message>
    <message>
        <source>Keywords and LLM name different types.</source>
        <translation>Stichwörter und LLM nennen verschiedene Typen.</translation>
    </message>
    <message>
        <source>Keywords and LLM, weighed</source>
        <translation>Stichwörter und LLM, gewichtet</translation>
    </message>
    <message>
        <source>Keywords are surer</source>
        <translation>Stichwörter sind sicherer</translation>
    </message>
    <message>
        <source>Keywords in the query</source>
        <translation>Stichwörter in der Anfrage</translation>
    </message>
    <message>
        <source>Keywords say {floor} {sure}, the LLM says {type} {confidence}.</source>
        <translation>Stichwörter sagen {floor} {sure}, das LLM sagt {type} {confidence}.</translation>
    </message>
    <message>
        <source>Keywords that decide nothing</source>
        <translation>Stichwörter, die nichts entscheiden</translation>
    </message>
    <message>
        <source>Label</source>
        <translation>Label</translation>
    </message>
    <message>
        <source>label</source>
        <translation>Label</translation>
    </message>
    <message>
        <source>Label by the LLM</source>
        <translation>Label durch das LLM</translation>
    </message>
    <message>
        <source>Label of the new memory</source>
        <translation>Label der neuen Erinnerung</translation>
    </message>
    <message>
        <source>Label thresholds</source>
        <translation>Schwellen der Labels</translation>
    </message>
    <message>
        <source>label {label}</source>
        <translation>Label {label}</translation>
    </message>
    <message>
        <source>label; with none it is an answer of its own</source>
        <translation>Label; ohne ist es eine eigene Antwort</translation>
    </message>
    <message>
        <source>Labelled queries, newest first, each with the number that names it.</source>
        <translation>Markierte Anfragen, die neuesten zuerst, jede mit der Nummer, die sie benennt.</translation>
    </message>
    <message>
        <source>Labels</source>
        <translation>Labels</translation>
    </message>
    <message>
        <source>Labels that carry a threshold of their own are not found below it; fallback_threshold is for the others.</source>
        <translation>Labels mit eigener Schwelle werden darunter nicht gefunden; fallback_threshold gilt für die anderen.</translation>
    </message>
    <message>
        <source>Labels with one trigger only</source>
        <translation>Labels mit nur einem Auslöser</translation>
    </message>
    <message>
        <source>Labels, the worst of {n} first</source>
        <translation>Labels, die schlechtesten von {n} zuerst</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>Sprache</translation>
    </message>
    <message>
        <source>Language of the window and the terminal from the next start on; `system` asks the desktop.</source>
        <translation>Sprache von Fenster und Terminal ab dem nächsten Start; `system` fragt den Desktop.</translation>
    </message>
    <message>
        <source>Last look at {0}.</source>
        <translation>Zuletzt nachgesehen um {0}.</translation>
    </message>
    <message>
        <source>Last steps</source>
        <translation>Letzte Schritte</translation>
    </message>
    <message>
        <source>Late</source>
        <translation>Zu spät</translation>
    </message>
    <message>
        <source>Latency</source>
        <translation>Latenz</translation>
    </message>
    <message>
        <source>Latency by source</source>
        <translation>Latenz nach Quelle</translation>
    </message>
    <message>
        <source>Later</source>
        <translation>Später</translation>
    </message>
    <message>
        <source>Later prompt</source>
        <translation>Späterer Prompt</translation>
    </message>
    <message>
        <source>Later reply</source>
        <translation>Spätere Antwort</translation>
    </message>
    <message>
        <source>Later: topics {topics}</source>
        <translation>Später: Themen {topics}</translation>
    </message>
    <message>
        <source>Lead</source>
        <translation>Vorsprung</translation>
    </message>
    <message>
        <source>lead</source>
        <translation>Abstand</translation>
    </message>
    <message>
        <source>Learned</source>
        <translation>Gelernt</translation>
    </message>
    <message>
        <source>Learned from</source>
        <translation>Gelernt ab</translation>
    </message>
    <message>
        <source>Learned from examples</source>
        <translation>Aus Beispielen gelernt</translation>
    </message>
    <message>
        <source>Learned from examples: nothing is asked</source>
        <translation>Aus Beispielen gelernt: nichts ist gefragt</translation>
    </message>
    <message>
        <source>Learned from examples: right with a chance of {chance}</source>
        <translation>Aus Beispielen gelernt: richtig mit der Wahrscheinlichkeit {chance}</translation>
    </message>
    <message>
        <source>Learned types</source>
        <translation>Gelernte Typen</translation>
    </message>
    <message>
        <source>Learned: the chance of being right, learned from what is taught.</source>
        <translation>Gelernt: die Wahrscheinlichkeit, richtig zu sein, gelernt aus dem Beigebrachten.</translation>
    </message>
    <message>
        <source>Least confidence</source>
        <translation>Geringste Konfidenz</translation>
    </message>
    <message>
        <source>Least success</source>
        <translation>Geringster Erfolg</translation>
    </message>
    <message>
        <source>Leave it deleted</source>
        <translation>Gelöscht lassen</translation>
    </message>
    <message>
        <source>Leave it for now</source>
        <translation>Vorerst lassen</translation>
    </message>
    <message>
        <source>Leave it for now, and go to the next</source>
        <translation>Vorerst lassen und zur nächsten gehen</translation>
    </message>
    <message>
        <source>Leave it out, or double it.</source>
        <translation>Lassen Sie es weg, oder verdoppeln Sie es.</translation>
    </message>
    <message>
        <source>Leave it out, or write \) for it.</source>
        <translation>Lassen Sie sie weg, oder schreiben Sie \) dafür.</translation>
    </message>
    <message>
        <source>Leave out</source>
        <translation>Auslassen</translation>
    </message>
    <message>
        <source>Leave the \ out, or double it if it is meant itself.</source>
        <translation>Lassen Sie das \ weg, oder verdoppeln Sie es, wenn es selbst gemeint ist.</translation>
    </message>
    <message>
        <source>Leave the comment out.</source>
        <translation>Lassen Sie den Kommentar weg.</translation>
    </message>
    <message>
        <source>leave without the server: what others changed last is not here</source>
        <translation>ohne den Server austreten: was andere zuletzt geändert haben, ist nicht hier</translation>
    </message>
    <message>
        <source>left alone after failures</source>
        <translation>nach Fehlern in Ruhe gelassen</translation>
    </message>
    <message>
        <source>Left out</source>
        <translation>Weggelassen</translation>
    </message>
    <message>
        <source>Left out, as nothing here is like it: {keys}.</source>
        <translation>Ausgelassen, weil es hier nichts dergleichen gibt: {keys}.</translation>
    </message>
    <message>
        <source>Left out: {problem}</source>
        <translation>Ausgelassen: {problem}</translation>
    </message>
    <message>
        <source>left out: {why}</source>
        <translation>weggelassen: {why}</translation>
    </message>
    <message>
        <source>Left to the LLM</source>
        <translation>Dem LLM überlassen</translation>
    </message>
    <message>
        <source>Left: </source>
        <translation>Links: </translation>
    </message>
    <message>
        <source>Left: {title}, query: {query}</source>
        <translation>Links: {title}, Anfrage: {query}</translation>
    </message>
    <message>
        <source>Legend: a wedge decides the confidence; hatched is absent, not 0</source>
        <translation>Legende: ein Keil entscheidet die Konfidenz; schraffiert fehlt, ist nicht 0</translation>
    </message>
    <message>
        <source>less than a minute ago</source>
        <translation>vor weniger als einer Minute</translation>
    </message>
    <message>
        <source>Let `calibrated` decide where labelled cases say that `learned` does worse here.</source>
        <translation>`calibrated` entscheiden lassen, wo `learned` nach den markierten Fällen hier schlechter ist.</translation>
    </message>
    <message>
        <source>Let a local LLM improve on the keyword result.</source>
        <translation>Ein lokales LLM das Ergebnis der Stichwörter verbessern lassen.</translation>
    </message>
    <message>
        <source>let a route be so, also one that ships</source>
        <translation>eine Route so sein lassen, auch eine mitgelieferte</translation>
    </message>
    <message>
        <source>Let all queries go by today’s settings again</source>
        <translation>Alle Anfragen wieder nach den heutigen Einstellungen leiten</translation>
    </message>
    <message>
        <source>Let assistants teach memories over MCP.</source>
        <translation>Assistenten über MCP Erinnerungen beibringen lassen.</translation>
    </message>
    <message>
        <source>Let documents answer that others keep on {0}; nothing is written</source>
        <translation>Dokumente antworten lassen, die andere auf {0} führen; nichts wird geschrieben</translation>
    </message>
    <message>
        <source>Let it answer again</source>
        <translation>Wieder antworten lassen</translation>
    </message>
    <message>
        <source>Let it be again as it came with the program</source>
        <translation>Wieder so sein lassen, wie sie mit dem Programm kam</translation>
    </message>
    <message>
        <source>let it be decided for again</source>
        <translation>wieder für sie entscheiden lassen</translation>
    </message>
    <message>
        <source>Let labels be found from where they did best</source>
        <translation>Labels ab dort finden lassen, wo sie am besten waren</translation>
    </message>
    <message>
        <source>Let nothing decide for it, or again: its rules and examples stay</source>
        <translation>Nichts für sie entscheiden lassen, oder wieder: ihre Regeln und Beispiele bleiben</translation>
    </message>
    <message>
        <source>Let nothing hold back the rule “{rule}”</source>
        <translation>Die Regel „{rule}“ durch nichts zurückhalten lassen</translation>
    </message>
    <message>
        <source>Let queries wait in the inbox, too, that the two presets answer differently.</source>
        <translation>Auch Anfragen im Eingang warten lassen, die die beiden Vorgaben verschieden beantworten.</translation>
    </message>
    <message>
        <source>Let rules decide.</source>
        <translation>Regeln entscheiden lassen.</translation>
    </message>
    <message>
        <source>Let so many of 100 queries really go by what is chosen:</source>
        <translation>So viele von 100 Anfragen wirklich nach dem Gewählten leiten:</translation>
    </message>
    <message>
        <source>Let some queries be routed by other settings, and see how both do; without words: how it stands.</source>
        <translation>Einige Anfragen nach anderen Einstellungen leiten und sehen, wie beide abschneiden; ohne Worte: wie es steht.</translation>
    </message>
    <message>
        <source>Let taught examples decide where rules do not.</source>
        <translation>Beispiele entscheiden lassen, wo Regeln es nicht tun.</translation>
    </message>
    <message>
        <source>Let taught examples that are as sure as a rule must be overrule one.</source>
        <translation>Beispiele, die so sicher sind, wie eine Regel sein muss, eine überstimmen lassen.</translation>
    </message>
    <message>
        <source>let the answer of trigger P have it alone</source>
        <translation>die Antwort von Auslöser P ihn allein haben lassen</translation>
    </message>
    <message>
        <source>Let the LLM choose among the best labels of memories.</source>
        <translation>Das LLM unter den besten Labels von Erinnerungen wählen lassen.</translation>
    </message>
    <message>
        <source>Let the LLM choose among the best powers.</source>
        <translation>Das LLM unter den besten Fähigkeiten wählen lassen.</translation>
    </message>
    <message>
        <source>Let the LLM choose among the best routes that are taught, also those of your own.</source>
        <translation>Das LLM unter den besten gelehrten Routen wählen lassen, auch Ihren eigenen.</translation>
    </message>
    <message>
        <source>Let the rule “{rule}” weigh {after} instead of {before}</source>
        <translation>Die Regel „{rule}“ mit {after} statt {before} gewichten</translation>
    </message>
    <message>
        <source>Let the selected powers answer again</source>
        <translation>Die gewählten Fähigkeiten wieder antworten lassen</translation>
    </message>
    <message>
        <source>Let what is learned from taught examples speak where keywords do not.</source>
        <translation>Aus Beispielen Gelerntes sprechen lassen, wo Stichwörter schweigen.</translation>
    </message>
    <message>
        <source>Let {0} of 100 queries go by the candidate, in every program of this profile</source>
        <translation>{0} von 100 Anfragen nach dem Kandidaten leiten, in jedem Programm dieses Profils</translation>
    </message>
    <message>
        <source>Level</source>
        <translation>Stufe</translation>
    </message>
    <message>
        <source>Level of the first answer</source>
        <translation>Stufe der ersten Antwort</translation>
    </message>
    <message>
        <source>level with {name}</source>
        <translation>gleichauf mit {name}</translation>
    </message>
    <message>
        <source>Lexical</source>
        <translation>Lexikalisch</translation>
    </message>
    <message>
        <source>Library</source>
        <translation>Bibliothek</translation>
    </message>
    <message>
        <source>Library and folder</source>
        <translation>Bibliothek und Ordner</translation>
    </message>
    <message numerus="yes">
        <source>Library and folder hold the same {n} things.</source>
        <translation>
            <numerusform>Bibliothek und Ordner enthalten dieselbe {n} Sache.</numerusform>
            <numerusform>Bibliothek und Ordner enthalten dieselben {n} Sachen.</numerusform>
        </translation>
    </message>
    <message>
        <source>library: everything, as a folder of text files</source>
        <translation>library: alles, als Ordner von Textdateien</translation>
    </message>
    <message>
        <source>library: {things} things saved to {folder}, {changed}.</source>
        <translation>Bibliothek: {things} Sachen in {folder} gespeichert, {changed}.</translation>
    </message>
    <message>
        <source>Licences</source>
        <translation>Lizenzen</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>Hell</translation>
    </message>
    <message>
        <source>light mode</source>
        <translation>heller Modus</translation>
    </message>
    <message>
        <source>Like it: {names}.</source>
        <translation>Ähnlich: {names}.</translation>
    </message>
    <message>
        <source>line {line} cannot be read as JSON</source>
        <translation>Zeile {line} ist nicht als JSON lesbar</translation>
    </message>
    <message>
        <source>Line {line} holds a NUL byte, which no text has.</source>
        <translation>Zeile {line} enthält ein NUL-Byte, das kein Text hat.</translation>
    </message>
    <message>
        <source>line {line} holds something else than expected</source>
        <translation>Zeile {line} enthält etwas anderes als erwartet</translation>
    </message>
    <message>
        <source>Line {line} is not valid JSON: a text holds what must be escaped.</source>
        <translation>Zeile {line} ist kein gültiges JSON: ein Text enthält, was maskiert sein muss.</translation>
    </message>
    <message>
        <source>Line {line} is not valid JSON: {expected} was expected, not “{shown}”.</source>
        <translation>Zeile {line} ist kein gültiges JSON: {expected} wurde erwartet, nicht „{shown}“.</translation>
    </message>
    <message>
        <source>Line {line} is not valid JSON: {wants} was expected, not “{shown}”.</source>
        <translation>Zeile {line} ist kein gültiges JSON: {wants} wurde erwartet, nicht „{shown}“.</translation>
    </message>
    <message>
        <source>Line {line} is not valid UTF-8 (byte {byte}): save the file as UTF-8 and try again.</source>
        <translation>Zeile {line} ist kein gültiges UTF-8 (Byte {byte}): speichern Sie die Datei als UTF-8 und versuchen Sie es noch einmal.</translation>
    </message>
    <message>
        <source>Line {line} is not valid UTF-8: save the file as UTF-8 and try again.</source>
        <translation>Zeile {line} ist kein gültiges UTF-8: speichern Sie die Datei als UTF-8 und versuchen Sie es noch einmal.</translation>
    </message>
    <message>
        <source>Line {line} is not valid YAML: {problem}.</source>
        <translation>Zeile {line} ist kein gültiges YAML: {problem}.</translation>
    </message>
    <message>
        <source>Line {line}: a list of objects in [ ] was expected.</source>
        <translation>Zeile {line}: eine Liste von Objekten in [ ] wurde erwartet.</translation>
    </message>
    <message>
        <source>Line {line}: a name has to be a text.</source>
        <translation>Zeile {line}: ein Name muss ein Text sein.</translation>
    </message>
    <message>
        <source>Line {line}: a name of more than 64 parts is not read.</source>
        <translation>Zeile {line}: ein Name von mehr als 64 Teilen wird nicht gelesen.</translation>
    </message>
    <message>
        <source>Line {line}: an alias stands for something that it is part of.</source>
        <translation>Zeile {line}: ein Alias steht für etwas, dessen Teil er ist.</translation>
    </message>
    <message>
        <source>Line {line}: lists and objects are nested more than {max_depth} deep.</source>
        <translation>Zeile {line}: Listen und Objekte sind mehr als {max_depth} tief verschachtelt.</translation>
    </message>
    <message>
        <source>Line {line}: the alias “{anchor}” stands for nothing, or for itself.</source>
        <translation>Zeile {line}: der Alias „{anchor}“ steht für nichts, oder für sich selbst.</translation>
    </message>
    <message>
        <source>Line {line}: the list that begins in line {opened_in} is not closed.</source>
        <translation>Zeile {line}: die Liste, die in Zeile {opened_in} beginnt, ist nicht geschlossen.</translation>
    </message>
    <message>
        <source>Line {line}: the object that begins in line {opened_in} is not closed.</source>
        <translation>Zeile {line}: das Objekt, das in Zeile {opened_in} beginnt, ist nicht geschlossen.</translation>
    </message>
    <message>
        <source>Line {line}: the tag “{tag}” is not read; only texts, lists and objects are.</source>
        <translation>Zeile {line}: das Tag „{tag}“ wird nicht gelesen; nur Texte, Listen und Objekte.</translation>
    </message>
    <message>
        <source>Line {line}: the {what} that begins in line {line_2} is not closed.</source>
        <translation>Zeile {line}: was in Zeile {line_2} beginnt ({what}), ist nicht geschlossen.</translation>
    </message>
    <message>
        <source>Line {line}: up to here the file stands for more than {max_nodes} values, the most that are read of this format; JSON Lines and CSV may be of any size.</source>
        <translation>Zeile {line}: bis hierher steht die Datei für mehr als {max_nodes} Werte, das Meiste, was von diesem Format gelesen wird; JSON Lines und CSV dürfen beliebig groß sein.</translation>
    </message>
    <message>
        <source>Line {line}: what begins there is longer than {most} MB, or never ends; no record may be.</source>
        <translation>Zeile {line}: was da beginnt, ist länger als {most} MB oder endet nie; kein Eintrag darf das.</translation>
    </message>
    <message>
        <source>line {line}: {first}{also}</source>
        <translation>Zeile {line}: {first}{also}</translation>
    </message>
    <message>
        <source>line {line}: {one}</source>
        <translation>Zeile {line}: {one}</translation>
    </message>
    <message>
        <source>line {line}: {problem}</source>
        <translation>Zeile {line}: {problem}</translation>
    </message>
    <message>
        <source>Line {line}: “{name}” stands there twice; give it once.</source>
        <translation>Zeile {line}: „{name}“ steht zweimal da; geben Sie es einmal an.</translation>
    </message>
    <message>
        <source>Line {number} is longer than {max_line_bytes} MB: this is no CSV.</source>
        <translation>Zeile {number} ist länger als {max_line_bytes} MB: das ist kein CSV.</translation>
    </message>
    <message>
        <source>Line {number}: {error}</source>
        <translation>Zeile {number}: {error}</translation>
    </message>
    <message>
        <source>line {n}: {why}</source>
        <translation>Zeile {n}: {why}</translation>
    </message>
    <message>
        <source>Lines that are left out</source>
        <translation>Zeilen, die ausgelassen werden</translation>
    </message>
    <message>
        <source>Lines that were left out</source>
        <translation>Zeilen, die ausgelassen wurden</translation>
    </message>
    <message>
        <source>Link a folder first: “Link the library to a folder”.</source>
        <translation>Verknüpfen Sie zuerst einen Ordner: „Die Bibliothek mit einem Ordner verknüpfen“.</translation>
    </message>
    <message>
        <source>Link the library to a folder</source>
        <translation>Die Bibliothek mit einem Ordner verknüpfen</translation>
    </message>
    <message>
        <source>Link the library to no folder any more</source>
        <translation>Die Bibliothek mit keinem Ordner mehr verknüpfen</translation>
    </message>
    <message>
        <source>Links to the LLM</source>
        <translation>Glieder zum LLM</translation>
    </message>
    <message>
        <source>list</source>
        <translation>Liste</translation>
    </message>
    <message>
        <source>list of {kind}</source>
        <translation>Liste von {kind}</translation>
    </message>
    <message>
        <source>list the evaluations that are kept, instead of one</source>
        <translation>die aufgehobenen Auswertungen auflisten, statt auszuwerten</translation>
    </message>
    <message>
        <source>List the matches by label, or each memory again</source>
        <translation>Die Treffer nach Label listen, oder wieder jede Erinnerung</translation>
    </message>
    <message>
        <source>list the rules of this pack</source>
        <translation>die Regeln dieses Pakets listen</translation>
    </message>
    <message>
        <source>list what others keep on this server, and the setting that would read it</source>
        <translation>auflisten, was andere auf diesem Server führen, und die Einstellung, die es läse</translation>
    </message>
    <message>
        <source>Live test</source>
        <translation>Live-Probe</translation>
    </message>
    <message>
        <source>LLM</source>
        <translation>LLM</translation>
    </message>
    <message>
        <source>LLM against</source>
        <translation>LLM dagegen</translation>
    </message>
    <message>
        <source>LLM alone</source>
        <translation>LLM allein</translation>
    </message>
    <message>
        <source>LLM and cases</source>
        <translation>LLM und Fälle</translation>
    </message>
    <message>
        <source>LLM and labels</source>
        <translation>LLM und Labels</translation>
    </message>
    <message>
        <source>LLM as today</source>
        <translation>LLM wie heute</translation>
    </message>
    <message>
        <source>LLM asked</source>
        <translation>LLM gefragt</translation>
    </message>
    <message>
        <source>LLM connection</source>
        <translation>LLM-Verbindung</translation>
    </message>
    <message>
        <source>LLM failed</source>
        <translation>LLM fehlgeschlagen</translation>
    </message>
    <message>
        <source>LLM fails always</source>
        <translation>LLM fällt immer aus</translation>
    </message>
    <message>
        <source>LLM fails: 20 %</source>
        <translation>LLM fällt aus: 20 %</translation>
    </message>
    <message>
        <source>LLM fails: 5 %</source>
        <translation>LLM fällt aus: 5 %</translation>
    </message>
    <message>
        <source>LLM fails: 50 %</source>
        <translation>LLM fällt aus: 50 %</translation>
    </message>
    <message>
        <source>LLM failures</source>
        <translation>Ausfälle des LLM</translation>
    </message>
    <message>
        <source>LLM is off. Keywords and examples decide alone.</source>
        <translation>Das LLM ist aus. Stichwörter und Beispiele entscheiden allein.</translation>
    </message>
    <message>
        <source>LLM loading</source>
        <translation>LLM lädt</translation>
    </message>
    <message>
        <source>LLM max in flight</source>
        <translation>LLM-Anfragen gleichzeitig</translation>
    </message>
    <message>
        <source>LLM mends</source>
        <translation>LLM heilt</translation>
    </message>
    <message>
        <source>LLM model missing</source>
        <translation>LLM-Modell fehlt</translation>
    </message>
    <message>
        <source>LLM says</source>
        <translation>LLM sagt</translation>
    </message>
    <message>
        <source>LLM spoils</source>
        <translation>LLM verdirbt</translation>
    </message>
    <message>
        <source>LLM superseded</source>
        <translation>LLM überholt</translation>
    </message>
    <message>
        <source>LLM time-out (ms)</source>
        <translation>Zeitgrenze des LLM (ms)</translation>
    </message>
    <message>
        <source>LLM timed out</source>
        <translation>LLM zu spät</translation>
    </message>
    <message>
        <source>LLM too late</source>
        <translation>LLM zu spät</translation>
    </message>
    <message>
        <source>LLM too unsure</source>
        <translation>LLM zu unsicher</translation>
    </message>
    <message>
        <source>LLM unreachable</source>
        <translation>LLM nicht erreichbar</translation>
    </message>
    <message>
        <source>LLM unreadable</source>
        <translation>LLM nicht lesbar</translation>
    </message>
    <message>
        <source>LLM warm</source>
        <translation>LLM warm</translation>
    </message>
    <message>
        <source>LLM while typing</source>
        <translation>LLM beim Tippen</translation>
    </message>
    <message>
        <source>LLM {word}</source>
        <translation>LLM {word}</translation>
    </message>
    <message>
        <source>LLM, after {ms} ms</source>
        <translation>LLM, nach {ms} ms</translation>
    </message>
    <message>
        <source>LLM: {state}</source>
        <translation>LLM: {state}</translation>
    </message>
    <message>
        <source>Load again</source>
        <translation>Neu laden</translation>
    </message>
    <message>
        <source>Loaded</source>
        <translation>Geladen</translation>
    </message>
    <message>
        <source>Loading</source>
        <translation>Lädt</translation>
    </message>
    <message>
        <source>loading</source>
        <translation>lädt</translation>
    </message>
    <message>
        <source>Loading {next_encoder}</source>
        <translation>{next_encoder} wird geladen</translation>
    </message>
    <message>
        <source>Location</source>
        <translation>Ort</translation>
    </message>
    <message>
        <source>Log</source>
        <translation>Protokoll</translation>
    </message>
    <message>
        <source>Log axes</source>
        <translation>Logarithmische Achsen</translation>
    </message>
    <message>
        <source>Log breakdowns</source>
        <translation>Aufschlüsselungen protokollieren</translation>
    </message>
    <message>
        <source>log to stderr</source>
        <translation>auf stderr protokollieren</translation>
    </message>
    <message>
        <source>Logs and chats (*.txt *.log *.jsonl *.json *.csv)</source>
        <translation>Protokolle und Chats (*.txt *.log *.jsonl *.json *.csv)</translation>
    </message>
    <message>
        <source>Longest, ms</source>
        <translation>Längste, ms</translation>
    </message>
    <message>
        <source>Look</source>
        <translation>Nachsehen</translation>
    </message>
    <message>
        <source>Look again</source>
        <translation>Noch einmal ansehen</translation>
    </message>
    <message>
        <source>Look among all actions</source>
        <translation>Unter allen Aktionen suchen</translation>
    </message>
    <message>
        <source>Look at everything that is taught and set, in the background</source>
        <translation>Alles Beigebrachte und Eingestellte ansehen, im Hintergrund</translation>
    </message>
    <message>
        <source>Look at the log of decisions.</source>
        <translation>Sehen Sie ins Protokoll der Entscheidungen.</translation>
    </message>
    <message>
        <source>Look at the log, mend its command or what it needs, and start it again.</source>
        <translation>Sehen Sie ins Protokoll, beheben Sie den Befehl oder was er braucht, und starten Sie sie neu.</translation>
    </message>
    <message>
        <source>Look at what its server said.</source>
        <translation>Sehen Sie nach, was ihr Server gesagt hat.</translation>
    </message>
    <message>
        <source>Look at what would be started, and say yes to it, or pause the power.</source>
        <translation>Sehen Sie an, was gestartet würde, und stimmen Sie zu, oder pausieren Sie die Fähigkeit.</translation>
    </message>
    <message>
        <source>Look for fewer words, or take a filter away.</source>
        <translation>Suchen Sie nach weniger Wörtern, oder nehmen Sie einen Filter weg.</translation>
    </message>
    <message>
        <source>Look for fewer words, or take a filter away. What is kept hashed has no words to find.</source>
        <translation>Suchen Sie nach weniger Wörtern, oder nehmen Sie einen Filter weg. Was als Prüfsumme behalten ist, hat keine Wörter zum Suchen.</translation>
    </message>
    <message>
        <source>Look for one</source>
        <translation>Suchen</translation>
    </message>
    <message>
        <source>Look whether a rule’s own confidence hides what differs.</source>
        <translation>Sehen Sie nach, ob die eigene Konfidenz einer Regel verdeckt, was sich unterscheidet.</translation>
    </message>
    <message>
        <source>Look whether the trigger stands under the right answer; if so, teach more like it.</source>
        <translation>Sehen Sie nach, ob der Auslöser unter der richtigen Antwort steht; wenn ja, bringen Sie mehr dergleichen bei.</translation>
    </message>
    <message>
        <source>Look whether these queries really are alike.</source>
        <translation>Sehen Sie nach, ob diese Anfragen wirklich gleichartig sind.</translation>
    </message>
    <message>
        <source>Looked at: {what}, and the settings.</source>
        <translation>Angesehen: {what} und die Einstellungen.</translation>
    </message>
    <message>
        <source>Looked up</source>
        <translation>Nachgeschlagen</translation>
    </message>
    <message>
        <source>Looking</source>
        <translation>Wird angesehen</translation>
    </message>
    <message>
        <source>Looking at the library…</source>
        <translation>Die Bibliothek wird angesehen…</translation>
    </message>
    <message>
        <source>Looking where it was lost</source>
        <translation>Es wird gesucht, wo es verloren ging</translation>
    </message>
    <message>
        <source>looking where it was lost</source>
        <translation>es wird gesucht, wo es verloren ging</translation>
    </message>
    <message>
        <source>looks ahead at what follows</source>
        <translation>blickt voraus auf das, was folgt</translation>
    </message>
    <message>
        <source>looks ahead for what must not be there</source>
        <translation>blickt voraus auf das, was nicht da sein darf</translation>
    </message>
    <message>
        <source>looks back at what stands before</source>
        <translation>blickt zurück auf das, was davor steht</translation>
    </message>
    <message>
        <source>looks back for what must not be there</source>
        <translation>blickt zurück auf das, was nicht da sein darf</translation>
    </message>
    <message>
        <source>Lost</source>
        <translation>Verloren</translation>
    </message>
    <message>
        <source>Lost at a threshold</source>
        <translation>An einer Schwelle verloren</translation>
    </message>
    <message>
        <source>Lost for want of topics</source>
        <translation>Mangels Themen verloren</translation>
    </message>
    <message>
        <source>Lost in the combination</source>
        <translation>An der Kombination verloren</translation>
    </message>
    <message>
        <source>Lost in the ranking</source>
        <translation>Am Rang verloren</translation>
    </message>
    <message>
        <source>Lost in the scores</source>
        <translation>An den Scores verloren</translation>
    </message>
    <message>
        <source>Lost in the selection</source>
        <translation>An der Auswahl verloren</translation>
    </message>
    <message>
        <source>Lost to ambiguity</source>
        <translation>An Mehrdeutigkeit verloren</translation>
    </message>
    <message>
        <source>Lost to the cache</source>
        <translation>An den Zwischenspeicher verloren</translation>
    </message>
    <message>
        <source>Lost to the examples</source>
        <translation>An die Beispiele verloren</translation>
    </message>
    <message>
        <source>Lost to the LLM</source>
        <translation>An das LLM verloren</translation>
    </message>
    <message>
        <source>Lost to the rules</source>
        <translation>An die Regeln verloren</translation>
    </message>
    <message>
        <source>Low</source>
        <translation>Niedrig</translation>
    </message>
    <message>
        <source>Low confidence</source>
        <translation>Geringe Konfidenz</translation>
    </message>
    <message>
        <source>Lower the confidence from which a memory is surfaced by itself, or teach such queries.</source>
        <translation>Die Konfidenz senken, ab der eine Erinnerung von selbst eingeblendet wird, oder solche Anfragen lehren.</translation>
    </message>
    <message>
        <source>Lower the least success score, or delete them.</source>
        <translation>Senken Sie den geringsten Erfolg, oder löschen Sie sie.</translation>
    </message>
    <message>
        <source>Lower the surfacing threshold if fewer memories are better than none.</source>
        <translation>Senken Sie die Schwelle der Mitgabe, wenn weniger Erinnerungen besser sind als keine.</translation>
    </message>
    <message>
        <source>Lower the surfacing threshold.</source>
        <translation>Senken Sie die Schwelle der Mitgabe.</translation>
    </message>
    <message>
        <source>Lower the threshold of its label from {before} to {after}</source>
        <translation>Die Schwelle seines Labels von {before} auf {after} senken</translation>
    </message>
    <message>
        <source>Lower the threshold of that step.</source>
        <translation>Senken Sie die Schwelle dieses Schritts.</translation>
    </message>
    <message>
        <source>make a pack what it was when it came with the program</source>
        <translation>ein Paket wieder machen, wie es mit dem Programm kam</translation>
    </message>
    <message>
        <source>Make and open</source>
        <translation>Anlegen und öffnen</translation>
    </message>
    <message>
        <source>make another token, and print it</source>
        <translation>ein anderes Token machen und ausgeben</translation>
    </message>
    <message>
        <source>make one memory of all, with the response of P</source>
        <translation>eine Erinnerung aus allen machen, mit dem Antworttext von P</translation>
    </message>
    <message>
        <source>Make the earlier rule narrower, or let the evidence decide.</source>
        <translation>Fassen Sie die frühere Regel enger, oder lassen Sie die Belege entscheiden.</translation>
    </message>
    <message>
        <source>Make the pack what it was when it came with the program; you see first what that changes</source>
        <translation>Das Paket wieder zu dem machen, was es war, als es mit dem Programm kam; Sie sehen zuerst, was das ändert</translation>
    </message>
    <message>
        <source>Make the pattern narrower, or switch the rule off; each line says what cases lose by that.</source>
        <translation>Das Muster enger fassen oder die Regel abschalten; jede Zeile sagt, was Fälle dabei verlieren.</translation>
    </message>
    <message>
        <source>Make the vectors</source>
        <translation>Vektoren machen</translation>
    </message>
    <message>
        <source>Make them now</source>
        <translation>Jetzt machen</translation>
    </message>
    <message>
        <source>Make this pane higher</source>
        <translation>Diesen Bereich höher machen</translation>
    </message>
    <message>
        <source>Make this pane lower</source>
        <translation>Diesen Bereich niedriger machen</translation>
    </message>
    <message>
        <source>Make this pane narrower</source>
        <translation>Diesen Bereich schmaler machen</translation>
    </message>
    <message>
        <source>Make this pane wider</source>
        <translation>Diesen Bereich breiter machen</translation>
    </message>
    <message>
        <source>Make two rules of it, one for each case.</source>
        <translation>Machen Sie zwei Regeln daraus, eine für jeden Fall.</translation>
    </message>
    <message>
        <source>Makes its vectors beside those in use, answers your labelled cases, and keeps nothing</source>
        <translation>Macht seine Vektoren neben denen in Gebrauch, beantwortet Ihre markierten Fälle und behält nichts</translation>
    </message>
    <message>
        <source>Mark an answer right or wrong for a query, or all of them wrong: the query becomes a case.</source>
        <translation>Eine Antwort auf eine Anfrage als richtig oder falsch markieren, oder alle als falsch: die Anfrage wird ein Fall.</translation>
    </message>
    <message>
        <source>Mark answers right or wrong in the scope, or write cases on their page, to see what a change breaks.</source>
        <translation>Markieren Sie im Scope Antworten als richtig oder falsch, oder schreiben Sie Fälle auf deren Seite, um zu sehen, was eine Änderung bricht.</translation>
    </message>
    <message>
        <source>mark takes one of --none and --answer: no answer is right, whichever comes.</source>
        <translation>mark nimmt eines von --none und --answer: keine Antwort ist richtig, welche auch kommt.</translation>
    </message>
    <message>
        <source>Mark the selected answer right</source>
        <translation>Die gewählte Antwort als richtig markieren</translation>
    </message>
    <message>
        <source>Mark the selected answer wrong</source>
        <translation>Die gewählte Antwort als falsch markieren</translation>
    </message>
    <message>
        <source>Markdown</source>
        <translation>Markdown</translation>
    </message>
    <message>
        <source>marked</source>
        <translation>markiert</translation>
    </message>
    <message>
        <source>marked afterwards: {after}</source>
        <translation>danach markiert: {after}</translation>
    </message>
    <message numerus="yes">
        <source>marked right {n} times</source>
        <translation>
            <numerusform>einmal als richtig markiert</numerusform>
            <numerusform>{n}-mal als richtig markiert</numerusform>
        </translation>
    </message>
    <message>
        <source>Marks of the sources</source>
        <translation>Marken der Quellen</translation>
    </message>
    <message>
        <source>Matches</source>
        <translation>Treffer</translation>
    </message>
    <message>
        <source>matches are being counted</source>
        <translation>Treffer werden gezählt</translation>
    </message>
    <message numerus="yes">
        <source>matches in {n} cases with a type</source>
        <translation>
            <numerusform>trifft in {n} Fall mit Typ</numerusform>
            <numerusform>trifft in {n} Fällen mit Typ</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>matches in {n} taught phrases and cases</source>
        <translation>
            <numerusform>trifft in {n} beigebrachten Text</numerusform>
            <numerusform>trifft in {n} beigebrachten Texten und Fällen</numerusform>
        </translation>
    </message>
    <message>
        <source>Matches none of {n} cases and taught phrases.</source>
        <translation>Trifft keinen von {n} Fällen und beigebrachten Texten.</translation>
    </message>
    <message>
        <source>Matches {n} of {all} cases</source>
        <translation>Trifft auf {n} von {all} Fällen zu</translation>
    </message>
    <message>
        <source>Matches {n} of {all} taught phrases and other cases</source>
        <translation>Trifft auf {n} von {all} beigebrachten Texten und anderen Fällen zu</translation>
    </message>
    <message>
        <source>Matches, best first</source>
        <translation>Treffer, der beste zuerst</translation>
    </message>
    <message>
        <source>Matrix</source>
        <translation>Matrix</translation>
    </message>
    <message>
        <source>Max</source>
        <translation>Maximum</translation>
    </message>
    <message>
        <source>max(exact, mean(semantic, centroid)), for powers also keyword; without an encoder the best lexical score</source>
        <translation>max(exakt, Mittel(semantisch, Zentroid)), für Fähigkeiten auch Stichwort; ohne Encoder der beste lexikalische Score</translation>
    </message>
    <message>
        <source>max(keyword, semantic), as 003 resolves powers</source>
        <translation>max(Stichwort, semantisch), wie 003 Fähigkeiten auflöst</translation>
    </message>
    <message>
        <source>max,cascade or all</source>
        <translation>max,cascade oder all</translation>
    </message>
    <message>
        <source>Max: the largest of the scores.</source>
        <translation>Maximum: der größte der Scores.</translation>
    </message>
    <message>
        <source>Maximum</source>
        <translation>Maximum</translation>
    </message>
    <message>
        <source>MCP servers</source>
        <translation>MCP-Server</translation>
    </message>
    <message>
        <source>MCP {version}</source>
        <translation>MCP {version}</translation>
    </message>
    <message>
        <source>Mean</source>
        <translation>Mittel</translation>
    </message>
    <message>
        <source>Mean of 1 / rank</source>
        <translation>Mittel von 1 / Rang</translation>
    </message>
    <message>
        <source>mean of 1 / rank, to the 10th place</source>
        <translation>Mittel von 1 / Rang, bis zum 10. Platz</translation>
    </message>
    <message numerus="yes">
        <source>mean of {n} triggers</source>
        <translation>
            <numerusform>ihr einziger Auslöser</numerusform>
            <numerusform>Mittel von {n} Auslösern</numerusform>
        </translation>
    </message>
    <message>
        <source>Mean {mean} ms, p50 {p50} ms, p95 {p95} ms of {n} queries.</source>
        <translation>Mittel {mean} ms, P50 {p50} ms, P95 {p95} ms von {n} Anfragen.</translation>
    </message>
    <message>
        <source>Meaning</source>
        <translation>Bedeutung</translation>
    </message>
    <message>
        <source>meaning</source>
        <translation>Bedeutung</translation>
    </message>
    <message>
        <source>meaning counts by now</source>
        <translation>Bedeutung zählt inzwischen</translation>
    </message>
    <message>
        <source>meaning does not count any more</source>
        <translation>Bedeutung zählt nicht mehr</translation>
    </message>
    <message>
        <source>Meaning from</source>
        <translation>Bedeutung ab</translation>
    </message>
    <message>
        <source>meaning {score}</source>
        <translation>Bedeutung {score}</translation>
    </message>
    <message>
        <source>Measures, targets and alarms</source>
        <translation>Kennzahlen, Ziele und Alarme</translation>
    </message>
    <message>
        <source>Medium</source>
        <translation>Mittel</translation>
    </message>
    <message>
        <source>Medium from this confidence on.</source>
        <translation>Mittel ab dieser Konfidenz.</translation>
    </message>
    <message>
        <source>Memories</source>
        <translation>Erinnerungen</translation>
    </message>
    <message>
        <source>Memories and powers that changed are written to {store}, and what is gone is deleted there.</source>
        <translation>Erinnerungen und Fähigkeiten, die sich geändert haben, werden nach {store} geschrieben, und was es nicht mehr gibt, wird dort gelöscht.</translation>
    </message>
    <message>
        <source>Memories are scored as the team&apos;s servers find them: what looks through all of them sees those that were found lately.</source>
        <translation>Erinnerungen werden bewertet, wie die Server des Teams sie finden: Was alle durchsieht, sieht die zuletzt gefundenen.</translation>
    </message>
    <message>
        <source>Memories are surfaced from this confidence on.</source>
        <translation>Erinnerungen werden ab dieser Konfidenz mitgegeben.</translation>
    </message>
    <message>
        <source>Memories declare no keywords.</source>
        <translation>Erinnerungen nennen keine Stichwörter.</translation>
    </message>
    <message>
        <source>Memories for prompts</source>
        <translation>Erinnerungen zu Prompts</translation>
    </message>
    <message>
        <source>memories instead: those that were used most, or those that never were</source>
        <translation>stattdessen Erinnerungen: die am meisten oder die nie verwendeten</translation>
    </message>
    <message>
        <source>Memories with a lower success score are left out.</source>
        <translation>Erinnerungen mit geringerem Erfolg werden ausgelassen.</translation>
    </message>
    <message>
        <source>memories, which cannot test any more. If they are a test: --kind cases --task intent. --kind memories </source>
        <translation>Erinnerungen, die nicht mehr testen können. Ist es ein Test: --kind cases --task intent. --kind memories </translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>Erinnerung</translation>
    </message>
    <message>
        <source>memory</source>
        <translation>Erinnerung</translation>
    </message>
    <message>
        <source>memory or power, and its name</source>
        <translation>memory oder power, und der Name</translation>
    </message>
    <message>
        <source>memory, label {label}</source>
        <translation>Erinnerung, Label {label}</translation>
    </message>
    <message>
        <source>memory, power, rule or case, and its name</source>
        <translation>memory, power, rule oder case, und der Name</translation>
    </message>
    <message>
        <source>Mend the pattern; the editor says where it breaks.</source>
        <translation>Beheben Sie das Muster; der Editor sagt, wo es bricht.</translation>
    </message>
    <message>
        <source>Menu</source>
        <translation>Menü</translation>
    </message>
    <message>
        <source>Menu  F10</source>
        <translation>Menü  F10</translation>
    </message>
    <message>
        <source>Merge</source>
        <translation>Zusammenführen</translation>
    </message>
    <message>
        <source>Merge policies side by side</source>
        <translation>Arten des Zusammenführens nebeneinander</translation>
    </message>
    <message>
        <source>Merge policy</source>
        <translation>Art des Zusammenführens</translation>
    </message>
    <message>
        <source>Merge the two.</source>
        <translation>Führen Sie beide zusammen.</translation>
    </message>
    <message>
        <source>merged</source>
        <translation>zusammengeführt</translation>
    </message>
    <message>
        <source>Merged (adr)</source>
        <translation>Vereint (adr)</translation>
    </message>
    <message>
        <source>merged (adr)</source>
        <translation>vereint (adr)</translation>
    </message>
    <message>
        <source>Merged (shipped)</source>
        <translation>Vereint (shipped)</translation>
    </message>
    <message>
        <source>merged (shipped)</source>
        <translation>vereint (shipped)</translation>
    </message>
    <message>
        <source>Merged by {one}, then by {other}</source>
        <translation>Vereint nach {one}, dann nach {other}</translation>
    </message>
    <message>
        <source>Message, secrets masked</source>
        <translation>Nachricht, Geheimnisse verdeckt</translation>
    </message>
    <message>
        <source>Messages</source>
        <translation>Nachrichten</translation>
    </message>
    <message>
        <source>met</source>
        <translation>erreicht</translation>
    </message>
    <message>
        <source>Method</source>
        <translation>Methode</translation>
    </message>
    <message>
        <source>metric</source>
        <translation>Maß</translation>
    </message>
    <message>
        <source>Metrics</source>
        <translation>Metriken</translation>
    </message>
    <message>
        <source>Metrics of this session</source>
        <translation>Metriken dieser Sitzung</translation>
    </message>
    <message numerus="yes">
        <source>Metrics, {n} alarms</source>
        <translation>
            <numerusform>Metriken, {n} Alarm</numerusform>
            <numerusform>Metriken, {n} Alarme</numerusform>
        </translation>
    </message>
    <message>
        <source>Milliseconds (P50, P90, P95, P99)</source>
        <translation>Millisekunden (P50, P90, P95, P99)</translation>
    </message>
    <message>
        <source>Min confidence</source>
        <translation>Mindestkonfidenz</translation>
    </message>
    <message>
        <source>min({number}, {most})</source>
        <translation>min({number}, {most})</translation>
    </message>
    <message>
        <source>min({text}, 1)</source>
        <translation>min({text}, 1)</translation>
    </message>
    <message>
        <source>MiniLM</source>
        <translation>MiniLM</translation>
    </message>
    <message>
        <source>missed</source>
        <translation>verfehlt</translation>
    </message>
    <message>
        <source>Missing? Teach it with {key}, and it is found from then on.</source>
        <translation>Fehlt etwas? Bringen Sie es mit {key} bei, und es wird von da an gefunden.</translation>
    </message>
    <message>
        <source>Mode</source>
        <translation>Modus</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>Model for {0}</source>
        <translation>Modell für {0}</translation>
    </message>
    <message>
        <source>Model missing</source>
        <translation>Modell fehlt</translation>
    </message>
    <message>
        <source>model missing</source>
        <translation>Modell fehlt</translation>
    </message>
    <message>
        <source>Model to pull</source>
        <translation>Zu holendes Modell</translation>
    </message>
    <message>
        <source>Monthly budget</source>
        <translation>Monatsbudget</translation>
    </message>
    <message>
        <source>More</source>
        <translation>Mehr</translation>
    </message>
    <message>
        <source>More than 90 days ago</source>
        <translation>Vor mehr als 90 Tagen</translation>
    </message>
    <message>
        <source>More than one deleted {kind} is called “{name_of}”: restore only one of them.</source>
        <translation>Mehr als ein gelöschtes {kind} heißt „{name_of}“: holen Sie nur eines davon zurück.</translation>
    </message>
    <message>
        <source>More than {most} memories were changed since the servers were filled: “intentscope team --index” brings them up to date.</source>
        <translation>Mehr als {most} Erinnerungen wurden geändert, seit die Server gefüllt wurden: „intentscope team --index“ bringt sie auf den neuesten Stand.</translation>
    </message>
    <message>
        <source>Most</source>
        <translation>Höchstens</translation>
    </message>
    <message>
        <source>Most frequent mistakes (expected → given)</source>
        <translation>Häufigste Fehler (erwartet → gegeben)</translation>
    </message>
    <message>
        <source>Most running</source>
        <translation>Höchstens laufend</translation>
    </message>
    <message>
        <source>Move a line of a list up or down</source>
        <translation>Eine Zeile einer Liste hinauf oder hinab bewegen</translation>
    </message>
    <message>
        <source>Move below</source>
        <translation>Nach unten bewegen</translation>
    </message>
    <message>
        <source>Move left</source>
        <translation>Nach links bewegen</translation>
    </message>
    <message>
        <source>Move or hide the pane {0}</source>
        <translation>Den Bereich {0} bewegen oder ausblenden</translation>
    </message>
    <message>
        <source>Move right</source>
        <translation>Nach rechts bewegen</translation>
    </message>
    <message>
        <source>Move the selected rule up or down in its pack</source>
        <translation>Die gewählte Regel in ihrem Paket hinauf oder hinab bewegen</translation>
    </message>
    <message>
        <source>Move the trigger down (Alt+Down)</source>
        <translation>Den Auslöser hinab bewegen (Alt+Herunter)</translation>
    </message>
    <message>
        <source>Move the trigger up (Alt+Up)</source>
        <translation>Den Auslöser hinauf bewegen (Alt+Hoch)</translation>
    </message>
    <message>
        <source>Move “{phrase}” from {theirs} to {mine}</source>
        <translation>„{phrase}“ von {theirs} zu {mine} verschieben</translation>
    </message>
    <message>
        <source>Move, float or hide this pane</source>
        <translation>Diesen Bereich bewegen, lösen oder ausblenden</translation>
    </message>
    <message>
        <source>moved a trigger of</source>
        <translation>einen Auslöser verschoben von</translation>
    </message>
    <message>
        <source>Moved by</source>
        <translation>Bewegt durch</translation>
    </message>
    <message>
        <source>Moved by: {causes}.</source>
        <translation>Bewegt durch: {causes}.</translation>
    </message>
    <message numerus="yes">
        <source>Moved {n} memories from “{old}” to “{new}”.</source>
        <translation>
            <numerusform>{n} Erinnerung von „{old}“ nach „{new}“ verschoben.</numerusform>
            <numerusform>{n} Erinnerungen von „{old}“ nach „{new}“ verschoben.</numerusform>
        </translation>
    </message>
    <message>
        <source>ms</source>
        <translation>ms</translation>
    </message>
    <message>
        <source>ms, log axis, {runs}</source>
        <translation>ms, logarithmische Achse, {runs}</translation>
    </message>
    <message>
        <source>ms, the latest {0} in their order, log axis</source>
        <translation>ms, die letzten {0} der Reihe nach, logarithmische Achse</translation>
    </message>
    <message>
        <source>ms, {runs}</source>
        <translation>ms, {runs}</translation>
    </message>
    <message>
        <source>Multiple</source>
        <translation>Mehrere</translation>
    </message>
    <message>
        <source>Multiple matches</source>
        <translation>Mehrere Treffer</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>Name a pack for the rule.</source>
        <translation>Nennen Sie ein Paket für die Regel.</translation>
    </message>
    <message>
        <source>Name counts</source>
        <translation>Name zählt</translation>
    </message>
    <message>
        <source>Name of a new namespace</source>
        <translation>Name eines neuen Namensraums</translation>
    </message>
    <message>
        <source>Name of a new profile</source>
        <translation>Name eines neuen Profils</translation>
    </message>
    <message>
        <source>Name of the model, as the server lists it; empty: none.</source>
        <translation>Name des Modells, wie der Server es nennt; leer: keines.</translation>
    </message>
    <message>
        <source>Name one of its triggers: {key}.1 to {key}.{count}.</source>
        <translation>Nennen Sie einen seiner Auslöser: {key}.1 bis {key}.{count}.</translation>
    </message>
    <message>
        <source>name one that answers without</source>
        <translation>eine nennen, die ohne antwortet</translation>
    </message>
    <message>
        <source>Name the answer that you expected in the line above, and press Enter.</source>
        <translation>Nennen Sie oben in der Zeile die Antwort, die Sie erwartet haben, und drücken Sie Eingabe.</translation>
    </message>
    <message>
        <source>Name this program in an assistant&apos;s configuration, after showing what changes.</source>
        <translation>Dieses Programm in der Konfiguration eines Assistenten nennen, nachdem gezeigt ist, was sich ändert.</translation>
    </message>
    <message>
        <source>Name what the rule stands for.</source>
        <translation>Nennen Sie, wofür die Regel steht.</translation>
    </message>
    <message>
        <source>named in the query, or nearest to it</source>
        <translation>in der Anfrage genannt oder ihr am nächsten</translation>
    </message>
    <message>
        <source>names an author, date, tag, status or other field, and words</source>
        <translation>nennt Autor, Datum, Tag, Status oder anderes Feld und Wörter</translation>
    </message>
    <message>
        <source>Namespace</source>
        <translation>Namensraum</translation>
    </message>
    <message>
        <source>Namespaces</source>
        <translation>Namensräume</translation>
    </message>
    <message>
        <source>Namespaces of your own, parted by commas.</source>
        <translation>Eigene Namensräume, durch Kommas getrennt.</translation>
    </message>
    <message>
        <source>Near conflict</source>
        <translation>Beinahe-Konflikt</translation>
    </message>
    <message>
        <source>Near conflicts</source>
        <translation>Beinahe-Konflikte</translation>
    </message>
    <message>
        <source>Near duplicate</source>
        <translation>Beinahe-Dublette</translation>
    </message>
    <message>
        <source>Near duplicates</source>
        <translation>Beinahe-Dubletten</translation>
    </message>
    <message>
        <source>Near in meaning</source>
        <translation>Der Bedeutung nach nahe</translation>
    </message>
    <message>
        <source>Nearest examples:</source>
        <translation>Nächste Beispiele:</translation>
    </message>
    <message>
        <source>Nearest is “{first}” ({first_2}, {similarity})</source>
        <translation>Am nächsten ist „{first}“ ({first_2}, {similarity})</translation>
    </message>
    <message>
        <source>Nearest names: {names}</source>
        <translation>Nächste Namen: {names}</translation>
    </message>
    <message>
        <source>Nearest of those for {label}</source>
        <translation>Nächste von denen für {label}</translation>
    </message>
    <message>
        <source>Nearest of those for {label}:</source>
        <translation>Nächste von denen für {label}:</translation>
    </message>
    <message>
        <source>Nearest taught examples</source>
        <translation>Nächste Beispiele</translation>
    </message>
    <message>
        <source>Nearly the same trigger twice under one answer. One of them may be enough.</source>
        <translation>Beinahe derselbe Auslöser zweimal unter einer Antwort. Einer davon kann genügen.</translation>
    </message>
    <message>
        <source>Nearly the same trigger under two answers. A query like one may resolve to the other.</source>
        <translation>Beinahe derselbe Auslöser unter zwei Antworten. Eine Anfrage wie die eine kann zur anderen führen.</translation>
    </message>
    <message numerus="yes">
        <source>Nearly the same under other answers, {n} times: “{trigger}” ({name}; {scores}).</source>
        <translation>
            <numerusform>Beinahe gleich unter einer anderen Antwort: „{trigger}“ ({name}; {scores}).</numerusform>
            <numerusform>Beinahe gleich unter anderen Antworten, {n}-mal: „{trigger}“ ({name}; {scores}).</numerusform>
        </translation>
    </message>
    <message>
        <source>needs several of these at once</source>
        <translation>braucht mehrere davon zugleich</translation>
    </message>
    <message>
        <source>negated</source>
        <translation>verneint</translation>
    </message>
    <message>
        <source>Neo4j</source>
        <translation>Neo4j</translation>
    </message>
    <message>
        <source>Neo4j mapping</source>
        <translation>Neo4j-Zuordnung</translation>
    </message>
    <message>
        <source>Never</source>
        <translation>Nie</translation>
    </message>
    <message>
        <source>Never below it</source>
        <translation>Nie darunter</translation>
    </message>
    <message>
        <source>Never below the keywords</source>
        <translation>Nie unter den Stichwörtern</translation>
    </message>
    <message>
        <source>never marked right</source>
        <translation>nie als richtig markiert</translation>
    </message>
    <message>
        <source>never reached</source>
        <translation>nie erreicht</translation>
    </message>
    <message>
        <source>Never show these together again</source>
        <translation>Diese nie wieder zusammen zeigen</translation>
    </message>
    <message>
        <source>never show these together again</source>
        <translation>diese nie wieder zusammen zeigen</translation>
    </message>
    <message>
        <source>never stopped for being idle</source>
        <translation>wird nie wegen Untätigkeit angehalten</translation>
    </message>
    <message>
        <source>never told to an assistant</source>
        <translation>nie einem Assistenten genannt</translation>
    </message>
    <message>
        <source>never used</source>
        <translation>nie verwendet</translation>
    </message>
    <message>
        <source>new</source>
        <translation>neu</translation>
    </message>
    <message>
        <source>New case</source>
        <translation>Neuer Fall</translation>
    </message>
    <message>
        <source>New memory</source>
        <translation>Neue Erinnerung</translation>
    </message>
    <message>
        <source>New name of the namespace</source>
        <translation>Neuer Name des Namensraums</translation>
    </message>
    <message>
        <source>New power</source>
        <translation>Neue Fähigkeit</translation>
    </message>
    <message>
        <source>New route</source>
        <translation>Neue Route</translation>
    </message>
    <message>
        <source>New {where}</source>
        <translation>Neu {where}</translation>
    </message>
    <message>
        <source>new: </source>
        <translation>neu: </translation>
    </message>
    <message>
        <source>New: {id}, {pattern}</source>
        <translation>Neu: {id}, {pattern}</translation>
    </message>
    <message>
        <source>Newer versions</source>
        <translation>Neuere Versionen</translation>
    </message>
    <message>
        <source>Next</source>
        <translation>Weiter</translation>
    </message>
    <message>
        <source>No</source>
        <translation>Nein</translation>
    </message>
    <message>
        <source>No address is set (llm.url).</source>
        <translation>Keine Adresse ist gesetzt (llm.url).</translation>
    </message>
    <message>
        <source>No address is set.</source>
        <translation>Keine Adresse ist gesetzt.</translation>
    </message>
    <message>
        <source>No address of an Ollama server is set. Set encoder.url or llm.url.</source>
        <translation>Keine Adresse eines Ollama-Servers ist gesetzt. Setzen Sie encoder.url oder llm.url.</translation>
    </message>
    <message>
        <source>No answer</source>
        <translation>Keine Antwort</translation>
    </message>
    <message>
        <source>no answer</source>
        <translation>keine Antwort</translation>
    </message>
    <message>
        <source>No answer from {address}.</source>
        <translation>Keine Antwort von {address}.</translation>
    </message>
    <message>
        <source>No answer is right</source>
        <translation>Keine Antwort ist richtig</translation>
    </message>
    <message>
        <source>no answer is right for this number</source>
        <translation>keine Antwort ist richtig für diese Nummer</translation>
    </message>
    <message>
        <source>No answer is right for “{query}”.</source>
        <translation>Keine Antwort ist richtig für „{query}“.</translation>
    </message>
    <message>
        <source>No answer is right for “{query}”. Kept as a case that expects nothing.</source>
        <translation>Keine Antwort ist richtig für „{query}“. Behalten als Fall, der nichts erwartet.</translation>
    </message>
    <message>
        <source>no answer is right: the query becomes a case of nothing</source>
        <translation>keine Antwort ist richtig: die Anfrage wird ein Fall von nichts</translation>
    </message>
    <message>
        <source>No answer is right: the query becomes a case that expects nothing</source>
        <translation>Keine Antwort ist richtig: die Anfrage wird ein Fall, der nichts erwartet</translation>
    </message>
    <message>
        <source>No answer is selected. There is nothing to teach or mark.</source>
        <translation>Keine Antwort ist gewählt. Es gibt nichts beizubringen oder zu markieren.</translation>
    </message>
    <message>
        <source>No answer of the LLM to this query is kept.</source>
        <translation>Keine Antwort des LLM auf diese Anfrage ist behalten.</translation>
    </message>
    <message>
        <source>No answer of {model} to these cases is kept. Ask it once, without --no-llm.</source>
        <translation>Keine Antwort von {model} zu diesen Fällen ist aufbewahrt. Fragen Sie es einmal, ohne --no-llm.</translation>
    </message>
    <message>
        <source>No answer of {stores}</source>
        <translation>Keine Antwort von {stores}</translation>
    </message>
    <message>
        <source>no answer right for “{query}”</source>
        <translation>keine Antwort richtig für „{query}“</translation>
    </message>
    <message>
        <source>No answer selected</source>
        <translation>Keine Antwort gewählt</translation>
    </message>
    <message>
        <source>No answer within {budget} ms.</source>
        <translation>Keine Antwort innerhalb von {budget} ms.</translation>
    </message>
    <message>
        <source>no answer yet</source>
        <translation>noch keine Antwort</translation>
    </message>
    <message>
        <source>No answer: best is {confidence}, below its own threshold {least}</source>
        <translation>Keine Antwort: die beste hat {confidence}, unter ihrer eigenen Schwelle {least}</translation>
    </message>
    <message>
        <source>No answer: best is {confidence}, {least} is needed</source>
        <translation>Keine Antwort: die beste hat {confidence}, nötig ist {least}</translation>
    </message>
    <message>
        <source>No answers of the LLM are kept (route.cache_hours).</source>
        <translation>Keine Antworten des LLM werden behalten (route.cache_hours).</translation>
    </message>
    <message>
        <source>No assistant has asked yet</source>
        <translation>Noch hat kein Assistent gefragt</translation>
    </message>
    <message>
        <source>No assistant is called “{key}”; there are {clients}.</source>
        <translation>Kein Assistent heißt „{key}“; es gibt {clients}.</translation>
    </message>
    <message>
        <source>no bonus, the sets differ</source>
        <translation>kein Zuschlag, die Mengen unterscheiden sich</translation>
    </message>
    <message>
        <source>No budget of its own</source>
        <translation>Kein eigenes Budget</translation>
    </message>
    <message>
        <source>No case is a stranger&apos;s, so none are counted.</source>
        <translation>Kein Fall ist der eines Fremden, darum zählen keine mit.</translation>
    </message>
    <message>
        <source>No case is like that</source>
        <translation>Kein Fall ist so</translation>
    </message>
    <message>
        <source>No case labels one of these queries: say on Decision which way is right, or import cases.</source>
        <translation>Kein Fall sagt zu einer dieser Anfragen, was richtig ist: Sagen Sie unter Entscheidung, welcher Weg richtig ist, oder importieren Sie Fälle.</translation>
    </message>
    <message>
        <source>No case of the library expects a memory, a power or a label.</source>
        <translation>Kein Fall der Bibliothek erwartet eine Erinnerung, eine Fähigkeit oder ein Label.</translation>
    </message>
    <message>
        <source>No case of this task yet</source>
        <translation>Noch kein Fall dieser Aufgabe</translation>
    </message>
    <message>
        <source>No case says what would be right.</source>
        <translation>Kein Fall sagt, was richtig wäre.</translation>
    </message>
    <message>
        <source>No cases are labelled with a type yet. Import some to see whose answer turns.</source>
        <translation>Noch sind keine Fälle mit einem Typ markiert. Importieren Sie welche, um zu sehen, wessen Antwort kippt.</translation>
    </message>
    <message>
        <source>no cases to count matches in</source>
        <translation>keine Fälle, um Treffer zu zählen</translation>
    </message>
    <message>
        <source>No cases yet</source>
        <translation>Noch keine Fälle</translation>
    </message>
    <message>
        <source>No change was found that would keep it out</source>
        <translation>Keine Änderung wurde gefunden, die es fernhielte</translation>
    </message>
    <message>
        <source>No change was found that would win it</source>
        <translation>Keine Änderung wurde gefunden, mit der es gewänne</translation>
    </message>
    <message>
        <source>No command</source>
        <translation>Ohne Befehl</translation>
    </message>
    <message>
        <source>No conversation was found here: a list of messages with role and content, or a chat export, was expected.</source>
        <translation>Hier wurde kein Gespräch gefunden: eine Liste von Nachrichten mit role und content, oder ein Chat-Export, wurde erwartet.</translation>
    </message>
    <message>
        <source>no copy can be made: {strerror}</source>
        <translation>keine Kopie lässt sich machen: {strerror}</translation>
    </message>
    <message>
        <source>No copy is kept in this profile: name a file, or make one with “backup”.</source>
        <translation>In diesem Profil liegt keine Kopie: Nennen Sie eine Datei oder machen Sie eine mit „backup“.</translation>
    </message>
    <message>
        <source>No copy is kept.</source>
        <translation>Es liegt keine Kopie vor.</translation>
    </message>
    <message>
        <source>no cue matched</source>
        <translation>kein Hinweiswort traf</translation>
    </message>
    <message>
        <source>no data</source>
        <translation>keine Daten</translation>
    </message>
    <message>
        <source>No data stores are set up.</source>
        <translation>Es sind keine Datenspeicher eingerichtet.</translation>
    </message>
    <message>
        <source>No decision fits</source>
        <translation>Keine Entscheidung passt</translation>
    </message>
    <message>
        <source>No decision is kept</source>
        <translation>Keine Entscheidung ist behalten</translation>
    </message>
    <message>
        <source>No decision is selected</source>
        <translation>Keine Entscheidung ist gewählt</translation>
    </message>
    <message>
        <source>No duplicates and no conflicts</source>
        <translation>Keine Dubletten und keine Konflikte</translation>
    </message>
    <message>
        <source>No encoder is ready.</source>
        <translation>Kein Encoder ist bereit.</translation>
    </message>
    <message>
        <source>No evaluation is kept yet.</source>
        <translation>Noch ist keine Auswertung aufgehoben.</translation>
    </message>
    <message>
        <source>No evaluation of this task is kept yet: {task}.</source>
        <translation>Zu dieser Aufgabe ist noch keine Auswertung aufbewahrt: {task}.</translation>
    </message>
    <message>
        <source>No file was opened of late.</source>
        <translation>Zuletzt wurde keine Datei geöffnet.</translation>
    </message>
    <message>
        <source>No files can be read here.</source>
        <translation>Hier können keine Dateien gelesen werden.</translation>
    </message>
    <message>
        <source>No files can be written here.</source>
        <translation>Hier können keine Dateien geschrieben werden.</translation>
    </message>
    <message>
        <source>No folders can be read here.</source>
        <translation>Hier können keine Ordner gelesen werden.</translation>
    </message>
    <message>
        <source>No import of this session has left out a line.</source>
        <translation>Kein Import dieser Sitzung hat eine Zeile ausgelassen.</translation>
    </message>
    <message>
        <source>No key does that</source>
        <translation>Keine Taste tut das</translation>
    </message>
    <message>
        <source>No keyring of the system can be used, so secrets are kept in {file}, which only you may read.</source>
        <translation>Kein Schlüsselbund des Systems ist benutzbar, deshalb liegen Geheimnisse in {file}, die nur Sie lesen dürfen.</translation>
    </message>
    <message>
        <source>no keyword matched</source>
        <translation>kein Stichwort traf</translation>
    </message>
    <message>
        <source>No keyword matched: there is no type.</source>
        <translation>Kein Stichwort traf: es gibt keinen Typ.</translation>
    </message>
    <message>
        <source>No keyword rule matches this text</source>
        <translation>Keine Stichwortregel passt auf diesen Text</translation>
    </message>
    <message>
        <source>No label “{name}” is taught.</source>
        <translation>Kein Label „{name}“ ist beigebracht.</translation>
    </message>
    <message>
        <source>No labelled cases yet. Mark answers right (Ctrl+Up) or wrong (Ctrl+Down), or run: intentscope import FILE --kind cases --task {task}</source>
        <translation>Noch keine markierten Fälle. Markieren Sie Antworten als richtig (Strg+Hoch) oder falsch (Strg+Herunter), oder: intentscope import FILE --kind cases --task {task}</translation>
    </message>
    <message>
        <source>No lead can exceed {most}, and a second power within {margin} ties with it.</source>
        <translation>Kein Vorsprung kann {most} übersteigen, und eine zweite Fähigkeit innerhalb von {margin} steht gleich.</translation>
    </message>
    <message>
        <source>No line keeps that precision over {count} cases and more.</source>
        <translation>Keine Schwelle hält diese Präzision über {count} und mehr Fälle.</translation>
    </message>
    <message>
        <source>no line of it looks like any of them</source>
        <translation>keine Zeile darin sieht nach einem davon aus</translation>
    </message>
    <message>
        <source>No LLM is set up (llm.url, llm.model), so none can be asked.</source>
        <translation>Es ist kein LLM eingerichtet (llm.url, llm.model), also kann keines gefragt werden.</translation>
    </message>
    <message>
        <source>No LLM is set up (llm.url, llm.model).</source>
        <translation>Kein LLM ist eingerichtet (llm.url, llm.model).</translation>
    </message>
    <message>
        <source>No LLM is set up: llm.model is set, llm.url is not.</source>
        <translation>Kein LLM ist eingerichtet: llm.model ist gesetzt, llm.url nicht.</translation>
    </message>
    <message>
        <source>No LLM is set up: llm.url is set, llm.model is not.</source>
        <translation>Kein LLM ist eingerichtet: llm.url ist gesetzt, llm.model nicht.</translation>
    </message>
    <message>
        <source>No logs can be read here.</source>
        <translation>Hier können keine Protokolle gelesen werden.</translation>
    </message>
    <message>
        <source>no match</source>
        <translation>kein Treffer</translation>
    </message>
    <message>
        <source>no match below {line}</source>
        <translation>kein Treffer unter {line}</translation>
    </message>
    <message>
        <source>No match.</source>
        <translation>Kein Treffer.</translation>
    </message>
    <message>
        <source>No matches</source>
        <translation>Keine Treffer</translation>
    </message>
    <message>
        <source>No matches.</source>
        <translation>Keine Treffer.</translation>
    </message>
    <message>
        <source>No memory fits</source>
        <translation>Keine Erinnerung passt</translation>
    </message>
    <message>
        <source>No memory is selected</source>
        <translation>Keine Erinnerung ist gewählt</translation>
    </message>
    <message>
        <source>No memory matches.</source>
        <translation>Keine Erinnerung trifft.</translation>
    </message>
    <message>
        <source>No memory “{name}” is taught.</source>
        <translation>Keine Erinnerung „{name}“ ist beigebracht.</translation>
    </message>
    <message>
        <source>No messages yet</source>
        <translation>Noch keine Nachrichten</translation>
    </message>
    <message>
        <source>No mode of asking works with this model.</source>
        <translation>Keine Art zu fragen funktioniert mit diesem Modell.</translation>
    </message>
    <message>
        <source>No model is chosen (llm.model).</source>
        <translation>Kein Modell ist gewählt (llm.model).</translation>
    </message>
    <message>
        <source>No model is chosen.</source>
        <translation>Kein Modell ist gewählt.</translation>
    </message>
    <message>
        <source>No Ollama server answers at {url}. Start it, or correct the address.</source>
        <translation>Auf {url} antwortet kein Ollama-Server. Starten Sie ihn, oder berichtigen Sie die Adresse.</translation>
    </message>
    <message>
        <source>No other answer holds this trigger.</source>
        <translation>Keine andere Antwort enthält diesen Auslöser.</translation>
    </message>
    <message>
        <source>No other memory.</source>
        <translation>Keine andere Erinnerung.</translation>
    </message>
    <message>
        <source>no penalty</source>
        <translation>kein Abzug</translation>
    </message>
    <message>
        <source>No power holds these words</source>
        <translation>Keine Fähigkeit enthält diese Worte</translation>
    </message>
    <message>
        <source>No power is selected</source>
        <translation>Keine Fähigkeit ist gewählt</translation>
    </message>
    <message>
        <source>No power runs.</source>
        <translation>Keine Fähigkeit läuft.</translation>
    </message>
    <message>
        <source>No power “{name}” is taught.</source>
        <translation>Keine Fähigkeit „{name}“ ist angelegt.</translation>
    </message>
    <message>
        <source>No powers are enabled.</source>
        <translation>Keine Fähigkeiten sind eingeschaltet.</translation>
    </message>
    <message>
        <source>No powers are taught yet: add one on their page (Ctrl+3).</source>
        <translation>Noch sind keine Fähigkeiten angelegt: legen Sie auf ihrer Seite eine an (Strg+3).</translation>
    </message>
    <message>
        <source>No powers were resolved.</source>
        <translation>Keine Fähigkeiten wurden aufgelöst.</translation>
    </message>
    <message>
        <source>No powers yet</source>
        <translation>Noch keine Fähigkeiten</translation>
    </message>
    <message>
        <source>No query can end in {tier} under these settings.</source>
        <translation>Mit diesen Einstellungen kann keine Anfrage in {tier} enden.</translation>
    </message>
    <message>
        <source>No query fits</source>
        <translation>Keine Anfrage passt</translation>
    </message>
    <message>
        <source>No query goes by the candidate. {why}</source>
        <translation>Keine Anfrage geht nach dem Kandidaten. {why}</translation>
    </message>
    <message>
        <source>No query has been put to the LLM yet.</source>
        <translation>Noch wurde dem LLM keine Anfrage vorgelegt.</translation>
    </message>
    <message>
        <source>No query is kept</source>
        <translation>Keine Anfrage ist behalten</translation>
    </message>
    <message>
        <source>No query is kept from now on. What is kept already stays until you forget it.</source>
        <translation>Von jetzt an wird keine Anfrage behalten. Was schon behalten ist, bleibt, bis Sie es vergessen.</translation>
    </message>
    <message>
        <source>No query is routed, and nothing is put into the log (route.enabled).</source>
        <translation>Keine Anfrage bekommt eine Route, und nichts kommt ins Protokoll (route.enabled).</translation>
    </message>
    <message>
        <source>No query is selected</source>
        <translation>Keine Anfrage ist gewählt</translation>
    </message>
    <message>
        <source>No query yet</source>
        <translation>Noch keine Anfrage</translation>
    </message>
    <message>
        <source>No query.</source>
        <translation>Keine Anfrage.</translation>
    </message>
    <message>
        <source>no record of it looks like any of them</source>
        <translation>kein Eintrag darin sieht nach einem davon aus</translation>
    </message>
    <message>
        <source>no response</source>
        <translation>keine Antwort</translation>
    </message>
    <message numerus="yes">
        <source>No route has the names {names}, so nothing is right there: correct them in the cases.</source>
        <translation>
            <numerusform>Keine Route heißt {names}; dort kann also nichts richtig sein: In den Fällen berichtigen.</numerusform>
            <numerusform>Keine Route heißt {names}; dort kann also nichts richtig sein: In den Fällen berichtigen.</numerusform>
        </translation>
    </message>
    <message>
        <source>No route was decided yet</source>
        <translation>Noch wurde keine Route entschieden</translation>
    </message>
    <message>
        <source>No route “{name}” is known.</source>
        <translation>Keine Route „{name}“ ist bekannt.</translation>
    </message>
    <message>
        <source>No rule for “{name}” matches this query.</source>
        <translation>Keine Regel für „{name}“ trifft diese Anfrage.</translation>
    </message>
    <message>
        <source>No rule is like this</source>
        <translation>Keine Regel ist so</translation>
    </message>
    <message>
        <source>No rule is selected</source>
        <translation>Keine Regel ist gewählt</translation>
    </message>
    <message>
        <source>No rule leads to a route</source>
        <translation>Keine Regel führt zu einer Route</translation>
    </message>
    <message>
        <source>No rule matched</source>
        <translation>Keine Regel traf</translation>
    </message>
    <message>
        <source>No rule matched.</source>
        <translation>Keine Regel traf.</translation>
    </message>
    <message numerus="yes">
        <source>No rule matched; {n} were held back.</source>
        <translation>
            <numerusform>Keine Regel traf; {n} wurde zurückgehalten.</numerusform>
            <numerusform>Keine Regel traf; {n} wurden zurückgehalten.</numerusform>
        </translation>
    </message>
    <message>
        <source>No rule or example decides; the safe choice is vector search</source>
        <translation>Keine Regel und kein Beispiel entscheidet; die sichere Wahl ist die Vektorsuche</translation>
    </message>
    <message>
        <source>No rule or example decides; the safe choice is {label}</source>
        <translation>Keine Regel und kein Beispiel entscheidet; die sichere Wahl ist {label}</translation>
    </message>
    <message>
        <source>No run {key} is kept.</source>
        <translation>Ein Lauf {key} ist nicht aufgehoben.</translation>
    </message>
    <message>
        <source>No scorer could run.</source>
        <translation>Kein Scorer konnte laufen.</translation>
    </message>
    <message>
        <source>No setting has these words: “intentscope settings” lists all.</source>
        <translation>Keine Einstellung hat diese Wörter: „intentscope settings“ listet alle.</translation>
    </message>
    <message>
        <source>No setting is called so</source>
        <translation>Keine Einstellung heißt so</translation>
    </message>
    <message>
        <source>No single change was found that keeps it out.</source>
        <translation>Keine einzelne Änderung wurde gefunden, die es fernhält.</translation>
    </message>
    <message>
        <source>No single change was found that makes it win.</source>
        <translation>Keine einzelne Änderung wurde gefunden, mit der es gewinnt.</translation>
    </message>
    <message>
        <source>No steps yet</source>
        <translation>Noch keine Schritte</translation>
    </message>
    <message>
        <source>No store seems to be asked for: {none_share}. There is always an answer: {named}.</source>
        <translation>Nach keinem Speicher scheint gefragt zu sein: {none_share}. Eine Antwort gibt es immer: {named}.</translation>
    </message>
    <message>
        <source>No store was asked yet</source>
        <translation>Noch wurde kein Speicher gefragt</translation>
    </message>
    <message>
        <source>No store “{store}” is connected.</source>
        <translation>Kein Speicher „{store}“ ist verbunden.</translation>
    </message>
    <message>
        <source>No such case</source>
        <translation>Kein solcher Fall</translation>
    </message>
    <message>
        <source>No such route was decided</source>
        <translation>Keine solche Route wurde entschieden</translation>
    </message>
    <message>
        <source>No times yet</source>
        <translation>Noch keine Zeiten</translation>
    </message>
    <message>
        <source>No tokenizer is set up.</source>
        <translation>Kein Tokenizer ist eingerichtet.</translation>
    </message>
    <message>
        <source>No tool is selected</source>
        <translation>Kein Werkzeug ist gewählt</translation>
    </message>
    <message>
        <source>No tools are known yet</source>
        <translation>Noch sind keine Werkzeuge bekannt</translation>
    </message>
    <message>
        <source>No tools are known.</source>
        <translation>Keine Werkzeuge sind bekannt.</translation>
    </message>
    <message>
        <source>No topics</source>
        <translation>Keine Themen</translation>
    </message>
    <message>
        <source>No topics: {words}.</source>
        <translation>Keine Themen: {words}.</translation>
    </message>
    <message>
        <source>No trace is kept of this query.</source>
        <translation>Von dieser Anfrage ist kein Ablauf behalten.</translation>
    </message>
    <message>
        <source>No type</source>
        <translation>Kein Typ</translation>
    </message>
    <message>
        <source>no type</source>
        <translation>kein Typ</translation>
    </message>
    <message>
        <source>No type is detected at all: search_intent.enabled is off.</source>
        <translation>Es wird gar kein Typ erkannt: search_intent.enabled ist aus.</translation>
    </message>
    <message>
        <source>No type was detected, so every namespace weighs 1.</source>
        <translation>Kein Typ wurde erkannt, also wiegt jeder Namensraum 1.</translation>
    </message>
    <message>
        <source>No value answers more cases rightly than today&apos;s.</source>
        <translation>Kein Wert beantwortet mehr Fälle richtig als der heutige.</translation>
    </message>
    <message>
        <source>No value is better than today&apos;s by more than chance.</source>
        <translation>Kein Wert ist um mehr als den Zufall besser als der heutige.</translation>
    </message>
    <message>
        <source>No value is stored for {names}, so it was asked without.</source>
        <translation>Für {names} ist kein Wert gespeichert, also wurde ohne ihn gefragt.</translation>
    </message>
    <message>
        <source>No value keeps that over {count} cases and more.</source>
        <translation>Kein Wert hält das über {count} Fälle und mehr.</translation>
    </message>
    <message>
        <source>no value stored, so it gets yours</source>
        <translation>kein Wert gespeichert, also bekommt sie Ihren</translation>
    </message>
    <message>
        <source>no value stored, so it is not sent</source>
        <translation>kein Wert gespeichert, also wird nichts gesendet</translation>
    </message>
    <message>
        <source>no value stored; you have none now, later it gets yours</source>
        <translation>kein Wert gespeichert; Sie haben jetzt keinen, später bekommt sie Ihren</translation>
    </message>
    <message>
        <source>No value was tried.</source>
        <translation>Kein Wert wurde probiert.</translation>
    </message>
    <message>
        <source>No word here tells the type</source>
        <translation>Kein Wort hier verrät den Typ</translation>
    </message>
    <message>
        <source>no word yet</source>
        <translation>noch kein Wort</translation>
    </message>
    <message>
        <source>no words to be found by yet but the name; start them and take their tools over, or add keywords.</source>
        <translation>noch keine Worte, um sie zu finden, außer dem Namen; starten Sie sie und übernehmen Sie ihre Werkzeuge, oder fügen Sie Stichwörter hinzu.</translation>
    </message>
    <message>
        <source>Nobody can be asked here. Who has read that may add --yes {digest}</source>
        <translation>Hier kann niemand gefragt werden. Wer das gelesen hat, kann --yes {digest} anfügen</translation>
    </message>
    <message>
        <source>Nobody can be asked here. Who has read that may add --yes.</source>
        <translation>Hier kann niemand gefragt werden. Wer das gelesen hat, kann --yes hinzufügen.</translation>
    </message>
    <message>
        <source>Nobody has said yes to it yet.</source>
        <translation>Niemand hat ihr bisher zugestimmt.</translation>
    </message>
    <message>
        <source>None</source>
        <translation>Keine</translation>
    </message>
    <message>
        <source>none</source>
        <translation>keine</translation>
    </message>
    <message>
        <source>none for this query</source>
        <translation>keine für diese Anfrage</translation>
    </message>
    <message>
        <source>None of the last {count} queries had an answer.</source>
        <translation>Keine der letzten {count} Anfragen hatte eine Antwort.</translation>
    </message>
    <message>
        <source>none of the {count} nearest examples is for {vote}</source>
        <translation>keines der {count} nächsten Beispiele ist für {vote}</translation>
    </message>
    <message numerus="yes">
        <source>None of the {n} queries that are kept needs a decision.</source>
        <translation>
            <numerusform>Die {n} behaltene Anfrage braucht keine Entscheidung.</numerusform>
            <numerusform>Keine der {n} behaltenen Anfragen braucht eine Entscheidung.</numerusform>
        </translation>
    </message>
    <message>
        <source>none of these</source>
        <translation>keine davon</translation>
    </message>
    <message>
        <source>none, so nothing is contacted</source>
        <translation>keine, also wird nichts angesprochen</translation>
    </message>
    <message>
        <source>none; found too, it holds the rule back</source>
        <translation>keins; wird auch das gefunden, hält es die Regel zurück</translation>
    </message>
    <message>
        <source>none; memories of one label count as one answer</source>
        <translation>keins; Erinnerungen mit einem Label zählen als eine Antwort</translation>
    </message>
    <message>
        <source>none; separated by commas</source>
        <translation>keine; durch Kommas getrennt</translation>
    </message>
    <message>
        <source>not activated: a second power is as near</source>
        <translation>nicht aktiviert: eine zweite Fähigkeit ist ebenso nah</translation>
    </message>
    <message>
        <source>Not activated: a second power is within {margin}.</source>
        <translation>Nicht aktiviert: eine zweite Fähigkeit liegt innerhalb von {margin}.</translation>
    </message>
    <message>
        <source>not activated: {confidence}, {least} is needed</source>
        <translation>nicht aktiviert: {confidence}, nötig ist {least}</translation>
    </message>
    <message>
        <source>not allowed with argument %s</source>
        <translation>nicht zusammen mit Argument %s</translation>
    </message>
    <message numerus="yes">
        <source>not among the {n} listed here</source>
        <translation>
            <numerusform>nicht unter dem {n} gelisteten</numerusform>
            <numerusform>nicht unter den {n} gelisteten</numerusform>
        </translation>
    </message>
    <message>
        <source>not approved</source>
        <translation>nicht genehmigt</translation>
    </message>
    <message>
        <source>not asked</source>
        <translation>nicht gefragt</translation>
    </message>
    <message>
        <source>Not asked yet.</source>
        <translation>Noch nicht gefragt.</translation>
    </message>
    <message>
        <source>Not at all</source>
        <translation>Gar nicht</translation>
    </message>
    <message>
        <source>Not below 0</source>
        <translation>Nicht unter 0</translation>
    </message>
    <message>
        <source>Not checked</source>
        <translation>Nicht geprüft</translation>
    </message>
    <message>
        <source>Not checked yet</source>
        <translation>Noch nicht geprüft</translation>
    </message>
    <message>
        <source>not connected; the answers of the LLM that are kept here stand alone</source>
        <translation>nicht verbunden; die hier aufbewahrten Antworten des LLM stehen allein</translation>
    </message>
    <message>
        <source>not connected; {by} answers in its place</source>
        <translation>nicht verbunden; {by} antwortet an seiner Stelle</translation>
    </message>
    <message>
        <source>not counted</source>
        <translation>nicht gezählt</translation>
    </message>
    <message>
        <source>Not explained</source>
        <translation>Nicht erklärt</translation>
    </message>
    <message>
        <source>Not first</source>
        <translation>Nicht zuerst</translation>
    </message>
    <message>
        <source>not first: {names}</source>
        <translation>nicht zuerst: {names}</translation>
    </message>
    <message>
        <source>Not for powers.</source>
        <translation>Nicht für Fähigkeiten.</translation>
    </message>
    <message>
        <source>Not found</source>
        <translation>Kein Fund</translation>
    </message>
    <message>
        <source>Not given</source>
        <translation>Nicht angegeben</translation>
    </message>
    <message>
        <source>Not in time</source>
        <translation>Nicht rechtzeitig</translation>
    </message>
    <message>
        <source>not kept</source>
        <translation>nicht behalten</translation>
    </message>
    <message>
        <source>Not kept: a reason quotes the words of the query.</source>
        <translation>Nicht behalten: eine Begründung zitiert die Wörter der Anfrage.</translation>
    </message>
    <message>
        <source>not known</source>
        <translation>nicht bekannt</translation>
    </message>
    <message>
        <source>not listed</source>
        <translation>nicht gelistet</translation>
    </message>
    <message>
        <source>Not looked at: a rule was sure.</source>
        <translation>Nicht nachgesehen: eine Regel war sicher.</translation>
    </message>
    <message>
        <source>Not looked yet</source>
        <translation>Noch nicht nachgesehen</translation>
    </message>
    <message>
        <source>not matched · {detected}</source>
        <translation>ohne Treffer · {detected}</translation>
    </message>
    <message>
        <source>not met</source>
        <translation>nicht erreicht</translation>
    </message>
    <message>
        <source>Not needed: it was decided before.</source>
        <translation>Nicht nötig: es war vorher entschieden.</translation>
    </message>
    <message>
        <source>Not now</source>
        <translation>Nicht jetzt</translation>
    </message>
    <message>
        <source>Not reached: {name} failed.</source>
        <translation>Nicht erreicht: {name} schlug fehl.</translation>
    </message>
    <message>
        <source>not saved</source>
        <translation>nicht gespeichert</translation>
    </message>
    <message>
        <source>Not searched yet</source>
        <translation>Noch nicht gesucht</translation>
    </message>
    <message>
        <source>Not served for Prometheus. The setting metrics.port opens a port on this machine only.</source>
        <translation>Nicht für Prometheus bereitgestellt. Die Einstellung metrics.port öffnet einen Port nur auf diesem Rechner.</translation>
    </message>
    <message>
        <source>not set</source>
        <translation>nicht gesetzt</translation>
    </message>
    <message>
        <source>Not started</source>
        <translation>Nicht gestartet</translation>
    </message>
    <message>
        <source>Not started. {reason}</source>
        <translation>Nicht gestartet. {reason}</translation>
    </message>
    <message>
        <source>not stated</source>
        <translation>nicht angegeben</translation>
    </message>
    <message>
        <source>not sure enough</source>
        <translation>nicht sicher genug</translation>
    </message>
    <message>
        <source>Not surfaced</source>
        <translation>Nicht mitgegeben</translation>
    </message>
    <message>
        <source>not surfaced</source>
        <translation>nicht mitgegeben</translation>
    </message>
    <message>
        <source>not surfaced: no type is detected</source>
        <translation>nicht mitgegeben: kein Typ ist erkannt</translation>
    </message>
    <message>
        <source>not surfaced: {confidence}, {least} is needed</source>
        <translation>nicht mitgegeben: {confidence}, nötig ist {least}</translation>
    </message>
    <message>
        <source>not surfaced: {type} is at {confidence}, {least} is needed</source>
        <translation>nicht mitgegeben: {type} liegt bei {confidence}, nötig ist {least}</translation>
    </message>
    <message>
        <source>Not taught</source>
        <translation>Nicht beigebracht</translation>
    </message>
    <message>
        <source>Not taught in this profile, so they cannot come first: {count} of the {count_2} different answers that the cases expect ({shown}). Names count as they are written.</source>
        <translation>In diesem Profil nicht beigebracht, können also nicht zuerst kommen: {count} der {count_2} verschiedenen Antworten, die die Fälle erwarten ({shown}). Namen zählen, wie sie geschrieben sind.</translation>
    </message>
    <message>
        <source>Not tested: a real Neo4j server (ArcadeDB stood for it, by Bolt), clusters, TLS.</source>
        <translation>Nicht erprobt: ein echter Neo4j-Server (für ihn stand ArcadeDB, über Bolt), Cluster, TLS.</translation>
    </message>
    <message>
        <source>Not tested: a real Qdrant server (Qdrant&apos;s client in memory stood for it), clusters, TLS.</source>
        <translation>Nicht erprobt: ein echter Qdrant-Server (für ihn stand Qdrants Client im Arbeitsspeicher), Cluster, TLS.</translation>
    </message>
    <message>
        <source>Not tested: clusters and TLS of FalkorDB, Graphiti on Neo4j, and what its LLM would make of texts.</source>
        <translation>Nicht erprobt: Cluster und TLS von FalkorDB, Graphiti auf Neo4j und was sein LLM aus Texten machen würde.</translation>
    </message>
    <message>
        <source>Not tested: Redis itself (Valkey stood for it, on a socket), clusters, TLS.</source>
        <translation>Nicht erprobt: Redis selbst (Valkey stand dafür ein, über einen Socket), Verbünde, TLS.</translation>
    </message>
    <message>
        <source>Not tested: TLS, poolers, replicas, versions before 18.</source>
        <translation>Nicht erprobt: TLS, Pooler, Replikate, Versionen vor 18.</translation>
    </message>
    <message>
        <source>Not tried, since the other settings do not go with it: {values}.</source>
        <translation>Nicht probiert, da die anderen Einstellungen nicht dazu passen: {values}.</translation>
    </message>
    <message>
        <source>not {names}</source>
        <translation>nicht {names}</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>Hinweis</translation>
    </message>
    <message>
        <source>note on line {line}: {note}</source>
        <translation>Hinweis zu Zeile {line}: {note}</translation>
    </message>
    <message>
        <source>nothing</source>
        <translation>nichts</translation>
    </message>
    <message>
        <source>Nothing answered it.</source>
        <translation>Nichts hat sie beantwortet.</translation>
    </message>
    <message>
        <source>Nothing answers it.</source>
        <translation>Nichts beantwortet sie.</translation>
    </message>
    <message>
        <source>Nothing answers it. Teach it as a memory.</source>
        <translation>Nichts beantwortet sie. Bringen Sie sie als Erinnerung bei.</translation>
    </message>
    <message>
        <source>Nothing can answer yet. Ctrl+T teaches what you typed.</source>
        <translation>Noch kann nichts antworten. Strg+T bringt bei, was Sie getippt haben.</translation>
    </message>
    <message>
        <source>Nothing can be fetched here.</source>
        <translation>Hier kann nichts geholt werden.</translation>
    </message>
    <message>
        <source>Nothing can be remembered of folders here.</source>
        <translation>Hier kann von Ordnern nichts behalten werden.</translation>
    </message>
    <message>
        <source>Nothing can be written to {folder}: the library there is read, and what is made of it is not kept.</source>
        <translation>In {folder} kann nichts geschrieben werden: die Bibliothek dort wird gelesen, und was daraus entsteht, wird nicht behalten.</translation>
    </message>
    <message>
        <source>nothing could decide</source>
        <translation>nichts konnte entscheiden</translation>
    </message>
    <message>
        <source>Nothing decided</source>
        <translation>Nichts entschied</translation>
    </message>
    <message>
        <source>nothing decides for it; its rules and examples stay</source>
        <translation>nichts entscheidet für sie; ihre Regeln und Beispiele bleiben</translation>
    </message>
    <message>
        <source>Nothing differs.</source>
        <translation>Nichts unterscheidet sich.</translation>
    </message>
    <message>
        <source>nothing found</source>
        <translation>nichts gefunden</translation>
    </message>
    <message>
        <source>Nothing found.</source>
        <translation>Nichts gefunden.</translation>
    </message>
    <message>
        <source>Nothing glides or fades; `system` asks the desktop.</source>
        <translation>Nichts gleitet oder blendet; `system` fragt den Desktop.</translation>
    </message>
    <message>
        <source>Nothing has been done to the library yet.</source>
        <translation>An der Bibliothek wurde noch nichts getan.</translation>
    </message>
    <message>
        <source>Nothing has to change</source>
        <translation>Nichts muss sich ändern</translation>
    </message>
    <message>
        <source>Nothing helps</source>
        <translation>Nichts hilft</translation>
    </message>
    <message>
        <source>Nothing here opens {0}.</source>
        <translation>Nichts hier öffnet {0}.</translation>
    </message>
    <message>
        <source>Nothing is answered</source>
        <translation>Nichts antwortet</translation>
    </message>
    <message>
        <source>Nothing is answered otherwise</source>
        <translation>Nichts wird anders beantwortet</translation>
    </message>
    <message>
        <source>Nothing is answered: “{name}” comes first with {own}, below the {line} that it takes.</source>
        <translation>Nichts antwortet: „{name}“ kommt zuerst mit {own}, unter den {line}, die es braucht.</translation>
    </message>
    <message>
        <source>Nothing is asked</source>
        <translation>Nichts ist gefragt</translation>
    </message>
    <message>
        <source>nothing is asked</source>
        <translation>nichts ist gefragt</translation>
    </message>
    <message>
        <source>nothing is asked; keywords: {confidence}</source>
        <translation>nichts ist gefragt; Stichwörter: {confidence}</translation>
    </message>
    <message>
        <source>Nothing is called so.</source>
        <translation>Nichts heißt so.</translation>
    </message>
    <message>
        <source>Nothing is chosen that could be swept.</source>
        <translation>Nichts ist gewählt, was sich durchlaufen ließe.</translation>
    </message>
    <message>
        <source>Nothing is detected.</source>
        <translation>Nichts ist erkannt.</translation>
    </message>
    <message>
        <source>Nothing is ever surfaced</source>
        <translation>Nichts wird je mitgegeben</translation>
    </message>
    <message>
        <source>Nothing is expected yet</source>
        <translation>Noch ist nichts erwartet</translation>
    </message>
    <message>
        <source>Nothing is kept of queries (history.privacy: off), so no log can be taken in.</source>
        <translation>Von Anfragen wird nichts behalten (history.privacy: off), also kann kein Protokoll übernommen werden.</translation>
    </message>
    <message>
        <source>Nothing is kept of queries (history.privacy: off): leave --keep out, or set that to full.</source>
        <translation>Von Anfragen wird nichts behalten (history.privacy: off): lassen Sie --keep weg, oder setzen Sie das auf full.</translation>
    </message>
    <message>
        <source>nothing is kept on a disk</source>
        <translation>nichts wird auf einem Datenträger behalten</translation>
    </message>
    <message>
        <source>Nothing is kept yet. What the window or an assistant asks comes here, and what the terminal asks with --keep.</source>
        <translation>Noch ist nichts gespeichert. Hierher kommt, was Fenster oder Assistenten fragen, und vom Terminal, was mit --keep gefragt wird.</translation>
    </message>
    <message>
        <source>Nothing is kept: the history is off (history.privacy).</source>
        <translation>Nichts ist gespeichert: der Verlauf ist aus (history.privacy).</translation>
    </message>
    <message>
        <source>Nothing is known of what was done to it.</source>
        <translation>Nichts ist darüber bekannt, was daran getan wurde.</translation>
    </message>
    <message>
        <source>Nothing is rolled out.</source>
        <translation>Nichts wird eingeführt.</translation>
    </message>
    <message>
        <source>Nothing is scored by meaning</source>
        <translation>Nichts wird nach Bedeutung bewertet</translation>
    </message>
    <message>
        <source>Nothing is sure; of the stores that you taught {vote} is the likeliest: {confidence}.</source>
        <translation>Nichts ist sicher; von den beigebrachten Speichern ist {vote} am wahrscheinlichsten: {confidence}.</translation>
    </message>
    <message>
        <source>Nothing is surfaced: the confidence is below the threshold.</source>
        <translation>Nichts wird mitgegeben: die Konfidenz liegt unter der Schwelle.</translation>
    </message>
    <message>
        <source>Nothing is surfaced: there is no type.</source>
        <translation>Nichts wird mitgegeben: es gibt keinen Typ.</translation>
    </message>
    <message>
        <source>Nothing is surfaced: {confidence} is below {least}.</source>
        <translation>Nichts wird mitgegeben: {confidence} liegt unter {least}.</translation>
    </message>
    <message>
        <source>Nothing is taught yet</source>
        <translation>Noch ist nichts beigebracht</translation>
    </message>
    <message>
        <source>Nothing is tried while a pattern does not compile.</source>
        <translation>Nichts wird probiert, solange ein Muster sich nicht übersetzen lässt.</translation>
    </message>
    <message>
        <source>Nothing is written.</source>
        <translation>Nichts ist geschrieben.</translation>
    </message>
    <message>
        <source>Nothing is written: `connect {key} --yes` writes this.</source>
        <translation>Nichts ist geschrieben: `connect {key} --yes` schreibt dies.</translation>
    </message>
    <message>
        <source>nothing new</source>
        <translation>nichts Neues</translation>
    </message>
    <message>
        <source>Nothing of it is stored yet.</source>
        <translation>Davon ist noch nichts gespeichert.</translation>
    </message>
    <message>
        <source>Nothing of these cases has two answers to choose from.</source>
        <translation>Keiner dieser Fälle hat zwei Antworten zur Wahl.</translation>
    </message>
    <message>
        <source>Nothing of this kind was scored for this query.</source>
        <translation>Nichts dieser Art wurde für diese Anfrage bewertet.</translation>
    </message>
    <message>
        <source>Nothing of {name} had to be taken in.</source>
        <translation>Aus {name} musste nichts übernommen werden.</translation>
    </message>
    <message>
        <source>Nothing says that</source>
        <translation>Nichts sagt das</translation>
    </message>
    <message>
        <source>Nothing scores for this query, so nothing is answered.</source>
        <translation>Nichts erhält für diese Anfrage einen Wert, also antwortet nichts.</translation>
    </message>
    <message>
        <source>Nothing surer came, so the best rule decides. {cues}: {confidence}.</source>
        <translation>Nichts Sichereres kam, also entscheidet die beste Regel. {cues}: {confidence}.</translation>
    </message>
    <message>
        <source>Nothing surer came; the taught examples lean to {vote}: {confidence}. {nearest}</source>
        <translation>Nichts Sichereres kam; die Beispiele neigen zu {vote}: {confidence}. {nearest}</translation>
    </message>
    <message>
        <source>nothing that can be read</source>
        <translation>nichts, was gelesen werden kann</translation>
    </message>
    <message>
        <source>Nothing that is kept holds these words.</source>
        <translation>Nichts Behaltenes enthält diese Wörter.</translation>
    </message>
    <message>
        <source>Nothing that is taught can answer it: the library is empty, or all of it is paused.</source>
        <translation>Nichts Beigebrachtes kann antworten: die Bibliothek ist leer, oder alles darin ist pausiert.</translation>
    </message>
    <message>
        <source>nothing to compare</source>
        <translation>nichts zu vergleichen</translation>
    </message>
    <message>
        <source>Nothing to draw</source>
        <translation>Nichts zu zeichnen</translation>
    </message>
    <message>
        <source>Nothing waits</source>
        <translation>Nichts wartet</translation>
    </message>
    <message>
        <source>nothing waits</source>
        <translation>nichts wartet</translation>
    </message>
    <message>
        <source>Nothing waits.</source>
        <translation>Nichts wartet.</translation>
    </message>
    <message>
        <source>Nothing was approved.</source>
        <translation>Nichts wurde genehmigt.</translation>
    </message>
    <message>
        <source>Nothing was asked yet</source>
        <translation>Noch wurde nichts gefragt</translation>
    </message>
    <message>
        <source>Nothing was asked.</source>
        <translation>Nichts wurde gefragt.</translation>
    </message>
    <message>
        <source>Nothing was changed: all is so already.</source>
        <translation>Nichts wurde geändert: alles ist schon so.</translation>
    </message>
    <message>
        <source>Nothing was done yet</source>
        <translation>Noch wurde nichts getan</translation>
    </message>
    <message>
        <source>Nothing was evaluated yet</source>
        <translation>Noch wurde nichts ausgewertet</translation>
    </message>
    <message>
        <source>Nothing was found that decides, so {safe}.</source>
        <translation>Nichts wurde gefunden, was entscheidet: {safe}.</translation>
    </message>
    <message>
        <source>Nothing was kept: the LLM has not been asked, or its reply could not be read.</source>
        <translation>Nichts wurde behalten: das LLM wurde nicht gefragt, oder seine Antwort war nicht lesbar.</translation>
    </message>
    <message>
        <source>Nothing was measured yet</source>
        <translation>Noch wurde nichts gemessen</translation>
    </message>
    <message>
        <source>Nothing was simulated yet</source>
        <translation>Noch nichts wurde simuliert</translation>
    </message>
    <message>
        <source>Nothing was told.</source>
        <translation>Nichts wurde genannt.</translation>
    </message>
    <message>
        <source>Nothing was written to the log yet.</source>
        <translation>Noch wurde nichts ins Protokoll geschrieben.</translation>
    </message>
    <message>
        <source>Nothing would be injected, so there is nothing to copy.</source>
        <translation>Nichts würde eingefügt, also gibt es nichts zu kopieren.</translation>
    </message>
    <message>
        <source>Nothing would be surfaced or activated.</source>
        <translation>Nichts würde mitgegeben oder aktiviert.</translation>
    </message>
    <message>
        <source>Nothing, if such queries are to come; else try the pattern on a text that it should find.</source>
        <translation>Nichts, wenn solche Anfragen noch kommen; sonst probieren Sie das Muster an einem Text, den es finden soll.</translation>
    </message>
    <message>
        <source>Nothing, if that is meant; else resume or delete them.</source>
        <translation>Nichts, wenn das so gemeint ist; sonst setzen Sie sie fort oder löschen Sie sie.</translation>
    </message>
    <message>
        <source>Nothing, where taught examples or the LLM decide for these; else lower the threshold.</source>
        <translation>Nichts, wo Beispiele oder das LLM für diese entscheiden; sonst senken Sie die Schwelle.</translation>
    </message>
    <message>
        <source>Nothing: they are used again when that encoder is chosen.</source>
        <translation>Nichts: sie werden wieder verwendet, wenn dieser Encoder gewählt wird.</translation>
    </message>
    <message>
        <source>Notices</source>
        <translation>Meldungen</translation>
    </message>
    <message>
        <source>now right</source>
        <translation>jetzt richtig</translation>
    </message>
    <message>
        <source>now wrong</source>
        <translation>jetzt falsch</translation>
    </message>
    <message>
        <source>number {rank}, where {n} are allowed</source>
        <translation>Nummer {rank}, wo {n} erlaubt sind</translation>
    </message>
    <message>
        <source>numbers</source>
        <translation>Zahlen</translation>
    </message>
    <message>
        <source>Numbers (CSV)</source>
        <translation>Zahlen (CSV)</translation>
    </message>
    <message>
        <source>object</source>
        <translation>Objekt</translation>
    </message>
    <message>
        <source>Of late asked, answered otherwise: {queries}.</source>
        <translation>Zuletzt gefragt, anders beantwortet: {queries}.</translation>
    </message>
    <message>
        <source>Of several, an assistant activated {name}: right makes that a case.</source>
        <translation>Unter mehreren hat ein Assistent {name} aktiviert: „Richtig“ macht daraus einen Fall.</translation>
    </message>
    <message>
        <source>Of strangers {share} do.</source>
        <translation>Von den Fremden bekommen {share} eine.</translation>
    </message>
    <message>
        <source>of strangers, who are {share} of all</source>
        <translation>der Fremden, die {share} von allen sind</translation>
    </message>
    <message>
        <source>of the cases that expect an answer</source>
        <translation>der Fälle, die eine Antwort erwarten</translation>
    </message>
    <message>
        <source>Of the nearest ten they find {recall} (measured {day}).</source>
        <translation>Von den nächsten zehn finden sie {recall} (gemessen am {day}).</translation>
    </message>
    <message>
        <source>of the routed stores</source>
        <translation>der gerouteten Speicher</translation>
    </message>
    <message>
        <source>of their vote none has {none}, {label} {most}</source>
        <translation>von ihren Stimmen hat keine {none}, {label} {most}</translation>
    </message>
    <message>
        <source>Of their vote {first} has {won}, {second} {lost}.</source>
        <translation>Von ihren Stimmen hat {first} {won}, {second} {lost}.</translation>
    </message>
    <message>
        <source>Of these wrongly</source>
        <translation>Davon zu Unrecht</translation>
    </message>
    <message>
        <source>Of {cases} labelled cases learned has {learned} right and calibrated {other}, so calibrated decides on memories; keep_better switches that off.</source>
        <translation>Von {cases} markierten Fällen hat learned {learned} richtig und calibrated {other}, daher entscheidet calibrated über Erinnerungen; keep_better schaltet das ab.</translation>
    </message>
    <message>
        <source>Of {cases} labelled cases of powers learned has {learned} right and calibrated {other}, so calibrated decides on powers; keep_better switches that off.</source>
        <translation>Von {cases} markierten Fällen zu Fähigkeiten hat learned {learned} richtig und calibrated {other}, daher entscheidet calibrated über Fähigkeiten; keep_better schaltet das ab.</translation>
    </message>
    <message>
        <source>Of {store} nothing can be read that others keep.</source>
        <translation>Von {store} kann nichts gelesen werden, was andere führen.</translation>
    </message>
    <message>
        <source>Off</source>
        <translation>Aus</translation>
    </message>
    <message>
        <source>off</source>
        <translation>aus</translation>
    </message>
    <message>
        <source>Off: the semantic score alone.</source>
        <translation>Aus: der semantische Score allein.</translation>
    </message>
    <message>
        <source>Offered among multiple matches from this confidence on.</source>
        <translation>Unter mehreren Treffern angeboten ab dieser Konfidenz.</translation>
    </message>
    <message>
        <source>Often near, never first</source>
        <translation>Oft nahe, nie zuerst</translation>
    </message>
    <message>
        <source>olive</source>
        <translation>oliv</translation>
    </message>
    <message>
        <source>Ollama</source>
        <translation>Ollama</translation>
    </message>
    <message>
        <source>Ollama {version} answers.</source>
        <translation>Ollama {version} antwortet.</translation>
    </message>
    <message>
        <source>On</source>
        <translation>An</translation>
    </message>
    <message>
        <source>on</source>
        <translation>an</translation>
    </message>
    <message>
        <source>on buttons; by default as it ships</source>
        <translation>auf Knöpfen; sonst wie mitgeliefert</translation>
    </message>
    <message>
        <source>On its way</source>
        <translation>Unterwegs</translation>
    </message>
    <message>
        <source>On the desktop</source>
        <translation>Auf dem Desktop</translation>
    </message>
    <message>
        <source>On the left</source>
        <translation>Links</translation>
    </message>
    <message>
        <source>on the left</source>
        <translation>links</translation>
    </message>
    <message>
        <source>on the other side this share of the LLM&apos;s answers does not come, such as 0.2</source>
        <translation>auf der anderen Seite bleibt dieser Anteil der Antworten des LLM aus, etwa 0.2</translation>
    </message>
    <message>
        <source>On the right</source>
        <translation>Rechts</translation>
    </message>
    <message>
        <source>on the right</source>
        <translation>rechts</translation>
    </message>
    <message>
        <source>on trial after failures</source>
        <translation>nach Fehlern auf Probe</translation>
    </message>
    <message>
        <source>One</source>
        <translation>Eine</translation>
    </message>
    <message>
        <source>One clear power</source>
        <translation>Eine klare Fähigkeit</translation>
    </message>
    <message>
        <source>one JSON document on stdout and nothing else there</source>
        <translation>ein JSON-Dokument auf stdout und sonst nichts dort</translation>
    </message>
    <message>
        <source>One memory with all triggers and tags, and the chosen response</source>
        <translation>Eine Erinnerung mit allen Auslösern und Schlagwörtern und dem gewählten Antworttext</translation>
    </message>
    <message>
        <source>one of the arguments %s is required</source>
        <translation>eines der Argumente %s ist nötig</translation>
    </message>
    <message>
        <source>One of the signs is enough.</source>
        <translation>Eines der Zeichen genügt.</translation>
    </message>
    <message>
        <source>one of {n}</source>
        <translation>eines von {n}</translation>
    </message>
    <message>
        <source>One policy</source>
        <translation>Eine Art</translation>
    </message>
    <message>
        <source>one query a line in, one answer a line out</source>
        <translation>eine Anfrage je Zeile hinein, eine Antwort je Zeile heraus</translation>
    </message>
    <message>
        <source>one query is encoded in {took} ms</source>
        <translation>eine Anfrage wird in {took} ms eingebettet</translation>
    </message>
    <message>
        <source>One row per label</source>
        <translation>Eine Zeile je Label</translation>
    </message>
    <message>
        <source>one setting over values: 0:0.2:0.02, max,cascade or all</source>
        <translation>eine Einstellung über Werte: 0:0.2:0.02, max,cascade oder all</translation>
    </message>
    <message>
        <source>one setting; may be repeated</source>
        <translation>eine Einstellung; darf wiederholt werden</translation>
    </message>
    <message>
        <source>One token</source>
        <translation>Ein Token</translation>
    </message>
    <message>
        <source>one-token mode</source>
        <translation>Ein-Token-Modus</translation>
    </message>
    <message>
        <source>Only a digest of this query is kept. It cannot be asked again.</source>
        <translation>Von dieser Anfrage ist nur eine Prüfsumme behalten. Sie kann nicht noch einmal gestellt werden.</translation>
    </message>
    <message>
        <source>Only changed</source>
        <translation>Nur geänderte</translation>
    </message>
    <message>
        <source>Only in the trigger</source>
        <translation>Nur im Auslöser</translation>
    </message>
    <message>
        <source>only named</source>
        <translation>nur genannt</translation>
    </message>
    <message>
        <source>only on the left</source>
        <translation>nur links</translation>
    </message>
    <message>
        <source>only on the right</source>
        <translation>nur rechts</translation>
    </message>
    <message>
        <source>only print what belongs into a configuration</source>
        <translation>nur ausgeben, was in eine Konfiguration gehört</translation>
    </message>
    <message>
        <source>Only rules or cases name this route. Set it up to say which stores answer.</source>
        <translation>Nur Regeln oder Fälle nennen diese Route. Richten Sie sie ein, um zu sagen, welche Speicher antworten.</translation>
    </message>
    <message>
        <source>Only the first {scored_characters} of {count} characters are scored.</source>
        <translation>Nur die ersten {scored_characters} von {count} Zeichen werden bewertet.</translation>
    </message>
    <message>
        <source>only those that label this</source>
        <translation>nur die, die dies benennen</translation>
    </message>
    <message>
        <source>only those whose text holds all of these words</source>
        <translation>nur die, deren Text alle diese Wörter enthält</translation>
    </message>
    <message>
        <source>only those whose text or answers hold this</source>
        <translation>nur die, deren Text oder Antworten dies enthalten</translation>
    </message>
    <message>
        <source>only what was done by this person of a team</source>
        <translation>nur, was diese Person eines Teams getan hat</translation>
    </message>
    <message>
        <source>only what was done to this memory, power, rule or case</source>
        <translation>nur was an dieser Erinnerung, Fähigkeit, Regel oder diesem Fall getan wurde</translation>
    </message>
    <message>
        <source>only wrong ones</source>
        <translation>nur falsche</translation>
    </message>
    <message>
        <source>Only {share} of the labelled queries went the right way.</source>
        <translation>Nur {share} der markierten Anfragen gingen den richtigen Weg.</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>Öffnen</translation>
    </message>
    <message>
        <source>Open again: {name}</source>
        <translation>Wieder öffnen: {name}</translation>
    </message>
    <message>
        <source>Open again: {name} (in {folder})</source>
        <translation>Wieder öffnen: {name} (in {folder})</translation>
    </message>
    <message>
        <source>Open another profile</source>
        <translation>Ein anderes Profil öffnen</translation>
    </message>
    <message>
        <source>Open another profile …</source>
        <translation>Ein anderes Profil öffnen …</translation>
    </message>
    <message>
        <source>Open folder</source>
        <translation>Ordner öffnen</translation>
    </message>
    <message>
        <source>Open in scope</source>
        <translation>Im Scope öffnen</translation>
    </message>
    <message>
        <source>Open in the browser</source>
        <translation>Im Browser öffnen</translation>
    </message>
    <message>
        <source>Open in the scope</source>
        <translation>Im Scope öffnen</translation>
    </message>
    <message>
        <source>Open the bin</source>
        <translation>Den Papierkorb öffnen</translation>
    </message>
    <message>
        <source>Open the case in the scope</source>
        <translation>Den Fall im Scope öffnen</translation>
    </message>
    <message>
        <source>Open the connection</source>
        <translation>Verbindung öffnen</translation>
    </message>
    <message>
        <source>Open the connection to the LLM</source>
        <translation>Die Verbindung zum LLM öffnen</translation>
    </message>
    <message>
        <source>Open the decision matrix, and select a rule there.</source>
        <translation>Öffnen Sie die Entscheidungsmatrix und wählen Sie dort eine Regel.</translation>
    </message>
    <message>
        <source>Open the help on assistants</source>
        <translation>Die Hilfe zu Assistenten öffnen</translation>
    </message>
    <message>
        <source>Open the menu</source>
        <translation>Das Menü öffnen</translation>
    </message>
    <message>
        <source>Open the profile’s folder</source>
        <translation>Den Ordner des Profils öffnen</translation>
    </message>
    <message>
        <source>Open the rules page first.</source>
        <translation>Öffnen Sie zuerst die Seite Regeln.</translation>
    </message>
    <message>
        <source>Open the rules page with the selected rule (Enter)</source>
        <translation>Die Seite Regeln mit der gewählten Regel öffnen (Eingabe)</translation>
    </message>
    <message>
        <source>Open the scope to teach or mark the answer that is selected there.</source>
        <translation>Öffnen Sie den Scope, um die dort gewählte Antwort beizubringen oder zu markieren.</translation>
    </message>
    <message>
        <source>Open the scope to teach the type of the query there.</source>
        <translation>Öffnen Sie den Scope, um dort den Typ der Anfrage beizubringen.</translation>
    </message>
    <message>
        <source>Open the setting</source>
        <translation>Einstellung öffnen</translation>
    </message>
    <message>
        <source>Open the setting that keeps the memories from being surfaced</source>
        <translation>Die Einstellung öffnen, derentwegen die Erinnerungen nicht mitgegeben werden</translation>
    </message>
    <message>
        <source>Open the window (the default).</source>
        <translation>Das Fenster öffnen (der Standard).</translation>
    </message>
    <message>
        <source>Open {0}</source>
        <translation>{0} öffnen</translation>
    </message>
    <message>
        <source>open: {counts}</source>
        <translation>offen: {counts}</translation>
    </message>
    <message>
        <source>Opening the library</source>
        <translation>Die Bibliothek wird geöffnet</translation>
    </message>
    <message>
        <source>optional</source>
        <translation>möglich</translation>
    </message>
    <message>
        <source>options</source>
        <translation>Optionen</translation>
    </message>
    <message>
        <source>or a route of your own</source>
        <translation>oder eine eigene Route</translation>
    </message>
    <message>
        <source>Or as a memory of its own</source>
        <translation>Oder als eigene Erinnerung</translation>
    </message>
    <message>
        <source>Or as a memory:</source>
        <translation>Oder als Erinnerung:</translation>
    </message>
    <message>
        <source>or the folder of a library</source>
        <translation>oder der Ordner einer Bibliothek</translation>
    </message>
    <message>
        <source>orange</source>
        <translation>orange</translation>
    </message>
    <message>
        <source>Order</source>
        <translation>Reihenfolge</translation>
    </message>
    <message>
        <source>Order of the query&apos;s memories</source>
        <translation>Reihenfolge der Erinnerungen der Anfrage</translation>
    </message>
    <message>
        <source>ordered</source>
        <translation>geordnet</translation>
    </message>
    <message>
        <source>Orphaned now</source>
        <translation>Jetzt verwaist</translation>
    </message>
    <message>
        <source>Other rule</source>
        <translation>Andere Regel</translation>
    </message>
    <message>
        <source>Other stores</source>
        <translation>Andere Speicher</translation>
    </message>
    <message>
        <source>others, parted by commas; empty: its name</source>
        <translation>andere, durch Kommas getrennt; leer: ihr Name</translation>
    </message>
    <message>
        <source>Otherwise it would be in place {place} with {own}.</source>
        <translation>Sonst wäre es mit {own} auf Platz {place}.</translation>
    </message>
    <message>
        <source>Otherwise it would score {own}.</source>
        <translation>Sonst hätte es {own}.</translation>
    </message>
    <message>
        <source>Out of reach</source>
        <translation>Unerreichbar</translation>
    </message>
    <message>
        <source>out of scope</source>
        <translation>außerhalb</translation>
    </message>
    <message>
        <source>Outcome</source>
        <translation>Ausgang</translation>
    </message>
    <message>
        <source>outcome</source>
        <translation>Ausgang</translation>
    </message>
    <message>
        <source>Outcomes as shown</source>
        <translation>Ausgänge wie gezeigt</translation>
    </message>
    <message>
        <source>Outcomes: {counts}.</source>
        <translation>Ausgänge: {counts}.</translation>
    </message>
    <message>
        <source>Over 0.700</source>
        <translation>Über 0.700</translation>
    </message>
    <message>
        <source>Over budget</source>
        <translation>Über Budget</translation>
    </message>
    <message>
        <source>over MCP</source>
        <translation>über MCP</translation>
    </message>
    <message>
        <source>over the budget</source>
        <translation>über dem Budget</translation>
    </message>
    <message>
        <source>Over time</source>
        <translation>Im Lauf der Zeit</translation>
    </message>
    <message>
        <source>Over time, the newest first</source>
        <translation>Im Lauf der Zeit, das Neueste zuerst</translation>
    </message>
    <message>
        <source>over {name}: </source>
        <translation>vor {name}: </translation>
    </message>
    <message>
        <source>Overrule</source>
        <translation>Überstimmen</translation>
    </message>
    <message>
        <source>own</source>
        <translation>eigene</translation>
    </message>
    <message>
        <source>Own conf.</source>
        <translation>Konf.</translation>
    </message>
    <message>
        <source>Own words give another answer</source>
        <translation>Eigene Worte ergeben eine andere Antwort</translation>
    </message>
    <message>
        <source>owner</source>
        <translation>besitzt</translation>
    </message>
    <message>
        <source>P&amp;urpose</source>
        <translation>&amp;Zweck</translation>
    </message>
    <message>
        <source>P50, ms</source>
        <translation>P50, ms</translation>
    </message>
    <message>
        <source>P90, ms</source>
        <translation>P90, ms</translation>
    </message>
    <message>
        <source>P95 {ms} ms.</source>
        <translation>P95 {ms} ms.</translation>
    </message>
    <message>
        <source>P95, ms</source>
        <translation>P95, ms</translation>
    </message>
    <message>
        <source>P99, ms</source>
        <translation>P99, ms</translation>
    </message>
    <message>
        <source>Pac&amp;k</source>
        <translation>&amp;Paket</translation>
    </message>
    <message>
        <source>Pack</source>
        <translation>Paket</translation>
    </message>
    <message>
        <source>Pack {name}</source>
        <translation>Paket {name}</translation>
    </message>
    <message>
        <source>Packs</source>
        <translation>Pakete</translation>
    </message>
    <message>
        <source>Packs cannot be read from files or written to them here.</source>
        <translation>Hier können Pakete weder aus Dateien gelesen noch in sie geschrieben werden.</translation>
    </message>
    <message>
        <source>Packs of keyword rules: listed, switched on and off, and made again what they came as.</source>
        <translation>Pakete von Stichwortregeln: gelistet, ein- und ausgeschaltet und wieder gemacht, wie sie kamen.</translation>
    </message>
    <message>
        <source>Page: {title}</source>
        <translation>Seite: {title}</translation>
    </message>
    <message>
        <source>Pages</source>
        <translation>Seiten</translation>
    </message>
    <message>
        <source>Pages of this entry</source>
        <translation>Seiten dieses Eintrags</translation>
    </message>
    <message>
        <source>Painting</source>
        <translation>Zeichnen</translation>
    </message>
    <message>
        <source>Palette</source>
        <translation>Palette</translation>
    </message>
    <message>
        <source>Pane {pane}: float or dock</source>
        <translation>Bereich {pane}: lösen oder andocken</translation>
    </message>
    <message>
        <source>Pane {pane}: move below</source>
        <translation>Bereich {pane}: nach unten bewegen</translation>
    </message>
    <message>
        <source>Pane {pane}: move left</source>
        <translation>Bereich {pane}: nach links bewegen</translation>
    </message>
    <message>
        <source>Pane {pane}: move right</source>
        <translation>Bereich {pane}: nach rechts bewegen</translation>
    </message>
    <message>
        <source>Pane {pane}: show or hide</source>
        <translation>Bereich {pane}: zeigen oder ausblenden</translation>
    </message>
    <message>
        <source>Pane {pane}: step in or out</source>
        <translation>Bereich {pane}: hinein- oder hinaustreten</translation>
    </message>
    <message>
        <source>Panes</source>
        <translation>Bereiche</translation>
    </message>
    <message>
        <source>Parts of the page</source>
        <translation>Teile der Seite</translation>
    </message>
    <message>
        <source>Parts of the server</source>
        <translation>Teile des Servers</translation>
    </message>
    <message>
        <source>Password of the team&apos;s server</source>
        <translation>Passwort des Team-Servers</translation>
    </message>
    <message>
        <source>Password of {0}</source>
        <translation>Passwort von {0}</translation>
    </message>
    <message>
        <source>Password of {store}: </source>
        <translation>Passwort von {store}: </translation>
    </message>
    <message>
        <source>Password, for the keyring</source>
        <translation>Passwort, für den Schlüsselbund</translation>
    </message>
    <message>
        <source>Password; empty: forget it</source>
        <translation>Passwort; leer: vergessen</translation>
    </message>
    <message>
        <source>Past queries</source>
        <translation>Frühere Anfragen</translation>
    </message>
    <message>
        <source>past the budget</source>
        <translation>über dem Budget</translation>
    </message>
    <message>
        <source>Path</source>
        <translation>Weg</translation>
    </message>
    <message>
        <source>Pattern</source>
        <translation>Muster</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>Pausieren</translation>
    </message>
    <message>
        <source>Pause the selected memories</source>
        <translation>Die gewählten Erinnerungen pausieren</translation>
    </message>
    <message>
        <source>Pause {theirs}, whose only trigger misleads</source>
        <translation>{theirs} pausieren, deren einziger Auslöser in die Irre führt</translation>
    </message>
    <message>
        <source>Paused</source>
        <translation>Pausiert</translation>
    </message>
    <message>
        <source>paused</source>
        <translation>pausiert</translation>
    </message>
    <message>
        <source>Paused memories</source>
        <translation>Pausierte Erinnerungen</translation>
    </message>
    <message>
        <source>Paused: it does not answer</source>
        <translation>Pausiert: sie antwortet nicht</translation>
    </message>
    <message>
        <source>Penalty without the LLM</source>
        <translation>Abzug ohne das LLM</translation>
    </message>
    <message>
        <source>Penalty, no LLM</source>
        <translation>Abzug, kein LLM</translation>
    </message>
    <message>
        <source>Percentile</source>
        <translation>Perzentil</translation>
    </message>
    <message>
        <source>Pick a match to see why.</source>
        <translation>Wählen Sie einen Treffer, um zu sehen, warum.</translation>
    </message>
    <message>
        <source>Pick one under Tools.</source>
        <translation>Wählen Sie eines unter Werkzeuge.</translation>
    </message>
    <message>
        <source>Picture</source>
        <translation>Bild</translation>
    </message>
    <message>
        <source>Picture (PNG)</source>
        <translation>Bild (PNG)</translation>
    </message>
    <message>
        <source>Pin</source>
        <translation>Anheften</translation>
    </message>
    <message>
        <source>Pin the query and set the next one beside it, or go back</source>
        <translation>Die Anfrage anheften und die nächste danebenstellen, oder zurück</translation>
    </message>
    <message>
        <source>pink</source>
        <translation>rosa</translation>
    </message>
    <message>
        <source>Pinned: {0}</source>
        <translation>Angeheftet: {0}</translation>
    </message>
    <message>
        <source>Place</source>
        <translation>Platz</translation>
    </message>
    <message>
        <source>places down</source>
        <translation>Plätze hinab</translation>
    </message>
    <message>
        <source>places up</source>
        <translation>Plätze hinauf</translation>
    </message>
    <message>
        <source>Plain text, one query a line</source>
        <translation>Reiner Text, eine Anfrage je Zeile</translation>
    </message>
    <message>
        <source>PNG (*.png)</source>
        <translation>PNG (*.png)</translation>
    </message>
    <message>
        <source>PNG…</source>
        <translation>PNG…</translation>
    </message>
    <message>
        <source>Port</source>
        <translation>Port</translation>
    </message>
    <message>
        <source>positional arguments</source>
        <translation>Argumente</translation>
    </message>
    <message>
        <source>Postgresql</source>
        <translation>PostgreSQL</translation>
    </message>
    <message>
        <source>Postgresql mapping</source>
        <translation>PostgreSQL-Zuordnung</translation>
    </message>
    <message>
        <source>postgresql://USER@HOST/DATABASE; an empty one takes what is here</source>
        <translation>postgresql://BENUTZER@RECHNER/DATENBANK; eine leere nimmt, was hier ist</translation>
    </message>
    <message>
        <source>Power</source>
        <translation>Fähigkeit</translation>
    </message>
    <message>
        <source>power</source>
        <translation>Fähigkeit</translation>
    </message>
    <message>
        <source>Power by the LLM</source>
        <translation>Fähigkeit durch das LLM</translation>
    </message>
    <message>
        <source>Power combination</source>
        <translation>Kombination für Fähigkeiten</translation>
    </message>
    <message>
        <source>Power: a program or an address that can be started, and then brings tools that can be called.</source>
        <translation>Fähigkeit: ein Programm oder eine Adresse, die gestartet werden kann und dann Werkzeuge bringt, die gerufen werden können.</translation>
    </message>
    <message>
        <source>Power: {name}, {outcome}</source>
        <translation>Fähigkeit: {name}, {outcome}</translation>
    </message>
    <message>
        <source>Powers</source>
        <translation>Fähigkeiten</translation>
    </message>
    <message>
        <source>Powers and route</source>
        <translation>Fähigkeiten und Route</translation>
    </message>
    <message>
        <source>Powers asked for</source>
        <translation>Gesuchte Fähigkeiten</translation>
    </message>
    <message>
        <source>Powers cannot be started here.</source>
        <translation>Fähigkeiten können hier nicht gestartet werden.</translation>
    </message>
    <message>
        <source>Powers offered (rows), and how far the tier is from the one meant</source>
        <translation>Angebotene Fähigkeiten (Zeilen), und wie weit die Stufe von der gemeinten entfernt ist</translation>
    </message>
    <message>
        <source>Powers that did not start</source>
        <translation>Fähigkeiten, die nicht starteten</translation>
    </message>
    <message>
        <source>Powers that run</source>
        <translation>Laufende Fähigkeiten</translation>
    </message>
    <message>
        <source>Powers that wait for a yes</source>
        <translation>Fähigkeiten, die auf ein Ja warten</translation>
    </message>
    <message>
        <source>Powers used</source>
        <translation>Genutzte Fähigkeiten</translation>
    </message>
    <message>
        <source>Powers: {badge}. {line}</source>
        <translation>Fähigkeiten: {badge}. {line}</translation>
    </message>
    <message>
        <source>Precision</source>
        <translation>Präzision</translation>
    </message>
    <message>
        <source>precision</source>
        <translation>Präzision</translation>
    </message>
    <message>
        <source>Precision as promised</source>
        <translation>Präzision wie versprochen</translation>
    </message>
    <message>
        <source>Precision by coverage</source>
        <translation>Präzision nach Abdeckung</translation>
    </message>
    <message>
        <source>precision by coverage</source>
        <translation>Präzision nach Abdeckung</translation>
    </message>
    <message>
        <source>Precision by recall</source>
        <translation>Präzision nach Ausbeute</translation>
    </message>
    <message>
        <source>precision by recall</source>
        <translation>Präzision nach Ausbeute</translation>
    </message>
    <message>
        <source>Preset</source>
        <translation>Vorgabe</translation>
    </message>
    <message>
        <source>Preset against preset</source>
        <translation>Vorgabe gegen Vorgabe</translation>
    </message>
    <message>
        <source>Preset “{name}”</source>
        <translation>Vorgabe „{name}“</translation>
    </message>
    <message>
        <source>Preset, one row per label, and what is set side by side</source>
        <translation>Vorgabe, eine Zeile je Label, und was nebeneinandersteht</translation>
    </message>
    <message>
        <source>Preset: As documented</source>
        <translation>Vorgabe: Wie dokumentiert</translation>
    </message>
    <message>
        <source>Preset: Recommended</source>
        <translation>Vorgabe: Empfohlen</translation>
    </message>
    <message>
        <source>Preset: {title}</source>
        <translation>Vorgabe: {title}</translation>
    </message>
    <message>
        <source>Presets</source>
        <translation>Vorgaben</translation>
    </message>
    <message>
        <source>presets</source>
        <translation>Vorgaben</translation>
    </message>
    <message>
        <source>Presets side by side</source>
        <translation>Vorgaben nebeneinander</translation>
    </message>
    <message>
        <source>Press Enter in the line above to try again.</source>
        <translation>Drücken Sie oben in der Zeile Eingabe, um es noch einmal zu versuchen.</translation>
    </message>
    <message>
        <source>Press to remove it. By itself this keyword scores {0}.</source>
        <translation>Drücken, um es zu entfernen. Für sich hat dieses Stichwort den Score {0}.</translation>
    </message>
    <message>
        <source>print the token that assistants have to send</source>
        <translation>das Token ausgeben, das Assistenten senden müssen</translation>
    </message>
    <message>
        <source>Priority</source>
        <translation>Vorrang</translation>
    </message>
    <message>
        <source>Privacy</source>
        <translation>Privatsphäre</translation>
    </message>
    <message>
        <source>Processor</source>
        <translation>Prozessor</translation>
    </message>
    <message>
        <source>Profile</source>
        <translation>Profil</translation>
    </message>
    <message>
        <source>Profile: {0}</source>
        <translation>Profil: {0}</translation>
    </message>
    <message>
        <source>Profiles</source>
        <translation>Profile</translation>
    </message>
    <message>
        <source>Progress of the encoder</source>
        <translation>Fortschritt des Encoders</translation>
    </message>
    <message>
        <source>Progress of the look</source>
        <translation>Fortschritt des Nachsehens</translation>
    </message>
    <message>
        <source>Progress of the pull</source>
        <translation>Fortschritt des Holens</translation>
    </message>
    <message>
        <source>Progress of the search</source>
        <translation>Fortschritt der Suche</translation>
    </message>
    <message>
        <source>Prompt</source>
        <translation>Prompt</translation>
    </message>
    <message>
        <source>Prompts</source>
        <translation>Prompts</translation>
    </message>
    <message>
        <source>Protocol</source>
        <translation>Protokoll</translation>
    </message>
    <message>
        <source>Pull</source>
        <translation>Holen</translation>
    </message>
    <message>
        <source>Pull a model</source>
        <translation>Ein Modell holen</translation>
    </message>
    <message>
        <source>purple</source>
        <translation>violett</translation>
    </message>
    <message>
        <source>Purpose</source>
        <translation>Zweck</translation>
    </message>
    <message>
        <source>Put a \ before it if the sign is meant.</source>
        <translation>Setzen Sie ein \ davor, wenn das Zeichen gemeint ist.</translation>
    </message>
    <message>
        <source>Put a copy in the library&apos;s place, and keep what was there.</source>
        <translation>Eine Kopie an die Stelle der Bibliothek setzen und behalten, was dort war.</translation>
    </message>
    <message>
        <source>put a rule at this place of its pack, counted from 1</source>
        <translation>eine Regel an diesen Platz ihres Pakets setzen, ab 1 gezählt</translation>
    </message>
    <message>
        <source>Put all cases that are shown to the engine of today</source>
        <translation>Alle gezeigten Fälle dem heutigen Stand vorlegen</translation>
    </message>
    <message>
        <source>Put it into the bin (Delete)</source>
        <translation>In den Papierkorb legen (Entf)</translation>
    </message>
    <message>
        <source>put labelled queries to every store: was the routed one right</source>
        <translation>jedem Speicher markierte Anfragen stellen: War der geroutete der richtige?</translation>
    </message>
    <message>
        <source>Put memories, powers, rules or cases into the bin.</source>
        <translation>Erinnerungen, Fähigkeiten, Regeln oder Fälle in den Papierkorb legen.</translation>
    </message>
    <message>
        <source>put the file back as it was before</source>
        <translation>die Datei wieder so machen, wie sie vorher war</translation>
    </message>
    <message>
        <source>Put the labelled queries of the library to every store: had the routed one the right answer?</source>
        <translation>Jedem Speicher die markierten Anfragen der Bibliothek stellen: Hatte der geroutete die richtige Antwort?</translation>
    </message>
    <message>
        <source>Put the selected cases to the engine of today</source>
        <translation>Die gewählten Fälle dem heutigen Stand vorlegen</translation>
    </message>
    <message>
        <source>put this back; may be repeated</source>
        <translation>das zurückholen; darf wiederholt werden</translation>
    </message>
    <message>
        <source>Put “{name}” back</source>
        <translation>„{name}“ zurückholen</translation>
    </message>
    <message>
        <source>Putting the parts together</source>
        <translation>Die Teile werden zusammengesetzt</translation>
    </message>
    <message>
        <source>Python {python}, Qt {qt}</source>
        <translation>Python {python}, Qt {qt}</translation>
    </message>
    <message>
        <source>P{0} {1} ms</source>
        <translation>P{0} {1} ms</translation>
    </message>
    <message>
        <source>P{share} {text} ms</source>
        <translation>P{share} {text} ms</translation>
    </message>
    <message>
        <source>Qdrant</source>
        <translation>Qdrant</translation>
    </message>
    <message>
        <source>Qdrant mapping</source>
        <translation>Qdrant-Zuordnung</translation>
    </message>
    <message>
        <source>Queries</source>
        <translation>Anfragen</translation>
    </message>
    <message>
        <source>Queries are forgotten after so many days.</source>
        <translation>Anfragen werden nach so vielen Tagen vergessen.</translation>
    </message>
    <message>
        <source>Queries are not put to it (search_intent.use_llm is off).</source>
        <translation>Anfragen werden ihm nicht vorgelegt (search_intent.use_llm ist aus).</translation>
    </message>
    <message>
        <source>Queries cannot be kept in the history ({why}) Typing and answers are as always; it is tried again.</source>
        <translation>Anfragen können nicht im Verlauf behalten werden ({why}) Tippen und Antworten sind wie immer; es wird wieder versucht.</translation>
    </message>
    <message>
        <source>Queries differ, so decisions should. Look whether the rules match anything at all, whether the encoder is ready, and whether the same query is asked again and again.</source>
        <translation>Anfragen unterscheiden sich, also sollten es auch die Entscheidungen. Sehen Sie nach, ob die Regeln überhaupt etwas treffen, ob der Encoder bereit ist und ob immer wieder dieselbe Anfrage gestellt wird.</translation>
    </message>
    <message>
        <source>Queries from a file</source>
        <translation>Anfragen aus einer Datei</translation>
    </message>
    <message>
        <source>Queries of assistants</source>
        <translation>Anfragen von Assistenten</translation>
    </message>
    <message>
        <source>Queries routed under today&apos;s settings and under others, side by side.</source>
        <translation>Anfragen unter den heutigen Einstellungen und unter anderen geleitet, nebeneinander.</translation>
    </message>
    <message>
        <source>Queries that are answered otherwise</source>
        <translation>Anders beantwortete Anfragen</translation>
    </message>
    <message>
        <source>Queries that are kept, newest first, and forgetting them for good.</source>
        <translation>Behaltene Anfragen, die neueste zuerst, und wie man sie endgültig vergisst.</translation>
    </message>
    <message>
        <source>Queries that are weak, tied or answered in two ways come here.</source>
        <translation>Anfragen, die schwach, gleichauf oder zweierlei beantwortet sind, kommen hierher.</translation>
    </message>
    <message>
        <source>Queries that are weak, tied, or answered in two ways come here once they are asked.</source>
        <translation>Anfragen, die schwach, gleichauf oder zweierlei beantwortet sind, kommen hierher, sobald sie gestellt wurden.</translation>
    </message>
    <message>
        <source>Queries that wait for a decision, and decisions about them.</source>
        <translation>Anfragen, die auf eine Entscheidung warten, und Entscheidungen darüber.</translation>
    </message>
    <message>
        <source>Queries that wait, newest first</source>
        <translation>Wartende Anfragen, die neueste zuerst</translation>
    </message>
    <message>
        <source>Queries that were asked again</source>
        <translation>Noch einmal gestellte Anfragen</translation>
    </message>
    <message>
        <source>Queries that would start a wrong power: {wrongly_activated}.</source>
        <translation>Anfragen, die eine falsche Fähigkeit starten würden: {wrongly_activated}.</translation>
    </message>
    <message>
        <source>Queries to try</source>
        <translation>Anfragen zum Probieren</translation>
    </message>
    <message>
        <source>queries, with the routes that are right where known; by default the log of decisions</source>
        <translation>Anfragen, mit den richtigen Routen, wo sie bekannt sind; sonst das Protokoll der Entscheidungen</translation>
    </message>
    <message>
        <source>Query</source>
        <translation>Anfrage</translation>
    </message>
    <message>
        <source>Query, sorted</source>
        <translation>Anfrage, sortiert</translation>
    </message>
    <message>
        <source>Query: {query}</source>
        <translation>Anfrage: {query}</translation>
    </message>
    <message>
        <source>questions and answers</source>
        <translation>Fragen und Antworten</translation>
    </message>
    <message>
        <source>Questions and answers are memories, no {kind}.</source>
        <translation>Fragen und Antworten sind Erinnerungen, keine {kind}.</translation>
    </message>
    <message>
        <source>Rail</source>
        <translation>Leiste</translation>
    </message>
    <message>
        <source>Raise the threshold of “{name}” from {before} to {after}</source>
        <translation>Die Schwelle von „{name}“ von {before} auf {after} heben</translation>
    </message>
    <message>
        <source>Rank</source>
        <translation>Rang</translation>
    </message>
    <message>
        <source>rank</source>
        <translation>Rang</translation>
    </message>
    <message>
        <source>rank {left} against {right}</source>
        <translation>Rang {left} gegen {right}</translation>
    </message>
    <message>
        <source>rank {rank}</source>
        <translation>Rang {rank}</translation>
    </message>
    <message>
        <source>rank {rank} of {among}</source>
        <translation>Rang {rank} von {among}</translation>
    </message>
    <message>
        <source>Rare words</source>
        <translation>Seltene</translation>
    </message>
    <message>
        <source>rare words</source>
        <translation>seltene Wörter</translation>
    </message>
    <message>
        <source>Rasa NLU data</source>
        <translation>NLU-Daten von Rasa</translation>
    </message>
    <message>
        <source>Rasa&apos;s NLU data</source>
        <translation>NLU-Daten von Rasa</translation>
    </message>
    <message>
        <source>Raw</source>
        <translation>Roh</translation>
    </message>
    <message>
        <source>Raw prompt and reply</source>
        <translation>Roher Prompt und rohe Antwort</translation>
    </message>
    <message>
        <source>Re-embedding {whole} triggers with {next_encoder}, {done} done</source>
        <translation>{whole} Auslöser werden mit {next_encoder} neu eingebettet, {done} fertig</translation>
    </message>
    <message>
        <source>RE2 refuses it: {reason}.</source>
        <translation>RE2 lehnt es ab: {reason}.</translation>
    </message>
    <message>
        <source>Read a pack from a TOML file</source>
        <translation>Ein Paket aus einer TOML-Datei lesen</translation>
    </message>
    <message>
        <source>Read it</source>
        <translation>Lesen</translation>
    </message>
    <message>
        <source>Read it before you give it to anyone. Nothing is sent, and secrets in settings are left out.</source>
        <translation>Lesen Sie ihn, bevor Sie ihn jemandem geben. Nichts wird gesendet, und Geheimnisse in Einstellungen sind ausgelassen.</translation>
    </message>
    <message>
        <source>Read nothing of others</source>
        <translation>Nichts von anderen lesen</translation>
    </message>
    <message>
        <source>Read what is there</source>
        <translation>Vorhandenes lesen</translation>
    </message>
    <message>
        <source>Read what is there: {0}</source>
        <translation>Vorhandenes lesen: {0}</translation>
    </message>
    <message>
        <source>reader</source>
        <translation>liest</translation>
    </message>
    <message>
        <source>Reading the folder …</source>
        <translation>Der Ordner wird gelesen …</translation>
    </message>
    <message>
        <source>Reading {0} …</source>
        <translation>{0} wird gelesen …</translation>
    </message>
    <message>
        <source>Reading {name}</source>
        <translation>{name} wird gelesen</translation>
    </message>
    <message>
        <source>Reading {name}: {n} of {m} files</source>
        <translation>{name} wird gelesen: {n} von {m} Dateien</translation>
    </message>
    <message numerus="yes">
        <source>reads {n} documents of “{source}”, and writes nothing there</source>
        <translation>
            <numerusform>liest {n} Dokument aus „{source}“ und schreibt dort nichts</numerusform>
            <numerusform>liest {n} Dokumente aus „{source}“ und schreibt dort nichts</numerusform>
        </translation>
    </message>
    <message>
        <source>Ready</source>
        <translation>Bereit</translation>
    </message>
    <message>
        <source>Ready after {took} ms.</source>
        <translation>Bereit nach {took} ms.</translation>
    </message>
    <message>
        <source>reason</source>
        <translation>Grund</translation>
    </message>
    <message>
        <source>Recall</source>
        <translation>Ausbeute</translation>
    </message>
    <message>
        <source>recall</source>
        <translation>Ausbeute</translation>
    </message>
    <message>
        <source>Recall against an exact search {recall}.</source>
        <translation>Trefferquote gegen eine exakte Suche {recall}.</translation>
    </message>
    <message>
        <source>Recall at 10</source>
        <translation>Trefferquote bei 10</translation>
    </message>
    <message>
        <source>recall10 is not compared: a run keeps less of each list than that takes.</source>
        <translation>recall10 wird nicht verglichen: Ein Lauf behält von jeder Liste weniger, als dafür nötig ist.</translation>
    </message>
    <message>
        <source>Recommended</source>
        <translation>Empfohlen</translation>
    </message>
    <message>
        <source>Recommended: our defaults, tuned on labelled queries.</source>
        <translation>Empfohlen: unsere Standardwerte, abgestimmt an markierten Anfragen.</translation>
    </message>
    <message>
        <source>Redis</source>
        <translation>Redis</translation>
    </message>
    <message>
        <source>Redis (ms)</source>
        <translation>Redis (ms)</translation>
    </message>
    <message>
        <source>Redis did not answer</source>
        <translation>Redis antwortete nicht</translation>
    </message>
    <message numerus="yes">
        <source>Redis did not answer {n} times; the table did.</source>
        <translation>
            <numerusform>Redis antwortete {n}-mal nicht; die Tabelle tat es.</numerusform>
            <numerusform>Redis antwortete {n}-mal nicht; die Tabelle tat es.</numerusform>
        </translation>
    </message>
    <message>
        <source>Redis had it</source>
        <translation>Redis hatte sie</translation>
    </message>
    <message>
        <source>Redis had it not</source>
        <translation>Redis hatte sie nicht</translation>
    </message>
    <message>
        <source>Redis holds an answer for a route that is none here: {label}.</source>
        <translation>Redis hat eine Antwort für eine Route, die es hier nicht gibt: {label}.</translation>
    </message>
    <message>
        <source>Redis holds an answer with numbers that are none.</source>
        <translation>Redis hat eine Antwort mit Zahlen, die keine sind.</translation>
    </message>
    <message>
        <source>Redis is given up after so many milliseconds, and the table decides.</source>
        <translation>Redis wird nach so vielen Millisekunden aufgegeben, und die Tabelle entscheidet.</translation>
    </message>
    <message>
        <source>Redis refuses the password, or wants one: {error}</source>
        <translation>Redis weist das Passwort zurück oder verlangt eines: {error}</translation>
    </message>
    <message>
        <source>Redo</source>
        <translation>Wiederholen</translation>
    </message>
    <message>
        <source>Redo what was undone</source>
        <translation>Wiederholen, was rückgängig gemacht wurde</translation>
    </message>
    <message>
        <source>Reduced motion</source>
        <translation>Weniger Bewegung</translation>
    </message>
    <message>
        <source>refers back to a group</source>
        <translation>verweist zurück auf eine Gruppe</translation>
    </message>
    <message>
        <source>Refresh</source>
        <translation>Erneuern</translation>
    </message>
    <message>
        <source>Reliability</source>
        <translation>Verlässlichkeit</translation>
    </message>
    <message>
        <source>Reliability of the LLM alone</source>
        <translation>Verlässlichkeit des LLM allein</translation>
    </message>
    <message>
        <source>Reliability: right answers against confidence</source>
        <translation>Verlässlichkeit: richtige Antworten gegen Konfidenz</translation>
    </message>
    <message>
        <source>Remarks</source>
        <translation>Anmerkungen</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>Entfernen</translation>
    </message>
    <message>
        <source>Remove from {0}</source>
        <translation>Aus {0} entfernen</translation>
    </message>
    <message>
        <source>Remove it with its rules and examples (Del)</source>
        <translation>Sie mit ihren Regeln und Beispielen entfernen (Entf)</translation>
    </message>
    <message>
        <source>remove it with its rules and examples; the log stays</source>
        <translation>sie mit ihren Regeln und Beispielen entfernen; das Protokoll bleibt</translation>
    </message>
    <message>
        <source>Remove tags</source>
        <translation>Schlagwörter entfernen</translation>
    </message>
    <message>
        <source>Remove the route “{name}” with {rules} and {examples}?</source>
        <translation>Die Route „{name}“ mit {rules} und {examples} entfernen?</translation>
    </message>
    <message>
        <source>Remove the trigger (Delete)</source>
        <translation>Den Auslöser entfernen (Entf)</translation>
    </message>
    <message>
        <source>Remove {0}</source>
        <translation>{0} entfernen</translation>
    </message>
    <message>
        <source>Remove …</source>
        <translation>Entfernen …</translation>
    </message>
    <message>
        <source>Removed the route “{name}”.</source>
        <translation>Die Route „{name}“ wurde entfernt.</translation>
    </message>
    <message>
        <source>Replaces</source>
        <translation>Ersetzt</translation>
    </message>
    <message>
        <source>Replay</source>
        <translation>Wiederholen</translation>
    </message>
    <message>
        <source>Replay all found</source>
        <translation>Alle wiederholen</translation>
    </message>
    <message>
        <source>Replay all past queries that are found</source>
        <translation>Alle gefundenen früheren Anfragen wiederholen</translation>
    </message>
    <message>
        <source>Replay asks them again; Forget takes them out of the history.</source>
        <translation>Wiederholen stellt sie noch einmal; Vergessen nimmt sie aus dem Verlauf.</translation>
    </message>
    <message>
        <source>Replay the selected past queries</source>
        <translation>Die gewählten früheren Anfragen wiederholen</translation>
    </message>
    <message>
        <source>Reply</source>
        <translation>Antwort</translation>
    </message>
    <message>
        <source>Report</source>
        <translation>Bericht</translation>
    </message>
    <message>
        <source>Requests to the LLM</source>
        <translation>Anfragen an das LLM</translation>
    </message>
    <message>
        <source>Require topics</source>
        <translation>Themen verlangen</translation>
    </message>
    <message>
        <source>Required</source>
        <translation>Nötig</translation>
    </message>
    <message>
        <source>required</source>
        <translation>nötig</translation>
    </message>
    <message>
        <source>Reset</source>
        <translation>Zurücksetzen</translation>
    </message>
    <message>
        <source>reset</source>
        <translation>zurückgesetzt</translation>
    </message>
    <message>
        <source>Reset all</source>
        <translation>Alle zurücksetzen</translation>
    </message>
    <message>
        <source>Reset it</source>
        <translation>Setzen Sie es zurück</translation>
    </message>
    <message>
        <source>Reset layout</source>
        <translation>Anordnung zurücksetzen</translation>
    </message>
    <message>
        <source>Reset the layout of the panes</source>
        <translation>Die Anordnung der Bereiche zurücksetzen</translation>
    </message>
    <message>
        <source>Reset the pack “{0}”</source>
        <translation>Das Paket „{0}“ zurücksetzen</translation>
    </message>
    <message>
        <source>Reset {0}</source>
        <translation>{0} zurücksetzen</translation>
    </message>
    <message>
        <source>Reset…</source>
        <translation>Zurücksetzen…</translation>
    </message>
    <message>
        <source>Resolve</source>
        <translation>Auflösen</translation>
    </message>
    <message>
        <source>Response</source>
        <translation>Antworttext</translation>
    </message>
    <message>
        <source>Restarting</source>
        <translation>Startet neu</translation>
    </message>
    <message>
        <source>Restarts</source>
        <translation>Neustarts</translation>
    </message>
    <message>
        <source>Restore</source>
        <translation>Wiederherstellen</translation>
    </message>
    <message>
        <source>Restore what was before</source>
        <translation>Wiederherstellen, was vorher war</translation>
    </message>
    <message numerus="yes">
        <source>Restore {n}</source>
        <translation>
            <numerusform>Wiederherstellen</numerusform>
            <numerusform>{n} wiederherstellen</numerusform>
        </translation>
    </message>
    <message>
        <source>restored</source>
        <translation>wiederhergestellt</translation>
    </message>
    <message>
        <source>Restored: {0}.</source>
        <translation>Wiederhergestellt: {0}.</translation>
    </message>
    <message>
        <source>Result</source>
        <translation>Ergebnis</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>Fortsetzen</translation>
    </message>
    <message>
        <source>Resume the selected memories</source>
        <translation>Die gewählten Erinnerungen fortsetzen</translation>
    </message>
    <message>
        <source>Resumed</source>
        <translation>Fortgesetzt</translation>
    </message>
    <message>
        <source>resumed</source>
        <translation>fortgesetzt</translation>
    </message>
    <message>
        <source>Retrieval</source>
        <translation>Rang</translation>
    </message>
    <message>
        <source>Reveal</source>
        <translation>Aufdecken</translation>
    </message>
    <message>
        <source>Revert</source>
        <translation>Verwerfen</translation>
    </message>
    <message>
        <source>Review</source>
        <translation>Durchsicht</translation>
    </message>
    <message>
        <source>Revision, length</source>
        <translation>Revision, Länge</translation>
    </message>
    <message>
        <source>Revisions</source>
        <translation>Fassungen</translation>
    </message>
    <message>
        <source>Right</source>
        <translation>Richtig</translation>
    </message>
    <message>
        <source>right</source>
        <translation>richtig</translation>
    </message>
    <message>
        <source>right answer among the first 3</source>
        <translation>richtige Antwort unter den ersten 3</translation>
    </message>
    <message>
        <source>right answer among the first 5</source>
        <translation>richtige Antwort unter den ersten 5</translation>
    </message>
    <message>
        <source>Right answer first</source>
        <translation>Richtige Antwort zuerst</translation>
    </message>
    <message>
        <source>right answer first</source>
        <translation>richtige Antwort zuerst</translation>
    </message>
    <message>
        <source>Right answers; the share answered rightly, or rightly not at all; F1 and calibration error.</source>
        <translation>Richtige Antworten; der Anteil richtig oder zu Recht nicht beantworteter; F1 und Kalibrierungsfehler.</translation>
    </message>
    <message>
        <source>Right at least</source>
        <translation>Richtig mindestens</translation>
    </message>
    <message>
        <source>Right first in {first}, among its hits in {among}.</source>
        <translation>Zuerst richtig in {first}, unter den Treffern in {among}.</translation>
    </message>
    <message>
        <source>Right only</source>
        <translation>Nur richtige</translation>
    </message>
    <message>
        <source>Right, of those with a case</source>
        <translation>Richtig, von denen mit Fall</translation>
    </message>
    <message>
        <source>Right:</source>
        <translation>Rechts:</translation>
    </message>
    <message>
        <source>Right: {title}, query: {query}</source>
        <translation>Rechts: {title}, Anfrage: {query}</translation>
    </message>
    <message>
        <source>rightly</source>
        <translation>Anteil</translation>
    </message>
    <message>
        <source>rightly not answered, where no match is expected</source>
        <translation>zu Recht nicht beantwortet, wo kein Treffer erwartet ist</translation>
    </message>
    <message>
        <source>Rightly unanswered</source>
        <translation>Zu Recht unbeantwortet</translation>
    </message>
    <message>
        <source>Roll-out: {candidate}</source>
        <translation>Einführung: {candidate}</translation>
    </message>
    <message>
        <source>Rollout</source>
        <translation>Einführung</translation>
    </message>
    <message>
        <source>Route</source>
        <translation>Route</translation>
    </message>
    <message>
        <source>Route by the LLM</source>
        <translation>Route durch das LLM</translation>
    </message>
    <message>
        <source>route changes {n}</source>
        <translation>Route wechselt {n}</translation>
    </message>
    <message>
        <source>Route examples are not learned</source>
        <translation>Beispiele für Routen sind nicht gelernt</translation>
    </message>
    <message>
        <source>route takes one of TEXT, --stdin, --metrics, --audit, --clear-cache and --clear-log.</source>
        <translation>route nimmt eines von TEXT, --stdin, --metrics, --audit, --clear-cache und --clear-log.</translation>
    </message>
    <message>
        <source>Route the queries today and as chosen; what the LLM said before is not asked again</source>
        <translation>Die Anfragen wie heute und wie gewählt leiten; was das LLM schon gesagt hat, wird nicht noch einmal gefragt</translation>
    </message>
    <message>
        <source>Route to teach, by a name of your own</source>
        <translation>Beizubringende Route, unter eigenem Namen</translation>
    </message>
    <message>
        <source>Route {0}</source>
        <translation>Route {0}</translation>
    </message>
    <message>
        <source>Route {intent}</source>
        <translation>Route {intent}</translation>
    </message>
    <message>
        <source>Route: {line} ({method})</source>
        <translation>Route: {line} ({method})</translation>
    </message>
    <message>
        <source>Route: {part}</source>
        <translation>Route: {part}</translation>
    </message>
    <message>
        <source>routed</source>
        <translation>zugeordnet</translation>
    </message>
    <message numerus="yes">
        <source>Routed {n} times.</source>
        <translation>
            <numerusform>{n}-mal geroutet.</numerusform>
            <numerusform>{n}-mal geroutet.</numerusform>
        </translation>
    </message>
    <message>
        <source>Routes</source>
        <translation>Routen</translation>
    </message>
    <message>
        <source>Routes are advice here: they are held against targets, and alarms are raised, once a store is set up, or route.has_stores says that there are some. Times are UTC.</source>
        <translation>Routen sind hier nur ein Rat: An Zielen gemessen werden sie, und Alarm gibt es, sobald ein Speicher eingerichtet ist oder route.has_stores sagt, dass es welche gibt. Zeiten sind UTC.</translation>
    </message>
    <message>
        <source>Routes cannot be evaluated yet.</source>
        <translation>Routen können noch nicht ausgewertet werden.</translation>
    </message>
    <message>
        <source>Routes of your own, and what is otherwise of those that ship.</source>
        <translation>Eigene Routen, und was an den mitgelieferten anders ist.</translation>
    </message>
    <message>
        <source>Routes that rules never decide</source>
        <translation>Routen, die Regeln nie entscheiden</translation>
    </message>
    <message>
        <source>routes: by what ships alone</source>
        <translation>Routen: allein nach dem Mitgelieferten</translation>
    </message>
    <message>
        <source>Routing is switched off</source>
        <translation>Routen sind ausgeschaltet</translation>
    </message>
    <message>
        <source>Routing is switched off (route.enabled).</source>
        <translation>Routen sind ausgeschaltet (route.enabled).</translation>
    </message>
    <message>
        <source>Routing stands still</source>
        <translation>Die Routen stehen still</translation>
    </message>
    <message>
        <source>Rows are expected, columns given; labels with the most mistakes come first.</source>
        <translation>Zeilen sind erwartet, Spalten gegeben; Labels mit den meisten Fehlern stehen zuerst.</translation>
    </message>
    <message>
        <source>Rows of the library are damaged and left out: {named}. The rest is used and can be exported.</source>
        <translation>Zeilen der Bibliothek sind beschädigt und ausgelassen: {named}. Der Rest wird verwendet und kann exportiert werden.</translation>
    </message>
    <message>
        <source>Rule</source>
        <translation>Regel</translation>
    </message>
    <message>
        <source>rule</source>
        <translation>Regel</translation>
    </message>
    <message>
        <source>Rule confidence</source>
        <translation>Konfidenz der Regel</translation>
    </message>
    <message>
        <source>Rule packs (*.toml)</source>
        <translation>Regelpakete (*.toml)</translation>
    </message>
    <message>
        <source>rule {rule} does not fire any more</source>
        <translation>Regel {rule} greift nicht mehr</translation>
    </message>
    <message>
        <source>rule {rule} fires now</source>
        <translation>Regel {rule} greift jetzt</translation>
    </message>
    <message>
        <source>Rule {rule} is left out. {error}</source>
        <translation>Regel {rule} ist ausgelassen. {error}</translation>
    </message>
    <message>
        <source>Rule {rule} is left out: {why}</source>
        <translation>Regel {rule} wird ausgelassen: {why}</translation>
    </message>
    <message>
        <source>Rules</source>
        <translation>Regeln</translation>
    </message>
    <message>
        <source>Rules alone are tried: examples may decide otherwise.</source>
        <translation>Nur Regeln werden probiert: Beispiele können anders entscheiden.</translation>
    </message>
    <message>
        <source>Rules and cases</source>
        <translation>Regeln und Fälle</translation>
    </message>
    <message>
        <source>rules and labels</source>
        <translation>Regeln und Labels</translation>
    </message>
    <message>
        <source>Rules and LLM</source>
        <translation>Regeln und LLM</translation>
    </message>
    <message>
        <source>rules and LLM</source>
        <translation>Regeln und LLM</translation>
    </message>
    <message>
        <source>rules and taught examples only</source>
        <translation>nur Regeln und Beispiele</translation>
    </message>
    <message>
        <source>Rules are off.</source>
        <translation>Regeln sind aus.</translation>
    </message>
    <message>
        <source>Rules as today</source>
        <translation>Regeln wie heute</translation>
    </message>
    <message>
        <source>Rules decide from this confidence on.</source>
        <translation>Regeln entscheiden ab dieser Konfidenz.</translation>
    </message>
    <message numerus="yes">
        <source>Rules decide from {threshold} on; the surest rules of {n} routes stay below.</source>
        <translation>
            <numerusform>Regeln entscheiden ab {threshold}; die sicherste Regel von {n} Route bleibt darunter.</numerusform>
            <numerusform>Regeln entscheiden ab {threshold}; die sichersten Regeln von {n} Routen bleiben darunter.</numerusform>
        </translation>
    </message>
    <message>
        <source>Rules decide only {share} of the queries; 001 expects 60 % at least.</source>
        <translation>Regeln entscheiden nur {share} der Anfragen; 001 erwartet mindestens 60 %.</translation>
    </message>
    <message>
        <source>Rules for “{name}” match ({cues}), but {policy} picks “{winner}” by {others}, which comes first in the fixed order.</source>
        <translation>Regeln für „{name}“ treffen ({cues}), aber {policy} wählt „{winner}“ durch {others}, das in der festen Reihenfolge zuerst kommt.</translation>
    </message>
    <message>
        <source>Rules for “{name}” match ({cues}), but {policy} picks “{winner}” by {others}: {theirs} against {mine}.</source>
        <translation>Regeln für „{name}“ treffen ({cues}), aber {policy} wählt „{winner}“ durch {others}: {theirs} gegen {mine}.</translation>
    </message>
    <message>
        <source>Rules from 0.85</source>
        <translation>Regeln ab 0.85</translation>
    </message>
    <message>
        <source>Rules from 0.90</source>
        <translation>Regeln ab 0.90</translation>
    </message>
    <message>
        <source>Rules from 0.95</source>
        <translation>Regeln ab 0.95</translation>
    </message>
    <message>
        <source>Rules on the other side</source>
        <translation>Regeln auf der anderen Seite</translation>
    </message>
    <message>
        <source>Rules say</source>
        <translation>Regeln sagen</translation>
    </message>
    <message>
        <source>Rules that are shadowed</source>
        <translation>Regeln im Schatten anderer</translation>
    </message>
    <message>
        <source>Rules that are too broad</source>
        <translation>Zu weite Regeln</translation>
    </message>
    <message>
        <source>Rules that never fire</source>
        <translation>Regeln, die nie greifen</translation>
    </message>
    <message>
        <source>Rules that nobody’s queries need</source>
        <translation>Regeln, die keine Anfrage braucht</translation>
    </message>
    <message>
        <source>Rules that say the same</source>
        <translation>Regeln, die dasselbe sagen</translation>
    </message>
    <message>
        <source>Rules with a broken pattern</source>
        <translation>Regeln mit kaputtem Muster</translation>
    </message>
    <message>
        <source>Rules, where they matched</source>
        <translation>Regeln, wo sie trafen</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>Ausführen</translation>
    </message>
    <message>
        <source>run</source>
        <translation>Lauf</translation>
    </message>
    <message>
        <source>Run again</source>
        <translation>Noch einmal</translation>
    </message>
    <message>
        <source>Run all</source>
        <translation>Alle prüfen</translation>
    </message>
    <message>
        <source>Run all cases that are shown</source>
        <translation>Alle gezeigten Fälle prüfen</translation>
    </message>
    <message>
        <source>Run has the stores answer that the decision leads to; Compare all asks the others, too.</source>
        <translation>„Ausführen“ lässt die Speicher antworten, zu denen die Entscheidung führt; „Alle vergleichen“ fragt auch die anderen.</translation>
    </message>
    <message>
        <source>Run selected</source>
        <translation>Gewählte prüfen</translation>
    </message>
    <message>
        <source>Run the selected cases</source>
        <translation>Die gewählten Fälle prüfen</translation>
    </message>
    <message>
        <source>Run the set-up again to restore it.</source>
        <translation>Führen Sie die Einrichtung noch einmal aus, um sie wiederherzustellen.</translation>
    </message>
    <message>
        <source>Run {key} holds none of these cases.</source>
        <translation>Lauf {key} enthält keinen dieser Fälle.</translation>
    </message>
    <message>
        <source>Run {key} is of another task: {task} is asked for.</source>
        <translation>Lauf {key} gehört zu einer anderen Aufgabe: gefragt ist {task}.</translation>
    </message>
    <message>
        <source>Run {key} was forgotten for good.</source>
        <translation>Lauf {key} wurde endgültig vergessen.</translation>
    </message>
    <message>
        <source>Running</source>
        <translation>Läuft</translation>
    </message>
    <message>
        <source>Running powers</source>
        <translation>Laufende Fähigkeiten</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>Läufe</translation>
    </message>
    <message>
        <source>Runs for</source>
        <translation>Läuft seit</translation>
    </message>
    <message>
        <source>runs nothing now: this program is not found, and you are asked again once it is</source>
        <translation>startet gerade nichts: Dieses Programm wird nicht gefunden; Sie werden wieder gefragt, sobald es da ist</translation>
    </message>
    <message>
        <source>Runs on</source>
        <translation>Läuft auf</translation>
    </message>
    <message>
        <source>runs {program}</source>
        <translation>startet {program}</translation>
    </message>
    <message>
        <source>runs {program}, which is {real}</source>
        <translation>startet {program}, das ist {real}</translation>
    </message>
    <message>
        <source>safe choice</source>
        <translation>sichere Wahl</translation>
    </message>
    <message>
        <source>said again</source>
        <translation>schon gesagt</translation>
    </message>
    <message>
        <source>Same</source>
        <translation>Dieselbe</translation>
    </message>
    <message>
        <source>Same topics</source>
        <translation>Gleiche Themen</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>Speichern</translation>
    </message>
    <message>
        <source>Save (Ctrl+S)</source>
        <translation>Speichern (Strg+S)</translation>
    </message>
    <message>
        <source>Save the library there</source>
        <translation>Bibliothek dort speichern</translation>
    </message>
    <message>
        <source>Save the library to a folder</source>
        <translation>Die Bibliothek in einen Ordner speichern</translation>
    </message>
    <message>
        <source>Save the library to a folder of text files</source>
        <translation>Die Bibliothek in einen Ordner von Textdateien speichern</translation>
    </message>
    <message>
        <source>Save the library to the linked folder</source>
        <translation>Die Bibliothek in den verknüpften Ordner speichern</translation>
    </message>
    <message>
        <source>Save the power first, then start it here.</source>
        <translation>Speichern Sie zuerst die Fähigkeit, dann starten Sie sie hier.</translation>
    </message>
    <message>
        <source>Save the power that is edited</source>
        <translation>Die bearbeitete Fähigkeit speichern</translation>
    </message>
    <message>
        <source>Save the report</source>
        <translation>Den Bericht speichern</translation>
    </message>
    <message>
        <source>Save the rule (Ctrl+S)</source>
        <translation>Die Regel speichern (Strg+S)</translation>
    </message>
    <message>
        <source>Save the rule that is being edited</source>
        <translation>Die bearbeitete Regel speichern</translation>
    </message>
    <message>
        <source>Save the rule that is being edited, on the rules page</source>
        <translation>Die bearbeitete Regel speichern, auf der Seite Regeln</translation>
    </message>
    <message>
        <source>Save to the folder</source>
        <translation>In den Ordner speichern</translation>
    </message>
    <message>
        <source>Save: {0}</source>
        <translation>Speichern: {0}</translation>
    </message>
    <message>
        <source>Saved as {0}.</source>
        <translation>Gespeichert als {0}.</translation>
    </message>
    <message>
        <source>Saved the case “{name}”.</source>
        <translation>Fall „{name}“ gespeichert.</translation>
    </message>
    <message>
        <source>Saved {n} things to {name}: {changed}.</source>
        <translation>{n} Sachen in {name} gespeichert: {changed}.</translation>
    </message>
    <message>
        <source>Saved “{id}”. It counts from now on.</source>
        <translation>„{id}“ gespeichert. Sie zählt von jetzt an.</translation>
    </message>
    <message>
        <source>Saved “{name}”.</source>
        <translation>„{name}“ gespeichert.</translation>
    </message>
    <message>
        <source>Save…</source>
        <translation>Speichern…</translation>
    </message>
    <message>
        <source>Saving to {name}: {n} of {m} things</source>
        <translation>{name} wird gespeichert: {n} von {m} Sachen</translation>
    </message>
    <message>
        <source>Saving turns no case.</source>
        <translation>Speichern kippt keinen Fall.</translation>
    </message>
    <message>
        <source>Saving turns {right} right and {wrong} wrong.</source>
        <translation>Speichern macht {right} richtig und {wrong} falsch.</translation>
    </message>
    <message>
        <source>Say by a digit which route is right</source>
        <translation>Mit einer Ziffer sagen, welche Route richtig ist</translation>
    </message>
    <message>
        <source>say it with --kind</source>
        <translation>sagen Sie es mit --kind</translation>
    </message>
    <message>
        <source>Say on the scope where the answer that was expected is lost (E)</source>
        <translation>Im Scope sagen, wo die erwartete Antwort verloren ging (E)</translation>
    </message>
    <message>
        <source>Say that no answer is right for the query</source>
        <translation>Sagen, dass keine Antwort auf die Anfrage richtig ist</translation>
    </message>
    <message>
        <source>Say what is to be changed; an empty field stays as it is.</source>
        <translation>Sagen Sie, was geändert werden soll; ein leeres Feld bleibt, wie es ist.</translation>
    </message>
    <message>
        <source>say what would be added and changed, and change nothing</source>
        <translation>sagen, was hinzugefügt und geändert würde, und nichts ändern</translation>
    </message>
    <message>
        <source>Say where it was lost (Enter)</source>
        <translation>Sagen, wo es verloren ging (Eingabe)</translation>
    </message>
    <message>
        <source>Say where the answer that was expected is lost</source>
        <translation>Sagen, wo die erwartete Antwort verloren ging</translation>
    </message>
    <message>
        <source>Say where the expected answer was lost</source>
        <translation>Sagen, wo die erwartete Antwort verloren ging</translation>
    </message>
    <message>
        <source>Say which column is which with --columns HEADING=COLUMN.</source>
        <translation>Sagen Sie mit --columns HEADING=COLUMN, welche Spalte welche ist.</translation>
    </message>
    <message>
        <source>say which copies are kept, the newest first</source>
        <translation>sagen, welche Kopien vorliegen, die neueste zuerst</translation>
    </message>
    <message>
        <source>Say which data store should answer a query.</source>
        <translation>Sagen, welcher Datenspeicher eine Anfrage beantworten soll.</translation>
    </message>
    <message>
        <source>say which version this is</source>
        <translation>sagen, welche Version das ist</translation>
    </message>
    <message>
        <source>Say why the expected answer did not come (Ctrl+E)</source>
        <translation>Sagen, warum die erwartete Antwort nicht kam (Strg+E)</translation>
    </message>
    <message>
        <source>Say why the expected answer did not come, or go back</source>
        <translation>Sagen, warum die erwartete Antwort nicht kam, oder zurück</translation>
    </message>
    <message>
        <source>Say why the query in front was not answered as expected, in the inbox</source>
        <translation>Sagen, warum die vorderste Anfrage nicht wie erwartet beantwortet wurde, im Eingang</translation>
    </message>
    <message>
        <source>Say why the selected case fails</source>
        <translation>Sagen, warum der gewählte Fall scheitert</translation>
    </message>
    <message>
        <source>Say why the selected past query was not answered as expected</source>
        <translation>Sagen, warum die gewählte frühere Anfrage nicht wie erwartet beantwortet wurde</translation>
    </message>
    <message>
        <source>Say yes to what a power runs, which is shown word for word first.</source>
        <translation>Dem zustimmen, was eine Fähigkeit startet; es wird zuvor Wort für Wort gezeigt.</translation>
    </message>
    <message>
        <source>Says</source>
        <translation>Sagt</translation>
    </message>
    <message>
        <source>says that they are none.</source>
        <translation>sagt, dass es keiner ist.</translation>
    </message>
    <message>
        <source>Scaled</source>
        <translation>Anteilig</translation>
    </message>
    <message>
        <source>scales or weights were fitted anew</source>
        <translation>Skalen oder Gewichte wurden neu angepasst</translation>
    </message>
    <message>
        <source>Scope</source>
        <translation>Scope</translation>
    </message>
    <message>
        <source>Score</source>
        <translation>Bewerten</translation>
    </message>
    <message>
        <source>Score from</source>
        <translation>Bewerten ab</translation>
    </message>
    <message>
        <source>Score queries against these tools instead of those that are stored; Ctrl+Z takes it back</source>
        <translation>Anfragen nach diesen Werkzeugen bewerten statt nach den gespeicherten; Strg+Z nimmt es zurück</translation>
    </message>
    <message>
        <source>Scorers, ms: {times}</source>
        <translation>Scorer, ms: {times}</translation>
    </message>
    <message>
        <source>scores</source>
        <translation>Scores</translation>
    </message>
    <message>
        <source>Scores and combinations</source>
        <translation>Scores und Kombinationen</translation>
    </message>
    <message>
        <source>Scroll to the rows below</source>
        <translation>Zu den Zeilen darunter rollen</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>Suchen</translation>
    </message>
    <message>
        <source>Search finds triggers that are the same, or nearly so, under one answer or under several.</source>
        <translation>Die Suche findet Auslöser, die gleich oder beinahe gleich sind, unter einer Antwort oder unter mehreren.</translation>
    </message>
    <message>
        <source>Search for fewer.</source>
        <translation>Suchen Sie nach weniger.</translation>
    </message>
    <message>
        <source>Search for less, or clear what is sifted by.</source>
        <translation>Suchen Sie nach weniger, oder leeren Sie das Sieb.</translation>
    </message>
    <message>
        <source>Search for one word of its name or sentence.</source>
        <translation>Suchen Sie nach einem Wort ihres Namens oder Satzes.</translation>
    </message>
    <message>
        <source>Search keys</source>
        <translation>Tasten suchen</translation>
    </message>
    <message>
        <source>Search keys by what they do, or by the key</source>
        <translation>Tasten suchen, nach ihrer Wirkung oder nach der Taste</translation>
    </message>
    <message>
        <source>Search names, words and tools</source>
        <translation>Namen, Worte und Werkzeuge durchsuchen</translation>
    </message>
    <message>
        <source>Search queries and answers</source>
        <translation>Anfragen und Antworten durchsuchen</translation>
    </message>
    <message>
        <source>Search settings</source>
        <translation>Einstellungen suchen</translation>
    </message>
    <message>
        <source>Search settings by name, sentence or variable</source>
        <translation>Einstellungen nach Name, Satz oder Variable suchen</translation>
    </message>
    <message>
        <source>Search the help</source>
        <translation>Die Hilfe durchsuchen</translation>
    </message>
    <message>
        <source>Search, one query at a time, nothing started</source>
        <translation>Suche, eine Anfrage nach der anderen, nichts gestartet</translation>
    </message>
    <message>
        <source>Searching {stores} goes least wrong where nothing is known.</source>
        <translation>Wo nichts bekannt ist, geht die Suche in {stores} am wenigsten fehl.</translation>
    </message>
    <message>
        <source>Secrets are kept in the keyring of the system ({backend}).</source>
        <translation>Geheimnisse liegen im Schlüsselbund des Systems ({backend}).</translation>
    </message>
    <message>
        <source>Sections</source>
        <translation>Abschnitte</translation>
    </message>
    <message>
        <source>See the server&apos;s log: the model may be too large for its memory, or damaged.</source>
        <translation>Sehen Sie ins Protokoll des Servers: das Modell kann zu groß für seinen Speicher oder beschädigt sein.</translation>
    </message>
    <message>
        <source>Seen</source>
        <translation>Gesehen</translation>
    </message>
    <message>
        <source>Seen in what was asked so far; another query may show otherwise.</source>
        <translation>Gesehen an dem, was bisher gefragt wurde; eine weitere Anfrage kann es anders zeigen.</translation>
    </message>
    <message>
        <source>Select a memory first.</source>
        <translation>Wählen Sie zuerst eine Erinnerung.</translation>
    </message>
    <message>
        <source>Select a pack first.</source>
        <translation>Wählen Sie zuerst ein Paket.</translation>
    </message>
    <message>
        <source>Select a power first, on the powers page or among the matches.</source>
        <translation>Wählen Sie zuerst eine Fähigkeit, auf der Seite Fähigkeiten oder unter den Treffern.</translation>
    </message>
    <message>
        <source>Select one in the list to see its words and its server.</source>
        <translation>Wählen Sie eine in der Liste, um ihre Worte und ihren Server zu sehen.</translation>
    </message>
    <message>
        <source>Select one to edit and try it. Add one, or duplicate a shipped one to make it your own.</source>
        <translation>Wählen Sie eine, um sie zu bearbeiten und zu proben. Legen Sie eine an, oder verdoppeln Sie eine mitgelieferte, um sie zu Ihrer zu machen.</translation>
    </message>
    <message>
        <source>Select one to see how it came about.</source>
        <translation>Wählen Sie eine, um zu sehen, wie sie zustande kam.</translation>
    </message>
    <message>
        <source>Select one to see it closely, or several to change them at once.</source>
        <translation>Wählen Sie eine, um sie genau zu sehen, oder mehrere, um sie auf einmal zu ändern.</translation>
    </message>
    <message>
        <source>Select one to see what was made of it.</source>
        <translation>Wählen Sie eine, um zu sehen, was aus ihr gemacht wurde.</translation>
    </message>
    <message>
        <source>Select the next or the previous match, from the query</source>
        <translation>Von der Anfrage aus den nächsten oder vorigen Treffer wählen</translation>
    </message>
    <message>
        <source>Selected</source>
        <translation>Gewählt</translation>
    </message>
    <message>
        <source>Selected match</source>
        <translation>Gewählter Treffer</translation>
    </message>
    <message>
        <source>Selection</source>
        <translation>Auswahl</translation>
    </message>
    <message>
        <source>Semantic</source>
        <translation>Semantik</translation>
    </message>
    <message>
        <source>semantic-router routes</source>
        <translation>Routen von semantic-router</translation>
    </message>
    <message>
        <source>send it nothing; with --llm, what it said before counts</source>
        <translation>ihm nichts senden; mit --llm zählt, was es früher sagte</translation>
    </message>
    <message>
        <source>sent</source>
        <translation>gesendet</translation>
    </message>
    <message>
        <source>Sentence-transformers</source>
        <translation>Sentence-transformers</translation>
    </message>
    <message>
        <source>sentence-transformers cannot be loaded</source>
        <translation>sentence-transformers kann nicht geladen werden</translation>
    </message>
    <message>
        <source>sentence-transformers is not installed. Install it on the Settings page, or with “python packaging/develop.py run --with sentence-transformers”.</source>
        <translation>sentence-transformers ist nicht installiert. Installieren Sie es auf der Seite Einstellungen, oder mit „python packaging/develop.py run --with sentence-transformers“.</translation>
    </message>
    <message>
        <source>Serve /metrics on this loopback port; 0: not at all.</source>
        <translation>/metrics auf diesem lokalen Port bereitstellen; 0: gar nicht.</translation>
    </message>
    <message>
        <source>Serve on port {0}</source>
        <translation>Auf Port {0} bereitstellen</translation>
    </message>
    <message>
        <source>Served for Prometheus at http://127.0.0.1:{port}/metrics.</source>
        <translation>Bereitgestellt für Prometheus auf http://127.0.0.1:{port}/metrics.</translation>
    </message>
    <message>
        <source>Served in any tier</source>
        <translation>Bedient, gleich welche Stufe</translation>
    </message>
    <message>
        <source>Server</source>
        <translation>Server</translation>
    </message>
    <message>
        <source>Server and model</source>
        <translation>Server und Modell</translation>
    </message>
    <message>
        <source>Servers</source>
        <translation>Server</translation>
    </message>
    <message>
        <source>Servers…</source>
        <translation>Server …</translation>
    </message>
    <message>
        <source>set</source>
        <translation>gesetzt</translation>
    </message>
    <message>
        <source>Set an address and a model. Until then keywords and examples decide alone.</source>
        <translation>Setzen Sie eine Adresse und ein Modell. Bis dahin entscheiden Stichwörter und Beispiele allein.</translation>
    </message>
    <message>
        <source>Set another threshold, or take another combination.</source>
        <translation>Setzen Sie eine andere Schwelle, oder nehmen Sie eine andere Kombination.</translation>
    </message>
    <message>
        <source>Set aside</source>
        <translation>Beiseitegelegt</translation>
    </message>
    <message>
        <source>Set aside; these would be among the first</source>
        <translation>Beiseitegelegt; diese wären unter den ersten</translation>
    </message>
    <message>
        <source>Set beside each other what rules, LLM and cases say of a sample</source>
        <translation>Nebeneinanderstellen, was Regeln, LLM und Fälle von einer Stichprobe sagen</translation>
    </message>
    <message>
        <source>Set by the environment ({names}), which wins over a choice made here.</source>
        <translation>Von der Umgebung gesetzt ({names}); das geht einer Wahl hier vor.</translation>
    </message>
    <message>
        <source>Set by the {where}, which wins over a choice made here.</source>
        <translation>Gesetzt durch: {where}; das geht einer Wahl hier vor.</translation>
    </message>
    <message>
        <source>Set here</source>
        <translation>Hier gesetzt</translation>
    </message>
    <message>
        <source>Set llm.url to the address of an Ollama server, such as http://127.0.0.1:11434.</source>
        <translation>Setzen Sie llm.url auf die Adresse eines Ollama-Servers, wie http://127.0.0.1:11434.</translation>
    </message>
    <message>
        <source>Set on the command line (--set), which wins over a choice made here.</source>
        <translation>Auf der Befehlszeile gesetzt (--set); das geht einer Wahl hier vor.</translation>
    </message>
    <message>
        <source>Set side by side</source>
        <translation>Nebeneinanderstellen</translation>
    </message>
    <message>
        <source>Set success back to 0.500</source>
        <translation>Erfolg auf 0.500 zurücksetzen</translation>
    </message>
    <message>
        <source>Set the merge policies side by side, or go back</source>
        <translation>Die Arten des Zusammenführens nebeneinanderstellen, oder zurück</translation>
    </message>
    <message>
        <source>Set the two presets side by side, or go back</source>
        <translation>Die beiden Vorgaben nebeneinanderstellen, oder zurück</translation>
    </message>
    <message>
        <source>set this; a key or words without = list what has them</source>
        <translation>dies setzen; ein Schlüssel oder Wörter ohne = listen, was sie hat</translation>
    </message>
    <message>
        <source>Set thresholds…</source>
        <translation>Schwellen setzen …</translation>
    </message>
    <message>
        <source>Set two combinations side by side</source>
        <translation>Zwei Kombinationen nebeneinanderstellen</translation>
    </message>
    <message>
        <source>set up a route of your own</source>
        <translation>eine eigene Route einrichten</translation>
    </message>
    <message>
        <source>Set up a route of your own, with the stores that answer</source>
        <translation>Eine eigene Route einrichten, mit den Speichern, die antworten</translation>
    </message>
    <message>
        <source>set up those of a TOML file</source>
        <translation>die einer TOML-Datei einrichten</translation>
    </message>
    <message>
        <source>Set up …</source>
        <translation>Einrichten …</translation>
    </message>
    <message>
        <source>Set {0}</source>
        <translation>{0} setzen</translation>
    </message>
    <message>
        <source>Set {changes}</source>
        <translation>{changes} setzen</translation>
    </message>
    <message>
        <source>Set {changes}.</source>
        <translation>{changes} gesetzt.</translation>
    </message>
    <message>
        <source>Set {settings}</source>
        <translation>{settings} setzen</translation>
    </message>
    <message>
        <source>setting {key} ({before}, now {after})</source>
        <translation>Einstellung {key} ({before}, jetzt {after})</translation>
    </message>
    <message>
        <source>Setting: {title}</source>
        <translation>Einstellung: {title}</translation>
    </message>
    <message>
        <source>Setting: {title} ({section})</source>
        <translation>Einstellung: {title} ({section})</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>Einstellungen</translation>
    </message>
    <message>
        <source>Settings file</source>
        <translation>Einstellungsdatei</translation>
    </message>
    <message>
        <source>settings takes either KEY=VALUE or --reset.</source>
        <translation>settings nimmt entweder KEY=VALUE oder --reset.</translation>
    </message>
    <message>
        <source>Settings that were not at their defaults</source>
        <translation>Einstellungen, die nicht auf dem Standard standen</translation>
    </message>
    <message>
        <source>settings together: {keys}</source>
        <translation>Einstellungen zusammen: {keys}</translation>
    </message>
    <message>
        <source>Settled ms</source>
        <translation>Fertig ms</translation>
    </message>
    <message>
        <source>settled {ms} ms</source>
        <translation>fertig in {ms} ms</translation>
    </message>
    <message>
        <source>Several</source>
        <translation>Mehrere</translation>
    </message>
    <message>
        <source>Several in the bin are called so. Say by its step which: {choices}.</source>
        <translation>Mehrere im Papierkorb heißen so. Sagen Sie mit dem Schritt, was gemeint ist: {choices}.</translation>
    </message>
    <message>
        <source>Several matches</source>
        <translation>Mehrere Treffer</translation>
    </message>
    <message>
        <source>Several routes matched ({joined})</source>
        <translation>Mehrere Routen trafen ({joined})</translation>
    </message>
    <message>
        <source>Several settings…</source>
        <translation>Mehrere Einstellungen…</translation>
    </message>
    <message>
        <source>Several stores, and nothing says which: all of them.</source>
        <translation>Mehrere Speicher, und nichts sagt welcher: alle.</translation>
    </message>
    <message>
        <source>Shaded: within the target. Dashed: where it is an alarm. Times are UTC.</source>
        <translation>Schattiert: im Ziel. Gestrichelt: ab hier ein Alarm. Zeiten sind UTC.</translation>
    </message>
    <message>
        <source>Share</source>
        <translation>Anteil</translation>
    </message>
    <message>
        <source>share</source>
        <translation>Anteil</translation>
    </message>
    <message>
        <source>Share of strangers</source>
        <translation>Anteil Fremder</translation>
    </message>
    <message>
        <source>share of the right answers among the first 10</source>
        <translation>Anteil der richtigen Antworten unter den ersten 10</translation>
    </message>
    <message>
        <source>shared as {author}</source>
        <translation>geteilt als {author}</translation>
    </message>
    <message>
        <source>shared as {author} ({role})</source>
        <translation>geteilt als {author} ({role})</translation>
    </message>
    <message>
        <source>shared words</source>
        <translation>gemeinsame Wörter</translation>
    </message>
    <message>
        <source>Shared words, the rare ones above all.</source>
        <translation>Gemeinsame Wörter, vor allem die seltenen.</translation>
    </message>
    <message>
        <source>Shared words.</source>
        <translation>Gemeinsame Wörter.</translation>
    </message>
    <message>
        <source>Shares are of the {judged} requests that ended and were not cancelled.</source>
        <translation>Anteile beziehen sich auf die {judged} Anfragen, die endeten und nicht abgebrochen wurden.</translation>
    </message>
    <message>
        <source>shipped</source>
        <translation>mitgeliefert</translation>
    </message>
    <message>
        <source>ships with the program</source>
        <translation>kommt mit dem Programm</translation>
    </message>
    <message>
        <source>Show</source>
        <translation>Zeigen</translation>
    </message>
    <message>
        <source>Show all</source>
        <translation>Alle zeigen</translation>
    </message>
    <message>
        <source>Show all again</source>
        <translation>Wieder alle zeigen</translation>
    </message>
    <message>
        <source>Show on the page of routes how this came about</source>
        <translation>Auf der Seite der Routen zeigen, wie das zustande kam</translation>
    </message>
    <message>
        <source>Show settings file…</source>
        <translation>Einstellungsdatei zeigen…</translation>
    </message>
    <message>
        <source>Show the history of the selected memory</source>
        <translation>Die Geschichte der gewählten Erinnerung zeigen</translation>
    </message>
    <message>
        <source>Show the last steps, and undo them</source>
        <translation>Die letzten Schritte zeigen und rückgängig machen</translation>
    </message>
    <message>
        <source>Show the lines</source>
        <translation>Zeilen zeigen</translation>
    </message>
    <message>
        <source>Show the lines that are left out</source>
        <translation>Die ausgelassenen Zeilen zeigen</translation>
    </message>
    <message>
        <source>Show the lines that the last import left out</source>
        <translation>Die Zeilen zeigen, die der letzte Import ausließ</translation>
    </message>
    <message>
        <source>Show the log</source>
        <translation>Das Protokoll zeigen</translation>
    </message>
    <message>
        <source>Show the pane {0} over the matches, or close it (F4)</source>
        <translation>Den Bereich {0} über den Treffern zeigen oder schließen (F4)</translation>
    </message>
    <message>
        <source>Show the raw prompt and the raw reply</source>
        <translation>Rohen Prompt und rohe Antwort zeigen</translation>
    </message>
    <message>
        <source>Show the server of the power</source>
        <translation>Den Server der Fähigkeit zeigen</translation>
    </message>
    <message>
        <source>Show the values, until you leave this power</source>
        <translation>Die Werte zeigen, bis Sie diese Fähigkeit verlassen</translation>
    </message>
    <message>
        <source>show this help message and exit</source>
        <translation>diese Hilfe zeigen und enden</translation>
    </message>
    <message>
        <source>Show what differs</source>
        <translation>Unterschiede zeigen</translation>
    </message>
    <message>
        <source>Show what differs between the library and its folder</source>
        <translation>Zeigen, worin sich Bibliothek und Ordner unterscheiden</translation>
    </message>
    <message>
        <source>Show what is not at its default</source>
        <translation>Zeigen, was nicht auf dem Standard steht</translation>
    </message>
    <message>
        <source>Show what the policy in force makes of it, alone</source>
        <translation>Zeigen, was die geltende Art allein daraus macht</translation>
    </message>
    <message>
        <source>Show what this line tells as a picture (F3)</source>
        <translation>Als Bild zeigen, was diese Zeile sagt (F3)</translation>
    </message>
    <message>
        <source>Show where the time went as pictures, or in one line</source>
        <translation>Als Bilder oder in einer Zeile zeigen, wohin die Zeit ging</translation>
    </message>
    <message>
        <source>Show {0}</source>
        <translation>{0} zeigen</translation>
    </message>
    <message numerus="yes">
        <source>Show {n} lines</source>
        <translation>
            <numerusform>{n} Zeile zeigen</numerusform>
            <numerusform>{n} Zeilen zeigen</numerusform>
        </translation>
    </message>
    <message>
        <source>Shown as a weak match from this confidence on; below, nothing is found.</source>
        <translation>Als schwacher Treffer gezeigt ab dieser Konfidenz; darunter ist nichts gefunden.</translation>
    </message>
    <message>
        <source>Side by side</source>
        <translation>Nebeneinander</translation>
    </message>
    <message>
        <source>Sift by {0}</source>
        <translation>Nach {0} sieben</translation>
    </message>
    <message>
        <source>Similar meaning of one trigger.</source>
        <translation>Ähnliche Bedeutung eines Auslösers.</translation>
    </message>
    <message>
        <source>Similar meaning to a description of several paragraphs as a whole; else as Semantic.</source>
        <translation>Ähnliche Bedeutung wie eine Beschreibung aus mehreren Absätzen als Ganzes; sonst wie Semantik.</translation>
    </message>
    <message>
        <source>Similar meaning to all that is taught under one answer.</source>
        <translation>Ähnliche Bedeutung wie alles, was unter einer Antwort beigebracht ist.</translation>
    </message>
    <message>
        <source>Similar spelling, whatever the order of the words.</source>
        <translation>Ähnliche Schreibweise, in welcher Wortfolge auch immer.</translation>
    </message>
    <message>
        <source>simulate takes either a file or --cases.</source>
        <translation>simulate nimmt entweder eine Datei oder --cases.</translation>
    </message>
    <message>
        <source>Simulator</source>
        <translation>Simulator</translation>
    </message>
    <message>
        <source>since it was taught</source>
        <translation>seit sie gelernt ist</translation>
    </message>
    <message>
        <source>Since run {key} of {time}</source>
        <translation>Seit Lauf {key} vom {time}</translation>
    </message>
    <message>
        <source>size of texts</source>
        <translation>Größe der Texte</translation>
    </message>
    <message>
        <source>Skip</source>
        <translation>Überspringen</translation>
    </message>
    <message>
        <source>skip line {line}: {problem}</source>
        <translation>Zeile {line} übersprungen: {problem}</translation>
    </message>
    <message>
        <source>Skipped</source>
        <translation>Übersprungen</translation>
    </message>
    <message>
        <source>skipped</source>
        <translation>übersprungen</translation>
    </message>
    <message>
        <source>sky blue</source>
        <translation>himmelblau</translation>
    </message>
    <message>
        <source>Smallest changes that would keep it out</source>
        <translation>Kleinste Änderungen, die es fernhielten</translation>
    </message>
    <message>
        <source>Smallest changes that would win it</source>
        <translation>Kleinste Änderungen, mit denen es gewänne</translation>
    </message>
    <message>
        <source>so many cases at most</source>
        <translation>höchstens so viele Fälle</translation>
    </message>
    <message>
        <source>So many days steps can be undone, and deleted things put back.</source>
        <translation>So viele Tage lassen sich Schritte rückgängig machen und Gelöschtes zurückholen.</translation>
    </message>
    <message>
        <source>so many days, today among them</source>
        <translation>so viele Tage, den heutigen eingeschlossen</translation>
    </message>
    <message>
        <source>so many decisions of the log, the newest</source>
        <translation>so viele Entscheidungen des Protokolls, die neuesten</translation>
    </message>
    <message>
        <source>So many evaluations are kept to compare with, the newest; 0 keeps none, nor those of before.</source>
        <translation>So viele Auswertungen werden zum Vergleich aufgehoben, die neuesten; 0 hebt keine auf, auch keine früheren.</translation>
    </message>
    <message>
        <source>so many findings at most</source>
        <translation>höchstens so viele Funde</translation>
    </message>
    <message>
        <source>So many lines are kept of which memories assistants were told, the newest; 0 keeps none from now on.</source>
        <translation>So viele Zeilen werden darüber aufbewahrt, welche Erinnerungen Assistenten genannt wurden, die neuesten; 0 bewahrt von nun an keine auf.</translation>
    </message>
    <message>
        <source>So many memories are found on the servers for a query.</source>
        <translation>So viele Erinnerungen werden für eine Anfrage auf den Servern gefunden.</translation>
    </message>
    <message>
        <source>So many of a hundred queries, by their hash, go by the candidate&apos;s settings; 0: none.</source>
        <translation>So viele von hundert Anfragen gehen, nach ihrem Hash, nach den Einstellungen des Kandidaten; 0: keine.</translation>
    </message>
    <message>
        <source>so many of a hundred queries, such as 10, 50 or 100; 0 goes back</source>
        <translation>so viele von hundert Anfragen, etwa 10, 50 oder 100; 0 geht zurück</translation>
    </message>
    <message>
        <source>So many of the best answers it chooses among.</source>
        <translation>Unter so vielen der besten Antworten wählt es.</translation>
    </message>
    <message>
        <source>So many powers may run at once; the one that was idle for longest makes room.</source>
        <translation>So viele Fähigkeiten dürfen gleichzeitig laufen; die am längsten untätige macht Platz.</translation>
    </message>
    <message>
        <source>So many queries are kept; the oldest beyond them are forgotten.</source>
        <translation>So viele Anfragen werden behalten; die ältesten darüber werden vergessen.</translation>
    </message>
    <message>
        <source>so many queries at most</source>
        <translation>höchstens so viele Anfragen</translation>
    </message>
    <message>
        <source>So many requests to the LLM may run at once.</source>
        <translation>So viele Anfragen an das LLM dürfen gleichzeitig laufen.</translation>
    </message>
    <message>
        <source>so many steps at most</source>
        <translation>höchstens so viele Schritte</translation>
    </message>
    <message>
        <source>So many triggers are too many to be scored here, where `auto` decides.</source>
        <translation>So viele Auslöser sind zu viele, um hier bewertet zu werden, wo `auto` entscheidet.</translation>
    </message>
    <message>
        <source>some of it was left out</source>
        <translation>ein Teil davon wurde ausgelassen</translation>
    </message>
    <message>
        <source>Some of the LLM’s routes that were kept were damaged and have been thrown away.</source>
        <translation>Einige behaltene Routen des LLM waren beschädigt und wurden weggeworfen.</translation>
    </message>
    <message>
        <source>somebody else</source>
        <translation>jemand anderem</translation>
    </message>
    <message>
        <source>Somebody else is changing the team&apos;s library just now, so nothing was changed: try again.</source>
        <translation>Jemand anders ändert gerade die Bibliothek des Teams, also wurde nichts geändert: versuchen Sie es noch einmal.</translation>
    </message>
    <message>
        <source>Somebody else is filling {address} just now, or it is named twice, so nothing was filled.</source>
        <translation>Jemand anders füllt gerade {address}, oder es ist zweimal genannt, also wurde nichts gefüllt.</translation>
    </message>
    <message>
        <source>Something is missing or wrong above.</source>
        <translation>Oben fehlt etwas oder ist falsch.</translation>
    </message>
    <message>
        <source>Something went wrong inside Intentscope: {0}</source>
        <translation>In Intentscope ist etwas schiefgegangen: {0}</translation>
    </message>
    <message>
        <source>Sort by</source>
        <translation>Sortieren nach</translation>
    </message>
    <message>
        <source>Sort, and choose columns</source>
        <translation>Sortieren und Spalten wählen</translation>
    </message>
    <message>
        <source>Sound</source>
        <translation>Ton</translation>
    </message>
    <message>
        <source>Source</source>
        <translation>Quelle</translation>
    </message>
    <message>
        <source>speed and memory are measured once it answers</source>
        <translation>Tempo und Speicher werden gemessen, sobald er antwortet</translation>
    </message>
    <message>
        <source>Spelling</source>
        <translation>Schreibweise</translation>
    </message>
    <message>
        <source>spelling</source>
        <translation>Schreibweise</translation>
    </message>
    <message>
        <source>Spelling from</source>
        <translation>Schreibweise ab</translation>
    </message>
    <message>
        <source>spelling {score}</source>
        <translation>Schreibweise {score}</translation>
    </message>
    <message>
        <source>Spells</source>
        <translation>Zauber</translation>
    </message>
    <message>
        <source>Stage</source>
        <translation>Schritt</translation>
    </message>
    <message>
        <source>Stage to show</source>
        <translation>Zu zeigender Schritt</translation>
    </message>
    <message>
        <source>Stages whose times in this session lie on a logarithmic axis, parted by commas.</source>
        <translation>Schritte, deren Zeiten in dieser Sitzung auf einer logarithmischen Achse liegen, durch Kommas getrennt.</translation>
    </message>
    <message>
        <source>Standing still</source>
        <translation>Stillstand</translation>
    </message>
    <message>
        <source>Start</source>
        <translation>Starten</translation>
    </message>
    <message>
        <source>Start an approved power, call one of its tools, and stop it again.</source>
        <translation>Eine genehmigte Fähigkeit starten, eines ihrer Werkzeuge aufrufen und sie wieder anhalten.</translation>
    </message>
    <message>
        <source>start no power, approved or not</source>
        <translation>keine Fähigkeit starten, ob genehmigt oder nicht</translation>
    </message>
    <message>
        <source>Start the server (F5)</source>
        <translation>Den Server starten (F5)</translation>
    </message>
    <message>
        <source>Start the server (“ollama serve”), or correct llm.url.</source>
        <translation>Starten Sie den Server („ollama serve“), oder berichtigen Sie llm.url.</translation>
    </message>
    <message>
        <source>Start the server, and it tells its tools.</source>
        <translation>Starten Sie den Server, und er nennt seine Werkzeuge.</translation>
    </message>
    <message>
        <source>Start this command</source>
        <translation>Diesen Befehl starten</translation>
    </message>
    <message>
        <source>Start this power</source>
        <translation>Diese Fähigkeit starten</translation>
    </message>
    <message>
        <source>Start time-out (ms)</source>
        <translation>Zeitgrenze für den Start (ms)</translation>
    </message>
    <message>
        <source>Start “{power}”</source>
        <translation>„{power}“ starten</translation>
    </message>
    <message>
        <source>Started</source>
        <translation>Begonnen</translation>
    </message>
    <message>
        <source>Started in</source>
        <translation>Gestartet in</translation>
    </message>
    <message>
        <source>Started; it is stopped when this command ends.</source>
        <translation>Gestartet; sie wird angehalten, wenn dieser Befehl endet.</translation>
    </message>
    <message>
        <source>Starting</source>
        <translation>Startet</translation>
    </message>
    <message>
        <source>State</source>
        <translation>Zustand</translation>
    </message>
    <message>
        <source>Status</source>
        <translation>Status</translation>
    </message>
    <message>
        <source>Stay here</source>
        <translation>Hier bleiben</translation>
    </message>
    <message>
        <source>Stays as it is here</source>
        <translation>Bleibt wie hier</translation>
    </message>
    <message>
        <source>stays right</source>
        <translation>bleibt richtig</translation>
    </message>
    <message>
        <source>stays wrong</source>
        <translation>bleibt falsch</translation>
    </message>
    <message>
        <source>stdin is a log or chat: answer what was asked in it</source>
        <translation>stdin ist ein Protokoll oder Chat: beantworten, was darin gefragt wurde</translation>
    </message>
    <message>
        <source>Steering</source>
        <translation>Steuertext</translation>
    </message>
    <message>
        <source>Steering text</source>
        <translation>Steuertext</translation>
    </message>
    <message>
        <source>Steering text, told to the assistant when the power is activated</source>
        <translation>Steuertext, der dem Assistenten gesagt wird, wenn die Fähigkeit aktiviert ist</translation>
    </message>
    <message>
        <source>Step of the cascade never taken: {name}</source>
        <translation>Schritt der Kaskade nie genommen: {name}</translation>
    </message>
    <message>
        <source>Steps</source>
        <translation>Schritte</translation>
    </message>
    <message>
        <source>still right</source>
        <translation>weiter richtig</translation>
    </message>
    <message>
        <source>still wrong</source>
        <translation>weiter falsch</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Anhalten</translation>
    </message>
    <message>
        <source>Stop all powers</source>
        <translation>Alle Fähigkeiten anhalten</translation>
    </message>
    <message>
        <source>Stop counting cases</source>
        <translation>Das Zählen der Fälle anhalten</translation>
    </message>
    <message>
        <source>Stop fetching</source>
        <translation>Das Holen anhalten</translation>
    </message>
    <message>
        <source>Stop it and close</source>
        <translation>Anhalten und schließen</translation>
    </message>
    <message>
        <source>Stop running cases</source>
        <translation>Das Prüfen der Fälle anhalten</translation>
    </message>
    <message>
        <source>Stop serving</source>
        <translation>Nicht mehr bereitstellen</translation>
    </message>
    <message>
        <source>Stop the check</source>
        <translation>Die Prüfung anhalten</translation>
    </message>
    <message>
        <source>Stop the server (Shift+F5)</source>
        <translation>Den Server anhalten (Umschalt+F5)</translation>
    </message>
    <message>
        <source>Stop them and close</source>
        <translation>Alle anhalten und schließen</translation>
    </message>
    <message>
        <source>Stop this power</source>
        <translation>Diese Fähigkeit anhalten</translation>
    </message>
    <message>
        <source>Stop trying changes</source>
        <translation>Das Probieren von Änderungen anhalten</translation>
    </message>
    <message>
        <source>Stop waiting for stores</source>
        <translation>Nicht länger auf Speicher warten</translation>
    </message>
    <message>
        <source>Stop; nothing is changed</source>
        <translation>Anhalten; nichts ist geändert</translation>
    </message>
    <message>
        <source>Stop; what has come out stays</source>
        <translation>Anhalten; was herauskam, bleibt</translation>
    </message>
    <message>
        <source>Stop; what is kept stays</source>
        <translation>Anhalten; was behalten ist, bleibt</translation>
    </message>
    <message>
        <source>Stopped</source>
        <translation>Angehalten</translation>
    </message>
    <message>
        <source>Stopped after {n}.</source>
        <translation>Nach {n} angehalten.</translation>
    </message>
    <message>
        <source>Stopped at {name}.</source>
        <translation>Angehalten bei {name}.</translation>
    </message>
    <message>
        <source>stopped while the end of the file was being stored; “doctor” tells what is there.</source>
        <translation>angehalten, während das Ende der Datei gespeichert wurde; „doctor“ sagt, was da ist.</translation>
    </message>
    <message numerus="yes">
        <source>Stopped {n} powers.</source>
        <translation>
            <numerusform>{n} Fähigkeit angehalten.</numerusform>
            <numerusform>{n} Fähigkeiten angehalten.</numerusform>
        </translation>
    </message>
    <message>
        <source>Stopped.</source>
        <translation>Angehalten.</translation>
    </message>
    <message>
        <source>Stopped. What was fetched until then is kept for the next time.</source>
        <translation>Angehalten. Was bis dahin geholt wurde, bleibt für das nächste Mal.</translation>
    </message>
    <message>
        <source>Stopped. What {0} has got stays with the server; pulling again goes on from there.</source>
        <translation>Angehalten. Was von {0} da ist, bleibt beim Server; noch einmal holen macht dort weiter.</translation>
    </message>
    <message>
        <source>stopped; a folder is taken in whole or not at all: “doctor” tells what is there.</source>
        <translation>angehalten; ein Ordner wird ganz oder gar nicht übernommen: „doctor“ sagt, was da ist.</translation>
    </message>
    <message>
        <source>Stopped; nothing is changed, neither here nor on the server.</source>
        <translation>Angehalten; nichts ist geändert, weder hier noch auf dem Server.</translation>
    </message>
    <message>
        <source>stopped; nothing is changed, neither here nor on the server.</source>
        <translation>angehalten; nichts ist geändert, weder hier noch auf dem Server.</translation>
    </message>
    <message>
        <source>stopped; nothing was imported.</source>
        <translation>angehalten; nichts wurde importiert.</translation>
    </message>
    <message>
        <source>stopped; the next “team --index” goes on where this one was.</source>
        <translation>abgebrochen; das nächste „team --index“ macht dort weiter, wo dieses war.</translation>
    </message>
    <message>
        <source>stopped; what was imported before that is kept: {stored}.</source>
        <translation>angehalten; was vorher importiert wurde, ist behalten: {stored}.</translation>
    </message>
    <message>
        <source>store</source>
        <translation>Speicher</translation>
    </message>
    <message>
        <source>Store seconds</source>
        <translation>Sekunden für Speicher</translation>
    </message>
    <message>
        <source>Stores</source>
        <translation>Speicher</translation>
    </message>
    <message>
        <source>Stores, colour and words of the route in front (Enter)</source>
        <translation>Speicher, Farbe und Worte der Route, die ausgewählt ist (Eingabe)</translation>
    </message>
    <message>
        <source>strangers</source>
        <translation>Fremde</translation>
    </message>
    <message>
        <source>Stronger lines, and outlines instead of soft fills; `system` asks the desktop.</source>
        <translation>Stärkere Linien, und Umrisse statt weicher Füllungen; `system` fragt den Desktop.</translation>
    </message>
    <message>
        <source>Struck through is what is stored now, underlined what you wrote.</source>
        <translation>Durchgestrichen ist, was jetzt gespeichert ist, unterstrichen, was Sie geschrieben haben.</translation>
    </message>
    <message>
        <source>Struck through is what was there, underlined what was written.</source>
        <translation>Durchgestrichen ist, was dort stand, unterstrichen, was geschrieben wurde.</translation>
    </message>
    <message>
        <source>Struck through: here. Underlined: in the folder.</source>
        <translation>Durchgestrichen: hier. Unterstrichen: im Ordner.</translation>
    </message>
    <message>
        <source>Structured:</source>
        <translation>Strukturiert:</translation>
    </message>
    <message>
        <source>Success</source>
        <translation>Erfolg</translation>
    </message>
    <message>
        <source>success below {least}</source>
        <translation>Erfolg unter {least}</translation>
    </message>
    <message>
        <source>Success counts: the weight times {lowest} at 0, times {highest} at 1.</source>
        <translation>Erfolg zählt: das Gewicht mal {lowest} bei 0, mal {highest} bei 1.</translation>
    </message>
    <message>
        <source>Success is a number from 0 to 1; “{typed}” is not.</source>
        <translation>Erfolg ist eine Zahl von 0 bis 1; „{typed}“ ist keine.</translation>
    </message>
    <message>
        <source>Success over time</source>
        <translation>Erfolg im Lauf der Zeit</translation>
    </message>
    <message>
        <source>success too low</source>
        <translation>Erfolg zu gering</translation>
    </message>
    <message>
        <source>success {score}</source>
        <translation>Erfolg {score}</translation>
    </message>
    <message>
        <source>success {success}, {marked}</source>
        <translation>Erfolg {success}, {marked}</translation>
    </message>
    <message>
        <source>Success: how an answer fared. It begins at 0.500; marked right it rises, marked wrong it falls.</source>
        <translation>Erfolg: wie es einer Antwort ergangen ist. Er beginnt bei 0.500; als richtig markiert steigt er, als falsch sinkt er.</translation>
    </message>
    <message>
        <source>such as billing</source>
        <translation>etwa Rechnungen</translation>
    </message>
    <message>
        <source>such as qwen2.5:1.5b</source>
        <translation>etwa qwen2.5:1.5b</translation>
    </message>
    <message>
        <source>Such votes were right, each example left out</source>
        <translation>Solche Stimmen waren richtig, jedes Beispiel ausgelassen</translation>
    </message>
    <message>
        <source>suggests</source>
        <translation>schlägt vor</translation>
    </message>
    <message>
        <source>Superseded</source>
        <translation>Überholt</translation>
    </message>
    <message>
        <source>superseded</source>
        <translation>überholt</translation>
    </message>
    <message>
        <source>sure enough, but needs approval</source>
        <translation>sicher genug, aber noch nicht genehmigt</translation>
    </message>
    <message>
        <source>sure enough, but without a command to start</source>
        <translation>sicher genug, aber ohne Befehl zum Starten</translation>
    </message>
    <message>
        <source>surer than keywords: {type} {confidence}</source>
        <translation>sicherer als Stichwörter: {type} {confidence}</translation>
    </message>
    <message>
        <source>Surfaced</source>
        <translation>Mitgegeben</translation>
    </message>
    <message>
        <source>surfaced</source>
        <translation>mitgegeben</translation>
    </message>
    <message>
        <source>Surfaced from {certain} on alone: there is no type.</source>
        <translation>Erst ab {certain} mitgegeben: Es gibt keinen Typ.</translation>
    </message>
    <message>
        <source>Surfaced from {certain} on alone: {confidence} is below {least}.</source>
        <translation>Erst ab {certain} mitgegeben: {confidence} liegt unter {least}.</translation>
    </message>
    <message>
        <source>Surfaced memories</source>
        <translation>Mitgegebene Erinnerungen</translation>
    </message>
    <message>
        <source>Surfaced: an assistant gets the memory with the query, without asking for it.</source>
        <translation>Mitgegeben: ein Assistent bekommt die Erinnerung mit der Anfrage, ohne danach zu fragen.</translation>
    </message>
    <message>
        <source>Surfacing</source>
        <translation>Mitgabe</translation>
    </message>
    <message>
        <source>surfacing</source>
        <translation>Mitgabe</translation>
    </message>
    <message>
        <source>Surfacing begins at {threshold}, and no type can be surer than {most}.</source>
        <translation>Die Mitgabe beginnt bei {threshold}, und kein Typ kann sicherer sein als {most}.</translation>
    </message>
    <message>
        <source>Surfacing confidence</source>
        <translation>Konfidenz der Mitgabe</translation>
    </message>
    <message>
        <source>Surfacing row never reached: {name} memories</source>
        <translation>Zeile der Mitgabe nie erreicht: {name} Erinnerungen</translation>
    </message>
    <message>
        <source>Surfacing success</source>
        <translation>Erfolg der Mitgabe</translation>
    </message>
    <message>
        <source>Surfacing threshold</source>
        <translation>Schwelle der Mitgabe</translation>
    </message>
    <message>
        <source>Surfacing tokens</source>
        <translation>Token der Mitgabe</translation>
    </message>
    <message>
        <source>SVG (*.svg)</source>
        <translation>SVG (*.svg)</translation>
    </message>
    <message>
        <source>SVG…</source>
        <translation>SVG…</translation>
    </message>
    <message>
        <source>Swap</source>
        <translation>Tauschen</translation>
    </message>
    <message>
        <source>Swap the sides</source>
        <translation>Die Seiten tauschen</translation>
    </message>
    <message>
        <source>Sweep</source>
        <translation>Durchlaufen</translation>
    </message>
    <message>
        <source>Sweep answers every case under each value of a setting, and tells which is best.</source>
        <translation>Durchlaufen beantwortet jeden Fall mit jedem Wert einer Einstellung und sagt, welcher am besten ist.</translation>
    </message>
    <message>
        <source>Sweep of {key}</source>
        <translation>Durchlauf von {key}</translation>
    </message>
    <message>
        <source>Switch a rule of the type on, or write one.</source>
        <translation>Schalten Sie eine Regel des Typs ein, oder schreiben Sie eine.</translation>
    </message>
    <message>
        <source>Switch all rules of the pack (Space)</source>
        <translation>Alle Regeln des Pakets schalten (Leertaste)</translation>
    </message>
    <message>
        <source>Switch it on</source>
        <translation>Einschalten</translation>
    </message>
    <message>
        <source>Switch off</source>
        <translation>Ausschalten</translation>
    </message>
    <message>
        <source>Switch off the rule “{rule}”, which found “{phrase}”</source>
        <translation>Die Regel „{rule}“ ausschalten, die „{phrase}“ fand</translation>
    </message>
    <message>
        <source>Switch off what nobody needs; each line says what that does to the cases.</source>
        <translation>Abschalten, was niemand braucht; jede Zeile sagt, was das mit den Fällen macht.</translation>
    </message>
    <message>
        <source>Switch on</source>
        <translation>Einschalten</translation>
    </message>
    <message>
        <source>switch on all rules of a pack, or the rule of this id</source>
        <translation>alle Regeln eines Pakets einschalten, oder die Regel mit dieser Id</translation>
    </message>
    <message>
        <source>Switch on the rule “{rule}”</source>
        <translation>Die Regel „{rule}“ einschalten</translation>
    </message>
    <message>
        <source>Switch one of the two off.</source>
        <translation>Schalten Sie eine der beiden aus.</translation>
    </message>
    <message>
        <source>Switch the selected rule or pack on or off</source>
        <translation>Die gewählte Regel oder das gewählte Paket ein- oder ausschalten</translation>
    </message>
    <message>
        <source>switch them off</source>
        <translation>sie ausschalten</translation>
    </message>
    <message>
        <source>Switched</source>
        <translation>Geschaltet</translation>
    </message>
    <message>
        <source>Switched off</source>
        <translation>Ausgeschaltet</translation>
    </message>
    <message>
        <source>switched off</source>
        <translation>ausgeschaltet</translation>
    </message>
    <message>
        <source>switched on</source>
        <translation>eingeschaltet</translation>
    </message>
    <message>
        <source>System</source>
        <translation>System</translation>
    </message>
    <message>
        <source>Ta&amp;gs</source>
        <translation>&amp;Schlagwörter</translation>
    </message>
    <message>
        <source>Table</source>
        <translation>Tabelle</translation>
    </message>
    <message>
        <source>Table, collection or label</source>
        <translation>Tabelle, Collection oder Label</translation>
    </message>
    <message>
        <source>Tables under [[{kind}]] were expected, but the file has none.</source>
        <translation>Tabellen unter [[{kind}]] wurden erwartet, aber die Datei hat keine.</translation>
    </message>
    <message>
        <source>Tables under [[{name}]] were expected.</source>
        <translation>Tabellen unter [[{name}]] wurden erwartet.</translation>
    </message>
    <message>
        <source>Tag</source>
        <translation>Schlagwort</translation>
    </message>
    <message>
        <source>Tags</source>
        <translation>Schlagwörter</translation>
    </message>
    <message>
        <source>Take another combination, or lower the threshold.</source>
        <translation>Nehmen Sie eine andere Kombination, oder senken Sie die Schwelle.</translation>
    </message>
    <message>
        <source>Take back</source>
        <translation>Zurücknehmen</translation>
    </message>
    <message>
        <source>Take back the edits of the power</source>
        <translation>Die Änderungen der Fähigkeit zurücknehmen</translation>
    </message>
    <message>
        <source>Take back the last step, whatever it was, or one of your choice.</source>
        <translation>Den letzten Schritt zurücknehmen, was er auch war, oder einen Ihrer Wahl.</translation>
    </message>
    <message>
        <source>Take in</source>
        <translation>Übernehmen</translation>
    </message>
    <message>
        <source>Take in a log</source>
        <translation>Ein Protokoll übernehmen</translation>
    </message>
    <message>
        <source>Take in a log of queries</source>
        <translation>Ein Protokoll mit Anfragen übernehmen</translation>
    </message>
    <message>
        <source>Take in a log …</source>
        <translation>Protokoll übernehmen …</translation>
    </message>
    <message>
        <source>Take in at once what changes in the linked folder, unless it changed here, too.</source>
        <translation>Sofort übernehmen, was sich im verknüpften Ordner ändert, außer es hat sich auch hier geändert.</translation>
    </message>
    <message>
        <source>Take memories or powers out of the answers without forgetting them.</source>
        <translation>Erinnerungen oder Fähigkeiten aus den Antworten nehmen, ohne sie zu vergessen.</translation>
    </message>
    <message>
        <source>Take the &amp;folder’s</source>
        <translation>Die des &amp;Ordners nehmen</translation>
    </message>
    <message>
        <source>Take the cases from a file instead</source>
        <translation>Die Fälle stattdessen aus einer Datei nehmen</translation>
    </message>
    <message>
        <source>Take the edits back (Esc)</source>
        <translation>Die Änderungen zurücknehmen (Esc)</translation>
    </message>
    <message>
        <source>Take the keyword from all but those that it stands for.</source>
        <translation>Nehmen Sie das Stichwort allen, für die es nicht steht.</translation>
    </message>
    <message>
        <source>Take the label away</source>
        <translation>Das Label wegnehmen</translation>
    </message>
    <message>
        <source>Take the last decision back</source>
        <translation>Die letzte Entscheidung zurücknehmen</translation>
    </message>
    <message>
        <source>Take the marks of changes away</source>
        <translation>Die Markierungen der Änderungen wegnehmen</translation>
    </message>
    <message>
        <source>Take the preset “{name}”</source>
        <translation>Die Vorgabe „{name}“ nehmen</translation>
    </message>
    <message>
        <source>Take the selected powers out of the answers</source>
        <translation>Die gewählten Fähigkeiten aus den Antworten nehmen</translation>
    </message>
    <message>
        <source>Take these tools over</source>
        <translation>Diese Werkzeuge übernehmen</translation>
    </message>
    <message>
        <source>Take “{phrase}” away from {theirs}</source>
        <translation>„{phrase}“ von {theirs} wegnehmen</translation>
    </message>
    <message numerus="yes">
        <source>Taken apart: the command and {n} arguments</source>
        <translation>
            <numerusform>Zerlegt: der Befehl und {n} Argument</numerusform>
            <numerusform>Zerlegt: der Befehl und {n} Argumente</numerusform>
        </translation>
    </message>
    <message>
        <source>Taken back</source>
        <translation>Zurückgenommen</translation>
    </message>
    <message>
        <source>taken back</source>
        <translation>zurückgenommen</translation>
    </message>
    <message>
        <source>Taken back: {sentence}.</source>
        <translation>Zurückgenommen: {sentence}.</translation>
    </message>
    <message>
        <source>Taken in</source>
        <translation>Übernommen</translation>
    </message>
    <message>
        <source>taken in from a log or the command line</source>
        <translation>aus einem Protokoll oder von der Befehlszeile übernommen</translation>
    </message>
    <message>
        <source>Task</source>
        <translation>Aufgabe</translation>
    </message>
    <message>
        <source>task</source>
        <translation>Aufgabe</translation>
    </message>
    <message>
        <source>Taught</source>
        <translation>Beigebracht</translation>
    </message>
    <message>
        <source>taught</source>
        <translation>beigebracht</translation>
    </message>
    <message>
        <source>Taught as a trigger of {name}.</source>
        <translation>Beigebracht als Auslöser von {name}.</translation>
    </message>
    <message>
        <source>Taught as an example of {name}.</source>
        <translation>Beigebracht als Beispiel für {name}.</translation>
    </message>
    <message>
        <source>Taught as “{name}”.</source>
        <translation>Beigebracht als „{name}“.</translation>
    </message>
    <message>
        <source>Taught examples and the LLM decide alone. A rule for routes is added on the rules page.</source>
        <translation>Beispiele und das LLM entscheiden allein. Eine Regel für Routen legt man auf der Seite Regeln an.</translation>
    </message>
    <message>
        <source>Taught examples are off.</source>
        <translation>Beispiele sind aus.</translation>
    </message>
    <message>
        <source>taught here</source>
        <translation>hier beigebracht</translation>
    </message>
    <message>
        <source>Taught triggers</source>
        <translation>Beigebrachte Auslöser</translation>
    </message>
    <message>
        <source>taught {at}</source>
        <translation>beigebracht {at}</translation>
    </message>
    <message>
        <source>Taught: the type of this query is {type}.</source>
        <translation>Beigebracht: der Typ dieser Anfrage ist {type}.</translation>
    </message>
    <message>
        <source>Taught: this query goes to {label}.</source>
        <translation>Beigebracht: diese Anfrage geht zu {label}.</translation>
    </message>
    <message>
        <source>Teach</source>
        <translation>Beibringen</translation>
    </message>
    <message>
        <source>Teach  Enter</source>
        <translation>Beibringen  Eingabe</translation>
    </message>
    <message>
        <source>Teach a memory</source>
        <translation>Eine Erinnerung beibringen</translation>
    </message>
    <message>
        <source>Teach a new memory</source>
        <translation>Eine neue Erinnerung beibringen</translation>
    </message>
    <message>
        <source>Teach a text: as a memory, as one more trigger of an answer, or as a query of a route.</source>
        <translation>Einen Text beibringen: als Erinnerung, als weiteren Auslöser einer Antwort oder als Anfrage einer Route.</translation>
    </message>
    <message>
        <source>Teach and keep</source>
        <translation>Beibringen und behalten</translation>
    </message>
    <message>
        <source>Teach it</source>
        <translation>Beibringen</translation>
    </message>
    <message>
        <source>Teach it first, or name what was meant.</source>
        <translation>Bringen Sie es zuerst bei, oder nennen Sie, was gemeint war.</translation>
    </message>
    <message>
        <source>Teach one or two more triggers in other words.</source>
        <translation>Bringen Sie ein oder zwei weitere Auslöser mit anderen Worten bei.</translation>
    </message>
    <message>
        <source>Teach one sentence</source>
        <translation>Einen Satz beibringen</translation>
    </message>
    <message>
        <source>Teach route examples as cases.</source>
        <translation>Bringen Sie Beispiele für Routen als Fälle bei.</translation>
    </message>
    <message>
        <source>Teach such a query, or let the answer go.</source>
        <translation>Bringen Sie eine solche Anfrage bei, oder geben Sie die Antwort auf.</translation>
    </message>
    <message>
        <source>teach takes one of --to, --route, and what a memory of its own has.</source>
        <translation>teach nimmt eines von --to, --route und dem, was eine eigene Erinnerung hat.</translation>
    </message>
    <message>
        <source>Teach the query</source>
        <translation>Die Anfrage beibringen</translation>
    </message>
    <message>
        <source>Teach the query as a memory</source>
        <translation>Die Anfrage als Erinnerung beibringen</translation>
    </message>
    <message>
        <source>Teach the query as a memory, or as a trigger of an answer</source>
        <translation>Die Anfrage als Erinnerung oder als Auslöser einer Antwort beibringen</translation>
    </message>
    <message>
        <source>Teach the route that is typed (Enter)</source>
        <translation>Die eingegebene Route beibringen (Eingabe)</translation>
    </message>
    <message>
        <source>Teach the type of the query</source>
        <translation>Den Typ der Anfrage beibringen</translation>
    </message>
    <message>
        <source>Teach this route: which way is right?</source>
        <translation>Diese Route beibringen: welcher Weg ist richtig?</translation>
    </message>
    <message>
        <source>Teach {0} ({1})</source>
        <translation>{0} beibringen ({1})</translation>
    </message>
    <message>
        <source>Teach “{phrase}” as a query for “{route}”</source>
        <translation>„{phrase}“ als Anfrage für „{route}“ beibringen</translation>
    </message>
    <message>
        <source>Teach “{phrase}” as one more example of {mine}</source>
        <translation>„{phrase}“ als weiteres Beispiel für {mine} beibringen</translation>
    </message>
    <message>
        <source>Teach “{phrase}” as one more trigger of {mine}</source>
        <translation>„{phrase}“ als weiteren Auslöser von {mine} beibringen</translation>
    </message>
    <message>
        <source>Teach, right, wrong, none, skip, next, in the inbox</source>
        <translation>Beibringen, richtig, falsch, keine, überspringen, weiter, im Eingang</translation>
    </message>
    <message>
        <source>Teach: {0}</source>
        <translation>Beibringen: {0}</translation>
    </message>
    <message>
        <source>Teach: {0}  Enter</source>
        <translation>Beibringen: {0}  Eingabe</translation>
    </message>
    <message>
        <source>Tell it on the desktop when a long task ends while the window is not in front.</source>
        <translation>Auf dem Desktop melden, wenn eine lange Aufgabe endet, während das Fenster nicht vorn ist.</translation>
    </message>
    <message>
        <source>telling answerable queries from others</source>
        <translation>beantwortbare Anfragen von anderen getrennt</translation>
    </message>
    <message>
        <source>Temporal</source>
        <translation>Zeitlich</translation>
    </message>
    <message>
        <source>Tests</source>
        <translation>Tests</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>Text</translation>
    </message>
    <message>
        <source>Text of the report</source>
        <translation>Text des Berichts</translation>
    </message>
    <message>
        <source>Text scale</source>
        <translation>Textgröße</translation>
    </message>
    <message>
        <source>Text, answer and trace of each query are kept in this profile, and go nowhere else.</source>
        <translation>Text, Antwort und Ablauf jeder Anfrage werden in diesem Profil behalten und gehen sonst nirgendwohin.</translation>
    </message>
    <message>
        <source>That is no name and no folder.</source>
        <translation>Das ist kein Name und kein Ordner.</translation>
    </message>
    <message>
        <source>That is the digest of something else: “intentscope approve” shows what there is now, and its digest.</source>
        <translation>Das ist die Prüfsumme von etwas anderem: „intentscope approve“ zeigt, was jetzt gilt, und dessen Prüfsumme.</translation>
    </message>
    <message>
        <source>That is wrong, the query is plainly {type}: the model answers, but is not to be relied on.</source>
        <translation>Das ist falsch, die Anfrage ist eindeutig {type}: Das Modell antwortet, aber es ist kein Verlass darauf.</translation>
    </message>
    <message>
        <source>That server only has a copy for reading, so nothing was changed: name the one that is written to.</source>
        <translation>Dieser Server hat nur eine Kopie zum Lesen, also wurde nichts geändert: nennen Sie den, auf den geschrieben wird.</translation>
    </message>
    <message>
        <source>The address of a FalkorDB server with Graphiti&apos;s facts that answers; empty: none.</source>
        <translation>Die Adresse eines FalkorDB-Servers mit den Fakten von Graphiti, der antwortet; leer: keiner.</translation>
    </message>
    <message>
        <source>The address of a Neo4j server that answers; empty: none.</source>
        <translation>Die Adresse eines Neo4j-Servers, der antwortet; leer: keiner.</translation>
    </message>
    <message>
        <source>The address of a PostgreSQL server with pgvector that answers; empty: none.</source>
        <translation>Die Adresse eines PostgreSQL-Servers mit pgvector, der antwortet; leer: keiner.</translation>
    </message>
    <message>
        <source>The address of a Qdrant server that answers; empty: none.</source>
        <translation>Die Adresse eines Qdrant-Servers, der antwortet; leer: keiner.</translation>
    </message>
    <message>
        <source>The address of a Redis server that keeps answers of the LLM for several programs; empty: none.</source>
        <translation>Die Adresse eines Redis-Servers, der Antworten des LLM für mehrere Programme aufbewahrt; leer: keiner.</translation>
    </message>
    <message>
        <source>The answer</source>
        <translation>Die Antwort</translation>
    </message>
    <message>
        <source>the answer came packed, although it was asked for as it is</source>
        <translation>die Antwort kam gepackt, obwohl sie ungepackt verlangt war</translation>
    </message>
    <message>
        <source>the answer did not begin in time</source>
        <translation>die Antwort begann nicht rechtzeitig</translation>
    </message>
    <message>
        <source>the answer did not end in time</source>
        <translation>die Antwort endete nicht rechtzeitig</translation>
    </message>
    <message>
        <source>The answer has no question: a line that begins with “Q:” was expected before it.</source>
        <translation>Die Antwort hat keine Frage: davor wurde eine Zeile erwartet, die mit „Q:“ beginnt.</translation>
    </message>
    <message>
        <source>The answer holds no type.</source>
        <translation>Die Antwort enthält keinen Typ.</translation>
    </message>
    <message>
        <source>The answer on screen has no power.</source>
        <translation>Die Antwort auf dem Schirm hat keine Fähigkeit.</translation>
    </message>
    <message>
        <source>The answer stands here.</source>
        <translation>Die Antwort steht hier.</translation>
    </message>
    <message>
        <source>The answer was cut short by its length.</source>
        <translation>Die Antwort wurde wegen ihrer Länge abgeschnitten.</translation>
    </message>
    <message>
        <source>the answer was right</source>
        <translation>die Antwort war richtig</translation>
    </message>
    <message>
        <source>The answer was too unsure. It changes nothing.</source>
        <translation>Die Antwort war zu unsicher. Sie ändert nichts.</translation>
    </message>
    <message>
        <source>the answer was wrong</source>
        <translation>die Antwort war falsch</translation>
    </message>
    <message>
        <source>The bin is empty</source>
        <translation>Der Papierkorb ist leer</translation>
    </message>
    <message>
        <source>The bin is empty.</source>
        <translation>Der Papierkorb ist leer.</translation>
    </message>
    <message>
        <source>The budget is 0 tokens, so no memory fits into it.</source>
        <translation>Das Budget ist 0 Token, also passt keine Erinnerung hinein.</translation>
    </message>
    <message>
        <source>The cache is off.</source>
        <translation>Der Zwischenspeicher ist aus.</translation>
    </message>
    <message>
        <source>The cache of the LLM’s routes was damaged, so it begins anew.</source>
        <translation>Der Zwischenspeicher der Routen des LLM war beschädigt und beginnt neu.</translation>
    </message>
    <message>
        <source>The cache of vectors could not be written: {strerror}.</source>
        <translation>Der Zwischenspeicher der Vektoren konnte nicht geschrieben werden: {strerror}.</translation>
    </message>
    <message>
        <source>The call was cancelled.</source>
        <translation>Der Aufruf wurde abgebrochen.</translation>
    </message>
    <message>
        <source>The cascade takes a fuzzy score from here on.</source>
        <translation>Die Kaskade nimmt ab hier einen unscharfen Score.</translation>
    </message>
    <message>
        <source>The cascade takes a keyword score from here on (powers).</source>
        <translation>Die Kaskade nimmt ab hier einen Stichwort-Score (Fähigkeiten).</translation>
    </message>
    <message>
        <source>The cascade takes a token score from here on.</source>
        <translation>Die Kaskade nimmt ab hier einen Token-Score.</translation>
    </message>
    <message>
        <source>The cascade takes a {name} score from {least} on, and none can exceed {most}.</source>
        <translation>Die Kaskade nimmt einen Score „{name}“ ab {least}, und keiner kann {most} übersteigen.</translation>
    </message>
    <message>
        <source>The cascade takes an exact score from here on.</source>
        <translation>Die Kaskade nimmt ab hier einen exakten Score.</translation>
    </message>
    <message>
        <source>The case does not say what is expected: give it {wanted}.</source>
        <translation>Der Fall sagt nicht, was erwartet ist: geben Sie ihm {wanted}.</translation>
    </message>
    <message>
        <source>The case does not say what it is for: give it a “task”, one of {task}.</source>
        <translation>Der Fall sagt nicht, wofür er ist: geben Sie ihm „task“, eines von {task}.</translation>
    </message>
    <message>
        <source>the case “{case}”</source>
        <translation>der Fall „{case}“</translation>
    </message>
    <message>
        <source>The cases are being gone through.</source>
        <translation>Die Fälle werden durchgegangen.</translation>
    </message>
    <message>
        <source>The cases could not be counted</source>
        <translation>Die Fälle konnten nicht gezählt werden</translation>
    </message>
    <message>
        <source>the chance of being right: softmax over the best answers and none of these, by weights that were fitted</source>
        <translation>die Wahrscheinlichkeit, richtig zu sein: Softmax über die besten Antworten und keine davon, nach angepassten Gewichten</translation>
    </message>
    <message>
        <source>The chosen answer has the trigger alone; a near one moves to it</source>
        <translation>Die gewählte Antwort hat den Auslöser allein; ein ähnlicher wandert zu ihr</translation>
    </message>
    <message>
        <source>the command line</source>
        <translation>die Befehlszeile</translation>
    </message>
    <message>
        <source>The command line or address of “{name}” is another by now: look at it again.</source>
        <translation>Die Befehlszeile oder Adresse von „{name}“ ist inzwischen eine andere: sehen Sie sie noch einmal an.</translation>
    </message>
    <message>
        <source>The command “{command}” could not be started: {why}.</source>
        <translation>Der Befehl „{command}“ konnte nicht gestartet werden: {why}.</translation>
    </message>
    <message>
        <source>The command “{command}” lies in no folder that is told: give its whole path in the power.</source>
        <translation>Der Befehl „{command}“ liegt in keinem Ordner, der genannt ist: geben Sie in der Fähigkeit seinen ganzen Pfad an.</translation>
    </message>
    <message>
        <source>The command “{command}” {where}: install it, or give its whole path in the power.</source>
        <translation>Der Befehl „{command}“ {where}: installieren Sie ihn, oder geben Sie in der Fähigkeit seinen ganzen Pfad an.</translation>
    </message>
    <message>
        <source>The confidence is the model’s own opinion.</source>
        <translation>Die Konfidenz ist die eigene Meinung des Modells.</translation>
    </message>
    <message>
        <source>the configuration, if it is another file</source>
        <translation>die Konfiguration, wenn es eine andere Datei ist</translation>
    </message>
    <message>
        <source>The connection broke: {error}.</source>
        <translation>Die Verbindung brach ab: {error}.</translation>
    </message>
    <message>
        <source>The connection to {url} broke{value}.</source>
        <translation>Die Verbindung zu {url} brach ab{value}.</translation>
    </message>
    <message>
        <source>The context length asked for, kept constant.</source>
        <translation>Die verlangte Kontextlänge, die gleich bleibt.</translation>
    </message>
    <message>
        <source>The current best, {name} {confidence},</source>
        <translation>Die derzeit beste, {name} {confidence},</translation>
    </message>
    <message>
        <source>The data stores that answer routed queries: what each holds; fill one.</source>
        <translation>Die Datenspeicher, die auf zugeordnete Anfragen antworten: was jeder enthält; einen füllen.</translation>
    </message>
    <message>
        <source>The decision in detail</source>
        <translation>Die Entscheidung im Einzelnen</translation>
    </message>
    <message>
        <source>the default address</source>
        <translation>die übliche Adresse</translation>
    </message>
    <message>
        <source>The disk of the team&apos;s server is full, so nothing was changed: its administrator frees some space.</source>
        <translation>Die Platte des Team-Servers ist voll, also wurde nichts geändert: wer ihn verwaltet, schafft Platz.</translation>
    </message>
    <message>
        <source>The disk that holds the library {file} has no room to write it anew, which takes twice its size for a while: free some space, and try again. Nothing is lost.</source>
        <translation>Der Datenträger mit der Bibliothek {file} hat keinen Platz, sie neu zu schreiben, was eine Zeit lang das Doppelte ihrer Größe braucht: schaffen Sie Platz, und versuchen Sie es noch einmal. Nichts ist verloren.</translation>
    </message>
    <message>
        <source>The disk that holds the library {file} is full, so nothing was changed: free some space, and try again.</source>
        <translation>Der Datenträger mit der Bibliothek {file} ist voll, also wurde nichts geändert: schaffen Sie Platz, und versuchen Sie es noch einmal.</translation>
    </message>
    <message>
        <source>The encoder accurate cannot be loaded</source>
        <translation>Der Encoder accurate kann nicht geladen werden</translation>
    </message>
    <message>
        <source>The encoder accurate cannot be read</source>
        <translation>Der Encoder accurate ist nicht lesbar</translation>
    </message>
    <message>
        <source>The encoder cannot be loaded</source>
        <translation>Der Encoder kann nicht geladen werden</translation>
    </message>
    <message>
        <source>The encoder failed</source>
        <translation>Der Encoder ist fehlgeschlagen</translation>
    </message>
    <message>
        <source>The encoder failed in a way that nobody foresaw; the log has more.</source>
        <translation>Der Encoder ist auf unvorhergesehene Weise fehlgeschlagen; im Protokoll steht mehr.</translation>
    </message>
    <message>
        <source>The encoder gave no vectors of {dimension} numbers each. {remedy}</source>
        <translation>Der Encoder gab keine Vektoren von je {dimension} Zahlen. {remedy}</translation>
    </message>
    <message>
        <source>The encoder gives {shape} numbers where {wanted} belong. {remedy}</source>
        <translation>Der Encoder gibt {shape} Zahlen, wo {wanted} hingehören. {remedy}</translation>
    </message>
    <message>
        <source>The encoder is loading; taught examples are compared once it is there.</source>
        <translation>Der Encoder wird geladen; gelehrte Beispiele werden verglichen, sobald er da ist.</translation>
    </message>
    <message>
        <source>The encoder is loading; the best lexical score decides for now.</source>
        <translation>Der Encoder lädt; vorerst entscheidet der beste lexikalische Score.</translation>
    </message>
    <message>
        <source>The encoder is still loading: without it every answer would look changed. Try again when it is ready.</source>
        <translation>Der Encoder lädt noch: ohne ihn sähe jede Antwort verändert aus. Versuchen Sie es noch einmal, wenn er bereit ist.</translation>
    </message>
    <message>
        <source>The encoder is there.</source>
        <translation>Der Encoder ist da.</translation>
    </message>
    <message>
        <source>The encoder was changed meanwhile. Ask again.</source>
        <translation>Der Encoder wurde inzwischen gewechselt. Fragen Sie noch einmal.</translation>
    </message>
    <message>
        <source>The encoder was changed while the examples were learned.</source>
        <translation>Der Encoder wurde gewechselt, während die Beispiele gelernt wurden.</translation>
    </message>
    <message>
        <source>The encoder was changed while the query was answered; the best lexical score decides.</source>
        <translation>Der Encoder wurde gewechselt, während die Anfrage beantwortet wurde; der beste lexikalische Score entscheidet.</translation>
    </message>
    <message>
        <source>The encoder&apos;s file {file} is not the one that was written. {remedy}</source>
        <translation>Die Datei {file} des Encoders ist nicht die, die geschrieben wurde. {remedy}</translation>
    </message>
    <message>
        <source>The encoder&apos;s file {missing} is missing. {remedy}</source>
        <translation>Die Datei {missing} des Encoders fehlt. {remedy}</translation>
    </message>
    <message>
        <source>The encoder&apos;s file {name} cannot be read: {strerror}.</source>
        <translation>Die Datei {name} des Encoders ist nicht lesbar: {strerror}.</translation>
    </message>
    <message>
        <source>The encoder&apos;s file {name} cannot be read: {strerror}. {remedy}</source>
        <translation>Die Datei {name} des Encoders ist nicht lesbar: {strerror}. {remedy}</translation>
    </message>
    <message>
        <source>The encoder&apos;s file {name} is not the one that was shipped (SHA-256 differs).</source>
        <translation>Die Datei {name} des Encoders ist nicht die, die ausgeliefert wurde (SHA-256 weicht ab).</translation>
    </message>
    <message>
        <source>The encoder&apos;s file {name} is not the one that was shipped (SHA-256 differs). {remedy}</source>
        <translation>Die Datei {name} des Encoders ist nicht die, die ausgeliefert wurde (SHA-256 weicht ab). {remedy}</translation>
    </message>
    <message>
        <source>The encoder&apos;s package {package} is not installed. {remedy}</source>
        <translation>Das Paket {package} des Encoders ist nicht installiert. {remedy}</translation>
    </message>
    <message>
        <source>the end</source>
        <translation>das Ende</translation>
    </message>
    <message>
        <source>The entry has no “intent”.</source>
        <translation>Der Eintrag hat keinen „intent“.</translation>
    </message>
    <message>
        <source>the environment</source>
        <translation>die Umgebung</translation>
    </message>
    <message>
        <source>The evaluation was stopped after {count} of {count_2} cases.</source>
        <translation>Die Auswertung wurde nach {count} von {count_2} Fällen angehalten.</translation>
    </message>
    <message>
        <source>The event holds no prompt.</source>
        <translation>Das Ereignis enthält keinen Prompt.</translation>
    </message>
    <message>
        <source>The examples are being learned.</source>
        <translation>Die Beispiele werden gelernt.</translation>
    </message>
    <message>
        <source>The extra “{extra}” is not installed; see Running a route in the help.</source>
        <translation>Das Extra „{extra}“ ist nicht installiert; siehe „Running a route“ in der Hilfe.</translation>
    </message>
    <message>
        <source>The file holds more than {max_documents} documents.</source>
        <translation>Die Datei enthält mehr als {max_documents} Dokumente.</translation>
    </message>
    <message>
        <source>The file holds no case of this task. Its cases are for --task {tasks}.</source>
        <translation>Die Datei enthält keinen Fall für diese Aufgabe. Ihre Fälle sind für --task {tasks}.</translation>
    </message>
    <message>
        <source>The file holds no case that can be evaluated.</source>
        <translation>Die Datei enthält keinen Fall, der sich auswerten lässt.</translation>
    </message>
    <message>
        <source>The file holds no case with a memory, a power or a label that is right.</source>
        <translation>Die Datei enthält keinen Fall mit einer Erinnerung, einer Fähigkeit oder einem Label, das richtig ist.</translation>
    </message>
    <message>
        <source>The file is empty.</source>
        <translation>Die Datei ist leer.</translation>
    </message>
    <message>
        <source>The file is in UTF-16: save it as UTF-8 and try again.</source>
        <translation>Die Datei ist in UTF-16: speichern Sie sie als UTF-8 und versuchen Sie es noch einmal.</translation>
    </message>
    <message>
        <source>The file is larger than {max_whole_bytes} MB, the most that is read of this format; JSON Lines and CSV may be of any size, and so may a list in JSON: write it so, or in several files.</source>
        <translation>Die Datei ist größer als {max_whole_bytes} MB, das Meiste, was von diesem Format gelesen wird; JSON Lines und CSV dürfen beliebig groß sein, ebenso eine Liste in JSON: schreiben Sie sie so, oder in mehrere Dateien.</translation>
    </message>
    <message>
        <source>The file is no TOML that can be read: it is nested too deep, or holds an impossible number.</source>
        <translation>Die Datei ist kein lesbares TOML: sie ist zu tief verschachtelt oder enthält eine unmögliche Zahl.</translation>
    </message>
    <message>
        <source>The file is no valid JSON ({error}).</source>
        <translation>Die Datei ist kein gültiges JSON ({error}).</translation>
    </message>
    <message>
        <source>The file is not read: its lists and tables are nested too deep.</source>
        <translation>Die Datei wird nicht gelesen: ihre Listen und Tabellen sind zu tief verschachtelt.</translation>
    </message>
    <message>
        <source>The file is not valid TOML: it holds a number or a date that cannot be.</source>
        <translation>Die Datei ist kein gültiges TOML: sie enthält eine Zahl oder ein Datum, das es nicht gibt.</translation>
    </message>
    <message>
        <source>The file is not valid TOML: {error}.</source>
        <translation>Die Datei ist kein gültiges TOML: {error}.</translation>
    </message>
    <message>
        <source>The file is not valid YAML: {error}.</source>
        <translation>Die Datei ist kein gültiges YAML: {error}.</translation>
    </message>
    <message>
        <source>The file says no route: it has no table such as [routes.billing].</source>
        <translation>Die Datei nennt keine Route: sie hat keine Tabelle wie [routes.billing].</translation>
    </message>
    <message>
        <source>The file {file} is not a library of this program and was left as it is: move it away, or choose another --profile folder.</source>
        <translation>Die Datei {file} ist keine Bibliothek dieses Programms und wurde gelassen, wie sie war: räumen Sie sie weg, oder wählen Sie einen anderen Ordner für --profile.</translation>
    </message>
    <message>
        <source>The file {path} is empty.</source>
        <translation>Die Datei {path} ist leer.</translation>
    </message>
    <message>
        <source>The file {path} is {what}.</source>
        <translation>Die Datei {path} ist {what}.</translation>
    </message>
    <message>
        <source>The file {source} cannot be read: {strerror}.</source>
        <translation>Die Datei {source} ist nicht lesbar: {strerror}.</translation>
    </message>
    <message>
        <source>The file {source} changed while it was read, so nothing of it was used: try again.</source>
        <translation>Die Datei {source} änderte sich beim Lesen, also wurde nichts davon verwendet: versuchen Sie es noch einmal.</translation>
    </message>
    <message>
        <source>The files have changed again since they were read: look at what differs once more.</source>
        <translation>Die Dateien haben sich wieder geändert, seit sie gelesen wurden: sehen Sie noch einmal an, was anders ist.</translation>
    </message>
    <message>
        <source>The files in {folder} are larger than {most_bytes} GB, so none is read.</source>
        <translation>Die Dateien in {folder} sind größer als {most_bytes} GB, also wird keine gelesen.</translation>
    </message>
    <message>
        <source>The files in {folder} have changed since they were read, so nothing was written: look at what differs, take it in, and save again.</source>
        <translation>Die Dateien in {folder} haben sich geändert, seit sie gelesen wurden, also wurde nichts geschrieben: sehen Sie an, was anders ist, übernehmen Sie es und speichern Sie noch einmal.</translation>
    </message>
    <message>
        <source>The finding</source>
        <translation>Der Fund</translation>
    </message>
    <message>
        <source>The finding side by side</source>
        <translation>Der Fund nebeneinander</translation>
    </message>
    <message>
        <source>The first answer after the start takes a moment longer.</source>
        <translation>Die erste Antwort nach dem Start braucht einen Moment länger.</translation>
    </message>
    <message>
        <source>The first answer is right: its success rises, and the query becomes a case</source>
        <translation>Die erste Antwort ist richtig: ihr Erfolg steigt, und die Anfrage wird ein Fall</translation>
    </message>
    <message>
        <source>The first answer is wrong: its success falls, and the query becomes a case</source>
        <translation>Die erste Antwort ist falsch: ihr Erfolg sinkt, und die Anfrage wird ein Fall</translation>
    </message>
    <message>
        <source>the first answer of this number was right</source>
        <translation>die erste Antwort dieser Nummer war richtig</translation>
    </message>
    <message>
        <source>the first answer of this number was wrong</source>
        <translation>die erste Antwort dieser Nummer war falsch</translation>
    </message>
    <message>
        <source>The first answers of the last {count} queries all have the confidence {value}.</source>
        <translation>Die ersten Antworten der letzten {count} Anfragen haben alle die Konfidenz {value}.</translation>
    </message>
    <message>
        <source>The first lines</source>
        <translation>Die ersten Zeilen</translation>
    </message>
    <message>
        <source>The first of a range comes before its last.</source>
        <translation>Das erste Zeichen eines Bereichs kommt vor seinem letzten.</translation>
    </message>
    <message>
        <source>the first of exact, keyword, fuzzy, token over its threshold, else semantic</source>
        <translation>das Erste von exakt, Stichwort, unscharf, Token über seiner Schwelle, sonst semantisch</translation>
    </message>
    <message>
        <source>The first row names no column {missing} for {kind}: it names {shown}. Say which column is which with --columns HEADING=COLUMN.</source>
        <translation>Die erste Zeile nennt keine Spalte {missing} für {kind}: sie nennt {shown}. Sagen Sie mit --columns HEADING=COLUMN, welche Spalte welche ist.</translation>
    </message>
    <message>
        <source>The first row names no “{heading}”: it names {shown}.</source>
        <translation>Die erste Zeile nennt kein „{heading}“: sie nennt {shown}.</translation>
    </message>
    <message>
        <source>The first row names {count} columns; {most_names} are allowed.</source>
        <translation>Die erste Zeile nennt {count} Spalten; {most_names} sind erlaubt.</translation>
    </message>
    <message>
        <source>The fit was stopped.</source>
        <translation>Die Anpassung wurde angehalten.</translation>
    </message>
    <message>
        <source>The folder holds nothing.</source>
        <translation>Der Ordner enthält nichts.</translation>
    </message>
    <message>
        <source>The folder is being read or written. Cancel it, or wait.</source>
        <translation>Der Ordner wird gelesen oder geschrieben. Brechen Sie das ab, oder warten Sie.</translation>
    </message>
    <message>
        <source>The folder of text files that the library is linked to; empty: none.</source>
        <translation>Der Ordner von Textdateien, mit dem die Bibliothek verknüpft ist; leer: keiner.</translation>
    </message>
    <message>
        <source>The folder {name} holds no library yet.</source>
        <translation>Der Ordner {name} enthält noch keine Bibliothek.</translation>
    </message>
    <message>
        <source>The folder {name} holds this library already.</source>
        <translation>Der Ordner {name} enthält diese Bibliothek schon.</translation>
    </message>
    <message>
        <source>the following arguments are required: %s</source>
        <translation>diese Argumente sind nötig: %s</translation>
    </message>
    <message>
        <source>The gate “{text}” is on a change, and nothing is compared.</source>
        <translation>Die Schranke „{text}“ gilt einer Änderung, und nichts wird verglichen.</translation>
    </message>
    <message>
        <source>The gate “{text}” tells nothing: {metric} is {within}.</source>
        <translation>Die Schranke „{text}“ sagt nichts: {metric} ist {within}.</translation>
    </message>
    <message>
        <source>The header {name} is the connection&apos;s own: take it out on the power&apos;s page.</source>
        <translation>Der Header {name} gehört der Verbindung selbst: nehmen Sie ihn auf der Seite der Fähigkeit heraus.</translation>
    </message>
    <message>
        <source>The history is off (history.privacy), so the log is too.</source>
        <translation>Der Verlauf ist aus (history.privacy), also ist es das Protokoll auch.</translation>
    </message>
    <message>
        <source>The history is off, so no query comes here.</source>
        <translation>Der Verlauf ist aus, deshalb kommt keine Anfrage hierher.</translation>
    </message>
    <message>
        <source>The history is off. Nothing that is asked leaves a trace here.</source>
        <translation>Der Verlauf ist aus. Nichts, was gefragt wird, hinterlässt hier eine Spur.</translation>
    </message>
    <message>
        <source>The history is pressed smaller; this may take a minute.</source>
        <translation>Der Verlauf wird kleiner gepresst; das kann eine Minute dauern.</translation>
    </message>
    <message>
        <source>The history keeps digests only. What has no text cannot be decided.</source>
        <translation>Der Verlauf behält nur Prüfsummen. Was keinen Text hat, kann nicht entschieden werden.</translation>
    </message>
    <message>
        <source>The import of {file} was cancelled; nothing was changed.</source>
        <translation>Der Import von {file} wurde abgebrochen; nichts wurde geändert.</translation>
    </message>
    <message>
        <source>The intent “{intent}” has no “examples”.</source>
        <translation>Die Absicht „{intent}“ hat keine „examples“.</translation>
    </message>
    <message>
        <source>The keyring of the system does not forget a secret ({error}): unlock it.</source>
        <translation>Der Schlüsselbund des Systems vergisst ein Geheimnis nicht ({error}): entsperren Sie ihn.</translation>
    </message>
    <message>
        <source>The keyring of the system does not give out a secret ({error}): unlock it.</source>
        <translation>Der Schlüsselbund des Systems gibt ein Geheimnis nicht heraus ({error}): entsperren Sie ihn.</translation>
    </message>
    <message>
        <source>the label of the new memory</source>
        <translation>das Label der neuen Erinnerung</translation>
    </message>
    <message>
        <source>The labelled cases are answered without the LLM, so they say nothing about this one.</source>
        <translation>Die markierten Fälle werden ohne das LLM beantwortet und sagen hierüber nichts.</translation>
    </message>
    <message>
        <source>The labelled cases are not counted.</source>
        <translation>Die markierten Fälle sind nicht gezählt.</translation>
    </message>
    <message>
        <source>the largest score, centroid apart</source>
        <translation>der größte Score, außer dem Zentroid</translation>
    </message>
    <message>
        <source>The last roll-out, ended: {candidate}</source>
        <translation>Letzte Einführung, beendet: {candidate}</translation>
    </message>
    <message numerus="yes">
        <source>The last starts of {n} powers failed.</source>
        <translation>
            <numerusform>Der letzte Start von {n} Fähigkeit schlug fehl.</numerusform>
            <numerusform>Die letzten Starts von {n} Fähigkeiten schlugen fehl.</numerusform>
        </translation>
    </message>
    <message>
        <source>The last step is of {0}: {1} (from {2}). Take all of it back?</source>
        <translation>Der letzte Schritt ist von {0}: {1} (aus {2}). Alles davon zurücknehmen?</translation>
    </message>
    <message>
        <source>The last {count} decisions all</source>
        <translation>Die letzten {count} Entscheidungen</translation>
    </message>
    <message>
        <source>The last {count} queries all were {type}.</source>
        <translation>Die letzten {count} Anfragen waren alle {type}.</translation>
    </message>
    <message numerus="yes">
        <source>the last {n} messages</source>
        <translation>
            <numerusform>{n} Nachricht</numerusform>
            <numerusform>die letzten {n} Nachrichten</numerusform>
        </translation>
    </message>
    <message>
        <source>The library as a folder of texts</source>
        <translation>Die Bibliothek als Ordner von Texten</translation>
    </message>
    <message>
        <source>The library cannot be opened at {path} ({reason}): put that right, or choose another --profile folder.</source>
        <translation>Die Bibliothek auf {path} kann nicht geöffnet werden ({reason}): beheben Sie das, oder wählen Sie einen anderen Ordner für --profile.</translation>
    </message>
    <message>
        <source>The library cannot be written because {path} is read-only: make it writable, or choose another --profile folder.</source>
        <translation>Die Bibliothek ist nicht schreibbar, weil {path} schreibgeschützt ist: machen Sie es schreibbar, oder wählen Sie einen anderen Ordner für --profile.</translation>
    </message>
    <message>
        <source>The library could not be opened because of a mistake in this program.</source>
        <translation>Die Bibliothek konnte wegen eines Fehlers in diesem Programm nicht geöffnet werden.</translation>
    </message>
    <message>
        <source>The library here and the one on the server do not hold the same ({here} rows here, {there} there), so nothing was changed.</source>
        <translation>Die Bibliothek hier und die auf dem Server enthalten nicht dasselbe ({here} Zeilen hier, {there} dort), also wurde nichts geändert.</translation>
    </message>
    <message>
        <source>The library is a team&apos;s, whose server keeps what everybody has: “intentscope team --leave” first.</source>
        <translation>Die Bibliothek ist die eines Teams, dessen Server hält, was alle haben: zuerst „intentscope team --leave“.</translation>
    </message>
    <message>
        <source>The library is damaged{where}, so this cannot be read or changed: “doctor” names the rows; what else is stored can be used and exported. To mend it, put a copy in its place (see the folder {backups}).</source>
        <translation>Die Bibliothek ist beschädigt{where}, deshalb kann dies nicht gelesen oder geändert werden: „doctor“ nennt die Zeilen; was sonst gespeichert ist, kann verwendet und exportiert werden. Um es zu beheben, legen Sie eine Kopie an ihre Stelle (siehe den Ordner {backups}).</translation>
    </message>
    <message>
        <source>The library is linked to no folder any more. Its files stay.</source>
        <translation>Die Bibliothek ist mit keinem Ordner mehr verknüpft. Seine Dateien bleiben.</translation>
    </message>
    <message>
        <source>The library is not open</source>
        <translation>Die Bibliothek ist nicht offen</translation>
    </message>
    <message>
        <source>The library is not open, so nothing was changed.</source>
        <translation>Die Bibliothek ist nicht offen, also wurde nichts geändert.</translation>
    </message>
    <message>
        <source>The library is still opening. Try again in a moment.</source>
        <translation>Die Bibliothek wird noch geöffnet. Versuchen Sie es gleich noch einmal.</translation>
    </message>
    <message>
        <source>The library is that of {path}.</source>
        <translation>Die Bibliothek ist die von {path}.</translation>
    </message>
    <message>
        <source>The library of the team at {address}.</source>
        <translation>Die Bibliothek des Teams unter {address}.</translation>
    </message>
    <message>
        <source>The library or the settings were changed meanwhile. Ask again.</source>
        <translation>Bibliothek oder Einstellungen wurden inzwischen geändert. Fragen Sie noch einmal.</translation>
    </message>
    <message>
        <source>The library that a team shares on a PostgreSQL server: join it, leave it, see it.</source>
        <translation>Die Bibliothek, die ein Team auf einem PostgreSQL-Server teilt: eintreten, austreten, ansehen.</translation>
    </message>
    <message>
        <source>The library {file} is damaged and was left as it is: put a copy in its place (see {parent}), or move it away to start anew.</source>
        <translation>Die Bibliothek {file} ist beschädigt und wurde gelassen, wie sie war: legen Sie eine Kopie an ihre Stelle (siehe {parent}), oder räumen Sie sie weg, um neu zu beginnen.</translation>
    </message>
    <message>
        <source>The library {file} is in use by another program: let that one finish or close it, and try again.</source>
        <translation>Die Bibliothek {file} ist von einem anderen Programm in Gebrauch: lassen Sie das fertig werden oder schließen Sie es, und versuchen Sie es noch einmal.</translation>
    </message>
    <message>
        <source>The library {file} was joined to a team&apos;s, or taken out of it, while it was open, so nothing was changed: try again to open it anew.</source>
        <translation>Die Bibliothek {file} wurde, während sie offen war, mit der eines Teams verbunden oder von ihr gelöst, also wurde nichts geändert: versuchen Sie es noch einmal, um sie neu zu öffnen.</translation>
    </message>
    <message>
        <source>The library {file} was removed or replaced while it was open, so nothing is stored any more: put it back, and try again; what lies there by then is opened, or made anew.</source>
        <translation>Die Bibliothek {file} wurde entfernt oder ersetzt, während sie offen war, also wird nichts mehr gespeichert: legen Sie sie zurück, und versuchen Sie es noch einmal; was bis dahin dort liegt, wird geöffnet oder neu angelegt.</translation>
    </message>
    <message>
        <source>The library {file} was written by a newer version of this program (its format is “{version}”) and was left as it is: update the program, or choose another --profile folder.</source>
        <translation>Die Bibliothek {file} wurde von einer neueren Version dieses Programms geschrieben (ihr Format ist „{version}“) und wurde gelassen, wie sie war: aktualisieren Sie das Programm, oder wählen Sie einen anderen Ordner für --profile.</translation>
    </message>
    <message>
        <source>the library&apos;s own cases for routes instead</source>
        <translation>stattdessen die eigenen Fälle der Bibliothek für Routen</translation>
    </message>
    <message>
        <source>The library’s folder is being read or written. Closing the window breaks that off.</source>
        <translation>Der Ordner der Bibliothek wird gelesen oder geschrieben. Das Fenster zu schließen bricht das ab.</translation>
    </message>
    <message numerus="yes">
        <source>The line above the memories takes {n} tokens.</source>
        <translation>
            <numerusform>Die Zeile über den Erinnerungen braucht {n} Token.</numerusform>
            <numerusform>Die Zeile über den Erinnerungen braucht {n} Token.</numerusform>
        </translation>
    </message>
    <message>
        <source>The line holds a NUL byte, which no text has.</source>
        <translation>Die Zeile enthält ein NUL-Byte, das kein Text hat.</translation>
    </message>
    <message>
        <source>The line holds no text under {fields} or {fields_2}.</source>
        <translation>Die Zeile enthält keinen Text unter {fields} oder {fields_2}.</translation>
    </message>
    <message>
        <source>The line is longer than {max_line_bytes} MB.</source>
        <translation>Die Zeile ist länger als {max_line_bytes} MB.</translation>
    </message>
    <message>
        <source>The line is not valid JSON ({why}).</source>
        <translation>Die Zeile ist kein gültiges JSON ({why}).</translation>
    </message>
    <message>
        <source>The line is not valid JSON: {msg} (character {pos}).</source>
        <translation>Die Zeile ist kein gültiges JSON: {msg} (Zeichen {pos}).</translation>
    </message>
    <message>
        <source>The line is not valid UTF-8 (byte {byte}): save the file as UTF-8 and try again.</source>
        <translation>Die Zeile ist kein gültiges UTF-8 (Byte {byte}): speichern Sie die Datei als UTF-8 und versuchen Sie es noch einmal.</translation>
    </message>
    <message>
        <source>The line is valid JSON, but no object in { }.</source>
        <translation>Die Zeile ist gültiges JSON, aber kein Objekt in { }.</translation>
    </message>
    <message>
        <source>The line takes {0} characters; what comes after them was cut.</source>
        <translation>Die Zeile nimmt {0} Zeichen; was danach kommt, wurde abgeschnitten.</translation>
    </message>
    <message>
        <source>The list of recent files is empty.</source>
        <translation>Die Liste der zuletzt geöffneten Dateien ist leer.</translation>
    </message>
    <message>
        <source>The LLM</source>
        <translation>Das LLM</translation>
    </message>
    <message>
        <source>The LLM alone: {bins}</source>
        <translation>Das LLM allein: {bins}</translation>
    </message>
    <message>
        <source>The LLM cannot be asked any more. {sentence}</source>
        <translation>Das LLM kann nicht mehr gefragt werden. {sentence}</translation>
    </message>
    <message>
        <source>The LLM cannot be asked. {sentence}</source>
        <translation>Das LLM kann nicht gefragt werden. {sentence}</translation>
    </message>
    <message>
        <source>The LLM decides {share} of the queries; 001 expects 40 % at most.</source>
        <translation>Das LLM entscheidet {share} der Anfragen; 001 erwartet höchstens 40 %.</translation>
    </message>
    <message>
        <source>The LLM did not answer within {budget} ms.</source>
        <translation>Das LLM hat nicht innerhalb von {budget} ms geantwortet.</translation>
    </message>
    <message>
        <source>The LLM failed too often and is being tried by another question.</source>
        <translation>Das LLM ist zu oft fehlgeschlagen und wird gerade mit einer anderen Frage probiert.</translation>
    </message>
    <message>
        <source>The LLM failed too often; one question is let through to try it again.</source>
        <translation>Das LLM ist zu oft fehlgeschlagen; eine Frage wird durchgelassen, um es wieder zu probieren.</translation>
    </message>
    <message>
        <source>the LLM fails {share} of the time</source>
        <translation>das LLM fällt bei {share} der Fragen aus</translation>
    </message>
    <message>
        <source>The LLM gave no answer in time.</source>
        <translation>Das LLM hat nicht rechtzeitig geantwortet.</translation>
    </message>
    <message>
        <source>The LLM gave no answer within {ms} ms.</source>
        <translation>Das LLM hat nicht innerhalb von {ms} ms geantwortet.</translation>
    </message>
    <message>
        <source>The LLM gave no answer: {value}.</source>
        <translation>Das LLM gab keine Antwort: {value}.</translation>
    </message>
    <message>
        <source>the LLM had a say then, and is not asked again</source>
        <translation>damals das LLM mitsprach und nicht noch einmal gefragt wird</translation>
    </message>
    <message>
        <source>The LLM has not answered the query on screen.</source>
        <translation>Das LLM hat die Anfrage auf dem Schirm nicht beantwortet.</translation>
    </message>
    <message>
        <source>The LLM is asked with --llm only: without it {keys} changes no answer.</source>
        <translation>Das LLM wird nur mit --llm gefragt: Ohne es ändert {keys} keine Antwort.</translation>
    </message>
    <message>
        <source>The LLM is asked {n} times; this takes {time} more.</source>
        <translation>Das LLM wird {n}-mal gefragt; das dauert noch {time}.</translation>
    </message>
    <message>
        <source>The LLM is being asked.</source>
        <translation>Das LLM wird gefragt.</translation>
    </message>
    <message>
        <source>The LLM is left alone for a while when this share of its last answers failed.</source>
        <translation>Das LLM wird eine Weile in Ruhe gelassen, wenn dieser Anteil seiner letzten Antworten fehlschlug.</translation>
    </message>
    <message>
        <source>The LLM is left alone for {rest_seconds} s: {failures}.</source>
        <translation>Das LLM wird {rest_seconds} s in Ruhe gelassen: {failures}.</translation>
    </message>
    <message>
        <source>The LLM is never heard</source>
        <translation>Das LLM kommt nie zu Wort</translation>
    </message>
    <message>
        <source>The LLM is not asked any more once it has cost so many dollars in a month.</source>
        <translation>Das LLM wird nicht mehr gefragt, wenn es in einem Monat so viele Dollar gekostet hat.</translation>
    </message>
    <message>
        <source>The LLM is not asked for routes while you type (route.llm_while_typing).</source>
        <translation>Das LLM wird beim Tippen nicht nach Routen gefragt (route.llm_while_typing).</translation>
    </message>
    <message>
        <source>The LLM is not asked for this answer.</source>
        <translation>Für diese Antwort wird das LLM nicht gefragt.</translation>
    </message>
    <message>
        <source>The LLM is not asked here.</source>
        <translation>Das LLM wird hier nicht gefragt.</translation>
    </message>
    <message>
        <source>The LLM is not asked here; where it answers in time it may decide otherwise.</source>
        <translation>Das LLM wird hier nicht gefragt; wo es rechtzeitig antwortet, kann es anders entscheiden.</translation>
    </message>
    <message>
        <source>The LLM is not ready.</source>
        <translation>Das LLM ist nicht bereit.</translation>
    </message>
    <message>
        <source>The LLM is switched off (search_intent.use_llm), so there is nothing of it to evaluate.</source>
        <translation>Das LLM ist ausgeschaltet (search_intent.use_llm), also gibt es von ihm nichts auszuwerten.</translation>
    </message>
    <message>
        <source>The LLM knows the five routes only, and your examples name others. With llm.choose_routes it chooses among yours.</source>
        <translation>Das LLM kennt nur die fünf Routen, und Ihre Beispiele nennen andere. Mit llm.choose_routes wählt es unter Ihren.</translation>
    </message>
    <message>
        <source>The LLM on the other side</source>
        <translation>Das LLM auf der anderen Seite</translation>
    </message>
    <message>
        <source>The LLM said {intent} with {confidence}.{why}</source>
        <translation>Das LLM sagte {intent} mit {confidence}.{why}</translation>
    </message>
    <message>
        <source>The LLM said {intent} {ago}, with {confidence}.</source>
        <translation>Das LLM sagte {intent} {ago}, mit {confidence}.</translation>
    </message>
    <message>
        <source>The LLM said {intent}, but {below}.</source>
        <translation>Das LLM sagte {intent}, aber {below}.</translation>
    </message>
    <message>
        <source>The LLM says</source>
        <translation>Das LLM sagt</translation>
    </message>
    <message numerus="yes">
        <source>The LLM was asked {n} questions; what it said before was not asked again.</source>
        <translation>
            <numerusform>Dem LLM wurde {n} Frage gestellt; was es schon gesagt hat, wurde nicht noch einmal gefragt.</numerusform>
            <numerusform>Dem LLM wurden {n} Fragen gestellt; was es schon gesagt hat, wurde nicht noch einmal gefragt.</numerusform>
        </translation>
    </message>
    <message>
        <source>The LLM was not asked, so there was nothing to keep.</source>
        <translation>Das LLM wurde nicht gefragt, also gab es nichts aufzubewahren.</translation>
    </message>
    <message>
        <source>The LLM was not asked.</source>
        <translation>Das LLM wurde nicht gefragt.</translation>
    </message>
    <message>
        <source>The LLM&apos;s answers are kept so many hours; 0: not at all.</source>
        <translation>Die Antworten des LLM werden so viele Stunden behalten; 0: gar nicht.</translation>
    </message>
    <message>
        <source>the LLM&apos;s {type}</source>
        <translation>{type} vom LLM</translation>
    </message>
    <message>
        <source>The log beside the library {file} (its name ends in -wal) was removed while another program has the library open, so nothing was changed: close that program, and try again.</source>
        <translation>Das Protokoll neben der Bibliothek {file} (sein Name endet auf -wal) wurde entfernt, während ein anderes Programm die Bibliothek offen hat, also wurde nichts geändert: schließen Sie dieses Programm, und versuchen Sie es noch einmal.</translation>
    </message>
    <message>
        <source>The log holds no decision whose text is kept, so there is nothing to look at.</source>
        <translation>Das Protokoll enthält keine Entscheidung, deren Text behalten ist, es gibt also nichts anzusehen.</translation>
    </message>
    <message>
        <source>The log is being added up.</source>
        <translation>Das Protokoll wird zusammengezählt.</translation>
    </message>
    <message>
        <source>The log is being read.</source>
        <translation>Das Protokoll wird gelesen.</translation>
    </message>
    <message>
        <source>The log of decisions</source>
        <translation>Das Protokoll der Entscheidungen</translation>
    </message>
    <message>
        <source>The log of decisions holds no texts, so there is nothing to simulate. It keeps them with history.privacy full.</source>
        <translation>Das Protokoll der Entscheidungen enthält keine Texte, also gibt es nichts zu simulieren. Mit history.privacy full bewahrt es sie auf.</translation>
    </message>
    <message>
        <source>The loopback port on which `serve` answers assistants.</source>
        <translation>Der lokale Port, auf dem `serve` Assistenten antwortet.</translation>
    </message>
    <message>
        <source>The matches are the same on both sides.</source>
        <translation>Die Treffer sind auf beiden Seiten gleich.</translation>
    </message>
    <message>
        <source>The memories that are surfaced take at most so many tokens together.</source>
        <translation>Die mitgegebenen Erinnerungen brauchen zusammen höchstens so viele Token.</translation>
    </message>
    <message>
        <source>The memory has no text: give it “text”, or “triggers” as a list.</source>
        <translation>Die Erinnerung hat keinen Text: geben Sie ihr „text“, oder „triggers“ als Liste.</translation>
    </message>
    <message>
        <source>The message</source>
        <translation>Die Nachricht</translation>
    </message>
    <message>
        <source>The model did not load in time.</source>
        <translation>Das Modell wurde nicht rechtzeitig geladen.</translation>
    </message>
    <message>
        <source>The model has not been asked for yet.</source>
        <translation>Das Modell wurde noch nicht gefragt.</translation>
    </message>
    <message>
        <source>The model is loading, about {s} s. This is not a time-out.</source>
        <translation>Das Modell lädt, etwa {s} s. Das ist keine Zeitüberschreitung.</translation>
    </message>
    <message>
        <source>The model is loading. This is not a time-out.</source>
        <translation>Das Modell lädt. Das ist keine Zeitüberschreitung.</translation>
    </message>
    <message>
        <source>The model is not on the server.</source>
        <translation>Das Modell ist nicht auf dem Server.</translation>
    </message>
    <message>
        <source>The model that ships is not installed. Run the set-up again, or choose a folder.</source>
        <translation>Das mitgelieferte Modell ist nicht installiert. Führen Sie die Einrichtung noch einmal aus, oder wählen Sie einen Ordner.</translation>
    </message>
    <message>
        <source>the model was loading</source>
        <translation>das Modell lud</translation>
    </message>
    <message>
        <source>The model was unloaded and is loading again. This is not a time-out.</source>
        <translation>Das Modell war entladen und lädt wieder. Das ist keine Zeitüberschreitung.</translation>
    </message>
    <message>
        <source>The model {model} is not on this computer. Download it on the Settings page, or choose a folder.</source>
        <translation>Das Modell {model} ist nicht auf diesem Rechner. Laden Sie es auf der Seite Einstellungen herunter, oder wählen Sie einen Ordner.</translation>
    </message>
    <message>
        <source>The model {name} cannot be loaded</source>
        <translation>Das Modell {name} kann nicht geladen werden</translation>
    </message>
    <message>
        <source>The month’s budget of ${budget} is used up (${spent} spent).</source>
        <translation>Das Budget des Monats von ${budget} ist verbraucht (${spent} ausgegeben).</translation>
    </message>
    <message>
        <source>The name of a namespace has at most {longest} characters.</source>
        <translation>Der Name eines Namensraums hat höchstens {longest} Zeichen.</translation>
    </message>
    <message>
        <source>The name of a namespace holds no comma and no equals sign.</source>
        <translation>Der Name eines Namensraums enthält kein Komma und kein Gleichheitszeichen.</translation>
    </message>
    <message>
        <source>the name of a route holds no semicolon and no equals sign</source>
        <translation>der Name einer Route enthält kein Semikolon und kein Gleichheitszeichen</translation>
    </message>
    <message>
        <source>the name of a route is a text of at most {most} characters</source>
        <translation>der Name einer Route ist ein Text von höchstens {most} Zeichen</translation>
    </message>
    <message>
        <source>The name of the file holds a NUL character, which no name has.</source>
        <translation>Der Name der Datei enthält ein NUL-Zeichen, das kein Name hat.</translation>
    </message>
    <message>
        <source>The nearest is {name}, by {won}.</source>
        <translation>Am nächsten ist {name}, durch {won}.</translation>
    </message>
    <message>
        <source>the next one</source>
        <translation>die nächste</translation>
    </message>
    <message>
        <source>the number of a step, as `steps` lists it</source>
        <translation>die Nummer eines Schritts, wie `steps` sie nennt</translation>
    </message>
    <message>
        <source>The order of the rules changes.</source>
        <translation>Die Reihenfolge der Regeln ändert sich.</translation>
    </message>
    <message>
        <source>The pack is as it came already.</source>
        <translation>Das Paket ist schon, wie es kam.</translation>
    </message>
    <message>
        <source>The pack “{name}” {what}, so it cannot be written as one file.</source>
        <translation>Das Paket „{name}“ {what} und lässt sich deshalb nicht als eine Datei schreiben.</translation>
    </message>
    <message>
        <source>the pack “{pack}”</source>
        <translation>das Paket „{pack}“</translation>
    </message>
    <message>
        <source>The pack “{pack}” did not come with the program, so there is nothing to reset it to.</source>
        <translation>Das Paket „{pack}“ kam nicht mit dem Programm, also gibt es nichts, worauf es zurückgesetzt werden könnte.</translation>
    </message>
    <message>
        <source>The pack “{pack}” is as it came with the program.</source>
        <translation>Das Paket „{pack}“ ist, wie es mit dem Programm kam.</translation>
    </message>
    <message>
        <source>The pages at the left with words, or icons alone; `auto` by the width of the window.</source>
        <translation>Die Seiten links mit Worten, oder nur Symbole; `auto` nach der Breite des Fensters.</translation>
    </message>
    <message>
        <source>The parts of {model_name} cannot be put together: {error}.</source>
        <translation>Die Teile von {model_name} lassen sich nicht zusammensetzen: {error}.</translation>
    </message>
    <message>
        <source>The password of {0} is forgotten.</source>
        <translation>Das Passwort von {0} ist vergessen.</translation>
    </message>
    <message>
        <source>The password of {0} is kept.</source>
        <translation>Das Passwort von {0} ist verwahrt.</translation>
    </message>
    <message>
        <source>the path is longer than this system allows: choose a shorter one.</source>
        <translation>der Pfad ist länger, als dieses System erlaubt: wählen Sie einen kürzeren.</translation>
    </message>
    <message>
        <source>The path of the decision</source>
        <translation>Der Weg der Entscheidung</translation>
    </message>
    <message>
        <source>The pattern is empty, so it would be found everywhere and nowhere.</source>
        <translation>Das Muster ist leer und würde überall und nirgends gefunden.</translation>
    </message>
    <message>
        <source>The pattern is empty.</source>
        <translation>Das Muster ist leer.</translation>
    </message>
    <message>
        <source>The pattern is too large.</source>
        <translation>Das Muster ist zu groß.</translation>
    </message>
    <message>
        <source>The pattern “{source}” does not compile: {reason}.</source>
        <translation>Das Muster „{source}“ lässt sich nicht übersetzen: {reason}.</translation>
    </message>
    <message>
        <source>The pattern “{source}” is too large to run on every key: it comes to {size} instructions, and at most {largest} are run. Use smaller repetitions, or make two rules of it.</source>
        <translation>Das Muster „{source}“ ist zu groß, um bei jeder Taste zu laufen: es kommt auf {size} Anweisungen, und höchstens {largest} werden ausgeführt. Nehmen Sie kleinere Wiederholungen, oder machen Sie zwei Regeln daraus.</translation>
    </message>
    <message numerus="yes">
        <source>The patterns of {n} rules cannot be used, so they are left out.</source>
        <translation>
            <numerusform>Das Muster von {n} Regel ist nicht brauchbar, sie wird ausgelassen.</numerusform>
            <numerusform>Die Muster von {n} Regeln sind nicht brauchbar, sie werden ausgelassen.</numerusform>
        </translation>
    </message>
    <message>
        <source>The power</source>
        <translation>Die Fähigkeit</translation>
    </message>
    <message>
        <source>the power</source>
        <translation>die Fähigkeit</translation>
    </message>
    <message>
        <source>The power {name} is {outcome}.</source>
        <translation>Die Fähigkeit {name} ist {outcome}.</translation>
    </message>
    <message>
        <source>The power {name} would be activated too.</source>
        <translation>Die Fähigkeit {name} würde auch aktiviert.</translation>
    </message>
    <message>
        <source>the power “{name}”</source>
        <translation>die Fähigkeit „{name}“</translation>
    </message>
    <message>
        <source>the profile</source>
        <translation>dem Profil</translation>
    </message>
    <message>
        <source>The profile {0} opens in a window of its own.</source>
        <translation>Das Profil {0} öffnet sich in einem eigenen Fenster.</translation>
    </message>
    <message>
        <source>the program that is started, such as npx</source>
        <translation>das Programm, das gestartet wird, etwa npx</translation>
    </message>
    <message>
        <source>The program was not installed as a package, so its extras are not known.</source>
        <translation>Das Programm wurde nicht als Paket installiert, deshalb sind seine Extras nicht bekannt.</translation>
    </message>
    <message>
        <source>The queries are being read.</source>
        <translation>Die Anfragen werden gelesen.</translation>
    </message>
    <message>
        <source>The query</source>
        <translation>Die Anfrage</translation>
    </message>
    <message>
        <source>The query as it was</source>
        <translation>Die Anfrage, wie sie war</translation>
    </message>
    <message>
        <source>The query goes to “{route}”. {because}</source>
        <translation>Die Anfrage geht zu „{route}“. {because}</translation>
    </message>
    <message>
        <source>The query holds no topic, and search_intent.require_topics wants one.</source>
        <translation>Die Anfrage enthält kein Thema, und search_intent.require_topics verlangt eines.</translation>
    </message>
    <message>
        <source>The query in front</source>
        <translation>Die vorderste Anfrage</translation>
    </message>
    <message>
        <source>The query is being fetched. Try again in a moment.</source>
        <translation>Die Anfrage wird geholt. Versuchen Sie es gleich noch einmal.</translation>
    </message>
    <message>
        <source>The query is empty, so no answer to it can be right or wrong.</source>
        <translation>Die Anfrage ist leer, also kann keine Antwort auf sie richtig oder falsch sein.</translation>
    </message>
    <message>
        <source>The query is empty. Type a sentence first.</source>
        <translation>Die Anfrage ist leer. Geben Sie zuerst einen Satz ein.</translation>
    </message>
    <message>
        <source>The query is longer than {max_characters} characters.</source>
        <translation>Die Anfrage ist länger als {max_characters} Zeichen.</translation>
    </message>
    <message>
        <source>The query of {0} is on the clipboard.</source>
        <translation>Die Abfrage von {0} liegt in der Zwischenablage.</translation>
    </message>
    <message>
        <source>The query on screen has no type, so nothing is surfaced.</source>
        <translation>Die Anfrage auf dem Schirm hat keinen Typ, deshalb wird nichts mitgegeben.</translation>
    </message>
    <message>
        <source>The query&apos;s vector is being made; the best lexical score decides until then.</source>
        <translation>Der Vektor der Anfrage wird gemacht; bis dahin entscheidet der beste lexikalische Score.</translation>
    </message>
    <message>
        <source>The query’s vector is being made.</source>
        <translation>Der Vektor der Anfrage wird gemacht.</translation>
    </message>
    <message>
        <source>The question has no answer: a line that begins with “A:” was expected.</source>
        <translation>Die Frage hat keine Antwort: eine Zeile, die mit „A:“ beginnt, wurde erwartet.</translation>
    </message>
    <message>
        <source>The quote that opens in line {opened_in} is never closed: nothing from there on can be read.</source>
        <translation>Das Anführungszeichen, das in Zeile {opened_in} öffnet, wird nie geschlossen: von da an ist nichts lesbar.</translation>
    </message>
    <message>
        <source>The replay broke off</source>
        <translation>Die Wiederholung brach ab</translation>
    </message>
    <message>
        <source>The replay has ended.</source>
        <translation>Die Wiederholung ist zu Ende.</translation>
    </message>
    <message>
        <source>The replay was stopped</source>
        <translation>Die Wiederholung wurde angehalten</translation>
    </message>
    <message>
        <source>The roll-out of {candidate} went back by itself, {when}: {why}</source>
        <translation>Die Einführung von {candidate} ging von selbst zurück, {when}: {why}</translation>
    </message>
    <message>
        <source>The roll-out went back by itself; the reason stands above.</source>
        <translation>Die Einführung ging von selbst zurück; der Grund steht oben.</translation>
    </message>
    <message>
        <source>the route examples were changed</source>
        <translation>die Beispiele für Routen wurden geändert</translation>
    </message>
    <message>
        <source>The route has no “name”.</source>
        <translation>Die Route hat keinen „name“.</translation>
    </message>
    <message>
        <source>the route of “{text}”</source>
        <translation>die Route von „{text}“</translation>
    </message>
    <message>
        <source>the route “{name}”</source>
        <translation>die Route „{name}“</translation>
    </message>
    <message>
        <source>The route “{name}” has no list of “utterances”.</source>
        <translation>Die Route „{name}“ hat keine Liste „utterances“.</translation>
    </message>
    <message>
        <source>The router looks stuck. {why}</source>
        <translation>Die Routen scheinen festzustecken. {why}</translation>
    </message>
    <message>
        <source>The routes that queries can take: listed, added, changed, switched on and off.</source>
        <translation>Die Routen, die Anfragen nehmen können: auflisten, hinzufügen, ändern, ein- und ausschalten.</translation>
    </message>
    <message>
        <source>the routes that ship</source>
        <translation>die mitgelieferten Routen</translation>
    </message>
    <message>
        <source>The row has {count} cells, but the first row names {count_2}.</source>
        <translation>Die Zeile hat {count} Zellen, aber die erste Zeile nennt {count_2}.</translation>
    </message>
    <message>
        <source>The row is no CSV: {error}; is a quotation mark missing?</source>
        <translation>Die Zeile ist kein CSV: {error}; fehlt ein Anführungszeichen?</translation>
    </message>
    <message>
        <source>The rule pack {path} cannot be read. {error}</source>
        <translation>Das Regelpaket {path} ist nicht lesbar. {error}</translation>
    </message>
    <message>
        <source>The rule pack {path} is not of the form of a pack: {error}.</source>
        <translation>Das Regelpaket {path} hat nicht die Form eines Pakets: {error}.</translation>
    </message>
    <message>
        <source>the rule {name} fires no longer</source>
        <translation>die Regel {name} nicht mehr greift</translation>
    </message>
    <message>
        <source>the rule {name} fires now</source>
        <translation>die Regel {name} jetzt greift</translation>
    </message>
    <message>
        <source>the rule “{name}”</source>
        <translation>die Regel „{name}“</translation>
    </message>
    <message>
        <source>The rule “{rule}” is held back by its “unless”.</source>
        <translation>Die Regel „{rule}“ wird durch ihr „Außer“ zurückgehalten.</translation>
    </message>
    <message>
        <source>The rule&apos;s own confidence is a number from 0 to 1, or nothing.</source>
        <translation>Die eigene Konfidenz der Regel ist eine Zahl von 0 bis 1, oder nichts.</translation>
    </message>
    <message>
        <source>The rules alone say</source>
        <translation>Die Regeln allein sagen</translation>
    </message>
    <message>
        <source>the rules and examples of “{name}”</source>
        <translation>die Regeln und Beispiele von „{name}“</translation>
    </message>
    <message>
        <source>the rules were changed</source>
        <translation>die Regeln wurden geändert</translation>
    </message>
    <message>
        <source>the rule’s own confidence</source>
        <translation>die eigene Konfidenz der Regel</translation>
    </message>
    <message>
        <source>the same</source>
        <translation>gleich</translation>
    </message>
    <message>
        <source>the same by the weights of powers</source>
        <translation>dasselbe nach den Gewichten für Fähigkeiten</translation>
    </message>
    <message>
        <source>The same for powers; `same` takes `combination`.</source>
        <translation>Dasselbe für Fähigkeiten; `same` nimmt `combination`.</translation>
    </message>
    <message>
        <source>The same numbers as a table</source>
        <translation>Dieselben Zahlen als Tabelle</translation>
    </message>
    <message>
        <source>the same on both sides</source>
        <translation>auf beiden Seiten gleich</translation>
    </message>
    <message>
        <source>the same settings</source>
        <translation>denselben Einstellungen</translation>
    </message>
    <message>
        <source>The same text, case, punctuation and spaces apart.</source>
        <translation>Derselbe Text, von Großschreibung, Satzzeichen und Leerzeichen abgesehen.</translation>
    </message>
    <message numerus="yes">
        <source>The same trigger under {n} answers. A query like it scores the same for each of them.</source>
        <translation>
            <numerusform>Derselbe Auslöser unter {n} Antwort. Eine solche Anfrage hat bei jeder denselben Score.</numerusform>
            <numerusform>Derselbe Auslöser unter {n} Antworten. Eine solche Anfrage hat bei jeder denselben Score.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>The same trigger {n} times under one answer. One of them is enough.</source>
        <translation>
            <numerusform>Derselbe Auslöser {n}-mal unter einer Antwort. Einer davon genügt.</numerusform>
            <numerusform>Derselbe Auslöser {n}-mal unter einer Antwort. Einer davon genügt.</numerusform>
        </translation>
    </message>
    <message>
        <source>the same words</source>
        <translation>gleiche Wörter</translation>
    </message>
    <message>
        <source>The same words, whatever their order.</source>
        <translation>Dieselben Wörter, in welcher Folge auch immer.</translation>
    </message>
    <message>
        <source>The sample</source>
        <translation>Die Stichprobe</translation>
    </message>
    <message>
        <source>The scale is fitted on {asked} triggers taught here; its own calibration error is {ece}.</source>
        <translation>Die Skala ist an {asked} hier beigebrachte Auslöser angepasst; ihr eigener Kalibrierungsfehler ist {ece}.</translation>
    </message>
    <message>
        <source>the scales of confidence were fitted anew</source>
        <translation>die Skalen der Konfidenz wurden neu angepasst</translation>
    </message>
    <message>
        <source>The scope</source>
        <translation>Der Scope</translation>
    </message>
    <message>
        <source>the scores by their weights, renormalised over those that are present</source>
        <translation>die Scores nach ihren Gewichten, neu normiert auf die vorhandenen</translation>
    </message>
    <message>
        <source>The second answer is as near as the first.</source>
        <translation>Die zweite Antwort ist so nahe wie die erste.</translation>
    </message>
    <message>
        <source>The secrets cannot be written to {file}: {strerror}.</source>
        <translation>Die Geheimnisse lassen sich nicht nach {file} schreiben: {strerror}.</translation>
    </message>
    <message>
        <source>The secrets in {file} cannot be read ({error}): mend or remove it.</source>
        <translation>Die Geheimnisse in {file} sind nicht lesbar ({error}): beheben oder entfernen Sie sie.</translation>
    </message>
    <message>
        <source>The sentence encoder.</source>
        <translation>Der Satz-Encoder.</translation>
    </message>
    <message>
        <source>The server answered {status_code}: {error}.</source>
        <translation>Der Server antwortete {status_code}: {error}.</translation>
    </message>
    <message>
        <source>The server at {url} answered {status_code}: {reason}.</source>
        <translation>Der Server auf {url} antwortete {status_code}: {reason}.</translation>
    </message>
    <message>
        <source>The server at {url} did not answer within {request} s.</source>
        <translation>Der Server auf {url} antwortete nicht innerhalb von {request} s.</translation>
    </message>
    <message>
        <source>The server cannot be reached: {error}</source>
        <translation>Der Server ist nicht zu erreichen: {error}</translation>
    </message>
    <message>
        <source>The server did not answer as it should.</source>
        <translation>Der Server hat nicht geantwortet, wie er sollte.</translation>
    </message>
    <message>
        <source>The server did not finish within {request} s.</source>
        <translation>Der Server wurde nicht innerhalb von {request} s fertig.</translation>
    </message>
    <message>
        <source>The server does not answer.</source>
        <translation>Der Server antwortet nicht.</translation>
    </message>
    <message>
        <source>The server does not have {wanted}; it has {models}.</source>
        <translation>Der Server hat {wanted} nicht; er hat {models}.</translation>
    </message>
    <message>
        <source>The server does not run: start it first (F5).</source>
        <translation>Der Server läuft nicht: starten Sie ihn zuerst (F5).</translation>
    </message>
    <message>
        <source>The server fetches it from its own library; that may take minutes.</source>
        <translation>Der Server holt es aus seiner eigenen Bibliothek; das kann Minuten dauern.</translation>
    </message>
    <message>
        <source>The server gives no probabilities of tokens; it may be too old.</source>
        <translation>Der Server gibt keine Wahrscheinlichkeiten von Token; vielleicht ist er zu alt.</translation>
    </message>
    <message>
        <source>The server has no pgvector: its administrator installs it (on Debian the package postgresql-{version}-pgvector) and runs in the database “{database}”: CREATE EXTENSION vector;</source>
        <translation>Dem Server fehlt pgvector: Wer ihn verwaltet, installiert es (unter Debian das Paket postgresql-{version}-pgvector) und führt in der Datenbank „{database}“ aus: CREATE EXTENSION vector;</translation>
    </message>
    <message>
        <source>The server has written nothing to its standard error.</source>
        <translation>Der Server hat nichts auf seine Fehlerausgabe geschrieben.</translation>
    </message>
    <message numerus="yes">
        <source>The server has {n} models.</source>
        <translation>
            <numerusform>Der Server hat ein Modell.</numerusform>
            <numerusform>Der Server hat {n} Modelle.</numerusform>
        </translation>
    </message>
    <message>
        <source>The server holds nothing of this library yet: fill it first.</source>
        <translation>Der Server enthält noch nichts aus dieser Bibliothek: Füllen Sie ihn zuerst.</translation>
    </message>
    <message>
        <source>The server is being asked what it holds.</source>
        <translation>Der Server wird gefragt, was er hat.</translation>
    </message>
    <message>
        <source>The server is being asked.</source>
        <translation>Der Server wird gefragt.</translation>
    </message>
    <message>
        <source>The server refused: {error}</source>
        <translation>Der Server hat abgelehnt: {error}</translation>
    </message>
    <message>
        <source>The server “{name}” has neither a “command” nor a “url”.</source>
        <translation>Der Server „{name}“ hat weder „command“ noch „url“.</translation>
    </message>
    <message>
        <source>The server “{name}” has no package and no address that can be used here.</source>
        <translation>Der Server „{name}“ hat kein Paket und keine Adresse, die hier brauchbar wären.</translation>
    </message>
    <message>
        <source>The server “{name}” is no object.</source>
        <translation>Der Server „{name}“ ist kein Objekt.</translation>
    </message>
    <message>
        <source>The server “{name}”: {refused}</source>
        <translation>Der Server „{name}“: {refused}</translation>
    </message>
    <message>
        <source>The server&apos;s answer is not what Ollama sends.</source>
        <translation>Die Antwort des Servers ist nicht, was Ollama sendet.</translation>
    </message>
    <message>
        <source>The server&apos;s decision is not a choice.</source>
        <translation>Die Entscheidung des Servers ist keine Auswahl.</translation>
    </message>
    <message>
        <source>the server&apos;s log: who changed how many things when, the newest first</source>
        <translation>das Protokoll des Servers: wer wann wie viel geändert hat, das Neueste zuerst</translation>
    </message>
    <message>
        <source>The servers are being asked.</source>
        <translation>Die Server werden gefragt.</translation>
    </message>
    <message>
        <source>The servers do not hold what is searched in this library, or not all of it: “intentscope team --index” fills them.</source>
        <translation>Auf den Servern liegt nicht oder nicht ganz, was in dieser Bibliothek gesucht wird: „intentscope team --index“ füllt sie.</translation>
    </message>
    <message>
        <source>the settings ask for one</source>
        <translation>die Einstellungen verlangen eines</translation>
    </message>
    <message>
        <source>the settings file</source>
        <translation>die Einstellungsdatei</translation>
    </message>
    <message>
        <source>The settings file {path} cannot be read: {strerror}.</source>
        <translation>Die Einstellungsdatei {path} ist nicht lesbar: {strerror}.</translation>
    </message>
    <message>
        <source>The settings file {path} has an error in line {line}: no setting has a name of more than 64 parts.</source>
        <translation>Die Einstellungsdatei {path} hat einen Fehler in Zeile {line}: kein Name einer Einstellung hat mehr als 64 Teile.</translation>
    </message>
    <message>
        <source>The settings file {path} has an error in line {line}: {error}</source>
        <translation>Die Einstellungsdatei {path} hat einen Fehler in Zeile {line}: {error}</translation>
    </message>
    <message>
        <source>The settings file {path} has an error in line {line}: {why}.</source>
        <translation>Die Einstellungsdatei {path} hat einen Fehler in Zeile {line}: {why}.</translation>
    </message>
    <message>
        <source>The settings file {path} holds a number or a date that cannot be.</source>
        <translation>Die Einstellungsdatei {path} enthält eine Zahl oder ein Datum, das es nicht gibt.</translation>
    </message>
    <message>
        <source>The settings file {path} is a pipe or a device: save what it gives in a file first.</source>
        <translation>Die Einstellungsdatei {path} ist eine Pipe oder ein Gerät: speichern Sie zuerst in eine Datei, was sie liefert.</translation>
    </message>
    <message>
        <source>The settings file {path} is larger than {max_bytes} MB, so it is not read.</source>
        <translation>Die Einstellungsdatei {path} ist größer als {max_bytes} MB und wird deshalb nicht gelesen.</translation>
    </message>
    <message>
        <source>The settings file {path} is no text in UTF-8.</source>
        <translation>Die Einstellungsdatei {path} ist kein Text in UTF-8.</translation>
    </message>
    <message>
        <source>The settings file {path} is not read: it is nested too deep.</source>
        <translation>Die Einstellungsdatei {path} wird nicht gelesen: sie ist zu tief verschachtelt.</translation>
    </message>
    <message>
        <source>The settings that these go by instead, such as route.threshold=0.95, parted by commas.</source>
        <translation>Die Einstellungen, nach denen diese stattdessen gehen, etwa route.threshold=0.95, durch Kommas getrennt.</translation>
    </message>
    <message>
        <source>The share of best rules and of undecided ones is the price of asking no LLM.</source>
        <translation>Der Anteil bester Regeln und unentschiedener Anfragen ist der Preis dafür, kein LLM zu fragen.</translation>
    </message>
    <message>
        <source>The spell: {refused}</source>
        <translation>Der Zauber: {refused}</translation>
    </message>
    <message>
        <source>The store did not answer within {seconds} s.</source>
        <translation>Der Speicher hat nicht innerhalb von {seconds} s geantwortet.</translation>
    </message>
    <message>
        <source>The store gave up: {error}</source>
        <translation>Der Speicher hat aufgegeben: {error}</translation>
    </message>
    <message>
        <source>The store has been closed.</source>
        <translation>Der Speicher wurde geschlossen.</translation>
    </message>
    <message>
        <source>The store holds everything that is taught.</source>
        <translation>Der Speicher enthält alles, was beigebracht ist.</translation>
    </message>
    <message>
        <source>The store holds vectors of {held} numbers, these have {length}: fill it anew.</source>
        <translation>Der Speicher enthält Vektoren aus {held} Zahlen, diese haben {length}: Füllen Sie ihn neu.</translation>
    </message>
    <message>
        <source>The stores of the routes that matched: {routes}.</source>
        <translation>Die Speicher der Routen, die trafen: {routes}.</translation>
    </message>
    <message>
        <source>The stores that routes lead to are there: name them, and hold decisions against the targets.</source>
        <translation>Die Speicher, zu denen Routen führen, sind da: sie nennen und Entscheidungen an den Zielen messen.</translation>
    </message>
    <message>
        <source>The structured answer is left out: it is longer than the most that is passed on.</source>
        <translation>Die strukturierte Antwort ist ausgelassen: sie ist länger als das Meiste, was weitergereicht wird.</translation>
    </message>
    <message>
        <source>The table had it</source>
        <translation>Die Tabelle hatte sie</translation>
    </message>
    <message>
        <source>The table had it not</source>
        <translation>Die Tabelle hatte sie nicht</translation>
    </message>
    <message>
        <source>The target of {least} to {most} ms at most is {verdict}.</source>
        <translation>Das Ziel von höchstens {least} bis {most} ms ist {verdict}.</translation>
    </message>
    <message>
        <source>The taught examples say that no store is asked for: {none_share}, so they abstain.</source>
        <translation>Die Beispiele sagen, dass nach keinem Speicher gefragt ist: {none_share}, also enthalten sie sich.</translation>
    </message>
    <message>
        <source>The taught examples say {vote}:</source>
        <translation>Die Beispiele sagen {vote}:</translation>
    </message>
    <message>
        <source>The taught examples were not asked.</source>
        <translation>Die Beispiele wurden nicht gefragt.</translation>
    </message>
    <message>
        <source>the team&apos;s at postgresql://USER@HOST/DATABASE, in a profile that joins it at first</source>
        <translation>die eines Teams unter postgresql://USER@HOST/DATABASE, in einem Profil, das ihr zuerst beitritt</translation>
    </message>
    <message>
        <source>The team&apos;s library cannot be reached, so nothing was changed: try again later. ({reason})</source>
        <translation>Die Bibliothek des Teams ist nicht zu erreichen, also wurde nichts geändert: versuchen Sie es später noch einmal. ({reason})</translation>
    </message>
    <message>
        <source>The team&apos;s library cannot be reached: nothing can be changed, and all is as it was at {seen} (UTC). ({reason})</source>
        <translation>Die Bibliothek des Teams ist nicht zu erreichen: nichts kann geändert werden, und alles ist, wie es am {seen} (UTC) war. ({reason})</translation>
    </message>
    <message numerus="yes">
        <source>The team&apos;s library is here now: {n} rows, as on the server ({digest}).</source>
        <translation>
            <numerusform>Die Bibliothek des Teams ist jetzt hier: {n} Zeile, wie auf dem Server ({digest}).</numerusform>
            <numerusform>Die Bibliothek des Teams ist jetzt hier: {n} Zeilen, wie auf dem Server ({digest}).</numerusform>
        </translation>
    </message>
    <message>
        <source>The team&apos;s library is in the profile {folder} now.</source>
        <translation>Die Bibliothek des Teams ist jetzt im Profil {folder}.</translation>
    </message>
    <message>
        <source>The team&apos;s library is in use, and this profile has memories, powers or cases of its own, so nothing was changed: export them, join with a new profile (--profile), and import them there.</source>
        <translation>Die Bibliothek des Teams ist in Gebrauch, und dieses Profil hat eigene Erinnerungen, Powers oder Fälle, also wurde nichts geändert: exportieren Sie sie, treten Sie mit einem neuen Profil ein (--profile), und importieren Sie sie dort.</translation>
    </message>
    <message>
        <source>The team&apos;s library is of an older version than this program, so nothing was changed: start it anew, which brings it up to date.</source>
        <translation>Die Bibliothek des Teams ist von einer älteren Version als dieses Programm, also wurde nichts geändert: starten Sie es neu, das bringt sie auf den Stand.</translation>
    </message>
    <message>
        <source>The team&apos;s library was made or brought up to date by a newer version of this program (its format is “{version}”), so nothing was changed: update the program.</source>
        <translation>Die Bibliothek des Teams wurde von einer neueren Version dieses Programms angelegt oder auf den Stand gebracht (ihr Format ist „{version}“), also wurde nichts geändert: aktualisieren Sie das Programm.</translation>
    </message>
    <message>
        <source>the team&apos;s server</source>
        <translation>der Team-Server</translation>
    </message>
    <message>
        <source>The team&apos;s server broke off what took it too long, so nothing was changed: try again, or change less at once.</source>
        <translation>Der Server des Teams hat abgebrochen, was ihm zu lange dauerte; es wurde also nichts geändert: Versuchen Sie es noch einmal, oder ändern Sie weniger auf einmal.</translation>
    </message>
    <message>
        <source>The team&apos;s server refused, so nothing was changed: {said}.</source>
        <translation>Der Team-Server hat abgelehnt, also wurde nichts geändert: {said}.</translation>
    </message>
    <message>
        <source>The team&apos;s servers are asked which memories may answer; those that were found lately are here.</source>
        <translation>Die Server des Teams werden gefragt, welche Erinnerungen antworten können; hier sind die, die zuletzt gefunden wurden.</translation>
    </message>
    <message>
        <source>The team&apos;s servers do not find it for this query, so it is not among the answers; here it was scored all the same.</source>
        <translation>Die Server des Teams finden das für diese Anfrage nicht, darum ist es nicht unter den Antworten; hier wurde es trotzdem bewertet.</translation>
    </message>
    <message>
        <source>The text that would be injected</source>
        <translation>Der Text, der eingefügt würde</translation>
    </message>
    <message>
        <source>The thresholds are so already.</source>
        <translation>Die Schwellen sind schon so.</translation>
    </message>
    <message numerus="yes">
        <source>the thresholds of {n} labels</source>
        <translation>
            <numerusform>die Schwelle von {n} Label</numerusform>
            <numerusform>die Schwellen von {n} Labels</numerusform>
        </translation>
    </message>
    <message>
        <source>The time of each stage shows here.</source>
        <translation>Die Zeit jedes Schritts zeigt sich hier.</translation>
    </message>
    <message>
        <source>The tokenizer cannot be loaded: {error}.</source>
        <translation>Der Tokenizer kann nicht geladen werden: {error}.</translation>
    </message>
    <message>
        <source>the tool reports an error, after {ms} ms</source>
        <translation>das Werkzeug meldet einen Fehler, nach {ms} ms</translation>
    </message>
    <message>
        <source>The tool: {refused}</source>
        <translation>Das Werkzeug: {refused}</translation>
    </message>
    <message>
        <source>the tool; without, all are listed</source>
        <translation>das Werkzeug; ohne werden alle gelistet</translation>
    </message>
    <message>
        <source>the tools of “{name}” from its server</source>
        <translation>die Werkzeuge von „{name}“ von ihrem Server</translation>
    </message>
    <message>
        <source>The trace of this query cannot be read.</source>
        <translation>Der Ablauf dieser Anfrage ist nicht lesbar.</translation>
    </message>
    <message>
        <source>The trace was kept by another version of the program.</source>
        <translation>Der Ablauf wurde von einer anderen Version des Programms behalten.</translation>
    </message>
    <message>
        <source>the trigger “{trigger}” of {called}</source>
        <translation>der Auslöser „{trigger}“ von {called}</translation>
    </message>
    <message>
        <source>The two presets answer it differently.</source>
        <translation>Die beiden Vorgaben beantworten sie verschieden.</translation>
    </message>
    <message>
        <source>the type examples were changed</source>
        <translation>die Beispiele für Typen wurden geändert</translation>
    </message>
    <message>
        <source>The type is the same on both sides.</source>
        <translation>Der Typ ist auf beiden Seiten gleich.</translation>
    </message>
    <message>
        <source>The type of a query, such as how-to or troubleshoot, by keywords, examples and the LLM.</source>
        <translation>Der Typ einer Anfrage, etwa Anleitung oder Fehlersuche, nach Stichwörtern, Beispielen und dem LLM.</translation>
    </message>
    <message>
        <source>the type of “{text}”</source>
        <translation>der Typ von „{text}“</translation>
    </message>
    <message>
        <source>The type on screen, {name} {confidence},</source>
        <translation>Der Typ auf dem Schirm, {name} {confidence},</translation>
    </message>
    <message>
        <source>the type reaches {sure}, {wanted} is needed</source>
        <translation>der Typ erreicht {sure}, nötig sind {wanted}</translation>
    </message>
    <message>
        <source>the type reaches {sure}, {wanted} is needed, or {least} of its own</source>
        <translation>der Typ erreicht {sure}, nötig sind {wanted}, oder {least} eigene</translation>
    </message>
    <message>
        <source>The types of the last {count} queries all have the confidence {value}.</source>
        <translation>Die Typen der letzten {count} Anfragen haben alle die Konfidenz {value}.</translation>
    </message>
    <message>
        <source>The type’s confidence stands still</source>
        <translation>Die Konfidenz des Typs steht still</translation>
    </message>
    <message>
        <source>The value of the header {name} cannot be sent: enter it anew on the power&apos;s page.</source>
        <translation>Der Wert des Headers {name} lässt sich nicht senden: geben Sie ihn auf der Seite der Fähigkeit neu ein.</translation>
    </message>
    <message>
        <source>the variable OLLAMA_API_KEY of the environment is where Ollama keeps it</source>
        <translation>Ollama bewahrt ihn in der Variable OLLAMA_API_KEY der Umgebung auf</translation>
    </message>
    <message>
        <source>The variables that it gets</source>
        <translation>Die Variablen, die sie bekommt</translation>
    </message>
    <message>
        <source>The variables that it gets; their values stay hidden</source>
        <translation>Die Variablen, die sie bekommt; ihre Werte bleiben verborgen</translation>
    </message>
    <message>
        <source>The vectors in “{column}” have {held} numbers, those of this encoder {length}: choose the encoder that made them (encoder.name), or leave them out of the mapping.</source>
        <translation>Die Vektoren in „{column}“ haben {held} Zahlen, die dieses Encoders {length}: den Encoder wählen, der sie gemacht hat (encoder.name), oder sie aus der Zuordnung lassen.</translation>
    </message>
    <message>
        <source>The vectors of what is taught here are still being made.</source>
        <translation>Die Vektoren des hier Beigebrachten werden noch gemacht.</translation>
    </message>
    <message>
        <source>The way to the LLM</source>
        <translation>Der Weg zum LLM</translation>
    </message>
    <message>
        <source>The weight is a number from 0 to {most}.</source>
        <translation>Das Gewicht ist eine Zahl von 0 bis {most}.</translation>
    </message>
    <message>
        <source>the weights are too large to be added up</source>
        <translation>die Gewichte sind zu groß, um summiert zu werden</translation>
    </message>
    <message>
        <source>The yes holds for exactly this; any change asks again.</source>
        <translation>Das Ja gilt für genau dies; jede Änderung fragt neu.</translation>
    </message>
    <message>
        <source>the {name} score</source>
        <translation>der Score {name}</translation>
    </message>
    <message>
        <source>the {operand}</source>
        <translation>{operand}</translation>
    </message>
    <message>
        <source>Their vectors are of another encoder ({encoder}), so meaning found none.</source>
        <translation>Ihre Vektoren sind von einem anderen Encoder ({encoder}), nach Bedeutung wurde also keine gefunden.</translation>
    </message>
    <message>
        <source>Theirs and mine</source>
        <translation>Fremdes und Eigenes</translation>
    </message>
    <message>
        <source>Theirs, with what you changed: nothing was changed by both</source>
        <translation>Die andere Fassung, mit dem, was Sie geändert haben: nichts davon wurde von beiden geändert</translation>
    </message>
    <message>
        <source>Theme</source>
        <translation>Farben</translation>
    </message>
    <message>
        <source>Theme: as the desktop</source>
        <translation>Farben: wie der Desktop</translation>
    </message>
    <message>
        <source>Theme: dark</source>
        <translation>Farben: dunkel</translation>
    </message>
    <message>
        <source>Theme: light</source>
        <translation>Farben: hell</translation>
    </message>
    <message>
        <source>Then</source>
        <translation>Dann</translation>
    </message>
    <message>
        <source>then</source>
        <translation>dann</translation>
    </message>
    <message>
        <source>There are no cases yet.</source>
        <translation>Noch gibt es keine Fälle.</translation>
    </message>
    <message>
        <source>There are no cases, so what else a change would do is not counted.</source>
        <translation>Es gibt keine Fälle, deshalb ist nicht gezählt, was eine Änderung sonst bewirkt.</translation>
    </message>
    <message>
        <source>There are no labelled cases to try it on, so what it gains here is unknown. Mark answers right or wrong, or import cases.</source>
        <translation>Es gibt keine markierten Fälle, um ihn daran zu probieren; was er hier bringt, ist deshalb unbekannt. Markieren Sie Antworten als richtig oder falsch, oder importieren Sie Fälle.</translation>
    </message>
    <message>
        <source>There are no two answers to choose from.</source>
        <translation>Es gibt keine zwei Antworten zur Wahl.</translation>
    </message>
    <message>
        <source>There are too few examples to learn from: at least four, of two labels.</source>
        <translation>Es gibt zu wenige Beispiele zum Lernen: mindestens vier, von zwei Labels.</translation>
    </message>
    <message>
        <source>There are too many to list all: the most alike are shown.</source>
        <translation>Es sind zu viele, um alle aufzulisten: die ähnlichsten sind gezeigt.</translation>
    </message>
    <message>
        <source>There is a case with this query and task already: edit that one.</source>
        <translation>Einen Fall mit dieser Anfrage und Aufgabe gibt es schon: bearbeiten Sie den.</translation>
    </message>
    <message>
        <source>there is a file where a folder is needed</source>
        <translation>es ist eine Datei da, wo ein Ordner nötig ist</translation>
    </message>
    <message>
        <source>there is a folder where a file is needed</source>
        <translation>es ist ein Ordner da, wo eine Datei nötig ist</translation>
    </message>
    <message>
        <source>There is a namespace “{name}” already.</source>
        <translation>Einen Namensraum „{name}“ gibt es schon.</translation>
    </message>
    <message>
        <source>there is a pipe or a device where a file is needed</source>
        <translation>es ist eine Pipe oder ein Gerät da, wo eine Datei nötig ist</translation>
    </message>
    <message>
        <source>There is a route “{name}” already.</source>
        <translation>Es gibt schon eine Route „{name}“.</translation>
    </message>
    <message>
        <source>There is no answer to copy yet.</source>
        <translation>Noch gibt es keine Antwort zu kopieren.</translation>
    </message>
    <message>
        <source>There is no answer to mark. Teach it (T), or skip it (S).</source>
        <translation>Es gibt keine Antwort zu markieren. Bringen Sie sie bei (T), oder überspringen Sie sie (S).</translation>
    </message>
    <message>
        <source>There is no candidate to roll out: say which settings it has, in the terminal by --against KEY=VALUE, kept as route.candidate.</source>
        <translation>Es gibt keinen Kandidaten zum Ausrollen: sagen Sie, welche Einstellungen er hat, im Terminal mit --against SCHLÜSSEL=WERT, gemerkt als route.candidate.</translation>
    </message>
    <message>
        <source>There is no case of this task yet.</source>
        <translation>Noch gibt es keinen Fall dieser Aufgabe.</translation>
    </message>
    <message>
        <source>There is no comparison to copy yet.</source>
        <translation>Noch gibt es keinen Vergleich zu kopieren.</translation>
    </message>
    <message>
        <source>There is no encoder to go back to.</source>
        <translation>Es gibt keinen Encoder, zu dem man zurück könnte.</translation>
    </message>
    <message>
        <source>There is no encoder, so taught examples cannot be compared.</source>
        <translation>Es gibt keinen Encoder, also können Beispiele nicht verglichen werden.</translation>
    </message>
    <message>
        <source>There is no file {missing}.</source>
        <translation>Es gibt keine Datei {missing}.</translation>
    </message>
    <message>
        <source>There is no finding {key} now: “intentscope duplicates” lists what there is.</source>
        <translation>Einen Fund {key} gibt es jetzt nicht: „intentscope duplicates“ listet, was es gibt.</translation>
    </message>
    <message>
        <source>There is no folder {model}. Choose another on the Settings page.</source>
        <translation>Es gibt keinen Ordner {model}. Wählen Sie auf der Seite Einstellungen einen anderen.</translation>
    </message>
    <message>
        <source>There is no log format “{format_name}”; there are auto, {logs}.</source>
        <translation>Es gibt kein Protokollformat „{format_name}“; es gibt auto, {logs}.</translation>
    </message>
    <message>
        <source>There is no metric “{metric}”; there are {every}.</source>
        <translation>Es gibt kein Maß „{metric}“; es gibt {every}.</translation>
    </message>
    <message>
        <source>There is no pack and no rule “{named}”: “intentscope rules” lists the packs.</source>
        <translation>Es gibt kein Paket und keine Regel „{named}“: „intentscope rules“ listet die Pakete.</translation>
    </message>
    <message>
        <source>There is no pack “{pack}”: “intentscope rules” lists them.</source>
        <translation>Es gibt kein Paket „{pack}“: „intentscope rules“ listet sie.</translation>
    </message>
    <message>
        <source>There is no power “{name}”.{near}</source>
        <translation>Es gibt keine Fähigkeit „{name}“.{near}</translation>
    </message>
    <message>
        <source>There is no preset “{preset}”; there are {presets}.</source>
        <translation>Es gibt keine Vorgabe „{preset}“; es gibt {presets}.</translation>
    </message>
    <message>
        <source>There is no query to simulate.</source>
        <translation>Es gibt keine Anfrage, die simuliert werden könnte.</translation>
    </message>
    <message>
        <source>There is no query {forget}: “intentscope history” lists what is kept.</source>
        <translation>Es gibt keine Anfrage {forget}: „intentscope history“ listet, was behalten ist.</translation>
    </message>
    <message>
        <source>There is no query {skip}: “intentscope inbox” lists what waits.</source>
        <translation>Es gibt keine Anfrage {skip}: „intentscope inbox“ listet, was wartet.</translation>
    </message>
    <message>
        <source>There is no route “{name}”; there are {names}.</source>
        <translation>Es gibt keine Route „{name}“; es gibt {names}.</translation>
    </message>
    <message>
        <source>There is no rule “{named}”: “intentscope rules --pack PACK” lists them.</source>
        <translation>Es gibt keine Regel „{named}“: „intentscope rules --pack PACK“ listet sie.</translation>
    </message>
    <message>
        <source>There is no screen to open a window on (DISPLAY and WAYLAND_DISPLAY are not set).</source>
        <translation>Es gibt keinen Schirm, auf dem sich ein Fenster öffnen ließe (DISPLAY und WAYLAND_DISPLAY sind nicht gesetzt).</translation>
    </message>
    <message>
        <source>There is no setting “{key}” (from {origin}).</source>
        <translation>Es gibt keine Einstellung „{key}“ (aus: {origin}).</translation>
    </message>
    <message>
        <source>There is no setting “{key}” that can be swept.</source>
        <translation>Es gibt keine Einstellung „{key}“, die sich durchlaufen ließe.</translation>
    </message>
    <message>
        <source>There is no setting “{key}”.</source>
        <translation>Es gibt keine Einstellung „{key}“.</translation>
    </message>
    <message>
        <source>There is no step {step} that stands: “intentscope steps” lists them.</source>
        <translation>Es gibt keinen geltenden Schritt {step}: „intentscope steps“ listet sie.</translation>
    </message>
    <message>
        <source>There is no {file}; nothing is changed.</source>
        <translation>{file} gibt es nicht; nichts ist geändert.</translation>
    </message>
    <message>
        <source>There is no {kind} “{name}”.</source>
        <translation>Es gibt kein {kind} „{name}“.</translation>
    </message>
    <message>
        <source>There is no “{field}”.</source>
        <translation>Es gibt kein „{field}“.</translation>
    </message>
    <message>
        <source>There is no “{source}” on the server: it has {others}.</source>
        <translation>Auf dem Server gibt es „{source}“ nicht: er hat {others}.</translation>
    </message>
    <message>
        <source>there is not enough memory for it</source>
        <translation>dafür ist nicht genug Arbeitsspeicher da</translation>
    </message>
    <message>
        <source>There is nothing of others on the server that could be read.</source>
        <translation>Auf dem Server ist nichts von anderen, was gelesen werden könnte.</translation>
    </message>
    <message>
        <source>There is nothing to do again.</source>
        <translation>Es gibt nichts zu wiederholen.</translation>
    </message>
    <message>
        <source>There is nothing to look at yet.</source>
        <translation>Noch gibt es nichts anzusehen.</translation>
    </message>
    <message>
        <source>There is nothing to measure. Every query that rests on the scope is a decision, and so is what the command line and assistants ask.</source>
        <translation>Es gibt nichts zu messen. Jede Anfrage, die im Scope ruht, ist eine Entscheidung, ebenso was Befehlszeile und Assistenten fragen.</translation>
    </message>
    <message>
        <source>There is nothing to take back.</source>
        <translation>Es gibt nichts zurückzunehmen.</translation>
    </message>
    <message>
        <source>There is nothing to teach: TEXT is empty.</source>
        <translation>Es gibt nichts beizubringen: TEXT ist leer.</translation>
    </message>
    <message>
        <source>There is something else of that name already. Choose another.</source>
        <translation>Es gibt schon etwas anderes dieses Namens. Wählen Sie einen anderen.</translation>
    </message>
    <message>
        <source>These answer “{0}”.</source>
        <translation>Diese antworten auf „{0}“.</translation>
    </message>
    <message>
        <source>These are its tools already.</source>
        <translation>Das sind schon ihre Werkzeuge.</translation>
    </message>
    <message>
        <source>These decisions have cost {cost}. Right is counted where a case of the library has the same query.</source>
        <translation>Diese Entscheidungen haben {cost} gekostet. Richtig wird gezählt, wo ein Fall der Bibliothek dieselbe Anfrage hat.</translation>
    </message>
    <message>
        <source>These statements are run first:</source>
        <translation>Zuerst werden diese Anweisungen ausgeführt:</translation>
    </message>
    <message>
        <source>They answer already.</source>
        <translation>Sie antworten schon.</translation>
    </message>
    <message>
        <source>They are back already.</source>
        <translation>Sie sind schon zurück.</translation>
    </message>
    <message>
        <source>They are in the bin already.</source>
        <translation>Sie sind schon im Papierkorb.</translation>
    </message>
    <message>
        <source>They are paused already.</source>
        <translation>Sie sind schon pausiert.</translation>
    </message>
    <message>
        <source>They are switched off already.</source>
        <translation>Sie sind schon ausgeschaltet.</translation>
    </message>
    <message>
        <source>They are switched on already.</source>
        <translation>Sie sind schon eingeschaltet.</translation>
    </message>
    <message>
        <source>They are told apart already.</source>
        <translation>Sie sind schon auseinandergehalten.</translation>
    </message>
    <message>
        <source>They do not overrule what decides.</source>
        <translation>Sie überstimmen nicht, was entscheidet.</translation>
    </message>
    <message numerus="yes">
        <source>They go after {n} days, the oldest first beyond {most}.</source>
        <translation>
            <numerusform>Sie gehen nach {n} Tag, die ältesten zuerst jenseits von {most}.</numerusform>
            <numerusform>Sie gehen nach {n} Tagen, die ältesten zuerst jenseits von {most}.</numerusform>
        </translation>
    </message>
    <message>
        <source>Thing</source>
        <translation>Sache</translation>
    </message>
    <message>
        <source>This account may not add pgvector: an administrator runs in the database “{database}”: CREATE EXTENSION vector;</source>
        <translation>Dieses Konto darf pgvector nicht hinzufügen: Wer den Server verwaltet, führt in der Datenbank „{database}“ aus: CREATE EXTENSION vector;</translation>
    </message>
    <message>
        <source>This bundle cannot fetch packages.</source>
        <translation>Dieses Bündel kann keine Pakete holen.</translation>
    </message>
    <message>
        <source>This bundle cannot take up packages.</source>
        <translation>Dieses Bündel kann keine Pakete aufnehmen.</translation>
    </message>
    <message numerus="yes">
        <source>This changes all {n} memories.</source>
        <translation>
            <numerusform>Das ändert die Erinnerung.</numerusform>
            <numerusform>Das ändert alle {n} Erinnerungen.</numerusform>
        </translation>
    </message>
    <message>
        <source>This changes {changed} of {selected} memories; the others are so already.</source>
        <translation>Das ändert {changed} von {selected} Erinnerungen; die anderen sind schon so.</translation>
    </message>
    <message>
        <source>This edge of the pane cannot move further.</source>
        <translation>Dieser Rand des Bereichs kann nicht weiter.</translation>
    </message>
    <message>
        <source>This environment has no pip. {remedy}</source>
        <translation>Diese Umgebung hat kein pip. {remedy}</translation>
    </message>
    <message>
        <source>This is more than chance. {odds}</source>
        <translation>Das ist mehr als Zufall. {odds}</translation>
    </message>
    <message>
        <source>This is no TOML: {said}.</source>
        <translation>Das ist kein TOML: {said}.</translation>
    </message>
    <message>
        <source>This is no TOML: {why}.</source>
        <translation>Das ist kein TOML: {why}.</translation>
    </message>
    <message>
        <source>This is not JSON: texts stand in double quotes, lists in […], objects in {…}.</source>
        <translation>Das ist kein JSON: Texte stehen in doppelten Anführungszeichen, Listen in […], Objekte in {…}.</translation>
    </message>
    <message>
        <source>This is required.</source>
        <translation>Das ist nötig.</translation>
    </message>
    <message numerus="yes">
        <source>This library is the team&apos;s now: {n} rows are on the server, as here ({digest}).</source>
        <translation>
            <numerusform>Diese Bibliothek ist jetzt die des Teams: {n} Zeile ist auf dem Server, wie hier ({digest}).</numerusform>
            <numerusform>Diese Bibliothek ist jetzt die des Teams: {n} Zeilen sind auf dem Server, wie hier ({digest}).</numerusform>
        </translation>
    </message>
    <message>
        <source>This may be chance. {odds}</source>
        <translation>Das kann Zufall sein. {odds}</translation>
    </message>
    <message>
        <source>this memory</source>
        <translation>diese Erinnerung</translation>
    </message>
    <message>
        <source>This name cannot be used on every system. Choose another, of at most 64 letters.</source>
        <translation>Dieser Name ist nicht auf jedem System möglich. Wählen Sie einen anderen, mit höchstens 64 Buchstaben.</translation>
    </message>
    <message>
        <source>This pack did not come with the program.</source>
        <translation>Dieses Paket kam nicht mit dem Programm.</translation>
    </message>
    <message>
        <source>This page of the help cannot be read: {0}.</source>
        <translation>Diese Seite der Hilfe ist nicht lesbar: {0}.</translation>
    </message>
    <message>
        <source>This pane has no room of its own now.</source>
        <translation>Dieser Bereich hat jetzt keinen eigenen Platz.</translation>
    </message>
    <message>
        <source>This power is not among those that are listed. It stays here: its edits are not saved.</source>
        <translation>Diese Fähigkeit ist nicht unter den gelisteten. Sie bleibt hier: ihre Änderungen sind nicht gespeichert.</translation>
    </message>
    <message>
        <source>This profile has joined {address} already: leave that first.</source>
        <translation>Dieses Profil ist schon bei {address}: treten Sie dort zuerst aus.</translation>
    </message>
    <message>
        <source>This profile has left {address}; all that was in the library is here.</source>
        <translation>Dieses Profil ist bei {address} ausgetreten; alles, was in der Bibliothek war, ist hier.</translation>
    </message>
    <message>
        <source>This profile is in no team.</source>
        <translation>Dieses Profil ist in keinem Team.</translation>
    </message>
    <message>
        <source>This profile is in no team: its library is its own.</source>
        <translation>Dieses Profil ist in keinem Team: seine Bibliothek gehört ihm allein.</translation>
    </message>
    <message>
        <source>This query</source>
        <translation>Diese Anfrage</translation>
    </message>
    <message>
        <source>This query had no answer that could be right or wrong: teach it instead.</source>
        <translation>Diese Anfrage hatte keine Antwort, die richtig oder falsch sein könnte: bringen Sie sie stattdessen bei.</translation>
    </message>
    <message>
        <source>This query has been forgotten meanwhile.</source>
        <translation>Diese Anfrage wurde inzwischen vergessen.</translation>
    </message>
    <message>
        <source>This query has no answer that could be right or wrong: teach it instead.</source>
        <translation>Diese Anfrage hat keine Antwort, die richtig oder falsch sein könnte: bringen Sie sie stattdessen bei.</translation>
    </message>
    <message>
        <source>This query was kept without its text (history.privacy: hashed), so nothing can be taught from it.</source>
        <translation>Diese Anfrage wurde ohne Text behalten (history.privacy: hashed), also kann nichts daraus beigebracht werden.</translation>
    </message>
    <message>
        <source>This rule turns {right} right and {wrong} wrong, compared with none.</source>
        <translation>Diese Regel macht {right} richtig und {wrong} falsch, verglichen mit keiner.</translation>
    </message>
    <message>
        <source>This session</source>
        <translation>Diese Sitzung</translation>
    </message>
    <message>
        <source>This takes a moment.</source>
        <translation>Das dauert einen Moment.</translation>
    </message>
    <message>
        <source>This window keeps no profile.</source>
        <translation>Dieses Fenster behält kein Profil.</translation>
    </message>
    <message>
        <source>This “(” is never closed.</source>
        <translation>Diese „(“ wird nie geschlossen.</translation>
    </message>
    <message>
        <source>This “)” closes nothing.</source>
        <translation>Diese „)“ schließt nichts.</translation>
    </message>
    <message>
        <source>This “[” is never closed.</source>
        <translation>Diese „[“ wird nie geschlossen.</translation>
    </message>
    <message>
        <source>those for which this memory was told to an assistant, or left out and why</source>
        <translation>die, zu denen diese Erinnerung einem Assistenten genannt oder weggelassen wurde, und warum</translation>
    </message>
    <message>
        <source>Three or more</source>
        <translation>Drei oder mehr</translation>
    </message>
    <message>
        <source>Threshold</source>
        <translation>Schwelle</translation>
    </message>
    <message>
        <source>Thresholds of the cascade</source>
        <translation>Schwellen der Kaskade</translation>
    </message>
    <message>
        <source>Tied</source>
        <translation>Gleichauf</translation>
    </message>
    <message>
        <source>tied</source>
        <translation>gleichauf</translation>
    </message>
    <message>
        <source>tier</source>
        <translation>Stufe</translation>
    </message>
    <message>
        <source>Tier as meant</source>
        <translation>Stufe wie gemeint</translation>
    </message>
    <message>
        <source>tier changes {n}</source>
        <translation>Stufe wechselt {n}</translation>
    </message>
    <message>
        <source>Tier never reached: {name}</source>
        <translation>Stufe nie erreicht: {name}</translation>
    </message>
    <message>
        <source>Tiers</source>
        <translation>Stufen</translation>
    </message>
    <message>
        <source>Tiers meant (rows) and got (columns)</source>
        <translation>Gemeinte Stufen (Zeilen) und erreichte (Spalten)</translation>
    </message>
    <message>
        <source>Tiers of powers</source>
        <translation>Stufen der Fähigkeiten</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>Zeit</translation>
    </message>
    <message>
        <source>Time of each stage</source>
        <translation>Zeit jedes Schritts</translation>
    </message>
    <message>
        <source>Time: {settled}</source>
        <translation>Zeit: {settled}</translation>
    </message>
    <message>
        <source>Timed out</source>
        <translation>Zeit abgelaufen</translation>
    </message>
    <message>
        <source>timed out</source>
        <translation>Zeit abgelaufen</translation>
    </message>
    <message>
        <source>Timed out: {reasons}.</source>
        <translation>Zeit abgelaufen: {reasons}.</translation>
    </message>
    <message>
        <source>Times</source>
        <translation>Zeiten</translation>
    </message>
    <message>
        <source>Times by method, ms</source>
        <translation>Zeiten nach Methode, ms</translation>
    </message>
    <message>
        <source>Times first</source>
        <translation>Mal zuerst</translation>
    </message>
    <message>
        <source>Times near</source>
        <translation>Mal nahe</translation>
    </message>
    <message>
        <source>Times of this session, a row per stage</source>
        <translation>Zeiten dieser Sitzung, eine Zeile je Schritt</translation>
    </message>
    <message>
        <source>Title</source>
        <translation>Titel</translation>
    </message>
    <message>
        <source>Title and description</source>
        <translation>Titel und Beschreibung</translation>
    </message>
    <message>
        <source>to ask the person something</source>
        <translation>den Menschen etwas zu fragen</translation>
    </message>
    <message>
        <source>To be searched the server needs {package}, which is not there ({said}), so nothing was filled. An administrator installs it and runs in this database: CREATE EXTENSION {name};</source>
        <translation>Zum Suchen braucht der Server {package}, das dort fehlt ({said}); es wurde also nichts gefüllt. Ein Administrator installiert es und führt in dieser Datenbank aus: CREATE EXTENSION {name};</translation>
    </message>
    <message>
        <source>To do:</source>
        <translation>Zu tun:</translation>
    </message>
    <message>
        <source>to have a language model write something</source>
        <translation>ein Sprachmodell etwas schreiben zu lassen</translation>
    </message>
    <message>
        <source>Today</source>
        <translation>Heute</translation>
    </message>
    <message>
        <source>today</source>
        <translation>heute</translation>
    </message>
    <message>
        <source>Today nothing answers it.</source>
        <translation>Heute beantwortet sie nichts.</translation>
    </message>
    <message>
        <source>Today {name} comes first: {score}, {level}.</source>
        <translation>Heute kommt {name} zuerst: {score}, {level}.</translation>
    </message>
    <message>
        <source>together</source>
        <translation>zusammen</translation>
    </message>
    <message>
        <source>Token</source>
        <translation>Token</translation>
    </message>
    <message>
        <source>Token overlap</source>
        <translation>Token-Überschneidung</translation>
    </message>
    <message>
        <source>Tokens</source>
        <translation>Token</translation>
    </message>
    <message>
        <source>Tokens, counted by the tokenizer {counter}</source>
        <translation>Token, gezählt vom Tokenizer {counter}</translation>
    </message>
    <message>
        <source>Tokens: {name}.</source>
        <translation>Token: {name}.</translation>
    </message>
    <message>
        <source>told apart</source>
        <translation>auseinandergehalten</translation>
    </message>
    <message>
        <source>told as no. {rank}</source>
        <translation>genannt als Nr. {rank}</translation>
    </message>
    <message>
        <source>told last {at}</source>
        <translation>zuletzt genannt {at}</translation>
    </message>
    <message>
        <source>Told to assistants</source>
        <translation>Assistenten genannt</translation>
    </message>
    <message>
        <source>Told to the assistant</source>
        <translation>Dem Assistenten genannt</translation>
    </message>
    <message>
        <source>too common</source>
        <translation>zu gewöhnlich</translation>
    </message>
    <message>
        <source>too far from the query to be looked at</source>
        <translation>zu weit von der Anfrage, um angesehen zu werden</translation>
    </message>
    <message>
        <source>Too little is taught to fit a scale on it, so the shipped one tells how often such answers are right.</source>
        <translation>Zu wenig ist beigebracht, um eine Skala anzupassen; die mitgelieferte sagt, wie oft solche Antworten richtig sind.</translation>
    </message>
    <message>
        <source>Too little of this kind is taught to learn from, or it is still being learned.</source>
        <translation>Von dieser Art ist zu wenig beigebracht, um daraus zu lernen, oder es wird noch gelernt.</translation>
    </message>
    <message>
        <source>too short</source>
        <translation>zu kurz</translation>
    </message>
    <message>
        <source>took</source>
        <translation>übernommen</translation>
    </message>
    <message>
        <source>took in</source>
        <translation>übernommen</translation>
    </message>
    <message>
        <source>Took in {things} from {name}.</source>
        <translation>{things} aus {name} übernommen.</translation>
    </message>
    <message>
        <source>Took over the tools of “{name}”.</source>
        <translation>Werkzeuge von „{name}“ übernommen.</translation>
    </message>
    <message>
        <source>Tool</source>
        <translation>Werkzeug</translation>
    </message>
    <message>
        <source>Tools</source>
        <translation>Werkzeuge</translation>
    </message>
    <message>
        <source>Tools called</source>
        <translation>Aufgerufene Werkzeuge</translation>
    </message>
    <message>
        <source>Tools of the server</source>
        <translation>Werkzeuge des Servers</translation>
    </message>
    <message>
        <source>tools told after</source>
        <translation>Werkzeuge danach genannt</translation>
    </message>
    <message>
        <source>Topics</source>
        <translation>Themen</translation>
    </message>
    <message>
        <source>Topics {topics}</source>
        <translation>Themen {topics}</translation>
    </message>
    <message>
        <source>Topics: {topics}</source>
        <translation>Themen: {topics}</translation>
    </message>
    <message>
        <source>Total</source>
        <translation>Summe</translation>
    </message>
    <message>
        <source>Trace</source>
        <translation>Ablauf</translation>
    </message>
    <message>
        <source>Transport</source>
        <translation>Transport</translation>
    </message>
    <message>
        <source>Tried on {cases} and {past}.</source>
        <translation>Probiert: {cases}, {past}.</translation>
    </message>
    <message>
        <source>Trigger</source>
        <translation>Auslöser</translation>
    </message>
    <message>
        <source>Trigger, sorted</source>
        <translation>Auslöser, sortiert</translation>
    </message>
    <message>
        <source>Triggers</source>
        <translation>Auslöser</translation>
    </message>
    <message>
        <source>Triggers that are alike: of the same answer, or of answers that differ.</source>
        <translation>Auslöser, die sich gleichen: derselben Antwort, oder verschiedener Antworten.</translation>
    </message>
    <message>
        <source>Triggers that share this much of their letters, words in any order, are nearly the same</source>
        <translation>Auslöser, die so viel ihrer Buchstaben teilen, in beliebiger Wortfolge, sind beinahe gleich</translation>
    </message>
    <message>
        <source>Triggers whose vectors are this close are nearly the same</source>
        <translation>Auslöser, deren Vektoren so nahe liegen, sind beinahe gleich</translation>
    </message>
    <message>
        <source>Triggers without a vector</source>
        <translation>Auslöser ohne Vektor</translation>
    </message>
    <message>
        <source>Troubleshoot</source>
        <translation>Fehlersuche</translation>
    </message>
    <message>
        <source>Try a simpler form.</source>
        <translation>Versuchen Sie eine einfachere Form.</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>Noch einmal versuchen</translation>
    </message>
    <message>
        <source>Try again, or take cases from a file.</source>
        <translation>Versuchen Sie es noch einmal, oder nehmen Sie Fälle aus einer Datei.</translation>
    </message>
    <message>
        <source>Try every link, with questions of its own</source>
        <translation>Jedes Glied prüfen, mit eigenen Fragen</translation>
    </message>
    <message>
        <source>Try it on your cases</source>
        <translation>An Ihren Fällen probieren</translation>
    </message>
    <message>
        <source>Try one of these, or type a sentence above</source>
        <translation>Probieren Sie einen von diesen, oder geben Sie oben einen Satz ein</translation>
    </message>
    <message>
        <source>Try one word, or its beginning.</source>
        <translation>Versuchen Sie ein Wort, oder seinen Anfang.</translation>
    </message>
    <message>
        <source>Try the connection, take a smaller model, or give it more time.</source>
        <translation>Prüfen Sie die Verbindung, nehmen Sie ein kleineres Modell, oder geben Sie ihm mehr Zeit.</translation>
    </message>
    <message>
        <source>Try the rule on another text</source>
        <translation>Die Regel an einem anderen Text probieren</translation>
    </message>
    <message>
        <source>Try the sample library</source>
        <translation>Beispielbibliothek probieren</translation>
    </message>
    <message>
        <source>trying changes: {0} of {1} cases</source>
        <translation>Änderungen werden probiert: {0} von {1} Fällen</translation>
    </message>
    <message>
        <source>Trying it on your cases</source>
        <translation>Wird an Ihren Fällen probiert</translation>
    </message>
    <message>
        <source>trying…</source>
        <translation>wird versucht …</translation>
    </message>
    <message>
        <source>Turned right</source>
        <translation>Richtig geworden</translation>
    </message>
    <message>
        <source>Turned wrong</source>
        <translation>Falsch geworden</translation>
    </message>
    <message>
        <source>Turns at most</source>
        <translation>Höchstens Runden</translation>
    </message>
    <message>
        <source>Turns of friction where a power is expected: {least} to {most} on the average.</source>
        <translation>Reibung in Runden, wo eine Fähigkeit erwartet ist: {least} bis {most} im Mittel.</translation>
    </message>
    <message>
        <source>turns right</source>
        <translation>wird richtig</translation>
    </message>
    <message>
        <source>Turns to the power that was used</source>
        <translation>Rückfragen bis zur genutzten Fähigkeit</translation>
    </message>
    <message>
        <source>turns wrong</source>
        <translation>wird falsch</translation>
    </message>
    <message>
        <source>Two</source>
        <translation>Zwei</translation>
    </message>
    <message>
        <source>Type</source>
        <translation>Typ</translation>
    </message>
    <message>
        <source>Type a name first.</source>
        <translation>Geben Sie zuerst einen Namen ein.</translation>
    </message>
    <message>
        <source>Type a query above, or on the scope; this page follows it.</source>
        <translation>Geben Sie oben oder im Scope eine Anfrage ein; diese Seite folgt ihr.</translation>
    </message>
    <message>
        <source>Type a query and see what a hybrid intent detector makes of it, and why.</source>
        <translation>Geben Sie eine Anfrage ein und sehen Sie, was ein hybrider Absichtsdetektor daraus macht, und warum.</translation>
    </message>
    <message>
        <source>Type a query first; then it can be pinned.</source>
        <translation>Geben Sie zuerst eine Anfrage ein; dann kann sie angeheftet werden.</translation>
    </message>
    <message>
        <source>Type a query in the scope to see what this does to its answer.</source>
        <translation>Geben Sie im Scope eine Anfrage ein, um zu sehen, was das mit ihrer Antwort macht.</translation>
    </message>
    <message>
        <source>Type a query on the scope (Ctrl+1).</source>
        <translation>Geben Sie im Scope eine Anfrage ein (Strg+1).</translation>
    </message>
    <message>
        <source>Type a query on the scope and press Ctrl+T.</source>
        <translation>Geben Sie im Scope eine Anfrage ein und drücken Sie Strg+T.</translation>
    </message>
    <message>
        <source>Type a query on the scope or a line above to try the rule on it.</source>
        <translation>Geben Sie im Scope eine Anfrage oder oben eine Zeile ein, um die Regel daran zu proben.</translation>
    </message>
    <message>
        <source>Type a query on the scope: what stood for a second is kept here. Or take in a log of queries.</source>
        <translation>Geben Sie im Scope eine Anfrage ein: was eine Sekunde lang stand, wird hier behalten. Oder übernehmen Sie ein Protokoll mit Anfragen.</translation>
    </message>
    <message>
        <source>Type a query to have the stores answer it</source>
        <translation>Eine Anfrage eingeben, auf die die Speicher antworten</translation>
    </message>
    <message>
        <source>Type a query to see what it would bring into the context</source>
        <translation>Geben Sie eine Anfrage ein, um zu sehen, was sie in den Kontext brächte</translation>
    </message>
    <message>
        <source>Type a query to see which store should answer it</source>
        <translation>Geben Sie eine Anfrage ein, um zu sehen, welcher Speicher sie beantworten soll</translation>
    </message>
    <message>
        <source>Type a query; how long each answer took adds up here.</source>
        <translation>Geben Sie eine Anfrage ein; wie lange jede Antwort brauchte, sammelt sich hier.</translation>
    </message>
    <message>
        <source>Type a sentence above to see what it asks for.</source>
        <translation>Geben Sie oben einen Satz ein, um zu sehen, wonach er fragt.</translation>
    </message>
    <message>
        <source>Type a sentence above, or try one of these:</source>
        <translation>Geben Sie oben einen Satz ein, oder probieren Sie einen von diesen:</translation>
    </message>
    <message>
        <source>Type a sentence above, then name what you expected.</source>
        <translation>Geben Sie oben einen Satz ein, dann nennen Sie, was Sie erwartet haben.</translation>
    </message>
    <message>
        <source>Type a sentence above. Every keystroke is scored.</source>
        <translation>Geben Sie oben einen Satz ein. Jeder Anschlag wird bewertet.</translation>
    </message>
    <message>
        <source>Type a sentence above: what it would call shows here, and why.</source>
        <translation>Geben Sie oben einen Satz ein: was er rufen würde, zeigt sich hier, und warum.</translation>
    </message>
    <message>
        <source>Type a sentence above; it is answered on both sides.</source>
        <translation>Geben Sie oben einen Satz ein; er wird auf beiden Seiten beantwortet.</translation>
    </message>
    <message>
        <source>Type a sentence on the scope and press Ctrl+T, or begin with the library that comes along.</source>
        <translation>Geben Sie im Scope einen Satz ein und drücken Sie Strg+T, oder beginnen Sie mit der Bibliothek, die dabei ist.</translation>
    </message>
    <message>
        <source>Type a sentence; its best match shows here.</source>
        <translation>Geben Sie einen Satz ein; sein bester Treffer zeigt sich hier.</translation>
    </message>
    <message>
        <source>Type a weight from 0 to 10. Del: the default. Enter on a name: rename.</source>
        <translation>Geben Sie ein Gewicht von 0 bis 10 ein. Entf: Standard. Eingabe auf einem Namen: umbenennen.</translation>
    </message>
    <message>
        <source>Type already; the answer comes when it is open.</source>
        <translation>Tippen Sie schon; die Antwort kommt, wenn sie offen ist.</translation>
    </message>
    <message>
        <source>type below the threshold</source>
        <translation>Typ unter der Schwelle</translation>
    </message>
    <message>
        <source>type changes {n}</source>
        <translation>Typ wechselt {n}</translation>
    </message>
    <message>
        <source>Type of the query</source>
        <translation>Typ der Anfrage</translation>
    </message>
    <message>
        <source>Type one above, or on the scope; this page follows it.</source>
        <translation>Geben Sie oben oder im Scope eine ein; diese Seite folgt ihr.</translation>
    </message>
    <message>
        <source>Type one on the scope (Ctrl+1) to see here what an edit does to it.</source>
        <translation>Geben Sie eine im Scope ein (Strg+1), um hier zu sehen, was eine Änderung mit ihr macht.</translation>
    </message>
    <message>
        <source>Type one on the scope; its memories are put in order here.</source>
        <translation>Geben Sie eine im Scope ein; ihre Erinnerungen werden hier geordnet.</translation>
    </message>
    <message>
        <source>type the server&apos;s password unseen, or by stdin</source>
        <translation>das Passwort des Servers ungesehen tippen, oder über stdin</translation>
    </message>
    <message>
        <source>Type the words that the rule looks for.</source>
        <translation>Geben Sie die Wörter ein, nach denen die Regel sucht.</translation>
    </message>
    <message>
        <source>type this at the start</source>
        <translation>das zu Beginn eingeben</translation>
    </message>
    <message>
        <source>Type what a person would ask</source>
        <translation>Geben Sie ein, was jemand fragen würde</translation>
    </message>
    <message>
        <source>Type: {type} {confidence}</source>
        <translation>Typ: {type} {confidence}</translation>
    </message>
    <message>
        <source>Typed: {0}</source>
        <translation>Getippt: {0}</translation>
    </message>
    <message>
        <source>Types are not detected</source>
        <translation>Typen werden nicht erkannt</translation>
    </message>
    <message>
        <source>Types that nothing detects</source>
        <translation>Typen, die nichts erkennt</translation>
    </message>
    <message>
        <source>Typing pause {ms} ms, not counted</source>
        <translation>Tipppause {ms} ms, nicht gezählt</translation>
    </message>
    <message>
        <source>U&amp;nless</source>
        <translation>&amp;Außer</translation>
    </message>
    <message>
        <source>Unapproved</source>
        <translation>Ungenehmigt</translation>
    </message>
    <message>
        <source>Undecided</source>
        <translation>Unentschieden</translation>
    </message>
    <message>
        <source>undecided</source>
        <translation>unentschieden</translation>
    </message>
    <message>
        <source>Under 0.300</source>
        <translation>Unter 0.300</translation>
    </message>
    <message>
        <source>Under Priority it never decides: an earlier type always matches too, mostly by {other}.</source>
        <translation>Unter Vorrang entscheidet sie nie: ein früherer Typ trifft immer auch, meist durch {other}.</translation>
    </message>
    <message>
        <source>under today’s settings and library</source>
        <translation>mit heutigen Einstellungen und heutiger Bibliothek</translation>
    </message>
    <message>
        <source>Under {against}: {count} cases go another way, {better} now right, {worse} now wrong.</source>
        <translation>Mit {against}: {count} Fälle gehen einen anderen Weg, {better} jetzt richtig, {worse} jetzt falsch.</translation>
    </message>
    <message>
        <source>Under {changes}</source>
        <translation>Mit {changes}</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>Rückgängig</translation>
    </message>
    <message>
        <source>Undo and the bin</source>
        <translation>Rückgängig und Papierkorb</translation>
    </message>
    <message>
        <source>Undo brings back the route, and once more its rules and examples.</source>
        <translation>Rückgängig holt die Route zurück, ein zweites Mal ihre Regeln und Beispiele.</translation>
    </message>
    <message>
        <source>Undo the last</source>
        <translation>Letzten rückgängig machen</translation>
    </message>
    <message>
        <source>Undo the last step</source>
        <translation>Den letzten Schritt rückgängig machen</translation>
    </message>
    <message>
        <source>Undo: {key} takes back what was done last, also after a restart.</source>
        <translation>Rückgängig: {key} nimmt zurück, was zuletzt getan wurde, auch nach einem Neustart.</translation>
    </message>
    <message>
        <source>unknown</source>
        <translation>unbekannt</translation>
    </message>
    <message>
        <source>Unless</source>
        <translation>Außer</translation>
    </message>
    <message>
        <source>Unless, character {place}</source>
        <translation>Außer, Zeichen {place}</translation>
    </message>
    <message>
        <source>Unpin</source>
        <translation>Ablösen</translation>
    </message>
    <message>
        <source>Unpin the query (Ctrl+P)</source>
        <translation>Die Anfrage ablösen (Strg+P)</translation>
    </message>
    <message>
        <source>Unreachable</source>
        <translation>Nicht erreichbar</translation>
    </message>
    <message>
        <source>unreachable</source>
        <translation>nicht erreichbar</translation>
    </message>
    <message>
        <source>Unreadable</source>
        <translation>Nicht lesbar</translation>
    </message>
    <message>
        <source>unreadable</source>
        <translation>nicht lesbar</translation>
    </message>
    <message>
        <source>unrecognized arguments: %s</source>
        <translation>unbekannte Argumente: %s</translation>
    </message>
    <message>
        <source>unsaved edits</source>
        <translation>ungespeicherte Änderungen</translation>
    </message>
    <message>
        <source>unsure</source>
        <translation>unsicher</translation>
    </message>
    <message>
        <source>until further notice</source>
        <translation>bis auf Weiteres</translation>
    </message>
    <message>
        <source>Unwanted</source>
        <translation>Unerwünscht</translation>
    </message>
    <message>
        <source>Updated</source>
        <translation>Aktualisiert</translation>
    </message>
    <message>
        <source>URL</source>
        <translation>URL</translation>
    </message>
    <message>
        <source>usage: </source>
        <translation>Aufruf: </translation>
    </message>
    <message>
        <source>Use a smaller number.</source>
        <translation>Nehmen Sie eine kleinere Zahl.</translation>
    </message>
    <message>
        <source>Use hybrid retrieval</source>
        <translation>Hybride Suche</translation>
    </message>
    <message>
        <source>Use it on the Settings page, or with --set encoder.name={name}.</source>
        <translation>Verwenden Sie ihn auf der Seite Einstellungen, oder mit --set encoder.name={name}.</translation>
    </message>
    <message>
        <source>Use LLM</source>
        <translation>LLM verwenden</translation>
    </message>
    <message>
        <source>Use smaller repetitions, or make two rules of it.</source>
        <translation>Nehmen Sie kleinere Wiederholungen, oder machen Sie zwei Regeln daraus.</translation>
    </message>
    <message>
        <source>Use the profile&apos;s</source>
        <translation>Die des Profils</translation>
    </message>
    <message>
        <source>Use this encoder</source>
        <translation>Diesen Encoder verwenden</translation>
    </message>
    <message>
        <source>Use {0}</source>
        <translation>{0} verwenden</translation>
    </message>
    <message>
        <source>Used</source>
        <translation>Verwendet</translation>
    </message>
    <message numerus="yes">
        <source>used {n} times</source>
        <translation>
            <numerusform>{n}-mal verwendet</numerusform>
            <numerusform>{n}-mal verwendet</numerusform>
        </translation>
    </message>
    <message>
        <source>Valid</source>
        <translation>Gültig</translation>
    </message>
    <message>
        <source>Valid from</source>
        <translation>Gültig ab</translation>
    </message>
    <message>
        <source>Valid to</source>
        <translation>Gültig bis</translation>
    </message>
    <message>
        <source>valid, preset {preset}</source>
        <translation>gültig, Vorgabe {preset}</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>Wert</translation>
    </message>
    <message>
        <source>value stored</source>
        <translation>Wert gespeichert</translation>
    </message>
    <message>
        <source>Values</source>
        <translation>Werte</translation>
    </message>
    <message>
        <source>Vector</source>
        <translation>Vektor</translation>
    </message>
    <message>
        <source>vector search is the safe choice</source>
        <translation>die Vektorsuche ist die sichere Wahl</translation>
    </message>
    <message>
        <source>Vectors</source>
        <translation>Vektoren</translation>
    </message>
    <message>
        <source>Vectors and fits come first: {done} of {total}</source>
        <translation>Vektoren und Anpassungen gehen vor: {done} von {total}</translation>
    </message>
    <message>
        <source>Vectors are made and cases answered: {n} steps; this takes {time} more.</source>
        <translation>Vektoren werden gemacht und Fälle beantwortet: {n} Schritte; das dauert noch {time}.</translation>
    </message>
    <message>
        <source>Vectors are made for {n} texts that have none yet; this takes {time} more.</source>
        <translation>Für {n} Texte ohne Vektor werden Vektoren gemacht; das dauert noch {time}.</translation>
    </message>
    <message>
        <source>Vectors of other encoders</source>
        <translation>Vektoren anderer Encoder</translation>
    </message>
    <message>
        <source>Verdict</source>
        <translation>Urteil</translation>
    </message>
    <message>
        <source>Version</source>
        <translation>Version</translation>
    </message>
    <message>
        <source>Version {0} is there</source>
        <translation>Version {0} ist da</translation>
    </message>
    <message>
        <source>View</source>
        <translation>Ansicht</translation>
    </message>
    <message>
        <source>View of the matches</source>
        <translation>Ansicht der Treffer</translation>
    </message>
    <message>
        <source>Vote of the taught examples</source>
        <translation>Stimmen der Beispiele</translation>
    </message>
    <message>
        <source>wait for what the LLM says after its budget, up to 30 seconds</source>
        <translation>abwarten, was das LLM nach seiner Frist sagt, bis zu 30 Sekunden</translation>
    </message>
    <message>
        <source>waiting</source>
        <translation>wartet</translation>
    </message>
    <message>
        <source>Waiting for its tools.</source>
        <translation>Wartet auf ihre Werkzeuge.</translation>
    </message>
    <message>
        <source>Waiting for the answer</source>
        <translation>Wartet auf die Antwort</translation>
    </message>
    <message>
        <source>Waits</source>
        <translation>Wartet</translation>
    </message>
    <message>
        <source>wants what is alike in meaning, or recommended</source>
        <translation>sucht, was in der Bedeutung ähnlich ist, oder Empfehlungen</translation>
    </message>
    <message>
        <source>Warning</source>
        <translation>Warnung</translation>
    </message>
    <message>
        <source>WARNING: these values choose what is run or loaded, whatever the command says:</source>
        <translation>WARNUNG: Diese Werte entscheiden, was gestartet oder geladen wird, was auch immer der Befehl sagt:</translation>
    </message>
    <message>
        <source>was ended by {name}</source>
        <translation>wurde von {name} beendet</translation>
    </message>
    <message>
        <source>was not found on the PATH</source>
        <translation>wurde im PATH nicht gefunden</translation>
    </message>
    <message>
        <source>was stopped</source>
        <translation>wurde angehalten</translation>
    </message>
    <message>
        <source>Ways of answering</source>
        <translation>Wege zur Antwort</translation>
    </message>
    <message>
        <source>Weak</source>
        <translation>Schwach</translation>
    </message>
    <message>
        <source>weak</source>
        <translation>schwach</translation>
    </message>
    <message>
        <source>Weak matches</source>
        <translation>Schwache Treffer</translation>
    </message>
    <message>
        <source>Weight</source>
        <translation>Gewicht</translation>
    </message>
    <message>
        <source>Weight from 0 to 10</source>
        <translation>Gewicht von 0 bis 10</translation>
    </message>
    <message>
        <source>Weight of the exact score.</source>
        <translation>Gewicht des exakten Scores.</translation>
    </message>
    <message>
        <source>Weight of the fuzzy score.</source>
        <translation>Gewicht des unscharfen Scores.</translation>
    </message>
    <message>
        <source>Weight of the keyword score (powers).</source>
        <translation>Gewicht des Stichwort-Scores (Fähigkeiten).</translation>
    </message>
    <message>
        <source>Weight of the semantic score.</source>
        <translation>Gewicht des semantischen Scores.</translation>
    </message>
    <message>
        <source>Weight of the token score.</source>
        <translation>Gewicht des Token-Scores.</translation>
    </message>
    <message>
        <source>Weighted average</source>
        <translation>Gewichtetes Mittel</translation>
    </message>
    <message>
        <source>Weighted average: the scores by their weights.</source>
        <translation>Gewichtetes Mittel: die Scores nach ihren Gewichten.</translation>
    </message>
    <message>
        <source>Weights</source>
        <translation>Gewichte</translation>
    </message>
    <message>
        <source>Weights of namespaces by type</source>
        <translation>Gewichte der Namensräume nach Typ</translation>
    </message>
    <message>
        <source>Weights of the average</source>
        <translation>Gewichte des Mittels</translation>
    </message>
    <message>
        <source>Weights of the namespaces for each type</source>
        <translation>Gewichte der Namensräume für jeden Typ</translation>
    </message>
    <message>
        <source>What</source>
        <translation>Was</translation>
    </message>
    <message>
        <source>what a column of a CSV file holds</source>
        <translation>was eine Spalte einer CSV-Datei enthält</translation>
    </message>
    <message>
        <source>What a yes is for</source>
        <translation>Wofür ein Ja gilt</translation>
    </message>
    <message>
        <source>what an LLM knows it by: asks about invoices</source>
        <translation>woran ein LLM sie erkennt: fragt nach Rechnungen</translation>
    </message>
    <message>
        <source>what answers about powers cost, against all their tools</source>
        <translation>was Antworten über Fähigkeiten kosten, gegen alle ihre Werkzeuge</translation>
    </message>
    <message>
        <source>What answers at {url} is no Ollama server.</source>
        <translation>Was auf {url} antwortet, ist kein Ollama-Server.</translation>
    </message>
    <message>
        <source>What assistants did with memories and powers, and what the log of routes comes to.</source>
        <translation>Was Assistenten mit Erinnerungen und Fähigkeiten taten, und was das Protokoll der Routen ergibt.</translation>
    </message>
    <message>
        <source>What can be expected</source>
        <translation>Was erwartet werden kann</translation>
    </message>
    <message>
        <source>What can be imported ({0})</source>
        <translation>Was importiert werden kann ({0})</translation>
    </message>
    <message>
        <source>What changes</source>
        <translation>Was sich ändert</translation>
    </message>
    <message>
        <source>What could be changed</source>
        <translation>Was sich ändern ließe</translation>
    </message>
    <message>
        <source>What decides is {leads} through “{phrase}”.</source>
        <translation>Was entscheidet, ist {leads} durch „{phrase}“.</translation>
    </message>
    <message>
        <source>What differs</source>
        <translation>Was sich unterscheidet</translation>
    </message>
    <message>
        <source>What each server holds or what is the matter, its password, and filling it</source>
        <translation>Was jeder Server enthält oder was ihm fehlt, sein Passwort, und wie er gefüllt wird</translation>
    </message>
    <message>
        <source>What goes another way</source>
        <translation>Was einen anderen Weg geht</translation>
    </message>
    <message>
        <source>What happened</source>
        <translation>Was geschah</translation>
    </message>
    <message>
        <source>What has been looked at stays</source>
        <translation>Was angesehen ist, bleibt</translation>
    </message>
    <message>
        <source>what imported cases label</source>
        <translation>was importierte Fälle markieren</translation>
    </message>
    <message>
        <source>What is answered otherwise is listed as it comes.</source>
        <translation>Was anders beantwortet wird, wird gelistet, wie es kommt.</translation>
    </message>
    <message>
        <source>What is deleted and can be put back.</source>
        <translation>Was gelöscht ist und zurückgeholt werden kann.</translation>
    </message>
    <message numerus="yes">
        <source>What is deleted stays here for {n} days, then it goes for good.</source>
        <translation>
            <numerusform>Was gelöscht ist, bleibt hier einen Tag.</numerusform>
            <numerusform>Was gelöscht ist, bleibt hier {n} Tage, dann verschwindet es endgültig.</numerusform>
        </translation>
    </message>
    <message>
        <source>What is done with the cases</source>
        <translation>Was mit den Fällen geschieht</translation>
    </message>
    <message>
        <source>What is kept of a query</source>
        <translation>Was von einer Anfrage behalten wird</translation>
    </message>
    <message>
        <source>What is kept of it so far stays; the rest is left out.</source>
        <translation>Was davon bisher behalten ist, bleibt; der Rest wird ausgelassen.</translation>
    </message>
    <message>
        <source>What is kept of queries: all, a digest instead of their text, or nothing from now on.</source>
        <translation>Was von Anfragen behalten wird: alles, eine Prüfsumme statt des Textes, oder von jetzt an nichts.</translation>
    </message>
    <message>
        <source>What is known of the server</source>
        <translation>Was vom Server bekannt ist</translation>
    </message>
    <message>
        <source>what is learned</source>
        <translation>Gelerntes</translation>
    </message>
    <message>
        <source>What is learned counts from this chance of being right on.</source>
        <translation>Gelerntes zählt ab dieser Wahrscheinlichkeit, richtig zu sein.</translation>
    </message>
    <message>
        <source>what is learned from examples</source>
        <translation>was aus Beispielen gelernt ist</translation>
    </message>
    <message>
        <source>What is learned from examples says “{winner}”</source>
        <translation>Was aus Beispielen gelernt ist, sagt „{winner}“</translation>
    </message>
    <message>
        <source>What is otherwise</source>
        <translation>Was anders ist</translation>
    </message>
    <message>
        <source>What is promised</source>
        <translation>Was versprochen ist</translation>
    </message>
    <message>
        <source>What is sent and answered stands here.</source>
        <translation>Was gesendet und geantwortet wird, steht hier.</translation>
    </message>
    <message>
        <source>What is set and where that comes from; set for good, as in the window.</source>
        <translation>Was gesetzt ist und woher es kommt; bleibend setzen, wie im Fenster.</translation>
    </message>
    <message>
        <source>What is shown</source>
        <translation>Was gezeigt wird</translation>
    </message>
    <message>
        <source>What is shown of the power</source>
        <translation>Was von der Fähigkeit gezeigt wird</translation>
    </message>
    <message>
        <source>What is surfaced, in order</source>
        <translation>Was mitgegeben wird, der Reihe nach</translation>
    </message>
    <message>
        <source>what is taught</source>
        <translation>was beigebracht wird</translation>
    </message>
    <message>
        <source>What is taught cannot test any more: if these are a test, choose Cases.</source>
        <translation>Was beigebracht ist, kann nicht mehr testen: ist das ein Test, wählen Sie Fälle.</translation>
    </message>
    <message>
        <source>what is taught was edited</source>
        <translation>Beigebrachtes wurde bearbeitet</translation>
    </message>
    <message>
        <source>What is wrong with the pattern</source>
        <translation>Was am Muster falsch ist</translation>
    </message>
    <message>
        <source>What it has found is not kept.</source>
        <translation>Was sie gefunden hat, wird nicht behalten.</translation>
    </message>
    <message>
        <source>what it holds, told from it by default; settings: those of Subcog&apos;s configuration file</source>
        <translation>was sie enthält, sonst an ihr erkannt; settings: die der Konfigurationsdatei von Subcog</translation>
    </message>
    <message>
        <source>What it is about</source>
        <translation>Worum es geht</translation>
    </message>
    <message>
        <source>What it was before is kept in {path}.</source>
        <translation>Was sie vorher war, liegt in {path}.</translation>
    </message>
    <message>
        <source>What keywords lose when the LLM stays silent: 0.1 unless trusted, a tenth, or nothing.</source>
        <translation>Was Stichwörter verlieren, wenn das LLM schweigt: 0.1, wenn nicht vertraut, ein Zehntel, oder nichts.</translation>
    </message>
    <message>
        <source>What one question to the LLM costs, in dollars; 0 for a local model.</source>
        <translation>Was eine Frage an das LLM kostet, in Dollar; 0 bei einem lokalen Modell.</translation>
    </message>
    <message>
        <source>What picks one of several matched types: summed evidence, or a fixed order.</source>
        <translation>Was einen von mehreren passenden Typen wählt: summierte Belege, oder eine feste Reihenfolge.</translation>
    </message>
    <message>
        <source>What questions to the LLM have cost this month stays, without their texts.</source>
        <translation>Was Fragen an das LLM in diesem Monat gekostet haben, bleibt, ohne ihre Texte.</translation>
    </message>
    <message>
        <source>what rules, LLM and cases say of a hundred queries</source>
        <translation>was Regeln, LLM und Fälle zu hundert Anfragen sagen</translation>
    </message>
    <message>
        <source>What tells the type is scrolled out</source>
        <translation>Was den Typ verrät, ist hinausgerollt</translation>
    </message>
    <message>
        <source>What the cases are about</source>
        <translation>Wovon die Fälle handeln</translation>
    </message>
    <message>
        <source>What the columns hold</source>
        <translation>Was die Spalten enthalten</translation>
    </message>
    <message>
        <source>What the configuration needs</source>
        <translation>Was die Konfiguration braucht</translation>
    </message>
    <message>
        <source>What the detector makes of a query, from type to route, and why.</source>
        <translation>Was der Detektor aus einer Anfrage macht, vom Typ bis zur Route, und warum.</translation>
    </message>
    <message>
        <source>what the file is, told from it by default</source>
        <translation>was die Datei ist, sonst aus ihr erschlossen</translation>
    </message>
    <message>
        <source>What the lines are</source>
        <translation>Was die Zeilen sind</translation>
    </message>
    <message>
        <source>What the LLM has said is kept</source>
        <translation>Was das LLM gesagt hat, bleibt</translation>
    </message>
    <message>
        <source>what the log comes to, beside the targets</source>
        <translation>was das Protokoll ergibt, neben den Zielen</translation>
    </message>
    <message>
        <source>what the new memory is called; by default its trigger</source>
        <translation>wie die neue Erinnerung heißt; sonst wie ihr Auslöser</translation>
    </message>
    <message>
        <source>what the new memory says</source>
        <translation>was die neue Erinnerung sagt</translation>
    </message>
    <message>
        <source>What the pane shows</source>
        <translation>Was der Bereich zeigt</translation>
    </message>
    <message>
        <source>What the query asks for shows here.</source>
        <translation>Wonach die Anfrage fragt, zeigt sich hier.</translation>
    </message>
    <message>
        <source>What the server logged</source>
        <translation>Was der Server protokolliert hat</translation>
    </message>
    <message>
        <source>What the stores answered</source>
        <translation>Was die Speicher antworteten</translation>
    </message>
    <message>
        <source>What the tool says of itself</source>
        <translation>Was das Werkzeug von sich sagt</translation>
    </message>
    <message>
        <source>What they asked</source>
        <translation>Was sie fragten</translation>
    </message>
    <message>
        <source>What they can do</source>
        <translation>Was sie können</translation>
    </message>
    <message>
        <source>What they say</source>
        <translation>Was sie sagen</translation>
    </message>
    <message>
        <source>what this one would do to your labelled cases</source>
        <translation>was dieser mit Ihren markierten Fällen machen würde</translation>
    </message>
    <message>
        <source>What this step changed</source>
        <translation>Was dieser Schritt geändert hat</translation>
    </message>
    <message>
        <source>What to do</source>
        <translation>Was zu tun ist</translation>
    </message>
    <message>
        <source>what turned since a kept evaluation, or the last of this task, and what moved it</source>
        <translation>was seit einer aufgehobenen Auswertung (oder last: der letzten) kippte, und wodurch</translation>
    </message>
    <message>
        <source>What turns texts into vectors: what each costs here, and what is not installed yet.</source>
        <translation>Was Texte zu Vektoren macht: was jeder hier kostet, und was noch nicht installiert ist.</translation>
    </message>
    <message>
        <source>what turns under this setting</source>
        <translation>was unter dieser Einstellung kippt</translation>
    </message>
    <message>
        <source>What was approved before</source>
        <translation>Was vorher genehmigt war</translation>
    </message>
    <message>
        <source>What was done last was no setting: Ctrl+Z takes it back on another page.</source>
        <translation>Zuletzt wurde keine Einstellung geändert: Strg+Z nimmt es auf einer anderen Seite zurück.</translation>
    </message>
    <message>
        <source>What was done to the library, newest first, also in the window.</source>
        <translation>Was an der Bibliothek getan wurde, das Neueste zuerst, auch im Fenster.</translation>
    </message>
    <message>
        <source>What was expected</source>
        <translation>Was erwartet wurde</translation>
    </message>
    <message>
        <source>what was expected: intent (a label or a type), memory, power or route, and its name; none: no answer</source>
        <translation>was erwartet wurde: intent (ein Label oder eine Art), memory, power oder route, und der Name; none: keine Antwort</translation>
    </message>
    <message>
        <source>What was found</source>
        <translation>Was gefunden wurde</translation>
    </message>
    <message>
        <source>What was found, best first</source>
        <translation>Was gefunden wurde, das Beste zuerst</translation>
    </message>
    <message>
        <source>What was found, the gravest first</source>
        <translation>Was gefunden wurde, das Schwerste zuerst</translation>
    </message>
    <message>
        <source>What was found, the most urgent first</source>
        <translation>Was gefunden wurde, das Dringendste zuerst</translation>
    </message>
    <message>
        <source>What was here before is kept in {path}.</source>
        <translation>Was vorher hier war, ist in {path} aufgehoben.</translation>
    </message>
    <message>
        <source>what was kept tells too little</source>
        <translation>das Behaltene zu wenig sagt</translation>
    </message>
    <message>
        <source>What was made of it</source>
        <translation>Was aus ihr gemacht wurde</translation>
    </message>
    <message>
        <source>what was stored before is kept</source>
        <translation>was vorher gespeichert war, ist behalten</translation>
    </message>
    <message>
        <source>what was stored last may be lost</source>
        <translation>was zuletzt gespeichert wurde, kann verloren sein</translation>
    </message>
    <message>
        <source>What would be activated shows here. Typing starts nothing.</source>
        <translation>Was aktiviert würde, zeigt sich hier. Tippen startet nichts.</translation>
    </message>
    <message>
        <source>What would keep it out:</source>
        <translation>Was es fernhielte:</translation>
    </message>
    <message>
        <source>What would make it win:</source>
        <translation>Womit es gewänne:</translation>
    </message>
    <message>
        <source>What you change bears the name {author}.</source>
        <translation>Was Sie ändern, trägt den Namen {author}.</translation>
    </message>
    <message>
        <source>What you delete can be restored here.</source>
        <translation>Was Sie löschen, kann hier wiederhergestellt werden.</translation>
    </message>
    <message>
        <source>What {0} holds</source>
        <translation>Was {0} enthält</translation>
    </message>
    <message>
        <source>What {address} answers is not read: {error}.</source>
        <translation>Was {address} antwortet, wird nicht gelesen: {error}.</translation>
    </message>
    <message>
        <source>What {path} holds cannot be told ({why} {names}): say it with --kind.</source>
        <translation>Was {path} enthält, ist nicht zu erkennen ({why} {names}): sagen Sie es mit --kind.</translation>
    </message>
    <message>
        <source>What {path} holds cannot be told: {named} was expected. If it is one of them, say so with --format.</source>
        <translation>Was {path} enthält, ist nicht zu erkennen: {named} wurde erwartet. Ist es eines davon, sagen Sie es mit --format.</translation>
    </message>
    <message>
        <source>What {url} answers is not read: {error}.</source>
        <translation>Was {url} antwortet, wird nicht gelesen: {error}.</translation>
    </message>
    <message>
        <source>What {url} answers is not what an Ollama server sends.</source>
        <translation>Was {url} antwortet, ist nicht, was ein Ollama-Server sendet.</translation>
    </message>
    <message>
        <source>What “{0}” does</source>
        <translation>Was „{0}“ bewirkt</translation>
    </message>
    <message>
        <source>Whatever session and program they were answered by: assistants over MCP, and prompt hooks.</source>
        <translation>Gleich in welcher Sitzung und von welchem Programm beantwortet: Assistenten über MCP und Prompt-Hooks.</translation>
    </message>
    <message>
        <source>Whatever the command says, {names} can make it run or load something else. Cancel if you do not know why.</source>
        <translation>Was auch immer der Befehl sagt, {names} kann ihn etwas anderes ausführen oder laden lassen. Brechen Sie ab, wenn Sie nicht wissen, warum.</translation>
    </message>
    <message>
        <source>when (UTC)</source>
        <translation>wann (UTC)</translation>
    </message>
    <message>
        <source>When done</source>
        <translation>Wenn fertig</translation>
    </message>
    <message>
        <source>When something goes wrong</source>
        <translation>Wenn etwas schiefgeht</translation>
    </message>
    <message>
        <source>Where an expected answer was lost, what would make it win, and what that does to all cases.</source>
        <translation>Wo eine erwartete Antwort verloren ging, womit sie gewänne, und was das mit allen Fällen macht.</translation>
    </message>
    <message>
        <source>where library, settings and caches are kept</source>
        <translation>wo Bibliothek, Einstellungen und Zwischenspeicher liegen</translation>
    </message>
    <message>
        <source>Where memories are scored, from the next start on: all of them here, or those that the servers find for a query; `auto` by how many triggers there are, once servers were filled.</source>
        <translation>Wo Erinnerungen bewertet werden, vom nächsten Start an: alle hier, oder die, die die Server für eine Anfrage finden; `auto` danach, wie viele Auslöser es gibt, sobald Server gefüllt wurden.</translation>
    </message>
    <message>
        <source>Where Ollama listens by itself. Nothing is contacted before an address is set.</source>
        <translation>Wo Ollama von sich aus lauscht. Nichts wird angesprochen, bevor eine Adresse gesetzt ist.</translation>
    </message>
    <message>
        <source>Where several routes match, it is {label} with {confidence}.</source>
        <translation>Wo mehrere Routen treffen, ist es {label} mit {confidence}.</translation>
    </message>
    <message>
        <source>where the new memory belongs; by default context</source>
        <translation>wohin die neue Erinnerung gehört; sonst context</translation>
    </message>
    <message>
        <source>Where the sources are, this does it: python packaging/develop.py run --with sentence-transformers</source>
        <translation>Wo die Quellen sind, geht es damit: python packaging/develop.py run --with sentence-transformers</translation>
    </message>
    <message>
        <source>Where the words count, for {name}:</source>
        <translation>Wo die Wörter zählen, für {name}:</translation>
    </message>
    <message>
        <source>Where the words count:</source>
        <translation>Wo die Wörter zählen:</translation>
    </message>
    <message>
        <source>Where to go on:</source>
        <translation>Wie es weitergeht:</translation>
    </message>
    <message numerus="yes">
        <source>Wherever {n} rules match, a rule of an earlier type does, too, and decides.</source>
        <translation>
            <numerusform>Wo {n} Regel trifft, trifft auch eine Regel eines früheren Typs und entscheidet.</numerusform>
            <numerusform>Wo {n} Regeln treffen, trifft auch eine Regel eines früheren Typs und entscheidet.</numerusform>
        </translation>
    </message>
    <message>
        <source>Whether {path} holds {itemkind} cannot be told ({why}): say it with --kind.</source>
        <translation>Ob {path} {itemkind} enthält, ist nicht zu erkennen ({why}): sagen Sie es mit --kind.</translation>
    </message>
    <message>
        <source>Whether {path} holds {itemkind} cannot be told from the names in its first row, such as “text” and “intent”, “name” and “description”, “text” and “expected”: say it with --kind.</source>
        <translation>Ob {path} {itemkind} enthält, ist aus den Namen in der ersten Zeile nicht zu erkennen, wie „text“ und „intent“, „name“ und „description“, „text“ und „expected“: sagen Sie es mit --kind.</translation>
    </message>
    <message>
        <source>which assistant; without, all are listed</source>
        <translation>welcher Assistent; ohne werden alle gelistet</translation>
    </message>
    <message>
        <source>Which cases</source>
        <translation>Welche Fälle</translation>
    </message>
    <message>
        <source>Which cases: {0}</source>
        <translation>Welche Fälle: {0}</translation>
    </message>
    <message>
        <source>Which data store should answer a query, and what the log of such decisions comes to.</source>
        <translation>Welcher Datenspeicher eine Anfrage beantworten soll, und was das Protokoll solcher Entscheidungen ergibt.</translation>
    </message>
    <message>
        <source>which folders it may work in</source>
        <translation>in welchen Ordnern sie arbeiten darf</translation>
    </message>
    <message>
        <source>which memory or power; by default the first match</source>
        <translation>welche Erinnerung oder Fähigkeit; sonst der erste Treffer</translation>
    </message>
    <message>
        <source>which of them; by default 0</source>
        <translation>welche davon; sonst 0</translation>
    </message>
    <message>
        <source>Which power serves a query.</source>
        <translation>Welche Fähigkeit einer Anfrage dient.</translation>
    </message>
    <message>
        <source>Which queries</source>
        <translation>Welche Anfragen</translation>
    </message>
    <message>
        <source>Which server answers is said by its address in the settings, such as route.postgresql.</source>
        <translation>Welcher Server antwortet, sagt seine Adresse in den Einstellungen, etwa route.postgresql.</translation>
    </message>
    <message>
        <source>Who agrees with whom</source>
        <translation>Wer mit wem einig ist</translation>
    </message>
    <message>
        <source>Who said what</source>
        <translation>Wer was sagte</translation>
    </message>
    <message>
        <source>Whole words, in any case. Patterns run on RE2 and what one may cost is bounded: large repetitions are refused, so none can run away.</source>
        <translation>Ganze Wörter, groß oder klein. Muster laufen auf RE2, und was eines kosten darf, ist begrenzt: große Wiederholungen werden abgelehnt, so kann keines davonlaufen.</translation>
    </message>
    <message>
        <source>Why</source>
        <translation>Warum</translation>
    </message>
    <message>
        <source>Why it waits</source>
        <translation>Warum sie wartet</translation>
    </message>
    <message>
        <source>Why not</source>
        <translation>Warum nicht</translation>
    </message>
    <message>
        <source>Why not…</source>
        <translation>Warum nicht…</translation>
    </message>
    <message>
        <source>Why {0}</source>
        <translation>Warum {0}</translation>
    </message>
    <message>
        <source>Window</source>
        <translation>Fenster</translation>
    </message>
    <message>
        <source>window</source>
        <translation>Fenster</translation>
    </message>
    <message>
        <source>Winner</source>
        <translation>Gewinner</translation>
    </message>
    <message>
        <source>With *: among the hits of the answer above.</source>
        <translation>Mit *: unter den Treffern der Antwort oben.</translation>
    </message>
    <message>
        <source>with --add or --change: what an LLM knows it by</source>
        <translation>mit --add oder --change: woran ein LLM sie erkennt</translation>
    </message>
    <message>
        <source>with --add or --change: what answers; by default its name</source>
        <translation>mit --add oder --change: was antwortet; sonst ihr Name</translation>
    </message>
    <message>
        <source>with --add or --change: what it is called on a button</source>
        <translation>mit --add oder --change: wie sie auf einem Knopf heißt</translation>
    </message>
    <message>
        <source>with --add or --change: what it is drawn in</source>
        <translation>mit --add oder --change: worin sie gezeichnet wird</translation>
    </message>
    <message>
        <source>with --change: what a route of your own is called from now on</source>
        <translation>mit --change: wie eine eigene Route von jetzt an heißt</translation>
    </message>
    <message>
        <source>with --fill: run the statements without asking</source>
        <translation>mit --fill: die Anweisungen ohne Rückfrage ausführen</translation>
    </message>
    <message>
        <source>with --judge: what the cases expect, if they do not say</source>
        <translation>mit --judge: was die Fälle erwarten, wenn sie es nicht sagen</translation>
    </message>
    <message>
        <source>with --llm: ask also what was asked before</source>
        <translation>mit --llm: auch fragen, was früher schon gefragt wurde</translation>
    </message>
    <message>
        <source>with --llm: ask each case so often; how many come out the same</source>
        <translation>mit --llm: jeden Fall so oft fragen; wie viele gleich ausgehen</translation>
    </message>
    <message>
        <source>with --llm: so long each case may take; by default 10</source>
        <translation>mit --llm: so lange darf jeder Fall dauern; sonst 10</translation>
    </message>
    <message>
        <source>with --precision: this share of all queries is of nothing taught; by default as among the cases</source>
        <translation>mit --precision: dieser Anteil aller Anfragen betrifft nichts Gelehrtes; sonst wie unter den Fällen</translation>
    </message>
    <message>
        <source>with --run: ask every other store, too</source>
        <translation>mit --run: auch jeden anderen Speicher fragen</translation>
    </message>
    <message>
        <source>With a team&apos;s library: postgresql://USER@HOST/DATABASE</source>
        <translation>Mit einer Team-Bibliothek: postgresql://BENUTZER@RECHNER/DATENBANK</translation>
    </message>
    <message>
        <source>With case</source>
        <translation>Mit Fall</translation>
    </message>
    <message>
        <source>With examples and all else that decides: {0}</source>
        <translation>Mit Beispielen und allem, was sonst entscheidet: {0}</translation>
    </message>
    <message>
        <source>with it there are {tokens} tokens, {budget} are allowed</source>
        <translation>mit ihr sind es {tokens} Tokens, erlaubt sind {budget}</translation>
    </message>
    <message>
        <source>With learned</source>
        <translation>Mit Gelerntem</translation>
    </message>
    <message>
        <source>with the headers {names}</source>
        <translation>mit den Kopfzeilen {names}</translation>
    </message>
    <message>
        <source>With the LLM, against the answers without it</source>
        <translation>Mit dem LLM, gegen die Antworten ohne es</translation>
    </message>
    <message>
        <source>With the LLM, against the answers without it: {words}</source>
        <translation>Mit dem LLM, gegen die Antworten ohne es: {words}</translation>
    </message>
    <message>
        <source>with what is learned</source>
        <translation>mit Gelerntem</translation>
    </message>
    <message>
        <source>with {names}</source>
        <translation>mit {names}</translation>
    </message>
    <message>
        <source>Within {budget} ms</source>
        <translation>Innerhalb von {budget} ms</translation>
    </message>
    <message>
        <source>Without an encoder nothing can be found by meaning.</source>
        <translation>Ohne Encoder lässt sich nichts nach Bedeutung finden.</translation>
    </message>
    <message>
        <source>Without each word</source>
        <translation>Ohne jedes Wort</translation>
    </message>
    <message>
        <source>Without examples</source>
        <translation>Ohne Beispiele</translation>
    </message>
    <message>
        <source>Without it</source>
        <translation>Ohne sie</translation>
    </message>
    <message>
        <source>Without LLM</source>
        <translation>Ohne LLM</translation>
    </message>
    <message>
        <source>Without one nothing is surfaced.</source>
        <translation>Ohne ihn wird nichts mitgegeben.</translation>
    </message>
    <message>
        <source>Without rules</source>
        <translation>Ohne Regeln</translation>
    </message>
    <message>
        <source>Without the encoder, by its words alone.</source>
        <translation>Ohne den Encoder, allein nach ihren Worten.</translation>
    </message>
    <message>
        <source>without the LLM: keywords and examples</source>
        <translation>ohne das LLM: Stichwörter und Beispiele</translation>
    </message>
    <message>
        <source>Without this rule no case would turn.</source>
        <translation>Ohne diese Regel würde kein Fall kippen.</translation>
    </message>
    <message>
        <source>Without {words} it is {becomes}.</source>
        <translation>Ohne {words} ist es {becomes}.</translation>
    </message>
    <message>
        <source>Won by {parts} over {name}; {lead} over none of these.</source>
        <translation>Vor {name} durch {parts}; {lead} vor „keine davon“.</translation>
    </message>
    <message>
        <source>Won by {won}</source>
        <translation>Gewonnen durch {won}</translation>
    </message>
    <message>
        <source>Won with {lead} over none of these.</source>
        <translation>Mit {lead} vor „keine davon“ gewonnen.</translation>
    </message>
    <message>
        <source>Won word for word only</source>
        <translation>Nur Wort für Wort gewonnen</translation>
    </message>
    <message>
        <source>Word by word</source>
        <translation>Wort für Wort</translation>
    </message>
    <message>
        <source>Words</source>
        <translation>Worte</translation>
    </message>
    <message>
        <source>Words and settings</source>
        <translation>Worte und Einstellungen</translation>
    </message>
    <message>
        <source>Words that speak for {type}: {words}.</source>
        <translation>Wörter, die für {type} sprechen: {words}.</translation>
    </message>
    <message>
        <source>Words that tell the type are marked here</source>
        <translation>Wörter, die den Typ verraten, sind hier markiert</translation>
    </message>
    <message>
        <source>Would be activated</source>
        <translation>Würde aktiviert</translation>
    </message>
    <message>
        <source>would be activated</source>
        <translation>würde aktiviert</translation>
    </message>
    <message>
        <source>would be surfaced</source>
        <translation>würde mitgegeben</translation>
    </message>
    <message>
        <source>Would come right</source>
        <translation>Würde richtig</translation>
    </message>
    <message>
        <source>Would have said {type} {confidence} after {ms} ms, {over} ms past the budget.</source>
        <translation>Hätte {type} {confidence} gesagt, nach {ms} ms, {over} ms über dem Budget.</translation>
    </message>
    <message>
        <source>Would turn wrong</source>
        <translation>Würde falsch</translation>
    </message>
    <message>
        <source>Write (?: instead: there is no backtracking to keep off.</source>
        <translation>Schreiben Sie stattdessen (?: – es gibt kein Zurücksetzen zu verhindern.</translation>
    </message>
    <message>
        <source>Write (?: instead; names are not used.</source>
        <translation>Schreiben Sie stattdessen (?: – Namen werden nicht verwendet.</translation>
    </message>
    <message>
        <source>Write a new rule in a pack of your own</source>
        <translation>Eine neue Regel in einem eigenen Paket schreiben</translation>
    </message>
    <message>
        <source>Write a number.</source>
        <translation>Schreiben Sie eine Zahl.</translation>
    </message>
    <message>
        <source>Write a report of what went wrong</source>
        <translation>Einen Bericht schreiben, was schiefging</translation>
    </message>
    <message>
        <source>Write a rule of your own that begins as this one</source>
        <translation>Eine eigene Regel schreiben, die wie diese beginnt</translation>
    </message>
    <message>
        <source>Write a whole number.</source>
        <translation>Schreiben Sie eine ganze Zahl.</translation>
    </message>
    <message>
        <source>write all as a TOML file; -: to the screen</source>
        <translation>alle als TOML-Datei schreiben; -: auf den Bildschirm</translation>
    </message>
    <message>
        <source>Write an object: {…}.</source>
        <translation>Schreiben Sie ein Objekt: {…}.</translation>
    </message>
    <message>
        <source>Write both</source>
        <translation>Beides schreiben</translation>
    </message>
    <message>
        <source>Write breakdowns of 0.7 and above to the log.</source>
        <translation>Aufschlüsselungen ab 0.7 ins Protokoll schreiben.</translation>
    </message>
    <message>
        <source>write cases and gates as JUnit XML, for build servers</source>
        <translation>Fälle und Schranken als JUnit-XML schreiben, für Build-Server</translation>
    </message>
    <message>
        <source>write it without asking</source>
        <translation>ohne Rückfrage schreiben</translation>
    </message>
    <message>
        <source>Write mine</source>
        <translation>Meine schreiben</translation>
    </message>
    <message>
        <source>Write one kind of the library&apos;s content.</source>
        <translation>Eine Art von Inhalt der Bibliothek schreiben.</translation>
    </message>
    <message>
        <source>Write the pack to a TOML file</source>
        <translation>Das Paket in eine TOML-Datei schreiben</translation>
    </message>
    <message>
        <source>Write the repeated words out, one after the other, with | between.</source>
        <translation>Schreiben Sie die wiederholten Wörter aus, eins nach dem anderen, mit | dazwischen.</translation>
    </message>
    <message>
        <source>Write the times to a file</source>
        <translation>Die Zeiten in eine Datei schreiben</translation>
    </message>
    <message>
        <source>Write this?</source>
        <translation>Dies schreiben?</translation>
    </message>
    <message>
        <source>write to a file instead of stdout</source>
        <translation>in eine Datei schreiben statt auf stdout</translation>
    </message>
    <message>
        <source>Write what follows into the pattern itself.</source>
        <translation>Schreiben Sie, was folgt, in das Muster selbst.</translation>
    </message>
    <message>
        <source>Write what must not be there into “Unless”</source>
        <translation>Schreiben Sie, was nicht da sein darf, in „Außer“</translation>
    </message>
    <message>
        <source>Write what should be otherwise, such as combination=max; fallback_threshold=0.4.</source>
        <translation>Schreiben Sie, was anders sein soll, etwa combination=max; fallback_threshold=0.4.</translation>
    </message>
    <message>
        <source>Write what stands before into the pattern itself.</source>
        <translation>Schreiben Sie, was davor steht, in das Muster selbst.</translation>
    </message>
    <message>
        <source>Write your edits over theirs</source>
        <translation>Ihre Änderungen über die fremden schreiben</translation>
    </message>
    <message>
        <source>Writing {model_name} with weights of 8 bits</source>
        <translation>{model_name} wird mit Gewichten von 8 Bit geschrieben</translation>
    </message>
    <message>
        <source>Written to {0}.</source>
        <translation>Geschrieben nach {0}.</translation>
    </message>
    <message>
        <source>Wrong</source>
        <translation>Falsch</translation>
    </message>
    <message>
        <source>Wrong in another way since</source>
        <translation>Seither anders falsch</translation>
    </message>
    <message>
        <source>Wrong only</source>
        <translation>Nur falsche</translation>
    </message>
    <message>
        <source>Wrong? {key} says why another answer did not come, and what would make it win.</source>
        <translation>Falsch? {key} sagt, warum eine andere Antwort nicht kam und womit sie gewänne.</translation>
    </message>
    <message>
        <source>Wrote {things} to {file}.</source>
        <translation>{things} nach {file} geschrieben.</translation>
    </message>
    <message>
        <source>y</source>
        <translation>j</translation>
    </message>
    <message>
        <source>Yes</source>
        <translation>Ja</translation>
    </message>
    <message>
        <source>yes</source>
        <translation>ja</translation>
    </message>
    <message>
        <source>yes or no</source>
        <translation>ja oder nein</translation>
    </message>
    <message>
        <source>You changed how it is reached: save it first, then approve it.</source>
        <translation>Sie haben geändert, wie sie erreicht wird: speichern Sie zuerst, dann genehmigen Sie.</translation>
    </message>
    <message>
        <source>You changed how it is reached: saving takes the approval back. Nothing is started here.</source>
        <translation>Sie haben geändert, wie sie erreicht wird: Speichern nimmt die Genehmigung zurück. Hier wird nichts gestartet.</translation>
    </message>
    <message>
        <source>you may not read it</source>
        <translation>Sie dürfen sie nicht lesen</translation>
    </message>
    <message>
        <source>You start it under “Server”; resolve and assistants start it only if it is approved.</source>
        <translation>Sie starten sie unter „Server“; resolve und Assistenten starten sie nur, wenn sie genehmigt ist.</translation>
    </message>
    <message>
        <source>Your cases for routes</source>
        <translation>Ihre Fälle für Routen</translation>
    </message>
    <message>
        <source>your own</source>
        <translation>eigene</translation>
    </message>
    <message>
        <source>Zoom in: larger texts</source>
        <translation>Vergrößern: größere Texte</translation>
    </message>
    <message>
        <source>Zoom out: smaller texts</source>
        <translation>Verkleinern: kleinere Texte</translation>
    </message>
    <message>
        <source>Zoom: texts as they come</source>
        <translation>Zoom: Texte in ihrer Größe</translation>
    </message>
    <message>
        <source>{0}  F4</source>
        <translation>{0}  F4</translation>
    </message>
    <message>
        <source>{0} (chosen)</source>
        <translation>{0} (gewählt)</translation>
    </message>
    <message>
        <source>{0} (this window)</source>
        <translation>{0} (dieses Fenster)</translation>
    </message>
    <message>
        <source>{0} absent</source>
        <translation>{0} fehlt</translation>
    </message>
    <message>
        <source>{0} and {1} ms budgets</source>
        <translation>Budgets {0} und {1} ms</translation>
    </message>
    <message>
        <source>{0} answers, {1} differ</source>
        <translation>{0} Antworten, {1} verschieden</translation>
    </message>
    <message>
        <source>{0} cannot be written: {1}.</source>
        <translation>{0} ist nicht schreibbar: {1}.</translation>
    </message>
    <message>
        <source>{0} could not be started.</source>
        <translation>{0} konnte nicht gestartet werden.</translation>
    </message>
    <message>
        <source>{0} is being imported. Cancel it, or wait.</source>
        <translation>{0} wird importiert. Brechen Sie das ab, oder warten Sie.</translation>
    </message>
    <message>
        <source>{0} is changed.</source>
        <translation>{0} ist geändert.</translation>
    </message>
    <message>
        <source>{0} is in the bin.</source>
        <translation>{0} ist im Papierkorb.</translation>
    </message>
    <message>
        <source>{0} is no library: there is no library.toml in it. Give the files in it one by one.</source>
        <translation>{0} ist keine Bibliothek: es ist keine library.toml darin. Geben Sie die Dateien darin einzeln an.</translation>
    </message>
    <message>
        <source>{0} is not part of this program.</source>
        <translation>{0} ist kein Teil dieses Programms.</translation>
    </message>
    <message>
        <source>{0} is not there any more. It may lie on a drive that is not connected.</source>
        <translation>{0} ist nicht mehr da. Es kann auf einem Laufwerk liegen, das nicht verbunden ist.</translation>
    </message>
    <message>
        <source>{0} is on the server. Choose it above.</source>
        <translation>{0} ist auf dem Server. Wählen Sie es oben.</translation>
    </message>
    <message>
        <source>{0} is there.</source>
        <translation>{0} ist da.</translation>
    </message>
    <message>
        <source>{0} more, best {1}</source>
        <translation>{0} mehr, bester {1}</translation>
    </message>
    <message>
        <source>{0} of {1} on</source>
        <translation>{0} von {1} an</translation>
    </message>
    <message>
        <source>{0} shown</source>
        <translation>{0} gezeigt</translation>
    </message>
    <message>
        <source>{0} undecided, which stay as they are</source>
        <translation>{0} unentschieden, die bleiben, wie sie sind</translation>
    </message>
    <message>
        <source>{0} was not pulled.</source>
        <translation>{0} wurde nicht geholt.</translation>
    </message>
    <message>
        <source>{0} was not written: {1}. Choose another place.</source>
        <translation>{0} wurde nicht geschrieben: {1}. Wählen Sie einen anderen Ort.</translation>
    </message>
    <message>
        <source>{0} · not saved</source>
        <translation>{0} · nicht gespeichert</translation>
    </message>
    <message>
        <source>{0} – Intentscope</source>
        <translation>{0} – Intentscope</translation>
    </message>
    <message>
        <source>{0}, budget</source>
        <translation>{0}, Budget</translation>
    </message>
    <message>
        <source>{0}, falling</source>
        <translation>{0}, fallend</translation>
    </message>
    <message>
        <source>{0}, in one line</source>
        <translation>{0}, in einer Zeile</translation>
    </message>
    <message>
        <source>{0}, percentiles</source>
        <translation>{0}, Perzentile</translation>
    </message>
    <message>
        <source>{0}, rising</source>
        <translation>{0}, steigend</translation>
    </message>
    <message>
        <source>{0}, slider</source>
        <translation>{0}, Schieberegler</translation>
    </message>
    <message>
        <source>{0}: no room here, and not counted; Selected shows them.</source>
        <translation>{0}: hier kein Platz, und nicht gezählt; Gewählt zeigt sie.</translation>
    </message>
    <message>
        <source>{0}: rank {1}</source>
        <translation>{0}: Rang {1}</translation>
    </message>
    <message>
        <source>{account} may not change the team&apos;s library ({said}), so nothing was changed. An administrator runs, to let that account read: GRANT SELECT ON ALL TABLES IN SCHEMA public TO {quoted}; or to let it change, too: GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO {quoted};</source>
        <translation>{account} darf die Bibliothek des Teams nicht ändern ({said}), also wurde nichts geändert. Damit dieses Konto lesen darf, führt jemand, der die Datenbank verwaltet, aus: GRANT SELECT ON ALL TABLES IN SCHEMA public TO {quoted}; oder damit es auch ändern darf: GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO {quoted};</translation>
    </message>
    <message>
        <source>{account} may not make the tables of a team&apos;s library ({said}), so nothing was changed. To allow that, an administrator runs: GRANT CREATE, USAGE ON SCHEMA public TO {quoted};</source>
        <translation>{account} darf die Tabellen für die Bibliothek eines Teams nicht anlegen ({said}), also wurde nichts geändert. Um das zu erlauben, führt jemand, der die Datenbank verwaltet, aus: GRANT CREATE, USAGE ON SCHEMA public TO {quoted};</translation>
    </message>
    <message>
        <source>{added} added, {updated} updated, {unchanged} unchanged.</source>
        <translation>{added} hinzugefügt, {updated} aktualisiert, {unchanged} unverändert.</translation>
    </message>
    <message>
        <source>{added} would be added, {updated} updated, {unchanged} unchanged; nothing was written.</source>
        <translation>{added} würden hinzugefügt, {updated} aktualisiert, {unchanged} unverändert; nichts wurde geschrieben.</translation>
    </message>
    <message>
        <source>{address} holds what is searched of another library, so nothing was filled: name another database, or, if that library is no more, drop what is there: DROP TABLE search_state, search_triggers, search_words;</source>
        <translation>In {address} liegt, was von einer anderen Bibliothek durchsucht wird, also wurde nichts gefüllt: nennen Sie eine andere Datenbank, oder löschen Sie, wenn es jene Bibliothek nicht mehr gibt, was dort liegt: DROP TABLE search_state, search_triggers, search_words;</translation>
    </message>
    <message>
        <source>{after} decides now, not {before}</source>
        <translation>jetzt {after} entscheidet, nicht {before}</translation>
    </message>
    <message>
        <source>{agree} of {both} ({share})</source>
        <translation>{agree} von {both} ({share})</translation>
    </message>
    <message>
        <source>{answers}, not {expected}</source>
        <translation>{answers}, nicht {expected}</translation>
    </message>
    <message>
        <source>{answer} is a power, which cannot be merged. Keep one of them, or delete one.</source>
        <translation>{answer} ist eine Fähigkeit, die sich nicht zusammenführen lässt. Behalten Sie einen davon, oder löschen Sie einen.</translation>
    </message>
    <message>
        <source>{answer} is right for “{query}”.</source>
        <translation>{answer} ist richtig für „{query}“.</translation>
    </message>
    <message>
        <source>{answer} is wrong for “{query}”.</source>
        <translation>{answer} ist falsch für „{query}“.</translation>
    </message>
    <message>
        <source>{answer} right for “{query}”</source>
        <translation>{answer} richtig für „{query}“</translation>
    </message>
    <message>
        <source>{answer} wrong for “{query}”</source>
        <translation>{answer} falsch für „{query}“</translation>
    </message>
    <message>
        <source>{author} has changed “{name}” since you opened it, so nothing was changed.</source>
        <translation>{author} hat „{name}“ geändert, seit Sie es geöffnet haben, also wurde nichts geändert.</translation>
    </message>
    <message>
        <source>{author} has deleted “{name}” since you opened it, so nothing was changed.</source>
        <translation>{author} hat „{name}“ gelöscht, seit Sie es geöffnet haben, also wurde nichts geändert.</translation>
    </message>
    <message>
        <source>{author} may only read it: the server refuses what you change.</source>
        <translation>{author} darf sie nur lesen: der Server lehnt ab, was Sie ändern.</translation>
    </message>
    <message>
        <source>{because} So nothing was sure, and the query goes to “{route}”.</source>
        <translation>{because} Also war nichts sicher, und die Anfrage geht zu „{route}“.</translation>
    </message>
    <message>
        <source>{because} So the query goes to “{route}”.</source>
        <translation>{because} Also geht die Anfrage zu „{route}“.</translation>
    </message>
    <message>
        <source>{before} → {after}</source>
        <translation>{before} → {after}</translation>
    </message>
    <message>
        <source>{begun}and no query is kept in the history.</source>
        <translation>{begun}und keine Anfrage kommt in den Verlauf.</translation>
    </message>
    <message>
        <source>{bounds} must not rise from one to the next</source>
        <translation>{bounds} dürfen vom einen zum nächsten nicht steigen</translation>
    </message>
    <message>
        <source>{budget} ms budget</source>
        <translation>Budget {budget} ms</translation>
    </message>
    <message>
        <source>{by} in its place, {way}</source>
        <translation>{by} an seiner Stelle, {way}</translation>
    </message>
    <message>
        <source>{by}, so far</source>
        <translation>{by}, bisher</translation>
    </message>
    <message>
        <source>{called} gave an answer that is no MCP: {told}.</source>
        <translation>{called} gab eine Antwort, die kein MCP ist: {told}.</translation>
    </message>
    <message>
        <source>{called} gave no answer within {seconds} s, so the call was cancelled.</source>
        <translation>{called} gab innerhalb von {seconds} s keine Antwort, also wurde der Aufruf abgebrochen.</translation>
    </message>
    <message>
        <source>{called} gave no answer: {told}.</source>
        <translation>{called} gab keine Antwort: {told}.</translation>
    </message>
    <message>
        <source>{called} gave no answer: {why_ended}</source>
        <translation>{called} gab keine Antwort: {why_ended}</translation>
    </message>
    <message>
        <source>{called} was not called: its arguments are no JSON ({sentence_of}).</source>
        <translation>{called} wurde nicht aufgerufen: die Argumente sind kein JSON ({sentence_of}).</translation>
    </message>
    <message>
        <source>{combination}; no match below {threshold}</source>
        <translation>{combination}; kein Treffer unter {threshold}</translation>
    </message>
    <message>
        <source>{command} takes either TEXT or --stdin.</source>
        <translation>{command} nimmt entweder TEXT oder --stdin.</translation>
    </message>
    <message>
        <source>{confidence} is under {least}</source>
        <translation>{confidence} liegt unter {least}</translation>
    </message>
    <message>
        <source>{confidence} → right in {n} of 100</source>
        <translation>{confidence} → richtig in {n} von 100</translation>
    </message>
    <message>
        <source>{cost} in all</source>
        <translation>insgesamt {cost}</translation>
    </message>
    <message>
        <source>{count} added, {count_2} updated, {unchanged} unchanged</source>
        <translation>{count} hinzugefügt, {count_2} aktualisiert, {unchanged} unverändert</translation>
    </message>
    <message>
        <source>{count} are called “{name}”. Name one by its number: {numbers}.</source>
        <translation>{count} heißen „{name}“. Nennen Sie eines mit seiner Nummer: {numbers}.</translation>
    </message>
    <message>
        <source>{count} are on: {count_2} name types, {routes} name routes</source>
        <translation>{count} sind an: {count_2} nennen Typen, {routes} nennen Routen</translation>
    </message>
    <message>
        <source>{count} cases can be answered under {most} values at once. Try fewer of either.</source>
        <translation>{count} Fälle können mit {most} Werten auf einmal beantwortet werden. Probieren Sie weniger vom einen oder anderen.</translation>
    </message>
    <message>
        <source>{count} memories</source>
        <translation>{count} Erinnerungen</translation>
    </message>
    <message>
        <source>{count} memories into {called}</source>
        <translation>{count} Erinnerungen zu {called}</translation>
    </message>
    <message>
        <source>{count} more parts of the answer are left out.</source>
        <translation>{count} weitere Teile der Antwort sind ausgelassen.</translation>
    </message>
    <message>
        <source>{count} Nobody says which way is right: no query has a case.</source>
        <translation>{count} Welcher Weg richtig ist, sagt niemand: Keine Anfrage hat einen Fall.</translation>
    </message>
    <message>
        <source>{count} queries</source>
        <translation>{count} Anfragen</translation>
    </message>
    <message>
        <source>{count} routes</source>
        <translation>{count} Routen</translation>
    </message>
    <message>
        <source>{count} things in the bin were forgotten for good.</source>
        <translation>{count} Sachen im Papierkorb wurden endgültig vergessen.</translation>
    </message>
    <message>
        <source>{count} would be added, {count_2} updated, {unchanged} unchanged</source>
        <translation>{count} würden hinzugefügt, {count_2} aktualisiert, {unchanged} unverändert</translation>
    </message>
    <message>
        <source>{count}, {expecting} with an answer, {count_2} without</source>
        <translation>{count}, {expecting} mit Antwort, {count_2} ohne</translation>
    </message>
    <message>
        <source>{cues}: {confidence} reaches {threshold}.</source>
        <translation>{cues}: {confidence} erreicht {threshold}.</translation>
    </message>
    <message>
        <source>{cues}: {confidence}, but the taught examples are sure of {vote}: {sure}.</source>
        <translation>{cues}: {confidence}, aber die Beispiele sind sich {vote} sicher: {sure}.</translation>
    </message>
    <message>
        <source>{damage} So nothing was compared with a folder or saved to one.</source>
        <translation>{damage} Also wurde nichts mit einem Ordner verglichen oder darin gespeichert.</translation>
    </message>
    <message>
        <source>{dimension} numbers a vector</source>
        <translation>{dimension} Zahlen je Vektor</translation>
    </message>
    <message>
        <source>{direction} {ms} ms {exchange}</source>
        <translation>{direction} {ms} ms {exchange}</translation>
    </message>
    <message>
        <source>{documented} at {share}</source>
        <translation>{documented} bei {share}</translation>
    </message>
    <message>
        <source>{done} of {of} asked again.</source>
        <translation>{done} von {of} noch einmal gestellt.</translation>
    </message>
    <message>
        <source>{done} of {total}</source>
        <translation>{done} von {total}</translation>
    </message>
    <message>
        <source>{done} of {total} cases</source>
        <translation>{done} von {total} Fällen</translation>
    </message>
    <message>
        <source>{done} of {total} MB</source>
        <translation>{done} von {total} MB</translation>
    </message>
    <message>
        <source>{done} of {total} queries</source>
        <translation>{done} von {total} Anfragen</translation>
    </message>
    <message>
        <source>{done} of {whole} looked at.</source>
        <translation>{done} von {whole} angesehen.</translation>
    </message>
    <message>
        <source>{error_count} parts of it are not what they should be</source>
        <translation>{error_count} Teile davon sind nicht, was sie sein sollten</translation>
    </message>
    <message>
        <source>{error} (at character {place}).</source>
        <translation>{error} (bei Zeichen {place}).</translation>
    </message>
    <message>
        <source>{error} The defaults are used until it is mended, and no query is kept in the history.</source>
        <translation>{error} Bis das behoben ist, gelten die Standardwerte, und keine Anfrage kommt in den Verlauf.</translation>
    </message>
    <message>
        <source>{error} The last good settings stay in use.</source>
        <translation>{error} Die letzten guten Einstellungen bleiben in Gebrauch.</translation>
    </message>
    <message>
        <source>{error} Until then it is shown as it was, and nothing can be changed or kept.</source>
        <translation>{error} Bis dahin wird sie gezeigt, wie sie war, und nichts kann geändert oder behalten werden.</translation>
    </message>
    <message>
        <source>{expected} or {expected_2}</source>
        <translation>{expected} oder {expected_2}</translation>
    </message>
    <message>
        <source>{fault} For now the lexical scorers decide.</source>
        <translation>{fault} Vorerst entscheiden die lexikalischen Scorer.</translation>
    </message>
    <message>
        <source>{fault} For now {title} goes on answering.</source>
        <translation>{fault} Vorerst antwortet {title} weiter.</translation>
    </message>
    <message>
        <source>{fault} Of the memories only those are scored that were found lately.</source>
        <translation>{fault} Von den Erinnerungen sind nur die bewertet, die zuletzt gefunden wurden.</translation>
    </message>
    <message>
        <source>{field} {before} → {after}</source>
        <translation>{field} {before} → {after}</translation>
    </message>
    <message>
        <source>{filename} cannot be read: {strerror}.</source>
        <translation>{filename} ist nicht lesbar: {strerror}.</translation>
    </message>
    <message>
        <source>{files} files changed</source>
        <translation>{files} Dateien geändert</translation>
    </message>
    <message>
        <source>{file} cannot be read. {error}</source>
        <translation>{file} ist nicht lesbar. {error}</translation>
    </message>
    <message>
        <source>{file} cannot be read: {error}.</source>
        <translation>{file} ist nicht lesbar: {error}.</translation>
    </message>
    <message>
        <source>{file} cannot be read: {strerror}.</source>
        <translation>{file} ist nicht lesbar: {strerror}.</translation>
    </message>
    <message>
        <source>{file} cannot be read: {strerror}. {remedy}</source>
        <translation>{file} ist nicht lesbar: {strerror}. {remedy}</translation>
    </message>
    <message>
        <source>{file} cannot be written: {strerror}.</source>
        <translation>{file} ist nicht schreibbar: {strerror}.</translation>
    </message>
    <message>
        <source>{file} has changed since it was read; nothing is written. Try again.</source>
        <translation>{file} hat sich geändert, seit sie gelesen wurde; nichts wird geschrieben. Versuchen Sie es noch einmal.</translation>
    </message>
    <message>
        <source>{file} holds something else than was written: take the lines out by hand.</source>
        <translation>{file} enthält etwas anderes, als geschrieben wurde: nehmen Sie die Zeilen von Hand heraus.</translation>
    </message>
    <message>
        <source>{file} holds {things}.</source>
        <translation>{file} enthält {things}.</translation>
    </message>
    <message>
        <source>{file} is left as it is: it is too large.</source>
        <translation>{file} bleibt, wie sie ist: sie ist zu groß.</translation>
    </message>
    <message>
        <source>{file} is left as it is: {error}. Write the lines of `connect {key} --print` into it by hand.</source>
        <translation>{file} bleibt, wie sie ist: {error}. Schreiben Sie die Zeilen von `connect {key} --print` von Hand hinein.</translation>
    </message>
    <message>
        <source>{file} is the library itself: name another file.</source>
        <translation>{file} ist die Bibliothek selbst: Nennen Sie eine andere Datei.</translation>
    </message>
    <message>
        <source>{file} is what it was before.</source>
        <translation>{file} ist wieder, was sie war.</translation>
    </message>
    <message>
        <source>{file} is written.</source>
        <translation>{file} ist geschrieben.</translation>
    </message>
    <message>
        <source>{file} lies among the profile&apos;s own files: name a file elsewhere.</source>
        <translation>{file} liegt bei den eigenen Dateien des Profils: Nennen Sie eine Datei anderswo.</translation>
    </message>
    <message>
        <source>{file} names this program already; nothing is changed.</source>
        <translation>{file} nennt dieses Programm schon; nichts ist geändert.</translation>
    </message>
    <message>
        <source>{file}, line {line}</source>
        <translation>{file}, Zeile {line}</translation>
    </message>
    <message>
        <source>{file}, line {line}: {sentence}</source>
        <translation>{file}, Zeile {line}: {sentence}</translation>
    </message>
    <message>
        <source>{first} and {second} are level.</source>
        <translation>{first} und {second} stehen gleich.</translation>
    </message>
    <message>
        <source>{first} is {lead} ahead of {second}</source>
        <translation>{first} liegt {lead} vor {second}</translation>
    </message>
    <message>
        <source>{floor} stays: it is {least} or more.</source>
        <translation>{floor} bleibt: es ist {least} oder mehr.</translation>
    </message>
    <message>
        <source>{folder} cannot be read, so nothing was changed. {sentences}{also}</source>
        <translation>{folder} ist nicht lesbar, also wurde nichts geändert. {sentences}{also}</translation>
    </message>
    <message>
        <source>{folder} holds a save that broke off half-way and that this profile did not begin, so nothing was changed: save to it with the profile that did, or delete “{beside}” in it.</source>
        <translation>{folder} enthält eine auf halbem Weg abgebrochene Speicherung, die dieses Profil nicht begann, also wurde nichts geändert: speichern Sie mit dem Profil hinein, das es tat, oder löschen Sie „{beside}“ darin.</translation>
    </message>
    <message>
        <source>{folder} holds a save that broke off half-way, so it is not read: save to it again with the profile that began it, which finishes it. If nobody here began one, delete “{beside}” in it.</source>
        <translation>{folder} enthält eine auf halbem Weg abgebrochene Speicherung und wird deshalb nicht gelesen: speichern Sie mit dem Profil, das sie begann, noch einmal hinein, was sie beendet. Hat hier niemand eine begonnen, löschen Sie „{beside}“ darin.</translation>
    </message>
    <message>
        <source>{folder} holds more than {most_files} files; such a library is not read.</source>
        <translation>{folder} enthält mehr als {most_files} Dateien; eine solche Bibliothek wird nicht gelesen.</translation>
    </message>
    <message>
        <source>{folder} holds no sentence-transformers model: {descriptions} are missing.</source>
        <translation>{folder} enthält kein Modell von sentence-transformers: {descriptions} fehlen.</translation>
    </message>
    <message>
        <source>{folder} holds no tokenizer, such as tokenizer.json.</source>
        <translation>{folder} enthält keinen Tokenizer, wie tokenizer.json.</translation>
    </message>
    <message>
        <source>{folder} holds no weights, such as model.safetensors.</source>
        <translation>{folder} enthält keine Gewichte, wie model.safetensors.</translation>
    </message>
    <message>
        <source>{folder} holds other files and no library, so nothing was written: choose an empty folder.</source>
        <translation>{folder} enthält andere Dateien und keine Bibliothek, also wurde nichts geschrieben: wählen Sie einen leeren Ordner.</translation>
    </message>
    <message>
        <source>{folder} is a folder, but no library: it has no {library_file}.</source>
        <translation>{folder} ist ein Ordner, aber keine Bibliothek: es ist keine {library_file} darin.</translation>
    </message>
    <message>
        <source>{folder} is a library of form {form}, but this program reads form {format}: use the one that wrote it.</source>
        <translation>{folder} ist eine Bibliothek der Form {form}, aber dieses Programm liest Form {format}: nehmen Sie das, das sie geschrieben hat.</translation>
    </message>
    <message>
        <source>{folder} is a link or no ordinary file, so the library is not read.</source>
        <translation>{folder} ist ein Link oder keine gewöhnliche Datei, also wird die Bibliothek nicht gelesen.</translation>
    </message>
    <message>
        <source>{folder} is a link to another folder, so nothing was written.</source>
        <translation>{folder} ist ein Link auf einen anderen Ordner, also wurde nichts geschrieben.</translation>
    </message>
    <message>
        <source>{folder} is larger than {max_whole_bytes} MB, so the library is not read.</source>
        <translation>{folder} ist größer als {max_whole_bytes} MB, also wird die Bibliothek nicht gelesen.</translation>
    </message>
    <message>
        <source>{format} have no columns; only CSV does.</source>
        <translation>{format} haben keine Spalten; nur CSV hat welche.</translation>
    </message>
    <message>
        <source>{found} of {stores}</source>
        <translation>{found} von {stores}</translation>
    </message>
    <message>
        <source>{found} of {stores}, fused by reciprocal rank</source>
        <translation>{found} von {stores}, nach reziprokem Rang vereint</translation>
    </message>
    <message>
        <source>{found}, {why}.</source>
        <translation>{found}, {why}.</translation>
    </message>
    <message>
        <source>{free} MB are free, and a small write lasted</source>
        <translation>{free} MB sind frei, und ein kleines Schreiben hielt</translation>
    </message>
    <message>
        <source>{gone} answers of the LLM were forgotten.</source>
        <translation>{gone} Antworten des LLM wurden vergessen.</translation>
    </message>
    <message>
        <source>{gone} decisions were forgotten.</source>
        <translation>{gone} Entscheidungen wurden vergessen.</translation>
    </message>
    <message>
        <source>{have} of {of} triggers of memories and powers in use have their vector{later}</source>
        <translation>{have} von {of} Auslösern der Erinnerungen und Fähigkeiten in Gebrauch haben ihren Vektor{later}</translation>
    </message>
    <message>
        <source>{head} and {n} more</source>
        <translation>{head} und {n} mehr</translation>
    </message>
    <message>
        <source>{held}, up to date</source>
        <translation>{held}, auf dem neuesten Stand</translation>
    </message>
    <message numerus="yes">
        <source>{held}; {n} differ from what is taught</source>
        <translation>
            <numerusform>{held}; {n} weicht von dem ab, was beigebracht ist</numerusform>
            <numerusform>{held}; {n} weichen von dem ab, was beigebracht ist</numerusform>
        </translation>
    </message>
    <message>
        <source>{how}; no match below {line}.</source>
        <translation>{how}; kein Treffer unter {line}.</translation>
    </message>
    <message>
        <source>{h} h {m} min</source>
        <translation>{h} h {m} min</translation>
    </message>
    <message>
        <source>{inside} in, {out} out</source>
        <translation>{inside} drin, {out} draußen</translation>
    </message>
    <message>
        <source>{intake}: {counts}; nothing was written.</source>
        <translation>{intake}: {counts}; nichts wurde geschrieben.</translation>
    </message>
    <message>
        <source>{intent} is answered by {stores}.</source>
        <translation>{intent} wird von {stores} beantwortet.</translation>
    </message>
    <message>
        <source>{key} ({before}, now {after})</source>
        <translation>{key} ({before}, jetzt {after})</translation>
    </message>
    <message>
        <source>{key} ({from_where}) is refused: {why}.</source>
        <translation>{key} ({from_where}) wird abgelehnt: {why}.</translation>
    </message>
    <message>
        <source>{key} = {input} (from {origin}) is refused: {why}.</source>
        <translation>{key} = {input} (aus: {origin}) wird abgelehnt: {why}.</translation>
    </message>
    <message>
        <source>{key} changes every vector, so its values are tried one at a time, not swept.</source>
        <translation>{key} ändert jeden Vektor, deshalb werden seine Werte einzeln probiert, nicht durchlaufen.</translation>
    </message>
    <message>
        <source>{key} changes no route, so there is nothing to simulate.</source>
        <translation>{key} ändert keine Route, also gibt es nichts zu simulieren.</translation>
    </message>
    <message>
        <source>{key} does not count here: {decides} decides, and only {reader} reads it. Choose that first.</source>
        <translation>{key} zählt hier nicht: {decides} entscheidet, und nur {reader} liest es. Wählen Sie das zuerst.</translation>
    </message>
    <message>
        <source>{key} is set by {origin}, which wins over a choice made here.</source>
        <translation>{key} ist gesetzt durch: {origin}; das geht einer Wahl hier vor.</translation>
    </message>
    <message>
        <source>{key} is set by {origin}.</source>
        <translation>{key} ist gesetzt durch: {origin}.</translation>
    </message>
    <message>
        <source>{key} to {value}</source>
        <translation>{key} auf {value}</translation>
    </message>
    <message>
        <source>{key}: {time}, {right} of {cases} answered rightly</source>
        <translation>{key}: {time}, {right} von {cases} richtig beantwortet</translation>
    </message>
    <message>
        <source>{kind}: of {cases} labelled cases learned has {learned} right and calibrated {other}; the difference is {difference} points ({low} to {high} with 95 %), p {p}</source>
        <translation>{kind}: Von {cases} markierten Fällen hat learned {learned} richtig und calibrated {other}; der Unterschied ist {difference} Punkte ({low} bis {high} mit 95 %), p {p}</translation>
    </message>
    <message>
        <source>{kind}: {cases} labelled cases take part in the weights of learned, and each is judged by weights without its say</source>
        <translation>{kind}: {cases} Fälle wirken an den Gewichten von learned mit, und jeder wird nach Gewichten beurteilt, an denen er nicht mitwirkt</translation>
    </message>
    <message>
        <source>{label} is not taught any more</source>
        <translation>{label} wird nicht mehr gelehrt</translation>
    </message>
    <message>
        <source>{label} is the safe choice</source>
        <translation>{label} ist die sichere Wahl</translation>
    </message>
    <message>
        <source>{label} of your own routes is named</source>
        <translation>{label} Ihrer eigenen Routen ist genannt</translation>
    </message>
    <message>
        <source>{label} was changed since</source>
        <translation>{label} wurde seither geändert</translation>
    </message>
    <message>
        <source>{last} of its last {count} answers failed</source>
        <translation>{last} seiner letzten {count} Antworten schlugen fehl</translation>
    </message>
    <message numerus="yes">
        <source>{late} of {n} late</source>
        <translation>
            <numerusform>{late} von {n} zu spät</numerusform>
            <numerusform>{late} von {n} zu spät</numerusform>
        </translation>
    </message>
    <message>
        <source>{lead} ahead of {name}</source>
        <translation>{lead} vor {name}</translation>
    </message>
    <message>
        <source>{lead} behind none of these.</source>
        <translation>{lead} hinter „keine davon“.</translation>
    </message>
    <message>
        <source>{lead} behind none of these; ahead of {name} by {parts}.</source>
        <translation>{lead} hinter „keine davon“; vor {name} durch {parts}.</translation>
    </message>
    <message>
        <source>{lead} behind none of these; behind {name} by {parts}.</source>
        <translation>{lead} hinter „keine davon“; hinter {name} durch {parts}.</translation>
    </message>
    <message>
        <source>{least} at least</source>
        <translation>mindestens {least}</translation>
    </message>
    <message>
        <source>{least} to {most}</source>
        <translation>{least} bis {most}</translation>
    </message>
    <message>
        <source>{left} against {right}</source>
        <translation>{left} gegen {right}</translation>
    </message>
    <message>
        <source>{letters}; * decides, {absent} absent</source>
        <translation>{letters}; * entscheidet, {absent} fehlt</translation>
    </message>
    <message>
        <source>{line} bytes</source>
        <translation>{line} Bytes</translation>
    </message>
    <message>
        <source>{lost} of {every} lines could not be judged</source>
        <translation>{lost} von {every} Zeilen ließen sich nicht beurteilen</translation>
    </message>
    <message>
        <source>{low} or more</source>
        <translation>{low} oder mehr</translation>
    </message>
    <message>
        <source>{low} to {high}</source>
        <translation>{low} bis {high}</translation>
    </message>
    <message>
        <source>{low} to {high} with 95 %, by {count} cases</source>
        <translation>{low} bis {high} mit 95 %, nach {count} Fällen</translation>
    </message>
    <message>
        <source>{mean} ms</source>
        <translation>{mean} ms</translation>
    </message>
    <message>
        <source>{mean} on average; the first question is no turn.</source>
        <translation>{mean} im Mittel; die erste Frage zählt nicht.</translation>
    </message>
    <message>
        <source>{median} ms is the median of {test_answers} answers; the budget is {budget} ms</source>
        <translation>{median} ms ist der Median von {test_answers} Antworten; das Budget ist {budget} ms</translation>
    </message>
    <message>
        <source>{method}, so far</source>
        <translation>{method}, bisher</translation>
    </message>
    <message>
        <source>{metrics}; of a change {changes}, and {against}METRIC</source>
        <translation>{metrics}; von einer Änderung {changes}, und {against}METRIC</translation>
    </message>
    <message>
        <source>{minutes} h ago</source>
        <translation>vor {minutes} h</translation>
    </message>
    <message>
        <source>{minutes} min ago</source>
        <translation>vor {minutes} min</translation>
    </message>
    <message>
        <source>{model_name} cannot be written: {error}.</source>
        <translation>{model_name} ist nicht schreibbar: {error}.</translation>
    </message>
    <message>
        <source>{model_name} needs {most_bytes} GB of disk while it is installed, and {anchor} has {free} GB left. Make room, and install it again.</source>
        <translation>{model_name} braucht beim Installieren {most_bytes} GB, und {anchor} hat noch {free} GB. Schaffen Sie Platz, und installieren Sie noch einmal.</translation>
    </message>
    <message>
        <source>{model} is not on the server. Choose another or pull it.</source>
        <translation>{model} ist nicht auf dem Server. Wählen Sie ein anderes, oder holen Sie es.</translation>
    </message>
    <message>
        <source>{model} on {server}</source>
        <translation>{model} auf {server}</translation>
    </message>
    <message>
        <source>{model}{mode}: {cases}, {new}.</source>
        <translation>{model}{mode}: {cases}, {new}.</translation>
    </message>
    <message>
        <source>{most_tools} tools or {most_pages} pages</source>
        <translation>{most_tools} Werkzeuge oder {most_pages} Seiten</translation>
    </message>
    <message>
        <source>{most} at most</source>
        <translation>höchstens {most}</translation>
    </message>
    <message>
        <source>{most} powers run already and all are at work: stop one, or raise powers.most_running.</source>
        <translation>{most} Fähigkeiten laufen schon, und alle sind beschäftigt: halten Sie eine an, oder erhöhen Sie powers.most_running.</translation>
    </message>
    <message>
        <source>{ms} ms</source>
        <translation>{ms} ms</translation>
    </message>
    <message>
        <source>{ms} ms budget</source>
        <translation>Budget {ms} ms</translation>
    </message>
    <message>
        <source>{ms} ms left</source>
        <translation>noch {ms} ms</translation>
    </message>
    <message>
        <source>{m} min {s} s</source>
        <translation>{m} min {s} s</translation>
    </message>
    <message>
        <source>{named}{more} changed in {folder} and not here, so nothing was saved: look at what differs and take it in, then save again.</source>
        <translation>{named}{more} hat sich in {folder} geändert und hier nicht, also wurde nichts gespeichert: sehen Sie an, was anders ist, übernehmen Sie es und speichern Sie dann noch einmal.</translation>
    </message>
    <message>
        <source>{name}  (unsaved)</source>
        <translation>{name}  (ungespeichert)</translation>
    </message>
    <message>
        <source>{name} alone</source>
        <translation>{name} allein</translation>
    </message>
    <message>
        <source>{name} and {n} more</source>
        <translation>{name} und {n} mehr</translation>
    </message>
    <message>
        <source>{name} answered without a vector for each text: it is no embedding model.</source>
        <translation>{name} antwortete ohne einen Vektor je Text: es ist kein Modell für Einbettungen.</translation>
    </message>
    <message>
        <source>{name} from {name_2}</source>
        <translation>{name} aus: {name_2}</translation>
    </message>
    <message>
        <source>{name} has {score}, medium begins at {least}.</source>
        <translation>{name} hat {score}, Mittel beginnt bei {least}.</translation>
    </message>
    <message>
        <source>{name} has {score}; it was below medium then.</source>
        <translation>{name} hat {score}; das lag damals unter Mittel.</translation>
    </message>
    <message>
        <source>{name} is installed: {costs}.</source>
        <translation>{name} ist installiert: {costs}.</translation>
    </message>
    <message>
        <source>{name} is no JSON</source>
        <translation>{name} ist kein JSON</translation>
    </message>
    <message>
        <source>{name} is not loaded</source>
        <translation>{name} ist nicht geladen</translation>
    </message>
    <message>
        <source>{name} is not on the server at {url}. Pull it there, or choose another.</source>
        <translation>{name} ist nicht auf dem Server auf {url}. Holen Sie es dorthin, oder wählen Sie ein anderes.</translation>
    </message>
    <message>
        <source>{name} is not sure enough.</source>
        <translation>{name} ist nicht sicher genug.</translation>
    </message>
    <message>
        <source>{name} is one of: {names}</source>
        <translation>{name} ist eines von: {names}</translation>
    </message>
    <message>
        <source>{name} is ready: {revision}, {dimension} numbers a vector</source>
        <translation>{name} ist bereit: {revision}, {dimension} Zahlen je Vektor</translation>
    </message>
    <message>
        <source>{name} is still not found: teach it this query, too.</source>
        <translation>{name} wird noch immer nicht gefunden: bringen Sie auch diese Anfrage bei.</translation>
    </message>
    <message>
        <source>{name} marked right</source>
        <translation>{name} als richtig markiert</translation>
    </message>
    <message>
        <source>{name} marked wrong</source>
        <translation>{name} als falsch markiert</translation>
    </message>
    <message>
        <source>{name} over time</source>
        <translation>{name} im Lauf der Zeit</translation>
    </message>
    <message>
        <source>{name} was {before}, is {after}</source>
        <translation>{name} {before} war und {after} ist</translation>
    </message>
    <message>
        <source>{name} {how}was replaced on the server. Load it again on the Settings page.</source>
        <translation>{name} {how}wurde auf dem Server ersetzt. Laden Sie es auf der Seite Einstellungen neu.</translation>
    </message>
    <message>
        <source>{name}, ms</source>
        <translation>{name}, ms</translation>
    </message>
    <message numerus="yes">
        <source>{name}, {n} times</source>
        <translation>
            <numerusform>{name}, {n}-mal</numerusform>
            <numerusform>{name}, {n}-mal</numerusform>
        </translation>
    </message>
    <message>
        <source>{name}: stopped. {kept} and stay.</source>
        <translation>{name}: angehalten. {kept} und bleiben.</translation>
    </message>
    <message>
        <source>{name}: used {used}, marked right {right}</source>
        <translation>{name}: verwendet {used}, als richtig markiert {right}</translation>
    </message>
    <message>
        <source>{name}: {confidence} is below its own threshold {least}.</source>
        <translation>{name}: {confidence} liegt unter der eigenen Schwelle {least}.</translation>
    </message>
    <message>
        <source>{name}: {told}; {same}.</source>
        <translation>{name}: {told}; {same}.</translation>
    </message>
    <message>
        <source>{name}: {why}</source>
        <translation>{name}: {why}</translation>
    </message>
    <message numerus="yes">
        <source>{n} actions</source>
        <translation>
            <numerusform>{n} Aktion</numerusform>
            <numerusform>{n} Aktionen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} answers of the LLM kept</source>
        <translation>
            <numerusform>{n} Antwort des LLM behalten</numerusform>
            <numerusform>{n} Antworten des LLM behalten</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} are answered otherwise.</source>
        <translation>
            <numerusform>{n} wird anders beantwortet.</numerusform>
            <numerusform>{n} werden anders beantwortet.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} are kept without their text and could not be asked.</source>
        <translation>
            <numerusform>{n} ist ohne Text behalten und konnte nicht gestellt werden.</numerusform>
            <numerusform>{n} sind ohne Text behalten und konnten nicht gestellt werden.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} are the same</source>
        <translation>
            <numerusform>{n} ist gleich</numerusform>
            <numerusform>{n} sind gleich</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} arguments</source>
        <translation>
            <numerusform>{n} Argument</numerusform>
            <numerusform>{n} Argumente</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} cases</source>
        <translation>
            <numerusform>{n} Fall</numerusform>
            <numerusform>{n} Fälle</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} cases for routes were passed over: routing is off.</source>
        <translation>
            <numerusform>{n} Fall für eine Route wurde übergangen: Routen sind ausgeschaltet.</numerusform>
            <numerusform>{n} Fälle für Routen wurden übergangen: Routen sind ausgeschaltet.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} cases have no kept answer.</source>
        <translation>
            <numerusform>{n} Fall hat keine aufbewahrte Antwort.</numerusform>
            <numerusform>{n} Fälle haben keine aufbewahrte Antwort.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} cases of other tasks are left out</source>
        <translation>
            <numerusform>{n} Fall anderer Aufgaben ist ausgelassen</numerusform>
            <numerusform>{n} Fälle anderer Aufgaben sind ausgelassen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} cases of today were not in that run.</source>
        <translation>
            <numerusform>{n} Fall von heute war nicht in jenem Lauf.</numerusform>
            <numerusform>{n} Fälle von heute waren nicht in jenem Lauf.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} cases of {total} would come right, none would turn wrong.</source>
        <translation>
            <numerusform>{n} Fall von {total} würde richtig, keiner falsch.</numerusform>
            <numerusform>{n} Fälle von {total} würden richtig, keiner falsch.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} cases of {total} would turn wrong.</source>
        <translation>
            <numerusform>{n} Fall von {total} würde falsch.</numerusform>
            <numerusform>{n} Fälle von {total} würden falsch.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} cases turn right</source>
        <translation>
            <numerusform>{n} Fall wird richtig</numerusform>
            <numerusform>{n} Fälle werden richtig</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} cases turned right</source>
        <translation>
            <numerusform>{n} Fall wurde richtig</numerusform>
            <numerusform>{n} Fälle wurden richtig</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} changed</source>
        <translation>
            <numerusform>{n} geändert</numerusform>
            <numerusform>{n} geändert</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} changed or new</source>
        <translation>
            <numerusform>{n} geändert oder neu</numerusform>
            <numerusform>{n} geändert oder neu</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} changes are newer: what they touched is scored beside what they find.</source>
        <translation>
            <numerusform>{n} Änderung ist neuer: Was sie berührt hat, wird neben dem Gefundenen bewertet.</numerusform>
            <numerusform>{n} Änderungen sind neuer: Was sie berührt haben, wird neben dem Gefundenen bewertet.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} conflicts</source>
        <translation>
            <numerusform>{n} Konflikt</numerusform>
            <numerusform>{n} Konflikte</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} conflicts are undecided.</source>
        <translation>
            <numerusform>{n} Konflikt ist unentschieden.</numerusform>
            <numerusform>{n} Konflikte sind unentschieden.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} cues</source>
        <translation>
            <numerusform>{n} Hinweiswort</numerusform>
            <numerusform>{n} Hinweiswörter</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} decisions</source>
        <translation>
            <numerusform>{n} Entscheidung</numerusform>
            <numerusform>{n} Entscheidungen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} decisions are selected</source>
        <translation>
            <numerusform>{n} Entscheidung ist gewählt</numerusform>
            <numerusform>{n} Entscheidungen sind gewählt</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} decisions of the log name it, and stay.</source>
        <translation>
            <numerusform>{n} Entscheidung des Protokolls nennt sie und bleibt.</numerusform>
            <numerusform>{n} Entscheidungen des Protokolls nennen sie und bleiben.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} decisions were looked at.</source>
        <translation>
            <numerusform>{n} Entscheidung wurde angesehen.</numerusform>
            <numerusform>{n} Entscheidungen wurden angesehen.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} duplicates</source>
        <translation>
            <numerusform>{n} Dublette</numerusform>
            <numerusform>{n} Dubletten</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} edits, each a letter or a space, make the sorted texts one; beside each word are its own.</source>
        <translation>
            <numerusform>{n} Änderung, ein Buchstabe oder Leerzeichen, macht die sortierten Texte gleich.</numerusform>
            <numerusform>{n} Änderungen, je ein Buchstabe oder Leerzeichen, machen die sortierten Texte gleich; neben jedem Wort stehen seine.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} examples</source>
        <translation>
            <numerusform>{n} Beispiel</numerusform>
            <numerusform>{n} Beispielen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} examples that ship</source>
        <translation>
            <numerusform>{n} mitgeliefertes Beispiel</numerusform>
            <numerusform>{n} mitgelieferte Beispiele</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} expect nothing that is taught here.</source>
        <translation>
            <numerusform>{n} erwartet nichts, was hier gelehrt ist.</numerusform>
            <numerusform>{n} erwarten nichts, was hier gelehrt ist.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} faults</source>
        <translation>
            <numerusform>{n} Fehler</numerusform>
            <numerusform>{n} Fehler</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} files changed</source>
        <translation>
            <numerusform>{n} Datei geändert</numerusform>
            <numerusform>{n} Dateien geändert</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} have no vector yet and were compared by spelling alone.</source>
        <translation>
            <numerusform>{n} hat noch keinen Vektor und wurde nur nach Schreibweise verglichen.</numerusform>
            <numerusform>{n} haben noch keinen Vektor und wurden nur nach Schreibweise verglichen.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} hits</source>
        <translation>
            <numerusform>{n} Treffer</numerusform>
            <numerusform>{n} Treffer</numerusform>
        </translation>
    </message>
    <message>
        <source>{n} kept</source>
        <translation>{n} behalten</translation>
    </message>
    <message numerus="yes">
        <source>{n} keywords</source>
        <translation>
            <numerusform>{n} Stichwort</numerusform>
            <numerusform>{n} Stichwörter</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} keywords are declared by more than {named} powers.</source>
        <translation>
            <numerusform>{n} Stichwort wird von mehr als {named} Fähigkeiten genannt.</numerusform>
            <numerusform>{n} Stichwörter werden von mehr als {named} Fähigkeiten genannt.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} labelled cases</source>
        <translation>
            <numerusform>{n} markierter Fall</numerusform>
            <numerusform>{n} markierte Fälle</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} labelled queries</source>
        <translation>
            <numerusform>{n} markierte Anfrage</numerusform>
            <numerusform>{n} markierte Anfragen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} lines are left out, each with a reason.</source>
        <translation>
            <numerusform>{n} Zeile wird ausgelassen, mit einem Grund.</numerusform>
            <numerusform>{n} Zeilen werden ausgelassen, jede mit einem Grund.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} lines of the folder {name} cannot be read.</source>
        <translation>
            <numerusform>{n} Zeile des Ordners {name} ist nicht lesbar.</numerusform>
            <numerusform>{n} Zeilen des Ordners {name} sind nicht lesbar.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} lines of {file} are no cases, and were left out.</source>
        <translation>
            <numerusform>{n} Zeile von {file} ist kein Fall und wurde ausgelassen.</numerusform>
            <numerusform>{n} Zeilen von {file} sind keine Fälle und wurden ausgelassen.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} lines of {file} were left out.</source>
        <translation>
            <numerusform>{n} Zeile von {file} wurde ausgelassen.</numerusform>
            <numerusform>{n} Zeilen von {file} wurden ausgelassen.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} lines of {name} cannot be read, so nothing can be taken in. Mend them, and look again.</source>
        <translation>
            <numerusform>{n} Zeile von {name} ist nicht lesbar, deshalb kann nichts übernommen werden. Beheben Sie das und sehen Sie noch einmal nach.</numerusform>
            <numerusform>{n} Zeilen von {name} sind nicht lesbar, deshalb kann nichts übernommen werden. Beheben Sie das und sehen Sie noch einmal nach.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} lines were left out.</source>
        <translation>
            <numerusform>{n} Zeile wurde ausgelassen.</numerusform>
            <numerusform>{n} Zeilen wurden ausgelassen.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} listed memories</source>
        <translation>
            <numerusform>{n} gelistete Erinnerung</numerusform>
            <numerusform>{n} gelistete Erinnerungen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} listed powers</source>
        <translation>
            <numerusform>{n} gelistete Fähigkeit</numerusform>
            <numerusform>{n} gelistete Fähigkeiten</numerusform>
        </translation>
    </message>
    <message>
        <source>{n} MB</source>
        <translation>{n} MB</translation>
    </message>
    <message numerus="yes">
        <source>{n} memories</source>
        <translation>
            <numerusform>{n} Erinnerung</numerusform>
            <numerusform>{n} Erinnerungen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} memories always stand behind one of the same answer that holds the same words.</source>
        <translation>
            <numerusform>{n} Erinnerung steht immer hinter einer derselben Antwort, die dieselben Wörter enthält.</numerusform>
            <numerusform>{n} Erinnerungen stehen immer hinter einer derselben Antwort, die dieselben Wörter enthält.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} memories are changed.</source>
        <translation>
            <numerusform>{n} Erinnerung ist geändert.</numerusform>
            <numerusform>{n} Erinnerungen sind geändert.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} memories are in the bin.</source>
        <translation>
            <numerusform>{n} Erinnerung ist im Papierkorb.</numerusform>
            <numerusform>{n} Erinnerungen sind im Papierkorb.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} memories are left out: their success scores are below {least}.</source>
        <translation>
            <numerusform>{n} Erinnerung wird ausgelassen: ihr Erfolg liegt unter {least}.</numerusform>
            <numerusform>{n} Erinnerungen werden ausgelassen: ihr Erfolg liegt unter {least}.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} memories are paused and answer nothing.</source>
        <translation>
            <numerusform>{n} Erinnerung ist pausiert und beantwortet nichts.</numerusform>
            <numerusform>{n} Erinnerungen sind pausiert und beantworten nichts.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} memories do not come first for their own words: another answer scores as high, and is told first.</source>
        <translation>
            <numerusform>{n} Erinnerung kommt für ihre eigenen Worte nicht zuerst: eine andere Antwort hat denselben Score und wird vorher genannt.</numerusform>
            <numerusform>{n} Erinnerungen kommen für ihre eigenen Worte nicht zuerst: eine andere Antwort hat denselben Score und wird vorher genannt.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} memories less</source>
        <translation>
            <numerusform>{n} Erinnerung weniger</numerusform>
            <numerusform>{n} Erinnerungen weniger</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} memories lie nearer to another answer by meaning, of {asked} triggers that were asked. They come first if they are asked word for word, and most likely not in other words.</source>
        <translation>
            <numerusform>{n} Erinnerung liegt der Bedeutung nach näher an einer anderen Antwort, von {asked} gefragten Auslösern. Sie kommt zuerst, wenn Wort für Wort gefragt wird, und mit anderen Worten wohl nicht.</numerusform>
            <numerusform>{n} Erinnerungen liegen der Bedeutung nach näher an einer anderen Antwort, von {asked} gefragten Auslösern. Sie kommen zuerst, wenn Wort für Wort gefragt wird, und mit anderen Worten wohl nicht.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} memories more</source>
        <translation>
            <numerusform>{n} Erinnerung mehr</numerusform>
            <numerusform>{n} Erinnerungen mehr</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} memories score below {threshold}, or what their label takes, for their own words by {combination}, so they are never found.</source>
        <translation>
            <numerusform>{n} Erinnerung liegt mit {combination} für ihre eigenen Worte unter {threshold}, oder unter der Schwelle ihres Labels, und wird nie gefunden.</numerusform>
            <numerusform>{n} Erinnerungen liegen mit {combination} für ihre eigenen Worte unter {threshold}, oder unter der Schwelle ihres Labels, und werden nie gefunden.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} memories selected</source>
        <translation>
            <numerusform>{n} Erinnerung gewählt</numerusform>
            <numerusform>{n} Erinnerungen gewählt</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} more</source>
        <translation>
            <numerusform>{n} weitere</numerusform>
            <numerusform>{n} weitere</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} more are wrong in another way.</source>
        <translation>
            <numerusform>{n} weiterer ist anders falsch.</numerusform>
            <numerusform>{n} weitere sind anders falsch.</numerusform>
        </translation>
    </message>
    <message>
        <source>{n} more characters</source>
        <translation>{n} weitere Zeichen</translation>
    </message>
    <message numerus="yes">
        <source>{n} more stay wrong in another way.</source>
        <translation>
            <numerusform>{n} weiterer bleibt auf andere Art falsch.</numerusform>
            <numerusform>{n} weitere bleiben auf andere Art falsch.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} more triggers</source>
        <translation>
            <numerusform>{n} weiterer Auslöser</numerusform>
            <numerusform>{n} weitere Auslöser</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} near conflicts</source>
        <translation>
            <numerusform>{n} Beinahe-Konflikt</numerusform>
            <numerusform>{n} Beinahe-Konflikte</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} near duplicates</source>
        <translation>
            <numerusform>{n} Beinahe-Dublette</numerusform>
            <numerusform>{n} Beinahe-Dubletten</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} notes</source>
        <translation>
            <numerusform>{n} Hinweis</numerusform>
            <numerusform>{n} Hinweise</numerusform>
        </translation>
    </message>
    <message>
        <source>{n} of the first {m} texts are cases already.</source>
        <translation>{n} der ersten {m} Texte sind schon Fälle.</translation>
    </message>
    <message numerus="yes">
        <source>{n} of {all} scored memories were looked at for this order, which is exact.</source>
        <translation>
            <numerusform>{n} von {all} bewerteten Erinnerungen wurde für diese Reihenfolge angesehen, die genau ist.</numerusform>
            <numerusform>{n} von {all} bewerteten Erinnerungen wurden für diese Reihenfolge angesehen, die genau ist.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} of {labels} answers have a label with one trigger only.</source>
        <translation>
            <numerusform>{n} von {labels} Antworten hat ein Label mit nur einem Auslöser.</numerusform>
            <numerusform>{n} von {labels} Antworten haben ein Label mit nur einem Auslöser.</numerusform>
        </translation>
    </message>
    <message>
        <source>{n} of {whole}</source>
        <translation>{n} von {whole}</translation>
    </message>
    <message numerus="yes">
        <source>{n} other answers hold this trigger: {names}. All will score the same.</source>
        <translation>
            <numerusform>Eine andere Antwort enthält diesen Auslöser: {names}. Beide haben denselben Score.</numerusform>
            <numerusform>{n} andere Antworten enthalten diesen Auslöser: {names}. Alle haben denselben Score.</numerusform>
        </translation>
    </message>
    <message>
        <source>{n} others</source>
        <translation>{n} weitere</translation>
    </message>
    <message numerus="yes">
        <source>{n} past queries</source>
        <translation>
            <numerusform>{n} frühere Anfrage</numerusform>
            <numerusform>{n} frühere Anfragen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} places</source>
        <translation>
            <numerusform>{n} Stelle</numerusform>
            <numerusform>{n} Stellen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} powers</source>
        <translation>
            <numerusform>{n} Fähigkeit</numerusform>
            <numerusform>{n} Fähigkeiten</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} powers are available.</source>
        <translation>
            <numerusform>{n} Fähigkeit ist verfügbar.</numerusform>
            <numerusform>{n} Fähigkeiten sind verfügbar.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} powers are in use, and nobody has said yes to their command or address: they are found, and not started.</source>
        <translation>
            <numerusform>{n} Fähigkeit ist in Gebrauch, und niemand hat ihrem Befehl oder ihrer Adresse zugestimmt: sie wird gefunden und nicht gestartet.</numerusform>
            <numerusform>{n} Fähigkeiten sind in Gebrauch, und niemand hat ihrem Befehl oder ihrer Adresse zugestimmt: sie werden gefunden und nicht gestartet.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} powers less</source>
        <translation>
            <numerusform>{n} Fähigkeit weniger</numerusform>
            <numerusform>{n} Fähigkeiten weniger</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} powers more</source>
        <translation>
            <numerusform>{n} Fähigkeit mehr</numerusform>
            <numerusform>{n} Fähigkeiten mehr</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} powers run</source>
        <translation>
            <numerusform>{n} Fähigkeit läuft</numerusform>
            <numerusform>{n} Fähigkeiten laufen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} queries</source>
        <translation>
            <numerusform>{n} Anfrage</numerusform>
            <numerusform>{n} Anfragen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} queries are kept</source>
        <translation>
            <numerusform>{n} Anfrage ist behalten</numerusform>
            <numerusform>{n} Anfragen sind behalten</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} queries are selected</source>
        <translation>
            <numerusform>{n} Anfrage ist gewählt</numerusform>
            <numerusform>{n} Anfragen sind gewählt</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} queries go another way.</source>
        <translation>
            <numerusform>{n} Anfrage geht einen anderen Weg.</numerusform>
            <numerusform>{n} Anfragen gehen einen anderen Weg.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} queries left until it is stopped</source>
        <translation>
            <numerusform>noch {n} Anfrage, bis sie angehalten wird</numerusform>
            <numerusform>noch {n} Anfragen, bis sie angehalten wird</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} queries of late</source>
        <translation>
            <numerusform>{n} letzte Anfrage</numerusform>
            <numerusform>{n} letzte Anfragen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} queries of {name} are kept.</source>
        <translation>
            <numerusform>{n} Anfrage aus {name} ist behalten.</numerusform>
            <numerusform>{n} Anfragen aus {name} sind behalten.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} queries wait</source>
        <translation>
            <numerusform>{n} Anfrage wartet</numerusform>
            <numerusform>{n} Anfragen warten</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} requests sent</source>
        <translation>
            <numerusform>{n} Anfrage gesendet</numerusform>
            <numerusform>{n} Anfragen gesendet</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} routes set</source>
        <translation>
            <numerusform>{n} Route gesetzt</numerusform>
            <numerusform>{n} Routen gesetzt</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} routes, {on} on</source>
        <translation>
            <numerusform>{n} Route, {on} an</numerusform>
            <numerusform>{n} Routen, {on} an</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} rules</source>
        <translation>
            <numerusform>{n} Regel</numerusform>
            <numerusform>{n} Regeln</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} rules are on.</source>
        <translation>
            <numerusform>{n} Regel ist an.</numerusform>
            <numerusform>{n} Regeln sind an.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} rules change. One undo takes it back.</source>
        <translation>
            <numerusform>{n} Regel ändert sich. Ein Rückgängig nimmt es zurück.</numerusform>
            <numerusform>{n} Regeln ändern sich. Ein Rückgängig nimmt es zurück.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} rules find just what an earlier one finds.</source>
        <translation>
            <numerusform>{n} Regel findet genau, was eine frühere findet.</numerusform>
            <numerusform>{n} Regeln finden genau, was eine frühere findet.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} rules fire on a quarter or more of all texts, so that they say little of any.</source>
        <translation>
            <numerusform>{n} Regel greift bei einem Viertel aller Texte oder mehr und sagt so über keinen viel.</numerusform>
            <numerusform>{n} Regeln greifen bei einem Viertel aller Texte oder mehr und sagen so über keinen viel.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} rules fired on none of the last {queries} different queries.</source>
        <translation>
            <numerusform>{n} Regel griff bei keiner der letzten {queries} verschiedenen Anfragen.</numerusform>
            <numerusform>{n} Regeln griffen bei keiner der letzten {queries} verschiedenen Anfragen.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} rules match none of {texts} known texts: cases and what is taught.</source>
        <translation>
            <numerusform>{n} Regel trifft keinen von {texts} bekannten Texten: Fällen und Beigebrachtem.</numerusform>
            <numerusform>{n} Regeln treffen keinen von {texts} bekannten Texten: Fällen und Beigebrachtem.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} runs</source>
        <translation>
            <numerusform>{n} Lauf</numerusform>
            <numerusform>{n} Läufe</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} settings</source>
        <translation>
            <numerusform>{n} Einstellung</numerusform>
            <numerusform>{n} Einstellungen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} stored vectors (those of the shipped route examples too)</source>
        <translation>
            <numerusform>{n} gespeicherter Vektor (auch die der mitgelieferten Beispiele für Routen)</numerusform>
            <numerusform>{n} gespeicherte Vektoren (auch die der mitgelieferten Beispiele für Routen)</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} taught here</source>
        <translation>
            <numerusform>{n} hier beigebracht</numerusform>
            <numerusform>{n} hier beigebracht</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} texts that they are found by</source>
        <translation>
            <numerusform>{n} Text, durch den sie gefunden werden</numerusform>
            <numerusform>{n} Texten, durch die sie gefunden werden</numerusform>
        </translation>
    </message>
    <message>
        <source>{n} the same.</source>
        <translation>{n} gleich.</translation>
    </message>
    <message numerus="yes">
        <source>{n} things</source>
        <translation>
            <numerusform>{n} Sache</numerusform>
            <numerusform>{n} Sachen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} things are restored.</source>
        <translation>
            <numerusform>{n} Sache ist wiederhergestellt.</numerusform>
            <numerusform>{n} Sachen sind wiederhergestellt.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} things changed both here and in the folder {name}.</source>
        <translation>
            <numerusform>{n} Sache hat sich hier und im Ordner {name} geändert.</numerusform>
            <numerusform>{n} Sachen haben sich hier und im Ordner {name} geändert.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} things changed in the folder {name}.</source>
        <translation>
            <numerusform>{n} Sache hat sich im Ordner {name} geändert.</numerusform>
            <numerusform>{n} Sachen haben sich im Ordner {name} geändert.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} things.</source>
        <translation>
            <numerusform>{n} Sache.</numerusform>
            <numerusform>{n} Sachen.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} times</source>
        <translation>
            <numerusform>{n}-mal</numerusform>
            <numerusform>{n}-mal</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} tokens</source>
        <translation>
            <numerusform>{n} Token</numerusform>
            <numerusform>{n} Token</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} tools</source>
        <translation>
            <numerusform>{n} Werkzeug</numerusform>
            <numerusform>{n} Werkzeuge</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} triggers have no vector yet</source>
        <translation>
            <numerusform>{n} Auslöser hat noch keinen Vektor</numerusform>
            <numerusform>{n} Auslöser haben noch keinen Vektor</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} triggers have no vector, so meaning does not count for them.</source>
        <translation>
            <numerusform>{n} Auslöser hat keinen Vektor, Bedeutung zählt für ihn nicht.</numerusform>
            <numerusform>{n} Auslöser haben keinen Vektor, Bedeutung zählt für sie nicht.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} triggers of memories</source>
        <translation>
            <numerusform>{n} Auslöser von Erinnerungen</numerusform>
            <numerusform>{n} Auslöser von Erinnerungen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} turn wrong</source>
        <translation>
            <numerusform>{n} wird falsch</numerusform>
            <numerusform>{n} werden falsch</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} turned wrong</source>
        <translation>
            <numerusform>{n} wurde falsch</numerusform>
            <numerusform>{n} wurden falsch</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} types have no rule that is on, and no LLM is asked.</source>
        <translation>
            <numerusform>{n} Typ hat keine eingeschaltete Regel, und kein LLM wird gefragt.</numerusform>
            <numerusform>{n} Typen haben keine eingeschaltete Regel, und kein LLM wird gefragt.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} wait</source>
        <translation>
            <numerusform>{n} wartet</numerusform>
            <numerusform>{n} warten</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} wait in the inbox</source>
        <translation>
            <numerusform>{n} wartet im Eingang</numerusform>
            <numerusform>{n} warten im Eingang</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} warnings</source>
        <translation>
            <numerusform>{n} Warnung</numerusform>
            <numerusform>{n} Warnungen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} weights set</source>
        <translation>
            <numerusform>{n} Gewicht gesetzt</numerusform>
            <numerusform>{n} Gewichte gesetzt</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} words further on were not left out.</source>
        <translation>
            <numerusform>{n} Wort weiter hinten wurde nicht weggelassen.</numerusform>
            <numerusform>{n} Wörter weiter hinten wurden nicht weggelassen.</numerusform>
        </translation>
    </message>
    <message>
        <source>{n} {reason}</source>
        <translation>{n} {reason}</translation>
    </message>
    <message>
        <source>{n} → {then}, {right} → {then_right} right</source>
        <translation>{n} → {then}, {right} → {then_right} richtig</translation>
    </message>
    <message>
        <source>{n}, {right} right</source>
        <translation>{n}, {right} richtig</translation>
    </message>
    <message>
        <source>{of} by the LLM: {name}, {line} = {result}</source>
        <translation>{of} durch das LLM: {name}, {line} = {result}</translation>
    </message>
    <message>
        <source>{of}, a difference like this would come by chance in {share} of all tries (McNemar&apos;s exact test, {p}).</source>
        <translation>{of}, käme ein solcher Unterschied in {share} aller Versuche durch Zufall zustande (McNemars exakter Test, {p}).</translation>
    </message>
    <message>
        <source>{of}: prompt</source>
        <translation>{of}: Prompt</translation>
    </message>
    <message>
        <source>{of}: reply</source>
        <translation>{of}: Antwort</translation>
    </message>
    <message>
        <source>{of}: the LLM is asked to choose.</source>
        <translation>{of}: Das LLM wird nach seiner Wahl gefragt.</translation>
    </message>
    <message>
        <source>{of}: {name} stays. {why}</source>
        <translation>{of}: {name} bleibt. {why}</translation>
    </message>
    <message>
        <source>{of}: {why}</source>
        <translation>{of}: {why}</translation>
    </message>
    <message>
        <source>{on} of {n} on · {whose}</source>
        <translation>{on} von {n} an · {whose}</translation>
    </message>
    <message>
        <source>{over} of {runs} over ({share})</source>
        <translation>{over} von {runs} darüber ({share})</translation>
    </message>
    <message>
        <source>{packages} cannot be written to. {remedy}</source>
        <translation>In {packages} kann nicht geschrieben werden. {remedy}</translation>
    </message>
    <message>
        <source>{parts} and {last}</source>
        <translation>{parts} und {last}</translation>
    </message>
    <message>
        <source>{parts} cannot be written to: {strerror}.</source>
        <translation>In {parts} kann nicht geschrieben werden: {strerror}.</translation>
    </message>
    <message>
        <source>{path} cannot be used ({why}): name another file.</source>
        <translation>{path} ist nicht zu gebrauchen ({why}): Nennen Sie eine andere Datei.</translation>
    </message>
    <message>
        <source>{path} cannot be written: {strerror}.</source>
        <translation>{path} ist nicht schreibbar: {strerror}.</translation>
    </message>
    <message>
        <source>{path} holds no case of this task that can be evaluated.</source>
        <translation>{path} enthält keinen Fall dieser Aufgabe, der sich auswerten lässt.</translation>
    </message>
    <message>
        <source>{path} holds no setting of Subcog that is one here.</source>
        <translation>{path} enthält keine Einstellung von Subcog, die es auch hier gibt.</translation>
    </message>
    <message>
        <source>{path} is a folder: choose a file in it.</source>
        <translation>{path} ist ein Ordner: wählen Sie eine Datei darin.</translation>
    </message>
    <message>
        <source>{path} is a pipe or a device, not a file: save what it gives first.</source>
        <translation>{path} ist eine Pipe oder ein Gerät, keine Datei: speichern Sie zuerst, was es liefert.</translation>
    </message>
    <message>
        <source>{path} is damaged: it has {size} of {whole} bytes. Fetch it anew.</source>
        <translation>{path} ist beschädigt: es hat {size} von {whole} Bytes. Holen Sie es neu.</translation>
    </message>
    <message>
        <source>{path} is damaged: what it holds cannot be told. Fetch it anew.</source>
        <translation>{path} ist beschädigt: was es enthält, ist nicht feststellbar. Holen Sie es neu.</translation>
    </message>
    <message>
        <source>{path} was not written: {why}. Choose another place.</source>
        <translation>{path} wurde nicht geschrieben: {why}. Wählen Sie einen anderen Ort.</translation>
    </message>
    <message>
        <source>{place} of {n}</source>
        <translation>{place} von {n}</translation>
    </message>
    <message>
        <source>{policy} would have picked nothing.</source>
        <translation>{policy} hätte nichts gewählt.</translation>
    </message>
    <message>
        <source>{policy} would have picked {type}.</source>
        <translation>{policy} hätte {type} gewählt.</translation>
    </message>
    <message>
        <source>{preset}: {answer}.</source>
        <translation>{preset}: {answer}.</translation>
    </message>
    <message>
        <source>{queries}, today and under {changes}</source>
        <translation>{queries}, heute und unter {changes}</translation>
    </message>
    <message>
        <source>{query_ms} ms a query</source>
        <translation>{query_ms} ms je Anfrage</translation>
    </message>
    <message>
        <source>{question} [y/N] </source>
        <translation>{question} [j/N] </translation>
    </message>
    <message>
        <source>{read} lines of {name} are read</source>
        <translation>{read} Zeilen von {name} sind gelesen</translation>
    </message>
    <message>
        <source>{read} of {of} lines of {name} are read</source>
        <translation>{read} von {of} Zeilen von {name} sind gelesen</translation>
    </message>
    <message>
        <source>{right} Any store had it in {anywhere}.</source>
        <translation>{right} Irgendein Speicher hatte es in {anywhere}.</translation>
    </message>
    <message numerus="yes">
        <source>{right} of {n} cases are answered rightly ({share}).</source>
        <translation>
            <numerusform>{right} von {n} Fall ist richtig beantwortet ({share}).</numerusform>
            <numerusform>{right} von {n} Fällen sind richtig beantwortet ({share}).</numerusform>
        </translation>
    </message>
    <message>
        <source>{right} right, {wrong} wrong ({share} right).</source>
        <translation>{right} richtig, {wrong} falsch ({share} richtig).</translation>
    </message>
    <message>
        <source>{right}, {wrong}.</source>
        <translation>{right}, {wrong}.</translation>
    </message>
    <message>
        <source>{said} (undone)</source>
        <translation>{said} (rückgängig gemacht)</translation>
    </message>
    <message>
        <source>{said}, because {why}</source>
        <translation>{said}, weil {why}</translation>
    </message>
    <message>
        <source>{said}, no cue matched</source>
        <translation>{said}, kein Hinweiswort traf</translation>
    </message>
    <message>
        <source>{said}, some for several reasons: {each}</source>
        <translation>{said}, einige aus mehreren Gründen: {each}</translation>
    </message>
    <message>
        <source>{said}, {n} kept.</source>
        <translation>{said}, {n} behalten.</translation>
    </message>
    <message>
        <source>{said}: several matches begin at {medium}, one alone activates at {high}.</source>
        <translation>{said}: mehrere Treffer beginnen bei {medium}, einer allein wird ab {high} aktiviert.</translation>
    </message>
    <message>
        <source>{said}: weak matches begin at {weak}, several matches at {medium}.</source>
        <translation>{said}: schwache Treffer beginnen bei {weak}, mehrere Treffer bei {medium}.</translation>
    </message>
    <message>
        <source>{said}: {confidence} is above {least}.</source>
        <translation>{said}: {confidence} liegt über {least}.</translation>
    </message>
    <message>
        <source>{said}: {confidence} is the threshold itself.</source>
        <translation>{said}: {confidence} ist genau die Schwelle.</translation>
    </message>
    <message>
        <source>{said}; weak matches begin at {weak}.</source>
        <translation>{said}; schwache Treffer beginnen bei {weak}.</translation>
    </message>
    <message>
        <source>{said}; {margin} would tell them apart.</source>
        <translation>{said}; {margin} würden sie trennen.</translation>
    </message>
    <message>
        <source>{scorer} (by {lead})</source>
        <translation>{scorer} (um {lead})</translation>
    </message>
    <message>
        <source>{scorer} alone</source>
        <translation>{scorer} allein</translation>
    </message>
    <message>
        <source>{scorer} of {label}: {before}, now {after}</source>
        <translation>{scorer} von {label}: {before}, jetzt {after}</translation>
    </message>
    <message>
        <source>{score} alone</source>
        <translation>{score} allein</translation>
    </message>
    <message>
        <source>{score}, {n} powers</source>
        <translation>{score}, {n} Fähigkeiten</translation>
    </message>
    <message>
        <source>{sentence} It ended {ends} times, so it is not started again by itself: activate it anew.</source>
        <translation>{sentence} Sie endete {ends}-mal und wird deshalb nicht von selbst neu gestartet: aktivieren Sie sie neu.</translation>
    </message>
    <message>
        <source>{sentence} It is left out.</source>
        <translation>{sentence} Es wird ausgelassen.</translation>
    </message>
    <message>
        <source>{sentence} It is started again.</source>
        <translation>{sentence} Sie wird neu gestartet.</translation>
    </message>
    <message>
        <source>{sentence} It stands {place}, so the settings there are left out until the program is started again, </source>
        <translation>{sentence} Das steht {place}, deshalb bleiben die Einstellungen dort bis zum nächsten Start des Programms weg, </translation>
    </message>
    <message>
        <source>{sentence} Redis had kept it.</source>
        <translation>{sentence} Redis hatte es aufbewahrt.</translation>
    </message>
    <message>
        <source>{sentence} Saved: {saving} (003: {documented_saving}).</source>
        <translation>{sentence} Gespart: {saving} (003: {documented_saving}).</translation>
    </message>
    <message>
        <source>{sentence} Those below {certain} are not surfaced.</source>
        <translation>{sentence} Unter {certain} wird nichts mitgegeben.</translation>
    </message>
    <message>
        <source>{sentence}, but {words} {speak} for {vote}, and so does {like}.</source>
        <translation>{sentence}, aber {words} {speak} für {vote}, und ebenso {like}.</translation>
    </message>
    <message>
        <source>{sentence}: most answers come late.</source>
        <translation>{sentence}: die meisten Antworten kommen zu spät.</translation>
    </message>
    <message>
        <source>{sentence}; taken together they are more for {vote}, as {like}.</source>
        <translation>{sentence}; zusammengenommen sind sie eher für {vote}, wie {like}.</translation>
    </message>
    <message>
        <source>{server} is connected over HTTP there already</source>
        <translation>{server} ist dort schon über HTTP verbunden</translation>
    </message>
    <message>
        <source>{setting} from {before} to {after}</source>
        <translation>{setting} von {before} auf {after}</translation>
    </message>
    <message>
        <source>{share} of 100 queries go by {candidate}{since}.</source>
        <translation>{share} von 100 Anfragen gehen nach {candidate}{since}.</translation>
    </message>
    <message>
        <source>{share} of the questions to the LLM failed.</source>
        <translation>{share} der Fragen an das LLM schlugen fehl.</translation>
    </message>
    <message>
        <source>{shown} and more</source>
        <translation>{shown} und mehr</translation>
    </message>
    <message>
        <source>{shown} and {count} more</source>
        <translation>{shown} und {count} mehr</translation>
    </message>
    <message>
        <source>{shown} and {n} more</source>
        <translation>{shown} und {n} weitere</translation>
    </message>
    <message>
        <source>{shown} of {all} cases.</source>
        <translation>{shown} von {all} Fällen.</translation>
    </message>
    <message>
        <source>{shown} of {whole}</source>
        <translation>{shown} von {whole}</translation>
    </message>
    <message>
        <source>{side} there is no type. {why}</source>
        <translation>{side} gibt es keinen Typ. {why}</translation>
    </message>
    <message>
        <source>{size} of memory</source>
        <translation>{size} Speicher</translation>
    </message>
    <message>
        <source>{size} on disk</source>
        <translation>{size} auf dem Datenträger</translation>
    </message>
    <message>
        <source>{source} does not hold {model_name}: its weights are others.</source>
        <translation>{source} enthält nicht {model_name}: seine Gewichte sind andere.</translation>
    </message>
    <message>
        <source>{span}: nothing was counted.</source>
        <translation>{span}: nichts gezählt.</translation>
    </message>
    <message>
        <source>{spent} of {budget} spent this month</source>
        <translation>{spent} von {budget} in diesem Monat ausgegeben</translation>
    </message>
    <message numerus="yes">
        <source>{stores} are no stores here.</source>
        <translation>
            <numerusform>{stores} ist hier kein Speicher.</numerusform>
            <numerusform>{stores} sind hier keine Speicher.</numerusform>
        </translation>
    </message>
    <message>
        <source>{store}: {by}</source>
        <translation>{store}: {by}</translation>
    </message>
    <message>
        <source>{store}: {by}, {ms} ms</source>
        <translation>{store}: {by}, {ms} ms</translation>
    </message>
    <message>
        <source>{s} s</source>
        <translation>{s} s</translation>
    </message>
    <message>
        <source>{task} ({n})</source>
        <translation>{task} ({n})</translation>
    </message>
    <message numerus="yes">
        <source>{task}, {n} cases</source>
        <translation>
            <numerusform>{task}, {n} Fall</numerusform>
            <numerusform>{task}, {n} Fälle</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{task}: of the {n} cases {after} come out right with it, {before} as it is now.</source>
        <translation>
            <numerusform>{task}: von dem einen Fall sind damit {after} richtig, jetzt {before}.</numerusform>
            <numerusform>{task}: von den {n} Fällen sind damit {after} richtig, jetzt {before}.</numerusform>
        </translation>
    </message>
    <message>
        <source>{task}: {counts}; {rules}.</source>
        <translation>{task}: {counts}; {rules}.</translation>
    </message>
    <message>
        <source>{taught}, and switch off the rule {named}</source>
        <translation>{taught}, und die Regel {named} ausschalten</translation>
    </message>
    <message>
        <source>{taught}, and switch off the rules {named}</source>
        <translation>{taught}, und die Regeln {named} ausschalten</translation>
    </message>
    <message>
        <source>{text}
[… {count} more characters are left out.]</source>
        <translation>{text}
[… {count} weitere Zeichen sind ausgelassen.]</translation>
    </message>
    <message>
        <source>{times} ms.</source>
        <translation>{times} ms.</translation>
    </message>
    <message>
        <source>{title} cannot be written, only read; {can} can.</source>
        <translation>{title} lässt sich nicht schreiben, nur lesen; {can} schon.</translation>
    </message>
    <message>
        <source>{title} hold {kind}, no {kind_2}.</source>
        <translation>{title} enthalten {kind}, keine {kind_2}.</translation>
    </message>
    <message>
        <source>{title} tell intents: as cases they are for the task {intent}, not {task}.</source>
        <translation>{title} nennen Absichten: als Fälle sind sie für die Aufgabe {intent}, nicht {task}.</translation>
    </message>
    <message>
        <source>{title} were expected ({expected}), but line {line} begins something else.</source>
        <translation>{title} wurden erwartet ({expected}), aber Zeile {line} beginnt etwas anderes.</translation>
    </message>
    <message>
        <source>{told}, {k} otherwise</source>
        <translation>{told}, {k} anders</translation>
    </message>
    <message>
        <source>{told}; filling makes an index first</source>
        <translation>{told}; das Füllen legt zuerst einen Index an</translation>
    </message>
    <message>
        <source>{told}; no answer of {silent}</source>
        <translation>{told}; keine Antwort von {silent}</translation>
    </message>
    <message numerus="yes">
        <source>{told}; {n} of other libraries beside them, which are left alone</source>
        <translation>
            <numerusform>{told}; daneben {n} einer anderen Bibliothek, das in Ruhe gelassen wird</numerusform>
            <numerusform>{told}; daneben {n} anderer Bibliotheken, die in Ruhe gelassen werden</numerusform>
        </translation>
    </message>
    <message>
        <source>{too_long} Take the file in from the window instead.</source>
        <translation>{too_long} Übernehmen Sie die Datei stattdessen im Fenster.</translation>
    </message>
    <message>
        <source>{tools}: taught, not told by its server yet</source>
        <translation>{tools}: beigebracht, vom Server noch nicht genannt</translation>
    </message>
    <message numerus="yes">
        <source>{triggers} triggers are searched on {n} servers, by vectors of {encoder}.</source>
        <translation>
            <numerusform>{triggers} Auslöser werden auf {n} Server durchsucht, mit Vektoren von {encoder}.</numerusform>
            <numerusform>{triggers} Auslöser werden auf {n} Servern durchsucht, mit Vektoren von {encoder}.</numerusform>
        </translation>
    </message>
    <message>
        <source>{trusted} or more stays</source>
        <translation>{trusted} oder mehr bleibt</translation>
    </message>
    <message>
        <source>{type} {confidence} after {ms} ms.</source>
        <translation>{type} {confidence} nach {ms} ms.</translation>
    </message>
    <message>
        <source>{type} {why}, after {ms} ms. {stands}</source>
        <translation>{type} {why}, nach {ms} ms. {stands}</translation>
    </message>
    <message>
        <source>{type}, held back</source>
        <translation>{type}, zurückgehalten</translation>
    </message>
    <message>
        <source>{type}, negated</source>
        <translation>{type}, verneint</translation>
    </message>
    <message>
        <source>{type}: its column of weights orders these.</source>
        <translation>{type}: seine Spalte der Gewichte ordnet diese.</translation>
    </message>
    <message>
        <source>{url} is no address of a server.</source>
        <translation>{url} ist keine Adresse eines Servers.</translation>
    </message>
    <message>
        <source>{url} is no address of a server: {refused}.</source>
        <translation>{url} ist keine Adresse eines Servers: {refused}.</translation>
    </message>
    <message>
        <source>{used} of {budget} tokens</source>
        <translation>{used} von {budget} Token</translation>
    </message>
    <message>
        <source>{value} is below {least}</source>
        <translation>{value} liegt unter {least}</translation>
    </message>
    <message>
        <source>{value} is best. {turned}</source>
        <translation>{value} ist am besten. {turned}</translation>
    </message>
    <message>
        <source>{vectors} stored vectors are not of {encoder}, which answers. They are never compared to it.</source>
        <translation>{vectors} gespeicherte Vektoren sind nicht von {encoder}, das antwortet. Sie werden nie damit verglichen.</translation>
    </message>
    <message>
        <source>{verb} {count} more</source>
        <translation>{verb} {count} mehr</translation>
    </message>
    <message>
        <source>{verb} {done} of {total} </source>
        <translation>{verb} {done} von {total} </translation>
    </message>
    <message>
        <source>{verb} {subject}</source>
        <translation>{subject} {verb}</translation>
    </message>
    <message>
        <source>{verb}: {done} of {rows} rows</source>
        <translation>{verb}: {done} von {rows} Zeilen</translation>
    </message>
    <message>
        <source>{verb}? [y/N] </source>
        <translation>{verb}? [j/N] </translation>
    </message>
    <message>
        <source>{wanted} is on the server.</source>
        <translation>{wanted} ist auf dem Server.</translation>
    </message>
    <message>
        <source>{way}, approximately</source>
        <translation>{way}, annähernd</translation>
    </message>
    <message>
        <source>{what} At {value} most answers are right. {turned}</source>
        <translation>{what} Bei {value} sind die meisten Antworten richtig. {turned}</translation>
    </message>
    <message>
        <source>{what} stays: {level}.</source>
        <translation>{what} bleibt: {level}.</translation>
    </message>
    <message>
        <source>{what} The best of them is {value}.</source>
        <translation>{what} Der beste von ihnen ist {value}.</translation>
    </message>
    <message>
        <source>{what} would be: {then}. Now: {now}.</source>
        <translation>{what} wäre: {then}. Jetzt: {now}.</translation>
    </message>
    <message>
        <source>{what} {below}, so they abstain.</source>
        <translation>{what} {below}, also enthalten sie sich.</translation>
    </message>
    <message>
        <source>{what} {confidence} reaches {least}.</source>
        <translation>{what} {confidence} erreicht {least}.</translation>
    </message>
    <message>
        <source>{what} {confidence}{by}, but {none}, so they abstain.</source>
        <translation>{what} {confidence}{by}, aber {none}, also enthalten sie sich.</translation>
    </message>
    <message>
        <source>{what}, in spite of {against}</source>
        <translation>{what} (dagegen: {against})</translation>
    </message>
    <message>
        <source>{what}: does not apply.</source>
        <translation>{what}: trifft nicht zu.</translation>
    </message>
    <message>
        <source>{what}: {share}; the target of more than {target} is {verdict}.</source>
        <translation>{what}: {share}; das Ziel von mehr als {target} ist {verdict}.</translation>
    </message>
    <message>
        <source>{which} came by the same method, {method}.</source>
        <translation>{which} kamen alle durch dieselbe Methode, {method}.</translation>
    </message>
    <message>
        <source>{which} go the same way, {intent}.</source>
        <translation>{which} gehen alle denselben Weg, {intent}.</translation>
    </message>
    <message>
        <source>{which} have the same confidence, {confidence}.</source>
        <translation>{which} haben alle dieselbe Konfidenz, {confidence}.</translation>
    </message>
    <message>
        <source>{which} went to the safe choice: nothing decided any of them.</source>
        <translation>{which} gingen alle zur sicheren Wahl: Nichts hat eine von ihnen entschieden.</translation>
    </message>
    <message>
        <source>{which}: every case is answered as then.</source>
        <translation>{which}: Jeder Fall wird beantwortet wie damals.</translation>
    </message>
    <message>
        <source>{which}: {right}, {wrong}.</source>
        <translation>{which}: {right}, {wrong}.</translation>
    </message>
    <message>
        <source>{why} Rules, kept answers and taught examples decide meanwhile.</source>
        <translation>{why} Inzwischen entscheiden Regeln, behaltene Antworten und Beispiele.</translation>
    </message>
    <message>
        <source>{why}, and {also}</source>
        <translation>{why}, und {also}</translation>
    </message>
    <message>
        <source>{words} (more than the {frame_ms} ms of a frame)</source>
        <translation>{words} (mehr als die {frame_ms} ms eines Bildes)</translation>
    </message>
    <message>
        <source>{words}: {n}</source>
        <translation>{words}: {n}</translation>
    </message>
    <message>
        <source>{words}; {until_then} answers until then.</source>
        <translation>{words}; bis dahin antwortet {until_then}.</translation>
    </message>
    <message>
        <source>{word}: success stays {score}. {kept}</source>
        <translation>{word}: Erfolg bleibt {score}. {kept}</translation>
    </message>
    <message>
        <source>{word}: success {old} → {new}. {kept}</source>
        <translation>{word}: Erfolg {old} → {new}. {kept}</translation>
    </message>
    <message>
        <source>~/.pgpass keeps it</source>
        <translation>~/.pgpass bewahrt es auf</translation>
    </message>
    <message>
        <source>±, points</source>
        <translation>±, Punkte</translation>
    </message>
    <message>
        <source>× such queries are of the taught kind</source>
        <translation>× solche Anfragen sind von der beigebrachten Art</translation>
    </message>
    <message>
        <source>“confidence” lies between 0 and 1, not at {confidence}.</source>
        <translation>„confidence“ liegt zwischen 0 und 1, nicht bei {confidence}.</translation>
    </message>
    <message>
        <source>“intentscope approve {name}” asks for a yes to:</source>
        <translation>„intentscope approve {name}“ bittet um ein Ja zu:</translation>
    </message>
    <message>
        <source>“intentscope approve {name}” asks for that.</source>
        <translation>„intentscope approve {name}“ fragt danach.</translation>
    </message>
    <message>
        <source>“intentscope stores --password {store}” keeps it</source>
        <translation>„intentscope stores --password {store}“ bewahrt es auf</translation>
    </message>
    <message>
        <source>“name”, “description”, “keywords” and “server”</source>
        <translation>„name“, „description“, „keywords“ und „server“</translation>
    </message>
    <message>
        <source>“position” is a whole number.</source>
        <translation>„position“ ist eine ganze Zahl.</translation>
    </message>
    <message>
        <source>“purpose” is one of {rulepurpose}, not “{purpose}”.</source>
        <translation>„purpose“ ist eines von {rulepurpose}, nicht „{purpose}“.</translation>
    </message>
    <message>
        <source>“success” lies between 0 and 1, not at {success}.</source>
        <translation>„success“ liegt zwischen 0 und 1, nicht bei {success}.</translation>
    </message>
    <message>
        <source>“tier” is one of {tier}, not “{named}”.</source>
        <translation>„tier“ ist eines von {tier}, nicht „{named}“.</translation>
    </message>
    <message>
        <source>“tools” is a list of names, or of objects with “name” and “description”.</source>
        <translation>„tools“ ist eine Liste von Namen, oder von Objekten mit „name“ und „description“.</translation>
    </message>
    <message>
        <source>“valid_to” is not after “valid_from”.</source>
        <translation>„valid_to“ liegt nicht nach „valid_from“.</translation>
    </message>
    <message>
        <source>“{0}” has nothing before it to repeat.</source>
        <translation>Vor „{0}“ steht nichts, was sich wiederholen ließe.</translation>
    </message>
    <message>
        <source>“{0}” is changed.</source>
        <translation>„{0}“ ist geändert.</translation>
    </message>
    <message>
        <source>“{0}” is no escape.</source>
        <translation>„{0}“ ist keine Maskierung.</translation>
    </message>
    <message>
        <source>“{0}” is no name for a group.</source>
        <translation>„{0}“ ist kein Name für eine Gruppe.</translation>
    </message>
    <message>
        <source>“{0}” is no range or class.</source>
        <translation>„{0}“ ist kein Bereich und keine Klasse.</translation>
    </message>
    <message>
        <source>“{0}” is no size: at most 1,000, the smaller number first.</source>
        <translation>„{0}“ ist keine Anzahl: höchstens 1,000, die kleinere Zahl zuerst.</translation>
    </message>
    <message>
        <source>“{0}” repeats what is repeated already.</source>
        <translation>„{0}“ wiederholt, was schon wiederholt wird.</translation>
    </message>
    <message>
        <source>“{address}” is no address of a team&apos;s library: write postgresql://USER@HOST/DATABASE.</source>
        <translation>„{address}“ ist keine Adresse einer Team-Bibliothek: schreiben Sie postgresql://BENUTZER@RECHNER/DATENBANK.</translation>
    </message>
    <message>
        <source>“{answer}” has been deleted meanwhile.</source>
        <translation>„{answer}“ wurde inzwischen gelöscht.</translation>
    </message>
    <message>
        <source>“{begin}” {does}, which RE2 does not do.</source>
        <translation>„{begin}“ {does}, was RE2 nicht tut.</translation>
    </message>
    <message>
        <source>“{bound}” in the gate “{text}” is not a number.</source>
        <translation>„{bound}“ in der Schranke „{text}“ ist keine Zahl.</translation>
    </message>
    <message>
        <source>“{column}” begins like JSON, but is none: {msg}.</source>
        <translation>„{column}“ beginnt wie JSON, ist aber keins: {msg}.</translation>
    </message>
    <message>
        <source>“{column}” is a number, not “{cell}”.</source>
        <translation>„{column}“ ist eine Zahl, nicht „{cell}“.</translation>
    </message>
    <message>
        <source>“{column}” is a whole number, not “{cell}”.</source>
        <translation>„{column}“ ist eine ganze Zahl, nicht „{cell}“.</translation>
    </message>
    <message>
        <source>“{column}” is no column of {kind}: {kind_2} are. Write --columns HEADING=COLUMN.</source>
        <translation>„{column}“ ist keine Spalte von {kind}: das sind {kind_2}. Schreiben Sie --columns HEADING=COLUMN.</translation>
    </message>
    <message>
        <source>“{column}” is true or false, not “{cell}”.</source>
        <translation>„{column}“ ist true oder false, nicht „{cell}“.</translation>
    </message>
    <message>
        <source>“{field}” holds a NUL character, which no text has.</source>
        <translation>„{field}“ enthält ein NUL-Zeichen, das kein Text hat.</translation>
    </message>
    <message>
        <source>“{field}” holds a text of {count} characters; {max_characters} are allowed.</source>
        <translation>„{field}“ enthält einen Text von {count} Zeichen; {max_characters} sind erlaubt.</translation>
    </message>
    <message>
        <source>“{field}” holds an empty answer; where nothing should match, it is an empty list.</source>
        <translation>„{field}“ enthält eine leere Antwort; wo nichts treffen soll, ist es eine leere Liste.</translation>
    </message>
    <message>
        <source>“{field}” holds something that is no text.</source>
        <translation>„{field}“ enthält etwas, das kein Text ist.</translation>
    </message>
    <message>
        <source>“{field}” is a date or a time, such as 2026-11-22 or 2026-11-22T04:26:21Z.</source>
        <translation>„{field}“ ist ein Tag oder eine Zeit, etwa 2026-11-22 oder 2026-11-22T04:26:21Z.</translation>
    </message>
    <message>
        <source>“{field}” is a list of names. Their values are secrets, which stay out of these files: set them on the page of the powers.</source>
        <translation>„{field}“ ist eine Liste von Namen. Ihre Werte sind Geheimnisse, die nicht in diese Dateien kommen: setzen Sie sie auf der Seite der Fähigkeiten.</translation>
    </message>
    <message>
        <source>“{field}” is a list.</source>
        <translation>„{field}“ ist eine Liste.</translation>
    </message>
    <message>
        <source>“{field}” is a number.</source>
        <translation>„{field}“ ist eine Zahl.</translation>
    </message>
    <message>
        <source>“{field}” is true or false.</source>
        <translation>„{field}“ ist true oder false.</translation>
    </message>
    <message>
        <source>“{file}” holds nothing that is new here.</source>
        <translation>„{file}“ enthält nichts, was hier neu wäre.</translation>
    </message>
    <message>
        <source>“{fragment}” refers back to a group, which RE2 does not do.</source>
        <translation>„{fragment}“ verweist zurück auf eine Gruppe, was RE2 nicht tut.</translation>
    </message>
    <message>
        <source>“{kept}” came with the program and stays: switch it off instead.</source>
        <translation>„{kept}“ kam mit dem Programm und bleibt: schalten Sie es stattdessen aus.</translation>
    </message>
    <message>
        <source>“{keyword}” is declared by this power alone.</source>
        <translation>„{keyword}“ nennt nur diese Fähigkeit.</translation>
    </message>
    <message numerus="yes">
        <source>“{keyword}” is shared by {n} powers.</source>
        <translation>
            <numerusform>„{keyword}“ nennt {n} Fähigkeit.</numerusform>
            <numerusform>„{keyword}“ nennen {n} Fähigkeiten.</numerusform>
        </translation>
    </message>
    <message>
        <source>“{keyword}” is the power’s name.</source>
        <translation>„{keyword}“ ist der Name der Fähigkeit.</translation>
    </message>
    <message>
        <source>“{key}” has no end: write its values as 1,2,5 or as 0:10:1.</source>
        <translation>„{key}“ hat kein Ende: schreiben Sie die Werte als 1,2,5 oder als 0:10:1.</translation>
    </message>
    <message>
        <source>“{key}” is a text, of which there is nothing to sweep.</source>
        <translation>„{key}“ ist ein Text; da gibt es nichts durchlaufen zu lassen.</translation>
    </message>
    <message>
        <source>“{key}” takes whole numbers, not {value}.</source>
        <translation>„{key}“ nimmt ganze Zahlen, nicht {value}.</translation>
    </message>
    <message>
        <source>“{key}” takes {bounds}, not {value}.</source>
        <translation>„{key}“ nimmt {bounds}, nicht {value}.</translation>
    </message>
    <message>
        <source>“{label}” from {value} on</source>
        <translation>„{label}“ ab {value}</translation>
    </message>
    <message>
        <source>“{label}” is not one of the six types.</source>
        <translation>„{label}“ ist keine der sechs Arten.</translation>
    </message>
    <message>
        <source>“{label}” is not one of the six types: {types}.</source>
        <translation>„{label}“ ist keiner der sechs Typen: {types}.</translation>
    </message>
    <message>
        <source>“{mine}” comes first, with {own}, {lead} ahead of “{theirs}”.</source>
        <translation>„{mine}“ kommt zuerst, mit {own}, {lead} vor „{theirs}“.</translation>
    </message>
    <message>
        <source>“{mine}” comes first, with {own}.</source>
        <translation>„{mine}“ kommt zuerst, mit {own}.</translation>
    </message>
    <message>
        <source>“{mine}” is as good as the best, but only place {rank} and not among those that are named.</source>
        <translation>„{mine}“ ist so gut wie das Beste, aber nur auf Platz {rank} und nicht unter denen, die genannt werden.</translation>
    </message>
    <message>
        <source>“{mine}” is in place {rank} with {own} and is not among the {listed} that are listed; “{theirs}” comes first with {other}.</source>
        <translation>„{mine}“ ist mit {own} auf Platz {rank} und nicht unter den {listed} gelisteten; „{theirs}“ kommt zuerst mit {other}.</translation>
    </message>
    <message>
        <source>“{mine}” is in place {rank} with {own}; “{theirs}” comes first with {other}.</source>
        <translation>„{mine}“ ist mit {own} auf Platz {rank}; „{theirs}“ kommt zuerst mit {other}.</translation>
    </message>
    <message>
        <source>“{mine}” is level with “{theirs}”, which comes first as it was taught before: both have {own}.</source>
        <translation>„{mine}“ steht gleichauf mit „{theirs}“, das zuerst kommt, weil es früher beigebracht wurde: beide haben {own}.</translation>
    </message>
    <message>
        <source>“{mine}” is the best with {own}, but “{theirs}” with {other} is within the margin of {margin}.</source>
        <translation>„{mine}“ ist mit {own} am besten, aber „{theirs}“ liegt mit {other} innerhalb des Abstands von {margin}.</translation>
    </message>
    <message>
        <source>“{mine}” is the best, but {own} is below its own threshold {line}.</source>
        <translation>„{mine}“ ist am besten, aber {own} liegt unter seiner eigenen Schwelle {line}.</translation>
    </message>
    <message>
        <source>“{mine}” is the best, but {own} is below the {line} that it takes for an answer.</source>
        <translation>„{mine}“ ist am besten, aber {own} liegt unter {line}, die es für eine Antwort braucht.</translation>
    </message>
    <message>
        <source>“{mine}” is the best, but {own} is below the {line} that it takes to be activated.</source>
        <translation>„{mine}“ ist am besten, aber {own} liegt unter {line}, die es zum Aktivieren braucht.</translation>
    </message>
    <message>
        <source>“{mine}” scores nothing and is not among the {listed} that are listed; “{theirs}” comes first with {other}.</source>
        <translation>„{mine}“ hat keinen Score und ist nicht unter den {listed} gelisteten; „{theirs}“ kommt zuerst mit {other}.</translation>
    </message>
    <message>
        <source>“{mine}” scores nothing for this query, and neither does anything else.</source>
        <translation>„{mine}“ hat für diese Anfrage keinen Score, und alles andere auch nicht.</translation>
    </message>
    <message>
        <source>“{mine}” with {own} is level with “{theirs}” with {other}, so neither is chosen.</source>
        <translation>„{mine}“ steht mit {own} gleichauf mit „{theirs}“ mit {other}, deshalb wird keins gewählt.</translation>
    </message>
    <message>
        <source>“{mine}” with {own} is within the margin of “{theirs}” with {other}, so neither is chosen.</source>
        <translation>„{mine}“ liegt mit {own} im Abstand von „{theirs}“ mit {other}, deshalb wird keins gewählt.</translation>
    </message>
    <message>
        <source>“{name_of}” stands in {place}, too: give one of them another name or id.</source>
        <translation>„{name_of}“ steht auch in {place}: geben Sie einem davon einen anderen Namen oder eine andere Id.</translation>
    </message>
    <message>
        <source>“{name}”</source>
        <translation>„{name}“</translation>
    </message>
    <message>
        <source>“{name}” ({label})</source>
        <translation>„{name}“ ({label})</translation>
    </message>
    <message>
        <source>“{name}” belongs to the program and cannot be removed.</source>
        <translation>„{name}“ gehört zum Programm und lässt sich nicht entfernen.</translation>
    </message>
    <message>
        <source>“{name}” cannot be the name of a header: mend it on the power&apos;s page.</source>
        <translation>„{name}“ kann kein Name eines Headers sein: beheben Sie das auf der Seite der Fähigkeit.</translation>
    </message>
    <message>
        <source>“{name}” does not run.</source>
        <translation>„{name}“ läuft nicht.</translation>
    </message>
    <message>
        <source>“{name}” does not run: {sentence}</source>
        <translation>„{name}“ läuft nicht: {sentence}</translation>
    </message>
    <message>
        <source>“{name}” does not ship with the program: change or remove it.</source>
        <translation>„{name}“ wird nicht mitgeliefert: ändern oder entfernen Sie sie.</translation>
    </message>
    <message>
        <source>“{name}” has a success score of {success}, below the min_score of {least}, so it is not scored.</source>
        <translation>„{name}“ hat den Erfolg {success}, unter min_score {least}, und wird nicht bewertet.</translation>
    </message>
    <message>
        <source>“{name}” has been changed elsewhere since you opened it, so nothing was changed.</source>
        <translation>„{name}“ wurde anderswo geändert, seit Sie es geöffnet haben, also wurde nichts geändert.</translation>
    </message>
    <message>
        <source>“{name}” has been deleted elsewhere since you opened it, so nothing was changed.</source>
        <translation>„{name}“ wurde anderswo gelöscht, seit Sie es geöffnet haben, also wurde nichts geändert.</translation>
    </message>
    <message>
        <source>“{name}” has neither a command nor an address, so there is nothing to approve.</source>
        <translation>„{name}“ hat weder Befehl noch Adresse; es gibt nichts zu genehmigen.</translation>
    </message>
    <message>
        <source>“{name}” has told no tools yet: activate it first.</source>
        <translation>„{name}“ hat noch keine Werkzeuge genannt: aktivieren Sie sie zuerst.</translation>
    </message>
    <message>
        <source>“{name}” holds {held}; rename it to move them first.</source>
        <translation>„{name}“ enthält {held}; benennen Sie ihn um, um sie zuerst zu verschieben.</translation>
    </message>
    <message>
        <source>“{name}” is a whole number of 0 or more.</source>
        <translation>„{name}“ ist eine ganze Zahl ab 0.</translation>
    </message>
    <message>
        <source>“{name}” is an object of names and values.</source>
        <translation>„{name}“ ist ein Objekt aus Namen und Werten.</translation>
    </message>
    <message>
        <source>“{name}” is answered with {own}, not below its own threshold {line}, through “{phrase}”.</source>
        <translation>„{name}“ antwortet mit {own}, nicht unter der eigenen Schwelle {line}, durch „{phrase}“.</translation>
    </message>
    <message>
        <source>“{name}” is answered with {own}, not below the {line} that it takes, through “{phrase}”.</source>
        <translation>„{name}“ antwortet mit {own}, nicht unter den {line}, die es braucht, durch „{phrase}“.</translation>
    </message>
    <message>
        <source>“{name}” is approved already.</source>
        <translation>„{name}“ ist schon genehmigt.</translation>
    </message>
    <message>
        <source>“{name}” is deleted or paused</source>
        <translation>„{name}“ gelöscht oder pausiert ist</translation>
    </message>
    <message>
        <source>“{name}” is in the bin, so it is not scored.</source>
        <translation>„{name}“ ist im Papierkorb und wird nicht bewertet.</translation>
    </message>
    <message>
        <source>“{name}” is no file of a library, so nothing was written.</source>
        <translation>„{name}“ ist keine Datei einer Bibliothek, also wurde nichts geschrieben.</translation>
    </message>
    <message>
        <source>“{name}” is none of the six types.</source>
        <translation>„{name}“ ist keiner der sechs Typen.</translation>
    </message>
    <message>
        <source>“{name}” is set up in a settings file or the environment: change it there.</source>
        <translation>„{name}“ ist in einer Einstellungsdatei oder der Umgebung eingerichtet: ändern Sie sie dort.</translation>
    </message>
    <message>
        <source>“{name}” is switched off, so it is not scored.</source>
        <translation>„{name}“ ist ausgeschaltet und wird nicht bewertet.</translation>
    </message>
    <message>
        <source>“{name}” is the type, by {cues}.</source>
        <translation>„{name}“ ist der Typ, durch {cues}.</translation>
    </message>
    <message>
        <source>“{name}” runs already.</source>
        <translation>„{name}“ läuft schon.</translation>
    </message>
    <message>
        <source>“{name}” runs.</source>
        <translation>„{name}“ läuft.</translation>
    </message>
    <message>
        <source>“{name}” ships with the program: give it a title instead.</source>
        <translation>„{name}“ wird mitgeliefert: geben Sie ihr stattdessen einen Titel.</translation>
    </message>
    <message>
        <source>“{name}” ships with the program: switch it off instead.</source>
        <translation>„{name}“ wird mitgeliefert: schalten Sie sie stattdessen aus.</translation>
    </message>
    <message>
        <source>“{name}” stands for something else already</source>
        <translation>„{name}“ steht schon für etwas anderes</translation>
    </message>
    <message>
        <source>“{name}” was not among the matches then</source>
        <translation>„{name}“ damals nicht unter den Treffern war</translation>
    </message>
    <message>
        <source>“{name}” was stopped while it started.</source>
        <translation>„{name}“ wurde angehalten, während sie startete.</translation>
    </message>
    <message>
        <source>“{one}” and “{other}”</source>
        <translation>„{one}“ und „{other}“</translation>
    </message>
    <message>
        <source>“{own}” {value} must not be above “{other}” {limit}. Raise that one first.</source>
        <translation>„{own}“ {value} darf nicht über „{other}“ {limit} liegen. Heben Sie zuerst das an.</translation>
    </message>
    <message>
        <source>“{own}” {value} must not be below “{other}” {limit}. Lower that one first.</source>
        <translation>„{own}“ {value} darf nicht unter „{other}“ {limit} liegen. Senken Sie zuerst das.</translation>
    </message>
    <message>
        <source>“{pair}” is not of the form KEY=VALUE.</source>
        <translation>„{pair}“ hat nicht die Form KEY=VALUE.</translation>
    </message>
    <message>
        <source>“{phrase}”</source>
        <translation>„{phrase}“</translation>
    </message>
    <message>
        <source>“{place}” is no place in “{pack}”: they are 1 to {count}.</source>
        <translation>„{place}“ ist kein Platz in „{pack}“: sie gehen von 1 bis {count}.</translation>
    </message>
    <message>
        <source>“{power}” cannot be reached at {where}: {told}.</source>
        <translation>„{power}“ ist auf {where} nicht erreichbar: {told}.</translation>
    </message>
    <message>
        <source>“{power}” could not be started: {line}.</source>
        <translation>„{power}“ konnte nicht gestartet werden: {line}.</translation>
    </message>
    <message>
        <source>“{power}” could not be understood: {told}.{clues}</source>
        <translation>„{power}“ war nicht zu verstehen: {told}.{clues}</translation>
    </message>
    <message>
        <source>“{power}” did not tell its tools within {seconds} s, so it was stopped.{clues} If it only needs longer, as at a first download, raise powers.start_timeout_ms.</source>
        <translation>„{power}“ nannte ihre Werkzeuge nicht innerhalb von {seconds} s und wurde deshalb angehalten.{clues} Braucht sie nur länger, wie beim ersten Herunterladen, erhöhen Sie powers.start_timeout_ms.</translation>
    </message>
    <message>
        <source>“{power}” does not run any more: activate it again.</source>
        <translation>„{power}“ läuft nicht mehr: aktivieren Sie sie noch einmal.</translation>
    </message>
    <message>
        <source>“{power}” does not run: activate it first.</source>
        <translation>„{power}“ läuft nicht: aktivieren Sie sie zuerst.</translation>
    </message>
    <message>
        <source>“{power}” has neither a command nor an address: give it one on its page.</source>
        <translation>„{power}“ hat weder Befehl noch Adresse: geben Sie auf ihrer Seite eins an.</translation>
    </message>
    <message>
        <source>“{power}” has no tool “{tool}”. It has {some}.</source>
        <translation>„{power}“ hat kein Werkzeug „{tool}“. Sie hat {some}.</translation>
    </message>
    <message>
        <source>“{power}” is not approved: a person has to say yes to its command line or address.</source>
        <translation>„{power}“ ist nicht genehmigt: ein Mensch muss ihrer Befehlszeile oder Adresse zustimmen.</translation>
    </message>
    <message>
        <source>“{power}” is not approved: its command is as it was, but runs another program by now, or what steers it is another. A person has to say yes to that.</source>
        <translation>„{power}“ ist nicht genehmigt: ihr Befehl ist, wie er war, führt aber inzwischen ein anderes Programm aus, oder was ihn steuert, ist anders. Ein Mensch muss dem zustimmen.</translation>
    </message>
    <message>
        <source>“{power}” is paused: let it go on first.</source>
        <translation>„{power}“ ist pausiert: setzen Sie sie zuerst fort.</translation>
    </message>
    <message>
        <source>“{power}” was stopped.</source>
        <translation>„{power}“ wurde angehalten.</translation>
    </message>
    <message>
        <source>“{power}” would run another program by now, so it was not started: activate it again, and look at what you are asked.</source>
        <translation>„{power}“ würde inzwischen ein anderes Programm ausführen und wurde deshalb nicht gestartet: aktivieren Sie sie noch einmal, und sehen Sie an, was Sie gefragt werden.</translation>
    </message>
    <message>
        <source>“{query}” is back: {why}</source>
        <translation>„{query}“ ist zurück: {why}</translation>
    </message>
    <message>
        <source>“{query}” is skipped.</source>
        <translation>„{query}“ ist übersprungen.</translation>
    </message>
    <message>
        <source>“{query}” is taught: {answer}.</source>
        <translation>„{query}“ ist beigebracht: {answer}.</translation>
    </message>
    <message>
        <source>“{route}” is the route. {because}</source>
        <translation>„{route}“ ist die Route. {because}</translation>
    </message>
    <message>
        <source>“{source}” has no “{column}”: it has {others}. Correct the mapping.</source>
        <translation>„{source}“ hat kein „{column}“, sondern {others}. Die Zuordnung berichtigen.</translation>
    </message>
    <message>
        <source>“{source}” is only read, nothing is written there. Empty the mapping in the settings to fill a place of its own on this server.</source>
        <translation>„{source}“ wird nur gelesen, dort wird nichts geschrieben. Die Zuordnung in den Einstellungen leeren, um auf diesem Server einen eigenen Platz zu füllen.</translation>
    </message>
    <message>
        <source>“{step}” cannot be {word}, because something else has the same name or text by now: rename that, and try again.</source>
        <translation>„{step}“ kann nicht {word} werden, weil inzwischen etwas anderes denselben Namen oder Text hat: benennen Sie das um, und versuchen Sie es noch einmal.</translation>
    </message>
    <message>
        <source>“{step}” cannot be {word}, because what it changed has been changed again since: look at its history instead, and take what you want from there.</source>
        <translation>„{step}“ kann nicht {word} werden, weil das Geänderte seither wieder geändert wurde: sehen Sie stattdessen seine Geschichte an, und nehmen Sie daraus, was Sie wollen.</translation>
    </message>
    <message>
        <source>“{step}” cannot be {word}, because {author} has changed again what it changed: look at its history instead, and take what you want from there.</source>
        <translation>„{step}“ kann nicht {word} werden, weil {author} das Geänderte seither wieder geändert hat: sehen Sie stattdessen seine Geschichte an, und nehmen Sie daraus, was Sie wollen.</translation>
    </message>
    <message>
        <source>“{step}” cannot be {word}, because {key} was chosen anew since. {back} first to do so.</source>
        <translation>„{step}“ kann nicht {word} werden, weil {key} seither neu gewählt wurde. Dazu zuerst: {back}.</translation>
    </message>
    <message>
        <source>“{strange}” is none of {kind}.</source>
        <translation>„{strange}“ ist keines von {kind}.</translation>
    </message>
    <message>
        <source>“{tag}” is no threshold from 0 to 1, so it counts for nothing.</source>
        <translation>„{tag}“ ist keine Schwelle von 0 bis 1 und zählt deshalb nicht.</translation>
    </message>
    <message>
        <source>“{test_query}”: {value} {confidence}, mode {mode}.</source>
        <translation>„{test_query}“: {value} {confidence}, Modus {mode}.</translation>
    </message>
    <message>
        <source>“{text}” is a trigger of {answer} already.</source>
        <translation>„{text}“ ist schon ein Auslöser von {answer}.</translation>
    </message>
    <message>
        <source>“{text}” is no answer: name a memory or a power.</source>
        <translation>„{text}“ ist keine Antwort: nennen Sie eine Erinnerung oder Fähigkeit.</translation>
    </message>
    <message>
        <source>“{text}” is no number from 0 to 1.</source>
        <translation>„{text}“ ist keine Zahl von 0 bis 1.</translation>
    </message>
    <message>
        <source>“{text}” is no number from 1 on.</source>
        <translation>„{text}“ ist keine Zahl ab 1.</translation>
    </message>
    <message>
        <source>“{text}” is no number of a run, nor “last”.</source>
        <translation>„{text}“ ist weder die Nummer eines Laufs noch „last“.</translation>
    </message>
    <message>
        <source>“{text}” is no number of seconds from 0 on.</source>
        <translation>„{text}“ ist keine Anzahl von Sekunden ab 0.</translation>
    </message>
    <message>
        <source>“{text}” is no port from 0 to 65535.</source>
        <translation>„{text}“ ist kein Port von 0 bis 65535.</translation>
    </message>
    <message>
        <source>“{text}” is no whole number from 0 to 100.</source>
        <translation>„{text}“ ist keine ganze Zahl von 0 bis 100.</translation>
    </message>
    <message>
        <source>“{text}” is not KIND:NAME, where KIND is one of {kinds}.</source>
        <translation>„{text}“ ist nicht KIND:NAME, wobei KIND eines von {kinds} ist.</translation>
    </message>
    <message>
        <source>“{text}” is not KIND:NAME, where KIND is one of {thingkind}.</source>
        <translation>„{text}“ ist nicht KIND:NAME, wobei KIND eines von {thingkind} ist.</translation>
    </message>
    <message>
        <source>“{text}” is not of the form METRIC&gt;=X (or &lt;=, &gt;, &lt;), such as top1&gt;=0.8.</source>
        <translation>„{text}“ hat nicht die Form METRIC&gt;=X (oder &lt;=, &gt;, &lt;), wie top1&gt;=0.8.</translation>
    </message>
    <message>
        <source>“{text}” names no {kind}.</source>
        <translation>„{text}“ nennt kein {kind}.</translation>
    </message>
    <message>
        <source>“{text}” to the triggers of {answer}</source>
        <translation>„{text}“ zu den Auslösern von {answer}</translation>
    </message>
    <message>
        <source>“{tool}” of “{power}”</source>
        <translation>„{tool}“ von „{power}“</translation>
    </message>
    <message>
        <source>“{trigger}” for {called} alone</source>
        <translation>„{trigger}“ für {called} allein</translation>
    </message>
    <message>
        <source>“{trigger}” is a trigger of this memory already.</source>
        <translation>„{trigger}“ ist schon ein Auslöser dieser Erinnerung.</translation>
    </message>
    <message>
        <source>“{trigger}” of {called} has been changed meanwhile.</source>
        <translation>„{trigger}“ von {called} wurde inzwischen geändert.</translation>
    </message>
    <message>
        <source>“{trigger}” of {label}, taught or changed since</source>
        <translation>„{trigger}“ von {label}, seither gelehrt oder geändert</translation>
    </message>
    <message>
        <source>“{value}” came first in all of the last {count} queries.</source>
        <translation>„{value}“ kam in allen letzten {count} Anfragen zuerst.</translation>
    </message>
    <message>
        <source>“{value}” is neither a number nor a range such as 0:0.2:0.02.</source>
        <translation>„{value}“ ist weder eine Zahl noch ein Bereich wie 0:0.2:0.02.</translation>
    </message>
    <message>
        <source>“{value}” is no value of “{key}”; there are {known}.</source>
        <translation>„{value}“ ist kein Wert von „{key}“; es gibt {known}.</translation>
    </message>
    <message>
        <source>“{word}” in the name suggests queries to test with, but the lines of {name} are taken for </source>
        <translation>„{word}“ im Namen deutet auf Anfragen zum Testen hin, aber die Zeilen von {name} werden genommen als </translation>
    </message>
    <message>
        <source>“{word}” in the name suggests queries to test with.</source>
        <translation>„{word}“ im Namen deutet auf Anfragen zum Testen hin.</translation>
    </message>
    <message>
        <source>“{word}” is none of its arguments: {takes}</source>
        <translation>„{word}“ ist keines seiner Argumente: {takes}</translation>
    </message>
    <message>
        <source>“{word}” is none of the six types.</source>
        <translation>„{word}“ ist keiner der sechs Typen.</translation>
    </message>
    <message>
        <source>… ({length} characters)</source>
        <translation>… ({length} Zeichen)</translation>
    </message>
    <message numerus="yes">
        <source>… and {n} more (--json)</source>
        <translation>
            <numerusform>… und {n} mehr (--json)</numerusform>
            <numerusform>… und {n} mehr (--json)</numerusform>
        </translation>
    </message>
    <message>
        <source>… with 95 % between</source>
        <translation>… mit 95 % zwischen</translation>
    </message>
    <message>
        <source>✓ right</source>
        <translation>✓ richtig</translation>
    </message>
    <message>
        <source>✗ wrong</source>
        <translation>✗ falsch</translation>
    </message>
</context>
</TS>
