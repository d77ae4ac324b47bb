// Checkpoints of several files and their index.
import assert from 'node:assert/strict';
import test from 'node:test';
import { init, loadShardedSafetensors, saveSafetensors, Tensor } from 'headwise';
import { assertFails, assertRejects } from '../lib/compare.mjs';
import { safetensorsFile } from '../lib/safetensors.mjs';
import { bytesIn, countedBlob, countedHandle, handleOn, openFile } from '../lib/sources.mjs';

await init();

const [first, second] = [
  'model-00001-of-00002.safetensors',
  'more/model-00002-of-00002.safetensors',
];
const tensors = {
  'h.0.weight': Tensor.randn([3, 4], 1),
  'h.1.weight': Tensor.randn([5, 6], 2),
  'h.0.bias': Tensor.randn([7], 3),
  ids: { dtype: 'I64', data: BigInt64Array.of(-1n, 2n), shape: [2] },
};
const weightMap = { ids: second, 'h.0.weight': first, 'h.1.weight': second, 'h.0.bias': first };
const index = { metadata: { total_size: 260, other: { a: [1, null] } }, weight_map: weightMap };

/** The tensors of a file, and one that the index does not name. */
const fileOf = (file, metadata) => {
  const named = Object.entries(tensors).filter(([name]) => weightMap[name] === file);
  return saveSafetensors({ ...Object.fromEntries(named), unnamed: Tensor.ones([100]) }, metadata);
};
const files = {
  [first]: fileOf(first, { format: 'pt', of: 'first' }),
  [second]: fileOf(second, { of: 'second', also: 'this' }),
};
const headerSize = (bytes) => 8 + Number(Buffer.from(bytes).readBigUInt64LE());
const bytes = (file) => files[file];

test('a checkpoint of several files is read as one, from every kind of source', async (t) => {
  const sources = {
    bytes,
    'a Promise of a buffer': async (file) => files[file].slice().buffer,
    'a Blob': (file) => new Blob([files[file]]),
    'a Promise of a FileHandle': (file) => openFile(t, files[file]),
    'one of each': (file) => (file === first ? files[file] : new Blob([files[file]])),
  };
  for (const [kind, open] of Object.entries(sources)) {
    const loaded = await loadShardedSafetensors(index, open);
    assert.deepEqual(loaded.names, Object.keys(weightMap), kind);
    assert.deepEqual(Object.keys(loaded.tensors), loaded.names);
    assert.deepEqual(loaded.metadata, { format: 'pt', of: 'second', also: 'this' });
    const read = await loaded.read();
    for (const [name, tensor] of Object.entries(tensors)) {
      assert.equal(loaded.dtype(name), tensor.dtype ?? 'F32');
      assert.deepEqual(loaded.shape(name), tensor.shape);
      assert.ok(loaded.tensors[name] instanceof Promise);
      assert.deepEqual(await loaded.tensors[name], tensor);
      assert.deepEqual(read[name], tensor);
    }
    const unknown = "name: expected the name of a tensor in the file, got 'unnamed'";
    assertFails(() => loaded.shape('unnamed'), 'invalid-value', unknown);
    const several = "names: expected names of tensors in the file, got 'x', 'unnamed'";
    const wrong = ['x', 'ids', 'unnamed'];
    await assertRejects(() => loaded.read(wrong), 'invalid-value', several);
  }
});

test('each file is opened once, and only its header and the requested tensors are read', async (t) => {
  for (const count of [
    async (file) => countedBlob(files[file]),
    async (file) => countedHandle(await openFile(t, files[file]), 9),
  ]) {
    const opened = {};
    const { tensors: members, read } = await loadShardedSafetensors(index, async (file) => {
      assert.ok(!(file in opened), file);
      return (opened[file] = await count(file));
    });
    assert.deepEqual(Object.keys(opened), [second, first]);
    const headers = Object.fromEntries(
      Object.keys(files).map((file) => [file, headerSize(files[file])]),
    );
    const readOf = (file) => bytesIn(opened[file].parts) - headers[file];
    assert.deepEqual([readOf(first), readOf(second)], [0, 0]);
    await members['h.0.bias'];
    await members['h.0.bias'];
    assert.deepEqual([readOf(first), readOf(second)], [28, 0]);
    await read(['ids', 'h.0.weight']);
    assert.deepEqual([readOf(first), readOf(second)], [28 + 48, 16]);
  }
});

const fails = (given, open, code, message) =>
  assertRejects(() => loadShardedSafetensors(given, open), code, message);

test('one error lists all tensors that the files lack', async () => {
  const map = { ...weightMap, 'h.9.weight': first, ids: first, 'h.0.bias': second };
  const listed = `'ids' of ${first}, 'h.0.bias' of ${second}, 'h.9.weight' of ${first}`;
  const message = `index: expected tensors that their files have, got ${listed}`;
  await fails({ weight_map: map }, bytes, 'invalid-file', message);
  const empty = await loadShardedSafetensors({ weight_map: {} }, assert.fail);
  assert.deepEqual([empty.names, await empty.read()], [[], {}]);
  const proto = Object.fromEntries([['__proto__', 'a']]);
  const odd = await loadShardedSafetensors({ weight_map: proto }, () =>
    saveSafetensors(Object.fromEntries([['__proto__', Tensor.ones([2])]])),
  );
  assert.deepEqual(odd.names, ['__proto__']);
  assert.deepEqual(Object.values(await odd.read()), [Tensor.ones([2])]);
});

test('a malformed index is an error', async () => {
  const parsed = 'index: expected a parsed model.safetensors.index.json, got';
  for (const [bad, got] of [
    [undefined, 'undefined'],
    [null, 'null'],
    [() => index, 'a function'],
  ]) {
    await fails(bad, bytes, 'invalid-type', `${parsed} ${got}`);
  }
  const mapped = 'index: expected a weight_map of files by the names of tensors, got';
  for (const [bad, got] of [
    [{ metadata: {} }, 'undefined'],
    [{ weight_map: null }, 'null'],
    [{ weight_map: [first] }, 'an array'],
  ]) {
    await fails(bad, bytes, 'invalid-file', `${mapped} ${got}`);
  }
  const beside = 'index: expected names of files beside it, got';
  const wrong = { a: 1, b: first, c: null, d: ['x'], e: '' };
  const listed = `1 for 'a', null for 'c', an array for 'd', "" for 'e'`;
  await fails({ weight_map: wrong }, bytes, 'invalid-file', `${beside} ${listed}`);
  for (const file of ['/etc/x', ...'../x a/../x a//b . .. a/ ./a c:x a\\b \0'.split(' ')]) {
    const message = `${beside} ${JSON.stringify(file)} for 'a'`;
    await fails({ weight_map: { a: file } }, assert.fail, 'invalid-file', message);
  }
  await fails(index, undefined, 'invalid-type', 'open: expected a function, got undefined');
  await fails(index, files, 'invalid-type', 'open: expected a function, got an object');
});

test('the error of a file that cannot be opened or is malformed names it', async () => {
  const boom = new Error('no such file');
  for (const open of [
    () => Promise.reject(boom),
    () => {
      throw boom;
    },
  ]) {
    await assert.rejects(loadShardedSafetensors(index, open), (error) => error === boom);
  }
  const secondIs = (source) => (file) => (file === second ? source : files[file]);
  const what = 'expected a Uint8Array or an ArrayBuffer';
  await fails(index, secondIs(), 'invalid-type', `${second}: ${what}, got undefined`);
  await fails(index, secondIs({}), 'invalid-type', `${second}: ${what}, got an object`);
  const cut = files[second].slice(0, -1);
  const within = `${second}: expected tensor 'unnamed' to lie within 535 bytes, got 136 to 536`;
  for (const source of [cut, new Blob([cut]), handleOn(cut)]) {
    await fails(index, secondIs(source), 'invalid-file', within);
  }
  const gone = handleOn(files[second], { read: () => Promise.reject(boom) });
  const unreadable = `${second}: expected a file that can be read, got an error: no such file`;
  await fails(index, secondIs(gone), 'invalid-file', unreadable);

  const quarter = safetensorsFile({ a: { dtype: 'F4', shape: [2], data_offsets: [0, 1] } }, [1]);
  const { dtype, tensors: members } = await loadShardedSafetensors(
    { weight_map: { a: 'b' } },
    () => quarter,
  );
  assert.equal(dtype('a'), 'F4');
  const message = "b: expected tensor 'a' of real numbers in whole bytes, got F4";
  await assertRejects(() => members.a, 'invalid-file', message);
});
