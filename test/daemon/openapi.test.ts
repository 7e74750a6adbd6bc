import { describe, expect, test } from 'vitest'
import type { z } from 'zod'
import type { ErrorCode } from '../../src/core/errors/index.js'
import { SCOPES, type Scope } from '../../src/core/identity/index.js'
import { STATUS_OF_CODE } from '../../src/daemon/http/response/error-status.js'
import type { DocumentedResponse, Reference } from '../../src/daemon/openapi/document.js'
import { openApiDocument } from '../../src/daemon/openapi/index.js'
import { ALL_OPERATION_LIST, type NamedOperation as Operation } from '../../src/daemon/operations/all.js'
import { errorBody } from '../../src/daemon/operations/common/answers.js'
import { commonErrors } from '../../src/daemon/operations/named.js'
import { API_ROUTES } from '../support/desk/api-routes.js'
import { bearer, HttpDesk } from '../support/desk/http-desk.js'
import type { Exchange } from './openapi/conversation.js'
import { everythingAsked } from './openapi/topics.js'

const document = await openApiDocument(ALL_OPERATION_LIST, { version: '1', cookieName: 'session' })
const nameOf = ({ method, path }: { method: string; path: string }) => `${method} ${path}`

/** Their credential is a secret of their own, which no other client has. */
const HOOKS = ['POST /api/v1/telegram/webhook', 'POST /whatsapp/webhook']

test('every route is described, and nothing else', async () => {
  const { app } = await HttpDesk.open()
  const routes = app.routes.filter(({ method }) => method !== 'ALL').map(nameOf)
  expect(ALL_OPERATION_LIST.map(nameOf).sort()).toEqual([...new Set(routes)].sort())
})

/** Each takes minutes on a busy machine, so each has a test of its own. */
const ASKED = { live: once(() => everythingAsked('live')), analyze: once(() => everythingAsked('analyze')) }

/** Returns a function that calls `work` for its first call only. */
function once<T>(work: () => Promise<T>): () => Promise<T> {
  let answer: Promise<T> | undefined
  return () => {
    answer ??= work()
    return answer
  }
}

test.each(['live', 'analyze'] as const)('every answer in %s mode is as described', async (mode) => {
  expect((await ASKED[mode]()).map(faultIn).filter(Boolean)).toEqual([])
})

test('every operation is asked, and every code is answered', async () => {
  const exchanges = [...(await ASKED.live()), ...(await ASKED.analyze())]
  const succeeded = new Set(
    exchanges.filter(({ code }) => code === null).map(({ operation }) => nameOf(operation)),
  )
  const neverDone = ALL_OPERATION_LIST.map(nameOf).filter((name) => !succeeded.has(name))
  // Streams without an end have tests of their own, so have the calls that only a broker can prove, and so has the release of a run that no start could restore.
  expect(neverDone).toEqual([
    'GET /:broker/callback',
    'POST /:broker/postback',
    'GET /flow/api/workflows/:id/follow',
    'POST /strategy/api/strategies/:id/runs/:run/release',
    'GET /mcp',
  ])

  const codes = new Set(exchanges.map(({ code }) => code))
  expect([...codes]).toEqual(
    expect.arrayContaining([
      ...['validation', 'refused', 'risk_refused', 'kill_switch', 'not_pending', 'conflict'],
      ...['unauthenticated', 'forbidden', 'invalid_key', 'not_found', 'broker_rejected', 'outcome_unknown'],
    ]),
  )
})

/** Returns what the document does not describe about an exchange; undefined if it describes everything. */
function faultIn({ mode, operation, sent, status, code, type, answer }: Exchange): string | undefined {
  const where = `${mode} ${nameOf(operation)} ${status} ${code ?? ''} ${sent}`
  if (code !== null && !isKnownRefusal(operation, code)) return `${where}: code not described`
  if (status === 302 && operation.status === 302) return undefined
  // Some answers of OAuth have no body.
  if (type === '' && answer === '' && !operation.answers[status]) return undefined
  if (type !== 'application/json') {
    return [operation.answerText].flat().some((known) => known === type) ? undefined : `${where}: ${type}`
  }
  const own = operation.answers[status]
  const schemas = [...(own ? [own] : []), ...(code === null ? [] : [errorBody])]
  if (schemas.length === 0) return `${where}: status not described`
  const problems = schemas.map((schema) => problemWith(schema, answer))
  return problems.includes(undefined)
    ? undefined
    : `${where}: ${problems.join(' / ')} in ${JSON.stringify(answer)}`
}

const isKnownRefusal = (operation: Operation, code: string) =>
  [...commonErrors(operation), ...(operation.errors ?? [])].some((known) => known === code)

function problemWith(schema: z.ZodType, value: unknown): string | undefined {
  const result = schema.safeParse(value)
  return result.success ? undefined : JSON.stringify(result.error.issues)
}

describe('a credential', () => {
  const bodyOf = ({ method, body, path }: Operation) => {
    const sound = API_ROUTES.find((route) => route.method === method && path === `/api/v1/${route.path}`)
    return body && method !== 'GET' ? { body: sound?.body ?? { x: 1 } } : {}
  }
  const call = (http: HttpDesk, operation: Operation, headers: Record<string, string> = {}) =>
    http.request(operation.method, operation.path.replace(/:\w+/g, '0'), { headers, ...bodyOf(operation) })

  test('is required where the document says so, and nowhere else', async () => {
    const http = await HttpDesk.open()
    for (const operation of ALL_OPERATION_LIST) {
      const { code } = await call(http, operation, { 'x-api-key': 'x'.repeat(64) })
      const asked = { session: 'unauthenticated', apikey: 'invalid_key' } as const
      if (operation.auth !== 'none') expect(code, nameOf(operation)).toBe(asked[operation.auth])
      else if (!HOOKS.includes(nameOf(operation)))
        expect(['unauthenticated', 'invalid_key']).not.toContain(code)
    }
  })

  test('without the scopes of an operation does not open it', async () => {
    const http = await HttpDesk.open()
    const all = Object.keys(SCOPES) as Scope[]
    for (const operation of ALL_OPERATION_LIST) {
      const { scopes } = operation
      if (!scopes) continue
      const token = await http.tokenOf(...all.filter((scope) => scope !== 'admin' && !scopes.includes(scope)))
      expect(await call(http, operation, bearer(token)), nameOf(operation)).toMatchObject({
        status: 403,
        code: 'forbidden',
      })
    }
  })
})

/** Returns the description of a response and follows a reference to a shared one. */
function sentenceOf(response: DocumentedResponse | Reference | undefined): string {
  if (!response) return ''
  if (!('$ref' in response)) return response.description
  return document.components.responses[response.$ref.split('/').at(-1) ?? '']?.description ?? ''
}

describe('the document', () => {
  const described = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, ...operation })),
  )

  test('gives each operation a name of its own', () => {
    const ids = described.map(({ operationId }) => operationId)
    expect(new Set(ids).size).toBe(ALL_OPERATION_LIST.length)
    expect(ids.every((id) => /^[a-z][A-Za-z0-9]*$/.test(id))).toBe(true)
  })

  test('declares the placeholders of every path', () => {
    for (const { path, parameters = [] } of described) {
      const named = parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name)
      expect(named).toEqual([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name))
    }
  })

  test('refers only to its own components', () => {
    for (const [, pointer = ''] of JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)) {
      const found = pointer.split('/').reduce<unknown>((node, key) => Object(node)[key], document)
      expect(found, pointer).toBeTypeOf('object')
    }
  })

  test('describes the accepted values of every request field', () => {
    const silent = described.flatMap(({ operationId, parameters = [], requestBody }) => {
      const body = requestBody?.content['application/json']?.schema.properties ?? {}
      const fields = [
        ...parameters.map(({ name, schema }) => [name, schema] as const),
        ...Object.entries(body),
      ]
      return fields.flatMap(([name, { type, enum: values, anyOf, const: only }]) =>
        [type, values, anyOf, only].some((told) => told !== undefined) ? [] : [`${operationId}.${name}`],
      )
    })
    expect(silent).toEqual([])
  })

  test('has examples that its own routes accept', () => {
    for (const operation of ALL_OPERATION_LIST) {
      if (!operation.body || operation.example === undefined) continue
      expect(problemWith(operation.body, operation.example), nameOf(operation)).toBeUndefined()
    }
  })

  test('describes a response of every operation, and a sentence for each', () => {
    for (const { operationId, responses } of described) {
      expect(
        Object.keys(responses).some((status) => /^2|^302$/.test(status)),
        operationId,
      ).toBe(true)
      expect(
        Object.values(responses).every((response) => sentenceOf(response) !== ''),
        operationId,
      ).toBe(true)
    }
  })

  test('files refusals under the status they usually have', () => {
    const { responses = {} } = document.paths['/api/v1/placeorder']?.post ?? {}
    for (const code of ['kill_switch', 'conflict', 'outcome_unknown'] satisfies ErrorCode[]) {
      expect(sentenceOf(responses[STATUS_OF_CODE[code]])).toContain(code)
    }
  })

  test('does not require the key, because a header may carry it', () => {
    const schema =
      document.paths['/api/v1/placeorder']?.post?.requestBody?.content['application/json']?.schema
    expect(schema?.properties).toHaveProperty('apikey')
    expect(schema?.required).toEqual(['strategy', 'exchange', 'symbol', 'action', 'quantity'])
    expect(schema?.properties?.quantity?.type).toEqual(['number', 'string'])
  })
})
