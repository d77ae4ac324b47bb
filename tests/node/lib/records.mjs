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

/** The constructor options of a record, as tests/native/table.cpp reads them. */
export function optionsOf(record) {
  return {
    numHiddens: record.number('num_hiddens', 8),
    numHeads: record.number('num_heads', 2),
    dropout: record.number('dropout', 0),
    bias: record.number('bias', 0) !== 0,
    querySize: record.number('query_size'),
    keySize: record.number('key_size'),
    valueSize: record.number('value_size'),
    seed: record.number('seed', 7),
  };
}

/** Lengths by sample, or of the shape that valid_lens_shape tells, or undefined. */
export function validLensOf(record) {
  const data = record.numbers('valid_lens');
  return data && { data, shape: record.numbers('valid_lens_shape') ?? [data.length] };
}
