import { isQueued } from '../../client/answers/queued.js'
import type { AnswerOf, Body, SvcClient } from '../../client/index.js'
import { orderText, termsText } from '../../views/orders/order.js'
import { rupeePrice } from '../../views/table/cells.js'
import { symbolKey } from '../../views/text/symbol.js'
import { type Account, modeAndBroker } from '../live/account.js'
import { badResult, type ChangeResult } from '../live/changes/changes.js'
import { placeText, sendOptions } from '../question/review.js'
import type { ChangeQuestion, Refusal } from '../question/use-question.js'
import { orderWord } from '../question/weight.js'
import { refusalsIn, waitsText } from './place-review.js'

export type BasketBody = Body<'basketorder'>
type BasketOrder = BasketBody['orders'][number]
type Preview = Extract<AnswerOf<'basketorder'>, { dry_run: true }>

/** What a review says about a basket beside its orders. */
interface AboutBasket {
  key: string
  /** Returns what the symbol of an order does not say in words: `expiry 24NOV26`. */
  noteOf?(order: BasketOrder): string | undefined
  /** What is to be known before the orders are read. */
  caution?: string | undefined
}

/**
 * Reads what a basket would do as a whole, and returns its review. It sends nothing. A basket of which one order would be refused
 * is not asked for: without it, the others are another position.
 */
export async function basketReview(
  client: SvcClient,
  account: Account,
  body: BasketBody,
  { caution, key, noteOf }: AboutBasket,
): Promise<ChangeQuestion | Refusal> {
  const preview = await previewOf(client, body)
  if ('refusal' in preview) return preview
  if ((preview.mode === 'analyze') !== account.analyze_mode && preview.mode !== 'semi_auto') {
    return { refusal: 'the mode has changed. Look at the header, then try again.' }
  }
  const refused = preview.orders.filter(({ ok }) => !ok)
  if (refused.length > 0) return { refusal: refused.map(problemOf).join('; ') }
  const name = `basket of ${body.orders.length} order${body.orders.length === 1 ? '' : 's'}`
  const value = preview.orders.reduce((sum, order) => sum + (order.value ?? 0), 0)
  return {
    title: `Place a ${name} ${modeAndBroker(account)}?`,
    lines: [
      placeText(account),
      ...(caution === undefined ? [] : [caution]),
      ...body.orders.map((order) => [lineOf(order), noteOf?.(order) ?? []].flat().join(', ')),
      ...figuresOf(preview, value),
      `strategy ${body.strategy}`,
    ],
    ...orderWord(account, Math.max(value, preview.margin_required ?? 0)),
    change: {
      name,
      check: account.analyze_mode ? 'svc order list' : 'svc order journal',
      send: async (sender) =>
        basketOutcome(await sender.call('basketorder', body, sendOptions(account, key))),
    },
  }
}

function previewOf(client: SvcClient, body: BasketBody): Promise<Preview | Refusal> {
  return refusalsIn(async () => {
    const answer = await client.call('basketorder', body, { dryRun: true })
    return 'dry_run' in answer ? answer : { refusal: 'the service has no dry run.' }
  })
}

function lineOf(order: BasketOrder): string {
  const { pricetype = 'MARKET', price = 0, product = 'MIS', trigger_price = 0 } = order
  const terms = termsText({ pricetype, price: Number(price), trigger_price: Number(trigger_price) })
  return `${orderText(order)}, ${terms}, ${product}`
}

function figuresOf({ margin_required: margin, orders }: Preview, value: number): readonly string[] {
  const isKnown = orders.every((order) => order.value !== null)
  const checks = orders.flatMap((order) => order.checks).length
  return [
    `estimated value ${isKnown ? rupeePrice(value) : 'not known'}`,
    `margin of all together ${margin === null ? 'not known' : rupeePrice(margin)}`,
    `risk checks: all ${checks} passed`,
  ]
}

function problemOf({ message = 'no reason given', rule, ...order }: Preview['orders'][number]): string {
  return `${symbolKey(order)} would be refused${rule === undefined ? '' : ` by ${rule}`}: ${message}`
}

/** Returns the outcome of a basket. One that is placed in part is a bad one: what is missing was part of the position. */
export function basketOutcome(answer: AnswerOf<'basketorder'>): ChangeResult {
  if (isQueued(answer)) return badResult(waitsText(answer))
  if (!('results' in answer)) return badResult('no order was sent.')
  const { mode, results } = answer
  const failed = results.filter(({ status }) => status === 'error')
  // An order that was refused may have an id, too.
  const placed = results.flatMap(({ orderid, status }) => (status === 'success' ? (orderid ?? []) : []))
  const kind = mode === 'analyze' ? 'simulated' : 'LIVE'
  const done = placed.length === 0 ? 'No order is placed.' : `${kind} orders ${placed.join(', ')} are placed.`
  if (failed.length === 0) return done
  const reasons = failed.map((one) => `${symbolKey(one)}: ${one.message ?? 'no reason given'}`)
  return badResult(`${failed.length} of ${results.length} failed: ${reasons.join('; ')}. ${done}`)
}
