import type { Context } from 'hono'
import { ServiceError } from '../../core/errors/index.js'
import type { Identity, Principal } from '../../core/identity/index.js'
import type { AppEnv } from '../env.js'
import { MAX_BODY_BYTES, readJson } from '../http/body.js'
import { parseUniqueJson } from '../http/unique-json.js'

/** The message for an unknown or revoked key, everywhere. */
export const INVALID_KEY = 'Invalid svc apikey'

/** A JSON body in which a key from the `X-API-KEY` header stands where the body has none. */
export async function readApiBody(c: Context<AppEnv>, maxBytes?: number): Promise<unknown> {
  return withHeaderKey(c, await readJson(c, maxBytes))
}

/** The same for an order, in which no field may be given twice. */
export async function readOrderBody(c: Context<AppEnv>): Promise<unknown> {
  return withHeaderKey(c, await readJson(c, MAX_BODY_BYTES, parseUniqueJson))
}

function withHeaderKey(c: Context<AppEnv>, body: unknown): unknown {
  const header = c.req.header('x-api-key')
  if (header === undefined || !isObject(body) || Object.hasOwn(body, 'apikey')) return body
  return { ...body, apikey: header }
}

/** The query of a GET in which a key from the `X-API-KEY` header stands where the query has none. */
export function readApiQuery(c: Context<AppEnv>): Record<string, string> {
  const query = c.req.query()
  const header = c.req.header('x-api-key')
  return header === undefined || Object.hasOwn(query, 'apikey') ? query : { ...query, apikey: header }
}

/** No key is longer; what is, is told by the schema. */
const MAX_KEY_LENGTH = 256

/**
 * Finds whose key a body carries before its other fields are checked, so that a stranger learns nothing about them.
 * Endpoints that place, change or cancel orders do not use it: they check the fields first. Undefined where no key
 * can be read; the schema then says what is wrong.
 * @throws ServiceError `invalid_key` (403)
 */
export async function principalIn(identity: Identity, body: unknown): Promise<Principal | undefined> {
  const key = isObject(body) ? body.apikey : undefined
  const isReadable = typeof key === 'string' && key.length > 0 && key.length <= MAX_KEY_LENGTH
  return isReadable ? principalOf(identity, key) : undefined
}

/** Whose key it is. @throws ServiceError `invalid_key` (403) */
export async function principalOf(identity: Identity, apikey: string): Promise<Principal> {
  const cached = identity.apiKeys.cached(apikey)
  const principal = cached === 'invalid' ? undefined : (cached ?? (await identity.apiKeys.verify(apikey)))
  if (!principal) throw new ServiceError('invalid_key', INVALID_KEY)
  return principal
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
