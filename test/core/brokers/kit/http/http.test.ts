import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { BrokerError } from '../../../../../src/core/brokers/broker.js'
import { CallBudgets } from '../../../../../src/core/brokers/kit/budget/call-budgets.js'
import { BrokerHttp } from '../../../../../src/core/brokers/kit/http/http.js'
import type { BrokerHttpRequest } from '../../../../../src/core/brokers/kit/http/request.js'
import { textOfFile } from '../../../../../src/core/brokers/kit/http/response.js'
import { type Clock, SystemClock, VirtualClock } from '../../../../../src/core/time/index.js'
import { eventually } from '../../../../support/eventually.js'

const SECRET = 'sesame-open-now'
const closers: (() => void)[] = []
afterEach(() => {
  for (const close of closers.splice(0)) close()
})

type Handler = (request: IncomingMessage, response: ServerResponse, body: string) => void

/** A server that responds as the case defines; `seen` lists the requests it received. */
async function serve(handler: Handler): Promise<{ baseUrl: string; seen: string[] }> {
  const seen: string[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (part) => {
      body += part
    })
    request.on('end', () => {
      seen.push(`${request.method} ${request.url} ${body}`.trim())
      handler(request, response, body)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closers.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return { baseUrl: `http://127.0.0.1:${portOf(server.address())}`, seen }
}

function portOf(address: AddressInfo | string | null): number {
  return typeof address === 'object' && address ? address.port : 0
}

async function freePort(): Promise<number> {
  const server = createTcpServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const port = portOf(server.address())
  await new Promise((resolve) => server.close(resolve))
  return port
}

function httpOn(
  baseUrl: string,
  headers: Record<string, string> = { Authorization: `token ${SECRET}` },
  clock: Clock = new SystemClock(),
) {
  const budgets = new CallBudgets({}, clock)
  return new BrokerHttp({ clock, budgets, baseUrl, headers, secrets: [SECRET], timeoutMs: 5000 })
}

async function failure(http: BrokerHttp, request: BrokerHttpRequest): Promise<BrokerError> {
  const thrown: unknown = await http.send(request).catch((error: unknown) => error)
  if (!(thrown instanceof BrokerError)) throw new Error(`expected a BrokerError, got ${String(thrown)}`)
  expect(`${thrown.message} ${thrown.stack} ${String(thrown.cause)}`).not.toContain(SECRET)
  return thrown
}

const POST: BrokerHttpRequest = { method: 'POST', path: '/orders', form: { a: '1' } }
const GET: BrokerHttpRequest = { method: 'GET', path: '/orders' }

describe('two hosts of a broker', () => {
  it('share the budget of a class', async () => {
    const clock = new VirtualClock(0)
    const budgets = new CallBudgets({ other: [{ count: 2, perMs: 900 }] }, clock)
    const [one, two] = await Promise.all([
      serve((_request, response) => response.end('{}')),
      serve((_request, response) => response.end('{}')),
    ])
    const [first, second] = [one, two].map(
      ({ baseUrl }) => new BrokerHttp({ clock, budgets, baseUrl, headers: {}, secrets: [], timeoutMs: 5000 }),
    )
    await Promise.all([first?.send(GET), second?.send(GET)])
    const third = second?.send(GET)
    expect(budgets.stats()).toMatchObject([{ waiting: 1 }])
    await clock.advance(1000)
    await third
    expect([one.seen.length, two.seen.length]).toEqual([1, 2])
  })
})

describe('an answer that is too large', () => {
  const tooLarge = (status: number, headers: Record<string, string> = {}) =>
    serve((_request, response) => {
      response.writeHead(status, headers)
      // More than its sockets hold: the client must end it.
      for (let megabytes = 0; megabytes < 3; megabytes++) response.write('x'.repeat(1024 * 1024))
    })
  const LIMITED = { largestBytes: 1024 * 1024 }

  it.each([200, 400, 422])(
    'proves nothing of an order, whatever its status (%i), and is not read',
    async (status) => {
      const { baseUrl, seen } = await tooLarge(status)
      expect(await failure(httpOn(baseUrl), { ...POST, ...LIMITED })).toMatchObject({
        kind: 'protocol',
        sent: 'maybe',
        message: 'POST /orders: the answer is larger than 1 megabytes',
      })
      expect(seen).toHaveLength(1)
    },
  )

  it('is refused by its length alone, and a read is not repeated', async () => {
    const { baseUrl, seen } = await tooLarge(200, { 'content-length': String(10 * 1024 * 1024) })
    expect(await failure(httpOn(baseUrl), { ...GET, ...LIMITED })).toMatchObject({ kind: 'protocol' })
    expect(seen).toEqual(['GET /orders'])
  })

  it('counts unpacked', async () => {
    const { baseUrl } = await serve((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' })
      response.end(gzipSync('x'.repeat(2 * 1024 * 1024)))
    })
    expect(await failure(httpOn(baseUrl), { ...GET, ...LIMITED })).toMatchObject({ kind: 'protocol' })
  })

  it('is any above 32 megabytes, where a call says nothing', async () => {
    const { baseUrl } = await tooLarge(200, { 'content-length': String(32 * 1024 * 1024 + 1) })
    expect(await failure(httpOn(baseUrl), POST)).toMatchObject({ kind: 'protocol', sent: 'maybe' })
  })
})

describe('a request that was never sent', () => {
  it('to a port that refuses the connection', async () => {
    const error = await failure(httpOn(`http://127.0.0.1:${await freePort()}`), POST)
    expect(error).toMatchObject({ kind: 'network', sent: 'never', message: 'POST /orders: ECONNREFUSED' })
  })

  it('to a host with several addresses that all refuse', async () => {
    expect(await failure(httpOn(`http://localhost:${await freePort()}`), POST)).toMatchObject({
      sent: 'never',
    })
  })

  it('to a name that does not resolve', async () => {
    expect(await failure(httpOn('http://nowhere.invalid'), POST)).toMatchObject({
      kind: 'network',
      sent: 'never',
    })
  })

  it('with an invalid header is refused before sending, and the error does not show the header', async () => {
    const { baseUrl, seen } = await serve((_request, response) => response.end())
    const http = httpOn(baseUrl, { Authorization: `token ${SECRET}\nevil` })
    expect(await failure(http, POST)).toMatchObject({ kind: 'validation', sent: 'never' })
    expect(seen).toEqual([])
  })

  it('after closing', async () => {
    const { baseUrl, seen } = await serve((_request, response) => response.end())
    const http = httpOn(baseUrl)
    http.close()
    expect(await failure(http, POST)).toMatchObject({ sent: 'never' })
    expect(seen).toEqual([])
  })
})

describe('a request that may have arrived', () => {
  it('a connection cut before the response: sent once, in doubt', async () => {
    const { baseUrl, seen } = await serve((request) => request.socket.destroy())
    expect(await failure(httpOn(baseUrl), POST)).toMatchObject({ kind: 'network', sent: 'maybe' })
    expect(seen).toEqual(['POST /orders a=1'])
  })

  it('a truncated body: sent once, in doubt', async () => {
    const { baseUrl, seen } = await serve((request, response) => {
      response.writeHead(200, { 'content-length': '100' })
      response.write('{"status"', () => request.socket.destroy())
    })
    expect(await failure(httpOn(baseUrl), POST)).toMatchObject({ kind: 'network', sent: 'maybe' })
    expect(seen).toHaveLength(1)
  })

  it('no response in time, by the given clock: sent once, in doubt', async () => {
    const clock = new VirtualClock('2025-09-04T10:00:00+05:30')
    let arrived = () => {}
    const arrival = new Promise<void>((resolve) => {
      arrived = resolve
    })
    const { baseUrl, seen } = await serve(() => arrived())
    const outcome = failure(httpOn(baseUrl, {}, clock), POST)
    await arrival
    await clock.advance(5000)
    expect(await outcome).toMatchObject({ sent: 'maybe', message: 'POST /orders: no answer within 5000 ms' })
    expect(seen).toHaveLength(1)
    expect(clock.pending).toBe(0)
  })

  it('the timeout includes the body', async () => {
    const clock = new VirtualClock('2025-09-04T10:00:00+05:30')
    const { baseUrl } = await serve((_request, response) => {
      response.writeHead(200, { 'content-length': '100' })
      response.write('{', () => void clock.advance(5000))
    })
    expect(await failure(httpOn(baseUrl, {}, clock), POST)).toMatchObject({ sent: 'maybe' })
  })

  it('closing while it waits leaves it in doubt', async () => {
    let http: BrokerHttp | undefined
    const { baseUrl } = await serve(() => http?.close())
    http = httpOn(baseUrl)
    expect(await failure(http, POST)).toMatchObject({ sent: 'maybe' })
  })
})

describe('reads', () => {
  it('a GET whose connection failed is repeated once, immediately', async () => {
    let calls = 0
    const { baseUrl, seen } = await serve((request, response) => {
      if (++calls === 1) request.socket.destroy()
      else response.end('fine')
    })
    expect((await httpOn(baseUrl).send(GET)).text).toBe('fine')
    expect(seen).toEqual(['GET /orders', 'GET /orders'])
  })

  it('but not a third time', async () => {
    const { baseUrl, seen } = await serve((request) => request.socket.destroy())
    await failure(httpOn(baseUrl), GET)
    expect(seen).toHaveLength(2)
  })

  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'] as const) {
    it(`a ${method} is never repeated`, async () => {
      const { baseUrl, seen } = await serve((request) => request.socket.destroy())
      await failure(httpOn(baseUrl), { method, path: '/orders/1' })
      expect(seen).toHaveLength(1)
    })
  }
})

describe('requests and responses', () => {
  it('every status is a response; redirects are not followed', async () => {
    const { baseUrl, seen } = await serve((_request, response) => {
      response.writeHead(307, { location: '/elsewhere', 'retry-after': '3' }).end('moved')
    })
    const answer = await httpOn(baseUrl).send(POST)
    expect([answer.status, answer.text, answer.header('retry-after'), answer.header('x-none')]).toEqual([
      307,
      'moved',
      '3',
      undefined,
    ])
    expect(seen).toHaveLength(1)
  })

  it('a query repeats the names of lists and escapes values; JSON and forms have their content type', async () => {
    const types: (string | undefined)[] = []
    const { baseUrl, seen } = await serve((request, response) => {
      types.push(request.headers['content-type'])
      response.end()
    })
    const http = httpOn(baseUrl)
    await http.send({ method: 'GET', path: '/quote', query: { i: ['NSE:M&M', 'NSE:NIFTY 50'] } })
    await http.send({ method: 'POST', path: '/form', form: { symbol: 'M&M' } })
    await http.send({ method: 'POST', path: '/json', json: [{ a: 1 }] })
    await http.send({ method: 'PATCH', path: '/part', json: { a: 2 } })
    await http.send({
      method: 'POST',
      path: '/bytes',
      bytes: { type: 'application/octet-stream', content: new Uint8Array([97, 98]) },
    })
    expect(seen).toEqual([
      'GET /quote?i=NSE%3AM%26M&i=NSE%3ANIFTY+50',
      'POST /form symbol=M%26M',
      'POST /json [{"a":1}]',
      'PATCH /part {"a":2}',
      'POST /bytes ab',
    ])
    expect(types).toEqual([
      undefined,
      'application/x-www-form-urlencoded',
      'application/json',
      'application/json',
      'application/octet-stream',
    ])
  })

  it('secrets are removed from texts, also if they are percent-encoded', () => {
    const clock = new SystemClock()
    const http = new BrokerHttp({
      clock,
      budgets: new CallBudgets({}, clock),
      baseUrl: 'http://127.0.0.1',
      headers: {},
      secrets: ['a+b/c=', 'no'],
      timeoutMs: 1,
    })
    expect(http.redact('bad a+b/c= in ?t=a%2Bb%2Fc%3D, no')).toBe('bad [redacted] in ?t=[redacted], no')
  })
})

describe('files', () => {
  const FILE = 'symbol,lot\nINFY,1\n'

  it('have their bytes, and their text also if they are packed', async () => {
    const { baseUrl } = await serve((request, response) => {
      response.end(request.url === '/packed' ? gzipSync(FILE) : FILE)
    })
    for (const path of ['/packed', '/plain']) {
      const answer = await httpOn(baseUrl).send({ method: 'GET', path })
      expect(await textOfFile(`GET ${path}`, answer)).toBe(FILE)
    }
  })

  it('that are packed for their way only arrive unpacked', async () => {
    const { baseUrl } = await serve((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(FILE))
    })
    const answer = await httpOn(baseUrl).send(GET)
    expect([answer.text, await textOfFile('GET /orders', answer)]).toEqual([FILE, FILE])
  })

  it('that end too early cannot be read', async () => {
    const { baseUrl } = await serve((_request, response) => response.end(gzipSync(FILE).subarray(0, 20)))
    const answer = await httpOn(baseUrl).send(GET)
    await expect(textOfFile('GET /orders', answer)).rejects.toMatchObject({
      kind: 'protocol',
      message: 'GET /orders: the file cannot be unpacked',
    })
  })
})

describe('budgets and signatures', () => {
  /** One call a second of class `quote`, on a clock that stands. */
  function paced(baseUrl: string, sign?: ConstructorParameters<typeof BrokerHttp>[0]['sign']) {
    const clock = new VirtualClock('2025-09-04T10:00:00+05:30')
    const budgets = new CallBudgets({ quote: [{ count: 1, perMs: 900 }] }, clock)
    const http = new BrokerHttp({
      clock,
      budgets,
      baseUrl,
      headers: {},
      secrets: [SECRET],
      timeoutMs: 5000,
      sign,
    })
    return { clock, budgets, http }
  }
  const QUOTE = { method: 'GET', path: '/quote', callClass: 'quote' } as const

  it('a call waits for its class; order calls have waited in the core and only count', async () => {
    const { baseUrl, seen } = await serve((_request, response) => response.end())
    const { clock, budgets, http } = paced(baseUrl)
    await http.send(QUOTE)
    const second = http.send(QUOTE)
    await http.send({ method: 'POST', path: '/orders', callClass: 'order' })
    expect(seen).toEqual(['GET /quote', 'POST /orders'])
    await clock.advance(1000)
    await second
    expect(seen).toHaveLength(3)
    expect(budgets.stats()).toMatchObject([{ callClass: 'quote', waited: 1, waitedMs: 1000 }])
  })

  it('an order call leaves in the turn of its caller: nothing can happen after the last check', async () => {
    const { baseUrl } = await serve((_request, response) => response.end())
    const { budgets, http } = paced(baseUrl)
    const noted = vi.spyOn(budgets, 'noteLeft')
    const sent = http.send({ method: 'POST', path: '/gtt', callClass: 'order', alsoCounts: 'quote' })
    expect(noted.mock.calls).toEqual([
      ['order', undefined],
      ['quote', undefined],
    ])
    await sent
  })

  it('a read that is repeated waits for its class again, also if its caller had waited', async () => {
    let cuts = 1
    const { baseUrl, seen } = await serve((request, response) => {
      if (cuts-- > 0) request.socket.destroy()
      else response.end()
    })
    const { clock, http } = paced(baseUrl)
    await http.turn('quote')
    const read = http.send({ ...QUOTE, hasTurn: true })
    await eventually(() => seen.length === 1)
    for (let turn = 0; turn < 50; turn++) await new Promise<void>((resolve) => setImmediate(resolve))
    expect(seen).toHaveLength(1)
    await clock.advance(1_000)
    await read
    expect(seen).toHaveLength(2)
  })

  it('a call that would wait too long is refused, never sent', async () => {
    const { baseUrl, seen } = await serve((_request, response) => response.end())
    const { budgets, http } = paced(baseUrl)
    for (let calls = 0; calls < 40; calls++) budgets.take('quote').catch(() => undefined)
    expect(await failure(http, QUOTE)).toMatchObject({
      kind: 'rate_limit',
      sent: 'never',
      retryAfterMs: 21_000,
    })
    expect(seen).toEqual([])
  })

  it('the signature is made when the call leaves, of what leaves, and is sent', async () => {
    const headers: (string | string[] | undefined)[] = []
    const { baseUrl } = await serve((request, response) => {
      headers.push(request.headers.signature)
      response.end()
    })
    const signed: string[] = []
    const { clock, http } = paced(baseUrl, ({ method, target, body }) => {
      signed.push(`${clock.monotonic()} ${method} ${target} ${body}`)
      return { signature: `s${signed.length}` }
    })
    const start = clock.monotonic()
    await http.send({ ...QUOTE, query: { i: 'NSE:M&M' } })
    const second = http.send({ ...QUOTE, method: 'POST', json: { a: 1 } })
    await clock.advance(1000)
    await second
    expect(signed).toEqual([`${start} GET /quote?i=NSE%3AM%26M `, `${start + 1000} POST /quote {"a":1}`])
    expect(headers).toEqual(['s1', 's2'])
  })

  it('a signature that cannot be made is an error before sending, and does not show its reason', async () => {
    const { baseUrl, seen } = await serve((_request, response) => response.end())
    const { http } = paced(baseUrl, () => {
      throw new Error(`no key ${SECRET}`)
    })
    expect(await failure(http, QUOTE)).toMatchObject({ kind: 'validation', sent: 'never' })
    expect(seen).toEqual([])
  })
})

it('sends further headers with one request', async () => {
  const { baseUrl } = await serve((request, response) => response.end(String(request.headers['x-algo-name'])))
  const answer = await httpOn(baseUrl).send({ ...POST, headers: { 'X-Algo-Name': 'momentum' } })
  expect(answer.text).toBe('momentum')
})
