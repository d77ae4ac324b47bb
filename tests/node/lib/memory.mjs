// Looks into the package's WebAssembly memory. Whoever imports this need not call init.
import assert from 'node:assert/strict';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { init, MultiHeadAttention } from 'headwise';
import { memoryOfWhatLoads, usedBytes } from './watch-memory.mjs';

/** The package's WebAssembly memory. */
export const memory = await memoryOfWhatLoads(() => init());

/** How far it was ever written to. Memory itself grows in steps too large to show a leak. */
export const usedMemory = () => usedBytes(memory);

const options = { numHiddens: 8, numHeads: 2 };

/** Layers that fill the holes which earlier calls left, where a leak would go unseen. */
function fillHoles() {
  const used = usedMemory();
  const layers = [];
  while (usedMemory() === used) {
    for (let i = 0; i < 100; i++) layers.push(new MultiHeadAttention(options));
  }
  return layers;
}

/** Checks that the call, made many times, does not need more memory than made a few times. */
export function assertLeavesNothing(call, times = 10_000) {
  const few = 20;
  for (let i = 0; i < few; i++) call(i);
  const layers = fillHoles();
  for (let i = 0; i < few; i++) call(i);
  const [used, size] = [usedMemory(), memory.buffer.byteLength];
  for (let i = 0; i < times; i++) call(i);
  assert.equal(usedMemory(), used);
  assert.equal(memory.buffer.byteLength, size);
  layers.forEach((layer) => layer.dispose());
}

// One for all times: its stack takes longer than most calls do.
const noGrowth = new RangeError('WebAssembly.Memory.grow(): Maximum memory size exceeded');

/** From here on memory cannot grow, as when the machine has none left. */
export function refuseGrowth() {
  memory.grow = () => {
    throw noGrowth;
  };
}

/** Runs `use` while memory cannot grow. */
export function withoutGrowth(use) {
  refuseGrowth();
  try {
    use();
  } finally {
    delete memory.grow;
  }
}

/** Checks that what `make` leaves behind gives its memory back when it is collected. */
export async function assertForgottenGivesBack(make) {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc');
  const forget = async () => {
    make();
    // Finalizers run in a turn of their own, after the collection.
    for (let i = 0; i < 3; i++) {
      collectGarbage();
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };
  await forget();
  const used = usedMemory();
  for (let round = 0; round < 5; round++) await forget();
  const isGivenBack = () => usedMemory() <= used + 1000;
  // When finalizers run is the engine's affair.
  for (let tries = 0; tries < 1000 && !isGivenBack(); tries++) {
    collectGarbage();
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  assert.ok(isGivenBack(), `${usedMemory()} bytes in use after ${used}`);
}
