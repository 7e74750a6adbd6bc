import { unit } from './noise.js'

/**
 * The path of a price through one minute: it opens, reaches its high and its low at fixed seconds, and
 * closes. The bar of the minute and the price of every second are computed from the same few numbers. So
 * history matches the ticks without computing every second.
 */
export interface MinutePath {
  /** Minutes since the epoch. */
  minute: number
  open: number
  high: number
  low: number
  close: number
  /** Seconds (1 to 58, different) at which the high and the low trade. */
  highSecond: number
  lowSecond: number
  /** Seed of the small moves between those points; 0 for straight lines. */
  seed: number
  /** Traded quantity if the source has it; undefined means that the instrument's own rate applies. */
  volume: number | undefined
  /** False if a recording has no bar: the price is constant and history has no bar. */
  traded: boolean
}

/** Returns the path of an underlying through any minute. It is a pure function with random access. */
export interface PathSource {
  path(minute: number): MinutePath
}

export const LAST_SECOND = 59
/** Size of the small moves as a share of the minute's range. */
const JITTER = 0.2

/** Returns the unrounded price at a second (0 to 59) of the minute; always within its high and low. */
export function priceWithin(path: MinutePath, second: number): number {
  if (second <= 0) return path.open
  if (second >= LAST_SECOND) return path.close
  if (second === path.highSecond) return path.high
  if (second === path.lowSecond) return path.low
  const highFirst = path.highSecond < path.lowSecond
  const firstAt = highFirst ? path.highSecond : path.lowSecond
  const nextAt = highFirst ? path.lowSecond : path.highSecond
  const first = highFirst ? path.high : path.low
  const next = highFirst ? path.low : path.high
  const straight =
    second < firstAt
      ? between(path.open, first, second / firstAt)
      : second < nextAt
        ? between(first, next, (second - firstAt) / (nextAt - firstAt))
        : between(next, path.close, (second - nextAt) / (LAST_SECOND - nextAt))
  if (path.seed === 0) return straight
  const moved = straight + (unit(path.seed, path.minute, second) - 0.5) * JITTER * (path.high - path.low)
  return Math.min(path.high, Math.max(path.low, moved))
}

function between(from: number, to: number, share: number): number {
  return from + (to - from) * share
}
