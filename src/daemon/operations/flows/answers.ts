import { z } from 'zod'
import { AUTH_TYPES, EXECUTION_STATUSES, RUN_TRIGGERS } from '../../../core/flows/schema.js'
import { amount, count, message, ok, text } from '../common/answers.js'
import { plannedAction, storedVersion } from '../common/files.js'

/** Answers of workflows. */

const anything = z.unknown()
/** ISO 8601 with India's offset. */
const istInstant = z.string().meta({ description: 'ISO 8601, in Indian time.' })
const node = z.record(z.string(), anything)
const graph = { nodes: z.array(node), edges: z.array(node) }

const workflowFields = {
  id: count,
  name: text,
  description: text.nullable(),
  ...graph,
  is_active: z.boolean(),
  webhook_token: text.nullable().meta({ description: 'Null for a credential with read access only.' }),
  webhook_secret: text.nullable().meta({ description: 'Null for a credential with read access only.' }),
  webhook_enabled: z.boolean(),
  webhook_auth_type: z.enum(AUTH_TYPES),
  version: count,
  file_key: text.nullable().meta({ description: 'The id of the workflow in its file.' }),
  drifted: z
    .boolean()
    .meta({ description: 'True if the workflow was changed by hand since it was applied from its file.' }),
  created_at: istInstant,
  updated_at: istInstant,
}

const warnings = z
  .array(z.looseObject({ path: text, code: text, message: text }))
  .optional()
  .meta({ description: 'The problems for which an activation would be refused. Absent if there are none.' })

export const workflowCreated = z.strictObject({ ...workflowFields, warnings })
export const workflowShown = z.strictObject({ ...workflowFields, schedule_job_id: text.nullable() })
export const workflowChanged = z.strictObject({ ...workflowFields, needs_reactivate: z.boolean(), warnings })

export const workflowList = z.array(
  z.strictObject({
    id: count,
    name: text,
    description: text.nullable(),
    is_active: z.boolean(),
    webhook_enabled: z.boolean(),
    version: count,
    file_key: text.nullable(),
    drifted: z.boolean(),
    trigger: z
      .enum(RUN_TRIGGERS)
      .nullable()
      .meta({ description: 'What starts it, once it is active; null without a trigger node.' }),
    next_run_at: istInstant.nullable(),
    created_at: istInstant,
    updated_at: istInstant,
    last_execution_status: z.enum(EXECUTION_STATUSES).nullable(),
    last_execution_at: istInstant.nullable().meta({ description: 'The start of the last run.' }),
  }),
)

export const activated = z.strictObject({ status: z.enum(['success', 'already_active']), message })
export const deactivated = z.strictObject({
  status: z.enum(['success', 'already_inactive']),
  message,
  running_execution_id: count.optional().meta({ description: 'A running run, which continues.' }),
})

const logEntry = z.strictObject({
  time: istInstant,
  message: text,
  level: z.enum(['info', 'warn', 'warning', 'error']),
  node: text.optional().meta({ description: 'The id of the node that the line is about.' }),
  label: text.optional().meta({ description: 'Its label.' }),
})
const failure = z.strictObject({ node: text, type: text, message: text })

export const executed = ok({ message, execution_id: count, logs: z.array(logEntry) })
export const runFailed = z.strictObject({
  status: z.literal('error'),
  message,
  execution_id: count,
  errors: z.array(failure).optional(),
  logs: z.array(logEntry),
})
export const runningAlready = z.strictObject({
  status: z.literal('error'),
  message,
  already_running: z.literal(true),
})
/** The answer when another run is in progress, or when this run was cancelled. */
export const runEnded = z.union([runningAlready, runFailed])

export const execution = z.strictObject({
  id: count,
  workflow_id: count,
  status: z.enum(EXECUTION_STATUSES),
  started_at: istInstant,
  completed_at: istInstant.nullable(),
  logs: z.array(logEntry),
  error: text.nullable(),
  trigger: z.enum(RUN_TRIGGERS),
  version: count,
})
export const executionList = z.array(execution)

export const exported = z.strictObject({
  name: text,
  description: text.nullable(),
  ...graph,
  version: z.literal('1.0'),
  exported_at: text,
})
export const imported = ok({ workflow_id: count, migrations: z.array(text).optional(), warnings })
export const replaced = ok({
  workflow_id: count,
  migrations: z.array(text),
  needs_reactivate: z.boolean(),
  message,
  warnings,
})

export const versions = ok({
  data: z.array(
    z.strictObject({
      version: count,
      at: istInstant,
      by: text,
      origin: z.enum(['edit', 'import', 'replace', 'apply', 'rollback']),
      file: text.nullable(),
      commit: text.nullable(),
      name: text,
      content_hash: text,
      current: z.boolean(),
    }),
  ),
})
export const rolledBack = ok({ workflow_id: count, version: count, needs_reactivate: z.boolean(), message })

const signingSecret = text.nullable().meta({
  description: 'The secret as libraries of Standard Webhooks take it; null unless the calls are signed.',
})
const webhookFields = {
  webhook_token: text,
  webhook_secret: text,
  webhook_enabled: z.boolean(),
  webhook_auth_type: z.enum(AUTH_TYPES),
  webhook_url: text,
  webhook_url_with_symbol: text,
  webhook_url_with_secret: text.nullable(),
  webhook_signing_secret: signingSecret,
}
export const webhook = z.strictObject(webhookFields)
export const webhookEnabled = ok({ message, ...webhookFields })
export const webhookRotated = ok({
  message,
  webhook_token: text,
  webhook_secret: text,
  webhook_url: text,
  webhook_url_with_symbol: text,
})
export const secretRotated = ok({ message, webhook_secret: text })
export const authTypeSet = ok({
  message,
  webhook_auth_type: z.enum(AUTH_TYPES),
  webhook_url: text,
  webhook_url_with_secret: text.nullable(),
  webhook_signing_secret: signingSecret,
})
export const webhookFired = z.strictObject({
  status: z.enum(['success', 'error']),
  message,
  errors: z.array(failure).nullable(),
  execution_id: count.nullable(),
  workflow_id: count,
})

export const monitor = z.strictObject({
  running: z.boolean(),
  alerts_count: count,
  poll_interval: amount,
  alerts: z.array(
    z.strictObject({
      workflow_id: count,
      symbol: text,
      exchange: text,
      condition: text,
      target_price: amount.nullable(),
      last_price: amount.nullable(),
      triggered: z.boolean(),
    }),
  ),
  order_updates: z.strictObject({
    watches_count: count,
    watches: z.array(
      z.strictObject({
        workflow_id: count,
        order_id: text,
        symbol: text,
        exchange: text,
        status: text,
        triggered: z.boolean(),
      }),
    ),
  }),
})

const planned = {
  key: text,
  name: text,
  action: plannedAction,
  workflow_id: count.nullable(),
  drifted: z.boolean(),
  is_active: z.boolean().meta({ description: 'Whether the workflow is active before the change.' }),
  trigger_changed: z.boolean().meta({ description: 'Whether the change is of its trigger.' }),
  stored: storedVersion,
  namesake: z
    .strictObject({ workflow_id: count, is_active: z.boolean() })
    .nullable()
    .meta({ description: 'A workflow that is not from a file and has the name of the new one.' }),
  changes: z.array(
    z.strictObject({
      kind: z.enum(['added', 'removed', 'changed']),
      path: text,
      before: anything.optional(),
      after: anything.optional(),
    }),
  ),
}
export const plan = ok({ data: z.array(z.strictObject(planned)) })
export const applied = ok({
  data: z.array(
    z.strictObject({
      ...planned,
      version: count.nullable(),
      needs_reactivate: z.boolean(),
      activated: z.boolean(),
    }),
  ),
})

export const secretList = ok({
  data: z.array(z.strictObject({ name: text, updated_at: count, updated_by: text })),
})
export const indexSymbols = ok({
  data: z.array(z.strictObject({ value: text, label: text, exchange: text, lotSize: amount })),
})
export const lotSizes = ok({ lotSizes: z.record(z.string(), amount.nullable()) })
