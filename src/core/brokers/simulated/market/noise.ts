/**
 * Randomness without state: every value is a hash of its inputs. So each second of each instrument can be
 * computed alone, in any order, with the same result.
 */

/** Returns a 32-bit hash of a text (FNV-1a), the seed of everything about that text. */
export function hashText(text: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return mix(hash)
}

/** Combines a seed and two integers into a 32-bit hash. */
export function hash(seed: number, a: number, b = 0): number {
  return mix(mix(seed + Math.imul(a, 0x9e3779b1)) ^ Math.imul(b + 1, 0x85ebca77))
}

/** Returns a uniform number in [0, 1). */
export function unit(seed: number, a: number, b = 0): number {
  return hash(seed, a, b) / 0x1_0000_0000
}

/** Returns a whole number in [0, below). */
export function pick(seed: number, a: number, b: number, below: number): number {
  return Math.floor(unit(seed, a, b) * below)
}

/**
 * Smooth noise in [-1, 1] along one axis: random values at the whole numbers, joined by an S-curve. `octave`
 * separates the layers of one seed. The two neighbouring values are cached, which changes no result.
 */
export class ValueNoise {
  readonly #seed: number
  readonly #octave: number
  #cell = Number.NaN
  #from = 0
  #to = 0

  constructor(seed: number, octave: number) {
    this.#seed = seed
    this.#octave = octave
  }

  at(x: number): number {
    const cell = Math.floor(x)
    if (cell !== this.#cell) {
      this.#from = unit(this.#seed, cell, this.#octave)
      this.#to = unit(this.#seed, cell + 1, this.#octave)
      this.#cell = cell
    }
    const t = x - cell
    return 2 * (this.#from + (this.#to - this.#from) * (t * t * (3 - 2 * t))) - 1
  }
}

/** The finaliser of MurmurHash3: each bit of the input affects every bit of the output. */
function mix(value: number): number {
  let h = value | 0
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return (h ^ (h >>> 16)) >>> 0
}
