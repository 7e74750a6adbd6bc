import { type Refusal, ServiceError } from '../../errors/index.js'
import type { TradingMode } from '../../trading/index.js'
import { isOtherAccount, type LiveExecution, type PlaceContext } from '../ports.js'

/** The mode, the broker and the account for which a request was decided. The check passes over an absent one. */
interface Decided {
  mode?: TradingMode | undefined
  broker?: string
  accountId?: string | undefined
}

/** The mode and the broker at this moment. */
interface Now {
  mode: TradingMode
  broker?: Pick<LiveExecution, 'accountId' | 'brokerId'>
}

/** How the texts name what is not sent. */
type Subject = 'the order' | 'this'

/**
 * Refuses a request whose caller wants it in the other trading mode alone. Whoever decides where a request goes asks this in the
 * same turn; {@link switchedSince} then holds the decision until it is sent.
 * @param mode the mode for which it is decided
 * @throws ServiceError `conflict`
 */
export function requireOnlyMode({ onlyMode }: Pick<PlaceContext, 'onlyMode'>, mode: TradingMode): void {
  if (onlyMode === undefined || onlyMode === mode) return
  const [now, asked] = mode === 'live' ? ['live', 'simulated'] : ['simulated', 'live']
  const message = `Orders are ${now}, and this request asks for ${asked} ones alone; nothing was sent.`
  throw new ServiceError('conflict', message)
}

/** Returns why a request is not sent any more: the mode, the broker or its account was changed since it was decided. */
export function switchedSince(decided: Decided, now: Now, subject: Subject): Refusal | undefined {
  const switched = switchBetween(decided, now)
  if (switched === undefined) return undefined
  const message = `The ${switched} was changed before ${subject} was sent; it was not sent.`
  return { code: 'conflict', message }
}

/** Returns the refusal of a request that was decided before orders began to wait for approval. */
export function needsApproval(subject: Subject): Refusal {
  const name = subject === 'the order' ? 'this one' : subject
  return {
    code: 'conflict',
    message: `Orders need approval since before ${name} was sent; it was not sent.`,
  }
}

function switchBetween(decided: Decided, { broker, mode }: Now): string | undefined {
  if (decided.mode !== undefined && decided.mode !== mode) return 'mode'
  if (!broker) return undefined
  if (decided.broker !== undefined && decided.broker !== broker.brokerId) return 'broker'
  return isOtherAccount(broker, decided.accountId) ? 'account at the broker' : undefined
}
