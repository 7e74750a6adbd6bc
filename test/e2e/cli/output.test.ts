import { beforeEach, describe, expect, it } from 'vitest'
import { istDate, istTime } from '../../../src/core/time/index.js'
import { commandDesk, strangerAt } from '../../support/desk/command-desk.js'
import { answer, freeUrl } from '../../support/traffic/gateway.js'

const desk = commandDesk()
const svc: typeof desk.terminal.svc = (line, options) => desk.terminal.svc(line, options)
const TTY = { tty: 'stdout', env: { NO_COLOR: '1' } } as const
const screen = (...lines: string[]) => lines.map((line) => `${line}\n`).join('')

/* The prices of the real market move, so a gateway replies with fixed books in the form of the daemon. */
const ORDER = {
  symbol: 'SBIN',
  exchange: 'NSE',
  action: 'BUY',
  quantity: 10,
  price: 812.5,
  trigger_price: 0,
  pricetype: 'LIMIT',
  product: 'CNC',
  orderid: '25112100000001',
  order_status: 'open',
  average_price: 0,
  filled_quantity: 0,
  pending_quantity: 10,
  rejection_reason: '',
  timestamp: '2025-11-21 09:14:59',
}
const SBIN = {
  symbol: 'SBIN',
  exchange: 'NSE',
  product: 'MIS',
  quantity: 10,
  average_price: 812.4,
  ltp: 815,
  pnl: 26,
}
const INFY = { ...SBIN, symbol: 'INFY', quantity: -25, average_price: 1500, ltp: 1510, pnl: -250 }
const book = (name: string, data: unknown) =>
  desk.gateway.on(`POST /api/v1/${name}`, answer({ status: 'success', data }))

beforeEach(() => {
  book('positionbook', [SBIN, INFY])
  book('orderbook', { orders: [ORDER], statistics: { total_open_orders: 1 } })
  book('tradebook', [{ ...ORDER, average_price: 812.4, trade_value: 8124, timestamp: '09:14:59' }])
  book('holdings', { holdings: [], statistics: {} })
})

describe('lists on a terminal', () => {
  it('positions: aligned, numbers to the right, grouped', async () => {
    expect((await svc('position list', TTY)).stdout).toBe(
      screen(
        'SYMBOL  EXCH  PRODUCT  QTY       AVG      LAST    P&L ₹  GAIN %',
        'SBIN    NSE   MIS       10    812.40    815.00   +26.00   +0.32',
        'INFY    NSE   MIS      -25  1,500.00  1,510.00  -250.00   -0.67',
        'TOTAL                                           -224.00',
      ),
    )
  })

  it('orders: the time in IST', async () => {
    expect((await svc('order list', TTY)).stdout).toContain(
      '25112100000001  SBIN    NSE   BUY     CNC      LIMIT   10       0  812.50    -  open\n',
    )
    expect((await svc('order list --utc')).stdout).toContain('2025-11-21T03:44:59Z\t')
  })

  it('trades of the live book, which has no date, get the date of the last such time of day', async () => {
    const at = Date.now() - 1000
    const trade = { ...ORDER, average_price: 812.4, trade_value: 8124, timestamp: istTime(at) }
    book('tradebook', [trade])
    const time = async (line: string, options = {}) =>
      (await svc(line, options)).stdout
        .trimEnd()
        .split('\n')
        .at(-1)
        ?.split(/\t| {2}/)[0]
    const utc = new Date(at).toISOString().slice(0, 19)
    expect(await time('trade list')).toBe(`${istDate(at)}T${istTime(at)}+05:30`)
    expect(await time('trade list --utc')).toBe(`${utc}Z`)
    expect(await time('trade list', TTY)).toMatch(new RegExp(`${istTime(at)}$`))
    expect(await time('trade list --utc', TTY)).toMatch(new RegExp(`${utc.slice(11)}$`))
  })

  it.each([
    [80, 'TIME IST             ORDER           SYMBOL  EXCH  ACTION  QTY  AVG  STATUS'],
    [
      100,
      'TIME IST             ORDER           SYMBOL  EXCH  ACTION  TYPE   QTY  FILLED   PRICE  AVG  STATUS',
    ],
    [
      120,
      'TIME IST             ORDER           SYMBOL  EXCH  ACTION  PRODUCT  TYPE   QTY  FILLED   PRICE  AVG  STATUS  REASON',
    ],
  ])('orders on %i columns', async (columns, heading) => {
    const { stdout } = await svc('order list -o table', { env: { COLUMNS: String(columns) } })
    expect(stdout.split('\n')[0]).toBe(heading)
  })

  it('CSV and TSV of an empty list have a heading', async () => {
    const headings = 'symbol,exchange,product,quantity,average_price,ltp,current_value,pnl,pnlpercent,mode'
    expect((await svc('holding list -o csv')).stdout).toBe(`${headings}\r\n`)
    expect((await svc('holding list -o tsv')).stdout).toBe(`${headings.replaceAll(',', '\t')}\n`)
    expect((await svc('holding list --json')).stdout).toBe('[]\n')
  })

  it('an empty list is exit 0, with a note on stderr; in a pipe no output at all', async () => {
    expect(await svc('holding list', TTY)).toEqual({ exit: 0, stdout: '', stderr: 'No holdings.\n' })
    expect(await svc('holding list')).toEqual({ exit: 0, stdout: '', stderr: '' })
  })

  it.each<[boolean, Record<string, string>, string, boolean]>([
    [true, {}, '', true],
    [true, { NO_COLOR: '1' }, '', false],
    [true, { NO_COLOR: '' }, '', true],
    [true, { TERM: 'dumb' }, '', false],
    [true, {}, '--no-color', false],
    [true, { FORCE_COLOR: '0' }, '', false],
    [true, { NO_COLOR: '1', FORCE_COLOR: '1' }, '', false],
    [false, {}, '', false],
  ])('colour follows the rules: terminal %s, %o, "%s"', async (isTty, env, flag, coloured) => {
    const { stdout } = await svc(`position list ${flag}`, { env, ...(isTty && { tty: 'stdout' }) })
    expect(stdout.includes('\u001b[31m-250.00\u001b[39m')).toBe(coloured)
  })
})

describe('lists in a pipe', () => {
  it('have colour when it is forced; ids never have', async () => {
    const env = { FORCE_COLOR: '1' }
    expect((await svc('position list', { env })).stdout).toContain('\t\u001b[31m-250\u001b[39m\t')
    expect((await svc('position list -q', { env })).stdout).toBe('SBIN\nINFY\n')
  })

  it('are tab-separated, without heading, raw numbers and ISO times', async () => {
    expect((await svc('position list')).stdout).toBe(
      screen('SBIN\tNSE\tMIS\t10\t812.4\t815\t26\t0.32', 'INFY\tNSE\tMIS\t-25\t1500\t1510\t-250\t-0.67'),
    )
    expect((await svc('order list')).stdout).toBe(
      screen(
        '2025-11-21T09:14:59+05:30\t25112100000001\tSBIN\tNSE\tBUY\tCNC\tLIMIT\t10\t0\t812.5\t0\topen\t',
      ),
    )
  })

  it('never contain a control character', async () => {
    const odd = { ...SBIN, symbol: 'A\u001b[31m\tB\n', exchange: 'N\u009bE' }
    book('positionbook', [odd])
    expect((await svc('position list')).stdout).toMatch(/^A\\u001b\[31m\\u0009B\\u000a\tN\\u009bE\tMIS\t10\t/)
    const { stdout } = await svc('position list --json')
    for (const character of ['\u001b', '\u009b']) expect(stdout).not.toContain(character)
    expect(JSON.parse(stdout)).toEqual([{ ...odd, pnlpercent: 0.32, mode: 'live' }])
  })
})

describe('formats', () => {
  const headings = 'symbol,exchange,product,quantity,average_price,ltp,pnl,pnlpercent,mode'
  const [sbin, infy] = [
    'SBIN,NSE,MIS,10,812.4,815,26,0.32,live',
    'INFY,NSE,MIS,-25,1500,1510,-250,-0.67,live',
  ]
  const csv = (...lines: string[]) => lines.map((line) => `${line}\r\n`).join('')
  const tsv = (...lines: string[]) => screen(...lines.map((line) => line.replaceAll(',', '\t')))

  it.each([
    ['-q', 'SBIN\nINFY\n'],
    ['-o name', 'SBIN\nINFY\n'],
    ['-o csv', csv(headings, sbin, infy)],
    ['-o csv --no-headers', csv(sbin, infy)],
    ['-o tsv', tsv(headings, sbin, infy)],
    ['-o csv --columns symbol,pnl', csv('symbol,pnl', 'SBIN,26', 'INFY,-250')],
    ['-o csv --columns symbol --sort pnl', csv('symbol', 'INFY', 'SBIN')],
    ['-q --sort -quantity', 'SBIN\nINFY\n'],
    ['-q --columns pnl', 'SBIN\nINFY\n'],
    ['-q --sort symbol', 'INFY\nSBIN\n'],
    [
      '-o yaml --columns symbol,quantity',
      '- symbol: SBIN\n  quantity: 10\n- symbol: INFY\n  quantity: -25\n',
    ],
    ['--jsonl --columns symbol', '{"symbol":"SBIN"}\n{"symbol":"INFY"}\n'],
    ['--columns pnl,symbol', '26\tSBIN\n-250\tINFY\n'],
    ['--jq .[].symbol', 'SBIN\nINFY\n'],
    ['--jq map(.pnl)|add', '-224\n'],
    ['--jq .[0]|{symbol,pnl}', '{"symbol":"SBIN","pnl":26}\n'],
    ['--jq .[]|select(.pnl>100)', ''],
    ['--template {{symbol}}={{pnl}}\\n', 'SBIN=26\nINFY=-250\n'],
  ])('%s, before the command or after it', async (flags, text) => {
    const [after, before] = [await svc(`position list ${flags}`), await svc(`${flags} position list`)]
    expect(after.stdout).toBe(text)
    expect(before.stdout).toBe(after.stdout)
  })

  it.each([
    ['--json --columns symbl', 'There is no column "symbl".'],
    ['--json --sort symbl', '--sort: there is no column "symbl".'],
    ['--json --template {{symbl}}', '--template: there is no field "symbl".'],
  ])('%s lists the names that exist', async (flags, message) => {
    const { exit, stderr } = await svc(`position list ${flags}`)
    expect(exit).toBe(2)
    expect(JSON.parse(stderr)).toMatchObject({
      message,
      hint: expect.stringMatching(
        /: symbol, exchange, product, quantity, average_price, ltp, pnl, pnlpercent, mode, contract_value, warning$/,
      ),
    })
  })

  it.each([
    ['--jq .[', 2, 'syntax error'],
    ['--jq .[0].symbol+1', 1, 'cannot be added'],
    ['--jq . --template {{symbol}}', 2, 'Choose one: --jq or --template.'],
    ['--jq . -o csv', 2, 'Choose one: --jq or -o csv.'],
  ])('%s is refused with status %d', async (flags, status, message) => {
    const { exit, stdout, stderr } = await svc(`position list ${flags}`)
    expect([exit, stdout]).toEqual([status, ''])
    expect(stderr).toContain(message)
  })

  it('CSV quotes values that need it and escapes formulas, but not numbers', async () => {
    book('positionbook', [
      { ...SBIN, symbol: 'a "b", c', exchange: '=HYPERLINK(1)', quantity: -5, ltp: '-5.5' },
    ])
    const { stdout } = await svc('position list -o csv --columns symbol,exchange,quantity,ltp')
    expect(stdout).toBe('symbol,exchange,quantity,ltp\r\n"a ""b"", c",\'=HYPERLINK(1),-5,-5.5\r\n')
  })

  it('CSV has its control characters escaped, on a terminal also its tabs', async () => {
    book('positionbook', [{ ...SBIN, symbol: 'A\u001b[31m\tB', exchange: 'N\u009bE' }])
    const list = 'position list -o csv --columns symbol,exchange'
    expect((await svc(list)).stdout).toBe('symbol,exchange\r\nA\\u001b[31m\tB,N\\u009bE\r\n')
    expect((await svc(list, TTY)).stdout).toBe('symbol,exchange\r\nA\\u001b[31m\\u0009B,N\\u009bE\r\n')
  })
})

it('a record has one line per field; in a pipe: field, tab, raw value', async () => {
  const data = {
    availablecash: 10_000_000,
    collateral: 0,
    m2munrealized: -7.88,
    m2mrealized: 3.27,
    utiliseddebits: 679.34,
  }
  book('funds', data)
  expect((await svc('fund list', TTY)).stdout).toBe(
    screen(
      'AVAILABLE ₹    1,00,00,000.00',
      'USED MARGIN ₹  679.34',
      'COLLATERAL ₹   0.00',
      'REALISED ₹     +3.27',
      'UNREALISED ₹   -7.88',
      'TOTAL P&L ₹    -4.61',
      'MODE           live',
    ),
  )
  expect((await svc('mode get')).stdout).toBe('mode\tauto\n')
})

describe('the fields of JSON, on which scripts rely', () => {
  const STATUS = ['state', 'pid', 'url', 'ws_url', 'version', 'mode', 'broker', 'order_mode']
  it.each<[string, string[]]>([
    ['version', ['client', 'daemon', 'url']],
    [
      'whoami',
      [
        'username',
        'kind',
        'scopes',
        'expires_at',
        'order_mode',
        'account',
        'confirm_live',
        'analyze_mode',
        'broker',
        'broker_available',
        'broker_connected',
      ],
    ],
    ['approval count', ['count']],
    [
      'order place SBIN NSE BUY 10',
      ['status', 'orderid', 'mode', 'message', 'order_ref', 'pending_order_id'],
    ],
    ['risk show', ['rules', 'defaults', 'kill_switch']],
    [
      'fund list',
      ['availablecash', 'utiliseddebits', 'collateral', 'm2mrealized', 'm2munrealized', 'totalpnl', 'mode'],
    ],
  ])('svc %s --json', async (line, fields) => {
    expect(Object.keys(await desk.terminal.json(line)).sort()).toEqual([...fields].sort())
  })

  it('svc status --json, with a session, without one, and without a daemon', async () => {
    expect(Object.keys(await desk.terminal.json('status'))).toEqual(expect.arrayContaining(STATUS))
    const { url } = desk.gateway
    const stranger = strangerAt(desk.daemon, url)
    const unknown = { order_mode: null, kill_switch: null, in_doubt: null, pending_approvals: null }
    const shape = {
      context: null,
      fault: null,
      pid: null,
      url,
      ws_url: null,
      mode: null,
      broker: null,
      session: null,
      ...unknown,
    }
    const { version } = await desk.terminal.json<{ version: string }>('status')
    expect(await stranger.json('status')).toEqual({ state: 'ready', ...shape, version })
    const nowhere = await freeUrl()
    const dead = await stranger.svc('status --json', { env: { SVC_URL: nowhere } })
    expect(dead.exit).toBe(7)
    expect(JSON.parse(dead.stdout)).toEqual({ state: 'stopped', ...shape, url: nowhere, version: null })
  })
})

describe('svc position close-all reports the end of each position', () => {
  /* The account never closes only some positions, so a gateway gives these answers too. */
  const REFUSED = {
    symbol: 'INFY',
    exchange: 'NSE',
    product: 'MIS',
    status: 'error',
    message: 'Insufficient funds',
  }
  const CLOSED = { symbol: 'SBIN', exchange: 'NSE', product: 'MIS', status: 'success', orderid: '42' }
  const ROW = 'INFY\tNSE\tMIS\terror\t\tInsufficient funds\n'
  const PART = {
    status: 'success',
    message: 'Closed 1 positions (Failed to close 1 positions)',
    closed_positions: 1,
    failed_closures: 1,
    results: [CLOSED, REFUSED],
  }
  const NONE = {
    status: 'error',
    message: 'Failed to close positions',
    closed_positions: 0,
    failed_closures: 1,
    results: [REFUSED],
  }

  it.each([
    ['some', answer(PART), `SBIN\tNSE\tMIS\tsuccess\t42\t\n${ROW}`, PART],
    ['all', answer(NONE, 400, 'refused'), ROW, NONE],
  ])('when %s stayed open', async (_what, given, rows, document) => {
    desk.gateway.on('POST /api/v1/closeposition', given)
    const { exit, stdout, stderr } = await svc('position close-all --yes')
    const says = document.message.replaceAll('1 positions', '1 position')
    expect([exit, stdout, stderr]).toEqual([5, rows, expect.stringContaining(says)])
    const json = await svc('position close-all --yes --json')
    expect([json.exit, JSON.parse(json.stdout)]).toEqual([5, document])
  })

  it('prints only the closed positions when all are closed', async () => {
    await desk.daemon.place({ product: 'MIS' })
    const { exit, stderr } = await svc('position close-all --yes')
    const says = expect.stringMatching(/^Closing orders are placed for (1 position|\d+ positions)\./m)
    expect([exit, stderr]).toEqual([0, says])
    const { body } = await desk.daemon.api<{ data: { quantity: number }[] }>('positionbook')
    expect(body.data.filter(({ quantity }) => quantity !== 0)).toEqual([])
  })
})
