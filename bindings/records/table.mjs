// What crosses between JavaScript and WebAssembly beside plain numbers, each described here and
// nowhere else: generate.mjs makes the TypeScript and the C++ of it. Words are of 32 bits.
//
// Kinds of fields:
//   integer       a word, signed
//   size          a word, unsigned
//   size[n]       n of them
//   flag          a word, 0 or 1
//   wide          two words, the lower one first: an integer from 0 to below 2^53
//   T*            an address in working memory, where T begin at a cache line
//   T*?           the same, or a null pointer: undefined in JavaScript
//   void*, void*? an address that C++ has given out
//   Name          what Name describes, in place
// and in messages, whose length is not fixed:
//   number        two words, a double
//   text, bytes   a number of bytes and they, filled up to whole words; texts are UTF-8
//   sizes, wides  a number of words, or of pairs of them, and they
//   Name[]        a number of messages and they

/** Fields at fixed offsets, behind the record's number of words. */
export const records = {
  MaskRecord: {
    batch: 'size',
    numQueries: 'size',
    numKeys: 'size',
    numExtraSlots: 'size',
    uniform: 'flag',
    validLens: 'const std::int32_t*?',
    validLensSampleStride: 'size',
    validLensQueryStride: 'size',
    keyMask: 'const std::uint8_t*?',
    // Two sizes a sample, which C++ writes.
    keyRanges: 'KeyRange*?',
    causal: 'flag',
    firstPosition: 'integer',
    windowLeft: 'integer',
    windowRight: 'integer',
    allowed: 'const std::uint8_t*?',
    added: 'const float*?',
    maskStrides: 'size[4]',
  },
  PoolingRecord: {
    mask: 'MaskRecord',
    numHeads: 'size',
    numKvHeads: 'size',
    querySize: 'size',
    keySize: 'size',
    valueSize: 'size',
    attentionHiddens: 'size',
    queries: 'const float*',
    keys: 'const float*',
    values: 'const float*',
    W_q: 'const float*?',
    W_k: 'const float*?',
    w_v: 'const float*?',
    output: 'float*',
    attentionWeights: 'float*?',
    weightsStage: 'integer',
    workspace: 'float*',
  },
  LayerOptionsRecord: {
    numHiddens: 'integer',
    numHeads: 'integer',
    numKvHeads: 'integer',
    outputSize: 'integer',
    outputProjection: 'flag',
    bias: 'flag',
    outputBias: 'flag',
    projection: 'integer',
    pooling: 'integer',
    attentionHiddens: 'integer',
    biasKv: 'flag',
    zeroAttention: 'flag',
    // 0 without rotary positions.
    rotarySize: 'size',
    rotaryInterleaved: 'flag',
    // Those of the inputs, 0 while they are not known.
    querySize: 'size',
    keySize: 'size',
    valueSize: 'size',
    weights: 'integer',
  },
  ForwardRecord: {
    mask: 'MaskRecord',
    queries: 'const float*',
    keys: 'const float*',
    values: 'const float*',
    numNewKeys: 'size',
    positions: 'const std::int32_t*?',
    positionsSampleStride: 'size',
    headGate: 'const float*?',
    gateStride: 'size',
    cache: 'void*?',
    output: 'float*',
    attentionWeights: 'float*?',
    // Of each head and each query: its place among those returned, −1 for none.
    weightHeads: 'const std::int32_t*?',
    weightQueries: 'const std::int32_t*?',
    numWeightHeads: 'size',
    numWeightQueries: 'size',
    weightsStage: 'integer',
    keyMass: 'float*?',
    capturedQueries: 'float*?',
    capturedKeys: 'float*?',
    capturedValues: 'float*?',
    capturedScores: 'float*?',
    capturedPooled: 'float*?',
    droppedWeights: 'float*?',
    workspace: 'float*',
    requiresGrad: 'flag',
    // Those of the inputs, 0 while they are not known.
    querySize: 'size',
    keySize: 'size',
    valueSize: 'size',
  },
  BackwardRecord: {
    gradOutput: 'const float*',
    queries: 'float*',
    keys: 'float*',
    values: 'float*',
    headGate: 'float*',
    workspace: 'float*',
  },
  PassRecord: {
    kind: 'integer',
    // One of tokens, pixels, embeddings; the stream that enters `firstLayer` replaces what comes before.
    tokens: 'const std::int32_t*?',
    pixels: 'const float*?',
    embeddings: 'const float*?',
    stream: 'const float*?',
    firstLayer: 'size',
    segments: 'const std::int32_t*?',
    targets: 'const std::int32_t*?',
    batch: 'size',
    length: 'size',
    validLens: 'const std::int32_t*?',
    validLensSampleStride: 'size',
    validLensQueryStride: 'size',
    keyMask: 'const std::uint8_t*?',
    keyRanges: 'KeyRange*?',
    source: 'const std::int32_t*?',
    sourceValidLens: 'const std::int32_t*?',
    sourceKeyMask: 'const std::uint8_t*?',
    sourceKeyRanges: 'KeyRange*?',
    sourceLength: 'size',
    // One after the other: the layers' own, those of cross-attention, the encoder's; or none.
    layers: 'const LayerPass*?',
    cache: 'void*?',
    captures: 'const CapturePlace*?',
    numCaptures: 'size',
    patches: 'const PatchPlace*?',
    numPatches: 'size',
    // Those that are captured, or that an analysis reads; null is all.
    positions: 'const std::int32_t*?',
    numPositions: 'size',
    hidden: 'float*?',
    logits: 'float*?',
    encoderHidden: 'float*?',
    // Of the logit lens.
    lensLayers: 'const std::int32_t*?',
    numLensLayers: 'size',
    // Of an attribution, whose results lie one behind the other.
    against: 'const std::int32_t*?',
    attribution: 'float*?',
    lastLogits: 'flag',
    requiresGrad: 'flag',
    workspace: 'float*',
    optimizer: 'void*?',
  },
  ModelBackwardRecord: {
    hidden: 'const float*?',
    logits: 'const float*?',
    layers: 'const LayerPass*',
    pixels: 'float*?',
    embeddings: 'float*?',
    workspace: 'float*',
  },
  TaskRecord: {
    kind: 'integer',
    a: 'integer',
    b: 'integer',
    c: 'integer',
    d: 'integer',
    seed: 'wide',
    first: 'wide',
    batchSize: 'size',
    tokens: 'std::int32_t*',
    targets: 'std::int32_t*',
    keys: 'std::int32_t*',
    workspace: 'std::int32_t*',
  },
  ScoreRecord: {
    score: 'integer',
    weights: 'const float*',
    batch: 'size',
    numHeads: 'size',
    numQueries: 'size',
    numKeys: 'size',
    numExtraSlots: 'size',
    causal: 'flag',
    positions: 'const std::int32_t*',
    ignoredKeys: 'const std::uint8_t*?',
    scores: 'double*',
  },
};

/** Records that stand in arrays, without that number. */
export const elements = {
  LayerPass: {
    headGate: 'const float*?',
    gateStride: 'size',
    attentionWeights: 'float*?',
    // Of each head and each query: its place among those returned, −1 for none.
    weightHeads: 'const std::int32_t*?',
    weightQueries: 'const std::int32_t*?',
    numWeightHeads: 'size',
    numWeightQueries: 'size',
    headGateGradient: 'float*?',
  },
  // Words are the numbers of the C++ enumerations.
  CapturePlace: {
    at: 'size',
    side: 'size',
    layer: 'size',
    to: 'float*',
  },
  PatchPlace: {
    at: 'size',
    side: 'size',
    layer: 'size',
    kind: 'size',
    value: 'const float*?',
    // Null is all of them.
    heads: 'const std::int32_t*?',
    numHeads: 'size',
    positions: 'const std::int32_t*?',
    numPositions: 'size',
  },
};

/** Messages of whole words alone, and parts of others, which C++ reads and writes as they lie in memory. */
export const blocks = {
  // Sizes of 0, and NaN, are left out.
  ModelOptions: {
    vocabularySize: 'size',
    maxLength: 'size',
    numHiddens: 'size',
    numLayers: 'size',
    numHeads: 'size',
    numKvHeads: 'size',
    headSize: 'size',
    ffnHiddens: 'size',
    activation: 'size',
    gated: 'flag',
    norm: 'size',
    normFirst: 'flag',
    normEpsilon: 'number',
    normBias: 'flag',
    finalNorm: 'flag',
    embeddingNorm: 'flag',
    positions: 'size',
    positionOffset: 'size',
    paddingToken: 'number',
    rotaryBase: 'number',
    rotarySize: 'size',
    rotaryInterleaved: 'flag',
    embeddingScale: 'number',
    bias: 'flag',
    qkvBias: 'flag',
    tiedEmbeddings: 'flag',
    logitsBias: 'flag',
    head: 'flag',
    segments: 'size',
    causal: 'flag',
    dropout: 'number',
    windowLeft: 'size',
    windowRight: 'size',
    softcap: 'number',
    scale: 'number',
    encoderLayers: 'size',
    encoderHeads: 'size',
    encoderFfnHiddens: 'size',
    imageSize: 'size',
    patchSize: 'size',
    channels: 'size',
    classToken: 'flag',
    weights: 'size',
    seed: 'wide',
  },
  AttentionDescription: {
    address: 'size',
    numHiddens: 'size',
    numHeads: 'size',
    numKvHeads: 'size',
    headSize: 'size',
    bias: 'flag',
    outputBias: 'flag',
    scale: 'number',
    softcap: 'number',
    rotarySize: 'size',
    rotaryBase: 'number',
    rotaryInterleaved: 'flag',
    dropout: 'number',
    seed: 'wide',
  },
  TrainableAddress: { isModel: 'flag', address: 'void*' },
  NumberFormat: { type: 'size', size: 'size', bigEndian: 'flag' },
};

/** Fields one behind the other, behind the number of all words. JavaScript writes these. */
export const requests = {
  HeadList: { heads: 'sizes' },
  HeadLists: { side: 'size', layers: 'HeadList[]' },
  Trainables: { trainables: 'TrainableAddress[]' },
  HeaderBytes: { fileSize: 'wide', bytes: 'bytes' },
  TensorShape: { shape: 'sizes' },
  NamedTensor: { name: 'text', dtype: 'text', shape: 'sizes' },
  NamedText: { name: 'text', text: 'text' },
  FileContents: { tensors: 'NamedTensor[]', metadata: 'NamedText[]' },
  // A member of a config: of objects and lists each with a name like `rope_scaling.type`.
  ConfigField: { name: 'text', kind: 'size', number: 'number', text: 'text' },
  // `sameAs`: of the plan's tied tensors, each one's first equal; none before they were compared.
  Checkpoint: { config: 'ConfigField[]', tensors: 'NamedTensor[]', sameAs: 'sizes' },
  StateDictNames: { numHeads: 'size', prefix: 'text', tensors: 'NamedTensor[]' },
};

/** The same, written by C++. */
export const responses = {
  HeaderText: { bytes: 'bytes' },
  NpyHeader: {
    problem: 'text',
    size: 'wide',
    format: 'NumberFormat',
    fortranOrder: 'flag',
    shape: 'sizes',
  },
  FileTensor: {
    name: 'text',
    dtype: 'text',
    format: 'NumberFormat',
    begin: 'wide',
    end: 'wide',
    shape: 'wides',
  },
  FileText: { name: 'text', text: 'text' },
  FileHeader: {
    problem: 'text',
    size: 'wide',
    tensors: 'FileTensor[]',
    metadata: 'FileText[]',
  },
  LayerParameter: {
    name: 'text',
    // Counted from 1; 0 is none: zeros.
    source: 'size',
    firstRow: 'size',
    transposed: 'flag',
    shape: 'sizes',
  },
  LayerPlan: {
    problem: 'text',
    numHiddens: 'size',
    numKvHeads: 'size',
    querySize: 'size',
    keySize: 'size',
    valueSize: 'size',
    outputSize: 'size',
    attentionHiddens: 'size',
    outputProjection: 'flag',
    bias: 'flag',
    convolution: 'flag',
    biasKv: 'flag',
    parameters: 'LayerParameter[]',
  },
  CheckpointPlan: {
    // Of the config and of the tensors.
    problem: 'text',
    tensorProblem: 'text',
    options: 'ModelOptions',
    // Tensors, by their number, that may hold the same token embedding.
    tied: 'sizes',
    isUntied: 'flag',
  },
  LayerHeads: { heads: 'sizes' },
  PrunedHeads: { layers: 'LayerHeads[]' },
  PretrainedTensor: { name: 'text', shape: 'sizes', isCopy: 'flag' },
  PretrainedTensors: { tensors: 'PretrainedTensor[]' },
  ModelDescription: {
    self: 'AttentionDescription[]',
    cross: 'AttentionDescription[]',
    encoder: 'AttentionDescription[]',
  },
  ParameterDescription: {
    name: 'text',
    shape: 'sizes',
    // Addresses; 0 for a gradient that is not there yet.
    values: 'size',
    gradient: 'size',
  },
  ParameterDescriptions: { parameters: 'ParameterDescription[]' },
};
