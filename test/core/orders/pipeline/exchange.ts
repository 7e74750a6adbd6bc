import {
  type BrokerClient,
  BrokerError,
  type BrokerGtt,
  type BrokerManifest,
  type BrokerOrder,
  type BrokerPosition,
} from '../../../../src/core/brokers/broker.js'
import type { SymbolRef } from '../../../../src/core/market/schema.js'
import type { GttRequest, OrderRequest } from '../../../../src/core/orders/schema.js'
import type { Life } from './life.js'

/** How the exchange reacts to a call that changes something. `rest`: it accepts, and fills nothing yet. */
export type Fate = 'accept' | 'rest' | 'refuse' | 'never_sent' | 'lose_request' | 'lose_answer' | 'fault'

/** A GTT of the exchange, with the tag of its order. */
type TaggedGtt = BrokerGtt & { tag: string }

const PRICE = 100

/** Notes a call to the exchange. */
type Note = (call: string, details: object) => void

/** An exchange that outlives every crash, with its own record of what arrived. */
export class PaperExchange {
  readonly orders: BrokerOrder[] = []
  readonly gtts: TaggedGtt[] = []
  readonly positions: BrokerPosition[] = []
  /** The tags of all orders and GTTs that were sent, whether they arrived or not. */
  readonly sent: string[] = []
  tagLookup: BrokerManifest['tagLookup'] = 'authoritative'
  /** The reactions to the next calls; when none is left, it accepts. */
  fates: Fate[] = []

  manifest(): BrokerManifest {
    return {
      id: 'paper',
      displayName: 'Paper',
      kind: 'in_stock',
      exchanges: ['NSE', 'NFO'],
      products: ['MIS', 'NRML', 'CNC'],
      closesProducts: ['MTF'],
      priceTypes: ['MARKET', 'LIMIT', 'SL', 'SL-M'],
      instructions: [],
      gtt: { oco: true, limit: true, market: true, products: ['CNC', 'NRML'], expiry: true, order: 'named' },
      credentialFields: [],
      tagLookup: this.tagLookup,
      quotes: { maxBatch: 1 },
      streaming: undefined,
      orderUpdates: 'push',
      rateLimits: {},
      fractionalQuantity: false,
    }
  }

  /** Returns the client of one life of the service. */
  clientIn(life: Life, note: Note): BrokerClient {
    const unused = () => Promise.reject(new Error('not part of this test'))
    const change = async <T>(call: string, details: object, carryOut: (fate: Fate) => T): Promise<T> => {
      const fate = this.fates.shift() ?? 'accept'
      note(call, { ...details, fate })
      await life.step()
      if (fate === 'fault') throw new Error('the plugin is broken')
      if (fate === 'never_sent') throw new BrokerError('network', 'no connection', { sent: 'never' })
      if (fate === 'refuse')
        throw new BrokerError('rejected', 'no margin', { brokerStatus: 400, sent: 'yes' })
      if (fate === 'lose_request') throw new BrokerError('network', 'timeout', { sent: 'maybe' })
      const result = carryOut(fate)
      await life.step()
      if (fate === 'lose_answer') throw new BrokerError('network', 'timeout', { sent: 'maybe' })
      return result
    }
    return {
      orders: {
        place: (order, tag) => {
          this.sent.push(tag)
          return change('place', { order, tag }, (fate) => ({ orderId: this.#accept(order, tag, fate) }))
        },
        modify: (orderId, order) =>
          change('modify', { orderId, order }, () => {
            const row = this.#waiting(orderId)
            row.quantity = order.quantity
            row.pendingQuantity = order.quantity
            row.price = order.price
            return { orderId }
          }),
        cancel: (orderId) =>
          change('cancel', { orderId }, () => {
            this.#waiting(orderId).status = 'cancelled'
            return { orderId }
          }),
        list: async () => this.orders.map((order) => ({ ...order })),
        trades: unused,
        findByTags: async (tags) =>
          new Map(
            tags.flatMap((tag) => {
              const order = this.orders.find((one) => one.tag === tag)
              return order ? [[tag, order] as const] : []
            }),
          ),
      },
      portfolio: {
        positions: async () => this.positions.map((row) => ({ ...row })),
        holdings: unused,
        funds: unused,
      },
      gtts: {
        place: (gtt, { tag, lastPrice }) => {
          this.sent.push(tag)
          return change('place gtt', { gtt, tag, lastPrice }, () => ({ triggerId: this.#store(gtt, tag) }))
        },
        modify: (triggerId, gtt, { lastPrice }) =>
          change('modify gtt', { triggerId, gtt, lastPrice }, () => {
            this.#active(triggerId)
            return { triggerId }
          }),
        cancel: (triggerId) =>
          change('cancel gtt', { triggerId }, () => {
            this.#active(triggerId).status = 'cancelled'
            return { triggerId }
          }),
        list: async () => this.gtts.filter(({ status }) => status === 'active'),
        findByTag: async (tag) => this.gtts.find((gtt) => gtt.tag === tag),
      },
      market: { quotes: unused, depth: unused, history: unused, intervals: [] },
      close: async () => undefined,
    }
  }

  /** Fills or ends a waiting order. @returns the update that the exchange pushes; undefined if none waits */
  push(status: 'complete' | 'cancelled' | 'rejected', nth: number): BrokerOrder | undefined {
    const waiting = this.orders.filter((row) => row.status === 'open' || row.status === 'trigger pending')
    const order = waiting[nth % Math.max(1, waiting.length)]
    if (!order) return undefined
    if (status === 'complete') this.#fill(order)
    else order.status = status
    if (status === 'rejected') order.rejectionReason = 'circuit limit'
    return { ...order }
  }

  /** Gives the account a position. */
  hold(ref: SymbolRef, product: string, quantity: number): void {
    const row = this.positions.find(
      (one) => one.symbol === ref.symbol && one.exchange === ref.exchange && one.product === product,
    )
    if (row) {
      row.quantity += quantity
      return
    }
    const money = { averagePrice: PRICE, ltp: PRICE, pnl: 0, realized: 0, unrealized: 0, dayPnl: 0 }
    const { symbol, exchange } = ref
    this.positions.push({ symbol, exchange, product, quantity, ...money })
  }

  #accept(order: OrderRequest, tag: string, fate: Fate): string {
    const { action, exchange, price, priceType, product, quantity, symbol, triggerPrice } = order
    const row: BrokerOrder = {
      orderId: `X${this.orders.length + 1}`,
      tag,
      symbol,
      exchange,
      action,
      quantity,
      price,
      triggerPrice,
      priceType,
      product,
      status: priceType === 'SL' || priceType === 'SL-M' ? 'trigger pending' : 'open',
      filledQuantity: 0,
      pendingQuantity: quantity,
      averagePrice: 0,
      rejectionReason: '',
      timestamp: 0,
    }
    this.orders.push(row)
    if (priceType === 'MARKET' && fate !== 'rest') this.#fill(row)
    return row.orderId
  }

  #fill(row: BrokerOrder): void {
    row.status = 'complete'
    row.filledQuantity = row.quantity
    row.pendingQuantity = 0
    row.averagePrice = PRICE
    this.hold(row, row.product, row.action === 'BUY' ? row.quantity : -row.quantity)
  }

  #store(gtt: GttRequest, tag: string): string {
    const triggerId = `T${this.gtts.length + 1}`
    const { action, exchange, priceType, product, quantity, symbol } = gtt
    this.gtts.push({
      triggerId,
      tag,
      type: gtt.type === 'OCO' ? 'two-leg' : 'single',
      status: 'active',
      symbol,
      exchange,
      triggerPrices: gtt.legs.map(({ triggerPrice }) => triggerPrice),
      lastPrice: PRICE,
      legs: gtt.legs.map(({ price }) => ({ action, quantity, price, priceType, product })),
      createdAt: undefined,
      updatedAt: undefined,
      expiresAt: undefined,
    })
    return triggerId
  }

  #waiting(orderId: string): BrokerOrder {
    const row = this.orders.find((one) => one.orderId === orderId)
    if (row?.status === 'open' || row?.status === 'trigger pending') return row
    throw new BrokerError('not_found', 'no such order waits', { sent: 'yes', brokerStatus: 404 })
  }

  #active(triggerId: string): TaggedGtt {
    const row = this.gtts.find((one) => one.triggerId === triggerId)
    if (row?.status === 'active') return row
    throw new BrokerError('not_found', 'no such trigger waits', { sent: 'yes', brokerStatus: 404 })
  }
}
