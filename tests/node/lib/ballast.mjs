// Takes WebAssembly memory, which may not grow from here on, to see how much is free or to leave holes of wanted sizes.
import { HeadwiseError, ResidentTensor, scaledDotProductAttention, splitHeads } from 'headwise';
import { refuseGrowth } from './memory.mjs';
import { numbers } from './observe.mjs';

refuseGrowth();

const smallest = 32;

function ifPossible(call) {
  try {
    return call();
  } catch (error) {
    if (!(error instanceof HeadwiseError && error.code === 'out-of-memory')) throw error;
    return undefined;
  }
}

/** A piece of so many bytes, or nothing where there is no room. */
const take = (bytes) => ifPossible(() => new ResidentTensor([Math.ceil(bytes / 4)]));

const largest = 2 ** 20;
/** Takes all memory, down to pieces of so many bytes. */
function takeAll(least = smallest) {
  const pieces = [];
  for (let bytes = largest; bytes >= least; bytes /= 2) {
    for (let piece = take(bytes); piece; piece = take(bytes)) pieces.push({ piece, bytes });
  }
  return pieces;
}

/** Most of memory, which is never given back: to take less each time is faster. Exported, so that it is not collected. */
export const kept = takeAll(largest);
kept.splice(-4).forEach(({ piece }) => piece.dispose());

const long = numbers([1, 1, 1500, 1]);

/** Gives working memory back, by a call that wants more than there is: it lets go of the old block first. */
export function dropWorkingMemory() {
  if (ifPossible(() => scaledDotProductAttention(long, long, long, { returnWeights: true }))) {
    throw new Error('expected less memory than weights of 9 MB take');
  }
}

/** How many bytes all pieces have that find room. */
export function freeBytes() {
  dropWorkingMemory();
  const pieces = takeAll();
  pieces.forEach(({ piece }) => piece.dispose());
  return pieces.reduce((sum, { bytes }) => sum + bytes, 0);
}

const single = numbers([1, 1024, 1]).data;

/** As much working memory as there is room for, 8 KB at most: what is left where no piece fits. */
function fillRest() {
  for (let floats = 1024; floats > 0; floats -= 32) {
    const X = { data: single.subarray(0, floats), shape: [1, floats, 1] };
    if (ifPossible(() => splitHeads(X, 1))) return;
  }
}

/**
 * Takes all memory but holes of these bytes; with `keepsWorkingMemory` the block of earlier calls stays what it is.
 * Returns how to give it back.
 */
export function fillAllBut(holes, { keepsWorkingMemory }) {
  if (!keepsWorkingMemory) dropWorkingMemory();
  // Behind each hole something stays, lest two become one.
  const around = holes.map((bytes) => [take(bytes), take(smallest)]);
  const rest = takeAll();
  if (!keepsWorkingMemory) fillRest();
  around.forEach(([hole]) => hole?.dispose());
  return () => {
    around.forEach(([, behind]) => behind?.dispose());
    rest.forEach(({ piece }) => piece.dispose());
  };
}
