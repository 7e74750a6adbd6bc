import { type Clock, DAY_MS, IST_OFFSET_MS, istDateTime } from '../../time/index.js'

/** Ids per day: the date is followed by eight digits. */
const PER_DAY = 100_000_000
/**
 * The ids a restart skips, because a burst may have handed out ids ahead of the clock and stored none of
 * them. More than can be in flight, so that an id a caller still holds is never given to another order. Each start
 * stores its own first id: without it, two starts in a row would skip to the same one.
 */
const RESTART_GAP = 10_000

/**
 * Creates order ids: `YYMMDD` + 8 digits (IST date). The digits follow the time of day and never repeat: the
 * counter may run ahead of the clock, and continues past the highest stored id after a restart.
 */
export class OrderIds {
  readonly #clock: Clock
  #last: number

  constructor(clock: Clock, highestStored: string | undefined) {
    this.#clock = clock
    const stored = highestStored === undefined ? 0 : ordinalOf(highestStored)
    this.#last = Math.max(stored, ordinalAt(clock.now())) + RESTART_GAP
  }

  /** The highest id that may be in use. {@link next} returns higher ones only. */
  get last(): string {
    return idOf(this.#last)
  }

  next(): string {
    this.#last = Math.max(this.#last + 1, ordinalAt(this.#clock.now()))
    return idOf(this.#last)
  }
}

export function isOrderId(text: string): boolean {
  return /^\d{14}$/.test(text)
}

function ordinalAt(ms: number): number {
  const ist = ms + IST_OFFSET_MS
  return Math.floor(ist / DAY_MS) * PER_DAY + Math.floor(((ist % DAY_MS) * PER_DAY) / DAY_MS)
}

function idOf(ordinal: number): string {
  return datePrefix(Math.floor(ordinal / PER_DAY)) + String(ordinal % PER_DAY).padStart(8, '0')
}

let prefixDay = -1
let prefix = ''

/** Returns `YYMMDD` of a day number. Cached, because all calls of a day ask for the same one. */
function datePrefix(day: number): string {
  if (day !== prefixDay) {
    prefixDay = day
    prefix = new Date(day * DAY_MS).toISOString().slice(2, 10).replaceAll('-', '')
  }
  return prefix
}

function ordinalOf(id: string): number {
  const day =
    Date.UTC(2000 + Number(id.slice(0, 2)), Number(id.slice(2, 4)) - 1, Number(id.slice(4, 6))) / DAY_MS
  return day * PER_DAY + Number(id.slice(6))
}

/** Returns `GTT-YYMMDD-<8 hex>`, made from an order id that no order uses: unique without a random number. */
export function gttIdOf(orderId: string): string {
  return `GTT-${orderId.slice(0, 6)}-${hexOf(orderId)}`
}

/**
 * Returns `TRADE-YYYYMMDD-HHMMSS-<8 hex>` (IST). An order has one trade, so the order id makes the trade id
 * unique without a random number.
 */
export function tradeIdOf(orderId: string, at: number): string {
  return `TRADE-${compactStamp(at)}-${hexOf(orderId)}`
}

function hexOf(orderId: string): string {
  return (ordinalOf(orderId) % 2 ** 32).toString(16).padStart(8, '0')
}

let stampSecond = -1
let stamp = ''

/** Returns `YYYYMMDD-HHMMSS`. Cached, because many orders fill within one second. */
function compactStamp(at: number): string {
  const second = Math.floor(at / 1000)
  if (second !== stampSecond) {
    stampSecond = second
    stamp = istDateTime(at).replaceAll(/[-:]/g, '').replace(' ', '-')
  }
  return stamp
}
