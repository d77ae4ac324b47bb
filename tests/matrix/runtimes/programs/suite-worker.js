// The suite in a Worker: it gets the cases and answers with the results.
import * as headwise from 'headwise/models';
import wasm from 'headwise/headwise-models-simd.wasm';
import { suite } from './suite.js';

export default {
  async fetch(request) {
    const results = await suite(headwise, await request.json(), { wasm });
    return Response.json(results);
  },
};
