// Searching a published folder: a question enters, chunks by how well they hold its words leave. Nothing of the page is
// known here, so that it runs wherever JavaScript does. The data comes from files that call `begin`, `words` and `text`:
// scripts, because a page from file:// may load scripts and may not fetch anything.
//
//   begin({format, title, chunks, shards, folders, documents, lengths})   index.js
//   words(shard, terms, bits)                                            words-<shard>.js
//   text(name, [[document, first, [[trail, [[anchor, title, text], …]], …]], …])        text/<name>.js
//   vocabulary(terms, counts)                                            spelling.js
//   prompts(radius, [[digest, simhash, [place, …]], …])                  prompts.js
//
// A document is [folder, file, title, chunks, bucket, page, stem]. `file` is 0 where the title says it, 1 for index.md;
// `page` is 0 where it is called like the file, `stem` is left out where its chunks are. A folder is [folder above, name, key];
// `key` is left out where it is the hash of the place. Sixteen chunks of a document lie in the text file
// <key>-<bucket>-<sixteens before them>. `lengths` is base64, a byte for a chunk: 24 · log2(1 + terms).
// `counts` has a digit of base 36 for each term: 2 · log2 of the chunks that have it.
// `terms` is front-coded: a capital says how many characters are those of the term before (A none, B one, …), the rest
// follows; terms are in the order of their UTF-16 units. `bits` is base64 of, for each term: how many chunks have it
// (Elias gamma), and for each of them the step from the chunk before, less one (Rice, with the greatest k for which
// count · 2^k is at most the number of chunks) and how often it stands there (Elias gamma).
"use strict";

const Pinakes = (() => {
  const K1 = 1.2, B = 0.75;
  const UNFINISHED = 0.25; // What a word counts that begins as the last one does, when that is a word itself.
  // Letters from which one slip, and two, are looked for in a word that occurs nowhere, and what its neighbour counts.
  const ONE_SLIP_FROM = 5, TWO_SLIPS_FROM = 8, GUESSED = 0.8;
  const MOST_ENDINGS = 40;
  const IN_TITLE = 0.5; // What a word in the title of a page adds to its chunks that hold it or others, of its rarity.
  const TYPED_FROM = 3; // Letters of a word still being typed from which its shards are loaded at once.
  const MOST_ENDING = 2; // Shards of words that begin like it, once the typing pauses.
  const LONGEST = 64;
  const MOST_TERMS = 64;

  // --- Words, by the rules of the library's own tokenizer -----------------------------------------------------------

  const SPELLINGS = new RegExp(
    "[^\\s!\"%&()*,;<=>?\\[\\]\\\\^`{|}~\\x00-\\x1f\\x7f-\\xa9\\xab-\\xb1\\xb4\\xb6-\\xb8\\xbb\\xbf" +
    "\\u2000-\\u200b\\u200e-\\u2018\\u201a-\\u206f\\u3000-\\u3004\\u3007-\\u3020\\u30fb\\uff01-\\uff0f\\uff1a-\\uff20]+", "gu");
  const WORD = /[\p{L}\p{N}]+(?:_+[\p{L}\p{N}]+)*(?:'\p{L}+)*(?:\+\+|#(?![\p{L}\p{N}_]))?/gu;
  const MARKED_WORD = /[\p{L}\p{M}\p{N}](?:[\p{L}\p{M}\p{N}']*[\p{L}\p{M}\p{N}])?/gu;
  const CAMEL = /[A-Z]+(?![a-z])[0-9]*|[A-Z]?[a-z]+[0-9]*|[0-9]+/g;
  const HUMPS = /[a-z][A-Z]|[A-Z]{2}[a-z]|[0-9][A-Z][a-z]/;
  const UNSPACED = "\\u0e01-\\u0e3a\\u0e40-\\u0e4e\\u0e81-\\u0edf\\u1000-\\u103f\\u1050-\\u108f\\u1780-\\u17d3" +
    "\\u3005-\\u3006\\u3041-\\u309f\\u30a1-\\u30fa\\u30fc-\\u30ff\\u3105-\\u312f\\u31f0-\\u31ff\\u3400-\\u4dbf" +
    "\\u4e00-\\u9fff\\uac00-\\ud7a3\\uf900-\\ufaff\\u{20000}-\\u{3ffff}";
  const RUN = new RegExp(`[${UNSPACED}]+|[^${UNSPACED}]+`, "gu");
  const UNSPACED_START = new RegExp(`^[${UNSPACED}]`, "u");
  const ACCENTS = /[\u0300-\u036f\u0591-\u05bd\u05bf-\u05c7\u064b-\u065f\u0670]+/g;
  const LETTERS = {"’": "'", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "đ": "d", "Đ": "D", "ħ": "h", "ı": "i", "æ": "ae",
    "Æ": "Ae", "œ": "oe", "Œ": "Oe", "ð": "d", "þ": "th"};
  const LIKE = /[’øØłŁđĐħıæÆœŒðþ]/g;
  const FOREIGN = /[^\p{L}\p{M}\p{N}._\-\/:+#@'$]/gu;
  const EMPTY = new Set(("a about am an and any are as at be been but by can can't could did do does doesn't doing don't " +
    "for from had has have how i i'm i've if in into is isn't it it's its me my no not of on or our should so some such than " +
    "that that's the their them then there these they this to too us was we were what what's when where which while who why " +
    "will with without won't would you your").split(" "));

  // The terms of a text, each as often as it stands there.
  function terms(text) {
    const found = [];
    for (const [spelling] of text.slice(0, 10000).matchAll(SPELLINGS)) {
      for (const run of runs(spelling)) {
        if (UNSPACED_START.test(run)) {
          const signs = [...run];
          if (signs.length === 1) found.push(run);
          for (let at = 0; at + 1 < signs.length; at++) found.push(signs[at] + signs[at + 1]);
        } else {
          named(run, found);
        }
      }
    }
    return found;
  }

  function runs(spelling) {
    if (/^[\x00-\x7f]*$/.test(spelling)) return [spelling];
    const plain = spelling.replace(LIKE, (sign) => LETTERS[sign]).normalize("NFKD").replace(ACCENTS, "").normalize("NFC");
    return plain.replace(FOREIGN, " ").split(/\s+/).filter(Boolean).flatMap((part) => part.match(RUN));
  }

  const folded = (word) => word.toLowerCase().replace(/ς/g, "σ").replace(/ß/g, "ss");

  function named(text, found) {
    const words = text.match(/^[\x00-\x7f]*$/.test(text) ? WORD : MARKED_WORD) || [];
    for (const word of words) {
      const lowered = folded(word);
      found.push(stem(lowered));
      if (/[+#]$/.test(word)) found.push(stem(lowered.replace(/[+#]+$/, "")));
      else if (word.includes("_") || HUMPS.test(word)) {
        for (const part of word.split("'")[0].split("_")) {
          for (const piece of HUMPS.test(part) ? part.match(CAMEL) || [] : [part]) {
            if (piece) found.push(stem(folded(piece)));
          }
        }
      }
    }
  }

  // --- The stem of an English word: the Snowball project's English stemmer, written anew ------------------------------

  const KEPT = {skis: "ski", skies: "sky", idly: "idl", gently: "gentl", ugly: "ugli", early: "earli", only: "onli",
    singly: "singl", sky: "sky", news: "news", howe: "howe", atlas: "atlas", cosmos: "cosmos", bias: "bias", andes: "andes"};
  const KEPT_LATER = /^(?:inning|outing|canning|herring|earring|evening|proceed|exceed|succeed)$/;
  const STEP_2 = [["ational", "ate"], ["fulness", "ful"], ["iveness", "ive"], ["ization", "ize"], ["ousness", "ous"],
    ["biliti", "ble"], ["lessli", "less"], ["tional", "tion"], ["alism", "al"], ["aliti", "al"], ["ation", "ate"],
    ["entli", "ent"], ["fulli", "ful"], ["iviti", "ive"], ["ousli", "ous"], ["ogist", "og"], ["abli", "able"], ["alli", "al"],
    ["anci", "ance"], ["ator", "ate"], ["enci", "ence"], ["izer", "ize"], ["bli", "ble"], ["ogi", "og"], ["li", ""]];
  const STEP_3 = [["ational", "ate"], ["tional", "tion"], ["alize", "al"], ["ative", ""], ["icate", "ic"], ["iciti", "ic"],
    ["ical", "ic"], ["ness", ""], ["ful", ""]];
  const STEP_4 = ["ement", "able", "ance", "ence", "ible", "ment", "ant", "ate", "ent", "ion", "ism", "iti", "ive", "ize",
    "ous", "al", "er", "ic"];
  const remembered = new Map();

  function stem(word) {
    let found = remembered.get(word);
    if (found === undefined) {
      found = (/^[a-z']+$/.test(word) ? english(word) : word).slice(0, LONGEST);
      if (remembered.size > 100000) remembered.clear();
      remembered.set(word, found);
    }
    return found;
  }

  function english(word) {
    if (word.length <= 2) return word;
    if (Object.hasOwn(KEPT, word)) return KEPT[word];
    let w = word.replace(/^'/, "").replace(/^y|([aeiouy])y/g, (found) => found.slice(0, -1) + "Y");
    const first = /^(?:gener|commun|arsen|past|univers|later|emerg|organ|inter)/.exec(w);
    const after = (from) => {
      const rest = /[aeiouy][^aeiouy]/.exec(w.slice(from));
      return rest ? from + rest.index + 2 : w.length;
    };
    const r1 = first ? first[0].length : after(0);
    const r2 = after(r1);
    const ends = (ending) => w.endsWith(ending);
    const inside = (ending, region) => w.length - ending.length >= region;
    const cut = (count, instead = "") => { w = w.slice(0, w.length - count) + instead; };
    const isShort = () => (/(?:[^aeiouy][aeiouy][^aeiouywxY]|^[aeiouy][^aeiouy])$/.test(w) || /past$/.test(w)) && r1 >= w.length;

    w = w.replace(/(?:'s'|'s|')$/, "");
    if (ends("sses")) cut(2);
    else if (/ie[ds]$/.test(w)) cut(3, w.length > 4 ? "i" : "ie");
    else if (/s$/.test(w) && !/[us]s$/.test(w) && /[aeiouy].+s$/.test(w)) cut(1);
    if (KEPT_LATER.test(w)) return w;

    const part = /(?:eedly|ingly|edly|eed|ing|ed)$/.exec(w);
    if (part && part[0].startsWith("ee")) {
      if (inside(part[0], r1) && !/^(?:proc|exc|succ)eed/.test(w)) cut(part[0].length, "ee");
    } else if (part && /^[^aeiouy]ying$/.test(w)) {
      cut(4, "ie");
    } else if (part && /[aeiouy]/.test(w.slice(0, -part[0].length))) {
      cut(part[0].length);
      if (/(?:at|bl|iz)$/.test(w)) w += "e";
      else if (/(?:bb|dd|ff|gg|mm|nn|pp|rr|tt)$/.test(w)) { if (!/^[aeo]..$/.test(w)) cut(1); }
      else if (isShort()) w += "e";
    }
    if (/.[^aeiouy][yY]$/.test(w)) cut(1, "i");

    const two = STEP_2.find(([ending]) => ends(ending));
    if (two && inside(two[0], r1)) {
      if (two[0] === "li" ? /[cdeghkmnrt]li$/.test(w) : two[0] !== "ogi" || /logi$/.test(w)) cut(two[0].length, two[1]);
    }
    const three = STEP_3.find(([ending]) => ends(ending));
    if (three && inside(three[0], three[0] === "ative" ? r2 : r1)) cut(three[0].length, three[1]);
    const four = STEP_4.find((ending) => ends(ending));
    if (four && inside(four, r2) && (four !== "ion" || /[st]ion$/.test(w))) cut(four.length);
    if (ends("e")) {
      const shortBefore = /(?:[^aeiouy][aeiouy][^aeiouywxY]|^[aeiouy][^aeiouy]|past)e$/.test(w);
      if (inside("e", r2) || (inside("e", r1) && !shortBefore)) cut(1);
    } else if (ends("ll") && inside("l", r2)) {
      cut(1);
    }
    return w.toLowerCase();
  }

  // --- The index --------------------------------------------------------------------------------------------------

  function bytes(text) {
    const plain = atob(text);
    const found = new Uint8Array(plain.length);
    for (let at = 0; at < plain.length; at++) found[at] = plain.charCodeAt(at);
    return found;
  }

  class Bits {
    constructor(data) { this.data = data; this.at = 0; }
    bits(count) {
      let found = 0, at = this.at;
      for (const end = at + count; at < end; at++) found = (found << 1) | ((this.data[at >> 3] >> (7 - (at & 7))) & 1);
      this.at = at;
      return found;
    }
    ones() {
      const from = this.at;
      let at = from;
      while ((this.data[at >> 3] >> (7 - (at & 7))) & 1) at++;
      this.at = at + 1;
      return at - from;
    }
    gamma() { const more = this.ones(); return more ? (1 << more) | this.bits(more) : 1; }
    rice(k) { const high = this.ones(); return (high << k) | this.bits(k); }
  }

  function unfolded(written) {
    const names = [];
    let before = "";
    for (const [, shared, rest] of written.matchAll(/([A-Z])([^A-Z]*)/g)) {
      before = before.slice(0, shared.charCodeAt(0) - 65) + rest;
      names.push(before);
    }
    return names;
  }

  // A shard, unpacked: for term t the chunks[starts[t] … starts[t + 1]] and how often it stands in each.
  function unpack(written, packed, total) {
    const names = unfolded(written);
    const bits = new Bits(bytes(packed));
    const starts = new Uint32Array(names.length + 1);
    // Each posting takes two bits at least.
    const chunks = new Uint32Array(bits.data.length * 4), times = new Uint8Array(bits.data.length * 4);
    let filled = 0;
    for (let term = 0; term < names.length; term++) {
      const count = bits.gamma();
      let k = 0;
      while (count * 2 ** (k + 1) <= total) k++;
      let chunk = -1;
      for (let left = count; left; left--) {
        chunk += bits.rice(k) + 1;
        chunks[filled] = chunk;
        times[filled++] = bits.gamma();
      }
      starts[term + 1] = filled;
    }
    return {names, starts, chunks: chunks.slice(0, filled), times: times.slice(0, filled)};
  }

  let root = null;
  const shards = [];
  const texts = new Map();
  const waiting = new Map();
  let first = [], norms = null, scores = null, spelt = null, titled = null, places = [], known = null;

  function arrived(name) {
    const tell = waiting.get(name);
    waiting.delete(name);
    if (tell) tell();
  }

  // The first chunk of each document, so that a chunk's number leads to its document.
  function begin(held) {
    root = held;
    first = [];
    let count = 0;
    for (const document of held.documents) {
      first.push(count);
      count += document[3];
    }
    const lengths = Float64Array.from(bytes(held.lengths), (byte) => 2 ** (byte / 24) - 1);
    const mean = lengths.reduce((sum, one) => sum + one, 0) / Math.max(1, lengths.length);
    norms = lengths.map((length) => K1 * (1 - B + B * length / mean));
    scores = new Float64Array(count);
    titled = null;
    places = [];
    for (const [above, name, key] of held.folders) {
      const place = above < 0 ? "" : path(places[above].place, name);
      places.push({place, key: key || hashed(place)});
    }
    arrived("index");
  }

  // FNV-1a of 32 bits.
  function hashed(text) {
    let value = 0x811c9dc5;
    for (const byte of new TextEncoder().encode(text)) value = Math.imul(value ^ byte, 0x01000193);
    return (value >>> 0).toString(16).padStart(8, "0");
  }

  // The terms in the titles of pages, and the pages that have each.
  function titles() {
    const found = new Map();
    root.documents.forEach(([, , title], number) => {
      for (const term of new Set(title.split(/\s+/).flatMap(termsOf))) {
        if (!found.has(term)) found.set(term, []);
        found.get(term).push(number);
      }
    });
    return found;
  }

  // Pages whose titles hold a word come before those whose sections do.
  function addTitles(term, count, weight) {
    if (titled === null) titled = titles();
    for (const number of titled.get(term) || []) {
      const end = first[number] + root.documents[number][3];
      for (let chunk = first[number]; chunk < end; chunk++) if (scores[chunk] > 0) scores[chunk] += weight * IN_TITLE * rarity(count);
    }
  }

  function words(shard, written, packed) {
    shards[shard] = unpack(written, packed, root.chunks);
    arrived(`words-${shard}`);
  }

  function text(name, held) {
    for (const [document, start, rows] of held) rows.forEach((row, at) => texts.set(`${document} ${start + at}`, row));
    arrived(`text/${name}`);
  }

  function vocabulary(written, counts) {
    spelt = unfolded(written).map((name, at) => [name, parseInt(counts[at], 36)]);
    arrived("spelling");
  }

  function below(sorted, wanted) { // how many of them are smaller
    let low = 0, high = sorted.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (sorted[middle] < wanted) low = middle + 1; else high = middle;
    }
    return low;
  }

  const shardOf = (term) => Math.max(0, below(root.shards, term + "\u0000") - 1);

  function prompts(radius, held) {
    known = {radius, held};
    arrived("prompts");
  }

  // --- Questions that were foreseen, as hashes: by the rules of `prompts.py` ------------------------------------------

  const ALL = (1n << 64n) - 1n;

  function hash64(text) {
    let value = 0xcbf29ce484222325n;
    for (const byte of new TextEncoder().encode(text)) value = ((value ^ BigInt(byte)) * 0x100000001b3n) & ALL;
    value = ((value ^ (value >> 33n)) * 0xff51afd7ed558ccdn) & ALL;
    value = ((value ^ (value >> 33n)) * 0xc4ceb9fe1a85ec53n) & ALL;
    return value ^ (value >> 33n);
  }

  function simhash(held) {
    const long = held.filter((word) => [...word].length > 3);
    const votes = new Array(64).fill(0);
    const pairs = held.slice(1).map((word, at) => `${held[at]} ${word}`);
    for (const feature of [...(long.length ? long : held), ...pairs]) {
      const value = hash64(feature);
      for (let bit = 0; bit < 64; bit++) votes[bit] += (value >> BigInt(bit)) & 1n ? 1 : -1;
    }
    return votes.reduce((sum, vote, bit) => (vote > 0 ? sum | (1n << BigInt(bit)) : sum), 0n);
  }

  // The hits of the nearest question that was foreseen; none when even that differs in too many bits.
  function foreseen(question) {
    const held = question.normalize("NFKC").toLowerCase().match(/[\p{L}\p{N}]+/gu) || [];
    if (!known || !held.length) return [];
    const exact = hash64(held.join(" ")).toString(16).padStart(16, "0"), near = simhash(held);
    let best = null, least = known.radius + 1;
    for (const [digest, other, chunks] of known.held) {
      let away = 0;
      for (let bits = near ^ BigInt(`0x${other}`); bits; bits &= bits - 1n) away++;
      if (digest === exact) away = -1;
      if (away < least) [best, least] = [chunks, away];
    }
    return (best || []).map(chunkAt).filter((chunk) => chunk >= 0).map((chunk) => described({chunk, score: Infinity}));
  }

  // The number of the chunk at a place; -1 for none.
  function chunkAt(place) {
    const [, folder, stem, index] = /^(?:(.*)\/)?_chunks\/(.*)-(\d+)\.md$/.exec(place) || [];
    const number = root.documents.findIndex((one) => places[one[0]].place === (folder || "") && stemOf(one) === stem);
    return number < 0 ? -1 : first[number] + Number(index);
  }

  // --- Questions ----------------------------------------------------------------------------------------------------

  // A question, taken apart: its terms, and the beginning of the word that is still being typed, if there is one.
  function parse(question) {
    const all = [...new Set(terms(question))];
    const kept = all.filter((term) => !EMPTY.has(term));
    const typed = /[\p{L}\p{N}_]+$/u.exec(question.slice(-LONGEST));
    let beginning = "";
    if (typed) {
      beginning = folded(runs(typed[0]).join(""));
      if (beginning.length < 2 || UNSPACED_START.test(beginning)) beginning = "";
    }
    return {terms: (kept.length ? kept : all).slice(0, MOST_TERMS), beginning, instead: new Map()};
  }

  // The names of the files that a question needs and that are not here yet. While it is typed these are those of its
  // whole words, and of the last one when enough of it is there: each letter more would ask for another file.
  function needed(asked, isTyped = false) {
    if (!root.shards.length) return [];
    const part = asked.beginning ? stem(asked.beginning) : "";
    const whole = asked.terms.filter((term) => !isTyped || (term !== part && !EMPTY.has(term)));
    const wanted = new Set([...whole, ...asked.instead.values()].map(shardOf));
    if (asked.beginning && (!isTyped || asked.beginning.length >= TYPED_FROM)) {
      const from = shardOf(asked.beginning), to = shardOf(asked.beginning + "\uffff");
      const last = isTyped ? from : Math.min(to, from + MOST_ENDING - 1);
      for (let shard = from; shard <= last; shard++) wanted.add(shard);
      if (!isTyped) wanted.add(shardOf(part));
    }
    return [...wanted].filter((shard) => !shards[shard]).map((shard) => `words-${shard}`);
  }

  // The words of a question that occur nowhere. Its files must be here.
  const unknown = (asked) => asked.terms.filter((term) => !asked.instead.has(term) && find(term) === null &&
    !(asked.beginning && term === stem(asked.beginning) && endings(asked.beginning, new Set()).length));

  // Look for other spellings of such words among all there are; `spelling` must be here.
  function respell(asked) {
    for (const term of unknown(asked)) {
      const near = nearest(term);
      if (near) asked.instead.set(term, near);
    }
  }

  function find(term) {
    const shard = root.shards.length ? shards[shardOf(term)] : null;
    if (!shard) return null;
    const at = below(shard.names, term);
    return shard.names[at] === term ? {shard, at, count: shard.starts[at + 1] - shard.starts[at]} : null;
  }

  // The most frequent terms that begin like the word being typed.
  function endings(beginning, without) {
    const found = [];
    for (let number = shardOf(beginning); number < root.shards.length; number++) {
      const shard = shards[number];
      if (!shard) break;
      let at = below(shard.names, beginning);
      for (; at < shard.names.length && shard.names[at].startsWith(beginning); at++) {
        if (!without.has(shard.names[at])) found.push({shard, at, count: shard.starts[at + 1] - shard.starts[at]});
      }
      if (at < shard.names.length) break;
    }
    return found.sort((one, other) => other.count - one.count).slice(0, MOST_ENDINGS);
  }

  // Letters left out, added, replaced or exchanged with their neighbour between two words; above `most` just more.
  function distance(one, other, most) {
    let earlier = [], before = [], row = Array.from({length: other.length + 1}, (_, at) => at);
    for (let at = 1; at <= one.length; at++) {
      [earlier, before, row] = [before, row, [at]];
      for (let place = 1; place <= other.length; place++) {
        let cost = Math.min(before[place] + 1, row[place - 1] + 1, before[place - 1] + (one[at - 1] !== other[place - 1]));
        if (at > 1 && place > 1 && one[at - 1] === other[place - 2] && one[at - 2] === other[place - 1]) {
          cost = Math.min(cost, earlier[place - 2] + 1);
        }
        row.push(cost);
      }
      if (Math.min(...row) > most) return most + 1;
    }
    return row[other.length];
  }

  // The nearest known term to one that occurs nowhere, the most frequent of several; else the most frequent one that
  // begins like it.
  function nearest(term) {
    const most = term.length < ONE_SLIP_FROM || !/^\p{L}+$/u.test(term) ? 0 : term.length < TWO_SLIPS_FROM ? 1 : 2;
    let best = null, least = most + 1, often = -1;
    for (const [name, count] of most ? spelt : []) {
      if (Math.abs(name.length - term.length) > most) continue;
      const away = distance(term, name, most);
      if (away <= most && (away < least || (away === least && count > often))) [best, least, often] = [name, away, count];
    }
    if (best === null && term.length >= TYPED_FROM) {
      for (const [name, count] of spelt) if (name.startsWith(term) && count > often) [best, often] = [name, count];
    }
    return best;
  }

  const rarity = (count) => Math.log(1 + (root.chunks - count + 0.5) / (count + 0.5));

  function add({shard, at, count}, weight) {
    const factor = weight * rarity(count) * (K1 + 1);
    for (let place = shard.starts[at]; place < shard.starts[at + 1]; place++) {
      const chunk = shard.chunks[place], often = shard.times[place];
      scores[chunk] += factor * often / (often + norms[chunk]);
    }
  }

  // Words with the same beginning count as one word, as rare as all of them together.
  function addTogether(found, weight) {
    const often = new Map();
    for (const {shard, at} of found) {
      for (let place = shard.starts[at]; place < shard.starts[at + 1]; place++) {
        often.set(shard.chunks[place], (often.get(shard.chunks[place]) || 0) + shard.times[place]);
      }
    }
    const factor = weight * rarity(often.size) * (K1 + 1);
    for (const [chunk, times] of often) scores[chunk] += factor * times / (times + norms[chunk]);
  }

  // The best chunks for a question whose files are all here: BM25, ties by their number.
  function rank(asked, limit) {
    scores.fill(0);
    const exact = new Set(asked.terms);
    const typed = asked.beginning ? endings(asked.beginning, exact) : [];
    const meant = [];
    for (const term of asked.terms) {
      const found = find(term), other = asked.instead.get(term), near = other ? find(other) : null;
      if (found) add(found, 1);
      else if (near) add(near, GUESSED), meant.push([term, other]);
    }
    if (typed.length) addTogether(typed, find(stem(asked.beginning)) !== null ? UNFINISHED : 1);
    for (const term of asked.terms) {
      const known = asked.instead.get(term) || term, found = find(known);
      if (found) addTitles(known, found.count, known === term ? 1 : GUESSED);
    }
    const best = [];
    let count = 0;
    for (let chunk = 0; chunk < scores.length; chunk++) {
      const score = scores[chunk];
      if (score <= 0) continue;
      count++;
      if (best.length === limit && score <= best[limit - 1].score) continue;
      let at = best.length;
      while (at > 0 && best[at - 1].score < score) at--;
      best.splice(at, 0, {chunk, score});
      if (best.length > limit) best.pop();
    }
    return {count, meant, hits: best.map((hit) => described(hit))};
  }

  const path = (...parts) => parts.filter(Boolean).join("/");
  const quoted = (place) => place.split("/").map(encodeURIComponent).join("/");

  const slug = (title) => title.toLowerCase().replace(/'/g, "").replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "");

  const fileOf = ([, file, title]) => file === 0 ? `${slug(title)}.md` : file === 1 ? "index.md" : file;
  const stemOf = (document) => document[6] || fileOf(document).replace(/\.md$/, "") || fileOf(document);

  // A chunk: where it, its source and its page are, from the folder that was published.
  function described({chunk, score}) {
    const number = below(first, chunk + 1) - 1;
    const [folder, , title, , bucket, page] = root.documents[number];
    const {place, key} = places[folder];
    const name = fileOf(root.documents[number]);
    const index = chunk - first[number];
    const source = path(place, name);
    const beginning = stemOf(root.documents[number]);
    const called = !page ? name.replace(/\.[^.]*$/, "") + ".html" : page;
    return {
      score, document: number, index, file: `${key}-${bucket}-${index >> 4}`, name: source, title,
      source: quoted(source), href: quoted(path(place, "_chunks", `${beginning}-${index}.md`)),
      page: root.pages ? quoted(path(place, called)) : "",
    };
  }

  // --- Snippets -----------------------------------------------------------------------------------------------------

  const SHOWN = 240, LEAD = 60;

  const met = new Map();

  // The terms of a word of a text; most words were met before.
  function termsOf(word) {
    let found = met.get(word);
    if (!found) {
      found = terms(word);
      if (met.size > 100000) met.clear();
      met.set(word, found);
    }
    return found;
  }

  // The part of a text that holds most of the words asked for, as [text, is marked] pieces, and how many of them it holds.
  function cutOut(plain, asked) {
    const wanted = new Set([...asked.terms, ...asked.instead.values()]);
    const marks = [];
    for (const word of plain.matchAll(/[\p{L}\p{M}\p{N}_]+(?:['’][\p{L}\p{M}\p{N}_]+)*/gu)) {
      const found = termsOf(word[0]);
      const term = found.find((one) => wanted.has(one));
      const begins = asked.beginning && found.some((one) => one.startsWith(asked.beginning));
      if (term !== undefined || begins) marks.push({start: word.index, end: word.index + word[0].length, term: term || "…"});
      if (marks.length >= 200) break;
    }
    let best = 0, from = 0;
    for (let one = 0; one < marks.length; one++) {
      const seen = new Set();
      for (let other = one; other < marks.length && marks[other].end - marks[one].start <= SHOWN - LEAD; other++) seen.add(marks[other].term);
      if (seen.size > best) { best = seen.size; from = marks[one].start; }
    }
    let start = Math.max(0, from - LEAD);
    if (start) start = Math.min(from, plain.indexOf(" ", start) + 1 || from);
    let end = Math.min(plain.length, start + SHOWN);
    if (end < plain.length) end = Math.max(plain.lastIndexOf(" ", end), Math.min(end, start + LEAD));
    const pieces = start ? [["… ", false]] : [];
    let at = start;
    for (const mark of marks) {
      if (mark.start < at || mark.end > end) continue;
      if (mark.start > at) pieces.push([plain.slice(at, mark.start), false]);
      pieces.push([plain.slice(mark.start, mark.end), true]);
      at = mark.end;
    }
    if (at < end) pieces.push([plain.slice(at, end), false]);
    if (end < plain.length) pieces.push([" …", false]);
    return {best, pieces};
  }

  // What a hit shows when its text is here: the section of the chunk that holds most of the words, and some words of it.
  function passage(hit, asked) {
    const held = texts.get(`${hit.name} ${hit.index}`);
    if (!held) return null;
    const [trail, parts] = held;
    const wanted = new Set([...asked.terms, ...asked.instead.values()]);
    let chosen = null;
    parts.forEach(([anchor, title, text], at) => {
      const found = cutOut(text, asked);
      found.best += new Set(title.split(/\s+/).flatMap(termsOf).filter((term) => wanted.has(term))).size;
      if (!chosen || found.best > chosen.best) chosen = {...found, anchor, section: at || !trail.length ? title : trail.join(" › ")};
    });
    return chosen;
  }

  const isHere = (hit) => texts.has(`${hit.name} ${hit.index}`);

  // Have somebody told when a file has come.
  const arrival = (name, tell) => waiting.set(name, tell);

  return {begin, words, text, vocabulary, prompts, foreseen, parse, needed, unknown, respell, rank, passage, isHere, terms, stem, arrival,
    get root() { return root; }};
})();
