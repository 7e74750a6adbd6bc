import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { CommandSpec } from '../../../src/cli/framework/command/command.js'
import {
  EXAMPLE_CALL,
  EXAMPLE_EXPIRY,
  EXAMPLE_FUTURE,
  EXAMPLE_PUT,
} from '../../../src/cli/help/example-contracts.js'
import { VISIBLE_NOUNS } from '../../../src/cli/nouns.js'
import { signedIn } from '../../support/desk/command-desk.js'
import { queueOne } from '../../support/desk/desk-state.js'
import { BOT_TOKEN, ENDLESS, NOT_RUN, OFFLINE, STATUS, TYPES } from '../../support/examples/tables.js'
import { copyFlows } from '../../support/files/flows.js'
import { runBuilt } from '../../support/process/built-program.js'
import { startChild } from '../../support/process/children.js'
import { DaemonProcess, PASSWORD, USERNAME } from '../../support/process/daemon-process.js'
import { IN_OWN_PROCESS } from '../../support/process/own-process.js'
import { FOLLOWED_MS, writeShellProgram } from '../../support/process/shell-program.js'
import type { Terminal } from '../../support/terminal.js'

/*
 * Every example of the help texts, run by the built program in a home with orders, approvals and workflows. An example
 * ends with 0, except where a table below says otherwise, with the reason.
 */

const examples: string[] = []
const collect = (spec: CommandSpec): void => {
  examples.push(...spec.examples)
  for (const verb of spec.verbs ?? []) collect(verb)
}
for (const noun of VISIBLE_NOUNS) collect(await noun.load())
const ALL = [...new Set(examples)]
/** Closing comes first: the orders of other examples leave positions in two products, and orders that wait. */
const isClose = (example: string) => example.startsWith('position close')
const RUN = ALL.filter((example) => NOT_RUN[example] === undefined).sort(
  (one, other) => Number(isClose(other)) - Number(isClose(one)),
)
process.stdout.write(
  `${RUN.length} of ${ALL.length} examples run; not run:\n${Object.entries(NOT_RUN)
    .map(([example, why]) => `  svc ${example}: ${why}`)
    .join('\n')}\n`,
)

let daemon: DaemonProcess
let terminal: Terminal
/** The home of the next example. */
let home: string
let folder: string
let backup: { id: string; path: string }
let far: number
let expiries: { options: string; futures: string; strike: string }

const words = async (line: string) => (await terminal.svc(line)).stdout.trim().split('\n')

const resting = async (): Promise<string> =>
  String((await daemon.place({ pricetype: 'LIMIT', price: far, quantity: 10 })).body.orderid)

async function pending(): Promise<string> {
  await daemon.orderMode('semi_auto')
  const id = await queueOne(daemon, { pricetype: 'LIMIT', price: far })
  await daemon.orderMode('auto')
  return String(id)
}

const faults = (...rules: object[]) => daemon.request('PUT', '/broker/simulated/faults', rules)

/** Returns the reference of an order in doubt. */
async function inDoubt(): Promise<string> {
  await faults(
    { on: ['place'], kind: 'lose_request', times: 1 },
    { on: ['findByTag'], kind: 'fail', httpStatus: 503, message: 'away' },
  )
  return (await daemon.place()).body.order_ref ?? ''
}

const workflow = async (): Promise<string> =>
  String((await terminal.json<{ id: number }>('flow show opening-range-breakout')).id)

/**
 * Prepares a stopped home with the backups of the daemon's home, and returns the line with the path of one. Both homes
 * are copies of one home, so they have the same secrets.
 */
async function stopped(example: string): Promise<string> {
  home = join(folder, `stopped-${++additions}`)
  DaemonProcess.prepared({}, home)
  backup ??= await backedUp()
  if (example.includes('--home ./new')) {
    mkdirSync(join(folder, 'new'))
    copyFileSync(join(home, 'config.env'), join(folder, 'new', 'config.env'))
  }
  copyFileSync(join(backup.path, 'svc.db'), join(folder, 'svc.db.copy'))
  return example
    .replace('/mnt/backup/20261120T101500Z-3f9c2a', backup.path)
    .replace('20261120T101500Z-3f9c2a', backup.id)
}

async function backedUp() {
  const { id } = await terminal.json<{ id: string }>('backup')
  return { id, path: join(daemon.home, 'backups', id) }
}

/** Removes the strategies of the examples before. Returns the id of a new one, if the example names one. */
async function strategyFor(example: string): Promise<string> {
  const at = '/strategy/api/strategies'
  const { body } = await daemon.request<{ data: { id: number }[] }>('GET', at)
  for (const { id } of body.data) await daemon.request('DELETE', `${at}/${id}`)
  if (!/ (1|(morning|old)-straddle|--all)\b/.test(example)) return ''
  const made = await daemon.request<{ data: { id: number } }>('POST', at, STRADDLE)
  return String(made.body.data.id)
}

let additions = 0
/** Adds an entry by a route of the administration, and returns its id. */
async function added(path: string, entry: object): Promise<string> {
  const { body } = await daemon.request<{ data: { id: number } }>('POST', `/admin/api/${path}`, entry)
  return String(body.data.id)
}

/** Replaces the ids of an example by ids that exist in this home. */
async function filledIn(example: string): Promise<string> {
  let line = OFFLINE.test(example) ? await stopped(example) : example
  const put = async (placeholder: RegExp, value: () => Promise<string>) => {
    // The values may look like the placeholder.
    const parts = line.split(placeholder)
    line = parts[0] ?? ''
    for (const part of parts.slice(1)) line += (await value()) + part
  }
  if (example.includes('xargs -r svc order cancel')) await resting()
  if (example.startsWith('message preferences email')) {
    await terminal.svc('message contact email asha@example.org')
  }
  if (example.startsWith('message channel whatsapp')) {
    writeFileSync(join(folder, 'token.txt'), 'EAAGm0PX4ZCpsBAabcdefghijkl\n')
    writeFileSync(join(folder, 'app-secret.txt'), `${'c'.repeat(32)}\n`)
  }
  if (example.startsWith('ban remove')) await terminal.svc(`ban add ${example.split(' ')[2]} --yes`)
  if (/^admin freeze (set|delete)/.test(example)) {
    await put(/(?<= )17\b/, () => added('freeze', { symbol: `NEW${++additions}`, freeze_qty: 1 }))
  }
  if (example.startsWith('admin holiday delete')) {
    const holiday_date = `2030-01-${10 + ++additions}`
    await put(/(?<= )41\b/, () => added('holidays', { holiday_date, description: 'x', exchanges: ['NSE'] }))
  }
  if (!example.includes('settle')) await put(/250408000989443/, resting)
  if (/approval/.test(example)) {
    await put(/(?<=[ /])4[234](?= |$)/, async () => {
      const id = await pending()
      if (example.includes('delete')) await daemon.request('POST', `/action-center/reject/${id}`, {})
      if (example.startsWith('order')) await daemon.request('POST', `/action-center/approve/${id}`)
      return id
    })
  }
  if (/^flow (logs|cancel)/.test(example)) {
    await put(/(?<= )42\b/, async () => {
      await terminal.svc('flow run hello')
      return String((await terminal.json<{ id: number }[]>('flow executions hello'))[0]?.id)
    })
    line = line.replace('flow logs 3 --execution', 'flow logs hello --execution')
  }
  if (/\bstrategy /.test(example)) {
    const id = await strategyFor(example)
    await put(/(?<= )(?:1|(?:morning|old)-straddle)(?= |$)/, async () => id)
  }
  if (example === 'flow delete 3') line = 'flow delete hello'
  if (/^flow (?!logs 3 --execution|cancel|validate|test|graph|nodes|run flows)/.test(example)) {
    await put(/(?<= )3(?= |$)/, workflow)
  }
  await put(/(?<=token revoke )3/, async () => {
    const { body } = await daemon.request<{ data: { id: number } }>('POST', '/auth/tokens', {
      name: `revoked ${Math.random()}`,
      scopes: ['read'],
    })
    return String(body.data.id)
  })
  await put(/4f2a91bc/, async () => {
    const { body } = await daemon.request<{ token: string }>('POST', '/auth/login', {
      username: USERNAME,
      password: PASSWORD,
    })
    const other = { authorization: `Bearer ${body.token}` }
    const sessions = await daemon.request<{ current_session_id: string }>(
      'GET',
      '/auth/active-sessions',
      undefined,
      other,
    )
    return sessions.body.current_session_id
  })
  await put(/S1M8…/, inDoubt)
  await put(
    /GTT-261121-00000001/,
    async () =>
      (
        await words(
          `order gtt place NSE:SBIN BUY 10 --product CNC --type LIMIT --price ${far - 5} --trigger-sl ${far} -q`,
        )
      )[0] ?? '',
  )
  if (example.startsWith('position close NIFTY')) {
    await daemon.place({ symbol: expiries.futures, exchange: 'NFO', product: 'NRML', quantity: 65 })
  }
  return (
    line
      // In one pass: on some days a contract of the market has the expiry of the examples.
      .replace(EXAMPLE_CONTRACTS, listedFor)
      // An order that waits for its end fills; any other rests.
      .replace(/--price 9\d\d(\.5)?/, `--price ${example.includes('--wait') ? far + 100 : far}`)
      .replace(/(?<=^do .*) 9\d\d(\.5)?\b/, ` ${far}`)
      .replace('--trigger 860', `--trigger ${far}`)
      .replace('--trigger-sl 905', `--trigger-sl ${far}`)
  )
}

const EXAMPLE_CONTRACTS = new RegExp(
  [EXAMPLE_FUTURE, EXAMPLE_CALL, EXAMPLE_PUT, EXAMPLE_EXPIRY].join('|'),
  'g',
)

/** Returns the contract or the expiry that the market lists today in place of that of an example. */
function listedFor(example: string): string {
  const { futures, options, strike } = expiries
  if (example === EXAMPLE_FUTURE) return futures
  return example === EXAMPLE_EXPIRY ? options : `NIFTY${options}${strike}${example.slice(-2)}`
}

const STRADDLE = {
  name: 'Morning straddle',
  underlying: 'NIFTY',
  underlying_exchange: 'NSE_INDEX',
  entry_time: '09:20',
  exit_time: '15:15',
  legs: [{ segment: 'options', position: 'S', lots: 1, option_type: 'CE', expiry: 'weekly' }],
}

const LINE = { symbol: 'SBIN', exchange: 'NSE', action: 'BUY', quantity: 1, product: 'MIS' }
const GTT = { ...LINE, strategy: 'examples', trigger_type: 'SINGLE', product: 'CNC', pricetype: 'LIMIT' }

/** The files and programs that the examples name. */
function files(): Readonly<Record<string, string>> {
  return {
    'straddle.yaml': JSON.stringify(STRADDLE),
    'straddle.json': JSON.stringify(STRADDLE),
    'changes.yaml': 'product: MIS\n',
    'strategies/applied.yaml': JSON.stringify(STRADDLE),
    'order.json': JSON.stringify({ ...LINE, strategy: 'examples' }),
    'basket.json': JSON.stringify([LINE, { ...LINE, symbol: 'INFY' }]),
    'basket.yaml': 'orders:\n  - {symbol: SBIN, exchange: NSE, action: BUY, quantity: 1, product: MIS}\n',
    'basket.csv': 'symbol,exchange,action,quantity,product\nSBIN,NSE,BUY,1,MIS\n',
    'iron-condor.yaml': `{underlying: NIFTY, exchange: NSE_INDEX, expiry_date: ${expiries.options}, legs: [{offset: ATM, option_type: CE, action: BUY, quantity: 65}]}\n`,
    'gtt.json': JSON.stringify({ ...GTT, price: far - 5, triggerprice_sl: far }),
    'positions.json': JSON.stringify({ positions: [{ ...LINE, pricetype: 'MARKET' }] }),
    'bars.csv':
      'datetime,open,high,low,close,volume\n2026-11-20T09:58:00+05:30,700,701,699,700.5,1000\n2026-11-20T09:59:00+05:30,700.5,702,700,701.5,1000\n',
    'breakout.json': JSON.stringify({ name: 'Imported', nodes: { go: { type: 'start' } } }),
    'instruments.csv':
      'instrument_token,exchange_token,tradingsymbol,name,last_price,expiry,strike,tick_size,lot_size,instrument_type,segment,exchange\n779521,3045,SBIN,STATE BANK OF INDIA,0,,0,0.05,1,EQ,NSE,NSE\n',
    'qtyfreeze.csv': 'SYMBOL,VOL_FRZ_QTY\nNIFTY,1800\n',
    'freeze.csv': 'SYMBOL,VOL_FRZ_QTY\nGOLD,1000\n',
    'alert.json': JSON.stringify({ symbol: 'SBIN', exchange: 'NSE', action: 'BUY', quantity: 1, price: far }),
    'token.txt': `${BOT_TOKEN}\n`,
    'password.txt': `${PASSWORD}\n`,
    'password-and-code.txt': `${PASSWORD}\n123456\n`,
  }
}

const PROGRAMS: Readonly<Record<string, string>> = {
  'generate-order': 'cat order.json',
  'make-basket': 'cat basket.json',
  pass: 'echo secret',
}
const HOME_FOLDERS = ['.local/share/bash-completion/completions', '.zfunc', '.config/fish/completions']

const programs = (...folders: string[]) =>
  [...folders.map((name) => join(folder, name)), dirname(process.execPath), process.env.PATH].join(':')

const environment = (more: Record<string, string> = {}) => ({
  HOME: folder,
  SVC_HOME: home,
  SVC_URL: daemon.url,
  BACKUP_DIR: join(daemon.home, 'backups'),
  GITHUB_SHA: 'abc123',
  PATH: programs('programs'),
  ...more,
})

interface Ended {
  exit: number | null
  said: string
}

const QUOTED = /"[^"$`\\]*"|'[^']*'/g
/** A word may have quoted parts. */
const WORD = /(?:"[^"]*"|'[^']*'|[^\s"'])+/g
const INPUT = / < ([\w.-]+)$/

/** Returns the words of a line that only names `svc` and perhaps a file as its input; undefined if it needs a shell. */
function plain(line: string): { words: string[]; input: string | undefined } | undefined {
  const input = INPUT.exec(line)?.[1]
  const command = line.replace(INPUT, '')
  if (/[|&;$`\\~*?(){}<>#!]/.test(command.replace(QUOTED, ''))) return undefined
  const words = (command.match(WORD) ?? []).map((word) => word.replace(QUOTED, (text) => text.slice(1, -1)))
  return IN_OWN_PROCESS.has(words[0] ?? '') ? undefined : { words, input }
}

/** Runs an example in the folder of the examples: in this process, unless it needs a shell. */
async function run(line: string, { typed, isEndless = false }: How = {}): Promise<Ended> {
  const simple = plain(line)
  if (simple === undefined) return inShell(line, isEndless)
  const { words, input } = simple
  process.chdir(folder)
  const { exit, stdout, stderr } = await runBuilt(words, {
    env: environment(),
    stdin: async () => (input === undefined ? '' : readFileSync(join(folder, input))),
    ...(isEndless && { interruptAfterMs: FOLLOWED_MS }),
    ...(typed !== undefined && { typed: [typed] }),
  })
  return { exit, said: stdout + stderr }
}

interface How {
  /** What a person types. */
  typed?: string | undefined
  /** Whether it runs until Ctrl-C. */
  isEndless?: boolean
}

/** Returns an example as a shell line. Examples with other programs name `svc` themselves. */
const asShell = (line: string) => (/(^|[|(] *)svc /.test(line) ? line : `svc ${line}`)

async function inShell(line: string, isEndless: boolean): Promise<Ended> {
  const child = startChild(
    'bash',
    ['-o', 'pipefail', '-c', `cd "$HOME" && { ${asShell(line)}\n} </dev/null`],
    environment(isEndless ? { PATH: programs('endless', 'programs') } : {}),
  )
  let said = ''
  for (const stream of [child.process.stdout, child.process.stderr]) {
    stream?.on('data', (chunk) => {
      said += String(chunk)
    })
  }
  return { exit: (await child.exited).code, said }
}

const HELLO = {
  nodes: [
    { id: 'go', type: 'start', position: { x: 0, y: 0 }, data: {} },
    { id: 'log', type: 'log', position: { x: 0, y: 9 }, data: { message: 'hello' } },
  ],
  edges: [{ id: 'e', source: 'go', target: 'log' }],
}

const restoreSession = async () => {
  if ((await daemon.request('GET', '/auth/whoami')).status === 401) await daemon.signIn()
}
const restoreKey = async () => {
  daemon.apikey = (await daemon.request<{ api_key: string }>('GET', '/apikey')).body.api_key
}
async function restoreLimits(): Promise<void> {
  await daemon.request('POST', '/risk/kill-switch', { on: false, confirm: 'RESUME' })
  await daemon.request('PUT', '/risk', {
    max_order_value: null,
    max_orders_per_day: null,
    allowed_exchanges: null,
  })
}
async function restoreBroker(): Promise<void> {
  const broker = await daemon.request<{ data: { connected: boolean } }>('GET', '/broker/status')
  if (!broker.body.data.connected) await daemon.request('POST', '/broker/login', { fields: {} })
}
async function restoreWorkflows(): Promise<void> {
  const { body } = await daemon.request<{ name: string }[]>('GET', '/flow/api/workflows')
  const names = new Set([...body].map(({ name }) => name))
  for (const name of ['hello', 'old-breakout']) {
    if (!names.has(name)) await daemon.request('POST', '/flow/api/workflows', { name, ...HELLO })
  }
}

/** What the examples may change at the daemon, and how it is restored. */
const RESTORES: readonly (readonly [by: RegExp, restore: () => Promise<unknown>])[] = [
  [/^(log(in|out)|session|setup|password)\b/, restoreSession],
  [/^apikey/, restoreKey],
  [/^risk|\/risk/, restoreLimits],
  [/^broker/, restoreBroker],
  [/S1M8…/, () => faults()],
  [/^mode/, () => daemon.orderMode('auto')],
  [/^(analyze|mode)/, () => daemon.analyze(false)],
  [/\bflow\b/, restoreWorkflows],
]

/** Restores what an example may have changed, and the files and the terminal in any case. */
async function restore(after: string): Promise<void> {
  for (const [by, restoreIt] of RESTORES) if (by.test(after)) await restoreIt()
  terminal = signedIn(daemon, daemon.url)
  home = terminal.home
  rmSync(join(folder, 'strategies'), { recursive: true, force: true })
  mkdirSync(join(folder, 'strategies'))
  for (const [name, text] of Object.entries(files())) writeFileSync(join(folder, name), text)
}

const writeProgram = (name: string, program: string) =>
  writeFileSync(join(folder, name), `#!/bin/sh\n${program}\n`, { mode: 0o755 })

let closePrograms: (() => Promise<void>)[] = []
beforeAll(async () => {
  // The examples of strategies send more requests a minute than a person.
  daemon = await DaemonProcess.ready({ STRATEGY_RATE_LIMIT: '10000 per minute' })
  terminal = signedIn(daemon, daemon.url)
  folder = join(daemon.home, 'examples')
  for (const name of HOME_FOLDERS) mkdirSync(join(folder, name), { recursive: true })
  for (const name of ['programs', 'endless']) mkdirSync(join(folder, name))
  for (const [name, program] of Object.entries(PROGRAMS)) writeProgram(join('programs', name), program)
  closePrograms = [
    await writeShellProgram(join(folder, 'programs'), 'interrupted'),
    await writeShellProgram(join(folder, 'endless'), 'all interrupted'),
  ]
  copyFlows(join(folder, 'flows'))
  // The home of the tests has a tenth of the instruments.
  await daemon.request('POST', '/broker/sync?force=true')
  far = await daemon.priceAt(0.97)
  // The nearest contracts may expire today.
  const [, options = ''] = await words('expiry NIFTY -q')
  const [, futures = ''] = await words('expiry NIFTY --type futures -q')
  const { atm_strike } = await terminal.json<{ atm_strike: number }>('chain NIFTY --strikes 1')
  const code = (expiry: string) => expiry.replaceAll('-', '')
  expiries = {
    options: code(options),
    futures: `NIFTY${code(futures)}FUT`,
    strike: String(atm_strike),
  }
  await restoreWorkflows()
  await restore('')
  const applied = await terminal.svc(['flow', 'apply', join(folder, 'flows'), '--yes'])
  if (applied.exit !== 0) throw new Error(applied.stderr)
  // From a file: an apply does not overwrite what was changed at the daemon.
  const text = readFileSync(join(folder, 'flows', 'opening-range-breakout.yaml'), 'utf8')
  const edited = join(folder, 'opening-range-breakout.yaml')
  for (let version = 2; version <= 5; version++) {
    writeFileSync(edited, text.replace(/^name: .*$/m, `name: Version ${version}`))
    const changed = await terminal.svc(['flow', 'apply', edited, '--yes'])
    if (changed.exit !== 0) throw new Error(changed.stderr)
  }
  rmSync(edited)
  await daemon.place()
  await pending()
})
const start = process.cwd()
afterAll(async () => {
  process.chdir(start)
  for (const close of closePrograms) await close()
  await daemon.dispose()
})

describe('the examples of the help texts', () => {
  let before = ''
  beforeEach(() => restore(before))

  it.each(RUN.filter((example) => !ENDLESS.test(example)))('svc %s', async (example) => {
    before = example
    const line = await filledIn(example)
    const [exit] = STATUS[example] ?? [0]
    const typed = TYPES.find(([pattern]) => pattern.test(example))?.[1]
    // The folder has the workflows already.
    const placed = example === 'flow init' ? `cd "$(mktemp -d -p .)" && (svc ${line})` : line
    const done = await run(placed, { typed })
    expect(done.exit, `${line}\n${done.said}`).toBe(exit)
  })
})

describe('the examples that run until Ctrl-C', () => {
  beforeAll(() => restore(''))

  it.concurrent.each(RUN.filter((example) => ENDLESS.test(example)))('svc %s', async (example) => {
    const line = await filledIn(example)
    const done = await run(line, { isEndless: true })
    expect({ line, ...done }).toMatchObject({ exit: 130 })
  })
})

it('the tables name only examples that exist', () => {
  const known = new Set(ALL)
  expect([...Object.keys(NOT_RUN), ...Object.keys(STATUS)].filter((example) => !known.has(example))).toEqual(
    [],
  )
})
