import { parseJson } from '../../../client/answers/json.js'
import { CHANGES } from '../../../client/changes.js'
import type { Input } from '../../framework/command/command.js'
import type { Context } from '../../framework/context.js'
import { usageError } from '../../framework/errors.js'
import type { Call } from '../../http/client.js'
import { findSession, resolveApiKey } from '../../http/credentials.js'
import { readInput } from '../order/request.js'
import { bodyOf, type Field, parseField, typedValue, withQuery } from './api-fields.js'

export const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

const PUBLIC_API = '/api/v1/'

/** Returns the request that the words and options describe, with its credential. */
export async function requestOf(context: Context, input: Input): Promise<Call> {
  const { method, path } = targetOf(input)
  const headers = Object.fromEntries(input.list('header').map(parseHeader))
  const { body, query, type } = await contentOf(context, input, method, path)
  const made = { method: method ?? (body === undefined ? 'GET' : 'POST'), path: withQuery(path, query) }
  if (made.method === 'GET' && body !== undefined) throw usageError('A GET has no body.', 'Pass POST or PUT.')
  const call = { ...made, headers: { ...(type && { 'content-type': type }), ...headers } }
  const given = headers.authorization !== undefined || headers['x-api-key'] !== undefined
  return {
    ...call,
    ...(body !== undefined && { body }),
    ...(given || hasKey(body, query) ? {} : credentialFor(context, call)),
    changes: isChange(made),
    followUp: 'Check the result before you repeat the request.',
  }
}

/** Returns method and path. The path may stand alone. @throws a usage error */
function targetOf(input: Input): { method: Call['method'] | undefined; path: string } {
  const words = [input.required(0), input.argument(1)].filter((word) => word !== undefined)
  const path = words.at(-1) ?? ''
  const option = input.text('method')
  if (option !== undefined && words.length === 2) throw usageError('Choose one: METHOD or --method.')
  const named = option ?? (words.length === 2 ? words[0] : undefined)
  const method = METHODS.find((name) => name === named?.toUpperCase())
  if (named !== undefined && method === undefined) {
    throw usageError(`"${named}" is not a method.`, `Methods: ${METHODS.join(', ')}`)
  }
  // The credential goes to the daemon only, so the path never names another server.
  if (!/^\/(?![/\\])/.test(path)) throw usageError(`"${path}" is not the path of a route.`, 'Example: /risk')
  return { method, path }
}

/** HTTP headers have no other characters. */
const NOT_LATIN = /[^\t\u0020-\u007e\u00a0-\u00ff]/u
const LATIN = 'A header takes the characters of Latin-1 only.'

/** Splits `name: value`; the name in lower case. @throws a usage error */
function parseHeader(text: string): [string, string] {
  const [, name = '', value = ''] = /^([\w-]+):\s*(\S.*)$/.exec(text) ?? []
  if (name === '') throw usageError(`"${text}" is not of the form name:value.`)
  const stranger = NOT_LATIN.exec(value)?.[0]
  if (stranger !== undefined) {
    throw usageError(`--header: the value of ${name} has the character "${stranger}".`, LATIN)
  }
  return [name.toLowerCase(), value]
}

interface Content {
  body?: Call['body']
  query: readonly Field[]
  /** The content type of a body that is sent unchanged. */
  type?: string
}

/** Returns body and query: `--input` is the body unchanged; without it, fields are the body of a change. */
async function contentOf(
  context: Context,
  input: Input,
  method: Call['method'] | undefined,
  path: string,
): Promise<Content> {
  const fields = await givenFields(context, input)
  const file = input.text('input')
  if (file !== undefined) {
    const text = await readInput(file, context.io)
    const isJson = parseJson(text) !== undefined
    return { body: text, query: fields, ...(isJson && { type: 'application/json' }) }
  }
  if (method === 'GET' || (method === undefined && fields.length === 0)) return { query: fields }
  const hasBody = fields.length > 0 || path.startsWith(PUBLIC_API)
  return { query: [], ...(hasBody && { body: bodyOf(fields) }) }
}

async function givenFields(context: Context, input: Input): Promise<Field[]> {
  const texts: Field[] = input.list('rawField').map(parseField)
  const typed = input.list('field').map(async (word): Promise<Field> => {
    const { name, value } = parseField(word)
    return { name, value: await typedValue(value, context.io) }
  })
  return [...texts, ...(await Promise.all(typed))]
}

/** Returns whether the user gave an API key as a field. */
function hasKey(body: Call['body'], query: readonly Field[]): boolean {
  return query.some(({ name }) => name === 'apikey') || (typeof body === 'object' && 'apikey' in body)
}

/**
 * Returns the credential of a route: the API key under /api/v1, otherwise the session, if there is one. Without a key, the
 * session reads under /api/v1, too.
 */
function credentialFor(
  context: Context,
  { headers, method, path }: Pick<Call, 'method' | 'path' | 'headers'>,
): Partial<Call> {
  const isRead = !isChange({ method, path })
  if (path.startsWith(PUBLIC_API) && !(isRead && !context.hasApiKey && context.hasSession)) {
    const key = resolveApiKey(context.settings, context.io, context.target)
    return { headers: { ...headers, 'x-api-key': key.value }, credential: key }
  }
  const credential = findSession(context.io, context.target)
  return credential === undefined ? {} : { token: credential.value, credential }
}

/** Returns whether the outcome is unknown without an answer. */
function isChange({ method, path }: Pick<Call, 'method' | 'path'>): boolean {
  if (method === 'GET') return false
  const [route = ''] = path.split('?')
  return !route.startsWith(PUBLIC_API) || CHANGES.has(route.slice(PUBLIC_API.length))
}
