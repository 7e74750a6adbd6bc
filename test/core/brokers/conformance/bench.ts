import { expect } from 'vitest'
import {
  BrokerError,
  type BrokerGtt,
  type BrokerGtts,
  type BrokerMargins,
  type BrokerOrder,
} from '../../../../src/core/brokers/broker.js'
import { EXCHANGES } from '../../../../src/core/instruments/schema.js'
import type { GttLeg, GttRequest, OrderRequest } from '../../../../src/core/orders/schema.js'
import type { CaseId } from './promises.js'
import type { ConformanceRig } from './rig.js'

const PATIENCE = 300

/** How often a price of the cash instrument may move until a trigger beside it is reached. */
export const STIRRINGS = 300

/** What the cases share: orders of the rig's instruments, and waiting for what they lead to. */
export class Bench {
  #rig: ConformanceRig | undefined

  /** The plugin under test, for the case that runs now. */
  get rig(): ConformanceRig {
    if (!this.#rig) throw new Error('no case runs')
    return this.#rig
  }

  use(rig: ConformanceRig): void {
    this.#rig = rig
  }

  /** An order of one lot of the cash instrument, at the market. */
  order(changes: Partial<OrderRequest> = {}): OrderRequest {
    const { symbol, exchange, lot } = this.rig.instruments.cash
    return {
      strategy: 'conformance',
      symbol,
      exchange: EXCHANGES.find((known) => known === exchange) ?? 'NSE',
      action: 'BUY',
      quantity: lot,
      product: 'MIS',
      priceType: 'MARKET',
      price: 0,
      triggerPrice: 0,
      disclosedQuantity: 0,
      ...changes,
    }
  }

  /** The last price of the cash instrument. */
  async ltp(): Promise<number> {
    const [quote] = await this.rig.client.market.quotes([this.rig.instruments.cash])
    return quote !== undefined && !('error' in quote) ? quote.ltp : 0
  }

  /** A buy limit order well below the market. */
  async resting(): Promise<OrderRequest> {
    return this.order({ priceType: 'LIMIT', price: Math.floor((await this.ltp()) * 0.95) })
  }

  /** A price so many ticks of the cash instrument away. */
  away(price: number, ticks: number): number {
    const { symbol, exchange } = this.rig.instruments.cash
    const tick = this.rig.context.instruments.find(symbol, exchange)?.tickSize ?? 0.05
    return Math.round((Math.round(price / tick) + ticks) * tick * 10_000) / 10_000
  }

  /** Waits until something is there. */
  async until<T>(probe: () => T | undefined | Promise<T | undefined>): Promise<T> {
    for (let turn = 0; turn < PATIENCE; turn++) {
      const found = await probe()
      if (found !== undefined) return found
      await this.rig.wait()
    }
    throw new Error('it did not come about')
  }

  /** Waits for the answer of a call while time passes. */
  async answerOf<T>(call: Promise<T>): Promise<T> {
    let answer: { value: T } | undefined
    void call.then((value) => {
      answer = { value }
    })
    return (await this.until(() => answer)).value
  }

  settled(orderId: string, status: BrokerOrder['status']): Promise<BrokerOrder> {
    const isIt = (row: BrokerOrder) => row.orderId === orderId && row.status === status
    return this.until(async () => (await this.rig.client.orders.list()).find(isIt))
  }

  /** Returns the error of a call, after checking that it is a BrokerError without secrets. */
  async refusal(call: Promise<unknown>): Promise<BrokerError> {
    const thrown: unknown = await call.then(
      () => undefined,
      (error: unknown) => error,
    )
    if (!(thrown instanceof BrokerError)) throw new Error(`expected a BrokerError, got ${String(thrown)}`)
    const shown = `${thrown.message} ${thrown.stack} ${String(thrown.cause ?? '')}`
    for (const secret of this.rig.secrets) expect(shown).not.toContain(secret)
    return thrown
  }

  gtts(): BrokerGtts {
    const { gtts } = this.rig.client
    if (!gtts) throw new Error('the plugin has no GTTs: declare the gap')
    return gtts
  }

  margins(): BrokerMargins {
    const { margins } = this.rig.client
    if (!margins) throw new Error('the plugin has no margins: declare the gap')
    return margins
  }

  /** A GTT that buys one lot of the cash instrument for delivery; at the market, where the broker takes no limits. */
  gtt(legs: readonly GttLeg[], changes: Partial<GttRequest> = {}): GttRequest {
    const { symbol, exchange, strategy, action, quantity } = this.order()
    const takesLimits = this.rig.plugin.manifest.gtt?.limit !== false
    return {
      strategy,
      type: legs.length === 2 ? 'OCO' : 'SINGLE',
      symbol,
      exchange,
      action,
      quantity,
      product: 'CNC',
      priceType: takesLimits ? 'LIMIT' : 'MARKET',
      legs: takesLimits ? legs : legs.map((leg) => ({ ...leg, price: 0 })),
      expiresAt: undefined,
      ...changes,
    }
  }

  /** Returns a GTT in any state, from wherever the plugin shows it. */
  async gttNow(triggerId: string, tag: string): Promise<BrokerGtt | undefined> {
    const gtts = this.gtts()
    const listed = (await gtts.list()).find((gtt) => gtt.triggerId === triggerId)
    return listed ?? (await gtts.gtt?.(triggerId)) ?? (await gtts.findByTag?.(tag))
  }
}

/** A numbered promise, whose test is the same for every plugin. */
export interface Case {
  id: CaseId
  run(bench: Bench): Promise<void>
}
