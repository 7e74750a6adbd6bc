import { expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { asleep } from '../../support/asleep.js'
import { USER } from '../../support/desk/desk.js'
import { bearer, HttpDesk } from '../../support/desk/http-desk.js'
import { eventually } from '../../support/eventually.js'

interface Frame {
  seq: number
  event: string
  data: Record<string, unknown>
}

/** A stream that opened: its first frame says where it begins. */
const OPENED = { frames: expect.arrayContaining([expect.objectContaining({ event: 'connected' })]) }

/** A client with the frames it received and its close code. */
class Client {
  readonly frames: Frame[] = []
  readonly socket: WebSocket
  closedWith: number | undefined
  closedFor: string | undefined
  /** The answer to a refused upgrade. */
  status: number | undefined

  constructor(port: number, path: string, headers: Record<string, string> = {}) {
    this.socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, { headers })
    this.socket.on('message', (text) => this.frames.push(JSON.parse(String(text))))
    this.socket.on('close', (code, reason) => {
      this.closedWith = code
      this.closedFor = String(reason)
    })
    this.socket.on('error', () => undefined)
    this.socket.on('unexpected-response', (_request, { statusCode }) => {
      this.status = statusCode
      this.socket.terminate()
    })
    onTestFinished(() => this.socket.terminate())
  }

  /** Resolves once the stream is open. @returns the client, or undefined when it was refused */
  async opened(): Promise<Client | undefined> {
    await eventually(() => this.frames.length > 0 || this.closedWith !== undefined)
    return this.frames.length > 0 ? this : undefined
  }
}

async function serving() {
  const http = await HttpDesk.open()
  const { port, sockets } = await http.listen()
  const client = (path: string, headers?: Record<string, string>) => new Client(port, path, headers).opened()
  const ticketOf = async (token: string) =>
    String((await http.request('POST', '/auth/ws-ticket', { headers: bearer(token) })).body.ticket)
  /** Returns the status with which a stream is refused. */
  const refused = async (path: string, headers?: Record<string, string>) => {
    const attempt = new Client(port, path, headers)
    await attempt.opened()
    return attempt.status
  }
  return { http, sockets, port, client, refused, ticketOf }
}

test('a ticket opens one stream, once', async () => {
  const { http, client, ticketOf } = await serving()
  const ticket = await ticketOf(await http.signIn())
  expect(await client(`/events?ticket=${ticket}`)).toMatchObject(OPENED)
  expect(await client(`/events?ticket=${ticket}`)).toBeUndefined()
})

test('a ticket opens a stream for thirty seconds only, and for a page of this host only', async () => {
  const { http, client, refused, ticketOf } = await serving()
  const token = await http.signIn()
  const [timely, late, foreign] = [await ticketOf(token), await ticketOf(token), await ticketOf(token)]
  expect(await refused(`/events?ticket=${foreign}`, { origin: 'https://evil.example' })).toBe(403)
  await http.desk.clock.advance(29_999)
  expect(await client(`/events?ticket=${timely}`)).toMatchObject(OPENED)
  await http.desk.clock.advance(1)
  expect(await refused(`/events?ticket=${late}`)).toBe(401)
})

test('a ticket ends with the session it was issued for', async () => {
  const { http, client, ticketOf } = await serving()
  const token = await http.signIn()
  const ticket = await ticketOf(token)
  await http.request('POST', '/auth/logout', { headers: bearer(token) })
  expect(await client(`/events?ticket=${ticket}`)).toBeUndefined()
})

test('logging out closes the streams of that session, and of no other credential', async () => {
  const { http, client } = await serving()
  const [gone, stays] = [await http.signIn(), await http.signIn()]
  const [first, second] = [await client('/events', bearer(gone)), await client('/events', bearer(stays))]
  await http.request('POST', '/auth/logout', { headers: bearer(gone) })
  await eventually(() => first?.closedWith !== undefined)
  expect([first?.closedWith, second?.closedWith]).toEqual([4401, undefined])
})

test('when another session ends a session, only its own clients get the reason before they are closed', async () => {
  const { http, client } = await serving()
  const [gone, stays] = [await http.signIn(), await http.signIn()]
  const token = await http.tokenOf('read')
  const [lost, kept, script] = [
    await client('/events', bearer(gone)),
    await client('/events', bearer(stays)),
    await client('/events', bearer(token)),
  ]
  const { sessions } = http.desk.service.identity
  const id = sessions.verify(gone)?.id
  await http.request('DELETE', `/auth/active-sessions/${id}`, { headers: bearer(stays) })
  await eventually(() => lost?.closedWith !== undefined && script?.frames.length === 2)
  const message = 'You have been logged out from another device.'
  expect(lost?.frames.slice(1)).toMatchObject([{ event: 'force_logout', data: { message } }])
  expect(lost?.closedWith).toBe(4401)
  for (const other of [kept, script]) {
    expect(other?.closedWith).toBeUndefined()
    expect(other?.frames.slice(1)).toMatchObject([
      { event: 'active_sessions_update', data: { count: 1, sessions: sessions.list(USER) } },
    ])
  }
})

test('a sixth sign-in ends the oldest session with an event, and all clients see five sessions', async () => {
  const { http, client } = await serving()
  const script = await client('/events', bearer(await http.tokenOf('read')))
  const oldest = await client('/events', bearer(await http.signIn()))
  for (let n = 2; n <= 6; n++) await http.signIn()
  await eventually(() => oldest?.closedWith === 4401 && script?.frames.length === 7)
  expect(oldest?.frames.at(-1)?.event).toBe('force_logout')
  expect(script?.frames.slice(1).map(({ data }) => data.count)).toEqual([1, 2, 3, 4, 5, 5])
})

test('the end of the day closes the streams of a session at once, with the reason', async () => {
  const { http, client } = await serving()
  const { clock } = http.desk
  const token = await http.signIn()
  const stream = await client('/events', bearer(token))
  const end = http.desk.service.identity.sessions.verify(token)?.expiresAt ?? 0
  await asleep(clock, end - 1 - clock.now())
  expect((await http.request('GET', '/auth/whoami', { headers: bearer(token) })).status).toBe(200)
  expect(stream?.closedWith).toBeUndefined()
  await clock.advance(1)
  await eventually(() => stream?.closedWith !== undefined)
  expect(stream?.frames.at(-1)).toMatchObject({
    event: 'force_logout',
    data: {
      message: 'Session expired at market close. Please log in again and complete broker authentication.',
    },
  })
  expect(stream?.closedWith).toBe(4401)
})

test('the events of one session are not replayed to another', async () => {
  const { http, client } = await serving()
  const [gone, stays] = [await http.signIn(), await http.signIn()]
  const [lost, witness] = [await client('/events', bearer(gone)), await client('/events', bearer(stays))]
  const since = http.desk.service.stream.lastSeq
  await http.request('POST', '/auth/logout', { headers: bearer(gone) })
  await eventually(() => lost?.closedWith === 4401 && witness?.frames.length === 2)
  const back = await client(`/events?since=${since}`, bearer(stays))
  await eventually(() => back?.frames.length === 2)
  expect(back?.frames[0]?.data.gap).toBe(false)
  expect(back?.frames[1]?.event).toBe('active_sessions_update')
})

test.each(['orders', 'approvals'] as const)(
  'a token of scope %s hears of no sessions, live or in replay: their list is not for it either',
  async (scope) => {
    const { http, client } = await serving()
    const token = await http.tokenOf(scope)
    const { stream } = http.desk.service
    const since = stream.lastSeq
    const [narrow, wide] = [
      await client('/events', bearer(token)),
      await client('/events', bearer(await http.tokenOf('read'))),
    ]
    await http.signIn()
    await eventually(() => wide?.frames.length === 2)
    stream.publish('order_event', { n: 1 }, USER)
    const replayed = await client(`/events?since=${since}`, bearer(token))
    await eventually(() => [narrow, replayed].every((one) => one?.frames.at(-1)?.event === 'order_event'))
    await eventually(() => wide?.frames.length === 3)
    const events = (one?: Client) => one?.frames.slice(1).map(({ event }) => event)
    expect(events(narrow)).toEqual(['order_event'])
    expect(events(replayed)).toEqual(['order_event'])
    expect(events(wide)).toEqual(['active_sessions_update', 'order_event'])
    expect((await http.request('GET', '/auth/active-sessions', { headers: bearer(token) })).status).toBe(403)
  },
)

test('a new API key does not end a token that happens to have the same number', async () => {
  const { http, client } = await serving()
  const token = await http.tokenOf('read')
  const stream = await client('/events', bearer(token))
  const { keyId } = await http.desk.service.identity.apiKeys.rotate(USER)
  expect(http.desk.service.identity.tokens.list(USER).map(({ id }) => id)).toContain(keyId)
  http.desk.service.stream.publish('order_event', { n: 1 }, USER)
  await eventually(() => stream?.frames.length === 2)
  expect(stream?.closedWith).toBeUndefined()
})

test('a page of another origin cannot open a stream', async () => {
  const { http, client } = await serving()
  for (const origin of ['http://evil.example', 'http://127.0.0.1:1', 'null', '%']) {
    const headers = { origin, cookie: `session=${await http.signIn()}` }
    expect(await client('/events', headers), origin).toBeUndefined()
  }
})

test('a reconnecting client gets the missed events in order, and then new ones', async () => {
  const { http, client } = await serving()
  const { stream } = http.desk.service
  const headers = bearer(await http.tokenOf('read'))
  const since = stream.lastSeq
  const publish = (n: number) => stream.publish('order_event', { n }, USER)
  for (let n = 0; n < 2600; n++) publish(n)
  stream.publish('order_event', { n: 'of somebody else' }, 'ravi')
  const back = await client(`/events?since=${since}`, headers)
  for (let n = 2600; n < 2700; n++) publish(n)
  await eventually(() => back?.frames.length === 2701)
  expect(back?.frames.slice(1).map(({ data }) => data.n)).toEqual(Array.from({ length: 2700 }, (_, n) => n))
})

test('without a credential it is 401; with one that lacks the scope 403, by ticket as well', async () => {
  const { http, client, refused, ticketOf } = await serving()
  expect(await refused('/events')).toBe(401)
  expect(await refused('/events', bearer('x'.repeat(43)))).toBe(401)
  for (const scope of ['flows', 'strategies', 'settings'] as const) {
    const token = await http.tokenOf(scope)
    expect(await refused('/events', bearer(token))).toBe(403)
    expect(await refused(`/events?ticket=${await ticketOf(token)}`)).toBe(403)
  }
  for (const scope of ['read', 'approvals', 'orders', 'admin'] as const) {
    expect(await client('/events', bearer(await http.tokenOf(scope)))).toMatchObject(OPENED)
  }
})

test('a client that wants what came after no number is refused, not given less than it asked for', async () => {
  const { http, refused } = await serving()
  const headers = bearer(await http.signIn())
  for (const since of ['abc', '-1', '1.5', '', ' ', '1e3', '0x10', '9007199254740993', '9'.repeat(20)]) {
    expect(await refused(`/events?since=${encodeURIComponent(since)}`, headers), since).toBe(400)
  }
})

test('a number that was never given out is a gap, and the greeting has the newest', async () => {
  const { http, client } = await serving()
  const { stream } = http.desk.service
  const headers = bearer(await http.tokenOf('read'))
  stream.publish('order_event', { n: 1 }, USER)
  const { lastSeq } = stream
  const ahead = await client(`/events?since=${lastSeq + 5}`, headers)
  expect(ahead?.frames[0]).toMatchObject({ seq: lastSeq, data: { last_seq: lastSeq, gap: true } })
  const level = await client(`/events?since=${lastSeq}`, headers)
  expect(level?.frames[0]).toMatchObject({ seq: lastSeq, data: { last_seq: lastSeq, gap: false } })
})

test('one token cannot hold the places of others: its eleventh stream is closed, and makes room by leaving', async () => {
  const { http, sockets, port, client } = await serving()
  const greedy = bearer(await http.tokenOf('read'))
  const open = await Promise.all(Array.from({ length: 10 }, () => client('/events', greedy)))
  for (const one of open) expect(one).toMatchObject(OPENED)
  const eleventh = new Client(port, '/events', greedy)
  await eventually(() => eleventh.closedWith !== undefined)
  expect([eleventh.closedWith, eleventh.closedFor, eleventh.frames]).toEqual([
    4429,
    'a session or token may open at most 10 event streams',
    [],
  ])
  expect(await client('/events', bearer(await http.tokenOf('read')))).toMatchObject(OPENED)
  expect(await client('/events', bearer(await http.signIn()))).toMatchObject(OPENED)
  expect(sockets.count).toBe(12)
  open[0]?.socket.terminate()
  await eventually(() => sockets.count === 11)
  expect(await client('/events', greedy)).toMatchObject(OPENED)
})

test('a ticket counts for the session it was issued for', async () => {
  const { http, port, client, ticketOf } = await serving()
  const token = await http.signIn()
  for (let n = 0; n < 10; n++) await client(`/events?ticket=${await ticketOf(token)}`)
  const eleventh = new Client(port, '/events', bearer(token))
  await eventually(() => eleventh.closedWith !== undefined)
  expect(eleventh.closedWith).toBe(4429)
})

test('a client that does not read is let go before much waits for it', async () => {
  const { http, sockets, client } = await serving()
  const { stream } = http.desk.service
  const slow = await client('/events', bearer(await http.signIn()))
  slow?.socket.pause()
  const frame = { text: 'x'.repeat(10_000) }
  // The operating system first buffers some megabytes of it.
  for (let i = 0; sockets.count > 0 && i < 3000; i++) {
    stream.publish('order_event', frame, USER)
    if (i % 50 === 0) await new Promise((resolve) => setImmediate(resolve))
  }
  await eventually(() => sockets.count === 0)
})

test('a client that reads gets all of a turn, however much the turn publishes', async () => {
  const { http, sockets, client } = await serving()
  const { stream } = http.desk.service
  const headers = bearer(await http.tokenOf('read'))
  const [one, other] = [await client('/events', headers), await client('/events', headers)]
  const text = 'x'.repeat(10_000)
  for (let n = 0; n < 150; n++) stream.publish('order_event', { n, text }, USER)
  await eventually(() => one?.frames.length === 151 && other?.frames.length === 151)
  for (const each of [one, other])
    expect(each?.frames.slice(1).map(({ data }) => data.n)).toEqual(Array.from({ length: 150 }, (_, n) => n))
  expect(sockets.count).toBe(2)
})

test('an event of any size arrives as it was published', async () => {
  const { http, client } = await serving()
  const follower = await client('/events', bearer(await http.tokenOf('read')))
  const { stream } = http.desk.service
  const texts: string[] = []
  const publish = (text: string) => {
    stream.publish('e', { text }, USER)
    texts.push(text)
  }
  for (const size of [0, 10, 100, 125, 126, 127, 65_000, 65_535, 65_536, 200_000]) {
    const seq = stream.lastSeq + 1
    const bare = JSON.stringify({
      type: 'event',
      seq,
      event: 'e',
      data: { text: '' },
      ts: http.desk.clock.now(),
    })
    publish('x'.repeat(Math.max(0, size - bare.length)))
    publish('₹')
  }
  await eventually(() => follower?.frames.length === texts.length + 1)
  expect(follower?.frames.slice(1).map(({ data }) => data.text)).toEqual(texts)
})

test('a client that joins within a turn gets the events after its greeting only, each once', async () => {
  const { http, sockets, client } = await serving()
  const { stream } = http.desk.service
  const headers = bearer(await http.tokenOf('read'))
  const first = await client('/events', headers)
  const since = stream.lastSeq
  let n = 0
  let publishing = true
  const turn = () => {
    for (let i = 0; i < 5; i++) stream.publish('order_event', { n: n++ }, USER)
    if (publishing) setImmediate(turn)
  }
  turn()
  const joined = await Promise.all([
    client('/events', headers),
    client(`/events?since=${since}`, headers),
    client('/events', headers),
  ])
  publishing = false
  await new Promise((resolve) => setImmediate(resolve))
  await eventually(() => [first, ...joined].every((one) => one?.frames.at(-1)?.seq === stream.lastSeq))
  for (const one of [first, ...joined]) {
    const start = one?.frames[0]?.seq ?? 0
    const seqs = one?.frames.slice(1).map(({ seq }) => seq)
    expect(seqs).toEqual(Array.from({ length: stream.lastSeq - start }, (_, i) => start + 1 + i))
  }
  expect(sockets.count).toBe(4)
})

test('a client that is closed first gets the events that the same turn published', async () => {
  const http = await HttpDesk.open()
  const { identity, stream } = http.desk.service
  identity.onRevoked(() => stream.publish('order_event', { n: 1 }, USER))
  const { port } = await http.listen()
  const token = await http.signIn()
  const leaver = await new Client(port, '/events', bearer(token)).opened()
  await identity.sessions.revoke(USER, identity.sessions.verify(token)?.id ?? '')
  await eventually(() => leaver?.closedWith !== undefined)
  expect(leaver?.frames.slice(1).map(({ event }) => event)).toEqual(['order_event', 'force_logout'])
})
