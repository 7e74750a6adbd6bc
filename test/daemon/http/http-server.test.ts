import { createServer } from 'node:http'
import { connect, type Socket } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { listen, withStreams } from '../../../src/daemon/http/http-server.js'
import { HttpDesk } from '../../support/desk/http-desk.js'

/** A connection that sends bytes unchanged. */
function open(port: number): Socket {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => undefined)
  onTestFinished(() => {
    socket.destroy()
  })
  return socket
}

/** Returns all received bytes, once the other side has closed. */
function answerTo(port: number, request: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = open(port)
    let text = ''
    socket.on('data', (chunk) => {
      text += String(chunk)
    })
    socket.on('close', () => resolve(text))
    socket.write(request)
  })
}

const upgrade = (target: string, host = 'localhost') =>
  `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n'

test.each(['//', '///', '//[', 'http://', 'http://%', '/%ZZ', '/events/..//', '*', '/\u00ff'])(
  'an upgrade request for %j is refused, and the service lives on',
  async (target) => {
    const http = await HttpDesk.open()
    const { port } = await http.listen()
    expect(await answerTo(port, upgrade(target))).toMatch(/^HTTP\/1.1 40[04] /)
    const version = 'GET /version HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'
    expect(await answerTo(port, version)).toMatch(/^HTTP\/1.1 200 /)
  },
)

test('an exception while an upgrade is accepted is logged and answered, and the service lives on', async () => {
  const http = await HttpDesk.open()
  const logged = vi.spyOn(http.daemon.service.log, 'error')
  let defective = true
  const server = withStreams(createServer(), http.daemon, [
    () => {
      if (defective) throw new Error('a defect')
      return false
    },
  ])
  onTestFinished(() => void server.close())
  const port = await listen(server, '127.0.0.1', 0)
  expect(await answerTo(port, upgrade('/events'))).toMatch(/^HTTP\/1.1 500 /)
  expect(logged.mock.calls).toEqual([
    [
      'upgrade.failed',
      expect.objectContaining({ error: 'a defect', stack: expect.stringContaining('defect') }),
    ],
  ])
  defective = false
  expect(await answerTo(port, upgrade('/events'))).toMatch(/^HTTP\/1.1 404 /)
})

test('the event stream is not opened for a host name that was pointed at this machine', async () => {
  const http = await HttpDesk.open()
  const { port } = await http.listen()
  expect(await answerTo(port, upgrade('/events', 'evil.example'))).toMatch(/^HTTP\/1.1 403 /)
  expect(await answerTo(port, upgrade('/events'))).toMatch(/^HTTP\/1.1 401 /)
})

test('the refusal of an upgrade for a foreign host name names the setting that would allow it', async () => {
  const http = await HttpDesk.open()
  const { port } = await http.listen()
  const [head, body] = (await answerTo(port, upgrade('/events', 'tunnel.example:8443'))).split('\r\n\r\n')
  expect(head).toMatch(/^HTTP\/1.1 403 Forbidden\r\n/)
  expect(JSON.parse(body ?? '')).toEqual({
    status: 'error',
    message:
      'Host: "tunnel.example:8443" is not a name of this service. Use its address or localhost, or list the name in ALLOWED_HOSTS.',
  })
  const allowing = await HttpDesk.open({ env: { ALLOWED_HOSTS: 'tunnel.example' } })
  const { port: other } = await allowing.listen()
  expect(await answerTo(other, upgrade('/events', 'tunnel.example:8443'))).toMatch(/^HTTP\/1.1 401 /)
})

test('a request with more than one Host header is refused, and so is an upgrade', async () => {
  const http = await HttpDesk.open()
  const { port } = await http.listen()
  const asking = (...hosts: string[]) =>
    `GET /version HTTP/1.1\r\n${hosts.map((host) => `Host: ${host}\r\n`).join('')}Connection: close\r\n\r\n`
  expect(await answerTo(port, asking('localhost'))).toMatch(/^HTTP\/1.1 200 /)
  for (const hosts of [
    ['localhost', 'evil.example'],
    ['evil.example', 'localhost'],
    ['localhost', 'localhost'],
  ]) {
    const text = await answerTo(port, asking(...hosts))
    expect(text).toMatch(/^HTTP\/1.1 400 /)
    expect(text).toContain('Host: The request has more than one Host header.')
  }
  const twice = upgrade('/events').replace('Host: localhost', 'Host: localhost\r\nhost: other.example')
  expect(await answerTo(port, twice)).toMatch(/^HTTP\/1.1 400 /)
})

test('a path that begins with several slashes is the path with one', async () => {
  const http = await HttpDesk.open()
  const { port } = await http.listen()
  const pinged = String(ping(Buffer.from(JSON.stringify({ apikey: http.apikey }))))
  for (const slashes of ['//', '///']) {
    const sent = pinged.replace('POST /', `POST ${slashes}`)
    expect(await answerTo(port, sent)).toContain('"message":"pong"')
    for (const path of ['version', 'apikey', 'broker', 'api/v1/nowhere', 'api/v1/placeorder']) {
      const asked = (start: string) =>
        answerTo(port, `GET ${start}${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`)
      expect(facts(await asked(slashes)), path).toEqual(facts(await asked('/')))
    }
  }
})

test.each(['/api/v1/ping', '/auth/login', '/setup'])(
  'a body without end to %s is refused before it fills the memory',
  async (path) => {
    const http = await HttpDesk.open()
    const { port } = await http.listen()
    const socket = open(port)
    socket.write(
      `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`,
    )
    const chunk = `40000\r\n${'a'.repeat(0x40000)}\r\n`
    const answer = new Promise<string>((resolve) => socket.once('data', (data) => resolve(String(data))))
    let sent = 0
    const feed = () => {
      if (socket.destroyed || sent > 64 * 1_048_576) return
      sent += chunk.length
      socket.write(chunk, feed)
    }
    feed()
    expect(await answer).toMatch(/^HTTP\/1.1 413 /)
    // At most about as much as the buffers of both ends hold.
    expect(sent).toBeLessThan(32 * 1_048_576)
  },
)

test('a chunked body within the limit is read to its end', async () => {
  const http = await HttpDesk.open()
  const { port } = await http.listen()
  const body = JSON.stringify({ apikey: http.apikey })
  const request =
    'POST /api/v1/ping HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\n' +
    `Transfer-Encoding: chunked\r\n\r\n5\r\n${body.slice(0, 5)}\r\n${(body.length - 5).toString(16)}\r\n${body.slice(5)}\r\n0\r\n\r\n`
  expect(await answerTo(port, request)).toContain('"message":"pong"')
})

const ping = (body: Buffer, extra = '') =>
  Buffer.concat([
    Buffer.from(
      'POST /api/v1/ping HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\n' +
        `Content-Length: ${body.length}\r\n${extra}\r\n`,
    ),
    body,
  ])

/** Sends a request in parts. Each part waits until the previous one has arrived. */
async function answerToParts(port: number, parts: readonly Buffer[]): Promise<string> {
  const socket = open(port)
  socket.setNoDelay(true)
  let text = ''
  socket.on('data', (chunk) => {
    text += String(chunk)
  })
  const closed = new Promise((resolve) => socket.on('close', resolve))
  for (const part of parts) {
    await new Promise((resolve) => socket.write(part, resolve))
    // The same event loop reads the part; after several turns the parser has it.
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
  }
  await closed
  return text
}

test('a body is read alike whether it comes at once, in parts, or byte by byte', async () => {
  const http = await HttpDesk.open()
  const { port } = await http.listen()
  const bodies: [string, Buffer][] = [
    ['pong', Buffer.from(JSON.stringify({ apikey: http.apikey }))],
    ['pong', Buffer.from(`\uFEFF${JSON.stringify({ apikey: http.apikey })}`)],
    ['Unknown field', Buffer.from(JSON.stringify({ apikey: http.apikey, ['ключ'.repeat(4)]: '₹' }))],
    ['The body is not valid UTF-8', Buffer.from([0x7b, 0xff, 0xfe, 0x7d])],
    ['Invalid JSON', Buffer.alloc(0)],
  ]
  for (const [expected, body] of bodies) {
    const whole = ping(body)
    const head = whole.length - body.length
    const halves = [whole.subarray(0, head + (body.length >> 1)), whole.subarray(head + (body.length >> 1))]
    const bytes = [
      whole.subarray(0, head),
      ...Array.from(body, (_, at) => whole.subarray(head + at, head + at + 1)),
    ]
    for (const parts of [[whole], halves, bytes]) {
      expect(await answerToParts(port, parts)).toContain(expected)
    }
  }
})

test('requests sent ahead on one connection are answered in their order', async () => {
  const http = await HttpDesk.open()
  const { port } = await http.listen()
  const version = 'GET /version HTTP/1.1\r\nHost: localhost\r\n\r\n'
  const last = ping(Buffer.from(JSON.stringify({ apikey: http.apikey })))
  const text = await answerToParts(port, [Buffer.concat([Buffer.from(version.repeat(80)), last])])
  const answers = text.split('HTTP/1.1 ').slice(1)
  expect(answers).toHaveLength(81)
  expect(answers.at(-1)).toContain('"message":"pong"')
  expect(answers.slice(0, -1).every((answer) => answer.includes('"name":"svc"'))).toBe(true)
})

/** Java's client and `curl --http2` send this offer to upgrade to HTTP/2. */
const OFFER = 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n'

test.each(['h2c', 'h2c, websocket', 'TLS/1.0', 'foo'])(
  'an offer to speak %s is passed over and the request served',
  async (protocol) => {
    const http = await HttpDesk.open()
    const { port } = await http.listen()
    for (const path of ['/version', '/events', '/nowhere']) {
      const plain = `GET ${path} HTTP/1.1\r\nHost: localhost\r\n`
      const answer = await answerTo(
        port,
        `${plain}Connection: Upgrade, close\r\nUpgrade: ${protocol}\r\n\r\n`,
      )
      const without = await answerTo(port, `${plain}Connection: close\r\n\r\n`)
      expect(facts(answer)).toEqual(facts(without))
    }
  },
)

/** Returns the status line and the body, without the parts that differ in every request. */
const facts = (answer: string) => [
  answer.split('\r\n')[0],
  answer.split('\r\n\r\n')[1]?.replace(/"request_id":"[^"]*"/, ''),
]

test('requests with an offer are read whole and answered one after the other on the same connection', async () => {
  const http = await HttpDesk.open()
  const { port } = await http.listen()
  const body = JSON.stringify({ apikey: http.apikey })
  const head = `POST /api/v1/ping HTTP/1.1\r\nHost: localhost\r\n${OFFER}Content-Type: application/json\r\n`
  const sized = `${head}Content-Length: ${body.length}\r\n\r\n`
  const chunked = `${head}Transfer-Encoding: chunked\r\n\r\n`
  const chunks = `5\r\n${body.slice(0, 5)}\r\n${(body.length - 5).toString(16)}\r\n${body.slice(5)}\r\n0\r\n\r\n`
  const requests = [
    [sized + body],
    [sized, body.slice(0, 7), body.slice(7)],
    [chunked + chunks],
    [chunked, chunks.slice(0, 12), chunks.slice(12)],
    [`GET /version HTTP/1.1\r\nHost: localhost\r\n${OFFER}\r\n`],
    [String(ping(Buffer.from(body)))],
  ]
  const text = await answerToParts(
    port,
    requests.flat().map((part) => Buffer.from(part)),
  )
  const answers = text.split('HTTP/1.1 ').slice(1)
  expect(answers.map((answer) => answer.slice(0, 3))).toEqual(Array(6).fill('200'))
  expect(answers.map((answer) => answer.includes('"message":"pong"'))).toEqual([
    true,
    true,
    true,
    true,
    false,
    true,
  ])
})

test('a body past the limit is refused with an offer as it is without one', async () => {
  const http = await HttpDesk.open()
  const { port } = await http.listen()
  const huge = `POST /api/v1/ping HTTP/1.1\r\nHost: localhost\r\n${OFFER}Content-Length: 999999999\r\n\r\n`
  const socket = open(port)
  const answer = new Promise<string>((resolve) => socket.once('data', (data) => resolve(String(data))))
  socket.write(huge)
  expect(await answer).toMatch(/^HTTP\/1.1 413 /)
})

test('a WebSocket is still opened, and a path that has none is still not found', async () => {
  const http = await HttpDesk.open()
  const { port } = await http.listen()
  const token = await http.signIn()
  const asked = upgrade('/events').replace('\r\n\r\n', `\r\nAuthorization: Bearer ${token}\r\n\r\n`)
  const socket = open(port)
  const answer = new Promise<string>((resolve) => socket.once('data', (data) => resolve(String(data))))
  socket.write(asked.replace('websocket', 'WebSocket'))
  expect(await answer).toMatch(/^HTTP\/1.1 101 /)
  expect(await answerTo(port, upgrade('/nowhere'))).toMatch(/^HTTP\/1.1 404 /)
})
