/** What `embind.cpp` exports. Addresses are bytes in WebAssembly memory; sizes are counted in elements. */
declare module 'headwise-glue/simd' {
  export interface CoreLayer {
    initialize(querySize: number, keySize: number, valueSize: number): boolean;
    setTraining(training: boolean): void;
    weight(projection: number): number;
    bias(projection: number): number;
    workspaceSize(batch: number, numQueries: number, numKeys: number): number;
    forward(
      batch: number,
      numQueries: number,
      numKeys: number,
      validLensRank: number,
      validLens: number,
      uniformEmptyRows: boolean,
      queries: number,
      keys: number,
      values: number,
      output: number,
      attentionWeights: number,
      workspace: number,
    ): void;
    delete(): void;
  }

  export interface Core {
    readonly HEAPF32: Float32Array;
    readonly HEAP32: Int32Array;
    readonly Layer: new (
      numHiddens: number,
      numHeads: number,
      dropout: number,
      bias: boolean,
      seed: number,
    ) => CoreLayer;
    reserve(floats: number): number;
    canAllocate(bytes: number): boolean;
    maskedSoftmax(
      batch: number,
      numQueries: number,
      numKeys: number,
      validLensRank: number,
      validLens: number,
      uniformEmptyRows: boolean,
      weights: number,
    ): void;
    poolingWorkspaceSize(numKeys: number, headSize: number, valueSize: number): number;
    scaledDotProductAttention(
      batch: number,
      numHeads: number,
      numQueries: number,
      numKeys: number,
      headSize: number,
      valueSize: number,
      validLensRank: number,
      validLens: number,
      uniformEmptyRows: boolean,
      queries: number,
      keys: number,
      values: number,
      output: number,
      attentionWeights: number,
      workspace: number,
    ): void;
    transposeQkv(
      batch: number,
      length: number,
      numHeads: number,
      headSize: number,
      from: number,
      to: number,
    ): void;
    transposeOutput(
      batch: number,
      length: number,
      numHeads: number,
      headSize: number,
      from: number,
      to: number,
    ): void;
    fillNormal(numbers: number, count: number, seed: number): void;
  }

  export interface CoreOptions {
    /** Called in place of the glue's own loading; must pass the instance on before it returns. */
    instantiateWasm(
      imports: WebAssembly.Imports,
      success: (instance: WebAssembly.Instance, module: WebAssembly.Module) => void,
    ): WebAssembly.Exports;
  }

  export default function createCore(options: CoreOptions): Promise<Core>;
}
