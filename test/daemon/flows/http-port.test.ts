import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { HttpRequest } from '../../../src/core/flows/index.js'
import { VirtualClock } from '../../../src/core/time/index.js'
import { type FlowHttpParts, flowHttp } from '../../../src/daemon/flows/http-port.js'
import { eventually } from '../../support/eventually.js'

/** A server that records its requests and closes at the end of the test. */
async function serve(answer: RequestListener, host = '127.0.0.1', port = 0) {
  const seen: { method?: string; url?: string; headers: Record<string, unknown>; body: string }[] = []
  const server: Server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => {
      body += String(chunk)
    })
    request.on('end', () => {
      seen.push({ method: request.method, url: request.url, headers: request.headers, body })
      answer(request, response)
    })
  })
  await new Promise<void>((resolve) => server.listen(port, host, resolve))
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  const { port: taken } = server.address() as AddressInfo
  return { seen, port: taken, base: `http://${host}:${taken}`, own: `${host}:${taken}` }
}

const ok: RequestListener = (_request, response) => response.end('{"ok":true}')

function port(parts: Partial<FlowHttpParts> = {}) {
  const clock = new VirtualClock('2026-11-20T11:00:00+05:30')
  const send = (request: Partial<HttpRequest> & { url: string }) =>
    flowHttp({ clock, allowed: [], ...parts }).send({
      method: 'GET',
      headers: {},
      timeoutMs: 5000,
      signal: new AbortController().signal,
      ...request,
    })
  return { clock, send }
}

const to = (...addresses: string[]) =>
  addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))

describe('an address that is not public', () => {
  it.each([
    ['http://127.0.0.1:PORT/', '127.0.0.1', '127.0.0.1'],
    ['http://2130706433:PORT/', '127.0.0.1', '127.0.0.1'],
    ['http://0x7f.1:PORT/', '127.0.0.1', '127.0.0.1'],
    ['http://0:PORT/', '0.0.0.0', '0.0.0.0'],
    ['http://[::1]:PORT/', '::1', '::1'],
    ['http://[::ffff:127.0.0.1]:PORT/', '::ffff:7f00:1', '::ffff:7f00:1'],
    ['http://[64:ff9b::127.0.0.1]:PORT/', '64:ff9b::7f00:1', '64:ff9b::7f00:1'],
    ['http://169.254.169.254/latest/meta-data', '169.254.169.254', '169.254.169.254'],
    ['http://user:pass@10.0.0.1/', '10.0.0.1', '10.0.0.1'],
  ])('%s is refused, and nothing is sent', async (url, host, address) => {
    const { seen, port: taken } = await serve(ok)
    const { send } = port()

    await expect(send({ url: url.replace('PORT', String(taken)) })).rejects.toThrow(
      `refusing to send this request: host '${host}' resolves to ${address}, which is not a public address`,
    )
    expect(seen).toEqual([])
  })

  it.each([
    [to('127.0.0.1'), '127.0.0.1'],
    [to('::ffff:127.0.0.1'), '::ffff:127.0.0.1'],
    [to('8.8.8.8', '10.0.0.5'), '10.0.0.5'],
    [to('2606:4700::1111', 'fd00::1'), 'fd00::1'],
  ])('is refused behind a public name too: %j', async (addresses, inner) => {
    const { seen, port: taken } = await serve(ok)
    const { send } = port({ resolve: async () => addresses })

    await expect(send({ url: `http://inner.example:${taken}/` })).rejects.toThrow(
      `host 'inner.example' resolves to ${inner}, which is not a public address`,
    )
    expect(seen).toEqual([])
  })

  it('is reached when the configuration names its host', async () => {
    const { seen, base, own } = await serve(ok)

    expect(await port({ allowed: [own] }).send({ url: `${base}/x?y=1` })).toEqual({
      statusCode: 200,
      data: { ok: true },
    })
    expect(seen).toMatchObject([{ method: 'GET', url: '/x?y=1' }])
    await expect(port({ allowed: ['127.0.0.1:1'] }).send({ url: base })).rejects.toThrow(
      'not a public address',
    )
  })
})

describe('a name', () => {
  it('is resolved once: the port connects to the checked address', async () => {
    const first = await serve(ok, '127.0.0.1')
    const second = await serve(ok, '127.0.0.2', first.port)
    let asked = 0
    const resolve = async () => {
      asked += 1
      return asked === 1 ? to('127.0.0.1') : to('127.0.0.2')
    }
    const { send } = port({ resolve, allowed: ['rebind.example'] })

    await send({ url: `http://rebind.example:${first.port}/` })

    expect(asked).toBe(1)
    expect(first.seen).toHaveLength(1)
    expect(first.seen[0]?.headers.host).toBe(`rebind.example:${first.port}`)
    expect(second.seen).toEqual([])
  })

  it.each([
    [async () => to(), 'no address'],
    [
      () => Promise.reject(new Error('getaddrinfo ENOTFOUND nowhere.example')),
      'getaddrinfo ENOTFOUND nowhere.example',
    ],
  ])('that does not resolve is refused (%#)', async (resolve, why) => {
    await expect(port({ resolve }).send({ url: 'https://nowhere.example/' })).rejects.toThrow(
      `refusing to send this request: host 'nowhere.example' could not be resolved (${why})`,
    )
  })

  it('that takes too long to resolve ends with the time of the request', async () => {
    const { clock, send } = port({ resolve: () => new Promise(() => {}) })
    const sent = send({ url: 'https://slow.example/', timeoutMs: 2000 })
    const refused = expect(sent).rejects.toThrow('HTTP request timed out after 2000 ms')
    await clock.advance(2000)

    await refused
  })
})

describe('what is sent', () => {
  it('has the method, the headers and the body, and nothing of the environment', async () => {
    const { seen, base, own } = await serve(ok)
    const { send } = port({ allowed: [own] })

    await send({
      url: base.replace('//', '//asha:p%40ss@'),
      method: 'POST',
      headers: { 'X-Token': 'abc', 'Content-Type': 'application/json' },
      body: '{"name":"é"}',
    })

    expect(seen).toMatchObject([
      {
        method: 'POST',
        body: '{"name":"é"}',
        headers: {
          'x-token': 'abc',
          'content-type': 'application/json',
          'content-length': '13',
          authorization: `Basic ${Buffer.from('asha:p@ss').toString('base64')}`,
        },
      },
    ])
  })

  it.each(['Transfer-Encoding', 'content-length', 'Connection'])('never sets %s', async (name) => {
    const { seen, base, own } = await serve(ok)

    await expect(port({ allowed: [own] }).send({ url: base, headers: { [name]: '1' } })).rejects.toThrow(
      `headers must not set '${name}'`,
    )
    expect(seen).toEqual([])
  })

  it('has no header that a value could add', async () => {
    const { seen, base, own } = await serve(ok)

    await expect(
      port({ allowed: [own] }).send({ url: base, headers: { 'X-A': 'b\r\nX-Admin: yes' } }),
    ).rejects.toThrow(/^HTTP request failed: Invalid character/)
    expect(seen).toEqual([])
  })
})

describe('what comes back', () => {
  it('is the redirection itself', async () => {
    const inner = await serve(ok)
    const { base, own } = await serve((_request, response) => {
      response.writeHead(302, { Location: `${inner.base}/secret` }).end('moved')
    })

    expect(await port({ allowed: [own] }).send({ url: base })).toEqual({ statusCode: 302, data: 'moved' })
    expect(inner.seen).toEqual([])
  })

  it.each([
    ['{"a":[1]}', { a: [1] }],
    ['7', 7],
    ['<html>', '<html>'],
    ['', ''],
  ])('%j is read as %j', async (text, data) => {
    const { base, own } = await serve((_request, response) => response.end(text))

    expect((await port({ allowed: [own] }).send({ url: base })).data).toEqual(data)
  })

  it('is read without a byte order mark before it', async () => {
    const { own, base } = await serve((_request, response) => response.end('\uFEFF{"ok":true}'))
    const { send } = port({ allowed: [own] })
    expect((await send({ url: base })).data).toEqual({ ok: true })
  })

  it('is refused when it is nested too deeply for its reader', async () => {
    const { base, own } = await serve((request, response) => {
      const levels = request.url === '/deep' ? 100_000 : 100
      response.end('['.repeat(levels) + ']'.repeat(levels))
    })
    const { send } = port({ allowed: [own] })

    expect(JSON.stringify((await send({ url: `${base}/fits` })).data)).toHaveLength(200)
    await expect(send({ url: `${base}/deep` })).rejects.toThrow(
      'The value is nested too deeply: at most 100 levels',
    )
  })

  it('is at most 1 MiB', async () => {
    const size = { exact: 1_048_576, more: 1_048_577 }
    const { base, own } = await serve((request, response) => {
      response.end('x'.repeat(request.url === '/more' ? size.more : size.exact))
    })
    const { send } = port({ allowed: [own] })

    expect(String((await send({ url: `${base}/exact` })).data)).toHaveLength(size.exact)
    await expect(send({ url: `${base}/more` })).rejects.toThrow('The answer is larger than 1048576 bytes')
  })

  it('ends with the time of the request, however the body trickles', async () => {
    const { seen, base, own } = await serve((_request, response) => {
      response.write('{"slow":')
    })
    const { clock, send } = port({ allowed: [own] })
    const refused = expect(send({ url: base, timeoutMs: 3000 })).rejects.toThrow(
      'HTTP request timed out after 3000 ms',
    )
    await eventually(() => seen.length === 1)
    await clock.advance(3000)

    await refused
  })

  it('is nothing once the run is stopped', async () => {
    const { seen, base, own } = await serve(() => {})
    const stop = new AbortController()
    const sent = port({ allowed: [own] }).send({ url: base, signal: stop.signal })
    const refused = expect(sent).rejects.toThrow('stopped by hand')
    await eventually(() => seen.length === 1)
    stop.abort(new Error('stopped by hand'))

    await refused
  })

  it.each([
    ['a server that hangs up', (_request, response) => response.destroy()],
    [
      'a body that breaks off',
      (_request, response) => {
        response.writeHead(200, { 'Content-Length': '100' })
        response.write('half', () => response.destroy())
      },
    ],
  ] satisfies [string, RequestListener][])('%s is a failure', async (_what, answer) => {
    const { base, own } = await serve(answer)

    await expect(port({ allowed: [own] }).send({ url: base })).rejects.toThrow(/^HTTP request failed: /)
  })
})

it('a port nobody listens on is a failure that names no credential', async () => {
  const { own } = await serve(ok)
  const free = Number(own.split(':')[1])
  const gone = await new Promise<number>((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port: taken } = server.address() as AddressInfo
      server.close(() => resolve(taken))
    })
  })
  expect(gone).not.toBe(free)

  const failure = await port({ allowed: ['127.0.0.1'] })
    .send({ url: `http://asha:hunter2@127.0.0.1:${gone}/` })
    .catch((error: unknown) => error)

  expect(String(failure)).toContain('HTTP request failed: connect ECONNREFUSED')
  expect(String(failure)).not.toContain('hunter2')
})

it.each([
  ['ftp://files.example/', "scheme 'ftp' is not allowed; use http or https"],
  ['file:///etc/passwd', "scheme 'file' is not allowed; use http or https"],
  ['//files.example', 'URL has no host'],
])('%s is refused', async (url, why) => {
  await expect(port().send({ url })).rejects.toThrow(`refusing to send this request: ${why}`)
})
