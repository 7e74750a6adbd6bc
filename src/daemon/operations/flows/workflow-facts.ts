import { z } from 'zod'
import { type Caller, type Workflow, warningsOf } from '../../../core/flows/index.js'
import { nextTurn } from '../../../core/time/index.js'
import type { RunningService } from '../../daemon.js'
import type { ActRequest } from '../audit-facts.js'
import { text } from '../common/answers.js'
import { expectedVersion } from '../common/files.js'
import { fingerprint } from '../common/fingerprint.js'
import { signedIn } from '../running.js'

export const workflows = signedIn('Workflows')

/** The largest document. A graph of five hundred nodes fits. */
export const MAX_DOCUMENT_BYTES = 2 * 1_048_576

export const json = ['validation', 'too_large', 'unsupported_media'] as const
export const reading = { scopes: ['read', 'flows'] } as const
export const changing = { scopes: ['flows'] } as const
export const ID = { params: { id: 'The id of the workflow.' } } as const
export const missing = ['not_found'] as const
export const missingOr = ['not_found', ...json] as const

const GRAPH = {
  nodes: [
    { id: 'hook', type: 'webhookTrigger', position: { x: 0, y: 0 }, data: {} },
    { id: 'note', type: 'log', position: { x: 0, y: 120 }, data: { message: 'It is {{time}}' } },
  ],
  edges: [{ id: 'e1', source: 'hook', target: 'note' }],
}
export const WORKFLOW = { name: 'Greeting', ...GRAPH }

export const expectQuery = z.object({ expect: expectedVersion })

export const anything = z.unknown()
/** Only the OpenAPI document uses this type. The core validates the value. */
export const graphList = anything.meta({ type: 'array', items: { type: 'object' } })
export const words = anything.meta({ type: 'string' })

/** A workflow as an editor sends it. A missing member stays unchanged; unknown members are ignored. */
export const contentBody = z.looseObject({
  name: words.optional(),
  description: words.optional(),
  nodes: graphList.optional(),
  edges: graphList.optional(),
})

/** ISO 8601 with India's offset. */
export const istInstant = z.string().meta({ description: 'ISO 8601, in Indian time.' })
const node = z.record(z.string(), anything)
export const graph = { nodes: z.array(node), edges: z.array(node) }

export const warnings = z
  .array(z.looseObject({ path: text, code: text, message: text }))
  .optional()
  .meta({
    description:
      'The problems for which an activation would be refused, and fields without a value, which count as left out. Absent if there are none.',
  })

/** Returns the caller and the API key that their workflows use. */
export function flowCaller(
  { identity }: Pick<RunningService, 'identity'>,
  { username }: Pick<Caller, 'username'>,
): Caller {
  return {
    username,
    // Read when a change takes its turn: the key may be rotated while the change waits.
    get apiKey() {
      return identity.apiKeys.reveal(username)
    },
  }
}

/** Returns the warnings in the answer to a change. To store a long document took its turn; to check it takes another. */
export async function warningsInTurn(workflow: Workflow) {
  await nextTurn()
  const { warnings } = warningsOf(workflow)
  return warnings ? { warnings: warnings.map((problem) => ({ ...problem })) } : {}
}

export function workflowValues({ service }: ActRequest<RunningService>) {
  return Object.fromEntries(
    service.flows.workflows.list().map((flow) => [
      flow.id,
      {
        name: flow.name,
        version: flow.version,
        content: flow.contentHash,
        active: flow.isActive,
        webhook: { enabled: flow.webhookEnabled, check: flow.webhookAuthType },
        webhook_fingerprint: fingerprint(flow.webhookToken + flow.webhookSecret),
      },
    ]),
  )
}
