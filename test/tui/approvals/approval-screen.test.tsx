import { describe, expect, it } from 'vitest'
import { SvcClient } from '../../../src/client/index.js'
import { DecidedFeed } from '../../../src/tui/approvals/feed.js'
import { heldAccount } from '../support/held-account.js'
import { DOWN, ENTER, ESC, TAB, UP } from '../support/shown.js'
import { approvalScreen, type OrderFields, queueDesk } from './queue-desk.js'

const SHIFT_TAB = '\u001b[Z'

/** The screen on a queue with some orders, oldest first. */
async function opened(...orders: OrderFields[]) {
  const live = await queueDesk()
  for (const order of orders) await live.queue(order)
  const app = await approvalScreen(live)
  for (const { symbol = 'SBIN' } of orders) await app.shows(symbol)
  return { ...live, ...app }
}

const TWO = [{ price: 760 }, { symbol: 'INFY', price: 1400 }]
/** A listed symbol: an unlisted one is refused before the queue. */
const THIRD: OrderFields = { exchange: 'BSE', price: 700 }

describe('the list', () => {
  it('shows tabs with their counts, the value that waits, and the newest order first', async () => {
    const { screen, shows } = await opened(...TWO)
    await shows(/^ \[pending 2\] {2}approved 0 {3}rejected 0 {3}2 orders, ₹21,600\.00 waiting +1 of 2$/m)
    await shows(/^> +2 .*INFY +BUY +10 +1,400\.00 .*14,000\.00 +pending$/m)
    await shows(/^ {4}1 .*SBIN/m)
    const lines = screen().trimEnd().split('\n')
    expect(lines.length).toBeLessThanOrEqual(21)
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(80)
    expect(lines.at(-1)).toMatch(/\? keys$/)
  })

  it('shows the live price beside the price of the order, and its drift since the order was queued', async () => {
    const live = await queueDesk()
    const id = await live.queue({ price: 760 })
    // No feed had the price: the daemon asks for it a moment later.
    await live.http.desk.clock.advance(1000)
    await expect.poll(() => live.priceWhenQueued(id)).toBeGreaterThan(0)
    const then = await live.priceWhenQueued(id)
    const { shows, screen } = await approvalScreen(live)
    await shows(/PRICE +LAST +DRIFT %/)
    const { hub } = live.http.desk.service
    await expect.poll(() => hub.mode({ symbol: 'SBIN', exchange: 'NSE' })).toBe(1)
    // A read that ends after a tick shows its own price until the next tick.
    const screenAt = (price: number) => {
      live.trade(price)
      return screen()
    }
    await expect.poll(() => screenAt(then * 1.1)).toMatch(/SBIN .*760\.00 +[\d.]+ +\+10\.00 /)
    await expect.poll(() => screenAt(then * 0.9)).toMatch(/SBIN .*760\.00 +[\d.]+ +-10\.00 /)
  })

  it('says that no order waits', async () => {
    const { shows } = await approvalScreen(await queueDesk())
    await shows('Reading the queue …')
    await shows('No order waits for approval.')
  })

  it('says why the queue is not read', async () => {
    const live = await queueDesk()
    await live.lose()
    await (await approvalScreen(live)).shows('Not read: ')
  })

  it('shows the age of the rows and the reason when a later read fails', async () => {
    const live = await queueDesk()
    await live.queue()
    let isAway = false
    const client = (timeoutMs: number) =>
      isAway ? new SvcClient({ url: 'http://127.0.0.1:1', timeoutMs }) : live.access.client(timeoutMs)
    await live.reject(1, 'no')
    const { desk, shows, press } = await approvalScreen({ access: { client } })
    await shows('[pending 0]')
    await press(TAB)
    await shows('[approved 0]')
    await press(TAB)
    await shows(/^> +1 .*SBIN/m)
    isAway = true
    await desk.part(DecidedFeed).refresh()
    await shows(/\d+s old: The connection broke[\s\S]*> +1 .*SBIN/)
  })

  it('escapes control characters in the texts of an order', async () => {
    const live = await queueDesk()
    await live.queue({ strategy: '\u202eevil' })
    const { shows, screen } = await approvalScreen(live, 120)
    await shows('evil')
    expect(screen()).not.toContain('\u202e')
  })

  it('keeps the cursor on its order when a new one comes', async () => {
    const { queue, shows } = await opened({})
    await queue({ symbol: 'INFY' })
    await shows('INFY')
    await shows(/^> +1 .*SBIN/m)
  })

  it('keeps rows and cursor while the daemon is away, and reads what came meanwhile', async () => {
    const { lose, comeBack, desk, queue, shows, press } = await opened(...TWO)
    await press(DOWN)
    await lose()
    await shows(/\d+s old/)
    await shows(/^> +1 .*SBIN/m)
    await queue(THIRD)
    await comeBack()
    desk.connection.retry()
    await shows(/^ +3 .*SBIN/m)
    await shows(/^> +1 .*SBIN/m)
  })

  it('enter shows every field and the request, and esc leads back', async () => {
    const { shows, press } = await opened({})
    await press(ENTER)
    await shows(/STATE +pending/)
    await press('G')
    await shows(/"symbol": "SBIN"/)
    await press(ESC)
    await shows('space mark')
  })

  it('the details stay on their order, and say when it has left the queue', async () => {
    const { client, reject, statuses, shows, screen, press } = await opened(...TWO)
    await press(ENTER)
    await shows(/SYMBOL +INFY/)
    await reject(2, 'no')
    await shows(/STATE +rejected by asha/)
    await client.request('DELETE /action-center/delete/:id', { params: { id: '2' } })
    await shows('Approval 2 is no longer in this list.')
    expect(screen()).not.toContain('SBIN')
    await press('a')
    await shows('No order waits for approval.')
    expect(await statuses()).toEqual(['1 pending'])
  })

  it('/ shows only the orders with a text, and esc shows all again', async () => {
    const { shows, screen, press } = await opened(...TWO)
    await press('/')
    await shows('Filter:')
    await shows(/enter take it +esc clear it/)
    await press('inf')
    await shows('1 of 2 with "inf"')
    expect(screen()).not.toContain('SBIN')
    await press(ESC)
    await shows('SBIN')
  })

  it('j and k, the arrows, g and G move', async () => {
    const { shows, press } = await opened(...TWO)
    for (const [key, row] of [
      ['j', 1],
      ['k', 2],
      [DOWN, 1],
      [UP, 2],
      ['G', 1],
      ['g', 2],
    ] as const) {
      await press(key)
      await shows(new RegExp(`^> +${row} `, 'm'))
    }
  })
})

describe('the tabs', () => {
  it('tab and shift-tab lead through pending, approved and rejected orders', async () => {
    const live = await queueDesk()
    for (const order of [...TWO, THIRD]) await live.queue(order)
    await live.approve(2)
    await live.reject(3, 'too large')
    const { shows, press } = await approvalScreen(live)
    await shows(/\[pending 1\][\s\S]*> +1 .*SBIN/)
    await press(TAB)
    await shows(/\[approved 1\][\s\S]*> +2 .*INFY/)
    await press(TAB)
    await shows(/\[rejected 1\][\s\S]*> +3 .*SBIN .*rejected by asha/)
    await shows('3 SBIN: rejected by asha: too large')
    await press(SHIFT_TAB)
    await shows('[approved 1]')
  })

  it('d deletes a decided order after a question, and no pending one', async () => {
    const { reject, statuses, shows, press } = await opened({})
    await press('d')
    await shows('Approval 1 is pending: approve or reject it first.')
    await reject(1, 'no')
    await shows('[pending 0]')
    await press(SHIFT_TAB)
    await shows('rejected by asha')
    await press('d')
    await shows('Delete the rejected approval 1 (SBIN) from the queue?')
    await press('n')
    await shows('space mark')
    expect(await statuses()).toEqual(['1 rejected'])
    await press('d')
    await shows('Delete the rejected approval 1')
    await press('y')
    await shows('Deletion of approval 1: done.')
    expect(await statuses()).toEqual([])
    await shows('No order was rejected yet.')
  })
})

describe('approving', () => {
  it('shows every order of a basket, with its value, in the question and in the details', async () => {
    const live = await queueDesk()
    const line = { exchange: 'NSE', product: 'MIS', pricetype: 'LIMIT', action: 'BUY' } as const
    const orders = [760, 761, 762, 763, 764].map((price) => ({
      ...line,
      symbol: 'SBIN',
      quantity: 10,
      price,
    }))
    await live.client.call('basketorder', { strategy: 'demo', orders })
    const { press, shows } = await approvalScreen(live)
    await shows('Basket (5 orders)')
    await shows('₹38,100.00 waiting')
    await press(ENTER)
    await shows(/WOULD SEND +BUY 10 NSE:SBIN MIS LIMIT 760/)
    await press('a')
    await shows('Approve 1 order of 5 legs, ₹38,100.00 in LIVE mode at simulated?')
    for (const price of [760, 761, 762, 763, 764]) await shows(`BUY 10 NSE:SBIN MIS LIMIT ${price}`)
  })

  it('sends nothing before a question that names mode, broker, order, count and value', async () => {
    const { statuses, shows, press } = await opened({ price: 760 })
    await press('a')
    await shows('Approve 1 order, ₹7,600.00 in LIVE mode at simulated?')
    await shows('1 BUY 10 NSE:SBIN MIS LIMIT 760')
    expect(await statuses()).toEqual(['1 pending'])
    await press('y')
    await shows('Approval 1: approved')
    await shows('No order waits for approval.')
    expect(await statuses()).toEqual(['1 approved'])
  })

  it.each(['n', 'q', ESC])('%j leaves the question and sends nothing', async (key) => {
    const { statuses, shows, press } = await opened({})
    await press('a')
    await shows('in LIVE mode')
    await press(key)
    await shows('space mark')
    expect(await statuses()).toEqual(['1 pending'])
  })

  it('says nothing when the user has left the question before mode and broker cannot be read', async () => {
    const { desk, lose, screen, shows, press } = await opened({})
    const answers = heldAccount(desk)
    await press('a')
    await shows('asking the daemon for mode and broker')
    await press(ESC)
    await shows('space mark')
    await lose()
    await answers()
    expect(screen()).not.toContain('Not approved')
    expect(desk.changes.message.get()).toBe('')
  })

  it('works from the details too', async () => {
    const { statuses, shows, press } = await opened({ price: 760 })
    await press(ENTER)
    await shows(/STATE +pending/)
    await press('a')
    await shows('in LIVE mode')
    await press('y')
    await shows('Approval 1: approved')
    expect(await statuses()).toEqual(['1 approved'])
  })

  it('sends nothing when the mode has changed since the question', async () => {
    const { analyze, statuses, shows, press } = await opened({})
    await analyze(true)
    await press('a')
    await shows('in ANALYZE mode')
    await analyze(false)
    await press('y')
    await shows('it would now be sent LIVE to simulated')
    expect(await statuses()).toEqual(['1 pending'])
  })

  it('sends no more orders when the mode changes between two of them', async () => {
    const { analyze, http, statuses, shows, press } = await opened(...TWO)
    await analyze(true)
    const { executor, settings } = http.desk.service
    const open = executor.open.bind(executor)
    executor.open = (order) => {
      const request = open(order)
      const send = async (ref: string) => {
        const report = await request.send(ref)
        await settings.setAnalyzeMode(false)
        return report
      }
      return { ...request, send }
    }
    await press('A')
    await press(ENTER)
    await shows('Approve 2 orders, ₹21,600.00 in ANALYZE mode')
    await press('y')
    await shows('2 orders: 1 done, 1 REFUSED')
    await shows(/1 BUY 10 SBIN .* approved/)
    await shows(/2 BUY 10 INFY .* Not approved: it would now be sent LIVE/)
    await press(ESC)
    await shows(/INFY .*pending, refused/)
    expect(await statuses()).toEqual(['2 pending', '1 approved'])
  })

  it('A approves the marked orders only', async () => {
    const { statuses, shows, press } = await opened(...TWO, THIRD)
    await press(' ')
    await press('G')
    await press(' ')
    await shows(/^>\* +1 /m)
    await shows('2 marked')
    await press('A')
    await shows('Approve 2 orders, ₹14,600.00 in LIVE mode')
    await shows('Type live to confirm')
    await press('live')
    await press(ENTER)
    await shows('2 orders: 2 done')
    await shows('pending 1')
    expect(await statuses()).toEqual(['3 approved', '2 pending', '1 approved'])
  })

  it('a approves the marked orders, and in the details the shown one', async () => {
    const { shows, press } = await opened(...TWO, THIRD)
    for (const key of [' ', 'j', ' ', 'a']) await press(key)
    await shows('Approve 2 orders, ₹21,000.00 in LIVE mode')
    await press(ESC)
    await shows('space mark')
    await press('G')
    await press(ENTER)
    await shows(/SYMBOL +SBIN/)
    await press('a')
    await shows('Approve 1 order, ₹7,600.00 in LIVE mode')
    await press('n')
    await shows('space mark')
    await press(ENTER)
    await shows(/SYMBOL +SBIN/)
    await press('r')
    await shows('Reason to reject 1:')
  })

  it('A approves the marked orders when a filter hides them', async () => {
    const { shows, press } = await opened(...TWO, THIRD)
    await press(' ')
    await press('/')
    await shows('Filter:')
    await press('inf')
    await shows('1 of 3 with "inf"')
    await press(ENTER)
    await shows('space mark')
    await press('A')
    await shows('Approve 1 order, ₹7,000.00 in LIVE mode')
    await shows('3 BUY 10 BSE:SBIN')
  })

  it('A approves the orders that it named, and none that came later', async () => {
    const { queue, statuses, shows, press } = await opened(...TWO)
    await press('A')
    await press(ENTER)
    await shows('Approve 2 orders, ₹21,600.00 in LIVE mode')
    await queue(THIRD)
    await shows('3 orders')
    await shows('Type live to confirm')
    await press('live')
    await press(ENTER)
    await shows('pending 1')
    expect(await statuses()).toEqual(['3 pending', '2 approved', '1 approved'])
  })

  it('shows the reason of a refusal on the row', async () => {
    const { http, shows, press } = await opened({})
    await http.desk.service.risk.setKillSwitch(true, 'test', 'asha')
    await press('a')
    await shows('in LIVE mode')
    await press('y')
    await shows(/SBIN .*pending, refused/)
    await shows(/Approval 1: .*kill switch/i)
  })
})

it('an approved order that the broker refused stays in the list, and is counted as failed', async () => {
  const { http, shows, press } = await opened(...TWO)
  const { executor } = http.desk.service
  const open = executor.open.bind(executor)
  executor.open = (order) => ({
    ...open(order),
    send: async () => async () => ({ outcome: 'failed', code: 'broker_rejected', message: 'no margin' }),
  })
  await press('A')
  await press(ENTER)
  await shows('Type live to confirm')
  await press('live')
  await press(ENTER)
  await shows('2 orders: 2 approved, FAILED')
  await shows(/1 BUY 10 SBIN .* approved, failed: no margin/)
  await press(ESC)
  await shows(/SBIN .*failed, approved by asha/)
})

describe('what others decide', () => {
  it('shows at once, and can no longer be approved or rejected', async () => {
    const { reject, statuses, shows, press } = await opened({})
    await reject(1, 'no')
    await shows('[pending 0]')
    for (const key of ['a', 'r', 'A']) {
      await press(key)
      await shows(/No order waits for approval\.\n/)
    }
    expect(await statuses()).toEqual(['1 rejected'])
  })

  it('leaves an open question: it is not approved again', async () => {
    const { reject, statuses, shows, press } = await opened(...TWO)
    await press('A')
    await press(ENTER)
    await shows('Approve 2 orders,')
    await reject(1, 'no')
    await shows('Approve 1 order,')
    await press('y')
    await shows('Approval 2: approved')
    expect(await statuses()).toEqual(['2 approved', '1 rejected'])
  })
})

describe('rejecting', () => {
  it('r sends the typed reason', async () => {
    const { shows, press } = await opened({})
    await press('r')
    await shows('Reason to reject 1:')
    await press('too largx')
    await press('\u007f')
    await press('e')
    await shows('Reason to reject 1: too large')
    await press(ENTER)
    await shows('Approval 1: rejected')
    await press(SHIFT_TAB)
    await shows('1 SBIN: rejected by asha: too large')
  })

  it('keeps the reason and the marks while the daemon is away, and sends it when it is back', async () => {
    const { lose, comeBack, desk, shows, press } = await opened(...TWO)
    await press(' ')
    await press('r')
    await press('late')
    await lose()
    await expect.poll(() => desk.connection.state.get().kind).toBe('lost')
    await press(ENTER)
    await shows('Rejection not sent. The daemon is not connected. Reason to reject 2: late')
    await comeBack()
    desk.connection.retry()
    await expect.poll(() => desk.connection.state.get().kind).toBe('connected')
    await press(ENTER)
    await shows('Approval 2: rejected')
    await press(SHIFT_TAB)
    await shows('2 INFY: rejected by asha: late')
  })

  it('r rejects all marked orders with one reason', async () => {
    const { statuses, shows, press } = await opened(...TWO)
    await press(' ')
    await press('j')
    await press(' ')
    await press('r')
    await shows('Reason to reject 2 orders:')
    await press('no')
    await press(ENTER)
    await shows('rejected 2')
    expect(await statuses()).toEqual(['2 rejected', '1 rejected'])
  })

  it('esc leaves it and sends nothing; the keys of the list are text meanwhile', async () => {
    const { statuses, shows, press } = await opened({})
    await press('r')
    await shows('Reason to reject 1:')
    await press('qa')
    await shows('Reason to reject 1: qa')
    await press(ESC)
    await shows('space mark')
    expect(await statuses()).toEqual(['1 pending'])
  })
})
