/**
 * The sandbox's account calculated independently, with whole numbers only: prices and money in
 * ten-thousandths of a rupee, quantities in hundred-millionths of a unit. It shares no code with the engine.
 */
export type Kind = 'equity' | 'future' | 'option' | 'other'
export type Side = 'BUY' | 'SELL'
export type Type = 'MARKET' | 'LIMIT' | 'SL' | 'SL-M'

export interface ModelOrder {
  id: string
  symbol: string
  product: string
  action: Side
  type: Type
  quantity: bigint
  price: bigint
  trigger: bigint
}

interface Held extends ModelOrder {
  triggered: boolean
  margin: bigint
  /** Units the margin is for. */
  covered: bigint
}

export interface ModelQuote {
  ltp: bigint
  bid: bigint
  ask: bigint
}

export interface ModelRow {
  quantity: bigint
  cost: bigint
  margin: bigint
  realized: bigint
}

export interface ModelTerms {
  kind: Kind
  /** The size of one contract, in hundred-millionths of a unit. */
  contractValue: bigint
  /** In ten-thousandths; read again for every order. */
  leverage(action: Side, product: string): bigint
}

const UNIT = 100_000_000n
const MULTIPLE = 10_000n

const size = (amount: bigint): bigint => (amount < 0n ? -amount : amount)

/** Rounds half away from zero. */
function nearest(dividend: bigint, divisor: bigint): bigint {
  const whole = (2n * size(dividend) + divisor) / (2n * divisor)
  return dividend < 0n ? -whole : whole
}

export class ModelAccount {
  available: bigint
  used = 0n
  realized = 0n
  trades = 0
  cancelled = 0
  readonly rows = new Map<string, ModelRow>()
  readonly waiting = new Map<string, Held>()

  constructor(
    capital: bigint,
    private readonly termsOf: (symbol: string) => ModelTerms,
  ) {
    this.available = capital
  }

  row(symbol: string, product: string): ModelRow {
    const key = `${symbol} ${product}`
    const row = this.rows.get(key) ?? { quantity: 0n, cost: 0n, margin: 0n, realized: 0n }
    this.rows.set(key, row)
    return row
  }

  place(order: ModelOrder, quote: ModelQuote): void {
    const opening = this.#opening(order)
    if (!this.#deliverable(order)) return
    const at = order.type === 'MARKET' ? quote.ltp : marginPrice(order, quote.ltp)
    const margin = this.#margin(order, opening, at)
    if (margin > 0n && margin > this.available) return
    this.#block(margin)
    const held = { ...order, triggered: false, margin, covered: opening }
    this.waiting.set(order.id, held)
    this.#look(held, quote, true)
  }

  tick(symbol: string, quote: ModelQuote): void {
    for (const order of [...this.waiting.values()])
      if (order.symbol === symbol) this.#look(order, quote, false)
  }

  cancel(id: string): void {
    const order = this.waiting.get(id)
    if (!order) return
    this.#block(-order.margin)
    this.waiting.delete(id)
  }

  modify(id: string, change: { quantity: bigint; price: bigint; trigger: bigint }, quote: ModelQuote): void {
    const order = this.waiting.get(id)
    if (!order) return
    const wanted = {
      ...order,
      quantity: change.quantity,
      price: change.price || order.price,
      trigger: order.triggered ? order.trigger : change.trigger || order.trigger,
    }
    const opening = this.#opening(wanted)
    const at = marginPrice(order.triggered ? { ...wanted, type: 'LIMIT' } : wanted, quote.ltp)
    const margin = this.#margin(wanted, opening, at)
    const more = margin - order.margin
    if (!this.#deliverable(wanted) || (more > 0n && more > this.available)) return
    this.#block(more)
    Object.assign(order, wanted, { margin, covered: opening })
    this.#look(order, quote, true)
  }

  #block(margin: bigint): void {
    this.available -= margin
    this.used += margin
  }

  #opening({ symbol, product, action, quantity }: ModelOrder): bigint {
    const held = this.row(symbol, product).quantity
    const closes = action === 'BUY' ? -held : held
    return closes <= 0n ? quantity : quantity > closes ? quantity - closes : 0n
  }

  /** Delivered shares are sold from those that exist and that no other order offers. */
  #deliverable(order: ModelOrder): boolean {
    if (order.product !== 'CNC' || order.action !== 'SELL') return true
    let free = this.row(order.symbol, 'CNC').quantity
    for (const other of this.waiting.values()) {
      const rival = other.symbol === order.symbol && other.product === 'CNC' && other.action === 'SELL'
      if (rival && other.id !== order.id) free -= other.quantity
    }
    return order.quantity <= free
  }

  #margin({ symbol, product, action }: ModelOrder, quantity: bigint, price: bigint): bigint {
    const { kind, leverage } = this.termsOf(symbol)
    if (kind === 'equity' && product === 'CNC' && action === 'SELL') return 0n
    return nearest(nearest(price * quantity, UNIT) * MULTIPLE, leverage(action, product))
  }

  #look(order: Held, quote: ModelQuote, arriving: boolean): void {
    const { type, action, price, trigger } = order
    const { ltp } = quote
    const within = action === 'BUY' ? ltp <= price : ltp >= price
    const passed = action === 'BUY' ? ltp >= trigger : ltp <= trigger
    if (type === 'SL' && passed) order.triggered = true
    if (type === 'MARKET') this.#fill(order, action === 'BUY' ? quote.ask : quote.bid)
    else if (type === 'LIMIT' && within) this.#fill(order, arriving ? ltp : price)
    else if (type === 'SL-M' && passed) this.#fill(order, ltp)
    else if (type === 'SL' && order.triggered && within) this.#fill(order, ltp)
  }

  #fill(order: Held, price: bigint): void {
    const row = this.row(order.symbol, order.product)
    const opening = this.#opening(order)
    const closing = order.quantity - opening
    const held = size(row.quantity)
    const cost = closing > 0n ? (row.cost * closing) / held : 0n
    const freed = closing > 0n ? (row.margin * closing) / held : 0n
    const gain = nearest(price * closing, UNIT) - cost
    const { contractValue } = this.termsOf(order.symbol)
    const profit = nearest((order.action === 'SELL' ? gain : -gain) * contractValue, UNIT)
    const carried = opening < order.covered ? (order.margin * opening) / order.covered : order.margin
    const at = order.type === 'MARKET' ? order.price : marginPrice(order, price)
    const forMore = opening > order.covered ? this.#margin(order, opening - order.covered, at) : 0n
    const isDelivery = order.product === 'CNC' && order.action === 'BUY'
    const forAll = isDelivery ? this.#margin(order, opening, price) - carried : 0n
    const extra = forAll > forMore ? forAll : forMore
    const left = this.available + order.margin - carried + freed + profit
    this.waiting.delete(order.id)
    if (extra > 0n && extra > left) {
      this.#block(-order.margin)
      this.cancelled += 1
      return
    }
    this.#block(carried + extra - order.margin - freed)
    this.available += profit
    this.realized += profit
    row.realized += profit
    row.quantity += order.action === 'BUY' ? order.quantity : -order.quantity
    row.cost += nearest(price * opening, UNIT) - cost
    row.margin += carried + extra - freed
    this.trades += 1
  }
}

/**
 * The value of an order before it trades: its own price, or the market price when it may trade above its own.
 */
function marginPrice({ type, action, price, trigger }: ModelOrder, ltp: bigint): bigint {
  if (type === 'LIMIT') return action === 'SELL' && ltp > price ? ltp : price
  return action === 'BUY' && ltp > trigger ? ltp : trigger
}
