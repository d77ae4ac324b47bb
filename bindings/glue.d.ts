/** What `embind.cpp` exports: the calls of the other C++ files. Addresses are bytes in WebAssembly memory; sizes are counted in elements. */
declare module 'headwise-glue' {
  export interface Core {
    readonly HEAPF32: Float32Array;
    readonly HEAP32: Int32Array;
    readonly HEAPU8: Uint8Array;
    newLayer(
      layerRecord: number,
      dropout: number,
      scale: number,
      softcap: number,
      seed: number,
    ): number;
    deleteLayer(layer: number): void;
    initialize(layer: number, querySize: number, keySize: number, valueSize: number): void;
    setTraining(layer: number, training: number): void;
    parameter(layer: number, number: number): number;
    workspaceSize(layer: number, batch: number, numQueries: number, numKeys: number): number;
    forward(layer: number, record: number): void;
    createCache(layer: number, batchSize: number, maxLength: number): number;
    isRelaxed(): number;
    workerEntry(): number;
    newStack(): number;
    setThreads(threads: number, crew: number): void;
    reserve(floats: number): number;
    /** After a call that ended by a trap: whether memory was wanting. Gives back what it had allocated. */
    recover(): number;
    maskedSoftmax(maskRecord: number, weights: number): void;
    poolingWorkspaceSize(
      numKeys: number,
      querySize: number,
      keySize: number,
      valueSize: number,
      attentionHiddens: number,
    ): number;
    scaledDotProductAttention(
      maskRecord: number,
      poolingRecord: number,
      scale: number,
      softcap: number,
    ): void;
    additiveAttention(maskRecord: number, poolingRecord: number): void;
    splitHeads(
      batch: number,
      length: number,
      numHeads: number,
      headSize: number,
      from: number,
      to: number,
    ): void;
    joinHeads: Core['splitHeads'];
    fillNormal(numbers: number, count: number, seed: number): void;
    deleteCache(cache: number): void;
    setCacheLength(cache: number, length: number): void;
    toFloats(
      type: number,
      size: number,
      bigEndian: number,
      from: number,
      count: number,
      to: number,
    ): void;
    toRowMajor(shape: number, rank: number, from: number, to: number): void;
    readSafetensorsHeader(question: number): number;
    writeSafetensorsHeader(question: number): number;
    readNpyHeader(question: number): number;
    writeNpyHeader(question: number): number;
    planLayer(question: number): number;
    pendingBackward(layer: number): number;
    backwardWorkspaceSize(layer: number): number;
    backward(layer: number, record: number): void;
    gradient(layer: number, number: number): number;
    zeroGradients(layer: number): void;
    parametersChanged(layer: number): void;
    removeHeads(layer: number, record: number): void;
    newSgd(trainables: number, learningRate: number, momentum: number, weightDecay: number): number;
    newAdam(
      trainables: number,
      learningRate: number,
      beta1: number,
      beta2: number,
      epsilon: number,
      weightDecay: number,
    ): number;
    deleteOptimizer(optimizer: number): void;
    setLearningRate(optimizer: number, learningRate: number): void;
    step(optimizer: number): void;
    zeroAllGradients(optimizer: number): void;
    clipGradientNorm(trainables: number, maxNorm: number): number;
    newModel(options: number, dropout: number, seed: number): number;
    deleteModel(model: number): void;
    modelLayer(model: number, layer: number): number;
    modelParameter(model: number, place: number): number;
    modelGradient(model: number, place: number): number;
    zeroModelGradients(model: number): void;
    modelWorkspaceSize(model: number, batch: number, length: number, loss: number): number;
    runModel(model: number, record: number): number;
    pruneModel(model: number, record: number): void;
    modelParametersChanged(model: number): void;
    drawTask(record: number): void;
    scoreHeads(record: number): void;
  }

  export interface CoreOptions {
    wasmMemory: WebAssembly.Memory;
    /** Called in place of the glue's own loading; must pass the instance on before it returns. */
    instantiateWasm(
      imports: WebAssembly.Imports,
      success: (instance: WebAssembly.Instance, module: WebAssembly.Module) => void,
    ): WebAssembly.Exports;
  }

  export default function createCore(options: CoreOptions): Core;
}
