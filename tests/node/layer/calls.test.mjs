import test from 'node:test';
import { init } from 'headwise';
import { replay } from '../lib/replay.mjs';

await init();

// HEADWISE_SEED and HEADWISE_CONFIGURATIONS choose others, for the vectors and for the native test.
test('layers and pooling functions give what they give in C++', (context) =>
  replay(context, 'layers'));

test('other functions and tasks give what they give in C++', (context) =>
  replay(context, 'functions'));
