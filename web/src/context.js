// What the next question would send: blocks by tier, their tokens, and how much of it the provider's cache keeps.
import { get, post } from "./api.js";
import { button, count, fill, h, percent, some } from "./dom.js";
import { on } from "./events.js";
import { isDocs, know, watch, work } from "./state.js";
import { trying } from "./toasts.js";

const TIERS = /** @type {Record<string, string>} */ ({
  L0: "steady for longest",
  L1: "steady",
  L2: "settled",
  L3: "settling",
  active: "sent anew with each question",
  prompt: "the instructions, and what is around the blocks",
});

export function startContext() {
  const shown = h("div", { class: "context-shown" });
  const overlay = h("input", { type: "checkbox", onchange: () => trying(cross) });
  const crossWords = h("span");
  const element = h(
    "div",
    { class: "context" },
    h(
      "div",
      { class: "bar" },
      h("h2", {}, "Context"),
      h("label", { class: "switch" }, overlay, crossWords),
      button("Refresh", () => trying(load)),
    ),
    shown,
  );
  let isShown = false;

  async function load() {
    if (!isShown) return;
    shown.setAttribute("aria-busy", "true");
    try {
      draw(await get("/work/context"));
    } finally {
      shown.removeAttribute("aria-busy");
    }
  }

  async function cross() {
    const told = await post("/work/overlay", { on: overlay.checked });
    know({ overlay: told.overlay });
    await load();
  }

  /** @param {any} told */
  function draw(told) {
    const cached = told.cached_share ?? 0;
    const tiers = told.tiers ?? [];
    const rest =
      told.tokens - tiers.reduce((/** @type {number} */ sum, /** @type {any} */ tier) => sum + tier.tokens, 0);
    const largest = Math.max(1, ...tiers.map((/** @type {any} */ tier) => tier.tokens));
    fill(
      shown,
      h(
        "dl",
        { class: "facts" },
        h("div", {}, h("dt", {}, "Mode"), h("dd", {}, told.mode === "docs" ? "documents" : "code")),
        h("div", {}, h("dt", {}, "Tokens"), h("dd", {}, count(told.tokens))),
        h("div", {}, h("dt", {}, "Cached share"), h("dd", {}, percent(cached, 1))),
        h("div", {}, h("dt", {}, "Blocks"), h("dd", {}, count(told.blocks.length))),
      ),
      h(
        "table",
        { class: "tiers" },
        h("caption", { class: "unseen" }, "Tiers"),
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            ...["Tier", "Blocks", "Tokens", ""].map((word) =>
              h("th", { scope: "col" }, word || h("span", { class: "unseen" }, "Share")),
            ),
          ),
        ),
        h(
          "tbody",
          {},
          ...tiers.map((/** @type {any} */ tier) => tierRow(tier, largest)),
          rest > 0 ? tierRow({ tier: "prompt", tokens: rest, blocks: 1 }, Math.max(largest, rest)) : null,
        ),
      ),
      ...tiers
        .filter((/** @type {any} */ tier) => tier.blocks)
        .map((/** @type {any} */ tier) => group(tier, told.blocks)),
    );
  }

  overlay.checked = work.overlay;
  const drawWords = () => {
    overlay.checked = work.overlay;
    crossWords.textContent = isDocs() ? " Also show the map of the code" : " Also show the outlines of documents";
  };
  drawWords();
  watch(["overlay", "mode"], drawWords);
  watch(["mode", "selection", "review"], () => trying(load));
  for (const name of ["answered", "changed", "session", "connected"]) on(name, () => trying(load));
  return {
    element,
    /** @param {boolean} is */
    show: (is) => {
      isShown = is;
      if (is) trying(load);
    },
  };
}

/** @param {any} tier @param {number} largest */
function tierRow(tier, largest) {
  const bar = h("meter", {
    min: "0",
    max: String(largest),
    value: tier.tokens,
    "aria-label": `Tokens of ${tier.tier}`,
  });
  return h(
    "tr",
    { class: tier.tier === "active" ? "active" : "cached" },
    h("th", { scope: "row" }, tier.tier, h("span", { class: "quiet" }, ` ${TIERS[tier.tier] ?? ""}`)),
    h("td", { class: "number" }, count(tier.blocks)),
    h("td", { class: "number" }, count(tier.tokens)),
    h("td", { class: "meter" }, bar),
  );
}

/** @param {any} tier @param {any[]} blocks */
function group(tier, blocks) {
  const inside = blocks.filter((block) => (block.stands_in ?? block.tier) === tier.tier);
  return h(
    "details",
    { open: tier.tier === "active" || inside.length <= 12 },
    h("summary", {}, `${tier.tier}: ${some(inside.length, "block")}`),
    h(
      "table",
      { class: "blocks" },
      h(
        "thead",
        {},
        h("tr", {}, ...["Block", "Tier", "Unchanged for", "Tokens"].map((word) => h("th", { scope: "col" }, word))),
      ),
      h(
        "tbody",
        {},
        ...inside.map((block) =>
          h(
            "tr",
            {},
            h("td", { class: "address" }, block.key),
            h(
              "td",
              {},
              block.tier === (block.stands_in ?? block.tier)
                ? block.tier
                : `${block.tier}, rides in ${block.stands_in}`,
            ),
            h("td", { class: "number" }, count(block.number)),
            h("td", { class: "number" }, count(block.tokens)),
          ),
        ),
      ),
    ),
  );
}
