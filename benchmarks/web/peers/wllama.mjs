// wllama: llama.cpp in WebAssembly. It takes the prompt as text, each of whose characters is one token.
import { wasmAddress } from '#wllama';
import { Wllama } from '@wllama/wllama';
import { answerOf } from '../language-model.mjs';
import { checkedBy } from '../timing.mjs';

const silent = { debug() {}, log() {}, warn() {}, error() {} };

export function load({ threads }) {
  return {
    about: { threads },
    async prepare(problem, { gguf }) {
      const { tokens, newTokens, vocabularySize, maxLength } = problem;
      const wllama = new Wllama(
        { default: await wasmAddress() },
        { suppressNativeLog: true, logger: silent, cacheManager: {}, modelManager: {} },
      );
      await wllama.loadModel([new Blob([gguf])], {
        n_ctx: maxLength,
        n_batch: 512,
        n_ubatch: 512,
        n_threads: threads,
        n_parallel: 1,
        n_gpu_layers: 0,
      });
      if (threads > 1 && !wllama.isMultithread()) throw new Error('it runs on one thread');
      const complete = (told) =>
        wllama.createCompletion({
          prompt: String.fromCharCode(...tokens),
          max_tokens: newTokens,
          temperature: 0,
          cache_prompt: false,
          ignore_eos: true,
          ...told,
        });
      const { choices, usage } = await complete({ logprobs: 100 });
      if (usage.prompt_tokens !== tokens.length) throw new Error(`${usage.prompt_tokens} tokens`);
      const { content } = choices[0].logprobs;
      const logits = new Float32Array(vocabularySize).fill(NaN);
      for (const { id, logprob } of content[0].top_logprobs) logits[id] = logprob;
      const generated = content.map(({ id }) => id);
      return checkedBy(answerOf(generated, logits), () => complete({}));
    },
  };
}
