// Errors have a code, which programs can switch on.
import { expectTypeOf } from 'expect-type';
import { HeadwiseError } from 'headwise';
import type { ErrorCode } from 'headwise';

declare const caught: unknown;
if (caught instanceof HeadwiseError) {
  expectTypeOf(caught).toExtend<Error>();
  expectTypeOf(caught.code).toEqualTypeOf<ErrorCode>();
  expectTypeOf<HeadwiseError['name']>().toEqualTypeOf<'HeadwiseError'>();
  switch (caught.code) {
    case 'invalid-shape':
    case 'out-of-memory':
      break;
    // @ts-expect-error there is no such code
    case 'invalid-size':
  }
}
expectTypeOf<'not-initialized' | 'unsupported' | 'load-failed'>().toExtend<ErrorCode>();
expectTypeOf<string>().not.toExtend<ErrorCode>();
