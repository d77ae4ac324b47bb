// What the WebAssembly build that checks says of records that are wrong.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { pathToFileURL } from 'node:url';
import { fromRoot } from '../../../scripts/lib/files.mjs';

const importFile = (path) => import(pathToFileURL(fromRoot(path)).href);
const generated = await importFile('build/generated/records.js');

/** The core of the build that checks, as the package loads it. */
async function loadChecked() {
  // Emscripten's glue lacks it where no type of Embind's that needs it is registered.
  globalThis.GenericWireTypeSize ??= 8;
  const { default: createCore } = await importFile('build/wasm-checked/headwise-models-simd.js');
  const module = new WebAssembly.Module(
    readFileSync(fromRoot('build/wasm-checked/headwise-models-simd.wasm')),
  );
  return createCore({
    wasmMemory: new WebAssembly.Memory({ initial: 256, maximum: 8192 }),
    instantiateWasm(imports, success) {
      const instance = new WebAssembly.Instance(module, imports);
      success(instance, module);
      return instance.exports;
    },
  });
}

test('the build that checks traps where a record is wrong', async () => {
  const core = await loadChecked();
  const pages = core.HEAP32.byteLength;
  const at = core.reserve(1024);
  assert.equal(at % 64, 0);
  const piece = at + 2048;

  /** Whether the call runs through, with these words at the beginning of working memory. */
  const runs = (words, call, address = at) => {
    core.HEAP32.set(words, at / 4);
    try {
      call(address);
      return true;
    } catch (error) {
      assert.ok(error instanceof WebAssembly.RuntimeError, String(error));
      assert.equal(core.recover(), 0);
      return false;
    }
  };
  /** Fields that are left out are 0. */
  const pack = (kind, record) => kind.pack(record).map((word) => word || 0);

  const task = {
    ...{ kind: 0, a: 4, b: 4, c: 1, seed: [1, 0], first: [0, 0], batchSize: 1 },
    ...{ tokens: piece, targets: piece + 64, keys: piece + 128, workspace: piece + 192 },
  };
  const drawTask = (record, address) =>
    runs(pack(generated.taskRecord, record), (where) => core.drawTask(where), address);
  assert.equal(drawTask(task), true);
  assert.equal(drawTask({ ...task, tokens: 0 }), false, 'absent, and not optional');
  assert.equal(drawTask({ ...task, tokens: piece + 4 }), false, 'not at a cache line');
  assert.equal(drawTask({ ...task, tokens: at + 8192 }), false, 'behind working memory');
  assert.equal(drawTask({ ...task, tokens: pages + 64 }), false, 'behind all memory');
  assert.equal(drawTask(task, 0), false, 'a record at address 0');
  assert.equal(drawTask(task, at + 2), false, 'a record not at a word');
  assert.equal(drawTask(task, pages - 8), false, 'a record that ends behind all memory');

  const short = pack(generated.taskRecord, task);
  short[0] -= 1;
  assert.equal(
    runs(short, (where) => core.drawTask(where)),
    false,
    'a record of another length',
  );

  const mask = { batch: 1, numQueries: 1, numKeys: 2, windowLeft: 9, windowRight: 9 };
  const softmax = (record) =>
    runs(pack(generated.maskRecord, { maskStrides: [0, 0, 0, 0], ...record }), (where) =>
      core.maskedSoftmax(where, piece),
    );
  assert.equal(softmax(mask), true, 'optional addresses may be absent');
  assert.equal(softmax({ ...mask, added: piece + 8 }), false, 'and are checked if they are not');

  const npy = (...words) => runs(words, (where) => core.writeNpyHeader(where));
  assert.equal(npy(4, 2, 3, 5), true);
  assert.equal(npy(5, 2, 3, 5, 7), false, 'a message that is longer than what is read');
  assert.equal(npy(3, 2, 3), false, 'a message that is shorter');
});
