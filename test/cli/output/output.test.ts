import { describe, expect, it } from 'vitest'
import { signedIn } from '../support/desk.js'
import { FakeDaemon } from '../support/fake-daemon.js'
import { Terminal } from '../support/terminal.js'

const TTY = { tty: true, env: { NO_COLOR: '1' } }
const screen = (...lines: string[]) => lines.map((line) => `${line}\n`).join('')

describe('lists on a terminal', () => {
  it('positions: aligned, numbers to the right, grouped', async () => {
    const { terminal } = await signedIn(TTY)
    expect((await terminal.svc('position list')).stdout).toBe(
      screen(
        'SYMBOL  EXCH  PRODUCT  QTY       AVG      LAST    P&L ₹',
        'SBIN    NSE   MIS       10    812.40    815.00   +26.00',
        'INFY    NSE   MIS      -25  1,500.00  1,510.00  -250.00',
      ),
    )
  })

  it('orders: the time in IST', async () => {
    const { terminal } = await signedIn(TTY)
    expect((await terminal.svc('order list')).stdout).toBe(
      screen(
        'TIME          ORDER           SYMBOL  EXCH  ACTION  QTY  TYPE    PRICE  PRODUCT  STATUS',
        '09:14:59 IST  25112100000001  SBIN    NSE   BUY      10  LIMIT  812.50  CNC      open',
      ),
    )
    const utc = (await terminal.svc('order list --utc')).stdout
    expect(utc).toContain('03:44:59 UTC')
  })

  it.each([
    ['in a pipe', {}, '', '2025-11-21T09:14:59+05:30'],
    ['in UTC', {}, ' --utc', '2025-11-21T03:44:59Z'],
    ['on a terminal', TTY, '', '09:14:59 IST'],
    ['on a terminal in UTC', TTY, ' --utc', '03:44:59 UTC'],
    ['after midnight', { now: Date.parse('2025-11-22T00:30:00+05:30') }, '', '2025-11-21T09:14:59+05:30'],
  ])('trades, whose book tells no date: %s as orders', async (_where, options, flag, time) => {
    const { terminal } = await signedIn(options)
    const row = (await terminal.svc(`trade list${flag}`)).stdout.trimEnd().split('\n').at(-1)
    expect(row?.split(/\t| {2}/)[0]).toBe(time)
  })

  it('approvals: age and value', async () => {
    const { terminal } = await signedIn(TTY)
    expect((await terminal.svc('approval list')).stdout).toBe(
      screen(
        'ID  AGE     STRATEGY  SYMBOL  EXCH  ACTION  QTY  TYPE      PRICE      LAST    VALUE ₹  QUEUED IN  STATUS',
        '42  2m 05s  bot       INFY    NSE   BUY      25  LIMIT  1,500.50  1,498.20  37,512.50  live       pending',
      ),
    )
  })

  it('nothing there is exit 0, with a note on stderr', async () => {
    const { terminal } = await signedIn(TTY)
    expect(await terminal.svc('holding list')).toEqual({ exit: 0, stdout: '', stderr: 'No holdings.\n' })
  })

  it('colour follows the rules', async () => {
    const red = '\u001b[31m-250.00\u001b[39m'
    const cases: [boolean, Record<string, string>, string, boolean][] = [
      [true, {}, '', true],
      [true, { NO_COLOR: '1' }, '', false],
      [true, { NO_COLOR: '' }, '', true],
      [true, { TERM: 'dumb' }, '', false],
      [true, {}, '--no-color', false],
      [true, { FORCE_COLOR: '0' }, '', false],
      [true, { NO_COLOR: '1', FORCE_COLOR: '1' }, '', false],
      [false, {}, '', false],
    ]
    for (const [tty, env, flag, coloured] of cases) {
      const { terminal } = await signedIn({ tty, env })
      expect([env, flag, (await terminal.svc(`position list ${flag}`)).stdout.includes(red)]).toEqual([
        env,
        flag,
        coloured,
      ])
    }
  })
})

describe('lists in a pipe', () => {
  it('have colour where it is forced, and only there', async () => {
    const { terminal } = await signedIn()
    const { stdout } = await terminal.svc('position list', { env: { FORCE_COLOR: '1' } })
    expect(stdout).toContain('\t\u001b[31m-250\u001b[39m\n')
    const ids = await terminal.svc('position list -q', { env: { FORCE_COLOR: '1' } })
    expect(ids.stdout).toBe('SBIN\nINFY\n')
  })

  it('are tab-separated, without heading, raw numbers and ISO times', async () => {
    const { terminal } = await signedIn()
    expect((await terminal.svc('position list')).stdout).toBe(
      screen('SBIN\tNSE\tMIS\t10\t812.4\t815\t26', 'INFY\tNSE\tMIS\t-25\t1500\t1510\t-250'),
    )
    expect((await terminal.svc('order list')).stdout).toBe(
      screen('2025-11-21T09:14:59+05:30\t25112100000001\tSBIN\tNSE\tBUY\t10\tLIMIT\t812.5\tCNC\topen'),
    )
    expect((await terminal.svc('order list --utc')).stdout).toContain('2025-11-21T03:44:59Z\t')
  })

  it('nothing there prints nothing at all', async () => {
    const { terminal } = await signedIn()
    expect(await terminal.svc('holding list')).toEqual({ exit: 0, stdout: '', stderr: '' })
  })

  it('never carry a character that a terminal acts on', async () => {
    const { daemon, terminal } = await signedIn()
    const data = [{ symbol: 'A\u001b[31m\tB\n', exchange: 'N\u009bE', product: 'MIS', quantity: 1 }]
    daemon.on('POST /api/v1/positionbook', { body: { status: 'success', data } })
    expect((await terminal.svc('position list')).stdout).toBe(
      'A\\u001b[31m\\u0009B\\u000a\tN\\u009bE\tMIS\t1\t\t\t\n',
    )
    const { stdout } = await terminal.svc('position list --json')
    for (const character of ['\u001b', '\u009b']) expect(stdout).not.toContain(character)
    expect(JSON.parse(stdout)).toEqual(data)
  })
})

describe('formats', () => {
  const csv = 'symbol,exchange,product,quantity,average_price,ltp,pnl\r\n'
  const formats: [string, string][] = [
    ['-q', 'SBIN\nINFY\n'],
    ['-o name', 'SBIN\nINFY\n'],
    ['-o csv', `${csv}SBIN,NSE,MIS,10,812.4,815,26\r\nINFY,NSE,MIS,-25,1500,1510,-250\r\n`],
    ['-o csv --fields symbol,pnl', 'symbol,pnl\r\nSBIN,26\r\nINFY,-250\r\n'],
    ['--jsonl --fields symbol', '{"symbol":"SBIN"}\n{"symbol":"INFY"}\n'],
    ['-o yaml --fields symbol,quantity', '- symbol: SBIN\n  quantity: 10\n- symbol: INFY\n  quantity: -25\n'],
    ['--fields pnl,symbol', '26\tSBIN\n-250\tINFY\n'],
  ]
  it.each(formats)('%s', async (flags, text) => {
    const { terminal } = await signedIn()
    expect((await terminal.svc(`position list ${flags}`)).stdout).toBe(text)
    expect((await terminal.svc(`${flags} position list`)).stdout).toBe(text)
  })

  it('an unknown field lists those that exist', async () => {
    const { terminal } = await signedIn()
    const { exit, stderr } = await terminal.svc('position list --json --fields symbl')
    expect(exit).toBe(2)
    expect(JSON.parse(stderr).hint).toBe(
      'Fields: symbol, exchange, product, quantity, average_price, ltp, pnl',
    )
  })

  it('CSV quotes what needs it and disarms formulas, not numbers', async () => {
    const { daemon, terminal } = await signedIn()
    const data = [{ symbol: 'a "b", c', exchange: '=HYPERLINK(1)', quantity: -5, ltp: '-5.5' }]
    daemon.on('POST /api/v1/positionbook', { body: { status: 'success', data } })
    expect((await terminal.svc('position list -o csv')).stdout).toBe(
      'symbol,exchange,quantity,ltp\r\n"a ""b"", c",\'=HYPERLINK(1),-5,-5.5\r\n',
    )
  })
})

describe('CSV with control characters', () => {
  const data = [{ symbol: 'A\u001b[31m\tB', exchange: 'N\u009bE', tags: ['\u001b]0;x', '\u009b'] }]
  const answered = async (tty: boolean) => {
    const { daemon, terminal } = await signedIn({ tty })
    daemon.on('POST /api/v1/positionbook', { body: { status: 'success', data } })
    return (await terminal.svc('position list -o csv')).stdout
  }

  it('is exact in a file or a pipe', async () => {
    expect(await answered(false)).toContain('A\u001b[31m\tB,N\u009bE,')
  })

  it('shows them on a terminal instead of sending them there', async () => {
    const stdout = await answered(true)
    expect(stdout).toBe(
      'symbol,exchange,tags\r\nA\\u001b[31m\\u0009B,N\\u009bE,"[""\\u001b]0;x"",""\\u009b""]"\r\n',
    )
  })
})

describe('records', () => {
  it('on a terminal: a line a field', async () => {
    const { terminal } = await signedIn(TTY)
    expect((await terminal.svc('fund list')).stdout).toBe(
      screen(
        'AVAILABLE ₹    1,00,00,000.00',
        'USED MARGIN ₹  679.34',
        'COLLATERAL ₹   0.00',
        'REALISED ₹     +3.27',
        'UNREALISED ₹   -7.88',
      ),
    )
  })

  it('in a pipe: field, tab, raw value', async () => {
    const { terminal } = await signedIn()
    expect((await terminal.svc('mode get')).stdout).toBe('mode\tauto\n')
  })
})

describe('JSON field sets (scripts rely on them)', () => {
  const sets: [string, string[]][] = [
    ['setup --username alice --email a@b.c --password-stdin', ['username', 'apikey']],
    [
      'status',
      [
        'state',
        'pid',
        'url',
        'ws_url',
        'version',
        'mode',
        'broker',
        'order_mode',
        'pending_approvals',
        'in_doubt',
        'kill_switch',
      ],
    ],
    ['version', ['client', 'daemon', 'url']],
    ['mode get', ['mode']],
    ['mode set semi_auto', ['message', 'mode']],
    ['analyze status', ['analyze_mode', 'mode']],
    ['login --username alice --password-stdin', ['username', 'expires_at']],
    ['whoami', ['username', 'kind', 'scopes', 'expires_at', 'order_mode', 'analyze_mode', 'broker']],
    ['approval count', ['count']],
    ['approval approve 42', ['id', 'status', 'message', 'broker_order_id']],
    ['order place SBIN NSE BUY 10', ['status', 'orderid', 'mode']],
    ['risk show', ['rules', 'kill_switch']],
    ['fund list', ['availablecash', 'collateral', 'm2munrealized', 'm2mrealized', 'utiliseddebits']],
    [
      'broker status',
      ['broker', 'available', 'connected', 'session_expires_at', 'instruments', 'feed', 'in_doubt'],
    ],
    ['broker sync', ['count', 'skipped', 'rejected']],
    [
      'token create --name cron --scope approvals',
      ['token', 'id', 'name', 'scopes', 'created_at', 'expires_at'],
    ],
  ]
  it.each(sets)('svc %s --json', async (line, fields) => {
    const { daemon, terminal } = await signedIn({ stdin: 'secret' })
    if (line.startsWith('setup')) daemon.on('GET /auth/check-setup', { body: { needs_setup: true } })
    const { exit, stdout } = await terminal.svc(`${line} --json`)
    expect(exit).toBe(0)
    expect(Object.keys(JSON.parse(stdout))).toEqual(fields)
  })

  it('status without a session, and without a daemon', async () => {
    const daemon = await FakeDaemon.start()
    const terminal = new Terminal({ env: { SVC_URL: daemon.url } })
    const alive = await terminal.svc('status --json')
    const shape = { pid: null, url: daemon.url, ws_url: null, mode: null, broker: null }
    expect(alive.exit).toBe(0)
    expect(JSON.parse(alive.stdout)).toEqual({ state: 'ready', ...shape, version: '0.1.0' })
    await daemon.stop()
    const dead = await terminal.svc('status --json')
    expect(dead.exit).toBe(7)
    expect(JSON.parse(dead.stdout)).toEqual({ state: 'stopped', ...shape, version: null })
  })
})
