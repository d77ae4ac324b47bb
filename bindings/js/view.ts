/** headwise/view: draws attention weights, numbers of heads and a logit lens. Needs no WebAssembly. */
export { headColour, numHeadColours } from './view/colours.js';
export {
  AttentionHeadsElement,
  defineAttentionHeads,
  type AttentionHeadsEventMap,
  type AttentionHeadsProps,
  type AttentionSelection,
} from './view/element.js';
export {
  defineHeadScores,
  HeadScoresElement,
  type HeadScoresEventMap,
  type HeadScoresProps,
  type HeadSelection,
} from './view/head-scores.js';
export {
  defineLogitLens,
  LogitLensElement,
  type LensSelection,
  type LogitLensEventMap,
  type LogitLensProps,
} from './view/logit-lens.js';
export type { NumberLists, NumbersLike, ShapedNumbers } from './view/read.js';
export type { AttentionHeadsView } from './view/scene.js';
export type { TokenProbability } from './view/top-tokens.js';
export type { AttentionWeights, AttentionWeightsLike, NestedWeights } from './view/weights.js';
export type { AttentionHeadsWords, HeadScoresWords, LogitLensWords } from './view/words.js';
