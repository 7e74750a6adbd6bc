import type { Context } from 'hono'
import { ServiceError } from '../../../core/errors/index.js'
import { type Caller, type Flows, type Workflow, warningsOf } from '../../../core/flows/index.js'
import { nextTurn } from '../../../core/time/index.js'
import { isObject } from '../../../core/validation/index.js'
import { readJson } from '../../http/body/body.js'
import type { AppEnv } from '../../process/env.js'

/** Helpers of the workflow routes to read a request and refuse an invalid one. */

export interface FlowParts {
  flows: Flows
  /** Returns the caller's own API key, which their workflows use. */
  apiKeyOf(username: string): string | undefined
}

/** The largest document. A graph of five hundred nodes fits. */
const MAX_DOCUMENT_BYTES = 2 * 1_048_576

/** Returns the caller and the API key that their workflows use. */
export function flowCaller(c: Context<AppEnv>, { apiKeyOf }: Pick<FlowParts, 'apiKeyOf'>): Caller {
  const { username } = c.get('principal')
  return {
    username,
    // Read when a change takes its turn: the key may be rotated while the change waits.
    get apiKey() {
      return apiKeyOf(username)
    },
  }
}

/** Returns the id in the path. @throws ServiceError `not_found` for a text that cannot be an id */
export function idOf(c: Context<AppEnv>, what: 'Workflow' | 'Execution' = 'Workflow'): number {
  const text = c.req.param('id') ?? ''
  const id = Number(text)
  if (/^[0-9]+$/.test(text) && Number.isSafeInteger(id) && id > 0) return id
  const error = `${what} not found`
  throw new ServiceError('not_found', error, { extra: { error } })
}

/**
 * Returns the body, a JSON object that is not empty.
 * @throws ServiceError `validation`, or an error of {@link readJson}
 */
export async function readContent(c: Context<AppEnv>, maxBytes = MAX_DOCUMENT_BYTES): Promise<object> {
  const length = c.req.header('content-length')
  const body =
    length === '0' || (length === undefined && !c.req.raw.body)
      ? undefined
      : await readJson(c, maxBytes).catch(unreadable)
  // A long document took its turn to parse; what becomes of it takes another.
  await nextTurn()
  if (isObject(body) && Object.keys(body).length > 0) return body
  const error = body === undefined || isObject(body) ? 'No data provided' : 'The body must be a JSON object'
  throw new ServiceError('validation', error, { extra: { error } })
}

/** Returns the warnings in the answer to a change. To store a long document took its turn; to check it takes another. */
export async function warningsInTurn(workflow: Workflow): Promise<ReturnType<typeof warningsOf>> {
  await nextTurn()
  return warningsOf(workflow)
}

/** Rethrows an error of reading the body. A `validation` error carries its message under `error` too. */
function unreadable(thrown: unknown): never {
  if (!(thrown instanceof ServiceError) || thrown.code !== 'validation') throw thrown
  throw new ServiceError(thrown.code, thrown.message, { extra: { error: thrown.message } })
}
