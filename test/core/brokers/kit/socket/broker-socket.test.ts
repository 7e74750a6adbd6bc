import { createServer, type IncomingMessage } from 'node:http'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type WebSocket, WebSocketServer } from 'ws'
import { BrokerError } from '../../../../../src/core/brokers/broker.js'
import { BrokerSocket, type SocketOptions } from '../../../../../src/core/brokers/kit/socket/broker-socket.js'
import { VirtualClock } from '../../../../../src/core/time/index.js'
import { recordingLogger } from '../../../logging/recording-logger.js'
import { until } from '../../zerodha/rig.js'

let clock: VirtualClock
let server: WebSocketServer
let base: string
let handshakes: IncomingMessage[]
let clients: WebSocket[]
let received: string[]
let socket: BrokerSocket | undefined

beforeEach(async () => {
  clock = new VirtualClock('2025-09-04T10:00:00+05:30')
  handshakes = []
  clients = []
  received = []
  const http = createServer()
  server = new WebSocketServer({ server: http })
  server.on('connection', (client, request) => {
    handshakes.push(request)
    clients.push(client)
    client.on('message', (data) => received.push(String(data)))
    client.on('ping', () => received.push('(ping)'))
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  const address = http.address()
  base = `ws://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`
})
afterEach(() => {
  socket?.close()
  for (const client of clients) client.terminate()
  server.close()
  expect(clock.pending).toBe(0)
})

function connect(options: Partial<SocketOptions> = {}) {
  const log = recordingLogger()
  const texts: string[] = []
  const made = new BrokerSocket(
    { clock, log, name: 'feed', address: () => base, silenceLimitMs: 40_000, ...options },
    { onOpen: () => made.send('subscribe'), onBinary: () => {}, onText: (text) => texts.push(text) },
  )
  socket = made
  return { socket: made, log, texts }
}

describe('a socket', () => {
  it('asks for a new address before every dial', async () => {
    let dials = 0
    const { socket } = connect({ address: async () => `${base}/once/${++dials}` })
    await socket.open()
    await until(() => clients.length === 1)
    clients[0]?.terminate()
    await until(() => !socket.state().connected)
    await clock.advance(1000)
    await until(() => clients.length === 2)
    expect(handshakes.map(({ url }) => url)).toEqual(['/once/1', '/once/2'])
  })

  it('drops a connection whose message is too large, and dials again', async () => {
    const { socket, log, texts } = connect()
    await socket.open()
    await until(() => clients.length === 1)
    clients[0]?.send('x'.repeat(5 * 1024 * 1024))
    await until(() => log.lines.length === 1)
    await clock.advance(1000)
    await until(() => clients.length === 2)
    expect(texts).toEqual([])
  })

  it('dials more and more slowly where each connection closes after its first frame, and at once after one that stood', async () => {
    const { socket, log, texts } = connect()
    await socket.open()
    const dropAfterFrame = async (dials: number, stoodMs: number) => {
      await until(() => clients.length === dials)
      await clock.advance(stoodMs)
      clients[dials - 1]?.send('hello')
      await until(() => texts.length === dials)
      clients[dials - 1]?.terminate()
      await until(() => log.lines.length === dials)
    }
    await dropAfterFrame(1, 0)
    await clock.advance(1000)
    await dropAfterFrame(2, 0)
    await clock.advance(2000)
    await dropAfterFrame(3, 10_000)
    expect(log.lines.map(({ fields }) => fields?.retryInMs)).toEqual([1000, 2000, 1000])
  })

  it('waits and asks again while no address is given out', async () => {
    let isDown = false
    const address = () => {
      if (isDown) throw new BrokerError('unavailable', 'down', { sent: 'maybe' })
      return base
    }
    const { socket, log } = connect({ address })
    await socket.open()
    await until(() => clients.length === 1)
    isDown = true
    clients[0]?.terminate()
    await until(() => log.lines.length === 1)
    await clock.advance(1000)
    expect(log.lines).toMatchObject([
      { fields: { retryInMs: 1000 } },
      { fields: { retryInMs: 2000, reason: 'could not reconnect' } },
    ])
    isDown = false
    await clock.advance(2000)
    await until(() => clients.length === 2)
  })

  it('ends if the session is refused where the address comes from', async () => {
    const address = () => Promise.reject(new BrokerError('auth', 'expired', { sent: 'yes' }))
    const { socket } = connect({ address })
    await expect(socket.open()).rejects.toMatchObject({ kind: 'auth' })
    expect(socket.refused).toBe(true)
  })

  it('signs in with headers, or with the first frame', async () => {
    const { socket } = connect({ headers: { Authorization: 'Bearer x' }, signIn: () => '{"login":1}' })
    await socket.open()
    await until(() => received.length === 2)
    expect(handshakes[0]?.headers.authorization).toBe('Bearer x')
    expect(received).toEqual(['{"login":1}', 'subscribe'])
  })

  it('ends when a frame says that the session is refused, and tells it', async () => {
    let told = 0
    const { socket } = connect({
      onRefused: () => {
        told += 1
      },
    })
    await socket.open()
    socket.refuse(new BrokerError('auth', 'token expired', { sent: 'yes' }))
    await clock.advance(120_000)
    expect([told, socket.refused, socket.state().connected]).toEqual([1, true, false])
    await expect(socket.open()).rejects.toMatchObject({ kind: 'auth', message: 'token expired' })
    expect(handshakes).toHaveLength(1)
  })

  it.each([
    ['a text', 'ping', 'ping'],
    ['a ping of the protocol', 'protocol', '(ping)'],
  ])('sends %s regularly', async (_name, frame, expected) => {
    const { socket } = connect({ ping: { everyMs: 10_000, frame } })
    await socket.open()
    await until(() => received.length === 1)
    await clock.advance(10_000)
    await until(() => received.length === 2)
    expect(received).toEqual(['subscribe', expected])
  })

  it('lives as long as the broker pings it', async () => {
    const { socket, log } = connect()
    await socket.open()
    await until(() => clients.length === 1)
    for (let round = 0; round < 5; round++) {
      await clock.advance(20_000)
      const before = socket.silentMs()
      clients[0]?.ping()
      await until(() => socket.silentMs() < before)
    }
    expect(log.lines).toEqual([])
    await clock.advance(41_000)
    expect(log.lines).toMatchObject([{ fields: { reason: 'silent for 40000 ms' } }])
  })

  it('kept open connects in the background, also when the first dial fails', async () => {
    let isDown = true
    const { socket, log } = connect({
      address: () => (isDown ? Promise.reject(new Error('down')) : Promise.resolve(base)),
    })
    socket.keepOpen()
    await until(() => log.lines.length === 1)
    isDown = false
    await clock.advance(1000)
    await until(() => socket.state().connected)
  })
})
