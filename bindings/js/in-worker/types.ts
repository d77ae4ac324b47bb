import type { CaptureName } from '../layer/capture.js';
import type { ChosenWeights } from '../layer/chosen-weights.js';
import type { ForwardOptions, ForwardResult } from '../layer/forward.js';
import type { KeyValueCache } from '../layer/key-value-cache.js';
import type { MultiHeadAttention } from '../layer/multi-head-attention.js';
import type { AttentionOnlyTransformer } from '../model/attention-only-transformer.js';
import type { ModelCache } from '../model/model-cache.js';
import type { ActivationName } from '../model/activations.js';
import type { EmbeddingsInput, TransformerForwardOptions } from '../model/model-inputs.js';
import type { TransformerResult } from '../model/transformer-result.js';
import type { Transformer } from '../model/transformer.js';
import type { Gguf, GgufFile } from '../io/gguf.js';
import type { Safetensors, SafetensorsFile } from '../io/safetensors-contents.js';
import type { KeyMaskInput, MaskInput, TensorInput, TokensInput } from '../tensor/inputs.js';
import type { Tensor } from '../tensor/tensor.js';
import type { Optimizer } from '../training/optimizers.js';
import type { Task } from '../training/tasks.js';
import type { Trainable } from '../training/trainables.js';

/** Objects that stay in the worker. */
type Kept =
  | MultiHeadAttention
  | Transformer
  | KeyValueCache
  | ModelCache
  | Optimizer
  | Task
  | Trainable
  | Safetensors
  | SafetensorsFile
  | Gguf
  | GgufFile;

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- the constraint of all functions
type AnyFunction = (...args: any[]) => unknown;

/** Types of arguments that do not change. */
type Sent =
  | AnyFunction
  | TensorInput
  | MaskInput
  | KeyMaskInput
  | TokensInput
  | ArrayBufferView
  | ArrayBufferLike
  | AbortSignal
  | { size: number };

/** The type of an argument: objects in the worker are passed by their proxies. */
type Given<Value> = Value extends Kept
  ? Remote<Value>
  : Value extends Sent
    ? Value
    : Value extends object
      ? { [Name in keyof Value]: Given<Value[Name]> }
      : Value;

/** The type of a result: objects in the worker are returned as proxies. */
type Answered<Value> =
  Value extends PromiseLike<infer Awaited>
    ? Answered<Awaited>
    : Value extends Kept
      ? Remote<Value>
      : Value;

type Arguments<Values extends readonly unknown[]> = { [Name in keyof Values]: Given<Values[Name]> };

type Later<Args extends readonly unknown[], Answer> = (
  ...args: Arguments<Args>
) => Promise<Answered<Answer>>;

/** A function that returns a promise, with up to three overloads. */
export type RemoteFunction<Call> = Call extends {
  (...args: infer A): infer AnswerA;
  (...args: infer B): infer AnswerB;
  (...args: infer C): infer AnswerC;
}
  ? Later<A, AnswerA> & Later<B, AnswerB> & Later<C, AnswerC>
  : Call extends { (...args: infer A): infer AnswerA; (...args: infer B): infer AnswerB }
    ? Later<A, AnswerA> & Later<B, AnswerB>
    : Call extends (...args: infer A) => infer AnswerA
      ? Later<A, AnswerA>
      : never;

type Member<Value> = [Value] extends [AnyFunction] ? RemoteFunction<Value> : Promise<Value>;

type Asked = boolean | ChosenWeights | undefined;
type Names = readonly CaptureName[] | undefined;
type ModelNames = readonly ActivationName[] | undefined;

/** Options of a pass. These three type parameters determine the type of its result. */
type PassOptions<Options, Cache, Weights, Capture> = Omit<
  Options,
  'returnWeights' | 'keyMass' | 'capture' | 'cache' | 'out'
> & {
  returnWeights?: Weights;
  capture?: Capture;
  cache?: Remote<Cache> | undefined;
};

type LayerOptions<Weights, KeyMass, Capture> = PassOptions<
  ForwardOptions,
  KeyValueCache,
  Weights,
  Capture
> & { keyMass?: KeyMass };

/** The overloads of `MultiHeadAttention.forward`, without `out`. */
interface LayerForward {
  <
    const Weights extends true | ChosenWeights,
    const KeyMass extends boolean | undefined = undefined,
    const Capture extends Names = undefined,
  >(
    queries: TensorInput,
    keys: TensorInput | null,
    values: TensorInput | null,
    options: LayerOptions<Weights, KeyMass, Capture> & { returnWeights: Weights },
  ): Promise<ForwardResult<Weights, KeyMass, Capture>>;
  <const KeyMass extends boolean | undefined = undefined, const Capture extends Names = undefined>(
    queries: TensorInput,
    keys: TensorInput | null,
    values: TensorInput | null,
    options?: LayerOptions<false | undefined, KeyMass, Capture>,
  ): Promise<ForwardResult<false, KeyMass, Capture>>;
  <const KeyMass extends boolean | undefined = undefined, const Capture extends Names = undefined>(
    queries: TensorInput,
    keys: TensorInput | null,
    values: TensorInput | null,
    options?: LayerOptions<Asked, KeyMass, Capture>,
  ): Promise<ForwardResult<boolean, KeyMass, Capture>>;
}

type ModelOptions<Weights, Capture> = PassOptions<
  TransformerForwardOptions,
  ModelCache,
  Weights,
  Capture
>;

/** The overloads of `Transformer.forward`. Results also have the members of `More`. */
interface ModelForward<More> {
  <const Weights extends true | ChosenWeights, const Capture extends ModelNames = undefined>(
    input: TokensInput | TensorInput | EmbeddingsInput,
    options: ModelOptions<Weights, Capture> & { returnWeights: Weights },
  ): Promise<TransformerResult<Weights, Capture> & More>;
  <const Capture extends ModelNames = undefined>(
    input: TokensInput | TensorInput | EmbeddingsInput,
    options?: ModelOptions<false | undefined, Capture>,
  ): Promise<TransformerResult<false, Capture> & More>;
  (
    input: TokensInput | TensorInput | EmbeddingsInput,
    options?: ModelOptions<Asked, ModelNames>,
  ): Promise<TransformerResult & More>;
}

type Forward<Instance> = Instance extends MultiHeadAttention
  ? { readonly forward: LayerForward }
  : Instance extends AttentionOnlyTransformer
    ? { readonly forward: ModelForward<{ logits: Tensor }> }
    : Instance extends Transformer
      ? { readonly forward: ModelForward<unknown> }
      : unknown;

/**
 * A proxy of an object in the worker: its methods return promises, its properties are promises. Arguments may be other
 * proxies.
 */
export type Remote<Instance> = {
  readonly [
    Name in keyof Instance as Name extends symbol | 'forward' | 'learningRate' ? never : Name
  ]: Member<Instance[Name]>;
} & Forward<Instance> &
  (Instance extends { learningRate: number }
    ? // eslint-disable-next-line @typescript-eslint/related-getter-setter-pairs -- takes a number, returns a promise
      { get learningRate(): Promise<number>; set learningRate(value: number) }
    : unknown) & { [Symbol.asyncDispose](): Promise<void> };

/** A class whose objects live in the worker: `await new MultiHeadAttention(…)`. */
export type RemoteClass<Class extends abstract new (...args: never[]) => unknown> = {
  readonly [Name in keyof Class as Name extends 'prototype' ? never : Name]: Member<Class[Name]>;
} & (Class extends new (...args: infer Args) => infer Instance
  ? new (...args: Arguments<Args>) => Promise<Remote<Instance>>
  : unknown);
