import type { Context } from 'hono'
import { z } from 'zod'
import { ServiceError, validationError } from '../../core/errors/index.js'
import type { Identity, Principal } from '../../core/identity/index.js'
import { fieldErrors, fields, isObject, parseWith } from '../../core/validation/index.js'
import { principalIn, principalOf } from '../middleware/api-key.js'
import { bearerOf, callerOfToken, requireAnyScope, unauthenticated } from '../middleware/session.js'
import type { AppEnv } from '../process/env.js'
import { noteRefusal } from './request.js'
import { errorStatusOf } from './response/error-status.js'
import { CODE_HEADER } from './response/errors.js'

/**
 * Returns the caller, found by the key in the body or query, and the parsed payload.
 * @throws ServiceError `invalid_key`, `validation`
 */
export async function keyedInput<S extends z.ZodType>(
  identity: Identity,
  schema: S,
  given: unknown,
): Promise<{ payload: z.output<S>; principal: Principal }> {
  const principal = await principalIn(identity, given)
  const { apikey, payload } = parseKeyed(schema, given)
  return { payload, principal: principal ?? (await principalOf(identity, apikey)) }
}

/**
 * As {@link keyedInput}, for an operation that only reads: a session, or a token with the scope `read`, is enough.
 * @throws ServiceError `invalid_key`, `unauthenticated`, `forbidden`, `validation`
 */
export async function readingInput<S extends z.ZodType>(
  c: Context<AppEnv>,
  identity: Identity,
  schema: S,
  given: unknown,
): Promise<{ payload: z.output<S>; principal: Principal }> {
  const principal = readerOf(c, identity, given)
  return principal ? { payload: parseWith(schema, given), principal } : keyedInput(identity, schema, given)
}

/**
 * Returns the caller whose bearer stands in for the key; undefined if the request has a key, or no bearer. A cookie is none,
 * because another site can make a browser send it.
 * @throws ServiceError `unauthenticated`, `forbidden`
 */
export function readerOf(c: Context<AppEnv>, identity: Identity, given: unknown): Principal | undefined {
  const bearer = bearerOf(c)
  if (bearer === undefined || !isObject(given) || Object.hasOwn(given, 'apikey')) return undefined
  const reader = callerOfToken(bearer, identity)?.principal
  if (!reader) throw unauthenticated()
  requireAnyScope(reader, 'read')
  return reader
}

const keySchema = fields.apiKeyField()

/**
 * Splits a request into its key and its payload, so that later steps do not see the credential.
 * @throws ServiceError `validation` with every field that failed, the key first
 */
export function parseKeyed<S extends z.ZodType>(
  schema: S,
  given: unknown,
): { apikey: string; payload: z.output<S> } {
  if (!isObject(given)) throw refusedBody(given)
  const { apikey, ...rest } = given
  const key = keySchema.safeParse(apikey)
  const payload = schema.safeParse(rest)
  if (key.success && payload.success) return { apikey: key.data, payload: payload.data }
  throw validationError({
    ...(key.success ? {} : { apikey: key.error.issues.map(({ message }) => message) }),
    ...(payload.success ? {} : fieldErrors(payload.error.issues, schema, ['apikey'])),
  })
}

/** Returns the error for a body that is not an object. */
function refusedBody(given: unknown): ServiceError {
  const { error } = z.strictObject({}).safeParse(given)
  return validationError(fieldErrors(error?.issues ?? []))
}

/**
 * Runs a handler whose caller wants plain text: a refusal is sent as its message alone, with its own status.
 */
export async function refuseInPlainText(
  c: Context<AppEnv>,
  handle: () => Response | Promise<Response>,
): Promise<Response> {
  try {
    return await handle()
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    noteRefusal(c, error.message)
    c.header(CODE_HEADER, error.code)
    if (error.retryAfterSeconds !== undefined) c.header('Retry-After', String(error.retryAfterSeconds))
    return c.text(`${error.message}\n`, errorStatusOf(error))
  }
}
