import type { Context } from 'hono'
import type { z } from 'zod'
import { ServiceError, serviceErrorIn } from '../../../core/errors/index.js'
import { type ClientProof, oauthError } from '../../../core/mcp/index.js'
import { parseWith } from '../../../core/validation/index.js'
import { readJson, readText } from '../../http/body/body.js'
import { errorStatusOf, HttpRefusal } from '../../http/response/error-status.js'
import type { AppEnv } from '../../process/env.js'
import { FORM } from './fields.js'

/** Far more than any request of OAuth needs. */
const MAX_BYTES = 16_384

/**
 * Returns the parameters of a request of OAuth: a form, as the standard has it, or JSON.
 * @throws ServiceError with the OAuth error `invalid_request`, also for a parameter that is given twice
 */
export function readParams<S extends z.ZodType>(c: Context<AppEnv>, schema: S): Promise<z.output<S>> {
  return withOAuthError('invalid_request', async () => {
    const type = c.req.header('content-type') ?? ''
    return parseWith(schema, type.startsWith(FORM) ? await readForm(c) : await readJson(c, MAX_BYTES))
  })
}

/** Returns a JSON body of a registration. @throws ServiceError with the OAuth error `invalid_client_metadata` */
export function readMetadata<S extends z.ZodType>(c: Context<AppEnv>, schema: S): Promise<z.output<S>> {
  return withOAuthError('invalid_client_metadata', async () =>
    parseWith(schema, await readJson(c, MAX_BYTES)),
  )
}

async function readForm(c: Context<AppEnv>): Promise<object> {
  const fields = new URLSearchParams(await readText(c, MAX_BYTES))
  const names = [...fields.keys()]
  const twice = names.find((name, place) => names.indexOf(name) !== place)
  if (twice !== undefined) {
    throw oauthError('invalid_request', `${JSON.stringify(twice.slice(0, 40))} is given more than once.`)
  }
  return Object.fromEntries(fields)
}

/** Adds the members of an OAuth error to the refusal of a body. */
async function withOAuthError<T>(error: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (thrown) {
    const refused = serviceErrorIn(thrown)
    if (!refused || refused.extra.error !== undefined) throw thrown
    const extra = { ...refused.extra, error, error_description: refused.message }
    throw new HttpRefusal(refused.code, refused.message, errorStatusOf(refused), { extra, cause: thrown })
  }
}

export function keepFromCaches(c: Context<AppEnv>): void {
  c.header('Cache-Control', 'no-store')
  c.header('Pragma', 'no-cache')
}

/**
 * Returns who the client says it is: by Basic authentication, or in the body.
 * @throws ServiceError with the OAuth error `invalid_request` for both
 */
export function proofOf(
  c: Context<AppEnv>,
  body: { client_id?: string | undefined; client_secret?: string | undefined },
): ClientProof {
  const basic = /^Basic\s+(\S+)$/i.exec(c.req.header('authorization') ?? '')?.[1]
  if (basic === undefined) return { clientId: body.client_id, secret: body.client_secret }
  if (body.client_secret)
    throw oauthError('invalid_request', 'Send the secret once, in the header or in the body.')
  const [clientId = '', ...secret] = Buffer.from(basic, 'base64').toString().split(':')
  const proof = { clientId: decoded(clientId), secret: decoded(secret.join(':')) }
  if (body.client_id && body.client_id !== proof.clientId) {
    throw oauthError('invalid_request', 'client_id differs from the one in the header.')
  }
  return proof
}

/** Tells a client that failed to authenticate by the header how to do it (RFC 6749, section 5.2). */
export async function challenging<T>(c: Context<AppEnv>, act: () => Promise<T>): Promise<T> {
  try {
    return await act()
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'unauthenticated') {
      c.header('WWW-Authenticate', 'Basic realm="svc-mcp"')
    }
    throw error
  }
}

/** Decodes a part of the header, which has the encoding of a form. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}
