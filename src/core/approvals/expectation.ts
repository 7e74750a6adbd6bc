import { ServiceError } from '../errors/index.js'
import type { Destination, Expectation, LegTerms, QueuedMode } from './schema.js'

/** What the approval of a row would do now. */
interface Now {
  destination: Destination
  legs: readonly LegTerms[]
  /** The mode in which the row was queued; null if that is not known. */
  queuedMode: QueuedMode | null
}

/** The refusal of a row that would send other orders than its approver saw. */
export class OtherOrders extends ServiceError {}

/**
 * Refuses a row that would not do what its approver saw.
 * @throws ServiceError `not_as_shown` that names the difference; {@link OtherOrders} where the orders are others
 */
export function requireAsShown(
  { broker, legs, mode }: Expectation,
  { destination, legs: legsNow, queuedMode }: Now,
): void {
  const now = placeText(destination)
  if (mode === 'queued' && queuedMode !== destination.mode) {
    throw new ServiceError('not_as_shown', refusalText(`${queuedText(queuedMode)}, and would now be ${now}`))
  }
  const shown = { mode: mode === undefined || mode === 'queued' ? destination.mode : mode, broker }
  const isOtherBroker = broker !== undefined && destination.mode === 'live' && broker !== destination.broker
  if (shown.mode !== destination.mode || isOtherBroker) {
    const text = `it would now be ${now}, and was to be ${placeText(shown)}`
    throw new ServiceError('not_as_shown', refusalText(text))
  }
  if (legs === undefined) return
  const [ordersShown, ordersNow] = [ordersText(legs), ordersText(legsNow)]
  if (ordersShown === ordersNow) return
  throw new OtherOrders(
    'not_as_shown',
    refusalText(`it would now send ${ordersNow}, and shown was ${ordersShown}`),
  )
}

/** Returns that the mode is another one than when a request was queued, in words; undefined while it is the same. */
export function modeChange(queuedMode: QueuedMode | null, destination: Destination): string | undefined {
  if (queuedMode === null || queuedMode === destination.mode) return undefined
  return `${queuedText(queuedMode)}, would now be ${placeText(destination)}`
}

function refusalText(why: string): string {
  return `Not approved: ${why}. The order stays pending.`
}

function queuedText(mode: QueuedMode | null): string {
  if (mode === null) return 'the mode in which it was queued is not known'
  return mode === 'live' ? 'queued in Live mode' : 'queued in Analyzer mode'
}

function placeText({ broker, mode }: { mode: QueuedMode; broker?: string | undefined }): string {
  if (mode === 'analyze') return 'simulated in Analyzer mode'
  return broker === undefined ? 'sent LIVE' : `sent LIVE to ${broker}`
}

/** Returns orders in words: two lists with the same words ask the same of a broker. */
function ordersText(legs: readonly LegTerms[]): string {
  return legs.length === 0 ? 'nothing' : legs.map(termsText).join(', ')
}

function termsText(leg: LegTerms): string {
  const { action, exchange, instructions = '', price, pricetype, product, quantity, symbol } = leg
  const { triggerPrice } = leg
  const parts = [
    quantity === 0 ? 'no' : '',
    action,
    quantity === 0 ? '' : quantity,
    `${exchange}:${symbol}`,
    product,
    pricetype,
    price > 0 ? price : '',
    triggerPrice > 0 ? `trigger ${triggerPrice}` : '',
    instructions,
  ]
  return parts.filter((part) => part !== '').join(' ')
}
