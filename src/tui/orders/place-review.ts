import { isQueued, type Queued } from '../../client/answers/queued.js'
import { type AnswerOf, type SvcClient, SvcError } from '../../client/index.js'
import { orderText, termsText } from '../../views/orders/order.js'
import { rupeePrice } from '../../views/table/cells.js'
import { type Account, modeAndBroker } from '../live/account.js'
import { badResult, type ChangeResult } from '../live/changes/changes.js'
import { placeText, sendOptions } from '../question/review.js'
import type { ChangeQuestion, Refusal } from '../question/use-question.js'
import { orderWord } from '../question/weight.js'
import type { OrderBody } from './form/draft.js'
import { instructionLine } from './form/instructions.js'

type Preview = Extract<AnswerOf<'placeorder'>, { dry_run: true }>

/** Reads what an order would do, and returns its review. It sends nothing. */
export async function placeReview(
  client: SvcClient,
  account: Account,
  body: OrderBody,
  key: string,
): Promise<ChangeQuestion | Refusal> {
  const preview = await previewOf(client, body)
  if ('refusal' in preview) return preview
  // The mode changed between the two reads.
  if ((preview.mode === 'analyze') !== account.analyze_mode && preview.mode !== 'semi_auto') {
    return { refusal: 'the mode has changed. Look at the header, then try again.' }
  }
  const name = orderText(body)
  return {
    title: `${name} ${modeAndBroker(account)}?`,
    lines: previewLines(body, preview, account),
    ...orderWord(account, Math.max(preview.value ?? 0, preview.margin_required ?? 0)),
    change: {
      name,
      check: orderCheck(body, account),
      send: async (sender) => outcomeOf(await sender.call('placeorder', body, sendOptions(account, key))),
    },
  }
}

function previewOf(client: SvcClient, body: OrderBody): Promise<Preview | Refusal> {
  return refusalsIn(async () => {
    const answer = await client.call('placeorder', body, { dryRun: true })
    return 'dry_run' in answer ? answer : { refusal: 'the service has no dry run.' }
  })
}

/** Reads something; a refusal of the daemon is a result. */
export async function refusalsIn<T>(read: () => Promise<T | Refusal>): Promise<T | Refusal> {
  try {
    return await read()
  } catch (thrown) {
    if (thrown instanceof SvcError) return { refusal: refusalText(thrown) }
    throw thrown
  }
}

function refusalText({ message, errors }: SvcError): string {
  const fields = Object.entries(errors).map(([field, texts]) => `${field}: ${texts.join(' ')}`)
  return fields.length === 0 ? message : fields.join('; ')
}

function previewLines(body: OrderBody, preview: Preview, account: Account): readonly string[] {
  const { product = 'MIS', strategy } = body
  const asked = instructionLine(body)
  const { pricetype = 'MARKET', price = 0, trigger_price = 0 } = body
  return [
    placeText(account),
    `${orderText(body)}, ${product}`,
    termsText({ pricetype, price: Number(price), trigger_price: Number(trigger_price) }),
    ...(asked === undefined ? [] : [asked]),
    ...figureLines(preview),
    `strategy ${strategy}`,
  ]
}

/** Returns what the dry run of an order says of its money, and of the risk checks. */
export function figureLines({
  checks,
  last_price,
  margin_required,
  value,
}: Pick<Preview, 'checks' | 'last_price' | 'margin_required' | 'value'>): readonly string[] {
  const failed = checks.filter(({ ok }) => !ok)
  const passed = checks.length - failed.length
  return [
    `last price ${amountText(last_price)}`,
    `estimated value ${amountText(value)}`,
    `margin ${amountText(margin_required)}`,
    ...failed.map(({ rule, message = 'no reason given' }) => `REFUSED by ${rule}: ${message}`),
    failed.length === 0 ? `risk checks: all ${passed} passed` : `risk checks: ${passed} passed`,
  ]
}

/** Returns an amount in rupees that may not be known. */
export const amountText = (amount: number | null): string =>
  amount === null ? 'not known' : rupeePrice(amount)

/** Returns the command that shows what became of the order. Simulated orders have no journal. */
function orderCheck({ exchange, symbol }: OrderBody, account: Account): string {
  return account.analyze_mode ? 'svc order list' : `svc order journal --symbol ${exchange}:${symbol}`
}

/** Returns what becomes of a request that waits, and why an approval would be refused now. */
export function waitsText({ pending_order_id: id, warning }: Queued): string {
  return `waits for approval ${id}.${warning === undefined ? '' : ` It would be refused now: ${warning}`}`
}

/** Returns the outcome of an order; one that is not sent, or not yet, is a bad one. */
export function outcomeOf(answer: AnswerOf<'placeorder' | 'placesmartorder'>): ChangeResult {
  if (isQueued(answer)) return badResult(waitsText(answer))
  const kind = 'mode' in answer ? 'simulated' : 'LIVE'
  if ('results' in answer) {
    return `${kind} orders ${answer.results.map(({ orderid }) => orderid).join(', ')} are placed.`
  }
  if ('orderid' in answer) return `${kind} order ${answer.orderid} is placed.`
  return badResult('message' in answer ? String(answer.message) : 'no order was sent.')
}
