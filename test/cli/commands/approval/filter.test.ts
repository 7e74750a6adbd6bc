import { expect, test } from 'vitest'
import { LightDaemon } from '../../../support/daemons/light-daemon.js'
import { CliDesk } from '../../../support/desk/cli-desk.js'

/* A decision by filter: what is shown before the question is what is sent, and nothing else. */

/** A desk whose orders wait for approval. */
async function waitingDesk(...orders: string[]): Promise<CliDesk> {
  const desk = await CliDesk.open()
  await desk.svc('mode set semi_auto')
  for (const order of orders)
    expect((await desk.svc(`order ${order} --product MIS --strategy many`)).exit).toBe(0)
  return desk
}

/** Returns the states of the approvals of a desk, oldest first. */
async function states(desk: CliDesk): Promise<string[]> {
  const { stdout } = await desk.svc('approval list --status all --json')
  const rows: { id: number; status: string }[] = JSON.parse(stdout)
  return rows.toSorted((one, other) => one.id - other.id).map(({ status }) => status)
}

/** Two smart orders for one symbol: what the second trades depends on the first. */
const SMART = [
  'smart SBIN NSE BUY 0 --position-size 100',
  'smart SBIN NSE SELL 0 --position-size -100',
  'place INFY NSE BUY 1',
]

test('every order that would be approved is in the list', async () => {
  const desk = await waitingDesk(...Array.from({ length: 55 }, (_, at) => `place SBIN NSE BUY ${at + 1}`))
  const { stderr } = await desk.svc('approval approve --strategy many', { answers: ['n'] })
  expect(stderr).toContain('these 55 orders')
  const listed = [...stderr.matchAll(/^ *(\d+) /gm)].map(([, id]) => Number(id))
  // In the order in which they are executed.
  expect(listed).toEqual(Array.from({ length: 55 }, (_, at) => at + 1))
})

test('more orders than the daemon answers in a second are all approved', async () => {
  const desk = await waitingDesk(...Array.from({ length: 40 }, () => 'place SBIN NSE BUY 1'))
  expect((await desk.svc('approval approve --strategy many --yes')).exit).toBe(0)
  expect(new Set(await states(desk))).toEqual(new Set(['approved']))
})

test('the question comes after mode, broker, value and every order of a basket', async () => {
  const desk = await waitingDesk()
  const line = {
    symbol: 'SBIN',
    exchange: 'NSE',
    action: 'BUY',
    product: 'MIS',
    pricetype: 'LIMIT',
    price: 700,
  }
  const basket = [7, 3].map((quantity) => ({ ...line, quantity }))
  await desk.svc('order basket - --yes --strategy many', { stdin: JSON.stringify(basket) })
  const { stderr } = await desk.svc('approval approve --strategy many', {
    answers: ['n'],
    env: { NO_COLOR: '1' },
  })
  const [shown = ''] = stderr.split('Approve and execute')
  expect(shown).toMatch(
    /^LIVE {2}broker simulated .*1 waiting order {2}2 orders to send {2}.*value ₹7,000\.00$/m,
  )
  expect(shown).toMatch(/BUY +7 +SBIN/)
  expect(shown).toMatch(/BUY +3 +SBIN/)
})

test('the first order that would trade another size than the list showed ends the command', async () => {
  const desk = await waitingDesk(...SMART)
  const { exit, stderr } = await desk.svc('approval approve --strategy many --yes')
  expect(stderr).toMatch(/BUY +100 +SBIN/)
  expect(stderr).toMatch(/SELL +100 +SBIN/)
  expect(stderr).toContain(
    'Not approved: it would now send SELL 200 NSE:SBIN MIS MARKET, and shown was SELL 100 NSE:SBIN MIS MARKET. The order stays pending.',
  )
  expect(stderr).toContain('Approval 3 was not approved: approval 2 is no longer as it was shown.')
  expect([exit, await states(desk)]).toEqual([5, ['approved', 'pending', 'pending']])
})

test('ids after a question are compared with what was shown, too', async () => {
  const desk = await waitingDesk(...SMART)
  const { exit } = await desk.svc('approval approve 1 2 3', { answers: ['y'] })
  expect([exit, await states(desk)]).toEqual([5, ['approved', 'pending', 'pending']])
})

test('nothing is sent where orders go elsewhere than the list said', async () => {
  const desk = await waitingDesk('place SBIN NSE BUY 1', 'place INFY NSE BUY 1')
  const switched = async () => {
    await desk.service.sandbox.start()
    await desk.service.settings.setAnalyzeMode(true)
    return 'y'
  }
  const { exit, stderr } = await desk.svc('approval approve --strategy many', { answers: [switched] })
  expect(stderr).toContain(
    'it would now be simulated in Analyzer mode, and was to be sent LIVE to simulated.',
  )
  expect([exit, await states(desk)]).toEqual([5, ['pending', 'pending']])
})

test('a request that would send nothing now is named and left out; a rejection has it', async () => {
  const desk = await waitingDesk('place SBIN NSE BUY 1', 'smart INFY NSE BUY 0 --position-size 0')
  const approved = await desk.svc('approval approve --strategy many --yes')
  expect(approved.stderr).toMatch(/approval 2 would send nothing now, and is left out: No OpenPosition Found/)
  expect([approved.exit, await states(desk)]).toEqual([0, ['approved', 'pending']])
  expect((await desk.svc('approval reject --strategy many --yes')).exit).toBe(0)
  expect(await states(desk)).toEqual(['approved', 'rejected'])
})

const nothing = (filter: string) =>
  `No waiting order matches ${filter}: nothing was done. See all: svc approval list\n`

test.each(['approve', 'reject'])('%s says that nothing matches the filter, and ends with 0', async (verb) => {
  const desk = await CliDesk.open()
  const { exit, stderr } = await desk.svc(`approval ${verb} --symbol NSE:FOO --yes`)
  expect([exit, stderr]).toEqual([0, nothing('--symbol NSE:FOO')])
  const turned = await desk.svc(`approval ${verb} --symbol FOO:NSE --yes`)
  expect([turned.exit, turned.stderr]).toEqual([
    2,
    'error: "FOO:NSE" has its exchange at the end. Write NSE:FOO\n',
  ])
})

/** A daemon with one waiting order, and what its approval would send. */
async function lightDaemon(planned: object) {
  const row = { id: 7, api_type: 'placeorder', status: 'pending', symbol: 'NIFTY', value: 10 }
  const order = {
    id: 7,
    api_type: 'placeorder',
    strategy: '',
    legs: [],
    one_of: false,
    margin: null,
    ...planned,
  }
  const plan = { mode: 'live', broker: 'simulated', orders: [order], totals: {} }
  const daemon = await LightDaemon.open({
    routes: {
      'GET /action-center/api/data': { status: 'success', data: { orders: [row], next_before: null } },
      'POST /action-center/plan': { status: 'success', data: plan },
    },
  })
  return { env: { SVC_URL: daemon.url } }
}

test('--max-drift leaves out an order of which no leg is known now', async () => {
  const daemon = await lightDaemon({ note: 'no quote', value: null })
  const desk = await CliDesk.open()
  const { exit, stderr } = await desk.svc('approval approve --max-drift 0.5 --yes', daemon)
  expect([exit, stderr]).toEqual([0, nothing('--max-drift 0.5')])
})

test.each(['approve', 'reject'])(
  '%s --max-value leaves out an order that has a value only by the price when it was queued',
  async (verb) => {
    const leg = { symbol: 'NIFTY', exchange: 'NFO', action: 'BUY', quantity: 1, value: null, checks: [] }
    const daemon = await lightDaemon({ legs: [leg], value: null })
    const desk = await CliDesk.open()
    const { exit, stderr } = await desk.svc(`approval ${verb} --max-value 50 --yes`, daemon)
    expect([exit, stderr]).toEqual([0, nothing('--max-value 50')])
  },
)
