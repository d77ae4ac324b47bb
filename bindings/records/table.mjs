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
//   T*?           the same, or `absent`: a null pointer
//   void*, void*? an address that C++ has given out
//   Name          what Name describes, in place
// and in messages, whose length is not fixed:
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
  ModelOptionsRecord: {
    vocabularySize: 'integer',
    maxLength: 'integer',
    numHiddens: 'integer',
    numHeads: 'integer',
    numLayers: 'integer',
    positions: 'integer',
    causal: 'flag',
    layerNorm: 'flag',
    bias: 'flag',
  },
  PassRecord: {
    kind: 'integer',
    tokens: 'const std::int32_t*',
    targets: 'const std::int32_t*',
    batch: 'size',
    length: 'size',
    layers: 'const LayerPass*',
    logits: 'float*',
    workspace: 'float*',
    optimizer: 'void*?',
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
    headGateGradient: 'float*?',
  },
};

/** Fields one behind the other, behind the number of all words. JavaScript writes these. */
export const requests = {
  HeadList: { heads: 'sizes' },
  HeadLists: { layers: 'HeadList[]' },
  TrainableAddress: { isModel: 'flag', address: 'void*' },
  Trainables: { trainables: 'TrainableAddress[]' },
  HeaderBytes: { fileSize: 'wide', bytes: 'bytes' },
  TensorShape: { shape: 'sizes' },
  NamedTensor: { name: 'text', dtype: 'text', shape: 'sizes' },
  NamedText: { name: 'text', text: 'text' },
  FileContents: { tensors: 'NamedTensor[]', metadata: 'NamedText[]' },
  StateDictNames: { numHeads: 'size', prefix: 'text', tensors: 'NamedTensor[]' },
};

/** The same, written by C++. */
export const responses = {
  HeaderText: { bytes: 'bytes' },
  NumberFormat: { type: 'size', size: 'size', bigEndian: 'flag' },
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
};
