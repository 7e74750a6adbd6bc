import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sandboxOf } from '../support/desk/desk-state.js'
import { DaemonProcess } from '../support/process/daemon-process.js'

/*
 * Requests that the API refuses. A refusal has a status, a code, a message and a request id, and changes
 * nothing.
 */
let daemon: DaemonProcess
beforeAll(async () => {
  daemon = await DaemonProcess.ready()
  await daemon.analyze(true)
})
afterAll(async () => {
  expect((await sandboxOf(daemon)).orders, 'nothing refused was executed').toEqual([])
  await daemon.dispose()
})

const JSON_TYPE = { 'content-type': 'application/json' }
const post = (body: string, headers: Record<string, string> = JSON_TYPE) =>
  daemon.send('/api/v1/placeorder', { method: 'POST', body, headers })
const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`

interface Refusal {
  what: string
  ask: () => ReturnType<DaemonProcess['send']>
  status: number
  code: string
  message: string | RegExp
}

const REFUSALS: readonly Refusal[] = [
  {
    what: 'a wrong key',
    ask: () => daemon.place({ apikey: 'f'.repeat(64) }),
    status: 403,
    code: 'invalid_key',
    message: 'Invalid svc apikey',
  },
  {
    what: 'a key of another shape',
    ask: () => daemon.place({ apikey: 'nonsense' }),
    status: 403,
    code: 'invalid_key',
    message: 'Invalid svc apikey',
  },
  {
    what: 'no key',
    ask: () => daemon.place({ apikey: undefined }),
    status: 400,
    code: 'validation',
    message: /apikey/,
  },
  {
    what: 'an unknown field',
    ask: () => daemon.place({ foo: 1 }),
    status: 400,
    code: 'validation',
    message: /foo/,
  },
  {
    what: 'no symbol',
    ask: () => daemon.place({ symbol: undefined }),
    status: 400,
    code: 'validation',
    message: /symbol/,
  },
  {
    what: 'a symbol of the wrong type',
    ask: () => daemon.place({ symbol: {} }),
    status: 400,
    code: 'validation',
    message: /symbol/,
  },
  {
    what: 'an unknown exchange',
    ask: () => daemon.place({ exchange: 'NYSE' }),
    status: 400,
    code: 'validation',
    message: /exchange/,
  },
  {
    what: 'an unknown action',
    ask: () => daemon.place({ action: 'HOLD' }),
    status: 400,
    code: 'validation',
    message: /action/,
  },
  {
    what: 'a quantity of zero',
    ask: () => daemon.place({ quantity: 0 }),
    status: 400,
    code: 'validation',
    message: /quantity/,
  },
  {
    what: 'a fraction of a share',
    ask: () => daemon.place({ quantity: 1.5 }),
    status: 400,
    code: 'validation',
    message: /quantity/,
  },
  {
    what: 'a quantity that is no number',
    ask: () => daemon.place({ quantity: 'ten' }),
    status: 400,
    code: 'validation',
    message: /quantity/,
  },
  {
    what: 'a negative price',
    ask: () => daemon.place({ price: -1 }),
    status: 400,
    code: 'validation',
    message: /[Pp]rice/,
  },
  {
    what: 'a body that is not JSON',
    ask: () => post('{"apikey":'),
    status: 400,
    code: 'validation',
    message: 'Invalid JSON',
  },
  {
    what: 'a body that is empty',
    ask: () => post(''),
    status: 400,
    code: 'validation',
    message: 'Invalid JSON',
  },
  {
    what: 'a body that is a list',
    ask: () => post('[]'),
    status: 400,
    code: 'validation',
    message: '_schema: Invalid input type.',
  },
  {
    what: 'a body that is null',
    ask: () => post('null'),
    status: 400,
    code: 'validation',
    message: '_schema: Invalid input type.',
  },
  {
    what: 'a body nested without end',
    ask: () => post(deep(50_000)),
    status: 400,
    code: 'validation',
    message: 'JSON is nested too deeply: at most 100 levels',
  },
  {
    what: 'a prototype key',
    ask: () => post(`{"apikey":"${daemon.apikey}","__proto__":{"symbol":"SBIN"}}`),
    status: 400,
    code: 'validation',
    message: 'strategy: Missing data for required field.',
  },
  {
    what: 'a body of more than 1 MiB',
    ask: () => post(`"${'x'.repeat(1_100_000)}"`),
    status: 413,
    code: 'too_large',
    message: 'The body is larger than 1048576 bytes',
  },
  {
    what: 'a body of another type',
    ask: () => post('apikey=1', { 'content-type': 'text/plain' }),
    status: 415,
    code: 'unsupported_media',
    message: 'The body must be JSON (Content-Type: application/json)',
  },
  {
    what: 'another method',
    ask: () => daemon.send('/api/v1/placeorder'),
    status: 405,
    code: 'method_not_allowed',
    message: 'Use POST here',
  },
  {
    what: 'another method of a session route',
    ask: () => daemon.request('DELETE', '/status'),
    status: 405,
    code: 'method_not_allowed',
    message: 'Use GET here',
  },
  {
    what: 'a path that does not exist',
    ask: () => daemon.request('GET', '/nowhere'),
    status: 404,
    code: 'not_found',
    message: 'Not found',
  },
  {
    what: 'an endpoint that does not exist',
    ask: () => daemon.api('placeorders'),
    status: 404,
    code: 'not_found',
    message: 'Not found',
  },
  {
    what: 'an order that does not exist',
    ask: () => daemon.api('orderstatus', { strategy: 'x', orderid: '1' }),
    status: 404,
    code: 'not_found',
    message: 'Order 1 not found',
  },
]

describe('refused', () => {
  for (const { what, ask, status, code, message } of REFUSALS) {
    it(`${what}: ${status} ${code}`, async () => {
      const reply = await ask()
      expect([reply.status, reply.code]).toEqual([status, code])
      expect(reply.body.status).toBe('error')
      if (message instanceof RegExp) expect(reply.body.message).toMatch(message)
      else expect(reply.body.message).toBe(message)
      expect(reply.headers.get('x-request-id')).toMatch(/^[0-9a-f]{8}-/)
    })
  }

  it('an order above the rate limit: 429 with the time to wait; the next second works', async () => {
    const limited = await DaemonProcess.ready({ ORDER_RATE_LIMIT: '2 per second' })
    try {
      await limited.analyze(true)
      await limited.place()
      const replies = await Promise.all([limited.place(), limited.place(), limited.place()])
      const refused = replies.find(({ status }) => status === 429)
      expect(refused?.code).toBe('rate_limited')
      expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0)
      await expect.poll(async () => (await limited.place()).status).toBe(200)
    } finally {
      await limited.dispose()
    }
  })
})
