import { render } from 'ink-testing-library'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ApprovalScreen } from '../../../src/tui/approvals/ApprovalScreen.js'
import { Decisions } from '../../../src/tui/approvals/decisions.js'
import { ApprovalFeed } from '../../../src/tui/approvals/feed.js'
import type { Approval } from '../../../src/tui/approvals/queue.js'
import { order, QueueServer } from '../support/queue-server.js'

/** A screen of 80 by 24 on a queue. */
async function opened(rows: Approval[]) {
  const server = await QueueServer.started(rows)
  const feed = new ApprovalFeed(server.access)
  const decisions = new Decisions(server.access, () => void feed.refresh())
  let quits = 0
  const size = { columns: 80, rows: 23 }
  const app = render(<ApprovalScreen {...{ feed, decisions, size }} onQuit={() => (quits += 1)} />)
  onTestFinished(() => {
    feed.stop()
    app.unmount()
  })
  feed.start()
  const screen = () => app.lastFrame() ?? ''
  const shows = (text: string | RegExp) => expect.poll(screen).toMatch(text)
  const press = async (key: string) => {
    app.stdin.write(key)
    await new Promise((resolve) => setTimeout(resolve, 30))
  }
  if (rows[0]) await shows(rows[0].symbol.slice(0, 3))
  return { server, screen, shows, press, quits: () => quits }
}

const UP = '\u001b[A'
const DOWN = '\u001b[B'
const ESC = '\u001b'

describe('the list', () => {
  it('shows the live price beside the price of the order, newest first, in 80 columns and 23 lines', async () => {
    const { screen } = await opened([order(2), order(1)])
    const lines = screen().split('\n')
    expect(lines[0]).toMatch(/^ LIVE {2}zerodha semi_auto asha {2}2 orders, ₹16,250.00 waiting {2}connected$/)
    expect(lines[2]).toMatch(/^> {3}2 .*SYM2 .*812\.50 +815\.25 +8,125\.00 +pending$/)
    expect(lines[3]).toMatch(/^ {4}1 .*SYM1/)
    expect(lines.length).toBeLessThanOrEqual(23)
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(80)
  })

  it('escapes control characters in the texts of an order', async () => {
    const { screen } = await opened([order(1, { symbol: 'SYM\u001b[2J', strategy: '\u202eevil' })])
    expect(screen()).toContain('SYM\\u001b[2J')
    expect(screen()).not.toContain('\u202e')
  })

  it('mounts only the rows that fit, around the cursor', async () => {
    const rows = Array.from({ length: 100 }, (_, index) => order(100 - index))
    const { screen, shows, press } = await opened(rows)
    await press('G')
    await shows(/^> {3}1 /m)
    expect(screen().split('\n').length).toBeLessThanOrEqual(23)
  })

  it('keeps the cursor on its order when a new one comes', async () => {
    const { server, shows, screen } = await opened([order(1)])
    server.add(order(2))
    await shows('SYM2')
    expect(screen()).toMatch(/^> {3}1 /m)
  })

  it('enter shows every field and the payload', async () => {
    const { shows, press } = await opened([order(1)])
    await press('\r')
    await shows(/LAST PRICE WHEN QUEUED +810\.00/)
    await press('G')
    await shows('"symbol": "SYM1"')
    await press(ESC)
    await shows('space mark')
  })
})

describe('approving', () => {
  it('sends nothing before a confirmation that names mode, broker, count and value', async () => {
    const { server, shows, press } = await opened([order(1)])
    await press('a')
    await shows('Approve 1 order, ₹8,125.00 in LIVE mode at zerodha?')
    expect(server.changes).toEqual([])
    await press('y')
    await shows('approved by asha')
    expect(server.changes).toEqual(['/action-center/approve/1'])
  })

  it('n leaves the question and sends nothing', async () => {
    const { server, shows, press } = await opened([order(1)])
    await press('a')
    await shows(/Approve 1 order, .* in LIVE mode/)
    await press('n')
    await shows('space mark')
    expect(server.changes).toEqual([])
  })

  it('sends nothing when the mode changes after the question', async () => {
    const { server, shows, press } = await opened([order(1)])
    server.account.analyze_mode = true
    await press('a')
    await shows('in ANALYZE mode')
    server.account.analyze_mode = false
    await press('y')
    await shows('the mode or the broker has changed')
    expect(server.changes).toEqual([])
  })

  it('A approves the marked orders only, oldest first', async () => {
    const { server, shows, press } = await opened([order(3), order(2), order(1)])
    await press(' ')
    await press(DOWN)
    await press('j')
    await press(' ')
    await press(UP)
    await press('A')
    await shows('Approve 2 orders, ₹16,250.00 in LIVE mode')
    await press('y')
    await expect.poll(() => server.changes).toEqual(['/action-center/approve/1', '/action-center/approve/3'])
  })

  it('A approves the orders that it named, and none that came later', async () => {
    const { server, shows, press } = await opened([order(2), order(1)])
    await press('A')
    await shows(/Approve 2 orders, .* in LIVE mode/)
    server.add(order(3))
    await shows('3 orders')
    await press('y')
    await shows(/SYM2.*approved/)
    await shows(/SYM3.*pending/)
    expect(server.changes).toEqual(['/action-center/approve/1', '/action-center/approve/2'])
  })

  it('shows a refusal on the row, with its reason', async () => {
    const { server, shows, press } = await opened([order(1)])
    server.refusal = { status: 403, body: { status: 'error', message: 'The price has moved 9 %' } }
    await press('a')
    await shows(/Approve 1 order, .* in LIVE mode/)
    await press('y')
    await shows(/SYM1.*pending, refused/)
    await shows('The price has moved 9 %')
  })
})

describe('what others decide', () => {
  it('shows at once, and can no longer be approved', async () => {
    const { server, shows, press } = await opened([order(1)])
    server.change(1, { status: 'approved', approved_by: 'bob', approved_at_ist: '10:16', execution: 'done' })
    await shows('approved by bob')
    await press('a')
    await shows('Approval 1 is no longer pending: approved by bob at 10:16.')
    expect(server.changes).toEqual([])
  })

  it('leaves an open question: it is not approved again', async () => {
    const { server, shows, press } = await opened([order(2), order(1)])
    await press('A')
    await shows(/Approve 2 orders, .* in LIVE mode/)
    server.change(1, { status: 'rejected', rejected_by: 'bob', rejected_reason: 'no' })
    await shows('Approve 1 order,')
    await press('y')
    await shows('approved by asha')
    expect(server.changes).toEqual(['/action-center/approve/2'])
  })
})

describe('rejecting', () => {
  it('sends the typed reason', async () => {
    const { server, shows, press } = await opened([order(1)])
    await press('r')
    await press('too larg')
    await press('x')
    await press('\u007f')
    await press('e')
    await shows('Reason to reject 1: too large')
    await press('\r')
    await shows('rejected by asha')
    expect(server.changes).toEqual(['/action-center/reject/1{"reason":"too large"}'])
  })

  it('esc leaves it and sends nothing; the keys of the list are text meanwhile', async () => {
    const { server, shows, press, quits } = await opened([order(1)])
    await press('r')
    await press('q')
    await press('a')
    await shows('Reason to reject 1: qa')
    await press(ESC)
    await shows('space mark')
    expect([server.changes, quits()]).toEqual([[], 0])
  })
})

describe('a lost connection', () => {
  it('is shown, keeps rows and cursor, and is recovered from', async () => {
    const { server, shows, press, screen } = await opened([order(2), order(1)])
    await press(DOWN)
    await server.stop()
    await shows('NOT CONNECTED')
    expect(screen()).toMatch(/^> {3}1 .*SYM1/m)
    server.rows = [order(3), ...server.rows]
    await server.start()
    await shows('connected')
    await shows('SYM3')
    expect(screen()).toMatch(/^> {3}1 .*SYM1/m)
  })
})

it('q quits', async () => {
  const { press, quits } = await opened([order(1)])
  await press('q')
  expect(quits()).toBe(1)
})
