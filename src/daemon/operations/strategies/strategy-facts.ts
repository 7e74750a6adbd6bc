import { z } from 'zod'
import { type ChangeAuthor, STRATEGY_STATUSES } from '../../../core/strategies/index.js'
import { fields } from '../../../core/validation/index.js'
import type { RunningService } from '../../daemon.js'
import type { Caller, SignedInCaller } from '../../http/caller.js'
import type { ActRequest } from '../audit-facts.js'
import { text } from '../common/answers.js'
import { rowId } from '../common/row-id.js'
import { signedIn } from '../running.js'

export const strategies = signedIn('Strategies', 'strategy')

export const reading = { scopes: ['read', 'strategies'] } as const
export const changing = { scopes: ['strategies'] } as const
export const ID = { params: { id: 'The id of the strategy.' } } as const
export const json = ['validation', 'too_large', 'unsupported_media'] as const
export const missing = ['not_found'] as const
/** The refusals of requests that open or close positions. */
export const acting = ['not_found', 'conflict', 'refused', 'unavailable'] as const

export const STRADDLE = {
  name: 'Morning straddle',
  underlying: 'NIFTY',
  underlying_exchange: 'NSE_INDEX',
  entry_time: '09:20',
  exit_time: '15:15',
  product: 'MIS',
  legs: [
    { segment: 'options', position: 'S', lots: 1, option_type: 'CE', expiry: 'weekly', sl_pts: 30 },
    { segment: 'options', position: 'S', lots: 1, option_type: 'PE', expiry: 'weekly', sl_pts: 30 },
  ],
}

/** A positive whole number. */
export const id = () => fields.integer().refine((value) => value > 0, 'Must be greater than 0.')
export const limit = (most: number, usual: number) =>
  fields
    .integer()
    .refine((value) => value >= 1 && value <= most, `Must be between 1 and ${most}.`)
    .default(usual)

export const filter = {
  status: fields.oneOf(STRATEGY_STATUSES).optional(),
  q: fields.text(100).optional(),
}

export const runQuery = z.object({ run_id: id().optional() })

export const webhook_token = text.meta({ description: 'The webhook token. It is shown only now.' })

/** Returns the id of a strategy of the caller. @throws ServiceError `not_found` */
export async function ownedId(
  { strategyCatalog }: Pick<RunningService, 'strategyCatalog'>,
  text: string,
  { username }: Caller,
): Promise<number> {
  return (await strategyCatalog.get(username, rowId(text))).id
}

/** Returns the credential of a change, for its version. */
export function authorOf({ principal }: Pick<SignedInCaller, 'principal'>): ChangeAuthor {
  return { credential: principal.credential, credentialId: principal.credentialId }
}

export async function strategyValues({ service, username }: ActRequest<RunningService>) {
  return Object.fromEntries(
    (await service.strategyCatalog.list(username)).map(({ strategy }) => [
      strategy.id,
      {
        name: strategy.name,
        content: strategy.contentHash,
        live_enabled: strategy.liveEnabled,
        webhook_locked: strategy.webhookLocked,
        webhook_fingerprint: strategy.webhookFingerprint,
      },
    ]),
  )
}
/** The unfinished runs by strategy. */
export async function runValues({ service, username }: ActRequest<Pick<RunningService, 'strategyHistory'>>) {
  return Object.fromEntries(
    (await service.strategyHistory.unfinished(username)).map((run) => [
      run.strategyId,
      { run: run.id, mode: run.mode, stop_requested: run.stopRequestedReason, reserved: run.reservedReason },
    ]),
  )
}
