// The installed tarball in the runtimes that run JavaScript without a page. Needs build/matrix/runtimes, see
// scripts/lib/matrix.mjs.
import assert from 'node:assert/strict';
import { cpSync, existsSync, rmSync, writeFileSync } from 'node:fs';
import { before, test } from 'node:test';
import { arch, platform } from 'node:process';
import { fromRoot } from '../../../scripts/lib/files.mjs';
import { matrixFolder } from '../../../scripts/lib/matrix.mjs';
import { installedNode, outputOf, runProgram } from '../lib/programs.mjs';
import { showsLine, snippet } from '../lib/snippets.mjs';
import { trialsOf } from '../lib/trials.mjs';
import { judge, oracleCases, readmeExample } from '../shared/judge.mjs';

const group = 'runtimes';
const document = 'docs/runtimes.md';
const built = (...parts) => fromRoot(matrixFolder(group), ...parts);
const example = readmeExample();

before(() => {
  rmSync(built('programs'), { recursive: true, force: true });
  cpSync(fromRoot('tests/matrix/runtimes/programs'), built('programs'), { recursive: true });
  cpSync(fromRoot('tests/matrix/shared/suite.js'), built('programs/suite.js'));
  const texts = {
    // Bun heeds the nearest, and that of this repository would have it run the package's sources.
    'tsconfig.json': '{}',
    'cases.json': JSON.stringify(oracleCases()),
    'readme.js': example.text,
    'require.cjs': snippet(document, 'require.cjs'),
    'import.cjs': snippet(document, 'import.cjs'),
    'worker.js': snippet(document, 'worker.js'),
  };
  for (const [name, text] of Object.entries(texts)) writeFileSync(built('programs', name), text);
});

const packaged = (path) => {
  const file = built('node_modules', path);
  return existsSync(file) ? file : undefined;
};
const cpu = { x64: ['x64', 'x64'], arm64: ['arm64', 'aarch64'] }[arch] ?? ['none', 'none'];

// The line that the document has, but for what is installed already; nothing may be asked of a registry.
const [deno, ...denoArgs] = 'deno run --allow-read --allow-sys main.js'.split(' ');
assert.ok(showsLine(document, [deno, ...denoArgs].join(' ')));
assert.ok(showsLine(document, 'bun main.js'));

/** By the table's name: the program, its arguments before the file's, and what is known of it. */
const runtimes = {
  'Node 20.16': { command: installedNode(group, '20.16'), simd: 'simd', commonJs: false },
  'Node 20': { command: installedNode(group, '20'), simd: 'simd' },
  'Node 22': { command: installedNode(group, '22'), simd: 'relaxed-simd' },
  'Node 24': { command: installedNode(group, '24'), simd: 'relaxed-simd' },
  'Node 26': { command: installedNode(group, '26'), simd: 'relaxed-simd' },
  Deno: {
    command: packaged(`@deno/${platform}-${cpu[0]}-glibc/deno`),
    args: ['run', '--node-modules-dir=manual', '--no-remote', ...denoArgs.slice(1, -1)],
    env: { DENO_DIR: built('.deno'), DENO_NO_UPDATE_CHECK: '1' },
    simd: 'relaxed-simd',
  },
  Bun: { command: packaged(`@oven/bun-${platform}-${cpu[1]}/bin/bun`), simd: 'relaxed-simd' },
};

/** Whatever a runtime prints for an object or a number: without what only looks. */
const plain = (text) =>
  text
    .trim()
    .split('\n')
    .map((line) => line.replaceAll(' ', ''));

for (const [name, { command, args = [], env, simd, commonJs = true }] of Object.entries(runtimes)) {
  const trial = trialsOf(group, name);
  if (command === undefined) {
    trial.without('loads', `none for ${platform} on ${arch}`);
    continue;
  }
  const run = (program, ...given) =>
    outputOf(group, command, [...args, `programs/${program}`, ...given], { env });

  trial('example', "README's example", async () => {
    assert.deepEqual(plain(await run('readme.js')), example.printed);
  });

  let results;
  const suite = async (program, options) => JSON.parse(await run(program, JSON.stringify(options)));
  const once = () => (results ??= suite('suite-program.js', { threads: 3 }));
  trial('loads', 'imports the package, with the fastest build that it can run', async () =>
    judge.loads(await once(), { variant: simd, threads: 3 }),
  );
  trial('oracle', 'oracle cases', async () => judge.oracle(await once()));
  trial('models', 'models', async () => judge.models(await once()));
  trial('errors', 'errors of bad calls', async () => judge.errors(await once()));
  trial('threads', 'three threads', async () => judge.threads(await once(), 3));

  trial('ends', 'ends by itself, and says nothing of it', async () => {
    const found = await suite('suite-program.js', {});
    judge.loads(found, { variant: simd });
    judge.oracle(found);
  });

  trial('errors', 'a file that is not there', async () => {
    const { message, ...rest } = JSON.parse(await run('wrong-path.js'));
    assert.deepEqual(rest, { name: 'HeadwiseError', code: 'load-failed', threads: 1 });
    assert.match(
      message,
      /^wasm: expected a WebAssembly module at URL, got .*(ENOENT|no such file)/i,
    );
  });

  trial('loads', 'on a thread of node:worker_threads', async () => {
    const found = await suite('thread-program.js', { threads: 2 });
    judge.loads(found, { variant: simd, threads: 2 });
    judge.oracle(found);
    judge.threads(found, 2);
  });

  trial('loads', 'CommonJS, by import()', async () => {
    assert.equal(await run('import.cjs'), 'Tensor (2,) [1, 1]\n');
  });

  trial('loads', `CommonJS, by require${commonJs ? '' : ', is refused'}`, async () => {
    const program = [group, command, [...args, 'programs/require.cjs'], { env }];
    if (commonJs) {
      const { status, stdout } = await runProgram(...program);
      // Some versions call it experimental, on stderr.
      assert.deepEqual({ status, stdout }, { status: 0, stdout: 'Tensor (2,) [1, 1]\n' });
    } else {
      const { status, stderr } = await runProgram(...program);
      assert.equal(status, 1);
      assert.match(stderr, /ERR_REQUIRE_ESM/);
      assert.match(stderr, /dynamic import\(\)/);
    }
  });

  if (name === 'Deno') {
    trial('errors', 'without permission to read', async () => {
      const { status, stderr } = await runProgram(
        ...[
          group,
          command,
          ['run', '--node-modules-dir=manual', '--no-remote', 'programs/readme.js'],
        ],
        { env },
      );
      assert.equal(status, 1);
      assert.match(stderr, /HeadwiseError: wasm: .*headwise-\S*\.wasm\b.* got .*--allow-read/);
    });
  }
}

test(
  'all runtimes are there on Linux on x64',
  { skip: `${platform}-${arch}` !== 'linux-x64' },
  () => {
    assert.deepEqual(
      Object.keys(runtimes).filter((name) => runtimes[name].command === undefined),
      [],
    );
  },
);

/** miniflare needs a newer Node than this one may be. */
const node = installedNode(group, '24');
for (const flags of [[], ['nodejs_compat']]) {
  const trial = trialsOf(group, ['workerd', ...flags].join(' '));
  if (node === undefined) {
    trial.without('loads', `no Node 24 for ${platform} on ${arch}`);
    continue;
  }
  const ask = async (worker, wasm) => {
    const args = [worker, wasm, JSON.stringify(flags)];
    const { status, stdout, stderr } = await runProgram(group, node, [
      'programs/workerd.js',
      ...args,
    ]);
    assert.equal(status, 0, stderr);
    return JSON.parse(stdout);
  };
  let results;
  const once = () => (results ??= ask('programs/suite-worker.js', 'headwise-models-simd.wasm'));
  trial('example', "the document's Worker", async () => {
    const { shape } = await ask('programs/worker.js', 'headwise-simd.wasm');
    assert.deepEqual(shape, [2, 4, 100]);
  });
  trial('loads', 'takes a module', async () =>
    judge.loads(await once(), { variant: 'simd', threads: 1 }),
  );
  trial('oracle', 'oracle cases', async () => judge.oracle(await once()));
  trial('models', 'models', async () => judge.models(await once()));
  trial('errors', 'errors of bad calls', async () => judge.errors(await once()));
  trial.without('threads', 'has none');
}
