// The door's paths: JSON in, JSON out, problems as errors in words, and answers that come piece by piece.

/** A refusal or a failure, with the next step where there is one. */
export class Problem extends Error {
  /** @param {number} status @param {string} words @param {string} [nextStep] */
  constructor(status, words, nextStep = "") {
    super(words);
    this.status = status;
    this.nextStep = nextStep;
  }

  /** All of it, for a person. */
  get words() {
    return this.nextStep && !this.message.includes(this.nextStep) ? `${this.message} ${this.nextStep}` : this.message;
  }
}

/**
 * @param {string} method
 * @param {string} path
 * @param {unknown} [body]
 * @param {AbortSignal} [signal]
 * @returns {Promise<Response>}
 */
async function send(method, path, body, signal) {
  /** @type {RequestInit} */
  const asked = { method, signal };
  if (body !== undefined) {
    asked.headers = { "Content-Type": "application/json" };
    asked.body = JSON.stringify(body);
  }
  let answer;
  try {
    answer = await fetch(path, asked);
  } catch (trouble) {
    if (signal?.aborted) throw trouble;
    throw new Problem(0, "The server does not answer.", "Is pinakes work still running?");
  }
  if (!answer.ok) throw await problemOf(answer);
  return answer;
}

/** @param {Response} answer */
async function problemOf(answer) {
  try {
    const told = await answer.json();
    return new Problem(answer.status, told.detail || told.title, told.next_step);
  } catch {
    return new Problem(answer.status, `The server refused: ${answer.status} ${answer.statusText}`);
  }
}

/** @param {string} path @param {Record<string, unknown>} [query] @param {AbortSignal} [signal] @returns {Promise<any>} */
export async function get(path, query = {}, signal) {
  const fields = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== "" && value !== undefined && value !== false) fields.set(name, String(value));
  }
  return (await send("GET", fields.size ? `${path}?${fields}` : path, undefined, signal)).json();
}

/** @param {string} path @param {unknown} [body] @returns {Promise<any>} */
export async function post(path, body = {}) {
  return (await send("POST", path, body)).json();
}

/** @param {string} path @param {unknown} body @returns {Promise<any>} */
export async function put(path, body) {
  return (await send("PUT", path, body)).json();
}

/**
 * Ask and hear the answer as it comes. (An EventSource could not show the server a token.)
 * @param {"GET" | "POST"} method
 * @param {string} path
 * @param {unknown} body
 * @param {AbortSignal} signal
 * @param {(name: string, data: any) => void} hear
 */
export async function stream(method, path, body, signal, hear) {
  const answer = await send(method, path, body, signal);
  const reader = /** @type {ReadableStream<Uint8Array>} */ (answer.body).getReader();
  const decoder = new TextDecoder();
  const feed = eventParser(hear);
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    feed(decoder.decode(value, { stream: true }));
  }
}

/**
 * Server-sent events from any pieces of their text.
 * @param {(name: string, data: any) => void} hear
 * @returns {(text: string) => void}
 */
export function eventParser(hear) {
  let waiting = "";
  return (text) => {
    waiting += text;
    const frames = waiting.split(/\r?\n\r?\n/);
    waiting = frames.pop() ?? "";
    for (const frame of frames) {
      let name = "message";
      const data = [];
      for (const line of frame.split(/\r?\n/)) {
        if (line.startsWith("event:")) name = line.slice(6).trim();
        else if (line.startsWith("data:")) data.push(line.slice(5).replace(/^ /, ""));
      }
      if (data.length) hear(name, JSON.parse(data.join("\n")));
    }
  };
}
