import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readConfigFile } from '../../src/core/config/config-file.js'
import { loadConfig } from '../../src/core/config/index.js'
import { BYTE_ORDER_MARK } from '../../src/core/csv/index.js'
import { CliDesk } from '../support/desk/cli-desk.js'
import { USER } from '../support/desk/desk.js'
import { tempDir } from '../support/files/temp.js'

/*
 * Some editors, shells and spreadsheets write a byte order mark (U+FEFF) before a text. Each way in which a text comes
 * to a command is tried with one.
 */

const LINE = { symbol: 'SBIN', exchange: 'NSE', action: 'BUY', quantity: 1, product: 'MIS' }
const ORDER = { ...LINE, strategy: 'mark' }
const FLOW =
  'name: Note\nnodes:\n  go: {type: start, next: say}\n  say: {type: log, with: {message: hello}}\n'
const FLOW_JSON = {
  name: 'Note in JSON',
  nodes: { go: { type: 'start', next: 'say' }, say: { type: 'log', with: { message: 'hello' } } },
}
const STRATEGY =
  'name: Marked\nstrategy_kind: signal\nstrategy_type: positional\nproduct: MIS\nunderlying: SBIN\nunderlying_exchange: NSE\n' +
  'legs:\n  - {symbol: SBIN, exchange: NSE, segment: cash, qty: 10}\n'
const DUMP =
  'instrument_token,exchange_token,tradingsymbol,name,last_price,expiry,strike,tick_size,lot_size,instrument_type,segment,exchange\n' +
  '779521,3045,SBIN,STATE BANK OF INDIA,0,,0,0.05,1,EQ,NSE,NSE\n'

const TEXTS = {
  'order.json': JSON.stringify(ORDER),
  'order.yaml': 'symbol: SBIN\nexchange: NSE\naction: BUY\nquantity: 1\nproduct: MIS\nstrategy: mark\n',
  'basket.json': JSON.stringify([LINE]),
  'credentials.json': '{}',
  'flow.yaml': FLOW,
  'flow.json': JSON.stringify(FLOW_JSON),
  'payload.json': '{"a": 1}',
  'strategy.yaml': STRATEGY,
  'symbol.txt': 'SBIN',
  'freeze.csv': 'SYMBOL,VOL_FRZ_QTY\nGOLD,1000\n',
  'instruments.csv': DUMP,
  'password.txt': `Passw0rd!\n`,
} as const
type Name = keyof typeof TEXTS

/** The commands that read a file; FILE is its path, or `-` where the command reads stdin. */
const DOORS: readonly (readonly [command: string, name: Name, by: 'both' | 'file' | 'stdin'])[] = [
  ['order place --from FILE --dry-run', 'order.json', 'both'],
  ['order place --from FILE --dry-run', 'order.yaml', 'both'],
  ['order basket FILE --yes', 'basket.json', 'both'],
  ['api POST /api/v1/placeorder --input FILE', 'order.json', 'both'],
  ['api POST /api/v1/quotes -F symbol=@FILE -f exchange=NSE', 'symbol.txt', 'both'],
  ['flow validate FILE', 'flow.yaml', 'file'],
  ['flow validate FILE', 'flow.json', 'file'],
  ['flow apply FILE', 'flow.yaml', 'file'],
  ['flow run note --dry-run --payload FILE', 'payload.json', 'both'],
  ['flow import FILE', 'flow.json', 'both'],
  ['strategy validate FILE', 'strategy.yaml', 'file'],
  ['strategy create FILE', 'strategy.yaml', 'stdin'],
  ['admin freeze upload NFO FILE --yes', 'freeze.csv', 'both'],
  ['broker login --from FILE', 'credentials.json', 'both'],
  [`login --username ${USER} --password-stdin`, 'password.txt', 'stdin'],
  ['broker sync --force --from FILE', 'instruments.csv', 'both'],
]

const CASES = DOORS.flatMap(([command, name, by]) =>
  (by === 'both' ? (['file', 'stdin'] as const) : [by]).map((way) => [command, name, way] as const),
)

test('a byte order mark in a file or on stdin is no part of a name or value', async () => {
  const desk = await CliDesk.open()
  for (const [name, text] of Object.entries(TEXTS))
    writeFileSync(join(desk.home, name), BYTE_ORDER_MARK + text)
  const failed: string[] = []
  for (const [command, name, way] of CASES) {
    const line = command.replace('FILE', way === 'file' ? join(desk.home, name) : '-')
    const stdin = way === 'stdin' ? BYTE_ORDER_MARK + TEXTS[name] : ''
    const { exit, stderr } = await desk.svc(line, { stdin })
    if (exit !== 0) failed.push(`${command} (${way}): ${stderr}`)
  }
  expect(failed).toEqual([])
})

test('a byte order mark is no part of an API key in a file, nor of the stored key and session', async () => {
  const desk = await CliDesk.open()
  const key = join(desk.home, 'key.txt')
  writeFileSync(key, `${BYTE_ORDER_MARK}${desk.http.apikey}\r\n`)
  expect((await desk.svc(`order list --apikey-file ${key}`)).exit).toBe(0)
  for (const name of ['apikey.json', 'session.json']) {
    const file = join(desk.home, name)
    writeFileSync(file, BYTE_ORDER_MARK + readFileSync(file, 'utf8'), { mode: 0o600 })
  }
  expect((await desk.svc('order list')).exit).toBe(0)
  expect((await desk.svc('whoami')).exit).toBe(0)
})

test('config.env with a byte order mark starts with its first setting, also when that is APP_KEY', async () => {
  const home = tempDir()
  const file = join(home, 'config.env')
  const { values } = loadConfig({ home, env: {} })
  const text = readFileSync(file, 'utf8').replace(/^#.*\n/, '')
  expect(text.startsWith('APP_KEY=')).toBe(true)
  writeFileSync(file, BYTE_ORDER_MARK + text, { mode: 0o600 })
  // With a database, a missing key would be refused.
  writeFileSync(join(home, 'svc.db'), '')
  const read = loadConfig({ home, env: {} })
  expect([read.values, read.warnings]).toEqual([values, []])
})

test('config set changes a file with a byte order mark', async () => {
  const desk = await CliDesk.open()
  writeFileSync(join(desk.home, 'config.env'), `${BYTE_ORDER_MARK}SVC_PORT=5731\n`, { mode: 0o600 })
  expect(readConfigFile(desk.home).values).toEqual({ SVC_PORT: '5731' })
  expect((await desk.svc('config set SVC_PORT 5732')).exit).toBe(0)
  expect(readConfigFile(desk.home).values).toMatchObject({ SVC_PORT: '5732' })
})
