"""Writes small random checkpoints of some families to tests/data/models, with the results and all
gradients of their models in float64: python3 tests/data/make_families.py

The formulas are those of Hugging Face Transformers' modelling files, written with scalars that
record how they were computed (reverse-mode differentiation), so that gradients are exact but for
rounding. Parameters are multiples of 2^-10, as those of half-precision checkpoints are.
"""

import json
import math
import random
import struct
from pathlib import Path

FOLDER = Path(__file__).parent / "models"
TAPE = []


class Scalar:
    """A number and the numbers that it depends on, with the derivatives."""

    __slots__ = ("value", "parents", "gradient")

    def __init__(self, value, parents=()):
        self.value, self.parents, self.gradient = value, parents, 0.0
        TAPE.append(self)

    def __add__(self, other):
        return Scalar(self.value + other.value, ((self, 1.0), (other, 1.0)))

    def __mul__(self, other):
        if not isinstance(other, Scalar):
            return Scalar(self.value * other, ((self, other),))
        return Scalar(self.value * other.value, ((self, other.value), (other, self.value)))


def of(x, value, slope):
    return Scalar(value, ((x, slope),))


def dot(xs, ys):
    parents = [(x, y.value) for x, y in zip(xs, ys)] + [(y, x.value) for x, y in zip(xs, ys)]
    return Scalar(math.fsum(x.value * y.value for x, y in zip(xs, ys)), parents)


def total(xs):
    return Scalar(math.fsum(x.value for x in xs), [(x, 1.0) for x in xs])


def add(xs, ys):
    return [x + y for x, y in zip(xs, ys)]


def capped(x, cap):
    tangent = math.tanh(x.value / cap)
    return of(x, cap * tangent, 1 - tangent * tangent)


def gelu(x):
    v = x.value
    cdf = 0.5 * (1 + math.erf(v / math.sqrt(2)))
    return of(x, v * cdf, cdf + v * math.exp(-v * v / 2) / math.sqrt(2 * math.pi))


def gelu_tanh(x):
    v, c = x.value, math.sqrt(2 / math.pi)
    t = math.tanh(c * (v + 0.044715 * v**3))
    slope = 0.5 * (1 + t) + 0.5 * v * (1 - t * t) * c * (1 + 3 * 0.044715 * v * v)
    return of(x, 0.5 * v * (1 + t), slope)


def silu(x):
    s = 1 / (1 + math.exp(-x.value))
    return of(x, x.value * s, s * (1 + x.value * (1 - s)))


ACTIVATIONS = {"gelu": gelu, "gelu_new": gelu_tanh, "gelu_pytorch_tanh": gelu_tanh, "silu": silu}


def softmax(scores):
    largest = max(s.value for s in scores)
    exps = [of(s, math.exp(s.value - largest), math.exp(s.value - largest)) for s in scores]
    denominator = total(exps)
    inverse = of(denominator, 1 / denominator.value, -1 / denominator.value**2)
    return [e * inverse for e in exps]


def inverse_root(x):
    return of(x, x.value**-0.5, -0.5 * x.value**-1.5)


class Model:
    def __init__(self, name, config, seed):
        self.name, self.config, self.random = name, config, random.Random(seed)
        self.parameters, self.shapes = {}, {}

    def parameter(self, name, *shape, scale=0.3, mean=0.0):
        """A scalar, or nested lists of them; drawn when the name is first asked for."""
        if name not in self.parameters:
            self.shapes[name] = shape
            count = math.prod(shape)
            self.parameters[name] = [
                Scalar(round((mean + self.random.gauss(0, scale)) * 1024) / 1024)
                for _ in range(count)
            ]
        flat = self.parameters[name]
        if len(shape) == 1:
            return flat
        return [flat[row * shape[1] : (row + 1) * shape[1]] for row in range(shape[0])]

    def linear(self, name, xs, out, bias=False):
        rows = self.parameter(name + ".weight", out, len(xs))
        ys = [dot(row, xs) for row in rows]
        return add(ys, self.parameter(name + ".bias", out)) if bias else ys

    def layer_norm(self, name, xs, epsilon):
        mean = total(xs) * (1 / len(xs))
        centred = [x + mean * -1.0 for x in xs]
        variance = dot(centred, centred) * (1 / len(xs))
        factor = inverse_root(Scalar(variance.value + epsilon, ((variance, 1.0),)))
        weight = self.parameter(name + ".weight", len(xs), mean=1.0)
        bias = self.parameter(name + ".bias", len(xs))
        return [x * factor * w + b for x, w, b in zip(centred, weight, bias)]

    def rms_norm(self, name, xs, epsilon, offset=0.0):
        square = dot(xs, xs) * (1 / len(xs))
        factor = inverse_root(Scalar(square.value + epsilon, ((square, 1.0),)))
        weight = self.parameter(name + ".weight", len(xs), mean=1.0 - offset)
        return [x * factor * of(w, w.value + offset, 1.0) for x, w in zip(xs, weight)]


def frequencies(config, size, base, scaling):
    """Transformers' inv_freq and attention_factor."""
    inverse = [base ** (-2 * i / size) for i in range(size // 2)]
    kind = scaling.get("rope_type", "default")
    if kind == "linear":
        return [f / scaling["factor"] for f in inverse], 1.0
    if kind == "llama3":
        low, high = scaling["low_freq_factor"], scaling["high_freq_factor"]
        length = scaling["original_max_position_embeddings"]
        result = []
        for f in inverse:
            wavelength = 2 * math.pi / f
            smooth = (length / wavelength - low) / (high - low)
            if wavelength < length / high:
                result.append(f)
            elif wavelength > length / low:
                result.append(f / scaling["factor"])
            else:
                result.append((1 - smooth) * f / scaling["factor"] + smooth * f)
        return result, 1.0
    if kind == "yarn":
        length = scaling["original_max_position_embeddings"]

        def dimension(rotations):
            return size * math.log(length / (rotations * 2 * math.pi)) / (2 * math.log(base))

        low = max(math.floor(dimension(scaling.get("beta_fast", 32))), 0)
        high = min(math.ceil(dimension(scaling.get("beta_slow", 1))), size - 1)
        high += 0.001 if low == high else 0
        result = []
        for i, f in enumerate(inverse):
            ramp = min(max((i - low) / (high - low), 0), 1)
            result.append(f / scaling["factor"] * ramp + f * (1 - ramp))
        return result, 0.1 * math.log(scaling["factor"]) + 1
    return inverse, 1.0


def rotate(xs, position, inverse, factor):
    """Of each head the first elements, half against half."""
    half = len(inverse)
    ys = list(xs)
    for i, f in enumerate(inverse):
        cosine, sine = factor * math.cos(position * f), factor * math.sin(position * f)
        ys[i] = xs[i] * cosine + xs[i + half] * -sine
        ys[i + half] = xs[i + half] * cosine + xs[i] * sine
    return ys


def heads_of(xs, count):
    size = len(xs) // count
    return [xs[h * size : (h + 1) * size] for h in range(count)]


def attend(queries, keys, values, valid, scale, window=None, cap=None):
    """(length, heads, size) of queries; pooled (length, heads · size) and weights by head."""
    groups = len(queries[0]) // len(keys[0])
    pooled, weights = [], [[] for _ in queries[0]]
    for i, heads in enumerate(queries):
        row = []
        first = 0 if window is None else max(i - window + 1, 0)
        seen = [j for j in range(first, i + 1) if j < valid]
        for h, query in enumerate(heads):
            scores = [dot(query, keys[j][h // groups]) * scale for j in seen]
            if cap is not None:
                scores = [capped(s, cap) for s in scores]
            shares = softmax(scores)
            weights[h].append([0.0] * len(queries))
            for j, share in zip(seen, shares):
                weights[h][i][j] = share.value
            size = len(values[0][0])
            row += [dot(shares, [values[j][h // groups][e] for j in seen]) for e in range(size)]
        pooled.append(row)
    return pooled, weights


def llama_like(model, tokens, valid):
    """Llama, Qwen3, Gemma and Gemma 2."""
    c = model.config
    kind = c["model_type"]
    hidden, heads, groups = c["hidden_size"], c["num_attention_heads"], c["num_key_value_heads"]
    size = c.get("head_dim", hidden // heads)
    epsilon = c["rms_norm_eps"]
    is_gemma = kind.startswith("gemma")
    offset = 1.0 if is_gemma else 0.0
    activation = ACTIVATIONS["gelu_pytorch_tanh" if is_gemma else "silu"]
    embedding = model.parameter("model.embed_tokens.weight", c["vocab_size"], hidden)
    xs = [embedding[t] for t in tokens]
    if is_gemma:
        (factor,) = struct.unpack("f", struct.pack("f", hidden**0.5))
        xs = [[x * factor for x in row] for row in xs]
    inverse, of_rotation = frequencies(c, size, c["rope_theta"], c.get("rope_scaling") or {})
    scale = c.get("query_pre_attn_scalar", size) ** -0.5
    all_weights = []
    for layer in range(c["num_hidden_layers"]):
        at = f"model.layers.{layer}."

        def norm(name, rows):
            return [model.rms_norm(at + name, row, epsilon, offset) for row in rows]

        def projected(name, rows, count):
            return [heads_of(model.linear(at + name, row, count * size), count) for row in rows]

        inputs = norm("input_layernorm", xs)
        queries = projected("self_attn.q_proj", inputs, heads)
        keys = projected("self_attn.k_proj", inputs, groups)
        values = projected("self_attn.v_proj", inputs, groups)
        if kind == "qwen3":
            queries = [norm("self_attn.q_norm", row) for row in queries]
            keys = [norm("self_attn.k_norm", row) for row in keys]
        queries, keys = (
            [[rotate(head, i, inverse, of_rotation) for head in row] for i, row in enumerate(rows)]
            for rows in (queries, keys)
        )
        slides = {
            "gemma2": layer % 2 == 0,
            "qwen3": c.get("use_sliding_window", False) and layer >= c.get("max_window_layers", 28),
        }.get(kind, False)
        pooled, weights = attend(
            queries,
            keys,
            values,
            valid,
            scale,
            c["sliding_window"] if slides else None,
            c.get("attn_logit_softcapping"),
        )
        all_weights.append(weights)
        outputs = [model.linear(at + "self_attn.o_proj", row, hidden) for row in pooled]
        if kind == "gemma2":
            outputs = norm("post_attention_layernorm", outputs)
        xs = [add(x, y) for x, y in zip(xs, outputs)]
        inputs = norm(
            "pre_feedforward_layernorm" if kind == "gemma2" else "post_attention_layernorm", xs
        )
        outputs = []
        for row in inputs:
            gate = model.linear(at + "mlp.gate_proj", row, c["intermediate_size"])
            up = model.linear(at + "mlp.up_proj", row, c["intermediate_size"])
            inner = [activation(g) * u for g, u in zip(gate, up)]
            outputs.append(model.linear(at + "mlp.down_proj", inner, hidden))
        if kind == "gemma2":
            outputs = norm("post_feedforward_layernorm", outputs)
        xs = [add(x, y) for x, y in zip(xs, outputs)]
    xs = [model.rms_norm("model.norm", row, epsilon, offset) for row in xs]
    head = "model.embed_tokens" if c["tie_word_embeddings"] else "lm_head"
    logits = [model.linear(head, row, c["vocab_size"]) for row in xs]
    if kind == "gemma2":
        cap = c["final_logit_softcapping"]
        logits = [[capped(x, cap) for x in row] for row in logits]
    return logits, all_weights


def gpt_neo(model, tokens, valid):
    c = model.config
    hidden, heads, epsilon = c["hidden_size"], c["num_heads"], c["layer_norm_epsilon"]
    embedding = model.parameter("transformer.wte.weight", c["vocab_size"], hidden)
    positions = model.parameter("transformer.wpe.weight", c["max_position_embeddings"], hidden)
    xs = [add(embedding[t], positions[i]) for i, t in enumerate(tokens)]
    kinds = [k for group, count in c["attention_types"] for _ in range(count) for k in group]
    all_weights = []
    for layer, kind in enumerate(kinds):
        at = f"transformer.h.{layer}."
        inputs = [model.layer_norm(at + "ln_1", row, epsilon) for row in xs]
        queries, keys, values = (
            [heads_of(model.linear(at + f"attn.attention.{x}_proj", row, hidden), heads)
             for row in inputs]
            for x in "qkv"
        )
        window = c["window_size"] if kind == "local" else None
        pooled, weights = attend(queries, keys, values, valid, 1.0, window)
        all_weights.append(weights)
        xs = [
            add(x, model.linear(at + "attn.attention.out_proj", row, hidden, True))
            for x, row in zip(xs, pooled)
        ]
        for i, x in enumerate(xs):
            row = model.layer_norm(at + "ln_2", x, epsilon)
            inner = model.linear(at + "mlp.c_fc", row, c["intermediate_size"] or 4 * hidden, True)
            inner = [gelu_tanh(y) for y in inner]
            xs[i] = add(x, model.linear(at + "mlp.c_proj", inner, hidden, True))
    xs = [model.layer_norm("transformer.ln_f", row, epsilon) for row in xs]
    return [model.linear("transformer.wte", row, c["vocab_size"]) for row in xs], all_weights


def gpt_neox(model, tokens, valid):
    c = model.config
    hidden, heads, epsilon = c["hidden_size"], c["num_attention_heads"], c["layer_norm_eps"]
    size = hidden // heads
    rotated = int(size * c["rotary_pct"])
    inverse, factor = frequencies(c, rotated, c["rotary_emb_base"], c.get("rope_scaling") or {})
    embedding = model.parameter("gpt_neox.embed_in.weight", c["vocab_size"], hidden)
    xs = [embedding[t] for t in tokens]
    all_weights = []
    for layer in range(c["num_hidden_layers"]):
        at = f"gpt_neox.layers.{layer}."
        queries, keys, values = [], [], []
        for i, x in enumerate(xs):
            row = model.layer_norm(at + "input_layernorm", x, epsilon)
            # Of each head its queries, keys and values.
            of_heads = heads_of(
                model.linear(at + "attention.query_key_value", row, 3 * hidden, True), heads
            )
            parts = [heads_of(head, 3) for head in of_heads]
            queries.append([rotate(q, i, inverse, factor) for q, _, _ in parts])
            keys.append([rotate(k, i, inverse, factor) for _, k, _ in parts])
            values.append([v for _, _, v in parts])
        pooled, weights = attend(queries, keys, values, valid, size**-0.5)
        all_weights.append(weights)
        for i, x in enumerate(xs):
            y = add(x, model.linear(at + "attention.dense", pooled[i], hidden, True))
            before = x if c["use_parallel_residual"] else y
            row = model.layer_norm(at + "post_attention_layernorm", before, epsilon)
            inner = model.linear(at + "mlp.dense_h_to_4h", row, c["intermediate_size"], True)
            inner = [gelu(z) for z in inner]
            xs[i] = add(y, model.linear(at + "mlp.dense_4h_to_h", inner, hidden, True))
    xs = [model.layer_norm("gpt_neox.final_layer_norm", row, epsilon) for row in xs]
    return [model.linear("embed_out", row, c["vocab_size"]) for row in xs], all_weights


def flat(values):
    for value in values:
        if isinstance(value, list):
            yield from flat(value)
        else:
            yield value


def save(path, tensors):
    """Safetensors of (shape, numbers, 'f' or 'i')."""
    header, data = {}, b""
    for name, (shape, numbers, kind) in tensors.items():
        numbers = struct.pack(f"<{len(numbers)}{kind}", *numbers)
        header[name] = {
            "dtype": {"f": "F32", "i": "I32"}[kind],
            "shape": list(shape),
            "data_offsets": [len(data), len(data) + len(numbers)],
        }
        data += numbers
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def make(name, config, run):
    TAPE.clear()
    model = Model(name, config, sum(name.encode()))
    length, lengths = 9, [9, 7]
    vocabulary = config["vocab_size"]
    tokens = [[model.random.randrange(vocabulary) for _ in range(length)] for _ in lengths]
    results = [run(model, row, valid) for row, valid in zip(tokens, lengths)]
    losses = []
    for row, (logits, _), valid in zip(tokens, results, lengths):
        for i in range(valid - 1):
            share = softmax(logits[i])[row[i + 1]]
            losses.append(of(share, -math.log(share.value), -1 / share.value))
    loss = total(losses) * (1 / len(losses))
    loss.gradient = 1.0
    for node in reversed(TAPE):
        for parent, slope in node.parents:
            parent.gradient += slope * node.gradient
    shapes = model.shapes
    save(
        FOLDER / f"{name}.safetensors",
        {k: (shapes[k], [x.value for x in v], "f") for k, v in model.parameters.items()},
    )
    mask = [int(i < valid) for valid in lengths for i in range(length)]
    expected = {
        "in.tokens": ((2, length), list(flat(tokens)), "i"),
        "in.mask": ((2, length), mask, "i"),
        "out.logits": (
            (2, length, vocabulary),
            [x.value for x in flat([logits for logits, _ in results])],
            "f",
        ),
        "out.loss": ((), [loss.value], "f"),
    }
    for layer, weights in enumerate(results[0][1]):
        expected[f"out.attention.{layer}"] = (
            (2, len(weights), length, length),
            list(flat([of_sample[layer] for _, of_sample in results])),
            "f",
        )
    for key, values in model.parameters.items():
        expected["grad." + key] = (shapes[key], [x.gradient for x in values], "f")
    save(FOLDER / f"{name}.expect.safetensors", expected)
    (FOLDER / f"{name}.json").write_text(json.dumps(config, indent=1))


LLAMA = {
    "hidden_size": 12,
    "vocab_size": 19,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "intermediate_size": 20,
    "rms_norm_eps": 1e-6,
    "rope_theta": 10000.0,
    "max_position_embeddings": 32,
    "tie_word_embeddings": False,
}
QWEN3 = {"head_dim": 8, "use_sliding_window": True, "sliding_window": 4, "max_window_layers": 1}
YARN = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 8}
GEMMA = {"head_dim": 6, "tie_word_embeddings": True}
GEMMA2 = {
    "query_pre_attn_scalar": 10,
    "sliding_window": 4,
    "attn_logit_softcapping": 2.0,
    "final_logit_softcapping": 3.0,
    "hidden_activation": "gelu_pytorch_tanh",
}
LLAMA3 = {
    "rope_type": "llama3",
    "factor": 8.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 16,
}
GPT_NEO = {
    "model_type": "gpt_neo",
    "hidden_size": 12,
    "vocab_size": 19,
    "num_layers": 2,
    "num_heads": 4,
    "attention_types": [[["global", "local"], 1]],
    "window_size": 3,
    "intermediate_size": None,
    "layer_norm_epsilon": 1e-5,
    "max_position_embeddings": 10,
    "activation_function": "gelu_new",
}
GPT_NEOX = {
    "model_type": "gpt_neox",
    "hidden_size": 12,
    "vocab_size": 19,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 20,
    "layer_norm_eps": 1e-5,
    "rotary_pct": 0.75,
    "rotary_emb_base": 1000,
    "rope_scaling": {"rope_type": "linear", "factor": 2.0},
    "use_parallel_residual": True,
    "max_position_embeddings": 32,
    "hidden_act": "gelu",
}

if __name__ == "__main__":
    for of_family, base, run in (
        ("qwen3-a", {**LLAMA, "model_type": "qwen3", **QWEN3, "rope_scaling": YARN}, llama_like),
        ("llama-b", {**LLAMA, "model_type": "llama", "hidden_size": 16, "rope_scaling": LLAMA3},
         llama_like),
        ("gemma-a", {**LLAMA, "model_type": "gemma", **GEMMA}, llama_like),
        ("gemma2-a", {**LLAMA, "model_type": "gemma2", **GEMMA, **GEMMA2}, llama_like),
        ("gpt_neo-a", GPT_NEO, gpt_neo),
        ("gpt_neox-a", GPT_NEOX, gpt_neox),
        ("gpt_neox-b", {**GPT_NEOX, "use_parallel_residual": False},
         gpt_neox),
    ):
        make(of_family, base, run)
