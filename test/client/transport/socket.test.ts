import { once } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocketServer } from 'ws'
import { messagesOf } from '../../../src/client/transport/socket.js'
import { eventually } from '../../support/eventually.js'

/** A server that takes connections, and says nothing. */
async function quietServer(): Promise<URL> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  onTestFinished(() => {
    for (const socket of server.clients) socket.terminate()
    server.close()
  })
  await once(server, 'listening')
  const address = server.address()
  return new URL(`ws://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/`)
}

test.each(['before it begins', 'while it is prepared'])(
  'a stream that is left %s ends at once',
  async (when) => {
    const url = await quietServer()
    const left = new AbortController()
    const messages = messagesOf(url, { signal: left.signal, refusals: new Map() })
    if (when === 'before it begins') left.abort(new Error('left'))
    const first = messages.next()
    left.abort(new Error('left'))
    await expect(first).rejects.toThrow('left')
  },
)

test('a reader that is slow gets every message in order, and the socket waits for it meanwhile', async () => {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  onTestFinished(() => {
    for (const socket of server.clients) socket.terminate()
    server.close()
  })
  await once(server, 'listening')
  const address = server.address()
  const url = new URL(`ws://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/`)
  const filler = 'x'.repeat(10_000)
  server.on('connection', (socket) => {
    for (let n = 0; n < 5000; n++) socket.send(JSON.stringify({ n, filler }))
    socket.close()
  })
  const messages = messagesOf(url, { refusals: new Map() })
  expect((await messages.next()).value).toMatchObject({ n: 0 })
  // 50 MB do not fit between the two: the server keeps what the reader has not asked for.
  const [client] = server.clients
  const isHeld = () => (client?.bufferedAmount ?? 0) > 10_000_000
  await eventually(isHeld)
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve))
  expect(isHeld()).toBe(true)
  let n = 1
  for await (const message of messages) expect(message.n).toBe(n++)
  expect(n).toBe(5000)
})
