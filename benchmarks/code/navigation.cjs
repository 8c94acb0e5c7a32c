// The TypeScript compiler's navigation tree of each file named on standard input, one JSON object per line.
const fs = require("fs");
const ts = require(process.argv[2]);

function host(path) {
  const text = fs.readFileSync(path, "utf8");
  const snapshot = ts.ScriptSnapshot.fromString(text);
  return {
    getScriptFileNames: () => [path],
    getScriptVersion: () => "1",
    getScriptSnapshot: (name) => (name === path ? snapshot : undefined),
    getCurrentDirectory: () => "/",
    getCompilationSettings: () => ({ allowJs: true, noLib: true, noResolve: true, jsx: 1 }),
    getDefaultLibFileName: () => "",
    fileExists: () => false,
    readFile: () => undefined,
  };
}

function told(item, source, depth, holder) {
  const spans = item.nameSpan ? [item.nameSpan] : item.spans;
  const found = [];
  if (depth > 0) {
    const line = source.getLineAndCharacterOfPosition(spans[0].start).line + 1;
    const start = spans[0].start;
    const indent = /^\s/.test(source.text.slice(source.getPositionOfLineAndCharacter(line - 1, 0), start));
    const isAssignedInside = source.text[start - 1] === "." && indent;
    found.push({ name: item.text, kind: item.kind, line, holder, isAssignedInside });
  }
  for (const one of item.childItems || []) found.push(...told(one, source, depth + 1, item.kind));
  return found;
}

for (const path of fs.readFileSync(0, "utf8").split("\n").filter(Boolean)) {
  const service = ts.createLanguageService(host(path), ts.createDocumentRegistry());
  const source = service.getProgram().getSourceFile(path);
  console.log(JSON.stringify(told(service.getNavigationTree(path), source, 0, "")));
}
