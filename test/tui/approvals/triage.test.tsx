import { describe, expect, it, test } from 'vitest'
import { Decisions, type UndoWindow } from '../../../src/tui/approvals/decisions.js'
import { Unread } from '../../../src/tui/approvals/unread.js'
import { ENTER, ESC } from '../support/shown.js'
import { approvalScreen, type OrderFields, queueDesk } from './queue-desk.js'

const SMALL = { price: 760 }
const OTHER = { symbol: 'INFY', price: 1400 }
const AT_ONCE: UndoWindow = { seconds: 0.01, from: 0 }
/** Nobody waits for its end. */
const LONG: UndoWindow = { seconds: 3600, from: 0 }

/** The screen, wide enough for the details beside the list, on a queue with some orders, oldest first. */
async function opened(orders: readonly OrderFields[], { undo = LONG, width = 120 } = {}) {
  const live = await queueDesk()
  for (const order of orders) await live.queue(order)
  const app = await approvalScreen(live, width)
  app.desk.part(Decisions).undoWindow = undo
  // The user looks at each order for a second.
  let looks = 0
  app.desk.part(Unread).clock = () => 1000 * ++looks
  await expect.poll(() => app.desk.status.state().content).toBeDefined()
  await app.shows(new RegExp(`^> *${orders.length} `, 'm'))
  if (width >= 100) await app.shows('WOULD SEND')
  return { ...live, ...app }
}

describe('a, with the order in the details', () => {
  it('decides without a question, goes on to the next order, and u takes it back', async () => {
    const { press, screen, shows, statuses } = await opened([SMALL, OTHER])
    await press('a')
    await shows('Approval 2: approved in 3600 s, u undoes')
    await shows(/^> +1 .*SBIN/m)
    expect(screen()).not.toContain('Approve 1 order')
    expect(await statuses()).toEqual(['2 pending', '1 pending'])
    await press('u')
    await shows('Approval 2 is undecided again.')
    await shows(/^> +2 .*INFY .*pending/m)
    await press('u')
    await shows('there is nothing to undo')
    expect(await statuses()).toEqual(['2 pending', '1 pending'])
  })

  it('sends it when its time is over: one key for each order', async () => {
    const { press, shows, statuses } = await opened([SMALL, OTHER], { undo: AT_ONCE })
    await press('a')
    await shows('Approval 2: approved')
    await shows(/WOULD SEND +BUY 10 NSE:SBIN/)
    await press('a')
    await shows('Approval 1: approved')
    await shows('No order waits for approval.')
    expect(await statuses()).toEqual(['2 approved', '1 approved'])
  })

  it('asks where it could not be undone: a smaller value than the setting is sent at once', async () => {
    const { press, shows, statuses } = await opened([SMALL], { undo: { ...LONG, from: 7601 } })
    await press('a')
    await shows('Approve 1 order, ₹7,600.00 in LIVE mode')
    await press('y')
    await shows('Approval 1: approved')
    expect(await statuses()).toEqual(['1 approved'])
  })

  it('sends nothing else than was shown', async () => {
    const { analyze, press, shows, statuses } = await opened([SMALL])
    await press('a')
    await shows('u undoes')
    await press('u')
    await analyze(true)
    await press('a')
    await shows(/u undoes|in ANALYZE mode|in LIVE mode/)
    expect(await statuses()).toEqual(['1 pending'])
  })

  it.each<[string, OrderFields[], string]>([
    ['much money', [{ price: 760, quantity: 200 }], 'Type live to confirm'],
    ['very much money: its value is typed', [{ price: 760, quantity: 2000 }], 'Type 1520000 to confirm'],
  ])('asks for %s', async (_why, orders, word) => {
    const { press, shows, statuses } = await opened(orders)
    await press('a')
    await shows('Approve 1 order')
    await shows(word)
    expect(await statuses()).toEqual(['1 pending'])
  })

  it('asks when a check fails', async () => {
    const { http, press, shows } = await opened([SMALL])
    await http.desk.service.risk.setKillSwitch(true, 'test', 'asha')
    await shows(/checks: .*kill/i)
    await press('a')
    await shows('Approve 1 order')
  })
})

test('a asks where no details show what would be sent, and goes on to the next order, too', async () => {
  const { press, shows } = await opened([SMALL, OTHER], { width: 80 })
  await press('a')
  await shows('Approve 1 order, ₹14,000.00 in LIVE mode')
  await press('y')
  await shows(/^> +1 .*SBIN/m)
})

test('a rejection can be undone, too', async () => {
  const { press, shows, statuses } = await opened([SMALL])
  await press('r')
  await press('no')
  await press(ENTER)
  await shows('Approval 1: rejected in 3600 s, u undoes')
  await press('u')
  await shows('Approval 1 is undecided again.')
  expect(await statuses()).toEqual(['1 pending'])
})

describe('A', () => {
  it('asks about the orders that fit a rule, names the others, and shows each result', async () => {
    const { press, shows, statuses } = await opened([SMALL, OTHER, { exchange: 'BSE', price: 700 }], {
      undo: AT_ONCE,
    })
    await press('A')
    await shows('Approve all where')
    await press('value<10k')
    await press(ENTER)
    await shows('Approve 2 orders, ₹14,600.00 in LIVE mode at simulated?')
    await shows('Type live to confirm')
    await shows('NOT approved: 2 placeorder demo: its value is ₹14,000.00, and the limit is ₹10,000.00')
    await press('live')
    await press(ENTER)
    await shows('2 orders: 2 done')
    await shows(/1 BUY 10 SBIN NSE .* approved/)
    await press(ESC)
    await shows('[pending 1]')
    expect(await statuses()).toEqual(['3 approved', '2 pending', '1 approved'])
  })

  it('says what is wrong with a rule, and takes the next line', async () => {
    const { press, shows } = await opened([SMALL, OTHER])
    await press('A')
    await press('cheap')
    await press(ENTER)
    await shows('"cheap" is no part of a rule.')
    await press('\u0015')
    await press('symbol:nse:infy')
    await press(ENTER)
    await shows('Approve 1 order, ₹14,000.00')
    await press(ESC)
    await press('A')
    await press('symbol:tcs')
    await press(ENTER)
    await shows('No order that waits is one of the rule.')
  })

  it('u undoes all of them', async () => {
    const { press, shows, statuses } = await opened([SMALL, OTHER])
    await press('A')
    await press(ENTER)
    await shows('Type live to confirm')
    await press('live')
    await press(ENTER)
    await shows('2 orders: 2 can be undone (u)')
    await press('u')
    await shows('2 orders are undecided again.')
    expect(await statuses()).toEqual(['2 pending', '1 pending'])
  })
})

test('what is decided and not sent yet is sent before the program ends', async () => {
  const { desk, press, shows, statuses } = await opened([SMALL], { undo: { seconds: 0.2, from: 0 } })
  await press('a')
  await shows('u undoes')
  await desk.settled()
  expect(await statuses()).toEqual(['1 approved'])
})
