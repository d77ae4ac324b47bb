// Loading the package, each test in a process of its own.
import { inNewProcess as runInNewProcess } from '../lib/in-new-process.mjs';

const before = `
  const wasm = url('headwise-simd.wasm');
  // A module with one relaxed multiply-add.
  const isRelaxed = WebAssembly.validate(new Uint8Array([
    0, 97, 115, 109, 1, 0, 0, 0, 1, 8, 1, 96, 3, 123, 123, 123, 1, 123, 3, 2, 1, 0, 10,
    13, 1, 11, 0, 32, 0, 32, 1, 32, 2, 253, 133, 2, 11,
  ]));
`;

const inNewProcess = (name, text, flags) => runInNewProcess(name, text, { before, flags });

inNewProcess(
  'everything but plain tensors needs init, and the error says so',
  `
  const X = Tensor.ones([1, 2, 4]);
  assert.deepEqual(new Tensor([1, 2], [2]).toArray(), [1, 2]);
  const heads = Tensor.zeros([1, 1, 2, 4]);
  const calls = [
    () => headwise.positionalEncoding(0, 4),
    () => new MultiHeadAttention({ numHiddens: 4, numHeads: 2 }),
    () => headwise.scaledDotProductAttention(heads, heads, heads),
    () => headwise.additiveAttention(X, X, X, { W_q: X.toArray()[0], W_k: X.toArray()[0], w_v: [[1, 1]] }),
    () => headwise.maskedSoftmax(X),
    () => headwise.transposeQkv(X, 2),
    () => headwise.transposeOutput(X, 1),
    () => headwise.splitHeads(X, 2),
    () => Tensor.randn([2], 1),
    () => new headwise.CopyTask({ numSymbols: 2, length: 2 }),
  ];
  for (const call of calls) {
    assert.throws(call, (error) => {
      assert.ok(error instanceof HeadwiseError);
      assert.equal(error.code, 'not-initialized');
      assert.equal(error.message, 'headwise: expected init() to have been awaited, got a call before it');
      return true;
    });
  }
  const loading = init();
  assert.throws(calls[0], { code: 'not-initialized' });
  await loading;
  calls.forEach((call) => call());
  `,
);

inNewProcess(
  'init is idempotent and returns what it chose',
  `
  const { Instance } = WebAssembly;
  let instances = 0;
  WebAssembly.Instance = function (...args) {
    instances++;
    return new Instance(...args);
  };
  const chosen = {
    variant: isRelaxed ? 'relaxed-simd' : 'simd',
    threads: Math.min(availableParallelism(), 8),
  };
  assert.deepEqual(await Promise.all([init(), init()]), [chosen, chosen]);
  const layer = new MultiHeadAttention({ numHiddens: 4, numHeads: 2 });
  assert.deepEqual(await init({ variant: 'auto', threads: 'auto' }), chosen);
  assert.deepEqual(await init(chosen), chosen);
  const other = isRelaxed ? 'simd' : 'relaxed-simd';
  await fails(init({ variant: other }), 'unsupported', /^variant: expected '.*', which is loaded, got /);
  await fails(init({ wasm }), 'unsupported', /^wasm: expected what is loaded already, or none, got another$/);
  await fails(init({ threads: chosen.threads + 1 }), 'unsupported', /^threads: expected \\d+, for which it is loaded, got \\d+$/);
  // Of the module, and of the check of the stack.
  assert.equal(instances, 2);
  // A layer made before the second call lives on.
  layer.forward(Tensor.ones([1, 2, 4]), Tensor.ones([1, 2, 4]), Tensor.ones([1, 2, 4]));
  `,
);

inNewProcess(
  'bad options of init are errors and do not keep it from working',
  `
  for (const variant of ['fast', null]) {
    await fails(init({ variant }), 'invalid-option', /^variant: expected .*, got ("fast"|null)$/);
  }
  if (!isRelaxed) await fails(init({ variant: 'relaxed-simd' }), 'unsupported', /^variant: /);
  for (const threads of [0, 1.5, '2', NaN, 65, null]) {
    await fails(init({ threads }), 'invalid-option', /^threads: expected 'auto' or an integer from 1 to 64, got /);
  }
  await init();
  forward();
  `,
);

inNewProcess(
  'a WebAssembly file that cannot be loaded is an error, and the next init works',
  `
  await fails(init({ wasm: new URL('nothing.wasm', wasm) }), 'load-failed', /^wasm: expected a WebAssembly module at .*nothing\\.wasm, got /);
  await fails(init({ wasm: new Uint8Array([1, 2, 3]) }), 'load-failed', /^wasm: expected a WebAssembly module at the given bytes, got /);
  await fails(init({ wasm: new URL('index.js', wasm).href }), 'load-failed', /^wasm: .*index\\.js, got /);
  await fails(init({ wasm: 3 }), 'load-failed', /^wasm: expected a URL, a path, bytes or a WebAssembly.Module, got 3$/);
  await fails(init({ wasm: 'http://:/x.wasm' }), 'load-failed', /^wasm: .*Invalid URL/);
  const empty = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]);
  await fails(init({ wasm: empty }), 'load-failed', /^wasm: expected a WebAssembly module at the given bytes, got /);
  const foreign = await WebAssembly.compile(empty);
  await fails(init({ wasm: foreign }), 'load-failed', /^wasm: expected a WebAssembly module at the given module, got /);
  await init();
  forward();
  `,
);

const sources = {
  'a URL': 'wasm',
  'a URL as text': 'wasm.href',
  bytes: 'readFileSync(wasm)',
  'an ArrayBuffer': 'new Uint8Array(readFileSync(wasm)).buffer',
  'a compiled module': 'await WebAssembly.compile(readFileSync(wasm))',
  'a path': 'wasm.pathname',
  'a path from the working directory':
    "(await import('node:path')).relative(process.cwd(), wasm.pathname)",
  'a data URL': "'data:application/wasm;base64,' + readFileSync(wasm, 'base64')",
  'a URL of another context':
    "(await import('node:vm')).runInNewContext('new URL(href)', { URL, href: wasm.href })",
};
for (const [name, source] of Object.entries(sources)) {
  inNewProcess(
    `the WebAssembly file may be given as ${name}`,
    `await init({ wasm: ${source} }); forward()`,
  );
}

inNewProcess(
  'a Node that is too old is an error',
  `
  await fails(init(), 'unsupported', /^engine: expected Node 20\\.16, 22\\.3 or newer, got Node \\d+\\.\\d+/);
  `,
  ['--import', 'data:text/javascript,delete process.getBuiltinModule'],
);

inNewProcess(
  'frozen intrinsics, whose methods are accessors, do not matter',
  'await init({ threads: 2 }); forward(300)',
  ['--frozen-intrinsics'],
);

inNewProcess(
  'concurrent calls of init each get their own answer',
  `
  const calls = [init({ wasm: new Uint8Array([1, 2, 3]) }), init(), init({ wasm: 'nothing.wasm' }), init()];
  const [spoilt, { status, value }, late, last] = await Promise.allSettled(calls);
  assert.equal(spoilt.reason?.code, 'load-failed');
  assert.equal(status, 'fulfilled');
  assert.equal(late.reason?.code, 'unsupported');
  assert.deepEqual(last.value, value);
  forward();
  `,
);

inNewProcess(
  'a file other than the loaded one is an error',
  `
  const models = url('headwise-models-simd.wasm');
  const bytes = readFileSync(models);
  const another = (given) => fails(init({ wasm: given }), 'unsupported', /^wasm: expected what is loaded already, or none, got another$/);
  await init({ wasm: models });
  for (const same of [models, new URL(models), models.href, models.pathname, undefined]) await init({ wasm: same });
  for (const given of [url('headwise-models-simd-threads.wasm'), 'nothing.wasm', bytes, 'http://:/x.wasm', 3]) {
    await another(given);
  }
  forward();
  `,
);

inNewProcess(
  'a variant other than that of the given file is an error, and the next init works',
  `
  await fails(init({ wasm, variant: 'relaxed-simd' }), 'unsupported', /^variant: expected 'simd', /);
  assert.throws(forward, { code: 'not-initialized' });
  await init();
  forward();
  `,
);

/** Serves the WebAssembly file, and notes how it was compiled. */
const served = `
  const { createServer } = await import('node:http');
  const used = [];
  async function initFrom(type, status = 200, body = readFileSync(wasm)) {
    const server = createServer((_request, response) => {
      response.writeHead(status, type === undefined ? {} : { 'Content-Type': type }).end(body);
    });
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
    const file = 'http://127.0.0.1:' + server.address().port + '/a.wasm';
    // Node's fetch compiles a module of its own when it is first used.
    await (await fetch(file)).arrayBuffer();
    for (const name of ['compile', 'compileStreaming']) {
      const compile = WebAssembly[name];
      if (compile) WebAssembly[name] = (...args) => { used.push(name); return compile(...args); };
    }
    try {
      return await init({ wasm: file });
    } finally {
      server.closeAllConnections();
      server.close();
    }
  }
`;

for (const [name, type, streams, way] of [
  ['while it loads', 'application/wasm', true, 'compileStreaming'],
  ['once it is there if it has no type', undefined, true, 'compile'],
  ['once it is there if its type is another', 'application/octet-stream', true, 'compile'],
  ['once it is there if its type has more', 'application/wasm; charset=utf-8', true, 'compile'],
  ['once it is there if the engine streams no modules', 'application/wasm', false, 'compile'],
]) {
  inNewProcess(
    `a file from a server compiles ${name}`,
    `${served}
    if (!${streams}) delete WebAssembly.compileStreaming;
    await initFrom(${JSON.stringify(type)});
    assert.deepEqual(used, ['${way}']);
    forward();
    `,
  );
}

inNewProcess(
  'a server without the file is an error that names the option',
  `${served}
  const at = /^wasm: expected a WebAssembly module at http:.*a\\.wasm, got /;
  await fails(initFrom('text/html', 404), 'load-failed', /\\/a\\.wasm, got HTTP status 404$/);
  await fails(initFrom('text/html', 200, '<!doctype html>'), 'load-failed', at);
  await fails(initFrom('application/wasm', 200, '<!doctype html>'), 'load-failed', at);
  await fails(init({ wasm: 'http://127.0.0.1:1/a.wasm' }), 'load-failed', at);
  await init();
  forward();
  `,
);

/** Replacements of `process` that bundlers put into pages. */
const shims = {
  'one of a browser':
    "{ browser: true, env: {}, versions: {}, nextTick: () => {}, cwd: () => '/' }",
  'one that has no function there': '{ getBuiltinModule: null, env: {} }',
};
for (const [name, shim] of Object.entries(shims)) {
  // A page's globals, as far as loading asks for them, before anything is loaded.
  const page = `
    import { readFileSync } from 'node:fs';
    const globals = {
      process: ${shim},
      navigator: { hardwareConcurrency: 3 },
      location: { href: 'file:///', origin: 'null' },
      Worker: class { constructor() { throw new Error('only a TrustedScriptURL'); } },
      fetch: async (file) => new Response(readFileSync(file), { headers: { 'Content-Type': 'application/wasm' } }),
    };
    for (const [name, value] of Object.entries(globals)) {
      Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
    }
  `;
  inNewProcess(
    `a process that is not Node's is not taken for it: ${name}`,
    `
    assert.equal((await init()).threads, 1);
    await fails(init({ threads: 2 }), 'load-failed', /^threads: expected workers of worker\\.js, got only a TrustedScriptURL \\(allow worker files in a default policy: /);
    const X = Tensor.ones([1, 2, 4]);
    new MultiHeadAttention({ numHiddens: 4, numHeads: 2 }).forward(X, X, X);
    `,
    ['--import', `data:text/javascript,${encodeURIComponent(page)}`],
  );
}

for (const [what, change] of Object.entries({
  WebAssembly: 'delete globalThis.WebAssembly',
  // What such engines answer to modules that wasm-feature-detect makes.
  'WebAssembly SIMD': 'WebAssembly.validate = () => false',
  'WebAssembly exceptions': 'WebAssembly.validate = (bytes) => bytes.includes(0xfd)',
})) {
  inNewProcess(
    `an engine without ${what} is an error`,
    `${change};
    await fails(init(), 'unsupported', /^engine: expected WebAssembly SIMD and exceptions .*, got an engine without them$/);
    `,
  );
}
