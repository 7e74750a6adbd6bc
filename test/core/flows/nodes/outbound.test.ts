import { describe, expect, it } from 'vitest'
import { NodeError } from '../../../../src/core/flows/nodes/definition.js'
import { OUTBOUND_NODES } from '../../../../src/core/flows/nodes/outbound.js'
import type { HttpResponse } from '../../../../src/core/flows/ports.js'
import { runNode } from '../support.js'

const [httpRequest, telegramAlert, whatsappAlert] = OUTBOUND_NODES
if (!httpRequest || !telegramAlert || !whatsappAlert) throw new Error('an outbound node is missing')

const url = 'https://hooks.example.com/journal'
const OK: HttpResponse = { statusCode: 200, data: { ok: true } }
const http = () => OK
const variables = { token: 'abc', n: 50, evil: '", "admin": "yes', path: 'v1' }

describe('httpRequest sends', () => {
  it.each([
    ['GET by default, without a body', { body: 'x' }, { method: 'GET', url, headers: {}, timeoutMs: 30_000 }],
    ['DELETE without a body', { method: 'delete', body: '{}' }, { method: 'DELETE', headers: {} }],
    [
      'headers of a text',
      { headers: '{"X-Token": "{{token}}", "X-N": 5}' },
      { headers: { 'X-Token': 'abc', 'X-N': '5' } },
    ],
    ['headers of an object', { headers: { 'X-Token': 't-{{token}}' } }, { headers: { 'X-Token': 't-abc' } }],
    [
      'headers that are JSON only once filled in',
      { headers: '{"X-N": {{n}}}' },
      { headers: { 'X-N': '50' } },
    ],
    [
      'a value of a webhook into one string only',
      { headers: '{"X-Name": "{{evil}}"}' },
      { headers: { 'X-Name': '", "admin": "yes' } },
    ],
    [
      'JSON as JSON',
      { method: 'POST', body: '{"q": "{{n}}"}' },
      { body: '{"q":"50"}', headers: { 'Content-Type': 'application/json' } },
    ],
    ['JSON with a number', { method: 'PUT', body: '{"q": {{n}}}' }, { body: '{"q": 50}' }],
    [
      'JSON that nothing can be added to',
      { method: 'PATCH', body: '{"q": "{{evil}}"}' },
      { body: '{"q":"\\", \\"admin\\": \\"yes"}' },
    ],
    ['nothing as an empty object', { method: 'POST', body: ' ' }, { body: '{}' }],
    ['other text unchanged', { method: 'POST', body: 'n={{n}}' }, { body: 'n=50', headers: {} }],
    ['an object as JSON', { method: 'POST', body: { q: '{{n}}' } }, { body: '{"q":"50"}' }],
    [
      'the type the user names',
      { method: 'POST', body: '{}', headers: { 'content-type': 'application/x-ndjson' } },
      { headers: { 'content-type': 'application/x-ndjson' }, body: '{}' },
    ],
    ['to a URL with variables', { url: 'https://a.example/{{path}}' }, { url: 'https://a.example/v1' }],
    ['with the given timeout', { timeout: 5000 }, { timeoutMs: 5000 }],
    ['with the default timeout', { timeout: '-1' }, { timeoutMs: 30_000 }],
    ['with the longest timeout', { timeout: 90_000 }, { timeoutMs: 60_000 }],
  ])('%s', async (_what, data, sent) => {
    const { result, ports } = await runNode(httpRequest, { url, ...data }, { http, variables })

    expect(ports.requests).toHaveLength(1)
    expect(ports.requests[0]).toMatchObject(sent)
    if (!('body' in sent)) expect(ports.requests[0]).not.toHaveProperty('body')
    expect(result).toEqual({ status: 'success', ...OK })
  })
})

const DEEP = '['.repeat(30_000) + ']'.repeat(30_000)
const TOO_DEEP = 'The value is nested too deeply: at most 100 levels'

describe('httpRequest refuses before anything is sent', () => {
  it.each([
    ['a body', { method: 'POST', body: DEEP.replace('[]', '["{{n}}"]') }],
    ['headers', { headers: DEEP.replace('[]', '["{{n}}"]') }],
  ])('%s nested too deeply', async (_name, data) => {
    const { failure, ports } = await runNode(httpRequest, { url, ...data }, { http, variables })
    expect(failure).toBe(TOO_DEEP)
    expect(ports.requests).toEqual([])
  })

  it.each([
    [{ url: '' }, 'No URL specified'],
    [{ method: 'TRACE' }, 'Unsupported method: TRACE'],
    [{ headers: '{x' }, /^headers is not valid JSON: /],
    [{ headers: '[1]' }, 'headers must be a JSON object, got array'],
    [{ headers: '7' }, 'headers must be a JSON object, got number'],
    [{ headers: ['a'] }, 'headers must be a JSON object, got array'],
    [{ timeout: 'soon' }, "timeout did not resolve to a number: 'soon'"],
    [
      { url: 'ftp://files.example' },
      "refusing to send this request: scheme 'ftp' is not allowed; use http or https",
    ],
    [{ url: 'hooks.example.com/x' }, 'refusing to send this request: URL has no host'],
    [{ url: 'localhost:80/x' }, 'refusing to send this request: URL has no host'],
    [{ url: 'http:///etc' }, 'refusing to send this request: URL has no host'],
  ])('%j: %s', async (data, message) => {
    const { failure, ports } = await runNode(httpRequest, { url, ...data }, { http })

    expect(failure).toMatch(message)
    expect(ports.requests).toEqual([])
  })
})

it.each([204, 299])('a response of %i is a success', async (statusCode) => {
  const { result } = await runNode(httpRequest, { url }, { http: () => ({ statusCode, data: '' }) })

  expect(result?.status).toBe('success')
})

it.each([199, 302, 404, 500])('a response of %i is stored, and ends the branch', async (statusCode) => {
  const { result, failure } = await runNode(
    httpRequest,
    { url },
    { http: () => ({ statusCode, data: 'no' }) },
  )

  expect(failure).toBeUndefined()
  expect(result).toMatchObject({ status: 'error', statusCode, data: 'no' })
  expect(result?.message).toBe(`The server answered ${statusCode}`)
})

it('a network failure stores nothing', async () => {
  const { failure } = await runNode(
    httpRequest,
    { url },
    {
      http: () => {
        throw new NodeError('HTTP request failed: connect ECONNREFUSED')
      },
    },
  )

  expect(failure).toBe('HTTP request failed: connect ECONNREFUSED')
})

it('the log shows neither credentials nor the query', async () => {
  const secret = 'https://asha:hunter2@hooks.example.com:8443/a/b?key=s3cret#frag'
  const { logs } = await runNode(httpRequest, { url: secret }, { http })

  expect(logs).toEqual([{ level: 'info', message: 'HTTP GET https://hooks.example.com:8443/a/b?<redacted>' }])
})

describe('telegramAlert', () => {
  it('queues the text under a heading, with the time', async () => {
    const { result, ports } = await runNode(telegramAlert, { message: 'Sold {{n}}' }, { variables })

    expect(ports.messages).toEqual([{ channel: 'telegram', text: 'Flow Alert\n\nSold 50\n\n11:00:00 IST' }])
    expect(result).toEqual({ status: 'success', data: { message: 'Alert queued successfully' } })
  })

  it("cuts text beyond Telegram's limit", async () => {
    const { ports } = await runNode(telegramAlert, { message: 'x'.repeat(5000) })

    expect(ports.messages[0]?.text).toHaveLength(4096)
    expect(ports.messages[0]?.text).toMatch(/x\n\n11:00:00 IST$/)
  })

  it('fails if the message is not accepted', async () => {
    const telegram = () => {
      throw new NodeError('Telegram bot is stopped')
    }

    expect((await runNode(telegramAlert, { message: 'x' }, { telegram })).failure).toBe(
      'Telegram bot is stopped',
    )
  })
})

describe('whatsappAlert', () => {
  it.each([
    ['', ''],
    ['+91 98765-43210', '919876543210'],
  ])('to %j goes to %j', async (to, digits) => {
    const { result, ports } = await runNode(whatsappAlert, { message: 'Sold', to })

    expect(ports.messages).toEqual([{ channel: 'whatsapp', text: 'Sold', to: digits }])
    expect(result?.status).toBe('success')
  })

  it.each(['12', '1234567890123456', 'me'])('%s is not a phone number', async (to) => {
    const { failure, ports } = await runNode(whatsappAlert, { message: 'Sold', to })

    expect(failure).toBe(`Invalid WhatsApp phone number: ${to}`)
    expect(ports.messages).toEqual([])
  })

  it('fails if the message was not accepted', async () => {
    const whatsapp = () => {
      throw new NodeError('not paired')
    }

    expect((await runNode(whatsappAlert, { message: 'x' }, { whatsapp })).failure).toBe('not paired')
  })
})

it.each([telegramAlert, whatsappAlert])('$type sends nothing without a text', async (definition) => {
  const { failure, ports } = await runNode(
    definition,
    { message: '{{nothing}}' },
    { variables: { nothing: ' ' } },
  )

  expect(failure).toBe('No message specified')
  expect(ports.messages).toEqual([])
})
