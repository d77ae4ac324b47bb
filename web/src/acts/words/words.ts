import { count } from '../../format/sentences.js';
import type { Head } from '../../worker/heads.js';
import { translatable } from '../../format/translation.js';

const place = ({ layer, head }: Head): string => `layer ${layer + 1}, head ${head + 1}`;
const heads = (number: number): string => count(number, 'head', 'heads');

/** Which token most of a head's weight is on. */
export const roleNames = translatable('wordsRoleNames', {
  previousToken: 'previous',
  induction: 'induction',
  firstToken: 'first',
  diagonal: 'itself',
});

export const words = translatable('words', {
  panel: 'Text and heads',
  goalTask: 'Shut as few heads as you can, until another token is the most probable one.',
  goalReached: (shut: number, now: string, before: string) =>
    `${heads(shut)} shut: “${now}” leads in place of “${before}”.`,
  text: 'Your text',
  textHint: 'Up to 200 characters; nothing leaves this device.',
  textCut: (characters: number) => `Cut to ${characters} characters.`,
  textEmpty: 'Type a word to begin.',
  tokens: (number: number, most: number, isCut: boolean) =>
    isCut ? `The first ${most} tokens of the text.` : `${count(number, 'token', 'tokens')}.`,
  loading: 'Loading the model…',
  loaded: (done: string, total: string) => `Loading the model: ${done} of ${total}.`,
  opening: 'Opening the files…',
  model: (name: string, layers: number, numHeads: number) =>
    `${name}: ${count(layers, 'layer', 'layers')}, ${heads(numHeads)}.`,
  openAll: 'Open all heads',
  shutNow: (shut: number) => (shut === 0 ? 'All heads are open.' : `${heads(shut)} shut.`),

  board: 'Every head of every layer, over the tokens of the text',
  layer: (layer: number) => `Layer ${layer + 1}`,
  mixed: 'mixed',
  show: (head: Head, role: string) => `Show ${place(head)}: ${role}`,
  gate: (head: Head, rise?: string) =>
    `Gate of ${place(head)}` + (rise === undefined ? '' : `; loss without it ${rise} nats`),
  open: 'open',
  shut: 'shut',
  boardNote:
    'Rows are queries, columns are keys; keys that come later are masked and hatched. The name of a head says where most of its attention weight goes on this text, with the share; “mixed” means that no share reaches .3.',

  next: 'Next token',
  nextLabel: 'The most probable next tokens',
  nextOpen: 'all heads open',
  nextNow: 'now',
  noNext: 'This model is not causal: it predicts no next token.',
  bar: (token: string, now: string, before: string) =>
    now === before ? `${token}: ${now}` : `${token}: ${now}, with all heads open ${before}`,
  axis: (most: string) => `0 to ${most}`,

  selected: 'Selected head',
  view: 'View',
  views: { arcs: 'Arcs', map: 'Map' },
  name: (head: number, role: string) => `${head + 1} ${role}`,

  study: 'Rank, shut, time',
  rank: 'Rank heads by ablation',
  ranking: (done: number, total: number) => `Ablation: pass ${done} of ${total}.`,
  ranked:
    'Beside each gate: the increase of the loss on this text without the head, in nats per token.',
  prune: 'Shut the least important',
  pruneValue: (number: number) => heads(number),
  time: 'Time without the shut heads',
  timing: (done: number, total: number) => `Timing: pair ${done} of ${total}.`,
  stop: 'Stop',
  stopped: 'Stopped.',
  cannotPrune: (layer: number) =>
    `Every layer has to keep one head: open one of layer ${layer + 1}.`,
  timed: (whole: string, pruned: string, tokens: number) =>
    `One forward pass over ${tokens} tokens: ${pruned} ms without the shut heads, ${whole} ms with all.`,
  ratio: (ratio: string, lower: string, upper: string, pairs: number) =>
    `Median ratio ${ratio}, 95 % interval ${lower} to ${upper}, of ${pairs} alternating pairs:`,
  faster: 'faster.',
  slower: 'slower.',
  level: 'no measurable difference.',

  more: 'Your own model',
  folder: 'Open a checkpoint: a folder',
  files: 'or its files',
  checkpointHint:
    'config.json, model.safetensors and tokenizer.json of a decoder (GPT-2, Llama, Mistral, Qwen2) or an encoder (such as BERT), up to 800 MB. The files stay on this device.',
  builtIn: 'Back to the small model',
  notAModel: 'These files are not a model that this page can run.',
  notRun: 'The model could not do this.',
  refused: (reason: string) => `Not opened. ${reason}`,

  exportNames: { board: 'the heads of a text', selected: 'the selected head' },
});
