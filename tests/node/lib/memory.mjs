// The package's WebAssembly memory. Importing this calls init.
import { init } from 'headwise';
import { memoryOfWhatLoads } from './watch-memory.mjs';

/** The package's WebAssembly memory. */
export const memory = await memoryOfWhatLoads(() => init());

// A single error, since creating its stack is slow.
const noGrowth = new RangeError('WebAssembly.Memory.grow(): Maximum memory size exceeded');

/** From here on memory cannot grow. */
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
