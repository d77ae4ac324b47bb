// Fills WebAssembly memory, which may not grow, but for a hole or several of wanted sizes.
import { HeadwiseError, MultiHeadAttention, scaledDotProductAttention, splitHeads } from 'headwise';
import { refuseGrowth } from './memory.mjs';
import { numbers } from './observe.mjs';

const width = 8;
/** Bytes of one position of a cache: its key and its value. */
const positionBytes = 2 * width * 4;
const filler = new MultiHeadAttention({
  ...{ numHiddens: width, numHeads: 1, seed: 1 },
  ...{ querySize: width, keySize: width, valueSize: width },
});
refuseGrowth();

function isPossible(call) {
  try {
    return call() ?? true;
  } catch (error) {
    if (!(error instanceof HeadwiseError && error.code === 'out-of-memory')) throw error;
    return undefined;
  }
}

/** A cache of so many bytes, or nothing where there is no room. */
const take = (bytes) =>
  isPossible(() =>
    filler.createCache({ batchSize: 1, maxLength: Math.max(1, Math.floor(bytes / positionBytes)) }),
  );

const long = numbers([1, 1, 8000, 1]);

/** Gives working memory back, by a call that wants more than there is: it lets go of the old block first. */
export function dropWorkingMemory() {
  if (isPossible(() => scaledDotProductAttention(long, long, long, { returnWeights: true }))) {
    throw new Error('expected less memory than weights of 256 MB take');
  }
}

/** The bytes that the largest cache takes which finds room. */
export function largestPiece() {
  dropWorkingMemory();
  let [fits, fitsNot] = [0, 2 ** 26];
  while (fitsNot - fits > positionBytes) {
    const bytes = (fits + fitsNot) / 2;
    const cache = take(bytes);
    if (cache === undefined) fitsNot = bytes;
    else fits = bytes;
    cache?.dispose();
  }
  return fits;
}

/** Whether a cache of so many bytes finds room. */
export function hasRoomFor(bytes) {
  dropWorkingMemory();
  const cache = take(bytes);
  cache?.dispose();
  return cache !== undefined;
}

const single = numbers([1, 1024, 1]).data;

/** As much working memory as there is room for, 8 KB at most: what is left where no cache fits. */
function fillRest() {
  for (let floats = 1024; floats > 0; floats -= 32) {
    if (
      isPossible(() => splitHeads({ data: single.subarray(0, floats), shape: [1, floats, 1] }, 1))
    )
      return;
  }
}

/**
 * Takes all memory but holes of these bytes; with `keepsWorkingMemory` the block of earlier calls stays what it is.
 * Returns how to give it back.
 */
export function fillAllBut(holes, { keepsWorkingMemory }) {
  if (!keepsWorkingMemory) dropWorkingMemory();
  // Behind each hole something stays, lest two become one.
  const pieces = holes.flatMap((bytes) => [take(bytes), take(1)]);
  for (let bytes = 2 ** 24; bytes >= positionBytes; bytes /= 2) {
    for (let piece = take(bytes); piece !== undefined; piece = take(bytes)) pieces.push(piece);
  }
  if (!keepsWorkingMemory) fillRest();
  for (let i = 0; i < 2 * holes.length; i += 2) pieces[i]?.dispose();
  return () => pieces.forEach((piece) => piece?.dispose());
}
