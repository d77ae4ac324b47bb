// Writes the heat maps as an SVG: node examples/heat-map/main.mjs heads.svg
import { writeFileSync } from 'node:fs';
import { drawHeads } from './draw.mjs';
import { sentenceWeights, tokens } from './weights.mjs';

const svg = drawHeads(await sentenceWeights(), tokens);
const [file] = process.argv.slice(2);
if (file === undefined) console.log(svg);
else writeFileSync(file, `${svg}\n`);
