import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { CliDesk } from '../../support/desk/cli-desk.js'

const BANNER = 'LIVE  broker simulated'

const folder = mkdtempSync(join(tmpdir(), 'svc-test-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function file(name: string, content: string): string {
  const path = join(folder, name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
  return path
}

const NOTE = file(
  'note.yaml',
  'name: Note\nnodes:\n  go: {type: start, next: say}\n  say: {type: log, with: {message: hello}}\n',
)
const line = (quantity: number) => ({
  symbol: 'SBIN',
  exchange: 'NSE',
  action: 'BUY',
  product: 'MIS',
  pricetype: 'LIMIT',
  price: 700,
  quantity,
})
const SMALL = file('small.json', JSON.stringify([line(10), line(20)]))
const LARGE = file('large.json', JSON.stringify([line(100), line(50)]))

async function open(env: Record<string, string> = {}) {
  const desk = await CliDesk.open({ env })
  await desk.svc(`flow apply ${NOTE}`)
  return desk
}

/** The questions of a command, which are declined. */
async function asked(desk: CliDesk, command: string): Promise<string[]> {
  const { stderr } = await desk.svc(command, { answers: ['n'] })
  return [...stderr.matchAll(/^.*\? \[y\/N\] /gm)].map(([text]) => text)
}

const ORDERS: readonly (readonly [command: string, question: string | undefined])[] = [
  // Before an order changes the position.
  [
    'order smart SBIN NSE BUY 0 --position-size 500 --price 700 --type LIMIT',
    'Send it LIVE to simulated: NSE:SBIN to a position of 500 LIMIT at ₹700.00, value ₹3,50,000.00',
  ],
  ['order place SBIN NSE BUY 10 --price 700 --type LIMIT', undefined],
  [
    'order place SBIN NSE BUY 200 --price 700 --type LIMIT',
    'Send it LIVE to simulated: BUY 200 NSE:SBIN LIMIT at ₹700.00, value ₹1,40,000.00',
  ],
  ['do "b 10 sbin 700"', undefined],
  [
    'do "b 200 sbin 700"',
    'Send it LIVE to simulated: BUY 200 NSE:SBIN LIMIT at ₹700.00 MIS, value ₹1,40,000.00',
  ],
  ['do "c 12345"', undefined],
  [`order basket ${SMALL}`, undefined],
  [`order basket ${LARGE}`, 'Send it LIVE to simulated: 2 orders, value ₹1,05,000.00'],
  [
    'order split SBIN NSE BUY 300 --split-size 100 --price 700 --type LIMIT',
    'Send it LIVE to simulated: BUY 300 NSE:SBIN in parts of 100 LIMIT at ₹700.00, value ₹2,10,000.00',
  ],
  ['flow run note', 'Start it LIVE: its orders reach simulated'],
  [`flow run ${NOTE}`, 'Start it LIVE: its orders reach simulated'],
  [`flow run ${NOTE} --dry-run`, undefined],
  ['flow activate note', 'Start it LIVE: its orders reach simulated'],
  [`flow apply ${NOTE} --activate`, 'Start it LIVE: its orders reach simulated'],
  ['flow deactivate note', undefined],
  ['flow rollback note 1', undefined],
  ['order cancel 12345', undefined],
  ['token create --name t --scope read', undefined],
]

test('a live terminal is asked before what sends or starts much, and before nothing else', async () => {
  const desk = await open()
  for (const [command, question] of ORDERS) {
    const questions = question === undefined ? [] : [`${question}? [y/N] `]
    expect(await asked(desk, command), command).toEqual(questions)
  }
})

test.each([
  ['never', []],
  [
    'always',
    [
      'Send it LIVE to simulated',
      'Start it LIVE: its orders reach simulated',
      'Change this while orders reach simulated',
    ],
  ],
  ['5000', ['Send it LIVE to simulated', 'Start it LIVE: its orders reach simulated']],
])('CONFIRM_LIVE=%s decides what is asked', async (setting, questions) => {
  const desk = await open({ CONFIRM_LIVE: setting })
  const commands = [
    'order place SBIN NSE BUY 10 --price 700 --type LIMIT',
    'flow activate note',
    'flow rollback note 1',
  ]
  const all = []
  for (const command of commands) all.push(...(await asked(desk, command)))
  expect(all.map((text) => text.replace(/(: BUY .*)?\? \[y\/N\] $/, ''))).toEqual(questions)
  expect(await asked(desk, 'order cancel 12345')).toEqual([])
})

test('yes sends the order, no sends nothing', async () => {
  const desk = await open()
  const command = 'order place SBIN NSE BUY 200 --type MARKET --product MIS'
  expect((await desk.svc(command, { answers: ['n'] })).exit).toBe(1)
  expect((await desk.svc('order list -q')).stdout).toBe('')
  expect((await desk.svc(command, { answers: ['y'] })).exit).toBe(0)
  expect((await desk.svc('order list -q')).stdout).toMatch(/^\w+\n$/)
})

/** What is announced. The last ones take away what those before need. */
const ANNOUNCED = [
  'order place SBIN NSE BUY 200 --price 700 --type LIMIT',
  'do "b 200 sbin 700"',
  `order basket ${LARGE}`,
  'order cancel-all --yes',
  'position close-all --yes',
  'flow run note',
  'flow activate note',
  'flow delete note --yes',
  'mode set semi_auto',
]

test('what touches trading announces LIVE once, and asks no script', async () => {
  const desk = await open()
  for (const command of ANNOUNCED) {
    const { stderr } = await desk.svc(command)
    expect(
      stderr.split('\n').filter((text) => text.startsWith(BANNER)),
      command,
    ).toHaveLength(1)
    expect(stderr, command).not.toContain('[y/N]')
    expect((await desk.svc(`${command} --quiet`)).stderr, command).not.toContain(BANNER)
  }
})

test('what touches no trading, and everything in Analyzer mode, is not announced', async () => {
  const desk = await open()
  for (const command of ['token create --name t --scope read', 'order list', `flow run ${NOTE} --dry-run`]) {
    expect((await desk.svc(command)).stderr).not.toContain('LIVE  broker')
  }
  await desk.service.sandbox.start()
  await desk.service.settings.setAnalyzeMode(true)
  for (const command of ['order place SBIN NSE BUY 1000 --product MIS', 'flow activate note']) {
    const { exit, stderr } = await desk.svc(command, { answers: [] })
    expect([exit, stderr]).toEqual([0, expect.not.stringContaining('LIVE')])
  }
})

test('--yes answers, one confirmation is enough, and several ids are asked one by one', async () => {
  const desk = await open()
  expect((await desk.svc('flow activate note --yes', { answers: [] })).exit).toBe(0)
  expect((await desk.svc('order cancel-all', { answers: ['y'] })).exit).toBe(0)
  await desk.svc('flow deactivate note', { answers: [] })
  const other = file(
    'other.yaml',
    'name: Other\nnodes:\n  go: {type: start, next: say}\n  say: {type: log, with: {message: hello}}\n',
  )
  await desk.svc(`flow apply ${other}`)
  const { exit, stderr } = await desk.svc('flow activate note other', { answers: ['n', 'y'] })
  expect([exit, stderr.split('broker simulated').length]).toEqual([1, 2])
  expect((await desk.svc('flow list --json')).stdout).toContain('"is_active": true')
})

test.each(['never', '100000', 'always'])(
  'CONFIRM_LIVE=%s: an approval is asked once, with every leg and the value',
  async (setting) => {
    const desk = await open({ CONFIRM_LIVE: setting })
    await desk.svc('mode set semi_auto')
    await desk.svc(`order basket ${LARGE}`)
    await desk.svc('order place SBIN NSE BUY 1 --price 700 --type LIMIT')
    expect(await asked(desk, 'approval approve 2')).toEqual(['Approve and execute approval 2? [y/N] '])
    const { exit, stderr } = await desk.svc('approval approve 1', { answers: ['y'] })
    expect([exit, stderr.split('[y/N]').length - 1, stderr.split('broker simulated').length - 1]).toEqual([
      0, 1, 1,
    ])
    expect(stderr).toMatch(/ {2}1 waiting order {2}2 orders to send {2}.*value ₹1,05,000\.00\n/)
    for (const leg of [/ 100 {2}SBIN .* 70,000\.00 .* pass\n/, / 50 {2}SBIN .* 35,000\.00 .* pass\n/]) {
      expect(stderr).toMatch(leg)
    }
  },
)

test('approve-all approves nothing that came after its question, also when the question had nothing to show', async () => {
  const desk = await open()
  await desk.svc('mode set semi_auto')
  const queue = () => desk.svc('order place SBIN NSE BUY 1 --price 700 --type LIMIT --product MIS')
  await queue()
  // Somebody else decides on the only order while the command begins, and another one comes before the answer.
  const { approvals } = desk.service
  const waiting = approvals.waiting.bind(approvals)
  approvals.waiting = async function* (...asked) {
    await desk.svc('approval reject 1')
    yield* waiting(...asked)
    await queue()
  }
  const { exit, stderr } = await desk.svc('approval approve-all', { answers: ['y'] })
  expect([exit, stderr]).toEqual([0, expect.stringContaining('No order waits for approval any more.')])
  expect((await desk.svc('approval list -q')).stdout).toBe('2\n')
})

test('a queued order is not asked', async () => {
  const desk = await open()
  await desk.svc('mode set semi_auto')
  expect(await asked(desk, `order basket ${LARGE}`)).toEqual([])
  expect(await asked(desk, 'order place SBIN NSE BUY 1 --price 700 --type LIMIT')).toEqual([])
})

test('svc api follows the same rule', async () => {
  const desk = await open()
  const fields = 'strategy=t symbol=SBIN exchange=NSE action=BUY product=MIS pricetype=MARKET'
  const words = fields
    .split(' ')
    .map((field) => `-f ${field}`)
    .join(' ')
  const large = await asked(desk, `api POST /api/v1/placeorder ${words} -F quantity=1000`)
  expect(large).toEqual([
    expect.stringMatching(/^Send it LIVE to simulated: BUY 1000 NSE:SBIN MARKET MIS, value ₹/),
  ])
  expect(await asked(desk, `api POST /api/v1/placeorder ${words} -F quantity=1`)).toEqual([])
  expect(await asked(desk, 'api POST /flow/api/workflows/1/activate')).toHaveLength(1)
  for (const path of ['approve/1', 'approve-all', 'approve-all/1']) {
    const questions = await asked(desk, `api POST /action-center/${path}`)
    expect(questions, path).toEqual(['Send it LIVE to simulated, value not known? [y/N] '])
  }
})

test('an order whose value is not known is asked', async () => {
  const desk = await open()
  const command = 'order gtt place NSE:SBIN BUY 10 --product CNC --type LIMIT --price 800 --trigger-sl 805'
  expect(await asked(desk, command)).toEqual([
    'Send it LIVE to simulated: BUY 10 NSE:SBIN LIMIT at ₹800.00 CNC, value not known? [y/N] ',
  ])
})

test('before a workflow is deleted, and after it is deactivated, its open positions are named', async () => {
  const desk = await open()
  const buy = file(
    'buy.yaml',
    'name: Buyer\nnodes:\n  go: {type: start, next: buy}\n  buy:\n    type: placeOrder\n' +
      '    with: {symbol: SBIN, exchange: NSE, action: BUY, quantity: 5, product: MIS}\n',
  )
  await desk.svc(`flow apply ${buy}`)
  expect((await desk.svc('flow activate buy')).exit).toBe(0)
  expect((await desk.svc('flow run buy')).exit).toBe(0)
  await desk.clock.advance(2000)
  const deactivated = await desk.svc('flow deactivate buy', { answers: [] })
  expect(deactivated.stderr).toContain('Positions of its orders stay open: NSE:SBIN 5 (MIS)')
  const declined = await desk.svc('flow delete buy', { answers: ['n'] })
  expect(declined.stderr).toContain('positions of its orders stay open: NSE:SBIN 5 (MIS)')
  expect((await desk.svc('flow delete note', { answers: ['n'] })).stderr).not.toContain('stay open')
})

test('with --no-input at a terminal, what would be asked is refused and sends nothing', async () => {
  const desk = await open()
  const large = 'order place SBIN NSE BUY 200 --price 700 --type LIMIT'
  const refused = await desk.svc(`${large} --no-input`, { answers: [] })
  expect([refused.exit, refused.stderr]).toEqual([2, expect.stringContaining('Pass --yes.')])
  expect(refused.stderr).toContain('Send it LIVE to simulated')
  const { stdout } = await desk.svc('order list --json')
  expect(JSON.parse(stdout)).toEqual([])
  for (const line of [`${large} --no-input --yes`, 'order place SBIN NSE BUY 1 --no-input', `${large}`]) {
    expect((await desk.svc(line, line === large ? {} : { answers: [] })).exit).toBe(0)
  }
})

const WAITING_ORDER = 'order place SBIN NSE BUY 1 --price 700 --type LIMIT --product MIS'
const GTT = 'order gtt place NSE:SBIN BUY 10 --product CNC --type LIMIT --price 700 --trigger-sl 705'

/** Opens a desk with a waiting order, a GTT and a position. */
async function filled(env: Record<string, string> = {}) {
  const desk = await CliDesk.open({ env })
  const order = (await desk.svc(`${WAITING_ORDER} -q`)).stdout.trim().replace('order/', '')
  const gtt = (await desk.svc(`${GTT} --json`)).stdout
  expect((await desk.svc('order place INFY NSE BUY 5 --product MIS')).exit).toBe(0)
  await desk.clock.advance(2000)
  return { desk, order, gtt: String(JSON.parse(gtt).trigger_id) }
}

test('a live terminal asks once before it cancels or closes, and shows what', async () => {
  const { desk, gtt, order } = await filled()
  const cases = [
    [
      `order cancel ${order}`,
      `Cancel order ${order}? [y/N] `,
      '1 waiting order',
      'order list --status open -q',
    ],
    [`order gtt cancel ${gtt}`, `Cancel GTT ${gtt}? [y/N] `, '1 GTT', 'order gtt list -q'],
    [
      'position close INFY NSE',
      'Close NSE:INFY at the market? [y/N] ',
      '1 open position',
      'position list -q',
    ],
  ] as const
  for (const [command, question, fact, look] of cases) {
    const before = (await desk.svc(look)).stdout
    expect(await asked(desk, command), command).toEqual([question])
    expect((await desk.svc(look)).stdout, command).toBe(before)
    const { exit, stderr } = await desk.svc(`${command} --no-color`, { answers: ['y'] })
    expect([exit, stderr], command).toEqual([
      0,
      expect.stringContaining(`${BANNER}  account SIMULATED  ${fact}`),
    ])
    expect(stderr.split(BANNER)).toHaveLength(2)
  }
})

test('several orders are one question, and what does not wait is none', async () => {
  const { desk, order } = await filled()
  const other = (await desk.svc(`${WAITING_ORDER} -q`)).stdout.trim()
  expect(other).toMatch(/^order\//)
  const { exit, stderr } = await desk.svc(`order cancel ${order} 999 ${other}`, { answers: ['y'] })
  expect(exit).not.toBe(0)
  expect(stderr).toContain('2 waiting orders')
  expect(stderr.match(/\[y\/N\]/g)).toHaveLength(1)
  expect((await desk.svc('order list --status open -q')).stdout).toBe('')
  expect(await asked(desk, `order cancel ${order}`)).toEqual([])
  expect(await asked(desk, 'position close SBIN NSE')).toEqual([])
})

test('an order that is named by its reference is asked about, too', async () => {
  const { desk, order } = await filled()
  const other = JSON.parse((await desk.svc(`${WAITING_ORDER} -o json`)).stdout)
  expect(await asked(desk, `order cancel ${other.order_ref}`)).toEqual([
    `Cancel order ${other.order_ref}? [y/N] `,
  ])
  const { stderr } = await desk.svc(`order cancel ${order} ${other.order_ref}`, { answers: ['y'] })
  expect(stderr).toContain('2 waiting orders')
  expect((await desk.svc('order list --status open -q')).stdout).toBe('')
})

test('a line of the grammar and svc api ask before they cancel, too', async () => {
  const { desk, order } = await filled()
  expect(await asked(desk, `do "c ${order}"`)).toEqual([`Cancel order ${order}? [y/N] `])
  const fields = `-f strategy=t -f orderid=${order}`
  expect(await asked(desk, `api POST /api/v1/cancelorder ${fields}`)).toEqual([
    'Cancel it LIVE at simulated? [y/N] ',
  ])
  expect(await asked(desk, 'api POST /api/v1/closeposition -f strategy=t')).toEqual([
    'Close it LIVE at simulated? [y/N] ',
  ])
})

test('svc api asks nothing before a read, whatever its method', async () => {
  const { desk } = await filled({ CONFIRM_LIVE: 'always' })
  for (const line of [
    'api GET /risk',
    'api /flow/api/workflows',
    'api GET /orders/journal -f limit=5',
    'api POST /api/v1/orderbook',
    'api POST /api/v1/quotes -f symbol=SBIN -f exchange=NSE',
  ]) {
    expect([line, await asked(desk, line)]).toEqual([line, []])
  }
})

test.each(['CONFIRM_LIVE=never', 'Analyzer mode', '--yes', 'a script'])(
  'nobody is asked before a cancel or a close with %s',
  async (why) => {
    const { desk, order } = await filled(why === 'CONFIRM_LIVE=never' ? { CONFIRM_LIVE: 'never' } : {})
    if (why === 'Analyzer mode') {
      await desk.service.sandbox.start()
      await desk.service.settings.setAnalyzeMode(true)
    }
    for (const command of [`order cancel ${order}`, 'position close INFY NSE']) {
      const line = why === '--yes' ? `${command} --yes` : command
      const { stderr } = await desk.svc(`${line} --no-color`, why === 'a script' ? {} : { answers: [] })
      expect(stderr, command).not.toContain('[y/N]')
      expect(stderr.includes(BANNER), command).toBe(why !== 'Analyzer mode')
    }
  },
)

test('with --no-input at a live terminal, a cancel is refused and names --yes', async () => {
  const { desk, order } = await filled()
  const { exit, stderr } = await desk.svc(`order cancel ${order} --no-input`, { answers: [] })
  expect([exit, stderr]).toEqual([2, expect.stringContaining('Pass --yes.')])
})

test('close-all and cancel-all ask nothing where nothing is open or waits', async () => {
  const desk = await CliDesk.open()
  const closed = await desk.svc('position close-all', { answers: [] })
  expect([closed.exit, closed.stderr]).toEqual([0, expect.stringContaining('No position is open.\n')])
  const cancelled = await desk.svc('order cancel-all', { answers: [] })
  expect([cancelled.exit, cancelled.stderr]).toEqual([0, expect.stringContaining('No order is waiting.\n')])
  expect(JSON.parse((await desk.svc('order cancel-all --json', { answers: [] })).stdout)).toMatchObject({
    canceled_orders: [],
  })
  expect(JSON.parse((await desk.svc('position close-all --json', { answers: [] })).stdout)).toMatchObject({
    message: 'No position is open.',
  })
  expect(await desk.http.desk.ledger()).toEqual([])
  expect((await desk.svc('position close-all')).exit).toBe(2)
})

const STRATEGY = file(
  'strategies/breakout.yaml',
  'name: Breakout\nstrategy_kind: signal\nstrategy_type: positional\nproduct: MIS\nunderlying: SBIN\nunderlying_exchange: NSE\n' +
    'legs:\n  - {symbol: SBIN, exchange: NSE, segment: cash, qty: 10}\n',
)
const OTHER = file('new.yaml', readFileSync(NOTE, 'utf8').replace('name: Note', 'name: New'))

test.each([
  [`flow apply ${OTHER}`, '+ create new', 'Apply 1 change? [y/N]'],
  [`flow apply ${NOTE} --activate`, '= unchanged note', 'Start it LIVE: its orders reach simulated? [y/N]'],
  [`strategy apply ${STRATEGY}`, '+ create breakout', 'Apply 1 change? [y/N]'],
])('svc %s shows the plan, then the mode, and then asks', async (command, plan, question) => {
  const desk = await open({ CONFIRM_LIVE: 'always' })
  const { exit, stderr } = await desk.svc(`${command} --no-color`, { answers: ['n'] })
  const places = [plan, BANNER, question].map((text) => stderr.indexOf(text))
  expect(places, stderr).toEqual(places.toSorted((one, other) => one - other))
  expect([exit, places.includes(-1), stderr.split(BANNER).length, stderr.split('[y/N]').length]).toEqual([
    1,
    false,
    2,
    2,
  ])
})

test('an apply that changes nothing asks nothing', async () => {
  const desk = await open({ CONFIRM_LIVE: 'always' })
  const { exit, stdout, stderr } = await desk.svc(`flow apply ${NOTE}`, { answers: [] })
  expect([exit, stdout, stderr]).toEqual([
    0,
    expect.stringContaining('= unchanged note'),
    expect.stringContaining('1 unchanged.'),
  ])
})
