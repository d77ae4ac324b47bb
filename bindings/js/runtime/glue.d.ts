/** Emscripten's glue, and what `embind.cpp` and `embind_models.cpp` export: the calls of the other C++ files. Addresses are bytes in WebAssembly memory; sizes are counted in elements. */
declare module 'headwise-glue' {
  type Address = import('./memory.js').Address;
  type Absent = import('./memory.js').Absent;

  export interface Core {
    readonly HEAPF32: Float32Array;
    readonly HEAPF64: Float64Array;
    readonly HEAP32: Int32Array;
    readonly HEAPU8: Uint8Array;
    readonly state: {
      /** Whether a call has begun and not returned. */
      isBusy: boolean;
      /** Whether JavaScript has begun a change that it has not completed, see `commit`. */
      isChanging: boolean;
      /** Where the call under way puts its results. */
      results: ResultPlaces | undefined;
    };
    newLayer(request: Address): Address;
    copyLayer(layer: Address): Address;
    deleteLayer(layer: Address): void;
    initialize(layer: Address, querySize: number, keySize: number, valueSize: number): Address;
    isTraining(layer: Address): number;
    setTraining(layer: Address, training: number): void;
    layerParameters(layer: Address): Address | Absent;
    checkLayerTensors(layer: Address, request: Address): Address | Absent;
    readParameter(
      stored: Address,
      index: number,
      firstRow: number,
      rows: number,
      to: Address,
    ): void;
    writeParameter(
      stored: Address,
      index: number,
      firstRow: number,
      rows: number,
      from: Address,
    ): void;
    forward(layer: Address, inputs: Address): void;
    createCache(layer: Address, batchSize: number, maxLength: number, precision: number): Address;
    isRelaxed(): number;
    workerEntry(): number;
    newStack(): Address | Absent;
    setThreads(threads: number, generation: number): void;
    reserve(floats: number): Address | Absent;
    newTensor(floats: number): Address | Absent;
    deleteTensor(tensor: Address): void;
    maskedSoftmax(record: Address, first: number, samples: number, scores: Address): void;
    pool(inputs: Address): void;
    splitHeads(
      batch: number,
      length: number,
      size: number,
      numHeads: number,
      from: Address,
      to: Address,
    ): void;
    joinHeads: Core['splitHeads'];
    positionalEncoding(length: number, numHiddens: number): Address | Absent;
    fillNormal(numbers: Address, count: number, seed: number): void;
    deleteCache(cache: Address): void;
    cacheLength(cache: Address): number;
    setCacheLength(cache: Address, length: number): void;
    /** Rounds a row of weights to float16, 1, or int8, 2; returns the factor of the latter. */
    roundRow(precision: number, from: Address, count: number, to: Address): number;
    toFloats(
      type: number,
      size: number,
      bigEndian: number,
      from: Address,
      count: number,
      to: Address,
    ): void;
    toRowMajor(shape: Address, rank: number, from: Address, to: Address): void;
    readSafetensorsHeader(request: Address): Address | Absent;
    writeSafetensorsHeader(request: Address): Address | Absent;
    readNpyHeader(request: Address): Address | Absent;
    writeNpyHeader(request: Address): Address | Absent;
    planLayer(request: Address): Address | Absent;
    backward(layer: Address, record: Address): void;
    zeroGradients(layer: Address): void;
    parametersChanged(layer: Address): void;
    /** `heads`: so many doubles. */
    removeHeads(layer: Address, heads: Address, count: number): void;
    newSgd(
      trainables: Address,
      learningRate: number,
      momentum: number,
      weightDecay: number,
    ): Address;
    newAdam(
      trainables: Address,
      learningRate: number,
      beta1: number,
      beta2: number,
      epsilon: number,
      weightDecay: number,
    ): Address;
    deleteOptimizer(optimizer: Address): void;
    setLearningRate(optimizer: Address, learningRate: number): void;
    step(optimizer: Address): void;
    zeroAllGradients(optimizer: Address): void;
    clipGradientNorm(trainables: Address, maxNorm: number): number;
    newModel(request: Address): Address;
    copyModel(model: Address): Address;
    deleteModel(model: Address): void;
    describeModel(model: Address): Address | Absent;
    modelMemory(model: Address): Address | Absent;
    modelParameters(model: Address): Address | Absent;
    checkModelTensors(model: Address, request: Address): void;
    zeroModelGradients(model: Address): void;
    modelParametersChanged(model: Address): void;
    runModel(model: Address, record: Address): number;
    unembed(model: Address, features: Address, rows: number, logits: Address): void;
    backwardModel(model: Address, record: Address): void;
    newGeneration(model: Address, inputs: Address): Address;
    deleteGeneration(generation: Address): void;
    generationHasEnded(generation: Address): number;
    nextToken(generation: Address): number;
    newHeadPatching(model: Address, record: Address): Address;
    deleteHeadPatching(patching: Address): void;
    patchNextHeads(patching: Address, record: Address): number;
    checkPatchedHeads(patching: Address): void;
    newModelCache(model: Address, batchSize: number, maxLength: number, precision: number): Address;
    deleteModelCache(cache: Address): void;
    modelCacheLength(cache: Address): number;
    setModelCacheLength(cache: Address, length: number, withSource: number): void;
    /** `heads`: doubles, as many of each layer as `counts` says. */
    pruneModel(model: Address, side: number, counts: Address, heads: Address): void;
    planCheckpoint(request: Address): Address | Absent;
    newPretrained(request: Address): Address;
    /** `kind`: 0 values, 1 gradients, 2 values with zeros for removed heads. */
    pretrainedTensors(model: Address, kind: number): Address | Absent;
    loadPretrained(
      model: Address,
      number: number,
      firstRow: number,
      rows: number,
      values: Address,
    ): void;
    savePretrained(model: Address, number: number, values: Address): void;
    prunedHeads(model: Address, side: number): Address | Absent;
    taskSizes(kind: number, options: Address): Address | Absent;
    /** Tokens, targets and keys, one behind the other. */
    drawTask(
      kind: number,
      options: Address,
      seed: number,
      batchSize: number,
      first: number,
    ): Address | Absent;
    checkImportance(request: Address): void;
    leastImportantHeads(request: Address): Address | Absent;
    scoreHeads(record: Address): void;
  }

  /** The results of a call, by their numbers: those of `ResultName`, or of `ModelResult` as in results.cpp. */
  export interface ResultPlaces {
    /** Makes a result. Returns its address if it is in WebAssembly memory that the call may write to. */
    make(name: number, shape: readonly number[]): Address | Absent;
    /** Copies a result from this address. */
    take(name: number, address: Address): void;
  }

  /** What the glue asks of who runs it. */
  export interface Given {
    readonly wasmMemory: WebAssembly.Memory;
    /** The call under way found too little memory and changed nothing. */
    outOfMemory(): void;
    /** The call under way failed and changed nothing: the number of the error's code, and the text's address. */
    callFailed(code: number, text: number): void;
    /** As `make` of `ResultPlaces`; 1 if that throws. */
    makeResult(name: number, shape: Address, rank: number): Address | Absent;
    takeResult: ResultPlaces['take'];
    instantiateWasm(
      imports: WebAssembly.Imports,
      ready: (instance: WebAssembly.Instance) => WebAssembly.Exports,
    ): WebAssembly.Exports;
  }
  const createModule: (
    given: Given,
  ) => Given & Pick<Core, 'HEAPF32' | 'HEAPF64' | 'HEAP32' | 'HEAPU8'>;
  export default createModule;
}

/** In headwise/inline, a build as base64. */
declare module 'headwise-models-simd.wasm' {
  const text: string;
  export default text;
}

declare module 'comlink/dist/esm/node-adapter.mjs' {
  export { default } from 'comlink/dist/umd/node-adapter.js';
}
