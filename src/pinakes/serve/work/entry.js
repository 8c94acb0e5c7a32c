// Shows the server its token with every request. The address of the page brings a ticket for it, or the token itself, in
// its fragment, which no server and no log sees. This tab keeps the token, and the address forgets what it brought.
(() => {
  const place = "pinakes-work-token";
  const brought = new URLSearchParams(location.hash.slice(1));
  const plain = window.fetch.bind(window);

  /** @returns {string | null} */
  function kept() {
    try {
      return sessionStorage.getItem(place);
    } catch {
      return null;
    }
  }

  /** @param {string | null} token */
  function keep(token) {
    try {
      if (token) sessionStorage.setItem(place, token);
    } catch {
      // Without storage the token lasts until the page is loaded again.
    }
    return token ?? kept();
  }

  /** @param {string} ticket */
  async function redeemed(ticket) {
    const headers = { "Content-Type": "application/json" };
    const answer = await plain("/work/enter", { method: "POST", headers, body: JSON.stringify({ ticket }) });
    return answer.ok ? (await answer.json()).token : null;
  }

  const ticket = brought.get("ticket");
  const entering = ticket ? redeemed(ticket).then(keep, () => kept()) : Promise.resolve(keep(brought.get("token")));
  if (location.hash) history.replaceState(null, "", location.pathname + location.search);

  window.fetch = async (path, asked = {}) => {
    const token = await entering;
    if (!token || typeof path !== "string" || !path.startsWith("/") || path.startsWith("//")) return plain(path, asked);
    const headers = new Headers(asked.headers);
    headers.set("Authorization", `Bearer ${token}`);
    return plain(path, { ...asked, headers });
  };
})();
