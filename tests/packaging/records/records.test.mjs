// What is made of bindings/records/table.mjs: in JavaScript by the step `records`, in C++ by the
// WebAssembly builds.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { pathToFileURL } from 'node:url';
import { generate } from '../../../bindings/records/generate.mjs';
import * as table from '../../../bindings/records/table.mjs';
import { fromRoot } from '../../../scripts/lib/files.mjs';

const generated = await import(pathToFileURL(fromRoot('build/generated/records.js')).href);
const header = readFileSync(fromRoot('build/wasm/bindings/wasm/generated/records.hpp'), 'utf8');

const lowerFirst = (name) => name[0].toLowerCase() + name.slice(1);
const camel = (name) =>
  name.replaceAll(/(?<=[a-z]{2})_([a-z])/g, (_, begin) => begin.toUpperCase());
const namesOf = (text, line) => [...text.matchAll(line)].map(([, name]) => camel(name));

/** Words of what C++ declares. */
function wordsOf(type) {
  const [, count] = /^std::array<std::size_t, (\d+)>$/.exec(type) ?? [];
  return count ? Number(count) : type === 'Wide' ? 2 : (generated[lowerFirst(type)]?.words ?? 1);
}

/** The body of the struct or of the function that begins so. */
function bodyOf(begin) {
  const start = header.indexOf(`${begin} {\n`);
  assert.notEqual(start, -1, begin);
  return header.slice(start, header.indexOf('\n}', start));
}

for (const [name, description] of Object.entries({ ...table.elements, ...table.records })) {
  test(`${name} has its fields at the same places in JavaScript and in C++`, () => {
    const kind = generated[lowerFirst(name)];
    const record = {};
    const expected = [];
    for (const [, type, member] of bodyOf(`struct ${name}`).matchAll(/^ {2}(.+?) (\w+);$/gm)) {
      const offset = expected.length;
      const asserted = `static_assert(offsetof(${name}, ${member}) == ${4 * offset});`;
      assert.ok(member === 'words' || header.includes(asserted), asserted);
      if (member === 'words') {
        expected.push(kind.words);
      } else if (type === 'Flag') {
        record[camel(member)] = true;
        expected.push(1);
      } else {
        // Of every word another number.
        const words = Array.from({ length: wordsOf(type) }, (_, i) => 100 + offset + i);
        record[camel(member)] = words.length === 1 ? words[0] : words;
        expected.push(...words);
      }
    }
    assert.deepEqual(Object.keys(record), Object.keys(description));
    // Flags become integers where they are stored.
    assert.deepEqual(kind.pack(record).map(Number), expected);
    assert.equal(kind.words, expected.length);
    assert.ok(header.includes(`static_assert(sizeof(${name}) == ${4 * kind.words});`));
  });
}

const blockTypes = {
  size: 'std::size_t',
  flag: 'Flag',
  wide: 'Wide',
  number: 'Number',
  'void*': 'void*',
};

for (const [name, description] of Object.entries(table.blocks)) {
  test(`${name} lies in C++ as JavaScript writes it`, () => {
    assert.deepEqual(Object.keys(generated[lowerFirst(name)]), Object.keys(description));
    const members = [...bodyOf(`struct ${name}`).matchAll(/^ {2}(.+?) (\w+);$/gm)];
    assert.deepEqual(
      members.map(([, type, member]) => [camel(member), type]),
      Object.entries(description).map(([field, kind]) => [field, blockTypes[kind]]),
    );
    const words = members.reduce(
      (sum, [, type]) => sum + (['Wide', 'Number'].includes(type) ? 2 : 1),
      0,
    );
    assert.ok(header.includes(`static_assert(sizeof(${name}) == ${4 * words});`));
  });
}

for (const group of ['requests', 'responses']) {
  test(`${group} are written in the order in which they are read`, () => {
    for (const [name, description] of Object.entries(table[group])) {
      const fields = Object.keys(generated[lowerFirst(name)]);
      assert.deepEqual(fields, Object.keys(description), name);
      const function_ =
        group === 'requests'
          ? `void read(MessageReader& stream, ${name}& message)`
          : new RegExp(`void write\\(MessageWriter& stream, const ${name}\\b.*& message\\)`).exec(
              header,
            )[0];
      assert.deepEqual(namesOf(bodyOf(function_), /^ {2}.*?message\.(\w+)/gm), fields, name);
    }
  });
}

test('both languages were built of the same table', () => {
  const texts = generate();
  assert.equal(header, texts['records.hpp']);
  assert.equal(readFileSync(fromRoot('build/generated/records.js'), 'utf8'), texts['records.js']);
});

test('a kind of field that there is not is refused', () => {
  const broken = { elements: {}, records: {}, blocks: {}, requests: {}, responses: {} };
  for (const group of Object.keys(broken)) {
    assert.throws(() => generate({ ...broken, [group]: { Odd: { field: 'sizes?' } } }), /sizes\?/);
  }
  assert.throws(() => generate({ ...broken, blocks: { Odd: { field: 'sizes' } } }), /sizes/);
});
