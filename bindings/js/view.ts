/** headwise/view: draws attention weights. Needs no WebAssembly. */
export { headColour, numHeadColours } from './view/colours.js';
export {
  AttentionHeadsElement,
  defineAttentionHeads,
  type AttentionHeadsProps,
  type AttentionSelection,
} from './view/element.js';
export type { NestedNumbers, NumbersLike, ShapedNumbers } from './view/read.js';
export type { AttentionHeadsView } from './view/scene.js';
export type { AttentionWeights, AttentionWeightsLike, NestedWeights } from './view/weights.js';
export type { AttentionHeadsWords } from './view/words.js';
