import { type SymbolRef, symbolKey } from '../../market/schema.js'
import type { Money } from '../../money/index.js'
import type {
  SandboxFunds,
  SandboxGtt,
  SandboxHolding,
  SandboxJobMark,
  SandboxOrder,
  SandboxPosition,
} from '../schema.js'
import { AccountTotals } from '../views/account-totals.js'
import { NearestPrices } from './nearest-prices.js'

/** The rows of one user. */
export interface Account {
  funds: SandboxFunds
  positions: Map<string, SandboxPosition>
  holdings: Map<string, SandboxHolding>
  totals: AccountTotals
}

type PricedRow = SymbolRef & { readonly quantity: number; ltp: Money }

interface PriceChanges {
  positions: Set<SandboxPosition>
  holdings: Set<SandboxHolding>
}

/** The state the sandbox decides on, in memory: accounts, waiting orders and GTTs, marks of jobs. */
export class SandboxState {
  readonly accounts = new Map<string, Account>()
  readonly waiting = new Map<string, SandboxOrder>()
  /** GTTs that may still fire. */
  readonly gtts = new Map<string, SandboxGtt>()
  /** The latest due moment of each job that is done. */
  readonly jobs = new Map<string, SandboxJobMark>()
  readonly #waitingBySymbol = new Map<string, Set<SandboxOrder>>()
  /** The waiting orders with a validity of minutes. */
  readonly #timed = new Set<SandboxOrder>()
  readonly #nearest = new Map<string, NearestPrices>()
  readonly #gttsBySymbol = new Map<string, Set<SandboxGtt>>()
  readonly #touched = new Set<string>()
  /** The number of open positions and holdings per symbol. */
  readonly #openBySymbol = new Map<string, number>()

  /** Returns a copy of one user's account and waiting orders, which can be decided on without a change of this state. */
  copyOf(userId: string): SandboxState {
    const copy = new SandboxState()
    const account = this.accounts.get(userId)
    if (account) copy.accounts.set(userId, copyOfAccount(account))
    for (const order of this.waitingOf(userId)) copy.addWaiting({ ...order })
    return copy
  }

  /** Returns the waiting orders on a symbol, oldest first. */
  waitingOn(key: string): ReadonlySet<SandboxOrder> {
    return this.#waitingBySymbol.get(key) ?? NONE
  }

  /** Returns when the next order ends by its validity; undefined if none does. */
  get nextExpiry(): number | undefined {
    let next: number | undefined
    for (const { expiresAt } of this.#timed) {
      if (expiresAt !== null && (next === undefined || expiresAt < next)) next = expiresAt
    }
    return next
  }

  /** Returns the waiting orders whose validity is over at an instant. */
  dueBy(now: number): readonly SandboxOrder[] {
    if (this.#timed.size === 0) return NO_ORDERS
    return [...this.#timed].filter(({ expiresAt }) => expiresAt !== null && expiresAt <= now)
  }

  waitingOf(userId: string): SandboxOrder[] {
    return [...this.waiting.values()].filter((order) => order.userId === userId)
  }

  addWaiting(order: SandboxOrder): void {
    const key = symbolKey(order)
    const others = this.#waitingBySymbol.get(key)
    if (others) others.add(order)
    else this.#waitingBySymbol.set(key, new Set([order]))
    this.waiting.set(order.orderId, order)
    if (order.expiresAt !== null) this.#timed.add(order)
    this.noteTerms(order)
    this.#touched.add(key)
  }

  /** Call it when the price, the trigger price or the status of a waiting order has changed. */
  noteTerms(order: SandboxOrder): void {
    const key = symbolKey(order)
    const nearest = this.#nearest.get(key) ?? new NearestPrices()
    nearest.add(order)
    this.#nearest.set(key, nearest)
  }

  /** Returns whether an order that waits on a symbol may act at a last price. */
  actsAt(key: string, ltp: Money): boolean {
    return this.#nearest.get(key)?.reachedBy(ltp) ?? false
  }

  /** Forgets the prices of orders that no longer wait on a symbol. It looks at every order that does. */
  renewNearest(key: string): void {
    this.#nearest.delete(key)
    for (const order of this.waitingOn(key)) this.noteTerms(order)
  }

  removeWaiting(order: SandboxOrder): void {
    const key = symbolKey(order)
    const others = this.#waitingBySymbol.get(key)
    others?.delete(order)
    this.#timed.delete(order)
    if (others?.size === 0) {
      this.#waitingBySymbol.delete(key)
      this.#nearest.delete(key)
    }
    if (this.waiting.delete(order.orderId)) this.#touched.add(key)
  }

  /** Returns the GTTs on a symbol that may still fire, oldest first. */
  gttsOn(key: string): ReadonlySet<SandboxGtt> {
    return this.#gttsBySymbol.get(key) ?? NO_GTTS
  }

  addGtt(gtt: SandboxGtt): void {
    const key = symbolKey(gtt)
    const others = this.#gttsBySymbol.get(key)
    if (others) others.add(gtt)
    else this.#gttsBySymbol.set(key, new Set([gtt]))
    this.gtts.set(gtt.gttId, gtt)
    this.#touched.add(key)
  }

  removeGtt(gtt: SandboxGtt): void {
    const key = symbolKey(gtt)
    const others = this.#gttsBySymbol.get(key)
    others?.delete(gtt)
    if (others?.size === 0) this.#gttsBySymbol.delete(key)
    if (this.gtts.delete(gtt.gttId)) this.#touched.add(key)
  }

  /** Counts a position or holding that opened (1) or closed (-1). */
  countOpen(key: string, change: number): void {
    const open = (this.#openBySymbol.get(key) ?? 0) + change
    if (open > 0) this.#openBySymbol.set(key, open)
    else this.#openBySymbol.delete(key)
    this.#touched.add(key)
  }

  /** Sets the last price of open positions and holdings. @param priceOf returns undefined for a symbol without a tick */
  keepPrices(priceOf: (ref: SymbolRef) => Money | undefined, { holdings, positions }: PriceChanges): void {
    for (const account of this.accounts.values()) {
      const keep = <Row extends PricedRow>(rows: ReadonlyMap<string, Row>, changed: Set<Row>) => {
        for (const row of rows.values()) {
          const price = row.quantity === 0 ? undefined : priceOf(row)
          if (price === undefined || price === row.ltp) continue
          row.ltp = price
          changed.add(row)
          account.totals.rowChanged(row)
        }
      }
      keep(account.positions, positions)
      keep(account.holdings, holdings)
    }
  }

  /** Tells the totals of every account that the last tick of a symbol changed or went away. */
  priceMoved(key: string): void {
    for (const { totals } of this.accounts.values()) totals.priceMoved(key)
  }

  /** Returns the symbols for which {@link needsPrice} may have changed since the last call. */
  takeTouched(): string[] {
    if (this.#touched.size === 0) return NO_SYMBOLS
    const touched = [...this.#touched]
    this.#touched.clear()
    return touched
  }

  /** Returns true when an order or a GTT waits for a price of this symbol. */
  waits(key: string): boolean {
    return this.#waitingBySymbol.has(key) || this.#gttsBySymbol.has(key)
  }

  /** Returns true when anything in the sandbox depends on the price of this symbol. */
  needsPrice(key: string): boolean {
    return this.#openBySymbol.has(key) || this.waits(key)
  }

  /** Returns every symbol whose price the sandbox needs. */
  pricedSymbols(): Set<string> {
    return new Set([
      ...this.#waitingBySymbol.keys(),
      ...this.#openBySymbol.keys(),
      ...this.#gttsBySymbol.keys(),
    ])
  }

  /** Returns the symbols with waiting orders or GTTs. */
  waitingSymbols(): string[] {
    return [...new Set([...this.#waitingBySymbol.keys(), ...this.#gttsBySymbol.keys()])]
  }
}

const NO_SYMBOLS: string[] = []
const NO_ORDERS: readonly SandboxOrder[] = []
const NONE: ReadonlySet<SandboxOrder> = new Set()
const NO_GTTS: ReadonlySet<SandboxGtt> = new Set()

export function newFunds(userId: string, capital: Money, now: number): SandboxFunds {
  return {
    userId,
    capital,
    available: capital,
    used: 0n,
    realized: 0n,
    todayRealized: 0n,
    todaySession: '',
    lastResetAt: now,
    resetCount: 0,
  }
}

export function newAccount(funds: SandboxFunds): Account {
  const positions = new Map<string, SandboxPosition>()
  const holdings = new Map<string, SandboxHolding>()
  return { funds, positions, holdings, totals: new AccountTotals(positions, holdings) }
}

function copyOfAccount({ funds, holdings, positions }: Account): Account {
  const copy = newAccount({ ...funds })
  for (const [key, position] of positions) copy.positions.set(key, { ...position })
  for (const [key, holding] of holdings) copy.holdings.set(key, { ...holding })
  return copy
}
