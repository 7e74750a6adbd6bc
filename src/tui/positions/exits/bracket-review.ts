import { isQueued } from '../../../client/answers/queued.js'
import { type PositionRecord, valueAt } from '../../../client/answers/records.js'
import { type AnswerOf, type Body, type SvcClient, SvcError } from '../../../client/index.js'
import { GTT_PRODUCTS } from '../../../core/orders/vocabulary.js'
import { rupeePrice } from '../../../views/table/cells.js'
import { type Account, modeAndBroker } from '../../live/account.js'
import { badResult, type ChangeResult } from '../../live/changes/changes.js'
import { typedSymbol } from '../../orders/form/instrument.js'
import { placeText, STRATEGY, sendOptions } from '../../question/review.js'
import type { ChangeQuestion, Refusal } from '../../question/use-question.js'
import { orderWord } from '../../question/weight.js'
import { closingSide, type PositionKey, positionNow, requireUnmoved } from '../position-now.js'
import { exitPrice, type TypedExit } from './typed-exit.js'
import { waitingExits } from './waiting-exits.js'

/** The prices at which a bracket closes a position. */
interface Exits {
  stop: number
  target: number
}

interface AskedBracket {
  asked: PositionKey
  key: string
  stop: TypedExit | undefined
  target: TypedExit | undefined
}

/**
 * Asks for a bracket around a position: one GTT of two legs (OCO) for all of its quantity, a stop and a target. Whichever fires
 * first closes the position at the market, and cancels the other. None is placed beside anything else that waits to close it.
 */
export async function bracketReview(
  client: SvcClient,
  account: Account,
  { asked, key, ...typed }: AskedBracket,
): Promise<ChangeQuestion | Refusal> {
  const position = await positionNow(client, asked)
  if ('refusal' in position) return position
  const lack = whyNoBracket(position) ?? (await whyNotTaken(client, account, position))
  if (lack !== undefined) return { refusal: lack }
  const exits = await exitsOf(client, position, typed)
  if ('refusal' in exits) return exits
  const body = bodyOf(position, exits)
  const early = whyTooEarly(position, exits)
  if (body === undefined || early !== undefined)
    return { refusal: early ?? `${position.exchange} has no GTTs.` }
  const beside = await besideText(client, position)
  if (beside !== undefined) return { refusal: beside }
  if (account.order_mode === 'semi_auto') return { refusal: HELD }
  const value = valueAt(position, position.ltp)
  return {
    title: `Bracket with ${body.action} ${body.quantity} ${asked.exchange}:${asked.symbol} ${asked.product} ${modeAndBroker(account)}?`,
    lines: [
      placeText(account),
      ...bracketLines(position, exits),
      `estimated value ${rupeePrice(value)}`,
      STAYS,
    ],
    ...orderWord(account, value),
    async recheck() {
      const now = await requireUnmoved(client, position)
      const problem = whyTooEarly(now, exits) ?? (await besideText(client, now))
      if (problem !== undefined) throw new Error(problem)
    },
    change: {
      name: `Bracket ${asked.exchange}:${asked.symbol}`,
      check: 'svc order gtt list',
      send: async (sender) => placedText(await sender.call('placegttorder', body, sendOptions(account, key))),
    },
  }
}

const HELD =
  'a bracket would wait for approval, and protect nothing until then. svc order gtt place asks for one.'
const STAYS =
  'one GTT (OCO): the leg that fires cancels the other. It stays if the position is closed otherwise: cancel it then'

/** Returns why no bracket can be placed around a position, whatever its prices; undefined if one can. */
export function whyNoBracket({
  product,
  quantity,
}: Pick<PositionRecord, 'product' | 'quantity'>): string | undefined {
  if (quantity === 0) return 'the position is closed.'
  if (GTT_PRODUCTS.some((one) => one === product)) return undefined
  return product === 'MIS'
    ? 'MIS is intraday-only: the broker closes it today, and takes a GTT only for CNC and NRML. Key b places a stop.'
    : `a GTT takes only CNC and NRML: a position in ${product} can only be closed.`
}

/** Returns why the broker of live orders takes no bracket in a product; undefined if it does, and where it cannot be asked. */
async function whyNotTaken(
  client: SvcClient,
  { analyze_mode, broker }: Account,
  { product }: PositionRecord,
): Promise<string | undefined> {
  if (analyze_mode) return undefined
  const found = (await brokersNow(client)).find(({ id }) => id === broker)
  if (!found?.capabilities) return undefined
  const { gtt } = found.capabilities
  if (gtt === null) return `${found.name} has no GTTs. Key b places a stop.`
  if (!gtt.oco) return `a GTT at ${found.name} has one trigger, and no second one (OCO). Key b places a stop.`
  if (gtt.products.includes(product)) return undefined
  return `a GTT at ${found.name} takes no ${product}. Key b places a stop.`
}

/** A token that may not read the brokers still places orders: the daemon refuses what the broker cannot keep. */
async function brokersNow(client: SvcClient) {
  try {
    return (await client.request('GET /broker/list', {})).data
  } catch (thrown) {
    if (thrown instanceof SvcError && thrown.status === 403) return []
    throw thrown
  }
}

async function exitsOf(
  client: SvcClient,
  position: PositionRecord,
  typed: Pick<AskedBracket, 'stop' | 'target'>,
): Promise<Exits | Refusal> {
  const symbol = typedSymbol(`${position.exchange}:${position.symbol}`)
  if (symbol === undefined || typed.stop === undefined || typed.target === undefined) {
    return { refusal: 'a value of the form is not good.' }
  }
  const { tick_size: tick } = (await client.call('symbol', symbol)).data
  const from = { base: position.average_price, tick }
  const [below, above] = ['below', 'above'] as const
  const [behind, ahead] = position.quantity > 0 ? [below, above] : [above, below]
  const stop = exitPrice(typed.stop, { ...from, side: behind })
  if (typeof stop !== 'number') return { refusal: `stop: ${stop.problem}` }
  const target = exitPrice(typed.target, { ...from, side: ahead })
  return typeof target === 'number' ? { stop, target } : { refusal: `target: ${target.problem}` }
}

/**
 * Returns the request of a bracket; undefined where no GTT can be. The API names its triggers for a position that was bought: `sl`
 * fires at or below its price, and `tg` at or above. The stop of a short position is therefore its `tg`.
 */
function bodyOf(position: PositionRecord, { stop, target }: Exits): Body<'placegttorder'> | undefined {
  const { exchange, quantity, symbol } = position
  const typed = typedSymbol(`${exchange}:${symbol}`)
  const product = GTT_PRODUCTS.find((one) => one === position.product)
  if (typed === undefined || product === undefined) return undefined
  const [low, high] = quantity > 0 ? [stop, target] : [target, stop]
  return {
    ...typed,
    ...{ action: closingSide(position), product, quantity: Math.abs(quantity), strategy: STRATEGY },
    ...({ trigger_type: 'OCO', pricetype: 'MARKET', price: 0 } as const),
    ...{ triggerprice_sl: low, stoploss: low, triggerprice_tg: high, target: high },
  }
}

/** Returns why a leg would fire at once; undefined if the last price is between the two. */
function whyTooEarly({ ltp, quantity }: PositionRecord, { stop, target }: Exits): string | undefined {
  if (!(ltp > 0)) return 'the last price is not known.'
  const [behind, ahead] = quantity > 0 ? (['below', 'above'] as const) : (['above', 'below'] as const)
  const last = `the last price ${rupeePrice(ltp)}`
  const isPast = (price: number, side: 'below' | 'above') => (side === 'below' ? price >= ltp : price <= ltp)
  if (isPast(stop, behind))
    return `the stop ${rupeePrice(stop)} is not ${behind} ${last}: it would fill at once.`
  if (isPast(target, ahead))
    return `the target ${rupeePrice(target)} is not ${ahead} ${last}: it would fill at once.`
  return undefined
}

/** Returns what waits to close the position already, in the words of a refusal; undefined if nothing does. */
async function besideText(client: SvcClient, position: PositionRecord): Promise<string | undefined> {
  const exits = await waitingExits(client, position)
  if (exits.length === 0) return undefined
  const [list, wait] = [exits.map(({ text }) => text).join('; '), exits.length === 1 ? 'waits' : 'wait']
  return `${list} ${wait} to close it: beside a bracket, both could fill. Cancel first.`
}

function bracketLines(position: PositionRecord, { stop, target }: Exits): readonly string[] {
  const { average_price, ltp, product, quantity } = position
  const order = `${closingSide(position)} ${Math.abs(quantity)} at the market`
  const [behind, ahead] = quantity > 0 ? ['below', 'above'] : ['above', 'below']
  return [
    `position ${quantity} ${product}, average ${rupeePrice(average_price)}, last price ${rupeePrice(ltp)}`,
    `stop: ${order} at or ${behind} ${rupeePrice(stop)}, ${resultText(position, stop)}`,
    `target: ${order} at or ${ahead} ${rupeePrice(target)}, ${resultText(position, target)}`,
    'results are from the average price, before costs; in a fast market the order may fill at a worse price',
  ]
}

/** Returns what the position makes or loses if it is closed at a price. */
function resultText(position: PositionRecord, price: number): string {
  const moved = Math.sign(position.quantity) * (price - position.average_price)
  return `${moved < 0 ? 'loss' : 'gain'} ${rupeePrice(Math.abs(valueAt(position, moved)))}`
}

function placedText(answer: AnswerOf<'placegttorder'>): ChangeResult {
  if (isQueued(answer)) return badResult(`waits for approval ${answer.pending_order_id}.`)
  const kind = answer.mode === 'analyze' ? 'simulated' : 'LIVE'
  return `${kind} GTT ${answer.trigger_id} waits for its stop and its target.`
}
