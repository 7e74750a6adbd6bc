import { crc32 } from 'node:zlib'

const MANY = 20
const FEW = 4

/**
 * Whether `npm run torture` runs: it takes every case of a table and looks for new random ones. `npm test` runs the same
 * cases each time, so that it fails for a change only.
 */
export const TORTURE = ['usual', 'many'].includes(process.env.SVC_ROUNDS ?? 'few')

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

/**
 * Repeatable randomness: the same in each run of `npm test`, new in each run of `npm run torture`. It prints its seed, and
 * `SEED=…` in the environment repeats the same run.
 */
export function chance(title: string): Chance {
  const seed = seedOf(title)
  process.stdout.write(`${title}: SEED=${seed}\n`)
  return seeded(seed)
}

/** Returns the seed of a test or of a library's random cases; see {@link chance}. */
export function seedOf(title: string): number {
  if (process.env.SEED !== undefined) return Number(process.env.SEED)
  return TORTURE ? Math.floor(Math.random() * 2 ** 32) : crc32(title)
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
