import { setImmediate } from 'node:timers/promises'
import type { z } from 'zod'
import { ERROR_CODES, type ErrorCode } from '../../core/errors/index.js'
import { SCOPES } from '../../core/identity/index.js'
import { fields } from '../../core/validation/index.js'
import { STATUS_OF_CODE } from '../http/response/error-status.js'
import { errorBody } from '../operations/common/answers.js'
import { type Auth, REQUEST_HEADERS, TAGS } from '../operations/facts.js'
import { commonErrors, type NamedOperation } from '../operations/named.js'
import type { Fresh } from '../operations/operation.js'
import { answerSchema, type JsonSchema, requestSchema } from './json-schema.js'

interface MediaType {
  schema: JsonSchema
  example?: unknown
}
export interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  required: boolean
  description?: string
  schema: JsonSchema
  example?: unknown
}
export interface DocumentedResponse {
  description: string
  headers?: Record<string, Reference>
  content?: Record<string, MediaType>
}
export interface Reference {
  $ref: string
}
export interface DocumentedOperation {
  operationId: string
  tags: string[]
  summary: string
  description?: string
  security: Record<string, string[]>[]
  parameters?: Parameter[]
  requestBody?: { required: boolean; content: Record<string, MediaType> }
  responses: Record<string, DocumentedResponse | Reference>
}
export interface OpenApiDocument {
  openapi: '3.1.1'
  info: { title: string; version: string; description: string }
  servers: { url: string }[]
  tags: { name: string; description: string }[]
  paths: Record<string, Record<string, DocumentedOperation>>
  components: {
    schemas: { Error: JsonSchema }
    /** The refusals, each shared by many operations. */
    responses: Record<string, DocumentedResponse>
    headers: Record<string, unknown>
    securitySchemes: Record<string, unknown>
  }
}

type Refusals = OpenApiDocument['components']['responses']

const ERROR = '#/components/schemas/Error'
const DESCRIPTION = [
  'Order routing and trading automation. Numbers may be sent as text; unknown fields are refused.',
  'Every response has X-Request-Id. Every refusal has X-Svc-Code, the error code: rely on it and not on the status, because the status',
  'of a broker is passed through. Dates without a zone are Indian time.',
].join(' ')

/**
 * Returns the OpenAPI 3.1 document of the operations, built from the schemas with which their routes parse.
 * It takes a tenth of a second in all and lets the event loop serve requests between two operations.
 */
export async function openApiDocument(
  operations: readonly NamedOperation[],
  { version, cookieName }: { version: string; cookieName: string },
): Promise<OpenApiDocument> {
  const paths: OpenApiDocument['paths'] = {}
  const refusals: Refusals = {}
  for (const operation of operations) {
    await setImmediate()
    const path = operation.path.replace(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [operation.method.toLowerCase()]: documented(operation, refusals) }
  }
  return {
    openapi: '3.1.1',
    info: { title: 'svc', version, description: DESCRIPTION },
    servers: [{ url: '/' }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas: { Error: answerSchema(errorBody) },
      responses: refusals,
      headers: HEADERS,
      securitySchemes: securitySchemes(cookieName),
    },
  }
}

const header = (description: string, type: string) => ({ description, schema: { type } })
const HEADERS = {
  'X-Request-Id': header('The id of the request, for bug reports.', 'string'),
  'X-Svc-Code': header('The error code of the refusal.', 'string'),
  'X-Order-Ref': header('The reference of the order in this service.', 'string'),
  'Retry-After': header('Seconds to wait before a retry.', 'integer'),
}
const headersNamed = (...names: (keyof typeof HEADERS)[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))

const securitySchemes = (cookieName: string) => ({
  apiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'X-API-KEY',
    description:
      'The key can also be sent as apikey in the body (of a GET: in the query), which takes precedence.',
  },
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description: `A session token (all scopes) or a personal access token with a scope: ${Object.keys(SCOPES).join(', ')}.`,
  },
  cookie: {
    type: 'apiKey',
    in: 'cookie',
    name: cookieName,
    description: 'A session. Requests that change something also need X-CSRF-Token.',
  },
})

function documented(operation: NamedOperation, refusals: Refusals): DocumentedOperation {
  const parameters = parametersOf(operation)
  const requestBody = requestBodyOf(operation)
  return {
    operationId: operationId(operation),
    tags: [operation.tag],
    summary: operation.summary,
    ...(operation.fresh !== undefined && { description: freshNote(operation.fresh) }),
    security: securityOf(operation),
    ...(parameters.length > 0 && { parameters }),
    ...(requestBody && { requestBody }),
    responses: responsesOf(operation, refusals),
  }
}

/** Returns the sentence about the proof that a session needs besides. */
function freshNote(fresh: Fresh): string {
  if (fresh === 'in the request') return 'The request itself proves who the user is.'
  const proof = 'needs a sign-in or POST /auth/reauthenticate within the last REAUTH_MINUTES'
  if (fresh === true) return `A session ${proof}.`
  const requests = Object.entries(fresh).map(([name, values]) =>
    values === 'any' ? `${name} is given` : `${name} is ${values.join(' or ')}`,
  )
  return `If ${requests.join(' or ')}, a session ${proof}.`
}

/** Returns a stable name for generated clients: `placeorder`, `getChart`, `deleteAuthTokensId`. */
function operationId({ method, path }: Pick<NamedOperation, 'method' | 'path'>): string {
  const isApi = path.startsWith('/api/v1/')
  const words = path
    .replace('/api/v1/', '')
    .split(/[\W_]+/)
    .filter(Boolean)
  if (words.length === 0) words.push('root')
  const all = isApi && method === 'POST' ? words : [method.toLowerCase(), ...words]
  return all.map((word, place) => (place === 0 ? word : word[0]?.toUpperCase() + word.slice(1))).join('')
}

/** Returns the accepted credentials. Any one of them is enough. */
function securityOf({ auth, changes, scopes }: NamedOperation): Record<string, string[]>[] {
  if (auth === 'none') return []
  // The empty one: the key may also be a field of the body or the query.
  if (auth === 'apikey') return [{ apiKey: [] }, ...(changes ? [] : [{ bearer: ['read'] }]), {}]
  const tokens = scopes?.map((scope) => ({ bearer: [scope] })) ?? [{ bearer: [] }]
  return [...tokens, { cookie: [] }]
}

function parametersOf({ auth, params, query, headers, body, example }: NamedOperation): Parameter[] {
  const text = { type: 'string' }
  const inPath = Object.entries(params ?? {}).map(
    ([name, description]): Parameter => ({ name, in: 'path', required: true, description, schema: text }),
  )
  const inHeader = (headers ?? []).map(
    (name): Parameter => ({
      name,
      in: 'header',
      required: false,
      description: REQUEST_HEADERS[name],
      schema: text,
    }),
  )
  const inQuery = query ? queryParameters(query, auth, body ? undefined : example) : []
  return [...inPath, ...inQuery, ...inHeader]
}

function queryParameters(query: z.ZodType, auth: Auth, example: unknown): Parameter[] {
  const { properties = {}, required = [] } = withKey(requestSchema(query), auth)
  const shown = new Map<string, unknown>(Object.entries(Object(example)))
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema,
    ...(shown.has(name) && { example: shown.get(name) }),
  }))
}

function requestBodyOf({ auth, body, bodyForm, bodyOptional, bodyText, example }: NamedOperation) {
  if (!body && bodyText === undefined) return undefined
  const content: Record<string, MediaType> = {}
  if (body) {
    // An example carries no key: one in the body would win over the key that the reader has set as a header.
    content['application/json'] = { schema: withKey(requestSchema(body), auth), example: example ?? {} }
  }
  if (bodyText !== undefined) content[bodyText] = { schema: { type: 'string' } }
  if (bodyForm) content['multipart/form-data'] = { schema: formSchema(bodyForm) }
  return { required: body !== undefined && !bodyOptional, content }
}

/** Returns the schema of a form, whose fields are texts or text files. */
function formSchema(form: NonNullable<NamedOperation['bodyForm']>): JsonSchema {
  const properties = Object.entries(form).map(([name, description]) => [
    name,
    { type: 'string', description },
  ])
  return { type: 'object', properties: Object.fromEntries(properties) }
}

/**
 * Adds the API key to a payload. Its field is never required, because the key may come as a header instead.
 */
function withKey(schema: JsonSchema, auth: Auth): JsonSchema {
  if (auth !== 'apikey') return schema
  const apikey = { ...KEY, description: 'The API key, unless it is sent as X-API-KEY.' }
  return { ...schema, properties: { apikey, ...schema.properties } }
}

const KEY = requestSchema(fields.apiKeyField())

function responsesOf(operation: NamedOperation, refusals: Refusals): DocumentedOperation['responses'] {
  const { answers, answerText, status, tag } = operation
  const content: Record<string, Record<string, MediaType>> = {}
  for (const [status, schema] of Object.entries(answers)) {
    content[status] = { 'application/json': { schema: answerSchema(schema) } }
  }
  for (const type of [answerText ?? []].flat()) {
    content[200] = { ...content[200], [type]: { schema: { type: 'string' } } }
  }
  if (status === 302) content[302] = {}

  const isOrder = tag === 'Orders' || tag === 'Good till triggered'
  const headers = headersNamed('X-Request-Id', ...(isOrder ? (['X-Order-Ref'] as const) : []))
  const responses: DocumentedOperation['responses'] = {}
  for (const [status, media] of Object.entries(content)) {
    responses[status] = { description: DESCRIPTIONS[status] ?? 'Refused', headers, content: media }
  }
  for (const [status, codes] of errorsByStatus(operation)) {
    const own = content[status]?.['application/json']?.schema
    const description = codes.map((code) => `${code}: ${ERROR_CODES[code].meaning}`).join(' ')
    responses[status] = own ? refusal(description, own) : shared(codes.join('-'), description, refusals)
  }
  responses.default = shared(
    'other',
    'Any other refusal, such as that of a broker with its own status.',
    refusals,
  )
  return responses
}

const DESCRIPTIONS: Readonly<Record<string, string>> = {
  200: 'Success',
  201: 'Created',
  302: 'Redirect',
  503: 'Not ready',
}

function refusal(description: string, own?: JsonSchema): DocumentedResponse {
  const error: JsonSchema = { $ref: ERROR }
  const schema = own ? { anyOf: [own, error] } : error
  const headers = headersNamed('X-Request-Id', 'X-Svc-Code', 'Retry-After')
  return { description, headers, content: { 'application/json': { schema } } }
}

/** Returns a reference to a refusal and adds the refusal to the document once. */
function shared(name: string, description: string, refusals: Refusals): Reference {
  refusals[name] ??= refusal(description)
  return { $ref: `#/components/responses/${name}` }
}

/** Returns the error codes of an operation by their usual status. */
function errorsByStatus(operation: NamedOperation): Map<number, ErrorCode[]> {
  const byStatus = new Map<number, ErrorCode[]>()
  for (const code of new Set([...commonErrors(operation), ...(operation.errors ?? [])])) {
    const status = STATUS_OF_CODE[code]
    byStatus.set(status, [...(byStatus.get(status) ?? []), code])
  }
  return new Map([...byStatus].sort(([a], [b]) => a - b))
}
