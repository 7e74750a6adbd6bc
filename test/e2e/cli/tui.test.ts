import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { commandDesk } from '../../support/desk/command-desk.js'
import { eventually } from '../../support/eventually.js'
import { tempDir } from '../../support/files/temp.js'
import { PaintedLines } from '../../support/painted-lines.js'
import { SVC } from '../../support/process/daemon-process.js'
import { PseudoTerminal } from '../../support/pseudo-terminal.js'
import { Tmux, tmuxMissing } from '../../support/tmux.js'

const missing = tmuxMissing()
const desk = commandDesk()

function env(more: Record<string, string> = {}): Record<string, string> {
  const { daemon, terminal } = desk
  return {
    HOME: daemon.home,
    SVC_HOME: terminal.home,
    SVC_URL: daemon.url,
    SVC_TOKEN: daemon.token,
    NO_COLOR: '1',
    ...(process.env.E2E_RUN && { E2E_RUN: process.env.E2E_RUN }),
    ...more,
  }
}

/** Opens a terminal of 80 by 24 with the program on it. */
async function opened(line = 'tui', more: Record<string, string> = {}): Promise<Tmux> {
  const tmux = await Tmux.opened(env(more))
  await tmux.svc(line)
  await tmux.shows(/^ (ANALYZE|LIVE) {2}connected/m)
  return tmux
}

/** Checks that the shell has its terminal back. */
async function expectEnd(tmux: Tmux, exit: number): Promise<void> {
  await tmux.left()
  await tmux.type('echo "exit $?"')
  await tmux.key('Enter')
  await tmux.shows(`exit ${exit}`)
}

/** Queues an order for approval. */
async function queue(symbol: string): Promise<number> {
  const { body } = await desk.daemon.place({ symbol, pricetype: 'LIMIT', price: '100' })
  return Number(body.pending_order_id)
}

async function orderCount(): Promise<number> {
  const { body } = await desk.daemon.api<{ data: { orders: unknown[] } }>('orderbook')
  return body.data.orders.length
}

describe.skipIf(missing)(`svc tui on a terminal${missing ? ` (${missing})` : ''}`, () => {
  beforeEach(async () => {
    await desk.daemon.analyze(true)
    await desk.daemon.orderMode('auto')
  })

  it('opens on the cockpit, which leads to the other screens and is key 0', async () => {
    const tmux = await opened()
    await tmux.shows(/^> P&L ₹ ─+ ─ Risk ─+$/m)
    for (const words of [/available +[\d,]+\.\d\d/, /simulated: signed in/, 'No workflows', 'kill switch']) {
      await tmux.shows(words)
    }
    await tmux.key('Tab')
    await tmux.key('Tab')
    await tmux.shows(/^> Queue ─/m)
    await tmux.key('Enter')
    await tmux.shows('[pending')
    await tmux.key('0')
    await tmux.shows(/^> Queue ─/m)
    await tmux.resize(120, 36)
    await tmux.shows(/^─ P&L ₹ ─+ ─ Risk ─+ > Queue ─+$/m)
    await tmux.resize(60, 15)
    await tmux.shows(/> Queue ─/)
    await tmux.key('q')
    await expectEnd(tmux, 0)
  })

  it('approves all orders of a filter after a question that names count and value', async () => {
    await desk.daemon.analyze(false)
    await desk.daemon.orderMode('semi_auto')
    for (const symbol of ['SBIN', 'INFY', 'TCS']) await queue(symbol)
    const tmux = await opened('tui --screen approvals')
    await tmux.shows(/3 orders/)
    await tmux.key('/')
    await tmux.shows('Filter:')
    await tmux.type('infy')
    await tmux.shows(/1 of 3 with "infy"/)
    await tmux.key('Enter')
    await tmux.key('A')
    await tmux.shows('Approve all where')
    await tmux.key('Enter')
    await tmux.shows('Approve 1 order, ₹1,000.00 in LIVE mode at simulated?')
    await tmux.key('y')
    await tmux.shows(/INFY.*in 3 s, u undoes/)
    await tmux.shows('[pending 2]')
    await tmux.key('/')
    await tmux.shows('Filter:')
    await tmux.key('Escape')
    await tmux.shows(/SBIN.*pending/)
    await tmux.key('A')
    await tmux.shows('Approve all where')
    await tmux.key('Enter')
    await tmux.shows('Approve 2 orders, ₹2,000.00 in LIVE mode at simulated?')
    await tmux.type('live')
    await tmux.key('Enter')
    await tmux.shows('2 orders: 2 can be undone (u)')
    await tmux.shows('[pending 0]')
    await tmux.key('Escape')
    await tmux.shows('space mark')
    await tmux.key('q')
    await expectEnd(tmux, 0)
  })

  it('places a live order: the form, the review, and the word live', async () => {
    await desk.daemon.analyze(false)
    const before = await orderCount()
    const tmux = await opened('tui --screen orders')
    await tmux.key('n')
    await tmux.shows(/> Symbol/)
    await tmux.type('nse:wipro')
    await tmux.shows(/Place an order: last [\d.]+/)
    await tmux.key('Down')
    await tmux.key('Down')
    await tmux.type('0')
    await tmux.shows(/> Quantity +0 +a whole number from 1/)
    await tmux.key('BSpace')
    await tmux.type('7')
    await tmux.shows(/> Quantity +7/)
    // A terminal that is too small, and then large, takes nothing that was typed.
    await tmux.resize(40, 10)
    await tmux.shows('svc needs 80 by 24')
    await tmux.resize(120, 40)
    await tmux.shows(/> Quantity +7/)
    for (const field of ['Type', 'Product', 'More', 'Strategy']) {
      await tmux.key('Enter')
      await tmux.shows(new RegExp(`> ${field}`))
    }
    await tmux.key('Enter')
    await tmux.shows('BUY 7 NSE:WIPRO in LIVE mode at simulated?')
    await tmux.shows(/estimated value ₹[\d,.]+/)
    await tmux.key('Enter')
    await tmux.shows(/> Symbol +nse:wipro/)
    expect(await orderCount()).toBe(before)
    for (const field of ['Side', 'Quantity', 'Type', 'Product', 'More', 'Strategy']) {
      await tmux.key('Enter')
      await tmux.shows(new RegExp(`> ${field}`))
    }
    await tmux.key('Enter')
    await tmux.shows('Type live to confirm:')
    await tmux.type('live')
    await tmux.key('Enter')
    await tmux.shows(/LIVE order \S+ is placed\./)
    await tmux.shows(/WIPRO +BUY .* 7 .*complete/)
    expect(await orderCount()).toBe(before + 1)
    await tmux.key('q')
    await expectEnd(tmux, 0)
  })

  it('runs a command with completion, and shows its output and exit status', async () => {
    const tmux = await opened()
    await tmux.key(':')
    await tmux.shows(': svc')
    await tmux.type('fun')
    await tmux.shows(/fund /)
    await tmux.key('Tab')
    await tmux.shows(': svc fund')
    await tmux.type('list')
    await tmux.key('Enter')
    await tmux.shows(/svc fund list: exit 0/)
    await tmux.shows(/available/i)
    await tmux.key(':')
    await tmux.shows(/^: svc *$/m)
    await tmux.type('order status nothing')
    await tmux.key('Enter')
    await tmux.shows(/svc order status nothing: exit 4/)
    await tmux.key(':')
    await tmux.shows(/^: svc *$/m)
    await tmux.type('order list --context prod')
    await tmux.key('Enter')
    await tmux.shows('--context leads to another daemon. Open another svc tui for it.')
    await tmux.key('Escape')
    await tmux.shows('1 Approvals')
  })

  it('asks before a command that may change something in LIVE mode', async () => {
    await desk.daemon.analyze(false)
    const before = await orderCount()
    const tmux = await opened()
    await tmux.shows(/^ LIVE /m)
    await tmux.key(':')
    await tmux.shows(': svc')
    await tmux.type('order place SBIN NSE BUY 3 --product CNC')
    await tmux.key('Enter')
    await tmux.shows('Run this in LIVE mode at simulated?')
    await tmux.shows('BUY 3 NSE:SBIN, MARKET, CNC')
    await tmux.shows(/estimated value ₹[\d,.]+/)
    await tmux.shows(/risk checks: all \d+ passed/)
    await tmux.shows('Type live to confirm:')
    await tmux.type('y')
    await tmux.key('Enter')
    await tmux.shows(': svc order place SBIN')
    expect(await orderCount()).toBe(before)
    await tmux.key('Enter')
    await tmux.shows('Type live to confirm:')
    await tmux.type('live')
    await tmux.key('Enter')
    await tmux.shows(/svc order place SBIN NSE BUY 3 --product CNC: exit 0/)
    expect(await orderCount()).toBe(before + 1)
  })

  it('jumps to a screen and to a symbol', async () => {
    const tmux = await opened()
    await tmux.key('C-k')
    await tmux.shows('Jump to:')
    await tmux.type('strateg')
    await tmux.shows(/> screen +Strategies/)
    await tmux.key('Enter')
    await tmux.shows('There are no strategies')
    await tmux.key('C-k')
    await tmux.shows('Jump to:')
    await tmux.type('SBIN')
    await tmux.shows(/symbol +NSE:SBIN/)
  })

  it('turns the kill switch on with the word kill, and off with RESUME', async () => {
    const tmux = await opened()
    await tmux.key('C-x')
    await tmux.shows('Type kill to confirm:')
    await tmux.type('yes')
    await tmux.key('Enter')
    await tmux.shows('Nothing is changed: the word is kill.')
    await tmux.key('C-x')
    await tmux.shows('Type kill to confirm:')
    await tmux.type('kill')
    await tmux.key('Enter')
    await tmux.shows('KILL SWITCH ON')
    const refused = await desk.daemon.place()
    expect(refused.status).toBe(403)
    await tmux.key('C-x')
    await tmux.shows('Type RESUME to confirm:')
    await tmux.type('RESUME')
    await tmux.key('Enter')
    await tmux.shows('off, orders are sent again')
    expect((await desk.daemon.place()).status).toBe(200)
  })

  it('shows an error that nothing caught, goes on, and gives the terminal back when it is left', async () => {
    const crash = join(tempDir(), 'crash.mjs')
    writeFileSync(crash, "process.on('SIGUSR2', () => { throw new Error('a fault of the program') })\n")
    const tmux = await opened('tui', { NODE_OPTIONS: `--import=file://${crash}` })
    for (const pid of await tmux.children()) process.kill(pid, 'SIGUSR2')
    await tmux.shows('a fault of the program')
    await tmux.key('q')
    await tmux.left()
    expect(await tmux.fact('cursor_flag')).toBe('1')
  })

  it('goes on drawing when the clock is set back by an hour', async () => {
    const clock = join(tempDir(), 'clock.mjs')
    const back = 'const now = Date.now; Date.now = () => now() - 3_600_000'
    writeFileSync(clock, `process.on('SIGUSR2', () => { ${back} })\n`)
    const tmux = await opened('tui', { NODE_OPTIONS: `--import=file://${clock}` })
    for (const pid of await tmux.children()) process.kill(pid, 'SIGUSR2')
    await tmux.key('9')
    await tmux.shows(/KILL SWITCH +off/)
  })

  // Without a shell in control there is no signal: the terminal is only gone.
  it.each(['', 'setsid '])('ends with its terminal, without a crash (%ssvc tui)', async (before) => {
    const ended = join(tempDir(), 'ended')
    const tmux = await Tmux.opened(env())
    const line = `trap '' HUP; ${before}${process.execPath} ${SVC} tui; echo $? > ${ended}`
    await tmux.type(`bash -c "${line.replace('$', '\\$')}"`)
    await tmux.key('Enter')
    await tmux.shows(/^ (ANALYZE|LIVE) {2}connected/m)
    await tmux.close()
    const status = () => (existsSync(ended) ? readFileSync(ended, 'utf8') : '')
    await eventually(() => status().endsWith('\n'), 'the program has ended')
    expect(status()).toBe('129\n')
  })

  it('shows the screen while messages go into a file', async () => {
    const tmux = await opened('tui 2> "$HOME/messages"')
    await tmux.shows('[day]')
    await tmux.key('q')
    await expectEnd(tmux, 0)
  })

  it('says that it needs a terminal when there is none', async () => {
    const { exit, stderr } = await desk.terminal.svc('tui')
    expect([exit, stderr]).toEqual([2, expect.stringContaining('svc tui needs a terminal')])
  })

  it.each([
    ['theme: pink', 'theme: must be one of'],
    ['keys: {approvals.approve: q}', 'q is a key of approvals.approve and of shell.quit'],
  ])('refuses tui.yaml with %s', async (text, message) => {
    const { home } = desk.terminal
    writeFileSync(join(home, 'tui.yaml'), text)
    try {
      const { exit, stderr } = await desk.terminal.svc('tui --keys')
      expect([exit, stderr]).toEqual([2, expect.stringContaining(message)])
    } finally {
      rmSync(join(home, 'tui.yaml'))
    }
  })
})

/** Opens the program in a terminal whose bytes are read. */
function bytesOf(more: Record<string, string | undefined> = {}): PseudoTerminal {
  const program = [process.execPath, SVC, 'tui', '--screen', 'approvals']
  const terminal = new PseudoTerminal(
    program,
    { columns: 80, rows: 24 },
    { ...env(), TERM: 'xterm-256color', PATH: process.env.PATH, ...more },
  )
  onTestFinished(() => terminal.close())
  return terminal
}

describe('the bytes that reach the terminal', () => {
  beforeEach(async () => {
    await desk.daemon.analyze(false)
    await desk.daemon.orderMode('semi_auto')
    for (const symbol of ['SBIN', 'INFY', 'TCS', 'ITC', 'WIPRO']) await queue(symbol)
  })

  it('are those of the lines that changed, and never clear the screen', async () => {
    const terminal = bytesOf()
    const lines = new PaintedLines()
    terminal.onOutput((text) => lines.take(text))
    await terminal.writes('WIPRO')
    lines.outside = ''
    const before = lines.frames.length
    const written = await terminal.answerTo('j')
    // The two rows of the cursor; the header counts seconds, and prices may change.
    const sizes = lines.frames.slice(before).map(({ length }) => length)
    expect(Math.max(...sizes)).toBeLessThanOrEqual(9)
    expect(written.length).toBeLessThan(3000)
    for (const keys of ['?', '?', '/', 'inf', '\u001b', '6', '2', '3', '1']) await terminal.answerTo(keys)
    expect(lines.frames.length).toBeGreaterThan(before + 9)
    expect(lines.unchanged).toEqual([])
    // Nothing is written between frames: no cleared screen, and no cursor that moves.
    expect(lines.outside).toBe('')
  })

  it.each([
    ['the sixteen colours that every terminal has', { NO_COLOR: undefined }, true],
    ['no colours with NO_COLOR', { NO_COLOR: '1' }, false],
  ])('have %s', async (_, more, hasColours) => {
    const terminal = bytesOf(more)
    let written = ''
    terminal.onOutput((text) => {
      written += text
    })
    await terminal.writes('WIPRO')
    await terminal.answerTo('6')
    await terminal.answerTo('9')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the sequences of colours
    const codes = [...written.matchAll(/\u001b\[([\d;]*)m/g)].flatMap(([, list = '']) =>
      list.split(';').map(Number),
    )
    const isColour = (code: number) => (code >= 30 && code <= 37) || (code >= 90 && code <= 97)
    expect(codes.some(isColour)).toBe(hasColours)
    // 38 and 48 choose one of 256 colours or of all, 40 to 47 a background.
    expect(codes.filter((code) => code === 38 || (code >= 40 && code <= 48) || code >= 100)).toEqual([])
  })
})
