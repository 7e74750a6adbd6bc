const MANY = 20
const FEW = 4

/**
 * The number of rounds of a test. `SVC_ROUNDS=few` is for the project `deep`, which `npm run torture` runs with the usual
 * number, and the e2e tests with `many`.
 * @param many the number for `npm run torture`
 */
export function rounds(usual: number, many = usual * MANY): number {
  if (process.env.SVC_ROUNDS === 'many') return many
  return process.env.SVC_ROUNDS === 'few' ? Math.ceil(usual / FEW) : usual
}

export interface Chance {
  readonly seed: number
  /** Returns a number from 0 up to, not including, 1. */
  next(): number
  /** Returns a whole number from `from` to `to`, both included. */
  between(from: number, to: number): number
}

/** Repeatable randomness. It prints its seed, and `SEED=…` in the environment repeats the same run. */
export function chance(title: string): Chance {
  const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 32))
  process.stdout.write(`${title}: SEED=${seed}\n`)
  return seeded(seed)
}

/** Like {@link chance}, with a given seed. */
export function seeded(seed: number): Chance {
  let state = seed >>> 0
  // mulberry32
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  return { seed, next, between: (from, to) => from + Math.floor(next() * (to - from + 1)) }
}
