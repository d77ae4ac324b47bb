import { count } from '../../format/sentences.js';
import { translatable } from '../../format/translation.js';
import type { Head } from '../../worker/heads.js';

const heads = (number: number): string => count(number, 'head', 'heads');
/** All layers have the same number of heads, unless some were pruned. */
const shapeOf = (numHeads: readonly number[]): string =>
  new Set(numHeads).size === 1
    ? `${count(numHeads.length, 'layer', 'layers')} of ${heads(numHeads[0])}`
    : `${count(numHeads.length, 'layer', 'layers')} of ${numHeads.join(', ')} heads`;
const place = ({ layer, head }: Head): string => `layer ${layer + 1}, head ${head + 1}`;

/** Which token most of a head's weight is on. */
export const roleNames = translatable('lookRoleNames', {
  previousToken: 'previous',
  induction: 'induction',
  firstToken: 'first',
  diagonal: 'itself',
});

export const words = translatable('look', {
  goalTask: 'Shut as few heads as you can until another token becomes the most probable one.',
  goalReached: (shut: number, now: string, before: string) =>
    `${heads(shut)} shut: “${now}” leads instead of “${before}”.`,
  waits: 'The model loads when you come here.',
  model: (name: string, numHeads: readonly number[]) => `${name}: ${shapeOf(numHeads)}.`,
  openAll: 'Open all heads',
  shutNow: (shut: number) => (shut === 0 ? 'All heads are open.' : `${heads(shut)} shut.`),
  noSuchHead: (given: readonly string[], numHeads: readonly number[]) =>
    `The model has ${shapeOf(numHeads)}. Ignored in the address: ${given.join(' and ')}.`,

  boardTitle: 'All heads, layer by layer',
  boardNote:
    'Rows are queries and columns are keys; hatched keys are masked. A head is named after the token that gets most of its weight in this sentence. It is “mixed” if no name is at least 20 points ahead of the others. Alt-click a map to shut its head.',
  mixed: 'mixed',
  tile: (head: Head, role: string) => `${place(head)}: ${role}`,
  show: (head: Head, role: string, isOpen: boolean) =>
    `Show ${place(head)}: ${role}${isOpen ? '' : ', shut'}`,
  gate: (head: Head) => `Gate of ${place(head)}`,
  open: 'open',
  shut: 'shut',

  next: (token: string) => `Next token after “${token}”`,
  nextOpen: 'all heads open',
  nextNow: 'now',
  noNext: 'This model is not causal: it predicts no next token.',
  bar: (token: string, now: string, before: string) =>
    now === before ? `${token}: ${now}` : `${token}: ${now}, with all heads open ${before}`,
  axis: (most: string) => `0 to ${most}`,
  lens: 'What each layer would predict',
  output: 'output',
  after: (layer: number) => (layer === 0 ? 'embedding' : `layer ${layer}`),

  selected: 'Selected head',
  view: 'View',
  views: { arcs: 'Arcs', map: 'Map' },

  more: 'Open a model',
  folder: 'A folder',
  files: 'A GGUF file, or the files of a folder',
  address: 'An address of either',
  openAddress: 'Open',
  cancel: 'Cancel',
  modelHint:
    'A folder needs config.json, model.safetensors and tokenizer.json of a decoder, such as GPT-2, Llama or Qwen, or an encoder, such as BERT. Weights may have up to 800 MB. Nothing leaves this device.',
  builtIn: 'Back to the small model',
  notAModel: 'These files are not a model that this page can run.',
  refused: (reason: string) => `Not opened. ${reason}`,

  exportNames: { board: 'all heads on a sentence', selected: 'the selected head' },
});
