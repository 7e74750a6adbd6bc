import { describe, expect, it } from 'vitest'
import { normalCdf, normalDensity } from '../../../src/core/maths/index.js'

/** Fixed-point numbers of 60 decimals. */
const ONE = 10n ** 60n
const SQRT_TWO_PI = 2_506628274631000502415765284811045253006986740609938316629923n

const fixed = (x: number): bigint => (BigInt(Math.round(x * 2 ** 40)) * ONE) / 2n ** 40n
const times = (a: bigint, b: bigint): bigint => (a * b) / ONE

/** Returns e^-x by its power series. */
function expOfMinus(x: bigint): bigint {
  let sum = ONE
  let term = ONE
  for (let n = 1n; term !== 0n; n++) {
    term = -times(term, x) / n
    sum += term
  }
  return sum
}

/** Returns the distribution by its power series (Marsaglia 2004) in exact arithmetic. */
function exactCdf(x: number): number {
  const point = fixed(x)
  const square = times(point, point)
  let sum = point
  let term = point
  for (let odd = 3n; term !== 0n; odd += 2n) {
    term = times(term, square) / odd
    sum += term
  }
  const density = (expOfMinus(square / 2n) * ONE) / SQRT_TWO_PI
  return Number(ONE / 2n + times(sum, density)) / Number(ONE)
}

/** Points that are whole multiples of a power of two, so that the reference has exactly the same ones. */
const POINTS = Array.from({ length: 801 }, (_, place) => (place - 400) / 64 + (place % 7) / 2 ** 20)

describe('the cumulative normal distribution', () => {
  it('is within 1e-15 of the exact one', () => {
    for (const x of POINTS) expect(Math.abs(normalCdf(x) - exactCdf(x)), `${x}`).toBeLessThanOrEqual(1e-15)
  })

  it('has the known values of its tail', () => {
    expect(normalCdf(-6) / 9.865876450376946e-10).toBeCloseTo(1, 8)
    expect(normalCdf(-10) / 7.619853024160527e-24).toBeCloseTo(1, 7)
    expect(normalCdf(-40)).toBe(0)
    expect(normalCdf(40)).toBe(1)
  })

  it('never falls, also where one approximation follows the other', () => {
    const near = [-37, -7.07106781186547, 7.07106781186547, 37].flatMap((x) => [x - 1e-9, x, x + 1e-9])
    const points = [...POINTS, ...near].sort((a, b) => a - b)
    const values = points.map((x) => normalCdf(x))
    expect([...values].sort((a, b) => a - b)).toEqual(values)
  })

  it('takes a density that the caller knows', () => {
    expect(normalCdf(1.5, normalDensity(1.5))).toBe(normalCdf(1.5))
  })
})
