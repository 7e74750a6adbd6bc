import type { Depth, DepthLevel } from '../../../market/schema.js'
import { type Contract, ticksToPrice } from './contract.js'
import { pick } from './noise.js'
import { lots } from './pricer.js'

const DEPTH_LEVELS = 5
const WIDEST_SPREAD_TICKS = 3
/** Average value in rupees of a level of a cash instrument; levels of derivatives are in lots. */
const CASH_LEVEL_VALUE = 400_000
const MOST_LOTS_AT_A_LEVEL = 40

/**
 * Returns the order book of a contract at a second: five levels per side around the last price, one to three
 * ticks apart. The same seed always gives the same book. An index is not traded and has no book; a price of
 * one tick has no bids.
 */
export function depthAt(contract: Contract, second: number, ltp: number): Depth {
  if (contract.kind === 'index') return { buy: [], sell: [] }
  const last = Math.round(ltp / contract.tick)
  const spread = 1 + pick(contract.seed, second, 31, WIDEST_SPREAD_TICKS)
  const bestBid = last - pick(contract.seed, second, 32, spread + 1)
  return {
    buy: side(contract, second, bestBid, -1),
    sell: side(contract, second, Math.max(1, bestBid + spread), 1),
  }
}

function side(contract: Contract, second: number, best: number, direction: 1 | -1): DepthLevel[] {
  const levels: DepthLevel[] = []
  let ticks = best
  for (let level = 0; level < DEPTH_LEVELS && ticks >= 1; level++) {
    const salt = 40 + level * 2 + (direction === 1 ? 20 : 0)
    const price = ticksToPrice(ticks, contract)
    const count = 1 + pick(contract.seed, second, salt, mostLots(contract, price) * (1 + level / 2))
    levels.push({
      price,
      quantity: lots(count, contract.lot),
      orders: 1 + pick(contract.seed, second, salt + 1, Math.min(count, 20)),
    })
    ticks += direction * (1 + pick(contract.seed, second, salt + 40, 2))
  }
  return levels
}

function mostLots(contract: Contract, price: number): number {
  if (contract.kind !== 'cash') return MOST_LOTS_AT_A_LEVEL
  return Math.max(2, Math.round(CASH_LEVEL_VALUE / (price * contract.lot)))
}
