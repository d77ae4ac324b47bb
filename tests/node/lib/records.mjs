// Reads the files of tests/data that the native and the Node tests share. A record is a group of
// lines, each a key, a space and a value; an empty line ends it; # begins a comment.
import { readFileSync } from 'node:fs';

const dataFolder = new URL('../../data/', import.meta.url);

export const dataFile = (name) => new URL(name, dataFolder);

class Record {
  #lines = [];

  add(key, value) {
    this.#lines.push([key, value]);
  }

  /** The values of all lines with this key. */
  all(key) {
    return this.#lines.filter(([name]) => name === key).map(([, value]) => value);
  }

  /** The value of the first line with this key, undefined if there is none. */
  text(key) {
    return this.all(key)[0];
  }

  numbers(key) {
    return this.text(key)?.split(' ').filter(Boolean).map(Number);
  }

  number(key, otherwise) {
    return this.numbers(key)?.[0] ?? otherwise;
  }
}

export function readRecords(name) {
  return readFileSync(dataFile(name), 'utf8')
    .split(/\n{2,}/)
    .map((group) => group.split('\n').filter((line) => line && !line.startsWith('#')))
    .filter((lines) => lines.length > 0)
    .map((lines) => {
      const record = new Record();
      for (const line of lines) {
        const [key, ...words] = line.split(' ');
        record.add(key, words.join(' '));
      }
      return record;
    });
}

const flag = (number) => (number === undefined ? undefined : number !== 0);

/** The rotary options of a record, undefined if it has none. */
function rotaryOf(record) {
  const [base, size] = [record.number('rotary_base'), record.number('rotary_size')];
  return base === undefined && size === undefined ? undefined : { base, size };
}

/** Positions of the record's shape, each its `position`; or undefined. */
export function positionsOf(record) {
  const shape = record.numbers('positions');
  const count = shape?.reduce((product, size) => product * size, 1);
  return shape && { data: new Array(count).fill(record.number('position', 0)), shape };
}

/** The constructor options of a record, as tests/native/table.cpp reads them. */
export function optionsOf(record) {
  return {
    numHiddens: record.number('num_hiddens', 8),
    numHeads: record.number('num_heads', 2),
    dropout: record.number('dropout', 0),
    bias: flag(record.number('bias')),
    querySize: record.number('query_size'),
    keySize: record.number('key_size'),
    valueSize: record.number('value_size'),
    outputSize: record.number('output_size'),
    outputProjection: flag(record.number('output_projection')),
    numKvHeads: record.number('num_kv_heads'),
    pooling: record.text('pooling'),
    attentionHiddens: record.number('attention_hiddens'),
    projection: record.text('projection'),
    scale: record.number('scale'),
    softcap: record.number('softcap'),
    rotary: rotaryOf(record),
    biasKv: flag(record.number('bias_kv')),
    zeroAttention: flag(record.number('zero_attention')),
    seed: record.number('seed', 7),
  };
}

/** Lengths by sample, or of the shape that valid_lens_shape tells, or undefined. */
export function validLensOf(record) {
  const data = record.numbers('valid_lens');
  return data && { data, shape: record.numbers('valid_lens_shape') ?? [data.length] };
}

/** Of zeros, the last one mask_value; or undefined. */
function maskOf(record) {
  if (record.text('mask') === undefined) return undefined;
  const [kind, ...sizes] = record.text('mask').split(' ');
  const shape = sizes.map(Number);
  const count = shape.reduce((product, size) => product * size, 1);
  const data = new { boolean: Uint8Array, float: Float32Array }[kind](count);
  data[count - 1] = record.number('mask_value', 0);
  return { data, shape };
}

/** All mask options, for whichever call takes them. */
export function maskOptionsOf(record) {
  const alignments = { 'top-left': true, 'bottom-right': 'bottom-right' };
  return {
    validLens: validLensOf(record),
    mask: maskOf(record),
    causal: alignments[record.text('causal')],
    window: record.numbers('window'),
  };
}
