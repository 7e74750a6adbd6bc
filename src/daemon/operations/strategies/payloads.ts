import { z } from 'zod'
import { EVENT_KINDS, RUN_MODES, SEVERITIES, STRATEGY_STATUSES } from '../../../core/strategies/index.js'
import { fields } from '../../../core/validation/index.js'
import { applyFacts, fileKey } from '../common/files.js'

/** Bodies and queries of the routes of strategies. The core validates configurations and names the field. */

const MAX_FILES = 1000

/** A positive whole number. */
const id = () => fields.integer().refine((value) => value > 0, 'Must be greater than 0.')
const limit = (most: number, usual: number) =>
  fields
    .integer()
    .refine((value) => value >= 1 && value <= most, `Must be between 1 and ${most}.`)
    .default(usual)

const said = (json: Record<string, unknown>) => z.unknown().meta(json).optional()
const text = said({ type: 'string' })
const amount = said({ type: ['number', 'null'] })

/** A configuration, or the part of it that changes. */
export const strategyBody = z.looseObject({
  name: text,
  strategy_kind: said({ type: 'string', enum: ['batch', 'signal'] }),
  direction: text,
  universe_tab: text,
  underlying: text,
  underlying_exchange: text,
  strategy_type: said({ type: 'string', enum: ['intraday', 'positional'] }),
  entry_time: text,
  exit_time: text,
  product: text,
  pricetype: text,
  legs: said({ type: 'array', items: { type: 'object' }, minItems: 1, maxItems: 10 }),
  overall_sl_mtm: amount,
  overall_target_mtm: amount,
  daily_loss_limit_inr: amount,
  lock_profit: said({ type: ['object', 'null'] }),
  trail_sl_to_entry: said({ type: 'boolean' }),
  scheduler: said({ type: ['object', 'null'] }),
  webhook_ip_allowlist: said({ type: 'array', items: { type: 'string' } }),
})

const filter = {
  status: fields.oneOf(STRATEGY_STATUSES).optional(),
  q: fields.text(100).optional(),
}
export const listQuery = z.object(filter)
export const listBody = z.strictObject(filter)

export const liveBody = z.strictObject({ enabled: z.boolean('Not a valid boolean.') })
/** The facts that the caller saw before the start. A start with other facts is refused. */
const reviewed = z
  .strictObject({
    broker: fields.text(50).optional(),
    updated_at: z.iso.datetime({ offset: true, message: 'Not a valid ISO 8601 instant.' }).optional(),
  })
  .optional()
  .meta({
    description: 'The broker and the last change that the caller has seen; a start with others is 409.',
  })
export const startBody = z.strictObject({ mode: fields.oneOf(RUN_MODES), reviewed })

/** The word of a person who has closed the positions of a reserved run. */
export const releaseBody = z.strictObject({
  reason: fields
    .text(500)
    .refine((value) => value.trim() !== '', 'May not be empty.')
    .meta({ description: 'What was found and done; stored with the event.' }),
  closed_by_hand: z
    .literal(true, 'Must be true: the positions of the run are closed by hand.')
    .meta({ description: 'The run holds nothing any more.' }),
  positions_checked: z.boolean('Not a valid boolean.').default(false).meta({
    description: 'The positions that the account shows in its contracts belong to somebody else.',
  }),
})

const strategy = { strategy_id: id() }
export const strategyOnly = z.strictObject(strategy)
export const startKeyed = z.strictObject({ ...strategy, mode: fields.oneOf(RUN_MODES) })
export const closeLegBody = z.strictObject({ ...strategy, leg_id: id() })
export const runsBody = z.strictObject({ ...strategy, limit: limit(500, 100) })
export const ordersBody = z.strictObject({ ...strategy, run_id: id().nullish() })
export const eventsBody = z.strictObject({
  ...strategy,
  run_id: id().nullish(),
  kind: fields.oneOf(EVENT_KINDS).nullish(),
  severity: fields.oneOf(SEVERITIES).nullish(),
  limit: limit(1000, 500),
})

export const runQuery = z.object({ run_id: id().optional() })
export const pageQuery = z.object({ ...filter, before: id().optional() })
export const oneRunQuery = z.object({ run_id: id() })
export const runsQuery = z.object({ limit: limit(500, 100) })
/** The limit is clamped: a page asks for as much as it may get. */
export const eventsQuery = z.object({
  run_id: id().optional(),
  kind: fields.oneOf(EVENT_KINDS).optional(),
  severity: fields.oneOf(SEVERITIES).optional(),
  limit: fields
    .integer()
    .transform((value) => Math.min(1000, Math.max(1, value)))
    .default(500),
})

const desired = z.strictObject({
  key: fileKey,
  file: fields.text(1024).optional(),
  config: z.record(z.string(), z.unknown()),
})
export const strategyFilesBody = z.strictObject({
  strategies: fields.list(desired).max(MAX_FILES, `Longer than maximum length ${MAX_FILES}.`),
  ...applyFacts,
})
