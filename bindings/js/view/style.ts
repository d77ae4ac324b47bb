/** The style of all elements. Sizes are in em, so they follow the page's font size. Pages can set the colours. */
const css = `
:host {
  --_ink: var(--attention-heads-ink, CanvasText);
  --_paper: var(--attention-heads-paper, Canvas);
  --_focus: var(--attention-heads-focus, var(--_ink));
  --_soft: color-mix(in srgb, var(--_ink) 72%, var(--_paper));
  --_edge: color-mix(in srgb, var(--_ink) 52%, var(--_paper));
  --_tint: color-mix(in srgb, var(--_ink) 9%, var(--_paper));
  display: block;
  container-type: inline-size;
  color: var(--_ink);
  line-height: 1.3;
  -webkit-text-size-adjust: 100%;
}
:host([hidden]), [hidden] { display: none !important; }
* { box-sizing: border-box; }
button {
  margin: 0;
  border: 1px solid var(--_edge);
  background: transparent;
  color: inherit;
  font: inherit;
  cursor: pointer;
}
:focus-visible { outline: 2px solid var(--_focus); outline-offset: 2px; }
.bar-top { display: flex; flex-wrap: wrap; gap: 0.5em 1em; align-items: center; font-size: 0.875em; }
.chips { display: flex; flex-wrap: wrap; gap: 0.4em; }
.chip {
  display: inline-flex;
  gap: 0.45em;
  align-items: center;
  min-height: 2.15em;
  padding: 0.2em 0.8em 0.2em 0.6em;
  border-radius: 1.1em;
  text-align: start;
}
.swatch {
  flex: none;
  width: 0.75em;
  height: 0.75em;
  border: 2px solid var(--colour);
  border-radius: 50%;
  background: var(--colour);
  forced-color-adjust: none;
}
.chip[data-off] { color: var(--_soft); }
.chip[data-off] .swatch { background: transparent; }
.chip[aria-pressed='true'] {
  border-color: var(--colour);
  background: color-mix(in srgb, var(--colour) 14%, var(--_paper));
  box-shadow: inset 0 0 0 1px var(--colour);
}
.steps { display: flex; gap: 0.3em; align-items: center; margin-inline-start: auto; font-variant-numeric: tabular-nums; }
.steps button { width: 2.15em; height: 2.15em; padding: 0; border-radius: 0.4em; }
button[aria-disabled='true'] { border-color: var(--_tint); color: var(--_soft); cursor: default; }
.back { min-height: 2.15em; padding: 0.2em 0.8em; border-radius: 0.4em; }
.said { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }

/* The outline is not drawn: the colour of the paper, as it is computed, is read there. */
.frame { outline-color: var(--_paper); }
.arcs { --rise: 6.5em; position: relative; }
.row { display: flex; flex-wrap: wrap; column-gap: clamp(0.1em, 1.4cqi, 1em); font-size: 1.125em; }
.word {
  position: relative;
  min-width: 2em;
  max-width: 100%;
  margin-block-start: var(--rise);
  text-align: center;
}
[role='option'] { cursor: pointer; touch-action: manipulation; }
[role='option']:focus-visible { outline: none; }
:focus-visible > .token { outline: 2px solid var(--_focus); outline-offset: 2px; }
.token { display: block; padding: 0.1em 0.3em; border-radius: 0.3em; overflow: hidden; text-overflow: ellipsis; white-space: pre; }
[role='option']:hover .token { background: var(--_tint); }
[aria-selected='true'] .token, [aria-selected='true']:hover .token { background: var(--_ink); color: var(--_paper); }
.word[data-out] { color: var(--_soft); }
.word[data-out] .bars { visibility: hidden; }
.details { display: block; color: var(--_soft); }
.bars { display: flex; gap: 1px; align-items: flex-end; justify-content: center; height: 1.25em; }
.bar {
  width: min(0.3em, calc(2em / var(--heads, 4)));
  height: calc(max(1px, 100% * var(--weight, 0)));
  background: var(--colour);
  forced-color-adjust: none;
}
.bar[data-off] { visibility: hidden; }
.number { display: block; height: 1.3em; font-size: 0.72em; font-variant-numeric: tabular-nums; }
.curves { position: absolute; inset: 0; width: 100%; height: 100%; overflow: visible; pointer-events: none; }
.curves path { fill: none; stroke: var(--colour); stroke-linecap: round; }
[data-cross] .keys .word { display: flex; flex-direction: column-reverse; margin-block-start: 0.5em; }
[data-cross] .keys .bars { order: 0; }

.scroller { overflow-x: auto; padding: 3px; margin: 0.75em -3px 0; }
.told { min-height: 1.4em; margin: 0.4em 0 0; color: var(--_soft); font-size: 0.875em; font-variant-numeric: tabular-nums; }
.grid {
  --cell: 1.1em;
  display: grid;
  grid-template-columns: auto minmax(calc(var(--columns) * var(--cell)), calc(var(--columns) * 2.75em));
  width: fit-content;
  max-width: 100%;
  font-size: 0.8em;
}
.grid[data-fine] { --cell: 0.25em; }
.columns { grid-column: 2; display: grid; grid-template-columns: repeat(var(--columns), minmax(0, 1fr)); }
.rows { display: grid; grid-template-rows: repeat(var(--rows), minmax(0, 1fr)); }
.rowheader { align-self: center; line-height: 1; padding-inline-end: 0.6em; text-align: end; white-space: pre; }
.columnheader { align-self: end; justify-self: center; padding-inline-start: 0.4em; writing-mode: vertical-rl; transform: rotate(180deg); line-height: 1; white-space: pre; }
.plot { position: relative; aspect-ratio: var(--columns) / var(--rows); font-variant-numeric: tabular-nums; }
.plot canvas { position: absolute; width: 100%; height: 100%; border-radius: 2px; image-rendering: pixelated; forced-color-adjust: none; }
.numbers { position: absolute; inset: 0; display: grid; grid-template: repeat(var(--rows), minmax(0, 1fr)) / repeat(var(--columns), minmax(0, 1fr)); place-items: center; font-size: 0.9em; pointer-events: none; forced-color-adjust: none; }
.numbers [data-ink='dark'] { color: #000; }
.numbers [data-ink='light'] { color: #fff; }
.cell {
  position: absolute;
  top: calc(100% * var(--row) / var(--rows));
  left: calc(100% * var(--column) / var(--columns));
  width: calc(100% / var(--columns));
  height: calc(100% / var(--rows));
  border-radius: 2px;
}
/* Two rings, one of which stands out from any colour. */
.cell[data-here], .cell:focus-visible { outline: 2px solid var(--_ink); outline-offset: 1px; box-shadow: 0 0 0 1px var(--_paper); }
.cell:focus-visible { outline-width: 3px; }
.tiles { display: grid; grid-template-columns: auto repeat(var(--heads), minmax(1.5em, 6em)); gap: 0.3em; justify-content: start; max-width: 100%; }
.tiles [role='row'] { display: contents; }
.tiles .rowheader { color: var(--_soft); font-size: 0.8em; font-variant-numeric: tabular-nums; }
.tile { border-block-end: 3px solid var(--colour); cursor: pointer; line-height: 0; }
.tile:hover { outline: 2px solid var(--colour); outline-offset: 1px; }
.tile canvas { width: 100%; height: auto; image-rendering: pixelated; forced-color-adjust: none; }
@container (max-width: 36em) {
  .tiles { gap: 0.15em; }
  .numbers { font-size: 0.75em; }
  .arcs { --rise: 4.6em; }
  .chips { gap: 0.35em; }
  .chip { gap: 0.35em; padding-inline: 0.45em 0.5em; font-size: 0.94em; }
}
/* Where a text takes many lines, they are closer. */
.arcs[data-many] { --rise: 2.8em; }
@media (prefers-reduced-motion: no-preference) {
  .bar { transition: height 0.12s; }
}
@media (forced-colors: active) {
  [aria-selected='true'] .token { outline: 2px solid Highlight; }
  .chip[aria-pressed='true'] { border: 2px solid Highlight; }
}
`;

const shared = new WeakMap<Document, Map<string, CSSStyleSheet>>();

/** The style sheet of a text in a document. */
function sheetOf(text: string, owner: Document): CSSStyleSheet {
  const sheets = shared.get(owner) ?? new Map<string, CSSStyleSheet>();
  shared.set(owner, sheets);
  const known = sheets.get(text);
  if (known !== undefined) return known;
  const sheet = new (owner.defaultView ?? globalThis).CSSStyleSheet();
  sheet.replaceSync(text);
  sheets.set(text, sheet);
  return sheet;
}

/**
 * Applies the style, and `more` of one element, to a shadow root, and again in each document that it moves to, because
 * a constructed style sheet belongs to one document. Constructed style sheets are allowed by every
 * Content-Security-Policy; engines without them get a `<style>` element.
 */
export function applyStyle(root: ShadowRoot, more: string): void {
  if (root.querySelector('style') !== null) return;
  const { ownerDocument } = root;
  try {
    root.adoptedStyleSheets = [css, more].map((text) => sheetOf(text, ownerDocument));
  } catch {
    const style = ownerDocument.createElement('style');
    style.textContent = css + more;
    root.prepend(style);
  }
}
