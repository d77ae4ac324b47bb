// What of a safetensors file is read and converted when, from memory, a Blob and a file.
import assert from 'node:assert/strict';
import test from 'node:test';
import { init, loadSafetensors, MultiHeadAttention, saveSafetensors, Tensor } from 'headwise';
import { assertFails, assertRejects } from '../lib/compare.mjs';
import { bitsOf, specialNumbers } from '../lib/files.mjs';
import { safetensorsFile } from '../lib/safetensors.mjs';
import { bytesIn, countedBlob, countedHandle, handleOn, openFile } from '../lib/sources.mjs';

await init();

const sizes = {
  ...{ F32: 4, F16: 2, BF16: 2, F64: 8, BOOL: 1, I8: 1, I16: 2, I32: 4, I64: 8, U8: 1, U16: 2 },
  ...{ U32: 4, U64: 8, F8_E5M2: 1, F8_E4M3: 1, F8_E5M2FNUZ: 1, F8_E4M3FNUZ: 1, F8_E8M0: 1 },
};
/** Of six numbers, how many bytes; these are not read. */
const unread = { C64: 48, F6_E2M3: undefined, F6_E3M2: undefined, F4: 3 };

/** A file with a tensor of each dtype, (2, 3) or (4), in an order of its own. */
function fileOfAll() {
  let end = 0;
  const entries = {};
  const add = (dtype, shape, size) => {
    entries[`of.${dtype}`] = { dtype, shape, data_offsets: [end, (end += size)] };
  };
  for (const [dtype, size] of Object.entries(sizes)) add(dtype, [2, 3], 6 * size);
  for (const [dtype, size] of Object.entries(unread)) {
    add(dtype, size === undefined ? [4] : [2, 3], size ?? 3);
  }
  const header = {
    __metadata__: { format: 'pt' },
    ...Object.fromEntries(Object.entries(entries).reverse()),
  };
  return {
    header,
    file: safetensorsFile(
      header,
      Uint8Array.from({ length: end }, (_, i) => i * 37),
    ),
  };
}

const { header, file } = fileOfAll();
const { __metadata__: metadata, ...entries } = header;
const names = Object.keys(entries);
const readable = names.filter((name) => entries[name].dtype in sizes);
const headerSize = 8 + Buffer.byteLength(JSON.stringify(header));
const sizeOf = (name) => entries[name].data_offsets[1] - entries[name].data_offsets[0];
const inWholeBytes = (name) =>
  `bytes: expected tensor '${name}' of real numbers in whole bytes, got ${entries[name].dtype}`;
const unreadNames = names.filter((name) => !readable.includes(name));

/** The file as each kind of source that is read in parts, and the parts that were. */
const sources = {
  'a Blob': async () => {
    const blob = countedBlob(file);
    return { source: blob, parts: blob.parts };
  },
  'a FileHandle': async (t) => {
    const source = countedHandle(await openFile(t, file));
    return { source, parts: source.parts };
  },
  'a FileHandle that reads 5 bytes at a time': async (t) => {
    const source = countedHandle(await openFile(t, file), 5);
    return { source, parts: source.parts };
  },
};

/** Checks what costs nothing. */
function assertTells(loaded) {
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

async function assertReadsOnlyNames(read) {
  const fails = (given, code, message) => assertRejects(() => read(given), code, message);
  const array = 'names: expected an array of names, got';
  await fails('of.F32', 'invalid-type', `${array} "of.F32"`);
  await fails(null, 'invalid-type', `${array} null`);
  await fails(new Set(['of.F32']), 'invalid-type', `${array} an object`);
  await fails(['of.F32', 7], 'invalid-type', `${array} 7 in it`);
  const inFile = 'names: expected names of tensors in the file, got';
  await fails(['b', 'of.F32', 'a', 'b'], 'invalid-value', `${inFile} 'b', 'a'`);
}

test('from memory: a tensor is converted when it is asked for, and kept', async () => {
  const bytes = file.slice();
  const loaded = loadSafetensors(bytes);
  assertTells(loaded);
  await assertReadsOnlyNames(loaded.read);
  const all = await loaded.read(readable);
  assert.deepEqual(Object.keys(all), readable);
  const before = loaded.tensors['of.F32'];
  assert.equal(loaded.tensors['of.F32'], before);
  assert.equal((await loaded.read(['of.F32']))['of.F32'], before);
  bytes.fill(0xff, headerSize);
  assert.equal(loaded.tensors['of.F32'], before);
  assert.deepEqual(bitsOf(before), bitsOf(all['of.F32']));
  // Those not asked for yet are made of the bytes that are there by then.
  assert.deepEqual(loaded.tensors['of.I8'].data, new Int8Array(6).fill(-1));
  for (const name of unreadNames) {
    assertFails(() => loaded.tensors[name], 'invalid-file', inWholeBytes(name));
    await assertRejects(() => loaded.read([name]), 'invalid-file', inWholeBytes(name));
  }
  await assertRejects(() => loaded.read(), 'invalid-file', /of real numbers in whole bytes/);
});

test('from memory: bytes that are gone are an error for who asks for more', async () => {
  const lost = `bytes: expected the ${file.length} bytes of the file to be kept, got a buffer that was transferred or made smaller`;
  const takeAway = {
    'a buffer': (bytes) => [
      bytes.buffer,
      () => structuredClone(bytes.buffer, { transfer: [bytes.buffer] }),
    ],
    'an array': (bytes) => [bytes, () => structuredClone(bytes, { transfer: [bytes.buffer] })],
  };
  const resizable = new ArrayBuffer(file.length, { maxByteLength: 2 * file.length });
  if (resizable.resizable) {
    takeAway['a shorter buffer'] = (bytes) => {
      new Uint8Array(resizable).set(bytes);
      return [resizable, () => resizable.resize(file.length - 1)];
    };
  }
  for (const [kind, prepare] of Object.entries(takeAway)) {
    const [given, lose] = prepare(file.slice());
    const { tensors, read, names: told, dtype } = loadSafetensors(given);
    const before = tensors['of.U8'];
    lose();
    assert.equal(tensors['of.U8'], before, kind);
    assertFails(() => tensors['of.F32'], 'invalid-file', lost);
    await assertRejects(() => read(['of.I8']), 'invalid-file', lost);
    assert.deepEqual([told.length, dtype('of.I8')], [names.length, 'I8']);
  }
  // One that grows has the file's bytes still.
  if (resizable.resizable) {
    resizable.resize(file.length);
    new Uint8Array(resizable).set(file);
    const { tensors } = loadSafetensors(resizable);
    resizable.resize(2 * file.length);
    assert.deepEqual(tensors['of.U8'], loadSafetensors(file).tensors['of.U8']);
  }
});

for (const [kind, open] of Object.entries(sources)) {
  test(`from ${kind}: the header is read, and then what is asked for, once`, async (t) => {
    const { source, parts } = await open(t);
    const loaded = await loadSafetensors(source);
    assert.equal(bytesIn(parts), headerSize);
    assertTells(loaded);
    await assertReadsOnlyNames(loaded.read);
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
      read += sizeOf(name);
      assert.equal(bytesIn(parts), read, name);
    }
    for (const name of unreadNames) {
      await assertRejects(() => loaded.tensors[name], 'invalid-file', inWholeBytes(name));
      await assertRejects(() => loaded.read([name]), 'invalid-file', inWholeBytes(name));
    }
    assert.equal(bytesIn(parts), read);

    // A file that is loaded anew keeps nothing of what `read` gave.
    const { read: readNames } = await loadSafetensors(source);
    read = bytesIn(parts);
    const wanted = ['of.F16', 'of.BOOL'];
    for (const times of [1, 2]) {
      const { 'of.F16': halves, 'of.BOOL': booleans } = tensors;
      const expected = { 'of.F16': halves, 'of.BOOL': booleans };
      assert.deepEqual(await readNames(wanted), expected);
      assert.equal(bytesIn(parts), read + times * 18);
    }
    assert.deepEqual(await readNames([]), {});
  });
}

test('from a Blob and a file of Node’s own, and of every name', async (t) => {
  const tensors = Object.fromEntries(
    ['__proto__', 'constructor', '', '7', 'é"\n', 'a.b'].map((name, i) => [
      name,
      specialNumbers([i]),
    ]),
  );
  const bytes = saveSafetensors(tensors, { __proto__x: 'a' });
  const handle = await openFile(t, bytes);
  for (const source of [new Blob([bytes]), new File([bytes], 'a'), handle]) {
    const loaded = await loadSafetensors(source);
    assert.equal(Object.getPrototypeOf(loaded.tensors), Object.prototype);
    const read = await loaded.read();
    assert.deepEqual(Object.keys(read).sort(), Object.keys(tensors).sort());
    assert.equal(Object.getPrototypeOf(read), Object.prototype);
    for (const name of loaded.names) {
      const [promise, own] = [loaded.tensors, read].map((dict) =>
        Object.getOwnPropertyDescriptor(dict, name),
      );
      assert.deepEqual(bitsOf(own.value), bitsOf(tensors[name]));
      assert.deepEqual(bitsOf(await promise.get()), bitsOf(tensors[name]));
    }
  }
});

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

test('a layer of a file costs its own tensors', async (t) => {
  const sizes = { querySize: 8, keySize: 8, valueSize: 8 };
  const layer = new MultiHeadAttention({ numHiddens: 8, numHeads: 2, ...sizes });
  const behind = (prefix) =>
    Object.entries(layer.stateDict()).map(([name, tensor]) => [`${prefix}.${name}`, tensor]);
  const dict = Object.fromEntries(['h.1', 'h.10', 'h.2'].flatMap(behind));
  const handle = countedHandle(await openFile(t, saveSafetensors(dict)));
  const { names: told, read } = await loadSafetensors(handle);
  const ofHeader = bytesIn(handle.parts);
  const own = await read(told.filter((name) => name.startsWith('h.1.')));
  const again = MultiHeadAttention.fromStateDict(own, { numHeads: 2, prefix: 'h.1' });
  assert.deepEqual(again.stateDict(), layer.stateDict());
  assert.equal(bytesIn(handle.parts) - ofHeader, 4 * 4 * 8 * 8);
  [layer, again].forEach((each) => each.dispose());
});

test('a large tensor comes in pieces and is one', async (t) => {
  const piece = 2 ** 24;
  const count = piece + 5;
  const numbers = new Uint8Array(3 * count);
  // Of BF16 1 and 2, on either side of what is read at a time, and 3 at the end.
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

test('a file that changes after its header was read is an error for who asks for more', async (t) => {
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
  // What ends although its size is as before.
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

test('sources that fail are files that cannot be read, and may work later', async () => {
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
  // A rejection that nobody awaits is no error of the program.
  void loaded.tensors.b;
  await assert.rejects(loaded.tensors.a, { code: 'invalid-file', message: gone, cause: boom });
  await assert.rejects(loaded.read(['a']), { code: 'invalid-file', message: gone, cause: boom });
  works = true;
  assert.deepEqual(await loaded.tensors.a, Tensor.ones([2, 3]));
  assert.deepEqual(Object.keys(await loaded.read()), loaded.names);
});
