import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { z } from 'zod'
import { ServiceError } from '../../core/errors/index.js'
import type { Identity, Principal } from '../../core/identity/index.js'
import { parseWith } from '../../core/validation/index.js'
import type { AppEnv } from '../env.js'
import { principalIn, principalOf, readApiBody } from '../middleware/api-key.js'
import { CODE_HEADER } from './errors.js'

/** The key of a body or a query, then the rest of it. @throws ServiceError `invalid_key`, `validation` */
export async function parseKeyed<S extends z.ZodType<{ apikey: string }>>(
  identity: Identity,
  schema: S,
  given: unknown,
): Promise<{ body: z.output<S>; principal: Principal }> {
  const principal = await principalIn(identity, given)
  const body = parseWith(schema, given)
  return { body, principal: principal ?? (await principalOf(identity, body.apikey)) }
}

/** A handler of `/api/v1`: reads the body, checks the key and the rest, and answers with `status: success` before what it has. */
export function apiRoute<S extends z.ZodType<{ apikey: string }>>(
  identity: Identity,
  schema: S,
  answer: (body: z.output<S>, userId: string) => object | Promise<object>,
) {
  return async (c: Context<AppEnv>): Promise<Response> => {
    const { body, principal } = await parseKeyed(identity, schema, await readApiBody(c))
    return c.json({ status: 'success', ...(await answer(body, principal.username)) })
  }
}

/** What an endpoint takes and what it answers beside `status`, whichever way it is asked. */
export interface Read {
  /** Reads a body, which has any text for its key, and answers it. @throws ServiceError */
  ask(given: unknown, userId: string): Promise<object>
  route(identity: Identity): (c: Context<AppEnv>) => Promise<Response>
}

export function read<S extends z.ZodType<{ apikey: string }>>(
  schema: S,
  answer: (body: z.output<S>, userId: string) => object | Promise<object>,
): Read {
  return {
    ask: async (given, userId) => answer(parseWith(schema, given), userId),
    route: (identity) => apiRoute(identity, schema, answer),
  }
}

/** Runs a handler whose caller wants plain text: what it refuses with is the sentence alone, with its own status. */
export async function plainRefusals(
  c: Context<AppEnv>,
  handle: () => Response | Promise<Response>,
): Promise<Response> {
  try {
    return await handle()
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    c.header(CODE_HEADER, error.code)
    if (error.retryAfterSeconds !== undefined) c.header('Retry-After', String(error.retryAfterSeconds))
    return c.text(`${error.message}\n`, error.httpStatus as ContentfulStatusCode)
  }
}
