import { once } from 'node:events'
import { createServer } from 'node:http'
import { describe, expect, it } from 'vitest'
import { WebSocketServer } from 'ws'
import { storeSecret } from '../../../src/cli/io/home.js'
import { commandDesk } from '../../support/desk/command-desk.js'
import { eventually, pause } from '../../support/eventually.js'
import { Terminal, type TerminalOptions } from '../../support/terminal.js'
import { EventClient } from '../../support/traffic/event-client.js'

/** The number of streams that a token may have open. */
const STREAMS_OF_ONE = 10

const desk = commandDesk()
/** The gateway does not forward WebSockets. */
const direct = (token = desk.daemon.token): TerminalOptions => ({
  env: { SVC_URL: desk.daemon.url, SVC_TOKEN: token },
})
const rowsOf = (text: string) =>
  text
    .trim()
    .split('\n')
    .filter((line) => line !== '')
    .map((line): { seq: number; event: string; type: string } => JSON.parse(line))

/** The events so far, as another client of the stream receives them. */
async function witness(): Promise<EventClient> {
  const client = new EventClient(desk.daemon)
  await client.connect()
  return client
}

/** A follower that is connected: it prints what happens. */
async function following(line: string) {
  const running = desk.terminal.start(line, direct())
  await eventually(async () => {
    await desk.daemon.place()
    await pause(200)
    return running.stdout() !== ''
  })
  return running
}

describe('svc event follow', () => {
  it('prints each event as one JSON line, without the greeting; Ctrl-C ends it with 130', async () => {
    const client = await witness()
    const running = await following('event follow')
    running.interrupt()
    const { exit, stdout } = await running.ended
    expect(exit).toBe(130)
    const rows = rowsOf(stdout)
    const seqs = new Set(rows.map(({ seq }) => seq))
    await eventually(() => client.lastSeq >= Math.max(...seqs), 'the witness has the last event too')
    expect(rows).toEqual(client.frames.filter(({ seq }) => seqs.has(seq)))
    await client.disconnect()
  })

  it('starts after --since, filters by --event and ends after --count', async () => {
    const client = await witness()
    // Events of earlier orders may arrive after the welcome.
    const since = client.welcome?.seq
    for (let orders = 0; orders < 3; orders++) await desk.daemon.place()
    await eventually(() => client.events('analyzer_update').length >= 3)
    const { exit, stdout } = await desk.terminal.svc(
      `event follow --since ${since} --event analyzer_update --event gap --count 2`,
      direct(),
    )
    expect(exit).toBe(0)
    expect(rowsOf(stdout)).toEqual(client.events('analyzer_update').slice(0, 2))
    await client.disconnect()
  })

  it('reconnects after a kill of the daemon, and reports missed events', async () => {
    const { port } = new URL(desk.daemon.url)
    const running = await following('event follow')
    await desk.daemon.kill()
    await desk.daemon.start({ port: Number(port) })
    const before = running.stdout()
    await eventually(async () => {
      await desk.daemon.place()
      return running.stdout() !== before
    })
    running.interrupt()
    expect((await running.ended).stderr).toContain('events were missed')
  })

  it("finds its home's daemon again after a restart on another port", async () => {
    const { home, token, url } = desk.daemon
    storeSecret(home, 'session.json', { value: token, url, username: undefined, expiresAt: undefined })
    const running = new Terminal({ home }).start('event follow')
    const printsMore = async () => {
      const before = running.stdout()
      await eventually(async () => {
        await desk.daemon.place()
        return running.stdout() !== before
      })
    }
    await printsMore()
    await desk.daemon.kill()
    await desk.daemon.start()
    expect(desk.daemon.url).not.toBe(url)
    await printsMore()
    running.interrupt()
    expect((await running.ended).exit).toBe(130)
  })

  it('reconnects to a daemon that is still starting', async () => {
    const sockets = new WebSocketServer({ noServer: true })
    const frame = (event: string, seq: number) =>
      JSON.stringify({ type: 'event', event, seq, data: {}, ts: 0 })
    let attempts = 0
    const server = createServer().on('upgrade', (request, socket, head) => {
      attempts++
      if (attempts === 2) {
        socket.end('HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\n\r\n')
        return
      }
      sockets.handleUpgrade(request, socket, head, (client) => {
        client.send(frame('connected', 1))
        if (attempts === 1) client.close(1001)
        else client.send(frame('order', 2))
      })
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const address = server.address()
    if (address === null || typeof address === 'string') throw new Error('the server has no port')
    const env = { SVC_URL: `http://127.0.0.1:${address.port}`, SVC_TOKEN: desk.daemon.token }
    const { exit, stdout } = await desk.terminal.svc('event follow --count 1', { env })
    server.close()
    expect({ exit, attempts, rows: rowsOf(stdout) }).toMatchObject({
      exit: 0,
      attempts: 3,
      rows: [{ event: 'order', seq: 2 }],
    })
  })

  it('ends with exit 3 when the session ends', async () => {
    const { body } = await desk.daemon.request<{ token: string; data: { id: number } }>(
      'POST',
      '/auth/tokens',
      {
        name: 'follower',
        scopes: ['read'],
      },
    )
    const running = desk.terminal.start('event follow', direct(body.token))
    await eventually(async () => {
      await desk.daemon.place()
      return running.stdout() !== ''
    })
    await desk.daemon.request('DELETE', `/auth/tokens/${body.data.id}`)
    expect((await running.ended).exit).toBe(3)
  })

  it('ends with exit 3 when the token may not follow events, and names the required scopes', async () => {
    const { body } = await desk.daemon.request<{ token: string }>('POST', '/auth/tokens', {
      name: 'settings',
      scopes: ['settings'],
    })
    const { exit, stderr } = await desk.terminal.svc('event follow', direct(body.token))
    expect(exit).toBe(3)
    expect(stderr).toContain('This token may not follow events.')
    expect(stderr).toContain('read, approvals or orders')
  })

  it('ends with exit 6 when the token has too many open streams, and names the remedy', async () => {
    const { body } = await desk.daemon.request<{ token: string }>('POST', '/auth/tokens', {
      name: 'many',
      scopes: ['read'],
    })
    const clients: EventClient[] = []
    while (clients.length < STREAMS_OF_ONE) {
      const client = new EventClient(desk.daemon)
      clients.push(client)
      await client.connect(undefined, body.token)
    }
    const { exit, stderr } = await desk.terminal.svc('event follow', direct(body.token))
    expect(exit).toBe(6)
    expect(stderr).toContain('reached its limit of open event streams. Close another stream')
    for (const client of clients) await client.disconnect()
  })

  it('refuses a --since that is not a whole number', async () => {
    for (const since of ['-1', '1.5', 'abc']) {
      expect([since, (await desk.terminal.svc(`event follow --since=${since}`)).exit]).toEqual([since, 2])
    }
  })
})
