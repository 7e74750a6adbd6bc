import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import type { Logger } from '../../../src/core/logging/index.js'
import { silentLogger } from '../../../src/core/logging/index.js'
import { guarded } from '../../../src/daemon/stream/upgrade.js'

it('a fault in a listener ends only its own connection, and is logged', async () => {
  const logged: unknown[] = []
  const log: Logger = { ...silentLogger, error: (event, fields) => logged.push([event, fields]) }
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  onTestFinished(() => {
    for (const client of server.clients) client.terminate()
    server.close()
  })
  server.on('connection', (socket) => {
    socket.on(
      'message',
      guarded(socket, log, (message: unknown) => {
        if (String(message) === 'fault') throw new Error('a defect')
        socket.send('answer')
      }),
    )
  })
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const open = async () => {
    const client = new WebSocket(`ws://127.0.0.1:${port}`)
    await once(client, 'open')
    return client
  }
  const [faulty, sound] = [await open(), await open()]
  faulty.send('fault')
  await once(faulty, 'close')
  expect(logged).toEqual([['stream.failed', expect.objectContaining({ error: 'a defect' })]])
  sound.send('hello')
  expect(String((await once(sound, 'message'))[0])).toBe('answer')
})
