// Fills WebAssembly memory, which cannot grow from here on, to measure free memory or to leave holes of given sizes.
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

/** Allocates so many bytes; undefined if there is no room. */
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

/** Most of memory, never freed, which makes filling the rest faster. Exported, so that it is not collected. */
export const kept = takeAll(largest);
kept.splice(-4).forEach(({ piece }) => piece.dispose());

const long = numbers([1, 1, 1500, 1]);
const large = { data: new Float32Array(2_250_000), shape: [1, 1, 2_250_000] };

/** Frees both blocks of working memory, by calls that need more than there is: they free the old block first. */
export function dropWorkingMemory() {
  const pool = () => scaledDotProductAttention(long, long, long, { returnWeights: true });
  if (ifPossible(pool) ?? ifPossible(() => splitHeads(large, 1))) {
    throw new Error('expected less memory than 9 MB');
  }
}

/** Bytes that can be allocated. */
export function freeBytes() {
  dropWorkingMemory();
  const pieces = takeAll();
  pieces.forEach(({ piece }) => piece.dispose());
  return pieces.reduce((sum, { bytes }) => sum + bytes, 0);
}

const single = numbers([1, 1024, 1]).data;

/** Fills gaps too small for pieces with working memory, 8 KB at most. */
function fillRest() {
  for (let floats = 1024; floats > 0; floats -= 32) {
    const X = { data: single.subarray(0, floats), shape: [1, floats, 1] };
    if (ifPossible(() => splitHeads(X, 1))) return;
  }
}

/**
 * Fills all memory except holes of these bytes; `keepsWorkingMemory` keeps the block of earlier calls. Returns a
 * function that frees it.
 */
export function fillAllBut(holes, { keepsWorkingMemory }) {
  if (!keepsWorkingMemory) dropWorkingMemory();
  // A piece behind each hole keeps holes apart.
  const around = holes.map((bytes) => [take(bytes), take(smallest)]);
  const rest = takeAll();
  if (!keepsWorkingMemory) fillRest();
  around.forEach(([hole]) => hole?.dispose());
  return () => {
    around.forEach(([, behind]) => behind?.dispose());
    rest.forEach(({ piece }) => piece.dispose());
  };
}
