// Stands in for packages that only a few kinds of diagrams need and that weigh more than all others together. Such a
// diagram says so, and the page shows its source.
function missing() {
  throw new Error("This kind of diagram is not drawn here.");
}
missing.use = () => {};
missing.render = missing;
export default missing;
