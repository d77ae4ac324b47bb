/** What `embind.cpp` and `embind_models.cpp` export: the calls of the other C++ files. Addresses are bytes in WebAssembly memory; sizes are counted in elements. */
declare module 'headwise-glue' {
  type Address = import('./memory.js').Address;
  type Absent = import('./memory.js').Absent;

  export interface Core {
    readonly HEAPF32: Float32Array;
    readonly HEAP32: Int32Array;
    readonly HEAPU8: Uint8Array;
    newLayer(
      options: Address,
      dropout: number,
      scale: number,
      softcap: number,
      seed: number,
      rotaryBase: number,
    ): Address;
    deleteLayer(layer: Address): void;
    initialize(layer: Address, querySize: number, keySize: number, valueSize: number): void;
    setTraining(layer: Address, training: number): void;
    parameter(layer: Address, number: number): Address;
    workspaceSize(
      layer: Address,
      batch: number,
      numQueries: number,
      numKeys: number,
      keyMass: number,
    ): number;
    forward(layer: Address, record: Address): void;
    createCache(layer: Address, batchSize: number, maxLength: number): Address;
    isRelaxed(): number;
    workerEntry(): number;
    newStack(): Address | Absent;
    setThreads(threads: number, generation: number): void;
    reserve(floats: number): Address | Absent;
    /** After a call that ended by a trap: whether memory was wanting. Gives back what it had allocated. */
    recover(): number;
    maskedSoftmax(record: Address, weights: Address): void;
    poolingWorkspaceSize(
      numKeys: number,
      querySize: number,
      keySize: number,
      valueSize: number,
      attentionHiddens: number,
    ): number;
    scaledDotProductAttention(record: Address, scale: number, softcap: number): void;
    additiveAttention(record: Address): void;
    splitHeads(
      batch: number,
      length: number,
      numHeads: number,
      headSize: number,
      from: Address,
      to: Address,
    ): void;
    joinHeads: Core['splitHeads'];
    fillNormal(numbers: Address, count: number, seed: number): void;
    deleteCache(cache: Address): void;
    setCacheLength(cache: Address, length: number): void;
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
    pendingBackward(layer: Address): number;
    backwardWorkspaceSize(layer: Address): number;
    backward(layer: Address, record: Address): void;
    gradient(layer: Address, number: number): Address | Absent;
    zeroGradients(layer: Address): void;
    parametersChanged(layer: Address): void;
    removeHeads(layer: Address, record: Address): void;
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
    newModel(options: Address, dropout: number, seed: number): Address;
    deleteModel(model: Address): void;
    modelLayer(model: Address, layer: number): Address;
    modelParameter(model: Address, place: number): Address;
    modelGradient(model: Address, place: number): Address | Absent;
    zeroModelGradients(model: Address): void;
    modelWorkspaceSize(model: Address, batch: number, length: number, kind: number): number;
    runModel(model: Address, record: Address): number;
    pruneModel(model: Address, record: Address): void;
    modelParametersChanged(model: Address): void;
    drawTask(record: Address): void;
    scoreHeads(record: Address): void;
  }
}
