import { createServer, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { noAnswerError } from '../../../src/cli/http/no-answer.js'
import { CliDesk } from '../../support/desk/cli-desk.js'

/** Runs one command against a server that does this with each connection. */
async function against(onRequest: (socket: Socket) => void, command = 'risk show') {
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', () => onRequest(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const desk = await CliDesk.open()
  const url = `http://127.0.0.1:${address.port}`
  const ran = await desk.svc(command, { env: { SVC_URL: url, SVC_TOKEN: 'svc_token' } })
  server.close()
  return { ...ran, url }
}

const TOO_FEW = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{"a"'

test.each<[string, (socket: Socket) => void, string]>([
  ['is reset', (socket) => socket.resetAndDestroy(), 'ECONNRESET'],
  ['hangs up before the answer', (socket) => socket.end(), 'ECONNRESET'],
  ['ends within the answer', (socket) => socket.end(TOO_FEW), 'ECONNRESET'],
  ['answers something else than HTTP', (socket) => socket.end('SSH-2.0-OpenSSH\r\n'), 'HPE_'],
  [
    'redirects',
    (socket) =>
      socket.end('HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n'),
    'The answer is a redirect',
  ],
])('a read whose connection %s is not called a missing daemon', async (_, onRequest, reason) => {
  const { exit, stderr, url } = await against(onRequest)
  expect([exit, stderr]).toEqual([7, expect.stringContaining(`No whole answer came from ${url} (${reason}`)])
  expect(stderr).not.toMatch(/No daemon|svc up/)
})

test('svc status says that something listens, and ends with 1', async () => {
  const { exit, stdout, stderr } = await against((socket) => socket.resetAndDestroy(), 'status')
  expect([exit, stdout]).toEqual([1, expect.stringContaining('no_answer')])
  expect(stderr).not.toMatch(/No daemon|svc up/)
})

test('svc doctor and the event stream do not say it either', async () => {
  for (const command of ['doctor', 'events', 'stream NSE:SBIN --apikey k']) {
    const { stdout, stderr } = await against((socket) => socket.resetAndDestroy(), command)
    expect([command, stdout + stderr]).toEqual([
      command,
      expect.not.stringMatching(/no daemon|svc up --detach/i),
    ])
  }
})

test.each([
  ['ECONNREFUSED', 7, 'no_daemon', /^No daemon answers at U \(ECONNREFUSED\)\.$/],
  ['ENOTFOUND', 7, 'unreachable', /^The address U cannot be reached \(ENOTFOUND\)\.$/],
  ['EHOSTUNREACH', 7, 'unreachable', /cannot be reached/],
  ['ECONNRESET', 7, 'broken_answer', /^No whole answer came from U \(ECONNRESET\)\.$/],
  ['EPIPE', 7, 'broken_answer', /No whole answer/],
  ['ETIMEDOUT', 7, 'broken_answer', /No whole answer/],
  ['CERT_HAS_EXPIRED', 7, 'broken_answer', /No whole answer/],
])('after %s the exit status is %i and the code %s', (system, exit, code, message) => {
  const cause = Object.assign(new Error('socket'), { code: system })
  const error = noAnswerError('U', new Error('The request failed', { cause }))
  expect(error).toMatchObject({ exit, code, message: expect.stringMatching(message) })
  expect(error.hint?.includes('svc up') ?? false).toBe(code === 'no_daemon')
})

test('a wait that ends without an answer names the time', async () => {
  const { exit, stderr } = await against(() => undefined, 'risk show --timeout 50ms')
  expect([exit, stderr]).toEqual([1, expect.stringMatching(/^error: No answer from .* within 0.05 s/)])
})
