// The ceiling: multiplications and additions on registers alone, in each kind of SIMD.
import wabtReady from 'wabt';

// Few accumulators wait for each other, many do not fit into registers: the best of these counts.
const accumulatorCounts = [10, 12, 13];

const loop = (count, step) => {
  const all = Array.from({ length: count }, (_, i) => `$s${i}`);
  const sum = all.map((s) => `(local.get ${s})`).reduce((a, b) => `(f32x4.add ${a} ${b})`);
  return `
    (func (export "run${count}") (param $n i32) (param $x f32) (result f32)
      (local $a v128) ${all.map((s) => `(local ${s} v128)`).join(' ')}
      (local.set $a (f32x4.splat (local.get $x)))
      (loop $again
        ${all.map((s) => `(local.set ${s} ${step(`(local.get ${s})`)})`).join('\n        ')}
        (br_if $again (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))
      (f32x4.extract_lane 0 ${sum}))`;
};

const steps = {
  simd: (s) => `(f32x4.add (f32x4.mul ${s} (local.get $a)) (local.get $a))`,
  'relaxed-simd': (s) => `(f32x4.relaxed_madd ${s} (local.get $a) (local.get $a))`,
};

/** The WebAssembly module for `simd` or `relaxed-simd`. */
export async function ceilingModule(variant) {
  const wabt = await wabtReady();
  const text = accumulatorCounts.map((count) => loop(count, steps[variant])).join('');
  const features = { simd: true, relaxed_simd: true };
  return wabt.parseWat('ceiling.wat', `(module ${text})`, features).toBinary({}).buffer;
}
