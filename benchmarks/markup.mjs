// What the reference programs of org and AsciiDoc see in each file named on standard input, one JSON object per line.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const packages = createRequire(process.argv[2] + "/");
const bring = async (name) => {
  const found = await import(pathToFileURL(packages.resolve(name)).href);
  return found.default ?? found;
};

const TODO = /^[ \t]*#\+(?:todo|seq_todo|typ_todo):(.*)$/gim;

function orgWords(node) {
  if (node.type === "link" && !node.children.length) return node.rawLink;
  if (["footnote-reference", "statistics-cookie", "target", "export-snippet"].includes(node.type)) return "";
  if (node.type === "entity" || node.type === "latex-fragment") return node.utf8 ?? node.contents ?? node.value ?? "";
  if (node.type === "timestamp") return node.rawValue;
  const script = { superscript: "^", subscript: "_" }[node.type] ?? "";
  return script + (node.children?.length ? node.children.map(orgWords).join("") : (node.value ?? ""));
}

async function orgReader(words) {
  const { parse } = await import(pathToFileURL(packages.resolve("uniorg-parse/lib/parser.js")).href);
  return (text) => {
    const own = [...text.matchAll(TODO)].flatMap((found) => found[1].replaceAll("|", " ").split(/\s+/));
    const states = [...words, ...own.map((word) => word.replace(/\(.*/, ""))].filter((word) => /^[\w-]+$/.test(word));
    // One pattern: of several, the program ties only the first to the start of the headline.
    const tree = parse(text, { todoKeywords: [`(?:${states.join("|")})(?=[ \\t]|$)`] });
    const seen = { headings: [], code: [], links: [], ids: [], tables: 0 };
    const walk = (node) => {
      if (node.type === "headline") seen.headings.push([node.level, node.children.map(orgWords).join("")]);
      if (node.type === "src-block") seen.code.push([(node.language ?? "").toLowerCase(), node.value]);
      if (node.type === "example-block" || node.type === "fixed-width") seen.code.push(["", node.value]);
      if (node.type === "table") seen.tables += 1;
      if (node.type === "link" && node.format === "bracket") seen.links.push(node.rawLink);
      if (node.type === "node-property" && /^(?:custom_)?id$/i.test(node.key)) seen.ids.push(node.value);
      if (node.type === "target") seen.ids.push(node.value);
      for (const child of node.children ?? []) walk(child);
    };
    walk(tree);
    return seen;
  };
}

async function asciidocReader() {
  const library = await bring("asciidoctor");
  const asciidoctor = typeof library === "function" ? library() : library;
  return async (text) => {
    const document = await asciidoctor.load(text, { safe: "secure", sourcemap: true, attributes: { experimental: "" } });
    const seen = { headings: [], code: [], ids: [] };
    for (const block of document.findBy((one) => ["section", "listing", "literal"].includes(one.getContext()))) {
      if (block.getContext() === "section") {
        seen.headings.push([block.getLevel() + 1, String(block.getTitle())]);
        if (block.getId()) seen.ids.push(block.getId());
      } else {
        const language = block.getStyle() === "source" ? block.getAttribute("language", "") : "";
        seen.code.push([language, block.getSource()]);
      }
    }
    return seen;
  };
}

const read = process.argv[3] === "org" ? await orgReader(process.argv[4].split(",")) : await asciidocReader();
for (const path of readFileSync(0, "utf8").split("\n").filter(Boolean)) {
  try {
    console.log(JSON.stringify(await read(readFileSync(path, "utf8"))));
  } catch (error) {
    console.log(JSON.stringify({ error: String(error) }));
  }
}
