import { init } from 'headwise/models';

// Lit warns of its development build, which is the one that tests get.
globalThis.litIssuedWarnings = new Set(['dev-mode']);
await init({ threads: 1 });
