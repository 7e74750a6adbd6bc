import { ServiceError } from '../../../errors/index.js'
import { fromMoney, type Money } from '../../../money/index.js'
import { isOtherAccount } from '../../../orders/index.js'
import { istDate, istTime, utcIso } from '../../../time/index.js'
import { isPastExit, type StrategyConfig } from '../../config/index.js'
import { squareOffOf } from '../../engine/index.js'
import type { ResolvedLegs, ResolveFailure } from '../../resolve/index.js'
import type { RunPorts } from '../ports.js'
import type { StartOrder } from '../schema.js'
import type { ClaimRefusal } from '../store/run-rows.js'

export const CHANGED = 'The strategy was changed while its signal was read: send it again.'
export const ALREADY_RUNNING = 'This strategy is already running'
export const STILL_HOLDS =
  'The last run of the strategy squares off a fill that came late. Start it again once that run is flat.'
export const NOT_LIVE =
  "This strategy is not enabled for live trading. Enable it on the strategy page, or start it with mode 'sandbox'."

/** The answers to a claim that fails because the strategy changed during the start. */
const CLAIM_REFUSALS: Readonly<Record<ClaimRefusal, string>> = {
  gone: 'Strategy not found',
  running: ALREADY_RUNNING,
  changed: 'The strategy was changed while it started, so nothing was sent. Start it again.',
  not_live: NOT_LIVE,
  locked: "This strategy's webhook is locked",
}

export function claimError(refused: ClaimRefusal): ServiceError {
  return new ServiceError(refused === 'gone' ? 'not_found' : 'conflict', CLAIM_REFUSALS[refused])
}

/** Refuses a start of an intraday strategy after its exit time. */
export function refuseAfterExit(config: StrategyConfig, at: number): void {
  if (!isPastExit(config, at)) return
  throw new ServiceError('refused', `The exit time ${config.exit_time} of today has passed`)
}

/**
 * Refuses a start whose legs the run would square off at once. A signal strategy starts as long as one of its legs can
 * still trade.
 */
export function refuseEnded({ strategy_kind }: StrategyConfig, { legs }: ResolvedLegs, at: number): void {
  const late = legs.filter((leg) => squareOffOf(leg).at <= at)
  const [ended] = late
  if (!ended || (strategy_kind === 'signal' && late.length < legs.length)) return
  const { at: endedAt, isClose, reason } = squareOffOf(ended)
  const dayEnd = isClose ? `${ended.exchange} closes then` : `positions of product ${ended.product} end today`
  const date = istDate(endedAt)
  const isToday = date === istDate(at)
  const expiry = isToday ? 'its contract expires today' : 'its contract no longer trades'
  const why = reason === 'expiry' ? expiry : dayEnd
  const time = `${isToday ? '' : `${date} `}${istTime(endedAt).slice(0, 5)}`
  throw new ServiceError(
    'refused',
    `Leg ${ended.id} is squared off at ${time} because ${why}: start it earlier`,
  )
}

/** Refuses a start in a session in which earlier runs of the strategy have lost the limit. */
export function refuseAfterLosses({ daily_loss_limit_inr: limit }: StrategyConfig, earlier: Money): void {
  if (!limit || fromMoney(earlier) > -limit) return
  const text = `The daily loss limit of ${limit} is reached: no run starts in this session`
  throw new ServiceError('refused', text)
}

/** The refusal of a start whose legs have no contracts, with the code of the failure for programs. */
export function resolveError({ code, legId, message }: ResolveFailure): ServiceError {
  const prefix = legId === null ? '' : `Leg ${legId}: `
  const text = message.startsWith(prefix) ? message : `${prefix}${message}`
  return new ServiceError('refused', text, { extra: { failure: code, leg_id: legId } })
}

/** Refuses the first signal of a run for a leg that cannot trade. */
export function refuseUnusable({ unusable }: ResolvedLegs, signalled: number): void {
  const leg = unusable.find(({ legId }) => legId === signalled)
  if (leg) throw new ServiceError('refused', leg.why)
}

/**
 * Refuses a start of another strategy, or at another broker, than its caller has reviewed.
 * @throws ServiceError `conflict`
 */
export function refuseUnreviewed(
  { mode, reviewed }: StartOrder,
  { updatedAt }: { updatedAt: number },
  brokerId: string,
): void {
  const { broker, updated_at: seen } = reviewed ?? {}
  if (seen !== undefined && Date.parse(seen) !== Date.parse(utcIso(updatedAt))) {
    throw new ServiceError('conflict', 'The strategy has changed since the review. Review the start again.')
  }
  if (mode === 'live' && broker !== undefined && broker !== brokerId) {
    const text = `The broker is ${brokerId} now, and the review was for ${broker}. Review the start again.`
    throw new ServiceError('conflict', text)
  }
}

/** A broker and the account that is signed in there. */
export type BrokerAccount = Pick<RunPorts['broker'], 'accountId' | 'brokerId'>

/**
 * Refuses a live start whose legs were looked up for another broker or account than the one of now.
 * @throws ServiceError `conflict`
 */
export function refuseSwitched({ accountId, brokerId }: BrokerAccount, now: BrokerAccount): void {
  const switchedAccount = isOtherAccount(now, accountId) ? 'account at the broker' : undefined
  const switched = brokerId === now.brokerId ? switchedAccount : 'broker'
  if (switched === undefined) return
  throw new ServiceError('conflict', `The ${switched} was changed before the run began. Nothing was started.`)
}
