import { z } from 'zod'
import type { Instrument } from '../../../instruments/schema.js'
import type { GttLeg, GttRequest } from '../../../orders/schema.js'
import { type BrokerContext, BrokerError, type BrokerGtt, type BrokerGtts } from '../../broker.js'
import type { ContractSizes } from '../../kit/books/contract-sizes.js'
import { protectedLimit } from '../../kit/books/protection.js'
import { instrumentOf } from '../../kit/books/symbols.js'
import { requireReachable } from '../../kit/books/triggers.js'
import { notSent } from '../../kit/http/outcomes.js'
import { readableRows } from '../../kit/http/readable-rows.js'
import type { KiteApi } from '../api.js'
import { kiteCount } from '../master/lots.js'
import { toGtt } from './rows.js'
import { GTT_TYPES, gttAnswer, gttRow, type KiteGtt } from './wire.js'

const PATH = '/gtt/triggers'

/**
 * Good-till-triggered orders over Kite's REST API. Kite keeps each for a year, sends LIMIT orders only, and stores no tag
 * of ours.
 */
export class KiteGtts implements BrokerGtts {
  readonly #api: KiteApi
  readonly #context: BrokerContext
  readonly #sizes: ContractSizes
  /** The types of GTTs that only Kite's own programs place, by their ids. */
  readonly #foreignTypes = new Map<string, string>()

  constructor(api: KiteApi, context: BrokerContext, sizes: ContractSizes) {
    this.#api = api
    this.#context = context
    this.#sizes = sizes
  }

  async place(gtt: GttRequest, { lastPrice }: { lastPrice: number }): Promise<{ triggerId: string }> {
    if (gtt.expiresAt?.trim())
      throw notSent('unsupported', 'Zerodha keeps a GTT for a year: leave out expires_at.')
    const form = this.#formOf(gtt, lastPrice)
    const answer = await this.#api.send('POST', PATH, gttAnswer, { form })
    return { triggerId: String(answer.trigger_id) }
  }

  async modify(
    triggerId: string,
    gtt: GttRequest,
    { lastPrice }: { lastPrice: number },
  ): Promise<{ triggerId: string }> {
    const foreign = this.#foreignTypes.get(triggerId)
    // A change carries a type of ours, and what Kite makes of that is not documented.
    if (foreign !== undefined)
      throw notSent(
        'unsupported',
        `A GTT of the type ${foreign} cannot be changed here. Change it at Zerodha.`,
      )
    const form = this.#formOf(gtt, lastPrice)
    const answer = await this.#api.send('PUT', pathOf(triggerId), gttAnswer, { form })
    return { triggerId: String(answer.trigger_id) }
  }

  async cancel(triggerId: string): Promise<{ triggerId: string }> {
    const answer = await this.#api.send('DELETE', pathOf(triggerId), gttAnswer)
    return { triggerId: String(answer.trigger_id) }
  }

  /** Kite lists the active ones, and those that ended in the last days. */
  async list(): Promise<BrokerGtt[]> {
    const { log } = this.#context
    const list = await this.#api.get(PATH, z.array(z.unknown()))
    const rows = readableRows(list, { row: gttRow, id: 'id', log, event: 'zerodha.unreadable_gtt' })
    return rows.map((row) => this.#gttOf(row))
  }

  async gtt(triggerId: string): Promise<BrokerGtt | undefined> {
    try {
      return this.#gttOf(await this.#api.get(pathOf(triggerId), gttRow))
    } catch (error) {
      if (error instanceof BrokerError && error.kind === 'not_found') return undefined
      throw error
    }
  }

  #gttOf(row: KiteGtt): BrokerGtt {
    const isOurs = Object.values(GTT_TYPES).some((type) => type === row.type)
    if (!isOurs) this.#foreignTypes.set(String(row.id), row.type)
    return toGtt(this.#context, row)
  }

  #formOf(gtt: GttRequest, lastPrice: number): { type: string; condition: string; orders: string } {
    const instrument = instrumentOf(this.#context, gtt)
    this.#sizes.requireSettled(instrument)
    for (const leg of gtt.legs) requireReachable(leg, lastPrice, 'Zerodha')
    const { brokerExchange: exchange, brokerSymbol: tradingsymbol } = instrument
    const condition = {
      exchange,
      tradingsymbol,
      trigger_values: gtt.legs.map(({ triggerPrice }) => triggerPrice),
      last_price: lastPrice,
    }
    const orders = gtt.legs.map((leg) => ({
      exchange,
      tradingsymbol,
      transaction_type: gtt.action,
      quantity: kiteCount(instrument, gtt.quantity),
      order_type: 'LIMIT',
      product: gtt.product,
      price: limitOf(gtt, leg, instrument),
    }))
    return {
      type: GTT_TYPES[gtt.type],
      condition: JSON.stringify(condition),
      orders: JSON.stringify(orders),
    }
  }
}

/**
 * Returns the limit of a leg. At the market, it is a protected one: Kite takes LIMIT legs only. It counts from the trigger,
 * where the market is when the leg fires: a stop with a limit near the last price of its placing would not trade.
 */
function limitOf({ action, priceType }: GttRequest, leg: GttLeg, instrument: Instrument): number {
  return priceType === 'LIMIT' ? leg.price : protectedLimit(action, leg.triggerPrice, instrument)
}

function pathOf(triggerId: string): string {
  return `${PATH}/${encodeURIComponent(triggerId)}`
}
