import test from 'node:test';
import { init } from 'headwise';
import { replay } from '../lib/replay.mjs';

await init();

// HEADWISE_SEED and HEADWISE_CONFIGURATIONS choose others, for the vectors and for the native test.
test('random configurations agree with the float64 references', (context) =>
  replay(context, 'random-configurations'));

test('layers live through random calls as in C++', (context) => replay(context, 'layer-histories'));

test('functions and tasks agree with C++', (context) => replay(context, 'functions'));
