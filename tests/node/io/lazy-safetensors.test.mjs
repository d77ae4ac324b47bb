// When which parts of a safetensors file are read and converted: from memory, a Blob and a file.
import assert from 'node:assert/strict';
import test from 'node:test';
import { init, loadSafetensors, saveSafetensors, Tensor } from 'headwise';
import { assertFails, assertRejects } from '../lib/compare.mjs';
import { bitsOf } from '../lib/files.mjs';
import { safetensorsFile } from '../lib/safetensors.mjs';
import { bytesIn, countedBlob, countedHandle, handleOn, openFile } from '../lib/sources.mjs';

await init();

/** Bits of a number of each dtype, which are the bytes of eight numbers. */
const bits = {
  ...{ F32: 32, F16: 16, BF16: 16, F64: 64, BOOL: 8, I8: 8, I16: 16, I32: 32, I64: 64, U8: 8 },
  ...{ U16: 16, U32: 32, U64: 64, F8_E5M2: 8, F8_E4M3: 8, F8_E5M2FNUZ: 8, F8_E4M3FNUZ: 8 },
  ...{ F8_E8M0: 8, C64: 64, F6_E2M3: 6, F6_E3M2: 6, F4: 4 },
};
let end = 0;
/** In another order than their numbers. */
const entries = Object.fromEntries(
  Object.entries(bits)
    .map(([dtype, size]) => [
      `of.${dtype}`,
      { dtype, shape: [2, 4], data_offsets: [end, (end += size)] },
    ])
    .reverse(),
);
const metadata = { format: 'pt' };
const file = safetensorsFile(
  { __metadata__: metadata, ...entries },
  Uint8Array.from({ length: end }, (_, i) => i * 37),
);
const headerSize = file.length - end;
const names = Object.keys(entries);
const unreadNames = ['of.F4', 'of.F6_E3M2', 'of.F6_E2M3', 'of.C64'];
const readable = names.filter((name) => !unreadNames.includes(name));
const inWholeBytes = (name) =>
  `bytes: expected tensor '${name}' of real numbers in whole bytes, got ${entries[name].dtype}`;

/** Sources that are read in parts, and note which. */
const sources = {
  'a Blob': () => countedBlob(file),
  'a FileHandle': async (t) => countedHandle(await openFile(t, file)),
  'a FileHandle that reads 5 bytes at a time': async (t) =>
    countedHandle(await openFile(t, file), 5),
};

/** Checks what the header tells without further reads. */
function checkHeader(loaded) {
  assert.deepEqual(loaded.names, names);
  assert.deepEqual(loaded.metadata, metadata);
  assert.deepEqual(Object.keys(loaded.tensors), names);
  const { dtype, shape } = loaded;
  for (const name of names) {
    assert.equal(dtype(name), entries[name].dtype);
    assert.deepEqual(shape(name), entries[name].shape);
    assert.throws(() => shape(name).push(1), TypeError);
  }
  for (const call of [dtype, shape]) {
    const unknown = (name) => `name: expected the name of a tensor in the file, got '${name}'`;
    const long = `of.${'a'.repeat(100)}`;
    for (const name of ['of.f16', '', 'toString', '__proto__', long]) {
      assertFails(() => call(name), 'invalid-value', unknown(name));
    }
    assertFails(() => call(1), 'invalid-type', 'name: expected a string, got 1');
    assertFails(() => call(), 'invalid-type', 'name: expected a string, got undefined');
  }
}

async function checkNames(read) {
  const fails = (given, code, message) => assertRejects(() => read(given), code, message);
  const array = 'names: expected an array of names, got';
  await fails('of.F32', 'invalid-type', `${array} "of.F32"`);
  await fails(null, 'invalid-type', `${array} null`);
  await fails(new Set(['of.F32']), 'invalid-type', `${array} a Set`);
  await fails(['of.F32', 7], 'invalid-type', `${array} 7 in it`);
  const inFile = 'names: expected names of tensors in the file, got';
  await fails(['b', 'of.F32', 'a', 'b'], 'invalid-value', `${inFile} 'b', 'a'`);
}

test('from memory: a tensor is converted on first access, and kept', async () => {
  const bytes = file.slice();
  const loaded = loadSafetensors(bytes);
  checkHeader(loaded);
  await checkNames(loaded.read);
  const all = await loaded.read(readable);
  assert.deepEqual(Object.keys(all), readable);
  const before = loaded.tensors['of.F32'];
  assert.equal(loaded.tensors['of.F32'], before);
  assert.equal((await loaded.read(['of.F32']))['of.F32'], before);
  bytes.fill(0xff, headerSize);
  assert.equal(loaded.tensors['of.F32'], before);
  assert.deepEqual(bitsOf(before), bitsOf(all['of.F32']));
  // A tensor that was not read before is made of the changed bytes.
  assert.deepEqual(loaded.tensors['of.I8'].data, new Int8Array(8).fill(-1));
  for (const name of unreadNames) {
    assertFails(() => loaded.tensors[name], 'invalid-file', inWholeBytes(name));
    await assertRejects(() => loaded.read([name]), 'invalid-file', inWholeBytes(name));
  }
  await assertRejects(() => loaded.read(), 'invalid-file', /of real numbers in whole bytes/);
});

test('from memory: once the bytes are gone, tensors that were not read yet are errors', async () => {
  const lost = `bytes: expected the ${file.length} bytes of the file to be kept, got a buffer that was transferred or made smaller`;
  const resizable = new ArrayBuffer(file.length, { maxByteLength: 2 * file.length });
  new Uint8Array(resizable).set(file);
  const { tensors: ofLonger } = loadSafetensors(resizable);
  resizable.resize(2 * file.length);
  assert.deepEqual(ofLonger['of.U8'], loadSafetensors(file).tensors['of.U8']);
  resizable.resize(file.length);

  const transfer = ({ buffer }) => structuredClone(buffer, { transfer: [buffer] });
  const [first, second] = [file.slice(), file.slice()];
  for (const [given, lose] of [
    [first.buffer, () => transfer(first)],
    [second, () => transfer(second)],
    [resizable, () => resizable.resize(file.length - 1)],
  ]) {
    const { tensors, read, names: told, dtype } = loadSafetensors(given);
    const before = tensors['of.U8'];
    lose();
    assert.equal(tensors['of.U8'], before);
    assertFails(() => tensors['of.F32'], 'invalid-file', lost);
    await assertRejects(() => read(['of.I8']), 'invalid-file', lost);
    assert.deepEqual([told.length, dtype('of.I8')], [names.length, 'I8']);
  }
});

for (const [kind, open] of Object.entries(sources)) {
  test(`from ${kind}: the header is read, then each requested tensor, once`, async (t) => {
    const source = await open(t);
    const { parts } = source;
    const loaded = await loadSafetensors(source);
    assert.equal(bytesIn(parts), headerSize);
    checkHeader(loaded);
    await checkNames(loaded.read);
    assert.equal(bytesIn(parts), headerSize);

    const { tensors } = loadSafetensors(file);
    let read = headerSize;
    for (const name of readable) {
      const promise = loaded.tensors[name];
      assert.ok(promise instanceof Promise);
      assert.equal(loaded.tensors[name], promise);
      assert.deepEqual(await promise, tensors[name], name);
      assert.equal((await promise).constructor, tensors[name].constructor);
      assert.equal((await loaded.read([name, name]))[name], await promise);
      read += bits[entries[name].dtype];
      assert.equal(bytesIn(parts), read, name);
    }
    for (const name of unreadNames) {
      await assertRejects(() => loaded.tensors[name], 'invalid-file', inWholeBytes(name));
      await assertRejects(() => loaded.read([name]), 'invalid-file', inWholeBytes(name));
    }
    assert.equal(bytesIn(parts), read);

    // What `read` returns is not kept.
    const { read: readNames } = await loadSafetensors(source);
    read = bytesIn(parts);
    const wanted = ['of.F16', 'of.BOOL'];
    for (const times of [1, 2]) {
      const { 'of.F16': halves, 'of.BOOL': booleans } = tensors;
      assert.deepEqual(await readNames(wanted), { 'of.F16': halves, 'of.BOOL': booleans });
      assert.equal(bytesIn(parts), read + times * 24);
    }
    assert.deepEqual(await readNames([]), {});
  });
}

test('members of the dictionary can be assigned and deleted', async () => {
  const names = ['a', 'c', '__proto__'];
  const all = Object.fromEntries(names.map((name, i) => [name, Tensor.ones([i])]));
  const { tensors: dict } = loadSafetensors(saveSafetensors(all));
  assert.deepEqual({ ...dict }, all);
  dict.a = 'another';
  delete dict.c;
  assert.equal(dict.a, 'another');
  assert.deepEqual(Object.keys(dict).sort(), ['__proto__', 'a']);
});

test('a large tensor is read in pieces', async (t) => {
  const piece = 2 ** 24;
  const count = piece + 5;
  const numbers = new Uint8Array(3 * count);
  // 1 and 2 in BF16 on either side of a piece's end, and 3 at the end.
  numbers.set([0x80, 0x3f, 0x00, 0x40], piece - 2);
  numbers.set([0x40, 0x40], 2 * count - 2);
  const ofBytes = numbers.subarray(2 * count);
  ofBytes.set([1, 2], piece - 1);
  ofBytes[count - 1] = 3;
  const start = safetensorsFile({
    a: { dtype: 'BF16', shape: [count], data_offsets: [0, 2 * count] },
    b: { dtype: 'U8', shape: [count], data_offsets: [2 * count, 3 * count] },
    none: { dtype: 'I64', shape: [0], data_offsets: [3 * count, 3 * count] },
  });
  const handle = await openFile(t, start);
  await handle.write(numbers, 0, numbers.length, start.length);
  const counted = countedHandle(handle);
  const { a, b, none } = await (await loadSafetensors(counted)).read();
  assert.ok(Math.max(...counted.parts.map(([begin, end]) => end - begin)) <= piece);
  const half = piece / 2;
  assert.deepEqual([a.at(half - 1), a.at(half), a.at(count - 1), a.at(0)], [1, 2, 3, 0]);
  assert.ok(Buffer.from(b.data).equals(ofBytes));
  assert.deepEqual(none, { dtype: 'I64', data: new BigInt64Array(), shape: [0] });
});

const good = saveSafetensors({ a: Tensor.ones([2, 3]), b: Tensor.ones([2]) }, { format: 'pt' });
const goodHeader = good.length - 32;

test('a file that changes after its header was read is an error of later reads', async (t) => {
  for (const size of [good.length - 1, goodHeader, 0, good.length + 1]) {
    const handle = await openFile(t, good);
    const { tensors, read } = await loadSafetensors(handle);
    const before = await tensors.a;
    await handle.truncate(size);
    const message = `bytes: expected a file of ${good.length} bytes, as it had before, got ${size}`;
    await assertRejects(() => tensors.b, 'invalid-file', message);
    await assertRejects(() => read(['b']), 'invalid-file', message);
    assert.equal(await tensors.a, before);
    await handle.truncate(good.length);
    assert.equal((await tensors.b).shape[0], 2);
  }
  // A file that ends too early although `stat` says otherwise.
  for (let size = 0; size < good.length; size++) {
    const handle = {
      ...handleOn(good.subarray(0, size)),
      stat: async () => ({ size: good.length }),
    };
    const load = async () => (await loadSafetensors(handle)).read();
    await assertRejects(
      load,
      'invalid-file',
      /^bytes: expected \d+ bytes at byte \d+ of the file, got \d+$/,
    );
  }
});

const boom = new Error('the disk is gone');
const gone = 'bytes: expected a file that can be read, got an error: the disk is gone';
const reject = async () => {
  throw boom;
};
const fail = () => {
  throw boom;
};

test('a source that fails is an error, and may work later', async () => {
  const size = good.length;
  const part = (arrayBuffer) => ({ size, slice: () => ({ arrayBuffer }) });
  for (const [source, message] of [
    [{ size, slice: fail }, gone],
    [{ size, slice: () => undefined }, /^bytes: expected a file that can be read, got an error: /],
    [part(reject), gone],
    [part(async () => new ArrayBuffer(7)), 'bytes: expected 8 bytes at byte 0 of the file, got 7'],
    [part(async () => new ArrayBuffer(9)), 'bytes: expected 8 bytes at byte 0 of the file, got 9'],
    [handleOn(good, { stat: reject }), gone],
    [handleOn(good, { read: fail }), gone],
    [handleOn(good, { read: async () => null }), /^bytes: expected a file that can be read, got /],
    ...[-1, 0, NaN, 0.5, 9, Infinity, '8', undefined].map((bytesRead) => [
      handleOn(good, { read: async () => ({ bytesRead }) }),
      'bytes: expected 8 bytes at byte 0 of the file, got 0',
    ]),
    ...[-1, NaN, 0.5, '8'].map((told) => [
      handleOn(good, { stat: async () => ({ size: told }) }),
      `bytes: expected a file that tells its size, got ${typeof told === 'string' ? '"8"' : told}`,
    ]),
    [
      handleOn(good, {
        read: async (buffer) => {
          structuredClone(buffer, { transfer: [buffer.buffer] });
          return { bytesRead: 8 };
        },
      }),
      'bytes: expected 8 bytes at byte 0 of the file, got 0',
    ],
  ]) {
    await assertRejects(() => loadSafetensors(source), 'invalid-file', message);
  }
  await assertRejects(
    () => loadSafetensors(part(async () => 'text')),
    'invalid-type',
    'bytes: expected a Uint8Array or an ArrayBuffer, got "text"',
  );

  let works = true;
  const { read } = handleOn(good);
  const flaky = handleOn(good, { read: (...given) => (works ? read(...given) : reject()) });
  const loaded = await loadSafetensors(flaky);
  works = false;
  // A rejection that nobody awaits must not end the program.
  void loaded.tensors.b;
  await assert.rejects(loaded.tensors.a, { code: 'invalid-file', message: gone, cause: boom });
  await assert.rejects(loaded.read(['a']), { code: 'invalid-file', message: gone, cause: boom });
  works = true;
  assert.deepEqual(await loaded.tensors.a, Tensor.ones([2, 3]));
  assert.deepEqual(Object.keys(await loaded.read()), loaded.names);
});
