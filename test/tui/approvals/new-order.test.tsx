import { expect, onTestFinished, test, vi } from 'vitest'
import { ringForNewOrders } from '../../../src/tui/approvals/feed.js'
import { approvals } from '../../../src/tui/approvals/screen.js'
import { helpOf } from '../../../src/tui/keys/bindings.js'
import { strategies } from '../../../src/tui/strategies/screen.js'
import { shown } from '../support/shown.js'
import { approvalScreen, queueDesk } from './queue-desk.js'

test('a new order is on the screen while the broker is still asked for prices and positions', async () => {
  const live = await queueDesk()
  await live.queue()
  const order: string[] = []
  let answer: (quotes: never[]) => void = () => undefined
  const prices = new Promise<never[]>((resolve) => {
    answer = resolve
  })
  const { market } = live.http.desk.service
  vi.spyOn(market, 'quotes').mockImplementation(() => {
    order.push('prices asked for')
    return prices
  })
  onTestFinished(() => void vi.restoreAllMocks())
  const { shows } = await approvalScreen(live)
  await shows('SBIN')
  await expect.poll(() => order).toContain('prices asked for')
  await live.queue({ symbol: 'INFY' })
  await shows(/^ +2 .*INFY .*pending/m)
  order.push('order shown')
  answer([])
  await prices
  order.push('prices come')
  expect(order.slice(-2)).toEqual(['order shown', 'prices come'])
})

test('the bell rings for a new order also while another screen is shown, unless it is muted', async () => {
  const live = await queueDesk()
  const Screen = strategies.View
  const { desk, shows } = await shown(live.access, <Screen width={80} height={21} />)
  let rings = 0
  desk.bell.connect(() => {
    rings += 1
  })
  onTestFinished(ringForNewOrders(desk))
  await shows('There are no strategies')
  await expect.poll(() => desk.connection.state.get().kind).toBe('connected')
  await live.queue()
  await expect.poll(() => rings).toBe(1)
  desk.bell.toggle()
  const seen = new Promise<void>((done) => {
    desk.connection.onEvent(({ event }) => event === 'pending_order_created' && done())
  })
  await live.queue()
  await seen
  expect(rings).toBe(1)
})

const PANES = [approvals, strategies].flatMap((spec) =>
  [...new Set(spec.keys.flatMap((key) => key.in))].map((pane) => ({ spec, pane })),
)

test.each(PANES)(
  'the keys that always work in the $pane of $spec.id fit into 80 columns',
  ({ spec, pane }) => {
    const always = spec.keys.filter((key) => key.when === undefined)
    const keys = [...helpOf(always, pane, new Map()), { keys: '?', does: 'keys' }]
    expect(keys.length).toBeGreaterThan(1)
    expect(keys.map((one) => `${one.keys} ${one.does}`).join('  ').length).toBeLessThanOrEqual(80)
  },
)
