// Reads records of tests/data that the native and the Node tests share. A record is a group of lines, each a key, a
// space and a value; an empty line ends it; # begins a comment.
import { readFileSync } from 'node:fs';

const dataFolder = new URL('../../data/', import.meta.url);

export const dataFile = (name) => new URL(name, dataFolder);

const names = (text) => new Set(text.split(' '));
const texts = names('call name code message prefix checkpoint fields header in_32_bits bytes');
const flags = names(
  'bias output_bias output_projection bias_kv zero_attention requires_grad done loaded',
);
const lists = names(
  'queries keys values scores X W_q W_k w_v grad_output head_gate attention_weights valid_lens ' +
    'valid_lens_shape window positions heads weights_heads weights_queries tokens tokens_shape',
);

function valueOf(key, text) {
  if (texts.has(key) || text === '') return lists.has(key) ? [] : text;
  if (lists.has(key)) return text.split(' ').map(Number);
  if (flags.has(key)) return Number(text) !== 0;
  const number = Number(text);
  return Number.isNaN(number) && text !== 'NaN' ? text : number;
}

/** num_heads becomes numHeads; W_q and w_v stay as they are. */
const nameOf = (key) =>
  key.length === 3 ? key : key.replace(/_([a-z0-9])/g, (_, letter) => letter.toUpperCase());

/** The records of a file as objects: numbers, lists, booleans and texts by name, `parameter` all lines. */
export const readRecords = (name) =>
  readFileSync(dataFile(name), 'utf8')
    .split(/\n{2,}/)
    .map((group) => group.split('\n').filter((line) => line && !line.startsWith('#')))
    .filter((lines) => lines.length > 0)
    .map((lines) => {
      const record = { parameter: [] };
      for (const line of lines) {
        const [key, ...words] = line.split(' ');
        const text = words.join(' ');
        if (key === 'parameter') record.parameter.push(text);
        else record[nameOf(key)] ??= valueOf(key, text);
      }
      return record;
    });
