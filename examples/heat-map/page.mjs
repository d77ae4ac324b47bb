import { drawHeads } from './draw.mjs';
import { sentenceWeights, tokens } from './weights.mjs';

const heads = /** @type {HTMLElement} */ (document.querySelector('#heads'));
heads.innerHTML = drawHeads(await sentenceWeights(), tokens);
