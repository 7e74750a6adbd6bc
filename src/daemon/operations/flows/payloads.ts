import { z } from 'zod'
import { EXECUTION_STATUSES } from '../../../core/flows/index.js'
import { fields } from '../../../core/validation/index.js'
import { applyFacts, fileKey } from '../common/files.js'
import { instant } from '../common/payloads.js'

/** Bodies and queries of the flow routes. The core validates the graphs and names the node and the field. */

const MAX_FILES = 1000
const MAX_SYMBOLS = 50

const anything = z.unknown()
/** Only the OpenAPI document uses this type. The core validates the value. */
const graphList = anything.meta({ type: 'array', items: { type: 'object' } })
const words = anything.meta({ type: 'string' })

/** A workflow as an editor sends it. A missing member stays unchanged; unknown members are ignored. */
export const contentBody = z.looseObject({
  name: words.optional(),
  description: words.optional(),
  nodes: graphList.optional(),
  edges: graphList.optional(),
})

export const rollbackBody = z.strictObject({ version: fields.integer() })
export const authTypeBody = z.looseObject({ auth_type: words.default('payload') })
export const secretBody = z.strictObject({ value: z.string('Not a valid string.') })

const data = z.record(z.string(), anything)

export const runBody = z.strictObject({
  name: fields.text(255).default('Workflow'),
  nodes: graphList,
  edges: graphList,
  dry_run: fields.boolean().default(false),
  variables: data.default({}),
  payload: data.optional(),
})

const desired = z.strictObject({
  key: fileKey,
  file: fields.text(1024).optional(),
  name: words,
  description: z.string().nullable().default(null),
  nodes: graphList,
  edges: graphList,
})

export const applyBody = z.strictObject({
  workflows: fields.list(desired).max(MAX_FILES, `Longer than maximum length ${MAX_FILES}.`),
  activate: fields.boolean().default(false),
  ...applyFacts,
})

export const lotSizesBody = z.looseObject({ symbols: graphList })
export { MAX_SYMBOLS }

/** Any text is accepted as the limit; one that is no number counts as the default. */
export const runsQuery = z.object({
  limit: z.string().optional(),
  before: fields.integer().optional(),
  since: instant.optional(),
  until: instant.optional(),
  status: fields.oneOf(EXECUTION_STATUSES).optional(),
})
