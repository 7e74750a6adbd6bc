import { expect, test } from 'vitest'
import type { OrdersPort } from '../../../src/core/flows/index.js'
import type { TradingMode } from '../../../src/core/trading/index.js'
import { atOneAccount, pinnedTo } from '../../../src/daemon/flows/one-account.js'

const session = (userId: string) => ({ userId, issuedAt: 0, expiresAt: 1 })

/** The port of a run that begins at the account AB1 of Zerodha, and what happens to the account afterwards. */
function runAt(mode: TradingMode = 'live') {
  const sent: string[] = []
  const port: OrdersPort = {
    send: async (call) => {
      sent.push(call)
      return { ok: true, code: 'ok', message: '', output: {} }
    },
  }
  const brokers: Parameters<typeof atOneAccount>[1]['brokers'] = {
    brokerId: 'zerodha',
    session: session('AB1'),
  }
  const state = { brokers, mode }
  const parts: Parameters<typeof atOneAccount>[1] = {
    brokers: {
      get brokerId() {
        return state.brokers.brokerId
      },
      get session() {
        return state.brokers.session
      },
    },
    mode: () => state.mode,
  }
  const runs = atOneAccount(port, parts)
  const run = runs.ofRun?.() ?? port
  return {
    state,
    sent,
    isHere: pinnedTo(parts),
    sell: () => run.send('placeorder', {}, { userId: 'asha', idempotencyKey: 'k' }),
  }
}

test.each([
  ['broker', { brokerId: 'dhan', session: session('AB1') }],
  ['account at the broker', { brokerId: 'zerodha', session: session('CD2') }],
])('a live run sends nothing after the %s was changed', async (what, brokers) => {
  const { state, sent, sell } = runAt()
  expect((await sell()).ok).toBe(true)
  state.brokers = brokers
  expect(await sell()).toMatchObject({
    ok: false,
    code: 'conflict',
    message: `The ${what} was changed before this was sent; it was not sent.`,
    output: { status: 'error', code: 409 },
  })
  state.brokers = { brokerId: 'zerodha', session: session('AB1') }
  expect((await sell()).ok).toBe(true)
  expect(sent).toHaveLength(2)
})

test('without a session nobody knows the account, and the order path decides', async () => {
  const { state, sent, sell } = runAt()
  state.brokers = { brokerId: 'zerodha', session: undefined }
  await sell()
  expect(sent).toHaveLength(1)
})

test('a run in Analyzer mode knows no broker', async () => {
  const { state, sent, sell } = runAt('analyze')
  state.brokers = { brokerId: 'dhan', session: session('CD2') }
  await sell()
  expect(sent).toHaveLength(1)
})

test.each<[TradingMode, TradingMode, string, string, boolean]>([
  ['live', 'live', 'zerodha', 'AB1', true],
  ['live', 'live', 'dhan', 'AB1', false],
  ['live', 'live', 'zerodha', 'CD2', false],
  ['live', 'analyze', 'zerodha', 'AB1', false],
  ['analyze', 'live', 'zerodha', 'AB1', false],
  ['analyze', 'analyze', 'dhan', 'CD2', true],
])(
  'from %s at zerodha AB1, orders in %s at %s %s go to the same place: %s',
  (before, mode, brokerId, userId, same) => {
    const { state, isHere } = runAt(before)
    state.mode = mode
    state.brokers = { brokerId, session: session(userId) }
    expect(isHere()).toBe(same)
  },
)
