// Builds the page: two scripts, one style sheet, and the licences of what is in them. The same sources give the same bytes.
// `node build.mjs [FOLDER]` writes into FOLDER, else to where the package looks for them.
import { readFileSync, readdirSync, writeFileSync, existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const out = resolve(process.argv[2] ?? join(here, "../src/pinakes/serve/work/static"));

const result = await build({
  absWorkingDir: here,
  entryPoints: { work: "src/main.js", editor: "src/editor.js" },
  outdir: out,
  bundle: true,
  format: "esm",
  target: "es2022",
  minify: true,
  charset: "utf8",
  legalComments: "none",
  metafile: true,
  logLevel: "warning",
});
writeFileSync(join(out, "work.css"), readFileSync(join(here, "src/work.css")));
writeFileSync(join(out, "licences.txt"), licences(Object.keys(result.metafile.inputs)));

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
