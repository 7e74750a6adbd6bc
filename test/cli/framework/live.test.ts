import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { CliDesk } from '../../support/desk/cli-desk.js'

const BANNER = 'LIVE  broker simulated'

const folder = mkdtempSync(join(tmpdir(), 'svc-test-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function file(name: string, content: string): string {
  const path = join(folder, name)
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
  ['order place SBIN NSE BUY 10 --price 700 --type LIMIT', undefined],
  ['order place SBIN NSE BUY 200 --price 700 --type LIMIT', 'Send it LIVE to simulated, value ₹ 1,40,000.00'],
  ['do "b 10 sbin 700"', undefined],
  ['do "b 200 sbin 700"', 'Send it LIVE to simulated, value ₹ 1,40,000.00'],
  ['do "c 12345"', undefined],
  [
    'order smart SBIN NSE BUY 0 --position-size 500 --price 700 --type LIMIT',
    'Send it LIVE to simulated, value ₹ 3,50,000.00',
  ],
  [`order basket ${SMALL}`, undefined],
  [`order basket ${LARGE}`, 'Send it LIVE to simulated, value ₹ 1,05,000.00'],
  [
    'order split SBIN NSE BUY 300 --split-size 100 --price 700 --type LIMIT',
    'Send it LIVE to simulated, value ₹ 2,10,000.00',
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

test.each(ORDERS)('on a live terminal, svc %s asks: %s', async (command, question) => {
  const desk = await open()
  expect(await asked(desk, command)).toEqual(question === undefined ? [] : [`${question}? [y/N] `])
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
  expect(all.map((text) => text.replace(/(, value .*)?\? \[y\/N\] $/, ''))).toEqual(questions)
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

test.each([
  'order place SBIN NSE BUY 200 --price 700 --type LIMIT',
  'do "b 200 sbin 700"',
  `order basket ${LARGE}`,
  'order cancel-all --yes',
  'position close-all --yes',
  'flow run note',
  'flow activate note',
  'flow delete note --yes',
  'mode set semi_auto',
])('svc %s announces LIVE once, and asks no script', async (command) => {
  const desk = await open()
  const { stderr } = await desk.svc(command)
  expect(stderr.split('\n').filter((text) => text.startsWith(BANNER))).toHaveLength(1)
  expect(stderr).not.toContain('[y/N]')
  expect((await desk.svc(`${command} --quiet`)).stderr).not.toContain(BANNER)
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
    expect(stderr).toMatch(/ {2}1 waiting order {2}2 orders to send {2}.*value ₹ 1,05,000\.00\n/)
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
  expect(large).toEqual([expect.stringMatching(/^Send it LIVE to simulated, value ₹ /)])
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
  expect(await asked(desk, command)).toEqual(['Send it LIVE to simulated, value not known? [y/N] '])
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
