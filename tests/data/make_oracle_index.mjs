// Writes oracle/index.txt: what the native tests need of oracle/cases.json, in a format that they
// read without a JSON library (see tests/native/records.hpp). `node tests/data/make_oracle_index.mjs`
import { readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const folder = new URL('oracle/', import.meta.url);
export const indexFile = new URL('index.txt', folder);

const isScalar = (value) => typeof value === 'number' || typeof value === 'boolean';

export function oracleIndex() {
  const { cases } = JSON.parse(readFileSync(new URL('cases.json', folder), 'utf8'));
  return cases
    .map(({ name, op, file, attrs, expect }) =>
      [
        `name ${name}`,
        `op ${op}`,
        `file ${file}`,
        ...Object.entries(attrs)
          .filter(([, value]) => isScalar(value))
          .map(([attribute, value]) => `${attribute} ${Number(value)}`),
        ...Object.entries(expect).map(([tensor, { atol }]) => `atol ${tensor} ${atol}`),
        '',
      ].join('\n'),
    )
    .join('\n');
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  writeFileSync(indexFile, oracleIndex());
}
