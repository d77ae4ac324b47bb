// The package in the runtimes that run JavaScript without a page, as docs/runtimes.md says.
import assert from 'node:assert/strict';
import { cpSync, existsSync } from 'node:fs';
import { arch, platform } from 'node:process';
import { before, describe, test } from 'node:test';
import { blocks, readmeExample } from '../packaging/lib/documents.mjs';
import { fromRoot } from '../packaging/lib/project.mjs';
import { judge, readmePrints } from './lib/judge.mjs';
import { installedNode, outputOf, run, tools, writeFolder } from './lib/processes.mjs';

const documented = (heading, ...languages) => blocks('docs/runtimes.md', heading, ...languages);
const [requireProgram, importProgram] = documented('CommonJS', 'js', 'js');
const [denoLines] = documented('Deno', 'sh');
const [bunLines] = documented('Bun', 'sh');
const [worker] = documented('Cloudflare Workers', 'jsx');

const programs = {
  'readme.js': readmeExample(),
  'require.cjs': requireProgram,
  'import.cjs': importProgram,
  // With the options of `init` as JSON.
  'suite-program.js': `import * as headwise from 'headwise/models';
import { suite } from './suite.js';
console.log(JSON.stringify(await suite(headwise, JSON.parse(process.argv[2]))));
`,
  'thread.js': `import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import * as headwise from 'headwise/models';
import { suite } from './suite.js';
if (isMainThread) {
  const worker = new Worker(new URL(import.meta.url), { workerData: JSON.parse(process.argv[2]) });
  worker.on('message', (results) => console.log(JSON.stringify(results)));
  worker.on('error', (error) => {
    throw error;
  });
} else {
  parentPort.postMessage(await suite(headwise, workerData));
}
`,
  'wrong-path.js': `import { init } from 'headwise';
const wasm = new URL('nowhere/headwise-simd.wasm', import.meta.url);
const { name, code, message } = await init({ wasm }).catch((error) => error);
const { threads } = await init({ threads: 1 });
console.log(JSON.stringify({ name, code, threads, message: message.replace(wasm.href, 'URL') }));
`,
  'worker.js': worker,
  'suite-worker.js': `import * as headwise from 'headwise/models';
import wasm from 'headwise/headwise-models-simd.wasm';
import { suite } from './suite.js';
export default { fetch: async () => Response.json(await suite(headwise, { wasm })) };
`,
  // Bundles a Worker as wrangler does, and prints what it answers in workerd with some compatibility flags.
  'workerd.js': `import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { Miniflare } from 'miniflare';
const [worker, flags] = process.argv.slice(2);
const modules = [];
const wasm = {
  name: 'wasm',
  setup: ({ onResolve }) =>
    onResolve({ filter: /\\.wasm$/ }, ({ path }) => {
      const contents = readFileSync(fileURLToPath(import.meta.resolve(path)));
      modules.push({ type: 'CompiledWasm', path: basename(path), contents });
      return { path: './' + basename(path), external: true };
    }),
};
const { outputFiles } = await build({
  ...{ entryPoints: [worker], bundle: true, format: 'esm', write: false, plugins: [wasm] },
  external: ['node:*'],
});
modules.unshift({ type: 'ESModule', path: 'worker.js', contents: outputFiles[0].text });
const compatibilityFlags = JSON.parse(flags);
const miniflare = new Miniflare({ modules, compatibilityDate: '2026-07-01', compatibilityFlags });
console.log(await (await miniflare.dispatchFetch('http://localhost/')).text());
await miniflare.dispose();
`,
};

before(() => {
  const folder = writeFolder('programs', programs);
  cpSync(fromRoot('tests/matrix/lib/suite.js'), `${folder}/suite.js`);
});

const packaged = (path) => {
  const file = tools('node_modules', path);
  return existsSync(file) ? file : undefined;
};
const cpu = { x64: 'x64', arm64: 'aarch64' }[arch];

assert.equal(bunLines, 'bun add headwise\nbun main.js\n');
const [, permissions] = /^deno add npm:headwise\ndeno run (.*) main\.js\n$/.exec(denoLines);
// What is installed is used, and nothing is downloaded.
const denoRun = ['run', '--node-modules-dir=manual', '--no-remote'];
const deno = {
  command: packaged(`@deno/${platform}-${arch}-glibc/deno`),
  args: [...denoRun, ...permissions.split(' ')],
  env: { DENO_DIR: tools('.deno'), DENO_NO_UPDATE_CHECK: '1' },
};

const runtimes = {
  'Node 20.16': { command: installedNode('20.16'), variant: 'simd', requires: false },
  'Node 20': { command: installedNode('20'), variant: 'simd' },
  'Node 22': { command: installedNode('22') },
  'Node 24': { command: installedNode('24') },
  'Node 26': { command: installedNode('26') },
  Deno: deno,
  Bun: { command: packaged(`@oven/bun-${platform}-${cpu}/bin/bun`) },
};

const isComplete = `${platform}-${arch}` === 'linux-x64';
test('all runtimes are there on Linux on x64', { skip: !isComplete }, () => {
  const missing = Object.keys(runtimes).filter((name) => runtimes[name].command === undefined);
  assert.deepEqual(missing, []);
});

for (const [name, runtime] of Object.entries(runtimes)) {
  const { command, args = [], env, variant = 'relaxed-simd', requires = true } = runtime;
  describe(name, { skip: command === undefined && `none for ${platform} on ${arch}` }, () => {
    const program = (file, ...given) => [command, [...args, `programs/${file}`, ...given], { env }];
    const output = (...given) => outputOf(...program(...given));
    const results = async (file, options) =>
      JSON.parse(await output(file, JSON.stringify(options)));

    test("README's example", async () => {
      const lines = (await output('readme.js')).trim().split('\n');
      assert.deepEqual(
        lines.map((line) => line.replaceAll(' ', '')),
        readmePrints,
      );
    });

    test('everything, on three threads', async () => {
      judge(await results('suite-program.js', { threads: 3 }), { variant, threads: 3 });
    });

    test('everything, by default: it ends by itself and prints nothing else', async () => {
      judge(await results('suite-program.js', {}), { variant });
    });

    test('everything, on a thread of node:worker_threads', async () => {
      judge(await results('thread.js', { threads: 2 }), { variant, threads: 2 });
    });

    test('a file that is not there', async () => {
      const { message, ...rest } = JSON.parse(await output('wrong-path.js'));
      assert.deepEqual(rest, { name: 'HeadwiseError', code: 'load-failed', threads: 1 });
      const expected = /^wasm: expected a WebAssembly module at URL, got .*(ENOENT|no such file)/i;
      assert.match(message, expected);
    });

    test('CommonJS, by import()', async () => {
      assert.equal(await output('import.cjs'), 'Tensor (2,) [1, 1]\n');
    });

    test(`CommonJS, by require${requires ? '' : ', is refused'}`, async () => {
      const { status, stdout, stderr } = await run(...program('require.cjs'));
      // Some versions warn on stderr that it is experimental.
      if (requires)
        assert.deepEqual({ status, stdout }, { status: 0, stdout: 'Tensor (2,) [1, 1]\n' });
      else
        assert.match(stderr, /ERR_REQUIRE_ESM[^]*dynamic import\(\)|dynamic import\(\)[^]*ERR_R/);
    });
  });
}

test('Deno without permission to read', { skip: deno.command === undefined }, async () => {
  const args = [...denoRun, 'programs/readme.js'];
  const { status, stderr } = await run(deno.command, args, { env: deno.env });
  assert.equal(status, 1);
  assert.match(stderr, /HeadwiseError: wasm: .*headwise-\S*\.wasm\b.* got .*--allow-read/);
});

// Miniflare needs a newer Node than this one may be.
const node = installedNode('24');
for (const flags of ['[]', '["nodejs_compat"]']) {
  describe(`workerd with the flags ${flags}`, { skip: node === undefined }, () => {
    const answerOf = async (file) => {
      const args = ['programs/workerd.js', `programs/${file}`, flags];
      const { status, stdout, stderr } = await run(node, args);
      assert.equal(status, 0, stderr);
      return JSON.parse(stdout);
    };
    test("the document's Worker", async () => {
      assert.deepEqual(await answerOf('worker.js'), { shape: [2, 4, 100] });
    });
    test('everything, on one thread', async () => {
      judge(await answerOf('suite-worker.js'), { variant: 'simd', threads: 1 });
    });
  });
}
