import { partsOf } from '../../money/index.js'
import type { InstrumentDirectory } from '../schema.js'

/** What the largest order of a contract follows from. */
type Contracts = Pick<InstrumentDirectory, 'find' | 'freezeQuantity'>

/** Returns the largest order for a contract by its freeze quantity, in whole lots; undefined if no limit is known. */
export function largestOrderOf(
  catalog: Contracts,
  { exchange, symbol }: { exchange: string; symbol: string },
): number | undefined {
  const contract = catalog.find(symbol, exchange)
  const freeze = contract && catalog.freezeQuantity(contract)
  if (!contract || freeze === undefined) return undefined
  const { lotSize } = contract
  return lotSize > 0 ? Math.floor(freezeLimit(freeze, lotSize) / lotSize) * lotSize : freeze
}

/** Returns the freeze quantity as it counts: below one lot it is a mistake of the list, because one lot can always be ordered. */
export function freezeLimit(freeze: number, lotSize: number): number {
  return Math.max(freeze, lotSize)
}

/** Returns why an exchange refuses a quantity above the freeze quantity; undefined if it takes it. */
export function freezeProblem(quantity: number, freeze: number | undefined): string | undefined {
  if (freeze === undefined || quantity <= freeze) return undefined
  return `Quantity ${quantity} exceeds the freeze quantity ${freeze}: split it (svc order split, splitorder, or splitsize of an options order)`
}

/** Returns the sizes of the orders that a quantity must be sent in: one, unless it is above the largest order. */
export function piecesOf(quantity: number, largest: number | undefined): number[] {
  return largest === undefined || quantity <= largest ? [quantity] : partsOf(quantity, largest)
}

/** A position that needs more pieces has a freeze quantity that is a mistake; so many are decided within a few milliseconds. */
const MOST_PIECES = 500

/** Returns why a quantity is not sent in pieces; undefined if it can be. */
export function piecesProblem(
  { exchange, quantity, symbol }: { exchange: string; quantity: number; symbol: string },
  largest: number | undefined,
): string | undefined {
  if (largest === undefined || quantity <= largest * MOST_PIECES) return undefined
  return `Nothing was sent: ${quantity} ${symbol} on ${exchange} needs more than ${MOST_PIECES} orders of at most ${largest}. Correct its freeze quantity (svc admin freeze list)`
}
