import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { exchangeLedger } from '../../src/core/brokers/simulated/index.js'
import { NOT_SENT } from '../../src/core/orders/end.js'
import { casesFor, testInTorture } from '../support/chance/cases.js'
import {
  approvalsOf,
  journalOf,
  onlyOrder,
  queueOne,
  reaches,
  sandboxOf,
} from '../support/desk/desk-state.js'
import { damages, filesBelow, query } from '../support/files/files.js'
import { Authenticator } from '../support/process/authenticator.js'
import { DaemonProcess, type Env, PASSWORD, USERNAME } from '../support/process/daemon-process.js'
import { FakeBrokerProcess } from '../support/process/fake-broker-process.js'
import { FAKE_BROKERS } from '../support/process/fake-brokers.js'

/*
 * Promise 6: the process dies once at each named point, and the promise of that point holds after a restart.
 * Every point of the source has a row here or a test in this folder; the last test fails for a point without
 * either. `npm test` runs one row for each kind of promise.
 */
const SOURCE = fileURLToPath(new URL('../../src/', import.meta.url))
const TESTS = fileURLToPath(new URL('.', import.meta.url))
const KEY = { 'idempotency-key': 'one-intent' }
const ORDER = { quantity: 3 }

type Market = 'sandbox' | 'simulated' | 'kite'

interface Scene {
  daemon: DaemonProcess
  kite: FakeBrokerProcess
  /** Returns the broker's orders from its own ledger. */
  atBroker: () => Promise<{ orderId: string }[]>
}

interface CrashPoint {
  point: string
  market: Market
  promise: string
  /** Runs before the act; it does not pass the point either. */
  prepare?: (scene: Scene) => Promise<unknown>
  /** Passes the point; without it, the start of the daemon does. */
  act?: (scene: Scene) => Promise<unknown>
  /** Runs after the restart. */
  verify: (scene: Scene) => Promise<unknown>
}

const place = ({ daemon }: Scene) => daemon.place(ORDER, KEY)
const semiAuto = async (scene: Scene) => {
  await scene.daemon.orderMode('semi_auto')
  await queueOne(scene.daemon, ORDER)
}
/** Every price reaches its trigger. */
const DUE_GTT = {
  strategy: 'e2e',
  trigger_type: 'SINGLE',
  exchange: 'NSE',
  symbol: 'SBIN',
  action: 'BUY',
  product: 'CNC',
  quantity: 3,
  pricetype: 'MARKET',
  price: 0,
  triggerprice_tg: 1,
}
/** The quantities of the three orders of one request. */
const PARTS = [2, 2, 1]
const split = ({ daemon }: Scene) =>
  daemon.api<{ results: { status: string; orderid?: string }[] }>(
    'splitorder',
    { strategy: 'e2e', exchange: 'NSE', symbol: 'SBIN', action: 'BUY', quantity: 5, splitsize: 2 },
    KEY,
  )
const approve = ({ daemon }: Scene) => daemon.request('POST', '/action-center/approve/1')

/** The code of the sign-in that a crash ends. */
let lostCode = ''
async function signInWithCode(daemon: DaemonProcess, totp_code: string) {
  const credentials = { username: USERNAME, password: PASSWORD }
  const { login_token } = (await daemon.request('POST', '/auth/login', credentials)).body
  return daemon.request('POST', '/auth/login/totp', { totp_code, login_token })
}

/** Checks that the order exists once and that a retry with its key names it. */
async function expectOneSimulated(scene: Scene): Promise<void> {
  const before = await sandboxOf(scene.daemon)
  const again = await place(scene)
  expect(again.body).toMatchObject({ status: 'success', mode: 'analyze' })
  const { orders, trades, held } = await sandboxOf(scene.daemon)
  expect(orders.map(({ order_id }) => order_id)).toEqual([again.body.orderid])
  expect(trades).toHaveLength(1)
  expect(held).toBe(ORDER.quantity)
  if (before.orders.length > 0) expect(before).toEqual({ orders, trades, held })
}

/**
 * Checks an order that the broker never got, without proof: it is in doubt and visible, and a retry sends
 * nothing.
 */
async function expectInDoubt(scene: Scene): Promise<void> {
  const { daemon } = scene
  const { order_ref } = await reaches(daemon, 'unknown')
  const again = await place(scene)
  expect([again.status, again.code, again.body.order_ref]).toEqual([504, 'outcome_unknown', order_ref])
  expect((await daemon.request<{ data: { in_doubt: number } }>('GET', '/status')).body.data.in_doubt).toBe(1)
  expect(await scene.atBroker()).toEqual([])
}

/** Checks that the broker has the order once, and that the journal and a retry name its id. */
async function expectOneLive(scene: Scene): Promise<void> {
  const { orderid } = await reaches(scene.daemon, 'accepted', 'filled')
  const again = await place(scene)
  expect([again.status, again.body.orderid]).toEqual([200, orderid])
  expect(await scene.atBroker()).toMatchObject([{ orderId: orderid }])
}

/** The simulated broker's book is complete: it never received an order that is missing there. */
async function expectProvedUnsent(scene: Scene): Promise<void> {
  const { reason } = await reaches(scene.daemon, 'rejected')
  expect(reason).toBe('The broker never received it')
  const again = await place(scene)
  expect([again.status, again.code]).toEqual([503, 'not_received'])
  expect((await scene.daemon.api<{ data: unknown[] }>('tradebook')).body.data).toEqual([])
}

async function expectOneAtSimulatedBroker(scene: Scene): Promise<void> {
  const { orderid } = await reaches(scene.daemon, 'accepted', 'filled')
  expect((await place(scene)).body.orderid).toBe(orderid)
  const { data } = (await scene.daemon.api<{ data: { orders: { orderid: string }[] } }>('orderbook')).body
  expect(data.orders.map((order) => order.orderid)).toEqual([orderid])
}

/**
 * Checks that this many parts were sent and no more follow by themselves; a retry sends the rest, each part
 * once.
 */
async function expectCompleted(scene: Scene, sentBefore: number): Promise<void> {
  const { daemon } = scene
  const placed = async () => {
    const live = (await scene.atBroker()).map(({ orderId }) => orderId)
    return [...live, ...(await sandboxOf(daemon)).orders.map(({ order_id }) => order_id)]
  }
  expect(await placed()).toHaveLength(sentBefore)
  const { body, text } = await split(scene)
  expect(body.results.map(({ status }) => status)).toEqual(PARTS.map(() => 'success'))
  expect((await placed()).sort()).toEqual(body.results.map(({ orderid }) => orderid).sort())
  expect((await split(scene)).text).toBe(text)
  expect(await placed()).toHaveLength(PARTS.length)
}

/** Checks that the claim stays, the order was certainly not sent, and nobody can approve it again. */
async function expectClaimedNotSent(scene: Scene, market: 'kite' | 'sandbox'): Promise<void> {
  expect(await approvalsOf(scene.daemon)).toMatchObject([{ status: 'approved', execution: 'failed' }])
  // The journal contains only live orders; the sandbox has the history of an Analyzer mode order.
  if (market === 'kite') {
    expect(await onlyOrder(scene.daemon)).toMatchObject({ state: 'rejected', approval_id: 1 })
  } else {
    expect(await journalOf(scene.daemon)).toEqual([])
  }
  const again = await approve(scene)
  expect([again.status, again.code]).toEqual([400, 'not_pending'])
  expect((await scene.daemon.request('POST', '/action-center/approve-all')).body.status).toBe('info')
  expect(await scene.atBroker()).toEqual([])
  expect((await sandboxOf(scene.daemon)).orders).toEqual([])
}

const POINTS: readonly CrashPoint[] = [
  {
    point: 'orders.intake.beforeCommit',
    market: 'sandbox',
    promise: 'nothing is stored, the retry places it',
    act: place,
    verify: async (scene) => {
      expect((await sandboxOf(scene.daemon)).orders).toEqual([])
      await expectOneSimulated(scene)
    },
  },
  {
    point: 'orders.intake.beforeCommit',
    market: 'kite',
    promise: 'nothing is stored or sent, the retry places it',
    act: place,
    verify: async (scene) => {
      expect(await journalOf(scene.daemon)).toEqual([])
      expect(await scene.atBroker()).toEqual([])
      await place(scene)
      await expectOneLive(scene)
    },
  },
  {
    point: 'orders.intake.afterCommit',
    market: 'sandbox',
    promise: 'the order exists, the retry names it',
    act: place,
    verify: expectOneSimulated,
  },
  {
    point: 'orders.intake.afterCommit',
    market: 'kite',
    promise: 'it was not sent, for certain; the retry sends it, once',
    act: place,
    verify: async (scene) => {
      expect(await reaches(scene.daemon, 'rejected')).toMatchObject({ reason: NOT_SENT })
      expect(await scene.atBroker()).toEqual([])
      await place(scene)
      await expectOneLive(scene)
    },
  },
  {
    point: 'orders.intake.beforeReply',
    market: 'sandbox',
    promise: 'the order exists, the retry names it',
    act: place,
    verify: expectOneSimulated,
  },
  {
    point: 'orders.intake.beforeReply',
    market: 'kite',
    promise: 'it was sent once, the retry names it',
    act: place,
    verify: expectOneLive,
  },
  {
    point: 'orders.intake.beforeReply',
    market: 'kite',
    promise: 'what the broker refused is refused to the retry in the same words, and not sent again',
    prepare: ({ kite }) => kite.script('place', 'reject:MarginException:Insufficient funds'),
    act: place,
    verify: async (scene) => {
      expect(await reaches(scene.daemon, 'rejected')).toMatchObject({ reason: 'Insufficient funds' })
      for (const _time of ['first', 'second']) {
        const { status, code, text } = await place(scene)
        expect([status, code]).toEqual([400, 'broker_rejected'])
        expect(text).toBe('{"status":"error","message":"Insufficient funds"}')
      }
      expect(await scene.atBroker()).toEqual([])
    },
  },
  {
    point: 'orders.sending.afterCommit',
    market: 'kite',
    promise: 'it is in doubt and never sent',
    act: place,
    verify: expectInDoubt,
  },
  {
    point: 'orders.sending.afterCommit',
    market: 'simulated',
    promise: 'a complete book proves that it was never sent',
    act: place,
    verify: expectProvedUnsent,
  },
  {
    point: 'orders.sending.afterCommit',
    market: 'kite',
    promise: 'an approved order is in doubt and never sent again',
    prepare: semiAuto,
    act: approve,
    verify: async (scene) => {
      expect(await reaches(scene.daemon, 'unknown')).toMatchObject({ approval_id: 1 })
      expect(await approvalsOf(scene.daemon)).toMatchObject([{ status: 'approved', execution: 'in_doubt' }])
      expect((await approve(scene)).code).toBe('not_pending')
      expect(await scene.atBroker()).toEqual([])
    },
  },
  {
    point: 'orders.sent.beforeRecord',
    market: 'kite',
    promise: 'the broker’s book settles it, nothing is sent again',
    act: place,
    verify: expectOneLive,
  },
  {
    point: 'orders.sent.beforeRecord',
    market: 'simulated',
    promise: 'the broker’s book settles it, nothing is sent again',
    act: place,
    verify: expectOneAtSimulatedBroker,
  },
  {
    point: 'orders.sent.beforeRecord',
    market: 'kite',
    promise: 'an approved order is settled with its broker id',
    prepare: semiAuto,
    act: approve,
    verify: async (scene) => {
      const { orderid } = await reaches(scene.daemon, 'accepted', 'filled')
      const settled = { status: 'approved', execution: 'done', broker_order_id: orderid }
      await expect.poll(() => approvalsOf(scene.daemon)).toMatchObject([settled])
      expect(await scene.atBroker()).toMatchObject([{ orderId: orderid }])
    },
  },
  {
    point: 'gtts.end.beforeRecord',
    market: 'simulated',
    promise: 'the row of a GTT that fired is found, and follows the order that it sent to its fill',
    act: ({ daemon }) => daemon.api('placegttorder', DUE_GTT),
    verify: async ({ daemon }) => {
      const { order_ref, orderid, trigger_id } = await reaches(daemon, 'filled')
      const [order, ...others] = await exchangeLedger(join(daemon.home, 'brokers', 'simulated'))
      expect([order, others]).toMatchObject([{ orderId: orderid, filledQuantity: DUE_GTT.quantity }, []])
      const svc = join(daemon.home, 'svc.db')
      expect(await query(svc, 'select order_ref, quantity from order_fills')).toEqual([
        { order_ref, quantity: DUE_GTT.quantity },
      ])
      expect(trigger_id).toMatch(/^G\d+$/)
    },
  },
  {
    point: 'orders.answer.afterCommit',
    market: 'kite',
    promise: 'the result is kept, the retry names it',
    act: place,
    verify: expectOneLive,
  },
  ...(['kite', 'sandbox'] as const).flatMap((market): CrashPoint[] => [
    {
      point: 'orders.batch.beforeCommit',
      market,
      promise: 'no part of a split is stored or sent, the retry places them all',
      act: split,
      verify: (scene) => expectCompleted(scene, 0),
    },
    {
      point: 'orders.batch.afterCommit',
      market,
      promise: 'no part of a split is sent, the retry places them all',
      act: split,
      verify: (scene) => expectCompleted(scene, 0),
    },
    {
      point: 'orders.batch.midway',
      market,
      promise: 'the retry places the parts that were not, and no other',
      act: split,
      // The sandbox takes all parts in one decision: it has all of them, or none.
      verify: (scene) => expectCompleted(scene, market === 'sandbox' ? PARTS.length : 1),
    },
  ]),
  {
    point: 'fills.apply.midTransaction',
    market: 'sandbox',
    promise:
      'half a fill is no fill: order, trade and position are all there or none, and the retry makes one of each',
    act: place,
    verify: async (scene) => {
      // The disk works while the process dies: the write may be complete, but never half complete.
      const { orders, trades, held } = await sandboxOf(scene.daemon)
      expect([
        [0, 0, 0],
        [1, 1, ORDER.quantity],
      ]).toContainEqual([orders.length, trades.length, held])
      await expectOneSimulated(scene)
    },
  },
  {
    point: 'positions.update.afterCommit',
    market: 'sandbox',
    promise: 'order, trade and position are all there',
    act: place,
    verify: async (scene) => {
      const { orders, trades, held } = await sandboxOf(scene.daemon)
      expect([orders.length, trades.length, held]).toEqual([1, 1, ORDER.quantity])
      await expectOneSimulated(scene)
    },
  },
  {
    point: 'approvals.claim.afterCommit',
    market: 'kite',
    promise: 'it stays approved and is never sent',
    prepare: semiAuto,
    act: approve,
    verify: (scene) => expectClaimedNotSent(scene, 'kite'),
  },
  {
    point: 'approvals.claim.afterCommit',
    market: 'sandbox',
    promise: 'it stays approved and is never simulated',
    prepare: semiAuto,
    act: approve,
    verify: (scene) => expectClaimedNotSent(scene, 'sandbox'),
  },
  {
    point: 'killswitch.on.afterCommit',
    market: 'kite',
    promise: 'the kill switch is on, though nobody was told',
    act: ({ daemon }) => daemon.request('POST', '/risk/kill-switch', { on: true, reason: 'enough' }),
    verify: async (scene) => {
      const { status, code } = await place(scene)
      expect([status, code]).toEqual([403, 'kill_switch'])
      expect(await scene.atBroker()).toEqual([])
    },
  },
  {
    point: 'reconcile.midPage',
    market: 'kite',
    promise: 'a search cut short is done again, and settles every order once',
    prepare: async ({ daemon, kite }) => {
      await kite.holdBack(60_000)
      await kite.script('place', 'drop_after', 'drop_after', 'drop_after')
      await kite.chances('orders', { '5xx_before': 1 }, 1)
      for (const key of ['a', 'b', 'c']) {
        expect((await daemon.place(ORDER, { 'idempotency-key': key })).status).toBe(504)
      }
      await kite.script('orders')
    },
    verify: async ({ daemon, atBroker }) => {
      await expect
        .poll(async () => (await journalOf(daemon)).map(({ state }) => state))
        .toEqual(['accepted', 'accepted', 'accepted'])
      const ids = (await journalOf(daemon)).map(({ orderid }) => orderid).sort()
      expect((await atBroker()).map(({ orderId }) => orderId)).toEqual(ids)
      for (const key of ['a', 'b', 'c']) {
        const again = await daemon.place(ORDER, { 'idempotency-key': key })
        expect([again.status, ids.includes(String(again.body.orderid))]).toEqual([200, true])
      }
      expect(await atBroker()).toHaveLength(3)
    },
  },
  {
    point: 'session.login.afterCommit',
    market: 'sandbox',
    promise: 'a session nobody has the token of harms nobody',
    act: ({ daemon }) => daemon.signIn(),
    verify: async ({ daemon }) => {
      expect((await daemon.request('GET', '/status')).status).toBe(200)
      await daemon.signIn()
      expect((await daemon.request('GET', '/status')).status).toBe(200)
    },
  },
  {
    point: 'session.totp.afterUse',
    market: 'sandbox',
    promise: 'a code stays used though the sign-in that used it was lost',
    prepare: async ({ daemon }) => {
      const app = await Authenticator.of(daemon)
      await app.turnOn(daemon)
      lostCode = await app.next()
    },
    act: ({ daemon }) => signInWithCode(daemon, lostCode),
    verify: async ({ daemon }) => {
      const sessions = () => daemon.request<{ count: number }>('GET', '/auth/active-sessions')
      expect((await sessions()).body.count).toBe(1)
      expect(await signInWithCode(daemon, lostCode)).toMatchObject({ status: 401 })
      const { body } = await daemon.request('GET', '/security/api/login-activity?limit=1')
      expect(body).toMatchObject({ attempts: [{ status: 'failed', failure_reason: 'reused_totp' }] })
      expect((await sessions()).body.count).toBe(1)
    },
  },
  {
    point: 'identity.reset.midTransaction',
    market: 'sandbox',
    promise: 'a reset that was cut off neither used its token up nor changed the password',
    prepare: async ({ daemon }) => {
      const app = await Authenticator.of(daemon)
      const verified = await resetStep(daemon, { step: 'totp', totp_code: await app.next() })
      resetToken = String(verified.body.token)
    },
    act: ({ daemon }) => resetStep(daemon, { step: 'password', token: resetToken, password: 'New-Horse-2!' }),
    verify: async ({ daemon }) => {
      expect((await daemon.request('GET', '/status')).status).toBe(200)
      await daemon.signIn()
      const again = { step: 'password', token: resetToken, password: 'New-Horse-2!' }
      expect((await resetStep(daemon, again)).status).toBe(200)
      expect((await daemon.request('GET', '/status')).status).toBe(401)
      expect((await resetStep(daemon, again)).status).toBe(400)
    },
  },
]

/** One row of each kind, live where money moves there; a point and its market. */
const USUAL: ReadonlySet<string> = new Set([
  'orders.intake.beforeCommit kite',
  'orders.intake.afterCommit kite',
  'orders.intake.beforeReply kite',
  'orders.answer.afterCommit kite',
  'orders.batch.beforeCommit kite',
  'orders.batch.afterCommit kite',
  'positions.update.afterCommit sandbox',
  'orders.sending.afterCommit kite',
  'orders.sent.beforeRecord kite',
  'gtts.end.beforeRecord simulated',
  'orders.batch.midway kite',
  'fills.apply.midTransaction sandbox',
  'approvals.claim.afterCommit kite',
  'killswitch.on.afterCommit kite',
  'reconcile.midPage kite',
  'session.totp.afterUse sandbox',
])
const nameOf = ({ point, market }: CrashPoint) => `${point} ${market}`
const isUsual = (row: CrashPoint, index: number) =>
  USUAL.has(nameOf(row)) && POINTS.findIndex((one) => nameOf(one) === nameOf(row)) === index

/** The token of the reset that the crash cuts off. */
let resetToken = ''
const resetStep = (daemon: DaemonProcess, fields: Record<string, string>) =>
  daemon.request('POST', '/auth/reset-password', { email: 'asha@example.org', ...fields })

let kite: FakeBrokerProcess
beforeAll(async () => {
  kite = await FakeBrokerProcess.start(FAKE_BROKERS.zerodha)
})
afterAll(() => kite.dispose())

/** Returns a desk in the row's market, and the ledger's orders that came from it. */
async function sceneOf(market: Market, env: Env): Promise<Scene> {
  await kite.reset()
  await kite.holdBack(0)
  const daemon = DaemonProcess.prepared(market === 'kite' ? kite.env : {})
  onTestFinished(() => daemon.dispose())
  await daemon.start({ env })
  if (market === 'kite') await kite.connect(daemon)
  if (market === 'sandbox') await daemon.analyze(true)
  const before = (await kite.placed()).length
  return { daemon, kite, atBroker: async () => (await kite.placed()).slice(before) }
}

describe('killed at', () => {
  for (const { point, market, promise, prepare, act, verify } of casesFor(POINTS, isUsual)) {
    it(`${point} (${market}): ${promise}`, async () => {
      const armed = { SVC_CRASH_AT: point }
      const scene = await sceneOf(market, act ? armed : {})
      const { daemon } = scene
      await prepare?.(scene)
      if (act) await act(scene).catch(() => undefined)
      else {
        await daemon.kill()
        await daemon.start({ env: armed, expectFailure: true })
      }
      expect(await daemon.exited()).toEqual({ code: null, signal: 'SIGKILL' })

      await (market === 'kite' ? kite.resume(daemon) : daemon.start())
      await verify(scene)
      expect(await damages(daemon.home)).toEqual([])
    })
  }

  // Each of the three databases of a fresh home has one migration. `npm test` kills the one of upgrade.test.ts.
  for (const passage of [1, 2, 3])
    testInTorture(
      `migrate.midStep, passage ${passage}: the file is unchanged, and the next start migrates it`,
      async () => {
        const daemon = new DaemonProcess()
        onTestFinished(() => daemon.dispose())
        await daemon.start({ env: { SVC_CRASH_AT: `migrate.midStep:${passage}` }, expectFailure: true })
        expect(await daemon.exited()).toEqual({ code: null, signal: 'SIGKILL' })

        await daemon.start()
        await daemon.signUp()
        expect((await daemon.analyze(true)).status).toBe(200)
        expect((await daemon.place()).status).toBe(200)
        expect(await damages(daemon.home)).toEqual([])
      },
    )

  it('every point of the source has a test', () => {
    // A row above arms each point, or the test of its area in this folder does.
    const tested = filesBelow(TESTS).flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/\b(?:point|SVC_CRASH_AT): ['`]([\w.]+)/g)].map(
        ([, name]) => name,
      ),
    )
    const named = filesBelow(SOURCE).flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/crashPoint\('([^']*)'\)/g)].map(([, name]) => name),
    )
    expect([...new Set(named)].sort()).toEqual([...new Set(tested)].sort())
    expect(POINTS.filter(isUsual), 'npm test runs each usual row').toHaveLength(USUAL.size)
  })
})
