// Files that break the format's rules: each is an error that says which, soon, and in little memory.
import assert from 'node:assert/strict';
import test from 'node:test';
import { loadSafetensors, saveSafetensors, Tensor } from 'headwise';
import { assertFailsSoon, assertWorks } from '../lib/files.mjs';
import { safetensorsFile } from '../lib/safetensors.mjs';

const good = saveSafetensors(
  {
    a: new Tensor([1, 2, 3, 4, 5, 6], [2, 3]),
    'é"': Tensor.full([], 7),
    none: Tensor.ones([0, 2]),
  },
  { format: 'pt' },
);
const goodHeader = Buffer.from(good.subarray(8, 8 + Number(Buffer.from(good).readBigUInt64LE())));

/** Checks that a file of this header and so many bytes of numbers is refused. */
function fails(header, size, message) {
  const file = safetensorsFile(header, new Uint8Array(size));
  assertFailsSoon(
    loadSafetensors,
    file,
    typeof message === 'string' ? `bytes: expected ${message}` : message,
  );
}

/** The same of a header that holds one tensor, `fields` its members as JSON or those to change. */
function failsFor(fields, size, message) {
  const all = { dtype: '"F32"', shape: '[2]', data_offsets: '[0,8]', ...fields };
  const members = Object.entries(all).map(([name, json]) => `"${name}":${json}`);
  const json = typeof fields === 'string' ? fields : `{${members.join(',')}}`;
  fails(`{"a":${json}}`, size, message);
}

const entry = (begin, end, shape = [(end - begin) / 4]) => {
  return { dtype: 'F32', shape, data_offsets: [begin, end] };
};

test('every truncation and every addition', () => {
  for (let length = 0; length < good.length; length++) {
    assertFailsSoon(loadSafetensors, good.slice(0, length), /^bytes: expected /);
  }
  for (const byte of [0, 32, 10, 125, 255]) {
    const message = 'bytes: expected 28 bytes of tensors, got 29';
    assertFailsSoon(loadSafetensors, Uint8Array.of(...good, byte), message);
  }
});

test('lengths that lie', () => {
  const numbers = good.subarray(8 + goodHeader.length);
  const room = good.length - 8;
  for (const length of [
    room + 1,
    2 ** 31,
    2 ** 32,
    2 ** 32 + goodHeader.length,
    2n ** 63n,
    2n ** 64n - 1n,
  ]) {
    const file = safetensorsFile(goodHeader, numbers, length);
    const message = `bytes: expected a safetensors header of at most ${room} bytes, got ${length}`;
    assertFailsSoon(loadSafetensors, file, message);
  }
  for (let length = 0; length <= room; length++) {
    if (length === goodHeader.length) continue;
    assertFailsSoon(loadSafetensors, safetensorsFile(goodHeader, numbers, length), /^bytes: /);
  }
  const large = new Uint8Array(100_000_020);
  new DataView(large.buffer).setUint32(0, 100_000_001, true);
  const message = 'bytes: expected a safetensors header of at most 100000000 bytes, got 100000001';
  assertFailsSoon(loadSafetensors, large, message);
});

test('texts that are not UTF-8', () => {
  for (const bytes of [
    ...[[0xff], [0x80], [0xc0, 0x80], [0xc1, 0xbf], [0xc3], [0xc3, 0x28], [0xe0, 0x80, 0x80]],
    ...[
      [0xe2, 0x82],
      [0xed, 0xa0, 0x80],
      [0xed, 0xbf, 0xbf],
      [0xf0, 0x80, 0x80, 0x80],
    ],
    ...[[0xf4, 0x90, 0x80, 0x80], [0xf5, 0x80, 0x80, 0x80], [0xf0, 0x9f, 0x98], [0xfe], [0xf8]],
  ]) {
    const header = Buffer.concat([Buffer.from('{"'), Buffer.from(bytes), Buffer.from('":0}')]);
    fails(header, 0, 'a safetensors header in UTF-8, got other bytes');
    fails(Uint8Array.from(bytes), 0, 'a safetensors header in UTF-8, got other bytes');
  }
});

const asMany = (got) => `tensor 'a' in as many bytes as its shape takes, got ${got}`;
const anInteger = 'an integer from 0 to 2^53';
/** Where the shape of `failsFor` stands. */
const shapeAt = '{"a":{"dtype":"F32","shape":'.length;
const at = (what, place, got) => `a safetensors header with ${what} at byte ${place}, got ${got}`;

test('JSON that is none', () => {
  for (const [json, message] of [
    ['', at('{', 0, 'its end')],
    [' {}', at('{', 0, ' ')],
    ['\ufeff{}', at('{', 0, '?')],
    ['[]', at('{', 0, '[')],
    ['null', at('{', 0, 'n')],
    ['{', at('a string', 1, 'its end')],
    ['{}}', at('nothing behind its object', 2, '}')],
    ['{}{}', at('nothing behind its object', 2, '{')],
    ['{}\0\0', at('nothing behind its object', 2, '?')],
    ['{,}', at('a string', 1, ',')],
    ["{'a':{}}", at('a string', 1, "'")],
    ['{a:{}}', at('a string', 1, 'a')],
    ['{"a" {}}', at(':', 5, '{')],
    ['{"a"', at(':', 4, 'its end')],
    ['{"a":}', at('{', 5, '}')],
    ['{"a', at('more', 3, 'its end')],
    ['{"a\n":{}}', at('control characters escaped', 4, '"')],
    ['{"\\x":{}}', at("one of JSON's escapes", 4, '"')],
    ['{"\\u12g4":{}}', at('four hexadecimal digits', 7, '4')],
    ['{"\\ud800":{}}', at('a pair of surrogates', 8, '"')],
    ['{"\\ud800\\u0041":{}}', at('a pair of surrogates', 14, '"')],
    ['{"\\udc00\\ud800":{}}', at('a pair of surrogates', 8, '\\')],
    ['{"__metadata__":{"a":"b",}}', at('a string', 25, '}')],
    ['{"__metadata__":{"a":"b"}/**/}', at(',', 25, '/')],
    ['{"__metadata__":{"a":1}}', at('a string', 21, '1')],
    ['{"__metadata__":{"a":{"b":"c"}}}', at('a string', 21, '{')],
    ['{"__metadata__":"a"}', at('{', 16, '"')],
    ['{"__metadata__":null}', at('{', 16, 'n')],
    ['{"a":[]}', at('{', 5, '[')],
    ['{"a":"F32"}', at('{', 5, '"')],
  ]) {
    fails(json, 0, message);
  }
});

test('a million bytes of nesting, lists and texts', () => {
  const million = (text) => text.repeat(1e6 / text.length);
  const each = "tensor 'a' with dtype, shape and data_offsets, each once, got a";
  fails(million('['), 0, at('{', 0, '['));
  fails(million('{"a":'), 0, each);
  fails(million('{'), 0, at('a string', 1, '{'));
  fails(`{"__metadata__":${million('[')}`, 0, at('{', 16, '['));
  failsFor({ shape: million('[') }, 8, at(anInteger, shapeAt + 1, '['));
  failsFor({ shape: `[${million('1,')}]` }, 8, at(anInteger, shapeAt + 1 + 1e6, ']'));
  failsFor({ shape: `[${million('1,')}1]` }, 8, asMany(8));
  const text = `"${million('\\u0046')}"`;
  failsFor({ dtype: text }, 8, `tensor 'a' of one of the format's dtypes, got ${'F'.repeat(80)}`);
  const all = `tensor '${'F'.repeat(80)}' with dtype, shape and data_offsets, got not all of them`;
  fails(`{${text}:{}}`, 0, all);
});

test('names that are there twice', () => {
  const [json, e] = [JSON.stringify(entry(0, 4)), JSON.stringify(entry(4, 8))];
  const twice = (name) => `every name once in a safetensors header, got '${name}' twice`;
  fails(`{"a":${json},"a":${e}}`, 8, twice('a'));
  fails(`{"a":${json},"\\u0061":${e}}`, 8, twice('a'));
  fails(`{"a":${json},"b":${e},"a":${json}}`, 8, twice('a'));
  fails(`{"😀":${json},"\\ud83d\\ude00":${e}}`, 8, twice('????'));
  fails(`{"":${json},"":${e}}`, 8, twice(''));
  fails('{"__metadata__":{"a":"1","\\u0061":"1"}}', 0, twice('a'));
  fails('{"__metadata__":{},"__metadata\\u005f_":{}}', 0, twice('__metadata__'));
});

test('fields of tensors', () => {
  const each = "tensor 'a' with dtype, shape and data_offsets, each once, got";
  const all = "tensor 'a' with dtype, shape and data_offsets, got not all of them";
  failsFor('{}', 0, all);
  failsFor('{"dtype":"F32","shape":[]}', 4, all);
  failsFor('{"dtype":"F32","data_offsets":[0,4]}', 4, all);
  failsFor('{"shape":[],"data_offsets":[0,4]}', 4, all);
  failsFor({ more: '1' }, 8, `${each} more`);
  failsFor({ 'd\\u0074ype': '"F32"' }, 8, `${each} dtype`);
  failsFor({ __proto__x: '{}' }, 8, `${each} __proto__x`);
  failsFor({ dtype: '32' }, 8, at('a string', 14, '3'));
  failsFor({ dtype: 'null' }, 8, at('a string', 14, 'n'));
  for (const dtype of [
    'f32',
    'F128',
    'I4',
    'F8',
    'F8_E4M3FN',
    'bool',
    'BOOL\\u0000',
    'F32 ',
    ' F32',
    'F3',
    '',
    'é',
  ]) {
    const got = dtype.replace('é', '??').replace('\\u0000', '?');
    failsFor({ dtype: `"${dtype}"` }, 8, `tensor 'a' of one of the format's dtypes, got ${got}`);
  }
  for (const list of ['"2"', '2', '{}', 'null', 'true', '(2)']) {
    failsFor({ shape: list }, 8, at('[', shapeAt, list[0]));
    failsFor({ data_offsets: list }, 8, /^bytes: expected a safetensors header with \[ at byte /);
  }
  for (const number of [
    ...['-2', '+2', '"2"', 'null', '.5', '[2]', 'NaN', '02', '00', '-0', 'Infinity'],
    ...['9007199254740993', '18446744073709551616', '18446744073709551618', '9'.repeat(1000)],
  ]) {
    failsFor({ shape: `[${number}]` }, 8, at(anInteger, shapeAt + 1, number[0]));
    failsFor({ data_offsets: `[0,${number}]` }, 8, /an integer from 0 to 2\^53 at byte 50, got/);
  }
  for (const number of ['2.0', '2e0', '2E', '0x2', '2n']) {
    failsFor({ shape: `[${number},1]` }, 8, at(',', shapeAt + 2, number[1]));
  }
  failsFor({ shape: '[2,]' }, 8, at(anInteger, shapeAt + 3, ']'));
  failsFor({ shape: '[2 2]' }, 8, at(',', shapeAt + 3, '2'));
});

test('places of tensors', () => {
  for (const [offsets, count] of [
    ['[]', 0],
    ['[8]', 1],
    ['[0,8,8]', 3],
    ['[0,0,8]', 3],
  ]) {
    failsFor({ data_offsets: offsets }, 8, `tensor 'a' with two data_offsets, got ${count}`);
  }
  const within = (size, got) => `tensor 'a' to lie within ${size} bytes, got ${got}`;
  failsFor({}, 7, within(7, '0 to 8'));
  failsFor({}, 0, within(0, '0 to 8'));
  failsFor({ data_offsets: '[8,0]' }, 8, within(8, '8 to 0'));
  failsFor({ data_offsets: '[9,17]' }, 8, within(8, '9 to 17'));
  failsFor({ data_offsets: '[0,9007199254740992]' }, 8, within(8, '0 to 9007199254740992'));
  failsFor(
    { data_offsets: '[9007199254740984,9007199254740992]' },
    8,
    within(8, '9007199254740984 to 9007199254740992'),
  );
  failsFor({}, 9, '8 bytes of tensors, got 9');
  fails('{}', 1, '0 bytes of tensors, got 1');
  const begins = (name, got) =>
    `tensor '${name}' to begin where the one before it ends, got ${got}`;
  failsFor({ data_offsets: '[1,9]' }, 9, begins('a', 1));
  fails({ a: entry(0, 8), b: entry(4, 12) }, 12, begins('b', 4));
  fails({ a: entry(0, 8), b: entry(0, 8) }, 8, /to begin where the one before it ends, got 0$/);
  fails({ a: entry(8, 12), b: entry(0, 4) }, 12, begins('a', 8));
  fails({ a: entry(0, 12), b: entry(4, 8) }, 12, begins('b', 4));
  fails({ a: entry(0, 8), b: entry(4, 4) }, 8, begins('b', 4));
  fails({ a: entry(4, 8) }, 8, begins('a', 4));
});

test('shapes that do not fit their bytes, of whatever size', () => {
  for (const shape of ['[]', '[1]', '[3]', '[2,2]', '[0]', '[2,0]', '[8]'])
    failsFor({ shape }, 8, asMany(8));
  failsFor({ dtype: '"F16"' }, 8, asMany(8));
  failsFor({ dtype: '"BF16"', shape: '[2]' }, 8, asMany(8));
  for (const [dtype, count] of [
    ...['BOOL', 'I8', 'U8', 'F8_E4M3', 'F8_E5M2', 'F8_E8M0', 'F8_E4M3FNUZ', 'F8_E5M2FNUZ'].map(
      (each) => [each, 8],
    ),
    ...['I16', 'U16', 'F16', 'BF16'].map((each) => [each, 4]),
    ...['I32', 'U32', 'F32'].map((each) => [each, 2]),
    ...['I64', 'U64', 'F64', 'C64'].map((each) => [each, 1]),
    ['F4', 16],
  ]) {
    for (const shape of [`[${count + 1}]`, `[${count - 1},1]`, `[2,${count}]`, '[0]']) {
      failsFor({ dtype: `"${dtype}"`, shape }, 8, asMany(8));
    }
  }
  // Numbers of 4 and 6 bits that fill no whole bytes, or more bits than 64 bits count.
  for (const shape of ['[15]', '[17]', '[3,5]', '[1]']) {
    failsFor({ dtype: '"F4"', shape }, 8, asMany(8));
    failsFor({ dtype: '"F6_E2M3"', shape }, 8, asMany(8));
  }
  for (const shape of ['[10]', '[11]', '[12]']) {
    failsFor({ dtype: '"F6_E3M2"', shape }, 8, asMany(8));
  }
  const many = '[2147483648,2147483648,4]';
  failsFor({ dtype: '"F4"', shape: many, data_offsets: '[0,0]' }, 0, asMany(0));
  // Products of 2^62, 2^64 and 2^96: times four they are 0 in 64 bits.
  for (const [size, count] of [
    [2 ** 31, 2],
    [2 ** 16, 4],
    [2 ** 24, 4],
    [2 ** 31, 60],
    [4294967295, 4],
  ]) {
    const shape = JSON.stringify(new Array(count).fill(size));
    failsFor({ shape, data_offsets: '[0,0]' }, 0, asMany(0));
    failsFor({ shape }, 8, asMany(8));
    const empty = shape.replace(']', ',0]');
    failsFor({ shape: empty, data_offsets: '[0,0]' }, 0, asMany(0));
  }
  for (const size of [2 ** 32, 2 ** 53]) {
    failsFor(
      { shape: `[${size},0]`, data_offsets: '[0,0]' },
      0,
      `tensor 'a' of a shape that memory can hold, got ${size}`,
    );
  }
});

test('after all that the package works', () => {
  assertWorks();
  assert.deepEqual(loadSafetensors(good).tensors.a.toArray(), [
    [1, 2, 3],
    [4, 5, 6],
  ]);
});
