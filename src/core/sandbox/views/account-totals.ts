import { type SymbolRef, symbolKey } from '../../market/schema.js'
import { type Money, timesContract, timesQuantity, unitPrice } from '../../money/index.js'
import { PRODUCTS } from '../../orders/schema.js'
import { dayPnl, unrealized } from '../engine/ledger.js'
import { positionKey } from '../engine/new-order.js'
import type { DayMark, SandboxHolding, SandboxPosition } from '../schema.js'

/** What is open in an account, at current prices. */
export interface OpenValue {
  /** The profit of closing it now. */
  open: Money
  /** Its market value. */
  exposure: Money
}

/** The rows of an account on one symbol, and what they added to the totals. */
interface Share extends OpenValue {
  readonly ref: SymbolRef
  readonly positions: readonly SandboxPosition[]
  readonly holding: SandboxHolding | undefined
  /** The last tick of the symbol; undefined before the first. */
  readonly seen: DayMark | undefined
  /** The profit of the session; 0 while the share is unmarked. */
  readonly day: Money
}

/**
 * The running totals of an account: open profit, exposure and the profit of the day. A row that changed and a price
 * that moved mark their symbol as stale, and the next question counts only the stale symbols again. So its cost
 * depends on what happened since the last one, and not on the number of positions.
 */
export class AccountTotals {
  readonly #positions: ReadonlyMap<string, SandboxPosition>
  readonly #holdings: ReadonlyMap<string, SandboxHolding>
  readonly #shares = new Map<string, Share>()
  readonly #stale = new Map<string, SymbolRef>()
  /** The shares with an open row and without a tick: only the market knows their price. */
  readonly #unpriced = new Set<Share>()
  /** The shares whose profit of the day needs a price or a previous close that no tick carried. */
  readonly #unmarked = new Set<Share>()
  /** The session of the totals; undefined until the first question. */
  #session: string | undefined
  #open: Money = 0n
  #exposure: Money = 0n
  #day: Money = 0n

  constructor(
    positions: ReadonlyMap<string, SandboxPosition>,
    holdings: ReadonlyMap<string, SandboxHolding>,
  ) {
    this.#positions = positions
    this.#holdings = holdings
  }

  /** Call it in each decision that changes, adds or removes a row on a symbol. */
  rowChanged(ref: SymbolRef): void {
    if (this.#session !== undefined) this.#stale.set(symbolKey(ref), ref)
  }

  /** Call it when the last tick of a symbol is another one, or none any more. */
  priceMoved(key: string): void {
    const share = this.#shares.get(key)
    if (share) this.#stale.set(key, share.ref)
  }

  /** Brings the totals up to date. @param seen returns the last tick of a symbol */
  settle(session: string, seen: (ref: SymbolRef) => DayMark | undefined): void {
    if (session !== this.#session) this.#beginAnew(session)
    for (const [key, ref] of this.#stale) {
      this.#remove(key)
      this.#add(key, ref, session, seen(ref))
    }
    this.#stale.clear()
  }

  /** The symbols whose price only the market knows. */
  get unpriced(): SymbolRef[] {
    return [...this.#unpriced].map(({ ref }) => ref)
  }

  /** The symbols for which {@link dayAt} needs a mark. */
  get unmarked(): SymbolRef[] {
    return [...this.#unmarked].map(({ ref }) => ref)
  }

  /** Returns the value of what is open. @param prices of the symbols without a tick; the last known one otherwise */
  valueAt(prices: ReadonlyMap<string, Money>): OpenValue {
    const total = { open: this.#open, exposure: this.#exposure }
    for (const share of this.#unpriced) {
      const value = worthOf(share, prices.get(symbolKey(share.ref)))
      total.open += value.open - share.open
      total.exposure += value.exposure - share.exposure
    }
    return total
  }

  /** Returns the profit of the session; undefined when it needs a previous close that is unknown. */
  dayAt(marks: ReadonlyMap<string, DayMark>): Money | undefined {
    let total = this.#day
    for (const share of this.#unmarked) {
      const asked = marks.get(symbolKey(share.ref))
      const ltp = share.seen ? share.seen.ltp : asked?.ltp
      const prevClose = share.seen?.prevClose ?? asked?.prevClose
      const profit = dayOf(share.positions, this.#session ?? '', { ltp, prevClose })
      if (profit === undefined) return undefined
      total += profit
    }
    return total
  }

  /** The profit of every row depends on the session, so a new one counts all rows. */
  #beginAnew(session: string): void {
    this.#session = session
    for (const { ref } of this.#shares.values()) this.rowChanged(ref)
    for (const row of this.#positions.values()) this.rowChanged(row)
    for (const row of this.#holdings.values()) this.rowChanged(row)
  }

  #remove(key: string): void {
    const share = this.#shares.get(key)
    if (!share) return
    this.#shares.delete(key)
    this.#unpriced.delete(share)
    this.#unmarked.delete(share)
    this.#open -= share.open
    this.#exposure -= share.exposure
    this.#day -= share.day
  }

  #add(key: string, { symbol, exchange }: SymbolRef, session: string, seen: DayMark | undefined): void {
    const positions = PRODUCTS.flatMap(
      (product) => this.#positions.get(positionKey({ symbol, exchange, product })) ?? [],
    )
    const holding = this.#holdings.get(key)
    if (positions.length === 0 && !holding) return
    const isOpen = positions.some(({ quantity }) => quantity !== 0)
    const day = isOpen && !seen ? undefined : dayOf(positions, session, seen ?? NOTHING_SEEN)
    const rows = { ref: { symbol, exchange }, positions, holding, seen }
    const share: Share = { ...rows, ...worthOf(rows, seen?.ltp), day: day ?? 0n }
    this.#shares.set(key, share)
    if (day === undefined) this.#unmarked.add(share)
    if (!seen && (isOpen || (holding && holding.quantity !== 0))) this.#unpriced.add(share)
    this.#open += share.open
    this.#exposure += share.exposure
    this.#day += share.day
  }
}

const NOTHING_SEEN: DayMark = { ltp: undefined, prevClose: undefined }

/** Returns the price without a market: the last one the row has seen, otherwise its average cost. */
export function lastKnownPrice(row: SandboxPosition | SandboxHolding): Money {
  return row.ltp > 0n ? row.ltp : unitPrice(row.cost, Math.abs(row.quantity))
}

function worthOf({ positions, holding }: Pick<Share, 'positions' | 'holding'>, price: Money | undefined) {
  const value = { open: 0n, exposure: 0n }
  for (const row of positions) {
    const ltp = price ?? lastKnownPrice(row)
    value.open += unrealized(row, ltp)
    value.exposure += timesContract(timesQuantity(ltp, Math.abs(row.quantity)), row.contractValue)
  }
  if (holding && holding.quantity !== 0) {
    const worth = timesQuantity(price ?? lastKnownPrice(holding), holding.quantity)
    value.open += worth - holding.cost
    value.exposure += worth
  }
  return value
}

function dayOf(
  positions: readonly SandboxPosition[],
  session: string,
  { ltp, prevClose }: DayMark,
): Money | undefined {
  let total: Money = 0n
  for (const row of positions) {
    const profit = dayPnl(row, session, { ltp: ltp ?? lastKnownPrice(row), prevClose })
    if (profit === undefined) return undefined
    total += profit
  }
  return total
}
