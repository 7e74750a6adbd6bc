import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { guardConnections, SLOW_SENDERS } from '../../../../src/daemon/http/admission/connections.js'
import { DaemonResponse } from '../../../../src/daemon/http/response/response.js'
import { marketServer } from '../../../../src/daemon/stream/market/port.js'
import { HttpDesk } from '../../../support/desk/http-desk.js'
import { eventually } from '../../../support/eventually.js'

function open(port: number): Socket {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => undefined)
  onTestFinished(() => void socket.destroy())
  return socket
}

/** Sends bytes and returns the status line, the headers and the body of the answer. */
async function answerTo(port: number, bytes: string) {
  const socket = open(port)
  let text = ''
  socket.on('data', (data) => {
    text += String(data)
  })
  socket.write(bytes)
  await new Promise((resolve) => socket.once('close', resolve))
  const [head = '', body = ''] = text.split('\r\n\r\n')
  const [status = '', ...lines] = head.split('\r\n')
  const headers = Object.fromEntries(
    lines.map((line) => line.split(/: (.*)/)).map(([name = '', value]) => [name.toLowerCase(), value]),
  )
  return { status: status.replace('HTTP/1.1 ', ''), headers, body }
}

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

const UPGRADE =
  'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n'

const PROTECTION = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'cache-control': 'no-store',
}

test.each([
  ['400 Bad Request', 'HELLO\r\n\r\n'],
  ['400 Bad Request', 'GET / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n'],
  [
    '400 Bad Request',
    'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
  ],
  ['431 Request Header Fields Too Large', `GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`],
])('bytes that are no HTTP get %s in JSON, with the common headers', async (status, bytes) => {
  const http = await HttpDesk.open()
  const { port } = await http.listen()
  const answer = await answerTo(port, bytes)
  expect(answer).toMatchObject({ status, headers: { ...PROTECTION, 'content-type': 'application/json' } })
  expect(JSON.parse(answer.body)).toEqual({ status: 'error', message: status.slice(4) })
})

test.each([
  ['a request without a Host', '400', 'GET /version HTTP/1.1\r\nConnection: close\r\n\r\n'],
  [
    'an expectation',
    '417',
    'GET /version HTTP/1.1\r\nHost: localhost\r\nExpect: tea\r\nConnection: close\r\n\r\n',
  ],
  ['a stream that does not exist', '404', `GET /nowhere HTTP/1.1\r\nHost: localhost\r\n${UPGRADE}`],
  ['a stream without a credential', '401', `GET /events HTTP/1.1\r\nHost: localhost\r\n${UPGRADE}`],
])('%s is refused with the common headers', async (_name, status, bytes) => {
  const http = await HttpDesk.open()
  const { port } = await http.listen()
  const answer = await answerTo(port, bytes)
  expect(answer.headers).toMatchObject(PROTECTION)
  expect(answer.status).toMatch(new RegExp(`^${status} `))
})

test('the port of the market stream protects itself like the other', async () => {
  const server = marketServer((await HttpDesk.open()).daemon)
  const port = await listening(server)
  const answer = await answerTo(port, 'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
  expect(answer).toMatchObject({ status: expect.stringMatching(/^426 /), headers: PROTECTION })
  const { headersTimeout, requestTimeout } = server
  expect({ headersTimeout, requestTimeout }).toMatchObject({
    headersTimeout: SLOW_SENDERS.headersTimeout,
    requestTimeout: SLOW_SENDERS.requestTimeout,
  })
})

test('one address may hold only so many connections, and gets new ones when old ones end', async () => {
  const server = createServer({ ServerResponse: DaemonResponse }, (_request, response) =>
    response.end('served'),
  )
  guardConnections(server, { isShared: () => false, most: 3 })
  const port = await listening(server)
  const held = [open(port), open(port), open(port)]
  await eventually(async () => (await connections(server)) === 3, 'three connections are open')
  const ask = () => answerTo(port, 'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
  expect((await ask()).body).toBe('')
  held[0]?.destroy()
  await eventually(async () => (await connections(server)) === 2, 'one of them is closed')
  expect((await ask()).body).toContain('served')
})

test('the connections of an address that many callers share are not counted', async () => {
  const server = createServer((_request, response) => response.end('served'))
  guardConnections(server, { isShared: () => true, most: 1 })
  const port = await listening(server)
  for (let socket = 0; socket < 5; socket++) open(port)
  await eventually(async () => (await connections(server)) === 5, 'five connections are open')
  const answer = await answerTo(port, 'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
  expect(answer.body).toContain('served')
})

const connections = (server: Server): Promise<number> =>
  new Promise((resolve) => server.getConnections((_error, count) => resolve(count)))
