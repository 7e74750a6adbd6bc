import { request } from 'node:http'
import { describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { eventually, pause } from '../../support/eventually.js'
import { Client, follow, openRig, SBIN, tickOf } from './rig.js'

describe('signing in', () => {
  test('has to happen within fifteen seconds', async () => {
    const { clock, connect, signIn } = await openRig()
    const [silent, signedIn] = [await connect(), await signIn()]
    await clock.advance(14_999)
    expect(await silent.drained()).toEqual([])
    await clock.advance(1)
    expect(await silent.closed).toEqual({ code: 4401, reason: 'auth timeout' })
    expect(await signedIn.drained()).toEqual([])
  })

  test('cannot be guessed at for long', async () => {
    const { connect } = await openRig()
    const client = await connect()
    for (let i = 0; i < 10; i++) client.send({ action: 'authenticate', api_key: `guess ${i}` })
    expect(await client.closed).toEqual({ code: 4401, reason: 'too many failed attempts' })
    expect(client.frames).toHaveLength(10)
  })

  test('ends with the key: a new key closes the connections of the old one', async () => {
    const { hub, identity, signIn, apiKey, connect } = await openRig()
    const client = await signIn()
    await follow(client, SBIN)
    const { apiKey: fresh } = await identity.apiKeys.rotate('asha')
    expect(await client.closed).toEqual({ code: 4401, reason: 'api key revoked' })
    await eventually(() => hub.symbols().length === 0)
    const again = await connect()
    expect(await again.ask({ action: 'authenticate', api_key: apiKey })).toMatchObject({ status: 'error' })
    expect(await again.ask({ action: 'authenticate', api_key: fresh })).toMatchObject({ status: 'success' })
  })
})

describe('a connection', () => {
  test('that gives no sign of life for a ping is closed and forgotten', async () => {
    const { clock, sockets, signIn, hub, connect, apiKey } = await openRig()
    const alive = await signIn()
    const dead = await connect({ autoPong: false })
    await dead.ask({ action: 'authenticate', api_key: apiKey })
    await follow(dead, SBIN)
    await clock.advance(20_000)
    await alive.drained()
    await clock.advance(20_000)
    expect(await dead.closed).toEqual({ code: 1011, reason: 'ping timeout' })
    await eventually(() => sockets.count === 1)
    expect(hub.symbols()).toEqual([])
    expect(await alive.drained()).toEqual([])
  })

  test('that signs nobody in makes room for the next one, and keeps nobody out', async () => {
    const { connect, signIn, sockets } = await openRig()
    const early = await signIn()
    const strangers = []
    for (let n = 0; n < 100; n++) strangers.push(await connect())
    const late = await signIn()
    expect(await strangers[0]?.closed).toMatchObject({ code: 1006 })
    await eventually(() => sockets.count === 101)
    expect([sockets.signedIn, await early.drained(), await late.drained()]).toEqual([2, [], []])
  })

  test('that is gone without a word is forgotten', async () => {
    const { sockets, signIn, hub } = await openRig()
    const client = await signIn()
    await follow(client, SBIN)
    client.socket.terminate()
    await eventually(() => sockets.count === 0)
    expect(hub.symbols()).toEqual([])
    hub.publish(tickOf(SBIN))
  })

  test('takes messages up to one mebibyte', async () => {
    const { signIn } = await openRig()
    const client = await signIn()
    const padded = (bytes: number) => {
      const frame = JSON.stringify({ action: 'ping', pad: '' })
      return frame.replace('""', `"${'x'.repeat(bytes - frame.length)}"`)
    }
    expect(await client.ask(padded(1_048_576))).toMatchObject({ type: 'pong' })
    client.send(padded(1_048_577))
    expect((await client.closed).code).toBe(1009)
  })

  test('takes only short messages before its client has signed in', async () => {
    const { connect, apiKey } = await openRig()
    const [early, late] = [await connect(), await connect()]
    const long = { action: 'ping', pad: 'x'.repeat(5000) }
    early.send(long)
    expect(await early.closed).toEqual({ code: 1009, reason: 'sign in before a long message' })
    expect(early.frames).toEqual([])
    // A client that signs in first need not wait for the answer.
    late.send({ action: 'authenticate', api_key: apiKey })
    expect(await late.ask(long)).toMatchObject({ type: 'auth' })
    await eventually(() => late.frames.some(({ type }) => type === 'pong'))
  })

  test('is listened to more slowly before its client has signed in', async () => {
    const { connect, apiKey } = await openRig()
    const client = await connect()
    // Longer than a chunk of the socket, which is read in one go.
    for (let i = 0; i < 180; i++) client.send({ action: 'ping', pad: 'x'.repeat(950) })
    await eventually(() => client.frames.length >= 50)
    await pause(100)
    expect(client.frames.length).toBeLessThan(180)
    // Signing in ends the pause: the clock stands still, and all that was sent ahead is read.
    const other = await connect()
    other.send({ action: 'authenticate', api_key: apiKey })
    for (let i = 0; i < 1000; i++) other.send({ action: 'ping', pad: 'x'.repeat(950) })
    await eventually(() => other.frames.length === 1001)
    expect(client.frames.length).toBeLessThan(180)
  })

  test('that talks too fast is listened to more slowly, and nothing it says is lost', async () => {
    const { clock, signIn } = await openRig()
    const client = await signIn()
    const sent = 6000
    for (let i = 0; i < sent; i++) client.send({ action: 'ping', _pingId: i })
    await eventually(() => client.frames.length >= 1999)
    await pause(100)
    expect(client.frames.length).toBeLessThan(sent)
    await eventually(async () => {
      await clock.advance(1000)
      return client.frames.length === sent
    })
    expect(client.frames.map(({ _pingId }) => _pingId)).toEqual(Array.from({ length: sent }, (_, i) => i))
  })

  test('is closed with a reason when the service stops', async () => {
    const { signIn, sockets } = await openRig()
    const client = await signIn()
    sockets.close()
    expect(await client.closed).toEqual({ code: 1001, reason: 'the service is stopping' })
  })

  test('is cut off when it does not answer to that', async () => {
    const { clock, signIn, sockets } = await openRig()
    const client = await signIn()
    client.socket.pause()
    sockets.close()
    await clock.advance(1000)
    await eventually(() => sockets.count === 0)
  })
})

describe('a browser', () => {
  const status = (port: number, headers: Record<string, string>): Promise<number> =>
    new Promise((resolve, reject) => {
      const upgrade = {
        Connection: 'Upgrade',
        Upgrade: 'websocket',
        'Sec-WebSocket-Version': '13',
        'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
      }
      const asked = request({ port, host: '127.0.0.1', headers: { ...upgrade, ...headers } })
      asked.on('upgrade', (response, socket) => {
        socket.destroy()
        resolve(response.statusCode ?? 0)
      })
      asked.on('response', (response) => {
        response.resume()
        resolve(response.statusCode ?? 0)
      })
      asked.on('error', reject)
      asked.end()
    })

  test.each([
    ['no origin', {}, 101],
    ['a page of this host', { origin: 'http://127.0.0.1' }, 101],
    ['a page of another port of this host', { origin: 'http://127.0.0.1:5000' }, 101],
    ['a page of the loopback by another name', { origin: 'http://localhost:5000' }, 101],
    ['a page of another host', { origin: 'https://evil.example' }, 403],
    ['a page of another host that ends like this one', { origin: 'http://x127.0.0.1' }, 403],
    ['a sandboxed page', { origin: 'null' }, 403],
    ['a page behind a proxy', { origin: 'https://desk.example', host: 'desk.example' }, 101],
    ['a page that is allowed', { origin: 'https://desk.example:8443' }, 101],
    ['a page of an allowed host on another port', { origin: 'https://desk.example' }, 403],
    ['a page of the loopback at a public name', { origin: 'http://localhost', host: 'desk.example' }, 403],
  ])('from %s', async (_, headers, expected) => {
    const { port } = await openRig({ allowedOrigins: ['https://desk.example:8443'] })
    expect(await status(port, headers)).toBe(expected)
  })
})

test('answers to a client that left while its key was checked go nowhere, and it leaves nothing behind', async () => {
  const { apiKey, hub, port, sockets } = await openRig()
  const client = new Client(new WebSocket(`ws://127.0.0.1:${port}/`))
  await client.opened
  client.send({ action: 'authenticate', api_key: apiKey })
  client.send({ action: 'subscribe', ...SBIN })
  client.socket.terminate()
  await eventually(() => sockets.count === 0)
  await pause(300)
  expect(hub.symbols()).toEqual([])
})
