// Files that break the rules of .npy: each is an error that says which.
import assert from 'node:assert/strict';
import test from 'node:test';
import { loadNpy, saveNpy, Tensor } from 'headwise';
import { assertFailsSoon, assertWorks } from '../lib/files.mjs';
import { dictionary, npyFile } from '../lib/npy.mjs';

const good = saveNpy(Tensor.ones([2, 3]));

/** Checks that a file of this dictionary and so many bytes of numbers is refused. */
const fails = (text, size, message, given) =>
  assertFailsSoon(
    loadNpy,
    npyFile(text, new Uint8Array(size), given),
    `bytes: expected ${message}`,
  );

test('every truncation and every addition', () => {
  for (let length = 0; length < good.length; length++) {
    assertFailsSoon(loadNpy, good.slice(0, length), /^bytes: expected /);
  }
  const message = 'a .npy file with as many bytes of numbers as its shape takes, got 25';
  assertFailsSoon(loadNpy, Uint8Array.of(...good, 0), `bytes: expected ${message}`);
});

test('first bytes and lengths that lie', () => {
  const change = (at, byte) => good.map((each, i) => (i === at ? byte : each));
  for (let at = 0; at < 6; at++) {
    assertFailsSoon(loadNpy, change(at, 0), 'bytes: expected a .npy file, got other bytes');
  }
  for (const version of [0, 4, 255]) {
    const message = `bytes: expected a .npy file of version 1, 2 or 3, got ${version}`;
    assertFailsSoon(loadNpy, change(6, version), message);
  }
  const text = dictionary("'<f4'", '(1,)');
  const room = text.length + 4;
  fails(text, 4, `a .npy header of at most ${room} bytes, got 65535`, { length: 65535 });
  for (const length of [room + 1, 2 ** 31, 2 ** 32 - 1]) {
    fails(text, 4, `a .npy header of at most ${room} bytes, got ${length}`, { version: 2, length });
  }
  const long = text + ' '.repeat(66_000);
  fails(long, 4, `a .npy header of at most 65524 bytes, got ${long.length}`, { version: 2 });
});

const at = (what, place, got) => `a .npy header with ${what} at byte ${place}, got ${got}`;
const keys = 'a .npy header of descr, fortran_order and shape, each once, got';

test('dictionaries that are none', () => {
  for (const [text, message] of [
    ['  ', at('{', 2, 'its end')],
    ['[]', at('{', 0, '[')],
    ['{   ', at('a string', 4, 'its end')],
    ['{}', `${keys} others`],
    ["{'descr': '<f4', 'fortran_order': False}", `${keys} others`],
    [`${dictionary("'<f4'", '()')}x`, `${keys} others`],
    ["{'descr': '<f4', 'descr': '<f4'}", `${keys} descr`],
    ["{'more': 1}", `${keys} more`],
    ['{descr: 1}', at('a string', 1, 'd')],
    ["{'descr' '<f4'}", at(':', 9, "'")],
    ["{'descr': '<f4' 'shape': ()}", at('}', 16, "'")],
    ["{'descr': '<f4", at('more', 14, 'its end')],
    ["{'descr': <f4}", at('a string', 10, '<')],
    ["{'fortran_order': 0}", at('False', 18, '0')],
    ["{'fortran_order': true}", at('False', 18, 't')],
    ["{'shape': [1]}", at('(', 10, '[')],
    ["{'shape': 1}", at('(', 10, '1')],
    ["{'shape': (-1,)}", at('an integer from 0 to 2^53', 11, '-')],
    ["{'shape': (1.0,)}", at(')', 12, '.')],
    ["{'shape': (01,)}", at('an integer from 0 to 2^53', 11, '0')],
    ["{'shape': (1L,)}", at(')', 12, 'L')],
    ["{'shape': (,)}", at('an integer from 0 to 2^53', 11, ',')],
    ["{'shape': (18446744073709551616,)}", at('an integer from 0 to 2^53', 11, '1')],
    [`{'shape': ${'('.repeat(60_000)}`, at('an integer from 0 to 2^53', 11, '(')],
    [
      `{'descr': '${'é'.repeat(20_000)}'}`,
      `a .npy file of floats, integers or booleans, got ${'?'.repeat(80)}`,
    ],
  ]) {
    fails(text, 0, message);
  }
});

test('types and shapes that are not taken', () => {
  for (const descr of [
    '|O',
    '<U4',
    '|S4',
    '|V8',
    '<c8',
    '<f16',
    '<M8[ns]',
    '<f1',
    '<i3',
    '<b1x',
    'f4',
    '',
    '!f4',
    '<F4',
    '<b2',
  ]) {
    fails(
      dictionary(`'${descr}'`, '(1,)'),
      4,
      `a .npy file of floats, integers or booleans, got ${descr}`,
    );
  }
  const structured = 'a .npy file of floats, integers or booleans, got a structured type';
  fails(dictionary("[('a', '<f4')]", '(1,)'), 4, structured);
  const asMany = 'a .npy file with as many bytes of numbers as its shape takes, got';
  for (const shape of ['()', '(2,)', '(0,)', '(1, 4)']) {
    fails(dictionary("'<f8'", shape), 4, `${asMany} 4`);
  }
  // Counts of 2^62, 2^64 and 2^96: times four they are 0 in 64 bits.
  for (const [size, count] of [
    [2 ** 31, 2],
    [2 ** 16, 4],
    [2 ** 24, 4],
    [2 ** 31, 60],
  ]) {
    const shape = `(${new Array(count).fill(size)})`;
    fails(dictionary("'<f4'", shape), 0, `${asMany} 0`);
    fails(dictionary("'<f4'", shape, 'True'), 4, `${asMany} 4`);
    fails(dictionary("'<f4'", shape.replace(')', ',0)')), 0, `${asMany} 0`);
  }
  const memory = 'a .npy file of at most 64 axes that memory can hold, got';
  fails(dictionary("'<f4'", '(4294967296, 0)'), 0, `${memory} 4294967296`);
  fails(dictionary("'<f4'", `(${'1,'.repeat(65)})`), 4, `${memory} 1`);
});

test('after all that the package works', () => {
  assertWorks();
  assert.deepEqual(loadNpy(good), Tensor.ones([2, 3]));
});
