import { setImmediate as turn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import type { Instrument } from '../../../../src/core/instruments/schema.js'
import { exactQuantity } from '../../../../src/core/money/index.js'
import { draftOf } from '../../../../src/core/sandbox/engine/acceptance.js'
import { Engine } from '../../../../src/core/sandbox/engine/engine.js'
import { positionKey } from '../../../../src/core/sandbox/engine/new-order.js'
import { SandboxState } from '../../../../src/core/sandbox/engine/state.js'
import { type LeverageKey, SandboxSettings } from '../../../../src/core/sandbox/settings.js'
import { Changes } from '../../../../src/core/sandbox/storage/changes.js'
import { rounds } from '../../../support/chance/chance.js'
import { almanac, instrument, orderOf, quoteOf, randomFrom, TEN_O_CLOCK, USER } from '../harness.js'
import { type Kind, ModelAccount, type ModelOrder, type ModelQuote, type Side } from '../model-account.js'

const NOW = Date.parse(TEN_O_CLOCK)
const UNIT = 100_000_000

interface Market {
  instrument: Instrument
  kind: Kind
  products: readonly ('MIS' | 'CNC' | 'NRML')[]
  /** The centre of its price range and its smallest step, in ten-thousandths of a rupee. */
  price: number
  tick: number
}

const cash = ['MIS', 'CNC'] as const
const contracts = ['MIS', 'NRML'] as const
const MARKETS: readonly Market[] = [
  {
    instrument: instrument({ symbol: 'SBIN', exchange: 'NSE' }),
    kind: 'equity',
    products: cash,
    price: 8_000_000,
    tick: 500,
  },
  {
    instrument: instrument({ symbol: 'TCS', exchange: 'BSE' }),
    kind: 'equity',
    products: cash,
    price: 30_000_000,
    tick: 100,
  },
  {
    instrument: instrument({
      symbol: 'NIFTY30MAR26FUT',
      exchange: 'NFO',
      lotSize: 75,
      instrumentType: 'FUT',
    }),
    kind: 'future',
    products: contracts,
    price: 240_000_000,
    tick: 1000,
  },
  {
    instrument: instrument({
      symbol: 'NIFTY30MAR2624500CE',
      exchange: 'NFO',
      lotSize: 75,
      instrumentType: 'CE',
    }),
    kind: 'option',
    products: contracts,
    price: 2_000_000,
    tick: 500,
  },
  {
    instrument: instrument({
      symbol: 'SENSEX26MAR2680000PE',
      exchange: 'BFO',
      lotSize: 20,
      instrumentType: 'PE',
    }),
    kind: 'option',
    products: contracts,
    price: 3_000_000,
    tick: 500,
  },
  {
    instrument: instrument({
      symbol: 'CRUDEOIL19MAR26FUT',
      exchange: 'MCX',
      lotSize: 100,
      instrumentType: 'FUT',
    }),
    kind: 'future',
    products: contracts,
    price: 60_000_000,
    tick: 10_000,
  },
  {
    instrument: instrument({
      symbol: 'USDINR30MAR26FUT',
      exchange: 'CDS',
      lotSize: 1000,
      instrumentType: 'FUT',
      tickSize: 0.0025,
    }),
    kind: 'future',
    products: contracts,
    price: 850_000,
    tick: 25,
  },
  {
    instrument: instrument({
      symbol: 'BTCUSDFUT',
      exchange: 'CRYPTO',
      lotSize: 0.001,
      instrumentType: 'PERPFUT',
      contractValue: 0.001,
    }),
    kind: 'future',
    products: contracts,
    price: 950_000_000,
    tick: 5000,
  },
  {
    instrument: instrument({ symbol: 'ETHINR', exchange: 'CRYPTO', lotSize: 0.0001, instrumentType: 'SPOT' }),
    kind: 'other',
    products: contracts,
    price: 2_500_000_000,
    tick: 1,
  },
]

/** The same markets; the master names the tick of each. */
for (const { instrument: row, tick } of MARKETS) row.tickSize = tick / 10_000

const LEVERAGES = ['1', '2.5', '3.3333', '5', '7', '10', '50']
const LEVERAGE_KEYS = [
  'equity_mis_leverage',
  'equity_cnc_leverage',
  'futures_leverage',
  'option_buy_leverage',
  'option_sell_leverage',
] as const satisfies readonly LeverageKey[]
/** The leverage that applies to each kind of instrument, written down independently of the engine. */
const LEVERAGE_OF: Record<Kind, (action: Side, product: string) => LeverageKey | undefined> = {
  equity: (_action, product) => (product === 'CNC' ? 'equity_cnc_leverage' : 'equity_mis_leverage'),
  future: () => 'futures_leverage',
  option: (action) => (action === 'BUY' ? 'option_buy_leverage' : 'option_sell_leverage'),
  other: () => undefined,
}

const marketOf = (symbol: string) => MARKETS.find((market) => market.instrument.symbol === symbol)
const instruments = {
  find: (symbol: string) => marketOf(symbol)?.instrument,
  freezeQuantity: () => undefined,
}
const breaksRule = (outcome: { ok: boolean; message?: string }) =>
  !outcome.ok && /^Trigger price/.test(outcome.message ?? '')
const rupees = (amount: bigint) => Number(amount) / 10_000
const inUnits = (quantity: number) => BigInt(Math.round(quantity * UNIT))

/** The engine and the model side by side; every step runs on both. */
class Pair {
  readonly engine: Engine
  readonly model: ModelAccount
  readonly leverages = new Map<LeverageKey, string>()
  /** Counts what happened, so that a run that does nothing does not count as agreement. */
  readonly seen = new Map<string, number>()
  #capital = 100_000_000_000n
  #orders = 26031200000000
  #poorFor = 0

  constructor(readonly random: (below: number) => number) {
    let closing = 26031300000000
    this.engine = new Engine(new SandboxState(), new SandboxSettings([]), {
      instruments,
      calendar: almanac(),
      alwaysOpen: () => false,
      priceBand: () => undefined,
      stopped: () => undefined,
      nextOrderId: () => String(closing++),
    })
    this.model = new ModelAccount(this.#capital, (symbol) => {
      const market = marketOf(symbol)
      if (!market) throw new Error(`no market in ${symbol}`)
      return {
        kind: market.kind,
        contractValue: inUnits(market.instrument.contractValue ?? 1),
        leverage: (action, product) => {
          const key = LEVERAGE_OF[market.kind](action, product)
          return key ? BigInt(Math.round(Number(this.leverages.get(key)) * 10_000)) : 10_000n
        },
      }
    })
    for (const key of LEVERAGE_KEYS) this.#setLeverage(key, '5')
  }

  get decision() {
    return { changes: new Changes(), now: NOW, session: '2026-03-12' }
  }

  step(): Market {
    if (this.random(500) === 0) this.#setLeverage(this.#one(LEVERAGE_KEYS), this.#one(LEVERAGES))
    this.#changeFortune()
    const market = this.#one(MARKETS)
    const choice = this.random(20)
    const waiting = [...this.model.waiting.values()]
    const chosen = waiting[this.random(Math.max(1, waiting.length))]
    if (chosen && (waiting.length > 20 || choice === 0)) return this.#cancel(chosen)
    if (chosen && choice < 4) return this.#modify(chosen)
    if (choice < 7) return this.#tick(market)
    return this.#place(market)
  }

  /** Returns the difference between the two, if there is one. */
  difference(market: Market): unknown {
    const { symbol, exchange } = market.instrument
    const { funds, positions } =
      this.engine.state.accounts.get(USER) ?? this.engine.account(USER, this.decision)
    const { model } = this
    const rows = market.products.map((product) => {
      const row = positions.get(positionKey({ symbol, exchange, product }))
      const twin = model.row(symbol, product)
      const same =
        (row === undefined ? 0n : inUnits(row.quantity)) === twin.quantity &&
        (row?.cost ?? 0n) === twin.cost &&
        (row?.margin ?? 0n) === twin.margin &&
        (row?.realized ?? 0n) === twin.realized
      return { same, row, twin }
    })
    const same =
      funds.available === model.available &&
      funds.used === model.used &&
      funds.realized === model.realized &&
      funds.available + funds.used === funds.capital + funds.realized &&
      this.engine.state.waiting.size === model.waiting.size
    if (same && rows.every((row) => row.same)) return undefined
    return { funds, model: { ...model, rows: undefined }, rows, waiting: [...model.waiting.values()] }
  }

  #one<Item>(items: readonly Item[]): Item {
    const item = items[this.random(items.length)]
    if (item === undefined) throw new Error('nothing to choose from')
    return item
  }

  #count(what: string): void {
    this.seen.set(what, (this.seen.get(what) ?? 0) + 1)
  }

  #setLeverage(key: LeverageKey, value: string): void {
    this.engine.changeSetting(key, value, this.decision)
    this.leverages.set(key, value)
  }

  /** Rich enough to trade, and sometimes, for a while, too poor to pay for the waiting orders. */
  #changeFortune(): void {
    this.#poorFor -= 1
    const { available } = this.model
    if (this.random(1500) === 0) {
      this.#endow(1_000_000n - available)
      this.#poorFor = 200
    } else if (this.#poorFor < 0 && available < 10_000_000_000n) this.#endow(100_000_000_000n - available)
  }

  #endow(more: bigint): void {
    this.#capital += more
    this.engine.endow(USER, this.#capital, this.decision)
    this.model.available += more
  }

  #price(market: Market): bigint {
    const steps = Math.round(market.price / market.tick / 50)
    return BigInt(market.price + (this.random(2 * steps + 1) - steps) * market.tick)
  }

  #quantity({ instrument: { lotSize, exchange } }: Market): number {
    const most = exchange === 'NSE' || exchange === 'BSE' ? 400 : lotSize < 1 ? 3000 : 6
    const lots = 1 + this.random(this.random(30) === 0 ? most * 50 : most)
    return Math.round(lots * lotSize * UNIT) / UNIT
  }

  #quote({ instrument }: Market, ltp: bigint, tick: number) {
    const half = BigInt(this.random(4) * tick)
    const model: ModelQuote = { ltp, bid: ltp - half, ask: ltp + half }
    const quote = quoteOf(instrument, `${rupees(ltp)}/${rupees(model.bid)}/${rupees(model.ask)}`)
    return { model, quote }
  }

  #place(market: Market): Market {
    const { symbol, exchange } = market.instrument
    const { model: seen, quote } = this.#quote(market, this.#price(market), market.tick)
    const type = this.#one(['MARKET', 'MARKET', 'LIMIT', 'LIMIT', 'SL', 'SL-M'] as const)
    const product = this.#one(market.products)
    const action = this.#one(['BUY', 'SELL'] as const)
    const quantity = this.#quantity(market)
    const [price, trigger] = [this.#price(market), this.#price(market)]
    const order: ModelOrder = {
      id: String(this.#orders++),
      symbol,
      product,
      action,
      type,
      quantity: inUnits(quantity),
      price,
      trigger,
    }
    const request = orderOf({
      symbol,
      exchange,
      product,
      action,
      quantity,
      priceType: type,
      price: rupees(price),
      triggerPrice: rupees(trigger),
    })
    const draft = draftOf(request, instruments)
    // The account never sees an order that breaks a rule of the exchange.
    if ('message' in draft) return market
    const outcome = this.engine.place({ userId: USER, orderId: order.id }, draft, quote, this.decision)
    if (breaksRule(outcome)) return market
    this.model.place(order, seen)
    this.#count(`${outcome.ok ? '' : 'refused '}${exchange} ${product} ${type}`)
    return market
  }

  #tick(market: Market): Market {
    const { model, quote } = this.#quote(market, this.#price(market), market.tick)
    this.engine.tick(quote, this.decision)
    this.model.tick(market.instrument.symbol, model)
    return market
  }

  #cancel({ id, symbol }: ModelOrder): Market {
    const [order, market] = [this.engine.state.waiting.get(id), marketOf(symbol)]
    if (!order || !market) throw new Error(`${id} waits in the model only`)
    this.engine.cancel(order, this.decision)
    this.model.cancel(id)
    this.#count('cancel')
    return market
  }

  #modify({ id, symbol, type }: ModelOrder): Market {
    const [order, market] = [this.engine.state.waiting.get(id), marketOf(symbol)]
    if (!order || !market) throw new Error(`${id} waits in the model only`)
    const { model, quote } = this.#quote(market, this.#price(market), market.tick)
    // Sometimes more than any account can pay for.
    const quantity = exactQuantity(this.#quantity(market) * (this.random(10) === 0 ? 1000 : 1))
    const price = type === 'SL-M' || this.random(3) === 0 ? 0n : this.#price(market)
    const trigger = type === 'LIMIT' || this.random(3) === 0 ? 0n : this.#price(market)
    const wanted = { quantity, price: rupees(price), triggerPrice: rupees(trigger) }
    const outcome = this.engine.modify(order, wanted, quote, this.decision)
    if (breaksRule(outcome)) return market
    this.model.modify(id, { quantity: inUnits(quantity), price, trigger }, model)
    this.#count(outcome.ok ? 'change' : 'refused change')
    return market
  }
}

const TRADES = rounds(100_000)

it('matches an independent account over thousands of trades of every kind, to the last unit', async () => {
  const pair = new Pair(randomFrom(20_260_312))
  for (let step = 0; pair.model.trades < TRADES; step++) {
    // The worker answers the runner between the steps, on a slow machine too.
    if (step % 1000 === 0) await turn()
    const difference = pair.difference(pair.step())
    if (difference) expect({ step, difference }).toBeUndefined()
    if (step > 1_000_000) throw new Error(`only ${pair.model.trades} trades`)
  }
  // Every kind of order was accepted on every exchange for every product.
  for (const { instrument, products } of MARKETS) {
    for (const product of products) {
      for (const type of ['MARKET', 'LIMIT', 'SL', 'SL-M']) {
        const kind = `${instrument.exchange} ${product} ${type}`
        expect(pair.seen.get(kind) ?? 0, kind).toBeGreaterThan(TRADES / 1000)
      }
    }
  }
  const times = (what: RegExp) =>
    [...pair.seen].reduce((sum, [name, count]) => sum + (what.test(name) ? count : 0), 0)
  for (const what of [/^cancel/, /^change/, /^refused change/, /^refused .* CNC/, /^refused .* NRML/]) {
    expect(times(what), String(what)).toBeGreaterThan(10)
  }
  expect(pair.model.cancelled).toBeGreaterThan(0)
})
