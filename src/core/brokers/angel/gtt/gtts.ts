import { z } from 'zod'
import type { Instrument } from '../../../instruments/schema.js'
import type { GttRequest } from '../../../orders/schema.js'
import {
  type BrokerContext,
  BrokerError,
  type BrokerGtt,
  type BrokerGtts,
  type BrokerMarket,
} from '../../broker.js'
import { protectedLimit } from '../../kit/books/protection.js'
import { instrumentOf } from '../../kit/books/symbols.js'
import { requireReachable } from '../../kit/books/triggers.js'
import { orAbsent } from '../../kit/http/absent.js'
import { beforeChange, notSent } from '../../kit/http/outcomes.js'
import { readableRows } from '../../kit/http/readable-rows.js'
import { type AngelApi, SECURE } from '../api.js'
import { UNITS } from '../units.js'
import { listOf, type RuleRow, ruleId, ruleRow } from '../wire.js'
import { RULE_STATUSES } from '../words.js'
import { toGtt } from './rows.js'

const READ = `${SECURE}/gtt/v1`
/** Angel's own client sends changes here, and reads without the prefix. */
const WRITE = `/gtt-service${READ}`
const CALL_CLASS = 'gtt'
const PAGE = 100
/** More pages than accounts have, so that a list without an end ends. */
const MOST_PAGES = 50
const DAYS = '365'

/** What names a rule beside its id. */
type RulePlace = Pick<RuleRow, 'exchange' | 'symboltoken'>

/**
 * Good-till-triggered orders as rules over SmartAPI: one trigger, one LIMIT order, no tag. A rule does not name the side of the
 * last price on which it waits, so its trigger must be on the side that its leg says.
 */
export class AngelGtts implements BrokerGtts {
  readonly #known = new Map<string, RulePlace>()
  /** On which side of its trigger the price of each rule is. */
  readonly #lastPrices = new Map<string, number>()

  constructor(
    private readonly api: AngelApi,
    private readonly context: BrokerContext,
    private readonly market: Pick<BrokerMarket, 'quotes'>,
  ) {}

  async place(gtt: GttRequest, { lastPrice }: { lastPrice: number }): Promise<{ triggerId: string }> {
    if (gtt.expiresAt?.trim())
      throw notSent('unsupported', 'Angel One keeps a GTT for a year: leave out expires_at.')
    const instrument = instrumentOf(this.context, gtt)
    const json = this.#ruleOf(gtt, instrument, lastPrice)
    const answer = await this.#send('createRule', json)
    this.#known.set(answer.id, json)
    this.#lastPrices.set(answer.id, lastPrice)
    return { triggerId: answer.id }
  }

  async modify(
    triggerId: string,
    gtt: GttRequest,
    { lastPrice }: { lastPrice: number },
  ): Promise<{ triggerId: string }> {
    const rule = this.#ruleOf(gtt, instrumentOf(this.context, gtt), lastPrice)
    const answer = await this.#send('modifyRule', { id: triggerId, ...rule })
    this.#lastPrices.set(triggerId, lastPrice)
    return { triggerId: answer.id }
  }

  async cancel(triggerId: string): Promise<{ triggerId: string }> {
    const { exchange, symboltoken } = await this.#placeOf(triggerId)
    const answer = await this.#send('cancelRule', { id: triggerId, symboltoken, exchange })
    return { triggerId: answer.id }
  }

  /**
   * Lists the rules of every state: which of them are open is not documented.
   * @throws BrokerError `protocol` for more than so many, because a rule that is not read would look as if it were gone
   */
  async list(): Promise<BrokerGtt[]> {
    const { log } = this.context
    const rows = new Map<string, RuleRow>()
    for (let page = 1; page <= MOST_PAGES; page++) {
      const json = { status: RULE_STATUSES, page, count: PAGE }
      const list = listOf(z.unknown())
      const read = await this.api.ask(`${READ}/ruleList`, list, { json, callClass: CALL_CLASS })
      for (const row of readableRows(read, { row: ruleRow, id: 'id', log, event: 'angel.unreadable_gtt' }))
        rows.set(row.id, row)
      if (read.length < PAGE) return this.#gttsOf([...rows.values()])
    }
    throw new BrokerError(
      'protocol',
      `Angel One lists ${MOST_PAGES * PAGE} GTTs or more of all times, so not all were read. Look at them at Angel One.`,
      { sent: 'yes' },
    )
  }

  async gtt(triggerId: string): Promise<BrokerGtt | undefined> {
    const rule = await orAbsent(this.#rule(triggerId))
    const [gtt] = rule ? await this.#gttsOf([rule]) : []
    return gtt
  }

  /**
   * Converts rules. Angel does not say at which price a rule was placed. One that has not fired waits on the side of the present
   * price, so that stands for it where this client did not place the rule. Without quotes it stays unknown.
   */
  async #gttsOf(rows: readonly RuleRow[]): Promise<BrokerGtt[]> {
    const gtts = rows.map((row) => toGtt(this.context, row))
    for (const row of rows) this.#known.set(row.id, row)
    const asked = gtts.filter(
      ({ status, triggerId }) => status === 'active' && !this.#lastPrices.has(triggerId),
    )
    const quotes = asked.length === 0 ? [] : await this.market.quotes(asked).catch(() => [])
    for (const [place, { triggerId }] of asked.entries()) {
      const quote = quotes[place]
      if (quote && 'ltp' in quote) this.#lastPrices.set(triggerId, quote.ltp)
    }
    return gtts.map((gtt) => ({ ...gtt, lastPrice: this.#lastPrices.get(gtt.triggerId) ?? 0 }))
  }

  /** Returns what names a rule beside its id. @throws BrokerError, never `maybe` */
  async #placeOf(triggerId: string): Promise<RulePlace> {
    return this.#known.get(triggerId) ?? beforeChange(this.#rule(triggerId))
  }

  #rule(id: string): Promise<RuleRow> {
    return this.api.ask(`${READ}/ruleDetails`, ruleRow, { json: { id }, callClass: CALL_CLASS })
  }

  #send(name: 'createRule' | 'modifyRule' | 'cancelRule', json: object) {
    const rank = name === 'cancelRule' ? 'cancel' : 'order'
    return this.api.send(`${WRITE}/${name}`, ruleId, { json, rank, alsoCounts: CALL_CLASS })
  }

  #ruleOf(gtt: GttRequest, instrument: Instrument, lastPrice: number) {
    const [leg] = gtt.legs
    if (gtt.type === 'OCO' || !leg)
      throw notSent('unsupported', 'Angel One has no OCO: two rules do not cancel each other.')
    if (gtt.product !== 'CNC')
      throw notSent(
        'unsupported',
        `Angel One does not document the product of a GTT for ${gtt.product}. Use CNC.`,
      )
    requireReachable(leg, lastPrice, 'Angel One')
    const limit =
      gtt.priceType === 'LIMIT' ? leg.price : protectedLimit(gtt.action, leg.triggerPrice, instrument)
    return {
      tradingsymbol: instrument.brokerSymbol,
      symboltoken: instrument.token,
      exchange: instrument.brokerExchange,
      producttype: 'DELIVERY',
      transactiontype: gtt.action,
      price: String(limit),
      qty: String(UNITS.brokerCount(instrument, gtt.quantity)),
      disclosedqty: '0',
      triggerprice: String(leg.triggerPrice),
      timeperiod: DAYS,
    }
  }
}
