// Builds the script of the served page, the page of a workspace (two scripts, one style sheet), what draws formulas and
// diagrams in documents, and the licences of what is in them. The same sources give the same bytes.
// `node build.mjs [FOLDER]` writes into folders below FOLDER, else to where the package looks for each.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
/** @type {(name: string, own: string) => string} */
const place = (name, own) => resolve(process.argv[2] ? join(process.argv[2], name) : join(here, own));
const out = place("work", "../src/pinakes/serve/work/static");

const documents = place("documents", "../src/pinakes/html/static");
const served = place("page", "../src/pinakes/serve/web/static");
for (const folder of [out, documents, served]) mkdirSync(folder, { recursive: true });
/** Heavy packages that few diagrams need: layouts of mindmaps and architectures, and formulas in labels. */
const HEAVY = /^(elkjs|cytoscape|katex)/;

/** @type {import("esbuild").BuildOptions} */
const shared = {
  absWorkingDir: here,
  bundle: true,
  target: "es2022",
  minify: true,
  charset: "utf8",
  legalComments: "none",
  metafile: true,
  logLevel: "warning",
};
const result = await build({
  ...shared,
  entryPoints: { work: "src/main.js", editor: "src/editor.js" },
  outdir: out,
  format: "esm",
});
await build({ ...shared, entryPoints: ["page/page.js"], outdir: served, format: "esm" });
const formulas = await build({ ...shared, entryPoints: ["src/formulas.js"], outdir: documents, format: "iife" });
const diagram = await build({
  ...shared,
  entryPoints: ["src/diagram.js"],
  format: "iife",
  write: false,
  plugins: [
    {
      name: "leave-out",
      setup(made) {
        made.onResolve({ filter: HEAVY }, () => ({ path: join(here, "src/nothing.js") }));
      },
    },
  ],
});
writeFileSync(join(documents, "diagram.html"), framed(diagram.outputFiles[0].text));
const shown = [formulas, diagram].flatMap((one) => Object.keys(one.metafile.inputs));
writeFileSync(join(documents, "licences.txt"), licences(shown));
writeFileSync(join(out, "work.css"), readFileSync(join(here, "src/work.css")));
writeFileSync(join(out, "licences.txt"), licences(Object.keys(result.metafile.inputs)));

/** A page that may run this one script and nothing else, from wherever it is opened. */
function framed(/** @type {string} */ script) {
  const inside = script.trim().replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--");
  const digest = createHash("sha256").update(inside).digest("base64");
  const policy = `default-src 'none'; script-src 'sha256-${digest}'; style-src 'unsafe-inline'`;
  const looks = "body{margin:0;padding:.8rem;text-align:center}svg{display:block;margin:auto;max-width:100%;height:auto}";
  return (
    `<!doctype html><html lang="en"><meta charset="utf-8"><title>Diagram</title>` +
    `<meta http-equiv="Content-Security-Policy" content="${policy}"><style>${looks}</style>` +
    `<body><script>${inside}</script></body></html>\n`
  );
}

/** The packages that files were taken from, each with its licence. */
function licences(inputs) {
  const names = new Set();
  for (const input of inputs) {
    const found = /(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input);
    if (found) names.add(found[1]);
  }
  const told = [...names].sort().map((name) => {
    const folder = join(here, "node_modules", name);
    const about = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    const file = readdirSync(folder).find((one) => /^licen[cs]e/i.test(one));
    const words =
      file && existsSync(join(folder, file))
        ? readFileSync(join(folder, file), "utf8").trim()
        : `Licence: ${about.license}`;
    return `${name} ${about.version}\n\n${words}\n`;
  });
  return `The scripts beside this file contain these packages.\n\n${told.join(`\n${"-".repeat(80)}\n\n`)}`;
}
