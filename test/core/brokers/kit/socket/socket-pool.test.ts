import { createServer } from 'node:http'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { type WebSocket, WebSocketServer } from 'ws'
import { BrokerError } from '../../../../../src/core/brokers/broker.js'
import { BrokerSocket } from '../../../../../src/core/brokers/kit/socket/broker-socket.js'
import { SocketPool } from '../../../../../src/core/brokers/kit/socket/socket-pool.js'
import { VirtualClock } from '../../../../../src/core/time/index.js'
import { recordingLogger } from '../../../logging/recording-logger.js'
import { until } from '../../zerodha/rig.js'

let clock: VirtualClock
let server: WebSocketServer
/** The connections that the server has now, each by the path of its place. */
let open: Map<string, WebSocket>
/** The paths of all dials. */
let dials: string[]
let sockets: BrokerSocket[]
let pool: SocketPool<string>

beforeEach(async () => {
  clock = new VirtualClock('2025-09-04T10:00:00+05:30')
  open = new Map()
  dials = []
  sockets = []
  const http = createServer()
  server = new WebSocketServer({ server: http })
  server.on('connection', (client, { url = '' }) => {
    dials.push(url)
    open.set(url, client)
    client.on('close', () => open.get(url) === client && open.delete(url))
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  const address = http.address()
  const port = typeof address === 'object' && address ? address.port : 0
  pool = new SocketPool({
    sockets: 3,
    keysEach: 1,
    connect(place) {
      const socket = new BrokerSocket(
        {
          clock,
          log: recordingLogger(),
          name: 'feed',
          address: () => `ws://127.0.0.1:${port}/${place}`,
          silenceLimitMs: 60_000,
        },
        { onOpen: () => {}, onBinary: () => {}, onText: () => {} },
      )
      sockets.push(socket)
      return socket
    },
  })
})
afterEach(() => {
  pool.close()
  for (const client of open.values()) client.terminate()
  server.close()
  expect(clock.pending).toBe(0)
})

const connected = () => sockets.map((socket) => socket.state().connected)

describe('a pool', () => {
  it('opens no further connection once it is closed', async () => {
    await pool.open()
    pool.close()
    await until(() => open.size === 0)
    const kept = vi.spyOn(BrokerSocket.prototype, 'keepOpen')
    onTestFinished(() => kept.mockRestore())
    pool.add(['a', 'b'])
    expect(sockets).toHaveLength(2)
    expect(kept).not.toHaveBeenCalled()
  })

  it('opens no further connection before it is opened itself', async () => {
    pool.add(['a', 'b'])
    expect(dials).toEqual([])
    await pool.open()
    await until(() => open.size === 2)
    expect(dials).toEqual(['/0', '/1'])
  })

  it('opens a further connection that is made while the first one is away', async () => {
    pool.add(['a'])
    await pool.open()
    await until(() => open.size === 1)
    open.get('/0')?.terminate()
    await until(() => !connected()[0])
    pool.add(['b'])
    await until(() => open.has('/1'))
    await clock.advance(1000)
    await until(() => connected().every(Boolean))
    expect(dials).toEqual(['/0', '/1', '/0'])
  })

  it('makes none for a session that the broker refused', async () => {
    pool.add(['a'])
    await pool.open()
    const refusal = new BrokerError('auth', 'The session has ended.', { sent: 'yes' })
    pool.first.refuse(refusal)
    pool.add(['b'])
    await expect(pool.reopen()).rejects.toBe(refusal)
    expect(dials).toEqual(['/0'])
  })
})

describe('a pool that was found silent', () => {
  async function openThree() {
    pool.add(['a', 'b', 'c'])
    await pool.open()
    await until(() => open.size === 3 && connected().every(Boolean))
    dials.length = 0
  }

  /** Lets the second connection be silent while the others have data. */
  async function silenceSecond() {
    await clock.advance(5000)
    for (const path of ['/0', '/2']) open.get(path)?.send('data')
    await until(() => sockets[0]?.silentMs() === 0 && sockets[2]?.silentMs() === 0)
    expect(pool.silentMs()).toBe(5000)
  }

  it('drops the silent connection, and none with data', async () => {
    await openThree()
    await silenceSecond()
    await pool.reopen()
    expect(connected()).toEqual([true, false, true])
    await clock.advance(1000)
    await until(() => connected().every(Boolean))
    expect(dials).toEqual(['/1'])
  })

  it('drops none with data for one that is away', async () => {
    await openThree()
    await silenceSecond()
    open.get('/1')?.terminate()
    await until(() => !connected()[1])
    await pool.reopen()
    expect(connected()).toEqual([true, false, true])
  })

  it('drops all where none is silent', async () => {
    await openThree()
    await pool.reopen()
    expect(connected()).toEqual([false, false, false])
    await clock.advance(1000)
    await until(() => connected().every(Boolean))
    expect([...dials].sort()).toEqual(['/0', '/1', '/2'])
  })
})
