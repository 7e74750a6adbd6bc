import type { Context } from 'hono'
import { ServiceError } from '../../core/errors/index.js'
import type { Identity, Principal } from '../../core/identity/index.js'
import { isObject } from '../../core/validation/index.js'
import { MAX_BODY_BYTES, readJson } from '../http/body/body.js'
import { parseUniqueJson } from '../http/body/unique-json.js'
import type { AppEnv } from '../process/env.js'

/** The refusal of an unknown or revoked key, on every endpoint. */
export class InvalidKey extends ServiceError {
  /** @param apikey the refused key, to count it; it is neither sent nor logged */
  constructor(readonly apikey: string) {
    super('invalid_key', 'Invalid svc apikey')
  }
}

/** Returns a JSON body as `parse` reads it. If it has no key, the key of the `X-API-KEY` header is added. */
export async function readApiBody(
  c: Context<AppEnv>,
  maxBytes?: number,
  parse?: (text: string) => unknown,
): Promise<unknown> {
  return withHeaderKey(c, await readJson(c, maxBytes, parse))
}

/** Returns the JSON body of an order as {@link readApiBody} does, and refuses a field that is given twice. */
export async function readOrderBody(c: Context<AppEnv>): Promise<unknown> {
  return withHeaderKey(c, await readJson(c, MAX_BODY_BYTES, parseUniqueJson))
}

function withHeaderKey(c: Context<AppEnv>, body: unknown): unknown {
  const header = c.req.header('x-api-key')
  if (header === undefined || !isObject(body) || Object.hasOwn(body, 'apikey')) return body
  return { ...body, apikey: header }
}

/** Returns the query of a GET. If it has no key, the key of the `X-API-KEY` header is added. */
export function readApiQuery(c: Context<AppEnv>): Record<string, string> {
  const query = c.req.query()
  const header = c.req.header('x-api-key')
  return header === undefined || Object.hasOwn(query, 'apikey') ? query : { ...query, apikey: header }
}

/** The longest key that is looked up. The schema refuses a longer one. */
const MAX_KEY_LENGTH = 256

/**
 * Returns the owner of the key in a body before its other fields are checked, so that a caller without a
 * valid key learns nothing about them. Endpoints that place, change or cancel orders do not use it: they
 * check the fields first. Undefined when no key can be read; the schema then reports the error.
 * @throws ServiceError `invalid_key` (403)
 */
export async function principalIn(identity: Identity, body: unknown): Promise<Principal | undefined> {
  const key = isObject(body) ? body.apikey : undefined
  const isReadable = typeof key === 'string' && key.length > 0 && key.length <= MAX_KEY_LENGTH
  return isReadable ? principalOf(identity, key) : undefined
}

/** Returns the owner of a key. @throws ServiceError `invalid_key` (403) */
export async function principalOf(identity: Identity, apikey: string): Promise<Principal> {
  const cached = identity.apiKeys.cached(apikey)
  const principal = cached === 'invalid' ? undefined : (cached ?? (await identity.apiKeys.verify(apikey)))
  if (!principal) throw new InvalidKey(apikey)
  return principal
}
