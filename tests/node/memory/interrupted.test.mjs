// Calls that do not come to their end: with too little of the stack left, and stopped by a time limit.
import { inNewProcess as runInNewProcess } from '../lib/in-new-process.mjs';

const before = `
  const { ResidentTensor, Transformer, maskedSoftmax } = headwise;
  const X = new Tensor(Float32Array.from({ length: 192 }, (_, i) => Math.sin(i * i)), [2, 6, 16]);
  const sizes = { numHiddens: 16, numHeads: 4 };
  const layer = (seed = 3) => new MultiHeadAttention({ ...sizes, seed });
  const sized = (seed = 3) =>
    new MultiHeadAttention({ ...sizes, querySize: 16, keySize: 16, valueSize: 16, seed });
  const model = (seed = 1) =>
    new Transformer({ vocabularySize: 7, maxLength: 8, numHiddens: 8, numHeads: 2, numLayers: 2, seed });
  const [tokens, targets] = [[[1, 2, 3, 4]], [[2, 3, 4, 5]]];
  const output = (made) => made.forward(X, X, X).output.data;
  const logits = (made) => made.forward(tokens).logits.data;
  /** What a call changes: what it is made on, the call, and what is then computed. */
  const cases = {
    forward: [layer, output, output],
    loadStateDict: [layer, (made) => made.loadStateDict(sized(4).stateDict()), output],
    requiresGrad: [sized, (made) => made.forward(X, X, X, { requiresGrad: true }), output],
    pruneHeads: [sized, (made) => made.pruneHeads([1]), output],
    createCache: [sized, (made) => made.createCache({ batchSize: 2, maxLength: 6 }), output],
    cache: [
      () => {
        const made = sized();
        return Object.assign(made, { cache: made.createCache({ batchSize: 2, maxLength: 6 }) });
      },
      (made) => made.forward(X, X, X, { cache: made.cache }),
      (made) => {
        const { length } = made.cache;
        const { output: found } = made.forward(X, null, null, { cache: made.cache });
        return [length, ...found.data];
      },
    ],
    backward: [
      () => {
        const made = sized();
        made.forward(X, X, X, { requiresGrad: true });
        return made;
      },
      (made) => made.backward(X),
      (made) => made.gradients()['W_o.weight'].data,
    ],
    'model.forward': [model, (made) => made.forward(tokens, { requiresGrad: true }), logits],
    'model.pruneHeads': [model, (made) => made.pruneHeads({ 0: [1], 1: [0] }), logits],
    trainStep: [model, (made) => made.trainStep(tokens, targets), logits],
  };
`;
const inNewProcess = (name, text) =>
  runInNewProcess(name, text, { before, flags: ['--expose-gc'] });

for (const threads of [1, 2]) {
  inNewProcess(
    `a call that finds too little of the stack left changes nothing: ${threads}`,
    `
    await init({ threads: ${threads} });
    for (const [name, [make, act, result]] of Object.entries(cases)) {
      const untouched = make();
      const expected = [String(result(untouched))];
      const changed = make();
      act(changed);
      expected.push(String(result(changed)));
      // At every fourth depth from the end of the stack on.
      const tried = Array.from({ length: 250 }, () => ({ made: make(), error: undefined }));
      let next = 0;
      const dive = () => {
        try {
          dive();
        } catch {
          // The end of the stack.
        }
        const one = tried[next++ / 4];
        if (one === undefined) return;
        try {
          act(one.made);
        } catch (error) {
          one.error = error;
        }
      };
      dive();
      const errors = tried.map(({ error }) => error).filter((error) => error !== undefined);
      assert.ok(errors.length > 0 && errors.length < 240, name + ': ' + errors.length);
      for (const error of errors) assert.equal(error.name, 'RangeError', error.message);
      for (const { made, error } of tried) {
        const found = String(result(made));
        assert.ok(error ? expected.includes(found) : found === expected[1], name);
        made.dispose();
      }
    }
    `,
  );

  inNewProcess(
    `a call that is stopped for good costs its instance, and init makes a new one: ${threads}`,
    `
    const { runInThisContext } = process.getBuiltinModule('node:vm');
    const own = process.getBuiltinModule('node:worker_threads');
    let workers = 0;
    own.Worker = class extends own.Worker {
      constructor(...args) {
        super(...args);
        workers++;
        this.once('exit', () => workers--);
      }
    };
    const lost = { name: 'HeadwiseError', code: 'interrupted', message: /^headwise: .*await init\\(\\)/ };
    const long = new Tensor(new Float32Array(19200).map((_, i) => Math.sin(i * i)), [1, 200, 96]);
    const make = () => new MultiHeadAttention({ numHiddens: 96, numHeads: 4, seed: 1 });
    let expected;
    for (let turn = 0; turn < 6; turn++) {
      assert.equal((await init({ threads: ${threads} })).threads, ${threads});
      expected ??= make().forward(long, long, long).output.data;
      const used = make();
      const others = [sized(), model(), sized().createCache({ batchSize: 2, maxLength: 6 }), new ResidentTensor([3])];
      globalThis.act = () => assert.deepEqual(used.forward(long, long, long).output.data, expected);
      act(); // The first comparison loads modules of Node, which a stop would leave half loaded.
      for (;;) {
        // The limit may be over outside of a call: then everything goes on.
        assert.throws(() => runInThisContext('for (;;) act()', { timeout: 1 + 2 * turn }), { code: 'ERR_SCRIPT_EXECUTION_TIMEOUT' });
        try {
          act();
        } catch (error) {
          assert.throws(() => { throw error; }, lost);
          break;
        }
      }
      for (const call of [
        ...[() => output(used), () => output(others[0]), () => logits(others[1]), () => others[2].reset()],
        ...[() => others[3].data, () => sized().forward(others[3], X, X), layer, model, () => maskedSoftmax(X)],
      ]) {
        assert.throws(call, lost);
      }
      for (const each of [used, ...others.slice(turn % 4)]) {
        each.dispose();
        each.dispose();
      }
      if (turn % 3 === 0) dispose();
    }
    await init({ threads: ${threads} });
    const made = Array.from({ length: 20 }, make);
    for (let i = 0; i < 3; i++) {
      globalThis.gc();
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    for (const each of made) assert.deepEqual(each.forward(long, long, long).output.data, expected);
    while (workers !== ${threads - 1}) await new Promise((resolve) => setTimeout(resolve, 1));
    `,
  );
}
