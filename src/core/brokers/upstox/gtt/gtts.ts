import { z } from 'zod'
import type { GttRequest } from '../../../orders/schema.js'
import type { BrokerContext, BrokerGtt, BrokerGtts } from '../../broker.js'
import type { ContractSizes } from '../../kit/books/contract-sizes.js'
import { protectionPercent } from '../../kit/books/protection.js'
import { instrumentOf } from '../../kit/books/symbols.js'
import { requireReachable } from '../../kit/books/triggers.js'
import { orAbsent } from '../../kit/http/absent.js'
import { notSent } from '../../kit/http/outcomes.js'
import { readableRows } from '../../kit/http/readable-rows.js'
import type { UpstoxApi } from '../api.js'
import { UNITS } from '../contracts.js'
import { productWord } from '../mappings.js'
import { toGtt } from './rows.js'
import { gttAnswer, gttRow } from './wire.js'

const PATH = '/v3/order/gtt'

/**
 * Good-till-triggered orders over Upstox's REST API. A rule that fires sends a limit order at its trigger, or as far beyond it as
 * its protection says, so a limit of ours cannot be kept; and its multiples open a position first, so two exits of one cannot be
 * placed.
 * Upstox stores no tag of ours.
 */
export class UpstoxGtts implements BrokerGtts {
  readonly #api: UpstoxApi
  readonly #context: BrokerContext
  readonly #sizes: ContractSizes

  constructor(api: UpstoxApi, context: BrokerContext, sizes: ContractSizes) {
    this.#api = api
    this.#context = context
    this.#sizes = sizes
  }

  async place(gtt: GttRequest, { lastPrice }: { lastPrice: number }): Promise<{ triggerId: string }> {
    if (gtt.expiresAt?.trim())
      throw notSent('unsupported', 'Upstox sets the end of a GTT itself: leave out expires_at.')
    const instrument = instrumentOf(this.#context, gtt)
    const json = {
      ...this.#termsOf(gtt, lastPrice),
      instrument_token: instrument.token,
      transaction_type: gtt.action,
      product: productWord(gtt.product, gtt.exchange),
    }
    const answer = await this.#api.send('POST', `${PATH}/place`, gttAnswer, { json })
    return idIn(answer)
  }

  async modify(
    triggerId: string,
    gtt: GttRequest,
    { lastPrice }: { lastPrice: number },
  ): Promise<{ triggerId: string }> {
    const json = { ...this.#termsOf(gtt, lastPrice), gtt_order_id: triggerId }
    const answer = await this.#api.send('PUT', `${PATH}/modify`, gttAnswer, { json })
    return idIn(answer)
  }

  async cancel(triggerId: string): Promise<{ triggerId: string }> {
    const json = { gtt_order_id: triggerId }
    const answer = await this.#api.send('DELETE', `${PATH}/cancel`, gttAnswer, { json })
    return idIn(answer)
  }

  async list(): Promise<BrokerGtt[]> {
    const { log } = this.#context
    const list = await this.#api.get(PATH, z.array(z.unknown()))
    const rows = readableRows(list, { row: gttRow, id: 'gtt_order_id', log, event: 'upstox.unreadable_gtt' })
    return rows.map((row) => toGtt(this.#context, row))
  }

  async gtt(triggerId: string): Promise<BrokerGtt | undefined> {
    const query = { gtt_order_id: triggerId }
    const [row] = (await orAbsent(this.#api.get(PATH, z.array(gttRow), { query }))) ?? []
    return row && toGtt(this.#context, row)
  }

  #termsOf(gtt: GttRequest, lastPrice: number) {
    const [leg] = gtt.legs
    if (gtt.type !== 'SINGLE' || gtt.legs.length !== 1 || !leg)
      throw notSent('unsupported', 'Upstox has no OCO of two exits: its multiple GTTs open a position first.')
    if (gtt.priceType !== 'MARKET')
      throw notSent('unsupported', 'Upstox keeps no limit price in a GTT: use price type MARKET.')
    requireReachable(leg, lastPrice, 'Upstox')
    const instrument = instrumentOf(this.#context, gtt)
    this.#sizes.requireSettled(instrument)
    const trigger_type = leg.kind === 'stop' ? 'BELOW' : 'ABOVE'
    // Without a protection the limit is at the trigger, where a stop that the market has passed does not trade.
    const market_protection = protectionPercent(leg.triggerPrice, instrument)
    return {
      type: 'SINGLE',
      quantity: UNITS.brokerCount(instrument, gtt.quantity),
      rules: [{ strategy: 'ENTRY', trigger_type, trigger_price: leg.triggerPrice, market_protection }],
    }
  }
}

function idIn({ gtt_order_ids: [triggerId = ''] }: z.output<typeof gttAnswer>): { triggerId: string } {
  return { triggerId }
}
