/** The style of `<head-scores>` and `<logit-lens>`, after that of all elements. Pages can set the colours. */
export const cellsStyle = `
.cells .head { display: flex; flex-wrap: wrap; gap: 0 1.5em; align-items: baseline; }
.cells .told { flex: 1 1 16em; height: 1.4em; margin: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.scores .told { flex: 0 1 16em; }
.cells .scroller { margin-block-start: 0.4em; }
.cells .rows { position: sticky; inset-inline-start: -3px; z-index: 1; background: var(--_paper); }
.cells .cell { scroll-margin-inline: 4em 0.5em; }
.rowtitle, .columntitle { color: var(--_soft); }
.rowtitle { grid-column: 1; align-self: end; padding-inline-end: 0.6em; text-align: end; line-height: 1.25; }
.columntitle { grid-column: 2; line-height: 1.5; }
.cells .columnheader { padding: 0 0 0.3em; writing-mode: horizontal-tb; transform: none; }
.boxes { position: absolute; inset: 0; display: grid; grid-template: repeat(var(--rows), minmax(0, 1fr)) / repeat(var(--columns), minmax(0, 1fr)); gap: 1px; forced-color-adjust: none; }
.cells .plot { cursor: pointer; }
.boxes [data-box]:hover { outline: 1px solid var(--_ink); }
.ring { border: 2px solid var(--_ink); box-shadow: 0 0 0 1px var(--_paper); pointer-events: none; }
.scores { --minus: var(--head-scores-minus, light-dark(#2166ac, #5aa9ff)); --plus: var(--head-scores-plus, light-dark(#b2182b, #ff7a66)); }
.scores .box { --pole: var(--plus); border-radius: 1px; }
.scores .box[data-box] { background: color-mix(in oklab, var(--pole) var(--part), var(--_tint)); }
.scores .box[data-sign='minus'] { --pole: var(--minus); }
.scores .grid { --cell: 1.5em; }
.scores .grid[data-fine] { --cell: 0.8em; }
.scores .columnheader { justify-self: center; }
.scores .grid[data-fine] .columnheader { justify-self: start; }
.scores .grid[data-fine] .rowheader { align-self: start; }
.scale { display: flex; gap: 0.5em; align-items: center; color: var(--_soft); font-size: 0.8em; font-variant-numeric: tabular-nums; }
.ramp { display: flex; forced-color-adjust: none; }
.boxes, .ramp { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
.lens { --fill: var(--logit-lens-fill, light-dark(#85b8f8, #1f5fb0)); }
.lens .grid { grid-template-columns: auto minmax(calc(var(--columns) * 4.5em), calc(var(--columns) * 8em)); }
.lens .plot { aspect-ratio: auto; height: calc(var(--rows) * (var(--lines) * 1.3em + 0.5em)); }
.lens .box { display: flex; flex-direction: column; justify-content: center; min-width: 0; padding-inline: 0.3em; border-radius: 2px; background: color-mix(in oklab, var(--fill) var(--part), color-mix(in srgb, var(--_ink) 4%, var(--_paper))); line-height: 1.3; text-align: center; }
.cells .ramp .box { width: 4px; height: 0.8em; padding: 0; border-radius: 0; }
.lens .box span, .lens .columnheader span { display: block; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.lens .box span:first-child:not(:only-child) { font-weight: 600; }
.lens .columnheader { max-width: 100%; padding-inline: 0.3em; line-height: 1.25; }
@container (max-width: 36em) {
  .lens .told { height: 2.6em; white-space: normal; }
}
@media (forced-colors: active) {
  .lens .box { background: Canvas; }
}
`;
