import type { Context } from 'hono'
import { ServiceError } from '../../../core/errors/index.js'
import { nextTurn } from '../../../core/time/index.js'
import { isObject } from '../../../core/validation/index.js'
import type { AppEnv } from '../../process/env.js'
import { readJson } from './body.js'

/**
 * Returns a body that is the document of an editor: a JSON object that is not empty. A refusal has its message under
 * `error` too.
 * @throws ServiceError `validation`, or an error of {@link readJson}
 */
export async function readDocument(c: Context<AppEnv>, maxBytes: number): Promise<object> {
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

function unreadable(thrown: unknown): never {
  if (!(thrown instanceof ServiceError) || thrown.code !== 'validation') throw thrown
  throw new ServiceError(thrown.code, thrown.message, { extra: { error: thrown.message } })
}
