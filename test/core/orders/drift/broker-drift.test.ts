import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type {
  BrokerClient,
  BrokerHolding,
  BrokerOrder,
  BrokerPosition,
} from '../../../../src/core/brokers/broker.js'
import type { EventTopics } from '../../../../src/core/events/index.js'
import { BrokerDrift } from '../../../../src/core/orders/drift/broker-drift.js'
import { DriftStore } from '../../../../src/core/orders/drift/drift-store.js'
import { OrderJournal } from '../../../../src/core/orders/journal/journal.js'
import { newOrderRef } from '../../../../src/core/orders/order-ref.js'
import { Database } from '../../../../src/core/storage/index.js'
import { VirtualClock } from '../../../../src/core/time/index.js'
import { payloadOf, USER } from '../../../support/desk/desk.js'
import { tempDir } from '../../../support/files/temp.js'

const at = (day: string, time = '11:00:00') => Date.parse(`${day}T${time}+05:30`)
const [DAY_1, DAY_2, DAY_3] = ['2026-11-19', '2026-11-20', '2026-11-23'] as const

type Trade = Partial<Pick<BrokerOrder, 'symbol' | 'exchange' | 'product' | 'action' | 'quantity'>>

/** An account at a broker whose book holds one day, and the comparison of it with the journal. */
class Account {
  /** The number of orders of each book that was told. */
  readonly books: number[] = []
  readonly events: EventTopics['broker_drift'][] = []
  orders: BrokerOrder[] = []
  positions: BrokerPosition[] = []
  holdings: BrokerHolding[] = []
  account = 'AB1234'
  /** Called when a drift was published. */
  onEvent: () => void = () => undefined
  readonly ended = new Set<string>()
  readonly journal: OrderJournal

  private constructor(
    readonly db: Database,
    readonly clock: VirtualClock,
  ) {
    this.journal = new OrderJournal(db, clock)
  }

  static async open(): Promise<Account> {
    const db = await Database.open({ file: join(tempDir(), 'svc.db'), schema: 'svc' })
    return new Account(db, new VirtualClock(at(DAY_1)))
  }

  /** Compares in a service that has just started. */
  async compare() {
    await this.clock.advance(60_000)
    const client = {
      orders: { list: async () => this.orders.map((order) => ({ ...order })) },
      portfolio: { positions: async () => [...this.positions], holdings: async () => [...this.holdings] },
    } as unknown as BrokerClient
    const drift = new BrokerDrift({
      clock: this.clock,
      store: new DriftStore(this.db),
      journal: this.journal,
      broker: { brokerId: 'remote', accountId: this.account, client: () => client },
      noteBook: (orders) => this.books.push(orders.length),
      hasInstruments: () => true,
      hasEnded: ({ symbol }) => this.ended.has(symbol),
      publish: (event) => {
        this.events.push(event)
        this.onEvent()
      },
    })
    expect(drift.latest()).toBeUndefined()
    const isCompared = await drift.compare(client)
    const state = await drift.state()
    if (isCompared) expect(drift.latest()).toEqual(state)
    return state
  }

  /** An order of somebody else, filled at once. */
  trade(fields: Trade = {}, tag?: string): string {
    const orderId = `X${this.clock.now()}-${this.orders.length}`
    const order: BrokerOrder = {
      orderId,
      symbol: 'SBIN',
      exchange: 'NSE',
      product: 'NRML',
      action: 'BUY',
      quantity: 10,
      ...fields,
      price: 0,
      triggerPrice: 0,
      priceType: 'MARKET',
      status: 'complete',
      filledQuantity: fields.quantity ?? 10,
      pendingQuantity: 0,
      averagePrice: 700,
      rejectionReason: '',
      timestamp: this.clock.now(),
      ...(tag !== undefined && { tag }),
    }
    this.orders.push(order)
    this.move(order, order.action === 'BUY' ? order.quantity : -order.quantity)
    return orderId
  }

  /** Changes a position without an order. */
  move(
    { symbol, exchange, product }: Pick<BrokerOrder, 'symbol' | 'exchange' | 'product'>,
    by: number,
  ): void {
    const known = this.positions.find(
      (row) => row.symbol === symbol && row.exchange === exchange && row.product === product,
    )
    if (known) known.quantity += by
    else {
      const money = { averagePrice: 700, ltp: 700, pnl: 0, realized: 0, unrealized: 0, dayPnl: 0 }
      this.positions.push({ symbol, exchange, product, quantity: by, ...money })
    }
  }

  /** An order of ours. `recorded` is how much of its fill the journal knows. */
  async ours(fields: Trade = {}, recorded = fields.quantity ?? 10): Promise<string> {
    const ref = await this.send(fields)
    await this.journal.move(ref, 'accepted', { orderId: this.trade(fields, ref) })
    await this.record(ref, recorded)
    return ref
  }

  async send(fields: Trade = {}): Promise<string> {
    const ref = newOrderRef(this.clock)
    const { exchange: _, product = 'NRML', ...rest } = fields
    await this.journal.open([
      {
        orderRef: ref,
        userId: USER,
        operation: 'placeorder',
        source: 'api',
        mode: 'live',
        broker: 'remote',
        state: 'claimed',
        payload: { ...payloadOf(), ...rest, exchange: fields.exchange ?? 'NSE', product },
      },
    ])
    await this.journal.move(ref, 'sending', { account: this.account })
    return ref
  }

  async record(ref: string, quantity: number): Promise<void> {
    if (quantity > 0) await this.journal.move(ref, 'partial', { filled: { quantity, price: 700 } })
  }

  /** Begins another trading day: the book is empty, intraday positions are gone, and bought shares are holdings. */
  nextDay(day: string): void {
    this.clock.suspend(at(day) - this.clock.now())
    for (const { exchange, product, quantity, symbol } of this.positions) {
      if (product !== 'CNC') continue
      const held = this.holdings.find((row) => row.symbol === symbol)
      const opening = (held?.openingQuantity ?? 0) + quantity
      this.holdings = this.holdings.filter((row) => row !== held)
      const money = { averagePrice: 700, ltp: 700, pnl: 0 }
      this.holdings.push({ symbol, exchange, product, quantity: opening, openingQuantity: opening, ...money })
    }
    this.positions = this.positions.filter(({ product, quantity }) => product === 'NRML' && quantity !== 0)
    this.orders = []
  }
}

describe('the first comparison', () => {
  test('only remembers what the account holds', async () => {
    const account = await Account.open()
    await account.ours()
    account.trade({ quantity: 30 })
    account.move({ symbol: 'INFY', exchange: 'NSE', product: 'CNC' }, 5)
    expect(await account.compare()).toMatchObject({ orders: [expect.any(String)], positions: [] })
    expect(await account.compare()).toMatchObject({ positions: [] })
    account.nextDay(DAY_2)
    expect(await account.compare()).toMatchObject({ orders: [], positions: [] })
    expect(account.events).toEqual([])
  })
})

describe('the news of a drift', () => {
  test('is told again, and not lost, if the process ends before the comparison is stored', async () => {
    const account = await Account.open()
    await account.compare()
    const orderId = account.trade()
    account.onEvent = () => {
      throw new Error('the process ends')
    }
    await expect(account.compare()).rejects.toThrow('the process ends')
    account.onEvent = () => undefined
    await account.compare()
    await account.compare()
    const news = { orders: [{ orderid: orderId }], positions: [{ symbol: 'SBIN', quantity: 10 }] }
    expect(account.events).toMatchObject([news, news])
  })
})

describe('what the journal explains is no drift', () => {
  test.each(['NRML', 'CNC', 'MIS'])('orders of ours over three days in %s', async (product) => {
    const account = await Account.open()
    await account.compare()
    await account.ours({ product })
    expect(await account.compare()).toMatchObject({ orders: [], positions: [] })
    account.nextDay(DAY_2)
    await account.compare()
    await account.ours({ product, action: 'SELL', quantity: 4 })
    await account.compare()
    // Nobody compares after this one.
    await account.ours({ product, action: 'SELL', quantity: 6 })
    account.nextDay(DAY_3)
    expect(await account.compare()).toMatchObject({ orders: [], positions: [] })
    expect(account.events).toEqual([])
  })

  test('a fill that the journal learns later, or that has just been recorded', async () => {
    const account = await Account.open()
    await account.compare()
    const ref = await account.ours({ quantity: 10 }, 4)
    await account.compare()
    await account.compare()
    await account.record(ref, 10)
    await account.compare()
    await account.compare()
    account.nextDay(DAY_2)
    expect(await account.compare()).toMatchObject({ positions: [] })
    expect(account.events).toEqual([])
  })

  test('a book of yesterday that the broker still lists in the morning', async () => {
    const account = await Account.open()
    await account.compare()
    await account.ours()
    await account.compare()
    account.clock.suspend(at(DAY_2, '04:00:00') - account.clock.now())
    await account.compare()
    account.nextDay(DAY_2)
    expect(await account.compare()).toMatchObject({ positions: [] })
    expect(account.events).toEqual([])
  })

  test('a contract that expires', async () => {
    const account = await Account.open()
    await account.compare()
    await account.ours({ symbol: 'NIFTY19NOV26FUT', exchange: 'NFO', quantity: 75 })
    await account.compare()
    account.nextDay(DAY_2)
    account.positions = []
    account.ended.add('NIFTY19NOV26FUT')
    expect(await account.compare()).toMatchObject({ positions: [] })
    expect(account.events).toEqual([])
  })

  test('the position of an order in doubt, until its end is known', async () => {
    const account = await Account.open()
    await account.compare()
    const ref = await account.send()
    await account.journal.move(ref, 'unknown', {})
    account.move({ symbol: 'SBIN', exchange: 'NSE', product: 'NRML' }, 10)
    await account.compare()
    account.nextDay(DAY_2)
    await account.compare()
    expect(account.events).toEqual([])
    account.trade()
    await account.compare()
    account.orders = []
    account.move({ symbol: 'SBIN', exchange: 'NSE', product: 'NRML' }, -10)
    await account.journal.move(ref, 'filled', { orderId: 'K1', filled: { quantity: 10, price: 700 } })
    expect(await account.compare()).toMatchObject({ positions: [] })
    expect(account.events).toEqual([])
  })
})

describe('what somebody else does in the account', () => {
  test('is one event and is shown on its day: an order, and the position it changed', async () => {
    const account = await Account.open()
    await account.compare()
    const orderid = account.trade({ product: 'MIS' })
    const position = { symbol: 'SBIN', exchange: 'NSE', product: 'MIS', quantity: 10 }
    for (let times = 0; times < 3; times++) {
      expect(await account.compare()).toMatchObject({ orders: [orderid], positions: [position] })
    }
    expect(account.events).toMatchObject([
      {
        broker: 'remote',
        orders: [{ orderid, symbol: 'SBIN', action: 'BUY', quantity: 10, status: 'complete' }],
        positions: [position],
        message: 'Not from this service, at remote: 1 order, NSE:SBIN MIS +10',
      },
    ])
    account.nextDay(DAY_2)
    expect(await account.compare()).toMatchObject({ orders: [], positions: [] })
    expect(account.events).toHaveLength(1)
  })

  test('a close of our position elsewhere, while the service was down for a day', async () => {
    const account = await Account.open()
    await account.compare()
    await account.ours()
    await account.compare()
    account.nextDay(DAY_2)
    account.positions = []
    account.nextDay(DAY_3)
    expect(await account.compare()).toMatchObject({
      positions: [{ symbol: 'SBIN', exchange: 'NSE', product: 'NRML', quantity: -10 }],
    })
    expect(account.events).toHaveLength(1)
    await account.compare()
    expect(account.events).toHaveLength(1)
  })

  test('shares sold elsewhere, whatever exchange they were bought at', async () => {
    const account = await Account.open()
    await account.compare()
    await account.ours({ product: 'CNC', exchange: 'BSE' })
    account.nextDay(DAY_2)
    await account.compare()
    account.trade({ product: 'CNC', action: 'SELL', quantity: 3 })
    expect(await account.compare()).toMatchObject({
      positions: [{ symbol: 'SBIN', exchange: null, product: 'CNC', quantity: -3 }],
    })
  })

  test('an order with a tag of ours that the journal has lost is not foreign, but its position is not explained', async () => {
    const account = await Account.open()
    await account.compare()
    account.trade({}, newOrderRef(account.clock))
    expect(await account.compare()).toMatchObject({ orders: [], positions: [{ quantity: 10 }] })
  })

  test('is looked at for each account alone', async () => {
    const account = await Account.open()
    await account.ours()
    await account.compare()
    account.account = 'ZZ9999'
    account.positions = []
    account.orders = []
    expect(await account.compare()).toMatchObject({ positions: [] })
    account.account = 'AB1234'
    await account.compare()
    expect(account.events).toMatchObject([{ positions: [{ quantity: -10 }] }])
  })
})
