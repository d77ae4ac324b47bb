// Prints the error of a WebAssembly file that is not there, and that init works afterwards.
import { init } from 'headwise';

const wasm = new URL('nowhere/headwise-simd.wasm', import.meta.url);
const { name, code, message } = await init({ wasm }).catch((error) => error);
const { threads } = await init({ threads: 1 });
console.log(JSON.stringify({ name, code, message: message.replace(wasm.href, 'URL'), threads }));
