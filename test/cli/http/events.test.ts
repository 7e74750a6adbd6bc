import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { APPROVAL } from '../support/bodies.js'
import { KEPT_SESSION, signedIn } from '../support/desk.js'
import type { FakeDaemon } from '../support/fake-daemon.js'

const frame = (seq: number, event = 'order_event') => ({ type: 'event', seq, event, data: { n: seq }, ts: 1 })
const connected = (seq: number, more: object = {}) => ({
  type: 'event',
  event: 'connected',
  seq,
  data: { user_id: 'alice', ...more },
})

/** The next follower, greeted; its address and credential. */
async function greet(daemon: FakeDaemon, seq: number, more: object = {}) {
  const [socket, request] = await once(daemon.sockets, 'connection')
  socket.send(JSON.stringify(connected(seq, more)))
  return { socket, url: String(request.url), authorization: String(request.headers.authorization) }
}

describe('svc event follow', () => {
  it('prints each event as one JSON object a line, the greeting not', async () => {
    const { daemon, terminal } = await signedIn()
    const ran = terminal.svc('event follow --count 2')
    const { authorization } = await greet(daemon, 4)
    daemon.emit(frame(5))
    daemon.emit(frame(6))
    expect((await ran).stdout).toBe(`${JSON.stringify(frame(5))}\n${JSON.stringify(frame(6))}\n`)
    expect(authorization).toBe(`Bearer ${KEPT_SESSION}`)
  })

  it('starts after --since and filters by --event', async () => {
    const { daemon, terminal } = await signedIn()
    const ran = terminal.svc('event follow --since 3 --event b --event c --count 2')
    const { url } = await greet(daemon, 6)
    for (const [seq, name] of [
      [4, 'a'],
      [5, 'b'],
      [6, 'c'],
    ] as const)
      daemon.emit(frame(seq, name))
    expect(
      (await ran).stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).seq),
    ).toEqual([5, 6])
    expect(url).toBe('/events?since=3')
  })

  it('reconnects and takes up after the last event it saw', async () => {
    const { daemon, terminal } = await signedIn()
    const ran = terminal.svc('event follow --count 2')
    const first = await greet(daemon, 4)
    daemon.emit(frame(5))
    first.socket.terminate()
    const second = await greet(daemon, 9, { gap: true })
    daemon.emit(frame(6))
    const { exit, stdout, stderr } = await ran
    expect(exit).toBe(0)
    expect(second.url).toBe('/events?since=5')
    expect(stdout.trim().split('\n')).toHaveLength(2)
    expect(stderr).toContain('events were missed')
  })

  it('says so when the daemon lost events', async () => {
    const { daemon, terminal } = await signedIn()
    const ran = terminal.svc('event follow --count 1')
    await greet(daemon, 4)
    daemon.emit({ type: 'event', seq: 8, event: 'gap', data: { lost: 3, from: 5, to: 7 }, ts: 1 })
    const { stdout, stderr } = await ran
    expect(JSON.parse(stdout)).toMatchObject({ event: 'gap', data: { lost: 3 } })
    expect(stderr).toContain('events were missed: the daemon lost 3 of them')
  })

  it('ends with exit 3 when the session ends', async () => {
    const { daemon, terminal } = await signedIn()
    const ran = terminal.svc('event follow')
    const { socket } = await greet(daemon, 1)
    socket.close(4401)
    expect((await ran).exit).toBe(3)
  })

  it('ends with exit 6 when the token has too many streams open, and says what helps', async () => {
    const { daemon, terminal } = await signedIn()
    daemon.sockets.on('connection', (socket) => socket.close(4429))
    const { exit, stderr } = await terminal.svc('event follow')
    expect(exit).toBe(6)
    expect(stderr).toContain('as many event streams open as it may. End another one')
  })

  it('tries again when it comes back before its former connection is given up', async () => {
    const { daemon, terminal } = await signedIn()
    const ran = terminal.svc('event follow --count 1')
    ;(await greet(daemon, 1)).socket.terminate()
    const [full] = await once(daemon.sockets, 'connection')
    full.close(4429)
    await greet(daemon, 1)
    daemon.emit(frame(2))
    expect((await ran).exit).toBe(0)
  })

  it('ends with exit 3 when the token may not follow events, and says which scopes it takes', async () => {
    const { daemon, terminal } = await signedIn()
    daemon.sockets.options.verifyClient = (_info, answer) => answer(false, 403)
    const { exit, stderr } = await terminal.svc('event follow')
    expect(exit).toBe(3)
    expect(stderr).toContain('This token may not follow events.')
    expect(stderr).toContain('read, approvals or orders')
  })

  it.each(['-1', '1.5', 'abc'])('refuses --since %s', async (since) => {
    const { terminal } = await signedIn()
    expect((await terminal.svc(`event follow --since=${since}`)).exit).toBe(2)
  })

  it('Ctrl-C ends it with 130', async () => {
    const controller = new AbortController()
    const { daemon, terminal } = await signedIn({ interrupts: controller.signal })
    const ran = terminal.svc('event follow')
    await greet(daemon, 1)
    const { interruptedError } = await import('../../../src/cli/framework/errors.js')
    controller.abort(interruptedError())
    expect((await ran).exit).toBe(130)
  })
})

describe('svc approval watch', () => {
  it('in a pipe prints a line for every order as it is queued and decided', async () => {
    const controller = new AbortController()
    const { daemon, terminal } = await signedIn({ interrupts: controller.signal })
    const states = ['pending', 'pending', 'approved', 'approved']
    let reads = 0
    daemon.on('GET /action-center/api/data', () => {
      reads += 1
      if (reads > 3) setImmediate(() => controller.abort())
      return { body: { status: 'success', data: { orders: [{ ...APPROVAL, status: states[reads - 1] }] } } }
    })
    const ran = terminal.svc('approval watch')
    await greet(daemon, 1)
    daemon.emit(frame(2, 'order_event'))
    daemon.emit(frame(3, 'pending_order_updated'))
    daemon.emit(frame(4, 'pending_order_updated'))
    const { stdout } = await ran
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).status),
    ).toEqual(['pending', 'approved'])
  })
})
