import { join } from 'node:path'
import stringWidth from 'string-width'
import { beforeAll, describe, expect, it } from 'vitest'
import { commandDesk } from '../../support/desk/command-desk.js'
import { execute } from '../../support/files/files.js'
import { USERNAME } from '../../support/process/daemon-process.js'

const desk = commandDesk()

/** Each list with the columns that stay at every width, and the start of its line of totals. */
const LISTS: readonly { line: string; keeps: readonly string[]; totals?: RegExp }[] = [
  { line: 'order list', keeps: ['ORDER', 'SYMBOL', 'ACTION', 'QTY', 'AVG', 'STATUS'] },
  { line: 'order list --since 1d', keeps: ['ORDER', 'SYMBOL', 'ACTION', 'QTY', 'AVG', 'STATUS'] },
  { line: 'order journal', keeps: ['REFERENCE', 'STATE', 'SYMBOL', 'ACTION', 'QTY'] },
  { line: 'order gtt list', keeps: ['GTT', 'STATUS', 'SYMBOL', 'TRIGGERS', 'ORDERS'] },
  { line: 'trade list', keeps: ['SYMBOL', 'ACTION', 'QTY', 'PRICE'], totals: /^TOTAL/ },
  { line: 'trade list --since 1d', keeps: ['SYMBOL', 'ACTION', 'QTY', 'PRICE'], totals: /^TOTAL/ },
  { line: 'position list', keeps: ['SYMBOL', 'EXCH', 'QTY', 'P&L ₹'], totals: /^TOTAL/ },
  { line: 'approval list', keeps: ['ID', 'AGE', 'SYMBOL', 'ACTION', 'QTY', 'VALUE ₹'] },
  { line: 'approval list --status all', keeps: ['ID', 'SYMBOL', 'ACTION', 'QTY', 'VALUE ₹', 'STATUS'] },
  { line: 'quote SBIN INFY TCS NSE_INDEX:NIFTY', keeps: ['SYMBOL', 'LAST', 'CHANGE %'] },
  { line: 'depth SBIN NSE', keeps: ['BID QTY', 'BID', 'ASK', 'ASK QTY'] },
  {
    line: 'history SBIN NSE --interval 1h',
    keeps: ['TIME IST', 'OPEN', 'HIGH', 'LOW', 'CLOSE', 'VOLUME'],
  },
  { line: 'search nifty', keeps: ['SYMBOL', 'EXCH', 'STRIKE', 'LOT'] },
  { line: 'expiry NIFTY', keeps: ['EXPIRY'] },
  { line: 'chain NIFTY --strikes 5 --greeks', keeps: ['CALL', 'STRIKE', 'PUT'] },
  { line: 'flow list', keeps: ['ID', 'NAME', 'ACTIVE', 'LAST RUN'] },
  { line: 'flow executions 1', keeps: ['ID', 'STATUS', 'STARTED IST'] },
  { line: 'flow logs 1', keeps: ['TIME IST', 'LEVEL', 'MESSAGE'] },
  { line: 'flow history 1', keeps: ['VERSION'] },
  { line: 'flow nodes', keeps: ['TYPE'] },
  { line: 'token list', keeps: ['ID', 'NAME'] },
  { line: 'session list', keeps: ['SESSION', 'CURRENT'] },
  { line: 'login-activity', keeps: ['TIME IST', 'STATUS', 'TYPE', 'ADDRESS'] },
  { line: 'ban list', keeps: ['ADDRESS', 'REASON', 'UNTIL IST'] },
  { line: 'ban settings', keeps: ['NAME', 'VALUE'] },
  { line: 'ban stats', keeps: [] },
  { line: 'totp status', keeps: [] },
  { line: 'smtp show', keeps: [] },
  { line: 'log orders', keeps: ['TIME IST', 'REQUEST', 'SYMBOL', 'STATUS'] },
  { line: 'log analyzer', keeps: ['TIME IST', 'REQUEST', 'SYMBOL', 'STATUS'] },
  { line: 'log traffic', keeps: ['TIME IST', 'CLIENT', 'METHOD', 'PATH', 'STATUS', 'MS'] },
  { line: 'log traffic --stats', keeps: ['NAME', 'TOTAL', 'ERRORS', 'AVERAGE MS'] },
  { line: 'log latency', keeps: ['TIME IST', 'TYPE', 'STATUS', 'BROKER MS', 'TOTAL MS'] },
  { line: 'log latency --stats', keeps: ['NAME', 'ORDERS', 'FAILED', 'P99'] },
  { line: 'broker list', keeps: ['ID', 'NAME', 'ACTIVE'] },
  { line: 'holding list', keeps: ['SYMBOL', 'EXCH', 'QTY', 'P&L ₹'], totals: /^TOTAL/ },
  { line: 'config list', keeps: ['KEY', 'VALUE'] },
  { line: 'sandbox config list', keeps: ['KEY', 'VALUE'] },
  { line: 'sandbox pnl positions', keeps: ['SYMBOL', 'QTY', 'OPEN ₹', 'REALISED TODAY ₹'] },
  { line: 'sandbox pnl days', keeps: ['DATE', 'REALISED ₹', 'TOTAL ₹'] },
  { line: 'sandbox jobs', keeps: ['JOB', 'NEXT RUN IST'] },
  { line: 'flow indicators', keeps: ['NAME', 'TITLE'] },
  { line: 'flow secret list', keeps: ['NAME'] },
  { line: 'flow monitor', keeps: ['SYMBOL'] },
  { line: 'admin freeze list', keeps: ['ID', 'EXCHANGE', 'SYMBOL', 'FREEZE'] },
  { line: 'admin holiday list --year 2026', keeps: ['ID', 'DATE', 'DESCRIPTION', 'CLOSED', 'OPEN'] },
  { line: 'admin timing list', keeps: ['EXCHANGE', 'OPENS', 'CLOSES', 'TODAY'] },
  { line: 'admin timing check 2026-11-08', keeps: ['EXCHANGE', 'OPENS', 'CLOSES'] },
  { line: 'admin system', keeps: ['SECTION', 'NAME', 'VALUE'] },
  { line: 'admin diagnostics', keeps: ['PROBE', 'OK', 'MS', 'DETAIL'] },
  { line: 'audit list', keeps: ['TIME IST', 'ACT', 'TARGET', 'ACTOR', 'OUTCOME'] },
  { line: 'message status', keeps: ['CHANNEL', 'READY', 'WAITING', 'DEAD'] },
  { line: 'risk show', keeps: ['RULE', 'VALUE'] },
  { line: 'doctor', keeps: ['CHECK', 'DETAIL'] },
]

beforeAll(async () => {
  const { daemon } = desk
  // The row that the end of a day writes: large amounts make the widest table.
  await execute(
    join(daemon.home, 'sandbox.db'),
    `insert into sandbox_daily_pnl values ('${USERNAME}', '2026-11-19', -123456789, 98765432, -45678901, 123456789,
      987654321098, 123456789012, 1111111111111)`,
  )
  const far = { price: await daemon.priceAt(0.95), pricetype: 'LIMIT' }
  for (const mode of ['analyze', 'live'] as const) {
    await daemon.analyze(mode === 'analyze')
    await daemon.place({ quantity: 12_345, product: 'MIS' })
    await daemon.place({ symbol: 'RELIANCE', strategy: 'a strategy with a long name', product: 'MIS' })
    await daemon.place({ ...far, strategy: 'patient' })
    await daemon.api('placegttorder', {
      strategy: 'e2e',
      symbol: 'SBIN',
      exchange: 'NSE',
      action: 'SELL',
      quantity: 10,
      product: 'CNC',
      trigger_type: 'OCO',
      pricetype: 'LIMIT',
      price: 0,
      triggerprice_sl: 500,
      stoploss: 499,
      triggerprice_tg: 5000,
      target: 5001,
    })
  }
  // A refusal with a long reason.
  await daemon.place({ quantity: 9_999_999_999, product: 'MIS' })
  // The exchange rejects a price outside its band.
  await daemon.place({ ...far, price: 1 })
  await daemon.orderMode('semi_auto')
  for (const fields of [{}, { ...far, symbol: 'RELIANCE' }]) await daemon.place(fields)
  await daemon.orderMode('auto')
  const { body } = await daemon.request<{ id: number }>('POST', '/flow/api/workflows', {
    name: 'A workflow whose name is longer than most of the names that people choose',
    nodes: [
      { id: 'go', type: 'start', position: { x: 0, y: 0 }, data: {} },
      { id: 'log', type: 'log', position: { x: 0, y: 9 }, data: { message: 'a long message '.repeat(20) } },
    ],
    edges: [{ id: 'e', source: 'go', target: 'log' }],
  })
  await desk.terminal.svc(`flow run ${body.id}`)
  await desk.terminal.svc('flow secret set a_secret_with_a_long_name', { stdin: 'secret' })
  const alert = { symbol: 'RELIANCE', exchange: 'NSE', condition: 'crossing_down', price: 1 }
  const { body: watching } = await daemon.request<{ id: number }>('POST', '/flow/api/workflows', {
    name: 'Alert',
    nodes: [
      { id: 'alert', type: 'priceAlert', position: { x: 0, y: 0 }, data: alert },
      { id: 'log', type: 'log', position: { x: 0, y: 9 }, data: { message: 'low' } },
    ],
    edges: [{ id: 'e', source: 'alert', target: 'log', sourceHandle: 'yes' }],
  })
  await desk.terminal.svc(`flow activate ${watching.id}`)
  await desk.terminal.svc('ban add 203.0.113.7 --permanent --yes', {})
  await desk.terminal.svc([
    'ban',
    'add',
    '2001:db8:1:2:3:4:5:6',
    '--for',
    '7d',
    '--reason',
    'a long reason '.repeat(5),
    '--yes',
  ])
  await desk.terminal.svc('token create --name reader --scope read,orders,approvals,flows --expires 1d')
})

it.each([
  [
    'the hours of an exchange that trades on a holiday',
    'admin holiday list --year 2026',
    /^19 +2026-01-26 .* all *$/m,
  ],
  ['the hours of a special session', 'admin holiday list --year 2026', /all but MCX 18:00-19:15/],
  ['the facts of a database', 'admin system', /^databases +svc\.size_mb +[\d.]+ *$/m],
  ['the names of all secrets', 'admin system', /secrets_present\.BROKER_API_SECRET_MARKET +false/],
])('80 columns show %s', async (_what, line, shows) => {
  const { stdout } = await desk.terminal.svc(`${line} -o table`, { env: { COLUMNS: '80' } })
  expect(stdout).toMatch(shows)
})

describe.each([80, 100, 120])('on %i columns', (columns) => {
  it.each(LISTS)('svc $line fits', async ({ keeps, line, totals }) => {
    const { exit, stdout, stderr } = await desk.terminal.svc(`${line} -o table`, {
      env: { COLUMNS: String(columns) },
    })
    expect({ exit: line === 'doctor' ? 0 : exit, stderr: exit === 0 ? '' : stderr }).toMatchObject({
      exit: 0,
    })
    const lines = stdout.trimEnd().split('\n')
    expect(lines.length, stdout).toBeGreaterThan(1)
    const tooWide = lines.filter((text) => stringWidth(text) > columns)
    expect(tooWide, stdout).toEqual([])
    const headings = lines[0]?.split(/ {2,}/).map((heading) => heading.trim())
    expect(headings).toEqual(expect.arrayContaining([...keeps]))
    if (totals) expect(lines.at(-1)).toMatch(totals)
  })
})

it('durations have two decimals, and names are whole, on 80 columns', async () => {
  const on80 = { env: { COLUMNS: '80' } }
  const { stdout } = await desk.terminal.svc('log latency --stats -o table', on80)
  const figure = '[\\d,]+\\.\\d\\d'
  expect(stdout).toMatch(new RegExp(`^all orders +\\d+ +\\d+( +${figure}){6}$`, 'm'))
  const traffic = await desk.terminal.svc('log traffic --stats -o table', on80)
  expect(traffic.stdout).toMatch(new RegExp(`^all requests +[\\d,]+ +\\d+ +${figure}$`, 'm'))
})

it('a permanent ban says so, where others have their end', async () => {
  const { stdout } = await desk.terminal.svc('ban list -o table')
  expect(stdout).toMatch(/^203\.0\.113\.7 .* permanent( |$)/m)
  expect(await desk.terminal.json('ban list')).toContainEqual(
    expect.objectContaining({ ip_address: '203.0.113.7', expires_at: null, is_permanent: true }),
  )
})

it.each([80, 120])(
  'a rejected order keeps its status and reason in wide, on %i columns too',
  async (columns) => {
    const { stdout } = await desk.terminal.svc('order list -o wide --status rejected', {
      env: { COLUMNS: String(columns) },
    })
    expect(stdout).toMatch(/STATUS +REASON +MODE/)
  },
)

it.each([80, 100, 120])('the Greeks of an option fit on %i columns', async (columns) => {
  const [expiry = ''] = (await desk.terminal.svc('expiry NIFTY NFO -q')).stdout.split('\n').slice(1)
  const contracts = await desk.terminal.svc(`search NIFTY${expiry.replaceAll('-', '')} CE --exchange NFO -q`)
  const [option = ''] = contracts.stdout.split('\n')
  const { exit, stdout } = await desk.terminal.svc(`greeks ${option} -o table`, {
    env: { COLUMNS: String(columns) },
  })
  const lines = stdout.trimEnd().split('\n')
  expect([exit, lines.filter((text) => stringWidth(text) > columns)]).toEqual([0, []])
  expect(lines[0]).toMatch(/^SYMBOL .* IV % +DELTA/)
})
