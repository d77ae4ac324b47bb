// The suite, in whatever imports this. Paths stand for names: workers have no import map.
import * as headwise from './headwise/models.js';
import { suite } from './suite.js';

/** The results of the suite, and the error of a WebAssembly file that is not there. */
export async function run({ cases, options }) {
  const wrong = new URL('nowhere.wasm', import.meta.url);
  const { name, code, message } = await headwise.init({ wasm: wrong }).catch((error) => error);
  return { ...(await suite(headwise, cases, options)), wrong: { name, code, message } };
}
