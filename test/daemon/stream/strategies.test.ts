import { expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { FRAME_MS, MAX_FOLLOWED } from '../../../src/daemon/stream/strategies/rooms.js'
import { bearer, HttpDesk } from '../../support/desk/http-desk.js'
import { eventually } from '../../support/eventually.js'

/* The runs of strategies on the event stream, through a real socket. */

type Frame = Record<string, unknown> & { type: string }
type Leg = Record<string, unknown> & { leg_id: number }

const AT = '/strategy/api/strategies'
const PAIR = {
  name: 'Pair',
  underlying: 'SBIN',
  underlying_exchange: 'NSE',
  strategy_type: 'positional',
  product: 'MIS',
  universe_tab: 'stocks_fno',
  legs: [
    { segment: 'cash', position: 'B', lots: 10, sl_pts: 500 },
    { segment: 'cash', position: 'S', lots: 4, sl_pts: 500 },
  ],
}

/** A connection to the stream, with all messages except the greeting and the events. */
class Follower {
  readonly frames: Frame[] = []
  readonly events: Frame[] = []
  readonly socket: WebSocket

  constructor(port: number, token: string) {
    this.socket = new WebSocket(`ws://127.0.0.1:${port}/events`, { headers: bearer(token) })
    this.socket.on('message', (text) => {
      const frame: Frame = JSON.parse(String(text))
      if (frame.type === 'event') this.events.push(frame)
      else this.frames.push(frame)
    })
    onTestFinished(() => this.socket.terminate())
  }

  send(message: unknown): void {
    this.socket.send(typeof message === 'string' ? message : JSON.stringify(message))
  }

  of(type: string): Frame[] {
    return this.frames.filter((frame) => frame.type === type)
  }

  /** Sends a message, and resolves with the answer to it. */
  async ask(message: Record<string, unknown>): Promise<Frame | undefined> {
    const type = String(message.action)
    const before = this.of(type).length
    this.send(message)
    await eventually(() => this.of(type).length > before)
    return this.of(type).at(-1)
  }

  follow(strategyId: unknown): Promise<Frame | undefined> {
    return this.ask({ action: 'strategy_subscribe', strategy_id: strategyId })
  }
}

async function open() {
  const http = await HttpDesk.open()
  const { port, sockets } = await http.listen()
  const token = await http.signIn()
  const headers = bearer(token)
  const act = (path: string, body?: object) =>
    http.desk.settled(http.request('POST', `${AT}${path}`, { headers, ...(body && { body }) }))
  const made = await act('', PAIR)
  expect(made.status).toBe(201)
  const connected = async (by = token) => {
    const follower = new Follower(port, by)
    await eventually(() => follower.events.length > 0)
    return follower
  }
  /** Lets the time of the service pass, and the frames arrive. */
  const pass = async (ms: number) => {
    await http.desk.clock.advance(ms)
    await new Promise((resolve) => setTimeout(resolve, 30))
  }
  return { http, act, connected, pass, sockets }
}

const SUBSCRIBED = { type: 'strategy_subscribe', status: 'success', strategy_id: 1 }

test('a follower gets the state of a run, then only what changed, at most ten times a second, and its end', async () => {
  const { act, connected, pass } = await open()
  const follower = await connected()
  expect(await follower.follow(1)).toEqual(SUBSCRIBED)
  await eventually(() => follower.of('strategy_snapshot').length === 1)
  expect(follower.frames.at(-1)).toMatchObject({ strategy_id: 1, run_id: null, legs: [] })

  expect((await act('/1/start', { mode: 'sandbox' })).status).toBe(200)
  await pass(FRAME_MS)
  await eventually(() => follower.of('strategy_snapshot').length === 2)
  const snapshot = follower.of('strategy_snapshot').at(-1)
  expect(snapshot).toMatchObject({ run_id: 1, state: 'running', stop_reason: null, lock_armed: false })
  expect(Object.keys(snapshot ?? {})).toEqual(
    expect.arrayContaining([
      ...['type', 'strategy_id', 'run_id', 'ts', 'ts_ms', 'mtm_realized', 'mtm_unrealized', 'mtm_total'],
      ...['peak', 'trough', 'lock_armed', 'lock_floor', 'trail_to_entry_active', 'tick_source_degraded'],
    ]),
  )
  const [leg] = legsOf(snapshot)
  expect(leg).toMatchObject({ leg_id: 1, symbol: 'SBIN', exchange: 'NSE', position: 'B', lots: 10, qty: 10 })
  expect(Object.keys(leg ?? {})).toEqual(
    expect.arrayContaining([
      ...['status', 'entry_status', 'exit_kind', 'ltp', 'entry_avg', 'mtm', 'realized_pnl', 'effective_sl'],
      ...['effective_target', 'trail_active', 'favorable_points', 'tick_source'],
    ]),
  )

  await pass(5000)
  const deltas = follower.of('strategy_delta')
  expect(deltas.length).toBeGreaterThan(1)
  const times = deltas.map(({ ts_ms }) => Number(ts_ms))
  times
    .slice(1)
    .forEach((at, index) => void expect(at - (times[index] ?? 0)).toBeGreaterThanOrEqual(FRAME_MS))
  // The state that the changes add up to is the state of the run.
  const merged = deltas.reduce(merge, snapshot as Frame)
  const late = await connected()
  await late.follow(1)
  await eventually(() => late.of('strategy_snapshot').length === 1)
  expect(unstamped(late.of('strategy_snapshot')[0])).toEqual(unstamped(merged))
  for (const delta of deltas) {
    expect(Object.keys(delta)).not.toContain('lock_armed')
    for (const changed of legsOf(delta)) expect(Object.keys(changed)).not.toContain('symbol')
  }

  expect((await act('/1/stop')).status).toBe(200)
  await pass(FRAME_MS)
  await eventually(() => late.of('strategy_terminal').length === 1)
  for (const one of [follower, late]) {
    const [end] = one.of('strategy_terminal')
    expect(end).toMatchObject({ run_id: 1, state: 'finished', stop_reason: 'manual' })
    expect(legsOf(end).map(({ qty, status }) => [qty, status])).toEqual([
      [0, 'closed'],
      [0, 'closed'],
    ])
  }
  const count = follower.frames.length
  await pass(2000)
  expect(follower.frames).toHaveLength(count)
})

test('a strategy of another user is not found, and neither is one that does not exist', async () => {
  const { http, connected, pass, act } = await open()
  const { strategyCatalog } = http.desk.service
  const foreign = await strategyCatalog.create('ravi', { ...PAIR, name: 'Of another' })
  const follower = await connected()
  for (const id of [foreign.strategy.id, 999]) {
    expect(await follower.follow(id)).toEqual({
      type: 'strategy_subscribe',
      status: 'error',
      strategy_id: id,
      message: 'Strategy not found',
    })
  }
  await act('/1/start', { mode: 'sandbox' })
  await pass(2000)
  expect(follower.frames.map(({ type }) => type)).toEqual(['strategy_subscribe', 'strategy_subscribe'])
})

test('a strange id, a token without the scope and too many strategies are refused; an odd message is ignored', async () => {
  const { http, connected } = await open()
  const follower = await connected()
  for (const id of ['1', 0, -1, 1.5, 1e20, null, [1], { toString: 1 }, '__proto__', undefined]) {
    expect(await follower.follow(id)).toMatchObject({
      status: 'error',
      message: 'strategy_id: Must be a whole number above 0.',
    })
  }
  for (const odd of [
    '',
    '[]',
    'null',
    '{"action":{}}',
    '{"action":"constructor"}',
    '{"action":["strategy_subscribe"]}',
  ])
    follower.send(odd)
  const approver = await connected(await http.tokenOf('approvals'))
  expect(await approver.follow(1)).toMatchObject({
    status: 'error',
    message: 'The token needs the scope read.',
  })
  const { strategyCatalog } = http.desk.service
  for (let i = 0; i < MAX_FOLLOWED; i++) {
    const { strategy } = await strategyCatalog.create('asha', { ...PAIR, name: `No. ${i}` })
    const answer = await follower.follow(strategy.id)
    expect(answer).toMatchObject({ status: 'success', strategy_id: strategy.id })
  }
  const refused = {
    status: 'error',
    message: `One connection may follow at most ${MAX_FOLLOWED} strategies.`,
  }
  expect(await follower.follow(1)).toMatchObject(refused)
  await follower.ask({ action: 'strategy_unsubscribe', strategy_id: 2 })
  expect(await follower.follow(1)).toMatchObject({ status: 'success' })
})

test('after unsubscribing, and after the end of a connection, nothing is sent', async () => {
  const { act, connected, pass } = await open()
  const [stays, leaves, gone] = [await connected(), await connected(), await connected()]
  for (const one of [stays, leaves, gone]) await one.follow(1)
  expect(await leaves.ask({ action: 'strategy_unsubscribe', strategy_id: 1 })).toMatchObject({
    status: 'success',
  })
  gone.socket.terminate()
  await act('/1/start', { mode: 'sandbox' })
  await pass(1000)
  expect(stays.of('strategy_snapshot')).toHaveLength(2)
  expect(leaves.of('strategy_snapshot')).toHaveLength(1)
  expect(gone.of('strategy_snapshot')).toHaveLength(1)
})

test('a client that does not read its frames is disconnected', async () => {
  const { act, connected, sockets } = await open()
  await act('/1/start', { mode: 'sandbox' })
  const slow = await connected()
  slow.socket.pause()
  // Each of these is answered with a whole state. The buffers of both ends take some megabytes.
  for (let i = 0; i < 10_000; i++) slow.send({ action: 'strategy_subscribe', strategy_id: 1 })
  expect(sockets.count).toBe(1)
  await eventually(() => sockets.count === 0)
})

test('changes of a strategy by hand are events of the stream', async () => {
  const { act, connected } = await open()
  const follower = await connected()
  await act('/1/live', { enabled: true })
  await act('/1/kill_switch')
  await act('/1/unlock_webhook')
  await eventually(() => follower.events.filter(({ event }) => event === 'strategy_event').length === 3)
  expect(
    follower.events.flatMap(({ event, data }) => (event === 'strategy_event' ? [data] : [])),
  ).toMatchObject([
    { strategy_id: 1, run_id: null, kind: 'live_enabled', severity: 'warn' },
    { strategy_id: 1, run_id: null, kind: 'webhook_locked', severity: 'critical' },
    { strategy_id: 1, run_id: null, kind: 'webhook_unlocked', severity: 'info', message: 'Webhook unlocked' },
  ])
})

test('a token that may not read strategies gets no events of strategies', async () => {
  const { http, act, connected } = await open()
  const [owner, approver] = [await connected(), await connected(await http.tokenOf('approvals'))]
  await act('/1/live', { enabled: true })
  await eventually(() => owner.events.some(({ event }) => event === 'strategy_event'))
  expect(approver.events.map(({ event }) => event)).toEqual(['connected'])
})

const legsOf = (frame: Frame | undefined) => (frame?.legs ?? []) as Leg[]

function merge(state: Frame, changes: Frame): Frame {
  const changed = new Map(legsOf(changes).map((leg) => [leg.leg_id, leg]))
  return {
    ...state,
    ...changes,
    legs: legsOf(state).map((leg) => ({ ...leg, ...changed.get(leg.leg_id) })),
  }
}

function unstamped(frame: Frame | undefined) {
  return { ...frame, ts: undefined, ts_ms: undefined, type: undefined }
}
