// Looks into the package's WebAssembly memory. Whoever imports this need not call init.
import { init } from 'headwise';
import { memoryOfWhatLoads } from './watch-memory.mjs';

/** The package's WebAssembly memory. */
export const memory = await memoryOfWhatLoads(() => init());

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
