// Draws the curves that the program in C++ wrote.
//
//   node examples/prune-a-model/plot-csv.mjs CSV SVG
import { readFileSync, writeFileSync } from 'node:fs';
import { csvParse } from 'd3-dsv';
import { drawCurves } from './plot.mjs';

const [, , csv, svg] = process.argv;
if (svg === undefined) throw new Error('usage: plot-csv.mjs CSV SVG');
const rows = csvParse(readFileSync(csv, 'utf8'), ({ order, gone, loss }) => ({
  ...{ order, gone: Number(gone), loss: Number(loss) },
}));
writeFileSync(svg, drawCurves(rows));
