import { once } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocketServer } from 'ws'
import { messagesOf } from '../../../src/client/transport/socket.js'

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
