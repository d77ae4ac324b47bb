#!/usr/bin/env node
// Sets up, builds, prints the toy example's result and serves the page. See --help.
import { exitWithError, readOptions, run } from './lib/command.mjs';
import { fromRoot } from './lib/files.mjs';

const help = `Usage: npm start [-- OPTIONS]

Sets up what is missing, builds what has changed, prints the toy example's result and serves the
page until Ctrl-C. 'npm run build' builds all four WebAssembly builds; this builds two.

  --port=NUMBER   the port; by default 4173 or the next free one
  --host=NAME     the address; by default 127.0.0.1; 0.0.0.0 for all
  --no-serve      ends after the toy example
`;

const options = readOptions(help, {
  port: { type: 'string' },
  host: { type: 'string', default: '127.0.0.1' },
  'no-serve': { type: 'boolean' },
});
const port = Number(options.port ?? 4173);
if (!Number.isInteger(port) || port < 0 || port > 65535) {
  exitWithError(`--port: expected a number from 0 to 65535, got ${options.port}`);
}

for (const [command, ...args] of [
  ['bash', 'scripts/setup.sh', '--for=build'],
  ['npm', 'run', '--silent', 'build:page'],
  [process.execPath, 'examples/toy.mjs'],
]) {
  const code = await run(command, args, { HEADWISE_WASM: 'development', WIREIT_CACHE: 'none' });
  if (code !== 0) process.exit(1);
}

if (!options['no-serve']) {
  // Installed by the set-up.
  const { preview } = await import('vite');
  const server = await preview({
    root: fromRoot('web'),
    logLevel: 'warn',
    preview: { host: options.host, port, strictPort: options.port !== undefined, open: false },
  });
  const [address] = [...server.resolvedUrls.local, ...server.resolvedUrls.network];
  console.log(`\nThe page is at ${address} (Ctrl-C ends it)`);
}
