import type { DepthLevel, Tick } from '../../../market/schema.js'

/** In rupees: thousands of times the dearest share, and more than any index or coin. */
const HIGHEST_PRICE = 1_000_000_000

/**
 * Returns what of a tick, or of a part of one, cannot be true; undefined if all of it can. A broken frame of a broker is no price: one below zero, or
 * without limit, would fire stops and fill orders. A price of 0 says that there is none.
 */
export function faultOfTick(tick: Partial<Tick>): string | undefined {
  const { ask, averagePrice, bid, depth, high, low, ltp, open, prevClose } = tick
  const { askSize, bidSize, lastQuantity, oi, totalBuyQuantity, totalSellQuantity, volume } = tick
  if (!arePrices(ltp, bid, ask, open, high, low, prevClose, averagePrice)) return 'a price'
  if (!areCounts(bidSize, askSize, lastQuantity, oi, totalBuyQuantity, totalSellQuantity, volume))
    return 'a quantity'
  if (depth && !(depth.buy.every(isLevel) && depth.sell.every(isLevel))) return 'the order book'
  return Number.isFinite(tick.timestamp ?? 0) ? undefined : 'the time'
}

function arePrices(...values: (number | undefined)[]): boolean {
  return values.every((value = 0) => value >= 0 && value <= HIGHEST_PRICE)
}

function areCounts(...values: (number | undefined)[]): boolean {
  return values.every((value = 0) => value >= 0 && Number.isFinite(value))
}

function isLevel({ price, quantity }: DepthLevel): boolean {
  return arePrices(price) && areCounts(quantity)
}
