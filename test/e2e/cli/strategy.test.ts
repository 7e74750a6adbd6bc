import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { commandDesk } from '../../support/desk/command-desk.js'
import { tempDir } from '../../support/files/temp.js'

/* svc strategy with the built program and a daemon. */
const desk = commandDesk()

const STRADDLE = `name: Morning straddle
underlying: NIFTY
underlying_exchange: NSE_INDEX
entry_time: "09:20"
exit_time: "15:15"
legs:
  - {segment: options, position: S, lots: 1, option_type: CE, expiry: weekly, sl_pts: 30}
`

function folder(files: Readonly<Record<string, string>>): string {
  const at = join(tempDir(), 'strategies')
  mkdirSync(at)
  for (const [name, text] of Object.entries(files)) writeFileSync(join(at, name), text)
  return at
}

const rows = () => desk.terminal.json<Record<string, unknown>[]>('strategy list')

it('a strategy is created, changed, switched, and deleted after a confirmation', async () => {
  const { terminal } = desk
  const at = folder({ 'a.yaml': STRADDLE, 'change.yaml': 'product: mis\n' })
  const made = await terminal.json<Record<string, unknown>>(`strategy create ${at}/a.yaml`)
  expect(made).toMatchObject({ name: 'Morning straddle', webhook_token: expect.stringMatching(/^svc_hook_/) })
  const again = await terminal.svc(`strategy create ${at}/a.yaml`)
  expect([again.exit, again.stderr]).toEqual([5, expect.stringContaining('already exists')])

  const update = ['strategy', 'update', 'morning STRADDLE', `${at}/change.yaml`]
  expect((await terminal.svc(update)).exit).toBe(0)
  expect(await terminal.json(`strategy show ${made.id}`)).toMatchObject({ product: 'MIS' })

  const asked = await terminal.svc(`strategy live ${made.id} on`)
  expect([asked.exit, asked.stderr]).toEqual([2, expect.stringContaining('--yes')])
  expect((await terminal.svc(`strategy live ${made.id} on --yes`)).exit).toBe(0)
  expect((await terminal.svc(`strategy lock ${made.id}`)).exit).toBe(0)
  expect(await rows()).toMatchObject([{ live_enabled: true, webhook_locked: true }])
  expect((await terminal.svc(`strategy unlock ${made.id}`)).exit).toBe(0)
  const rotated = await terminal.json<Record<string, unknown>>(`strategy token rotate ${made.id} --yes`)
  expect(rotated.webhook_token).not.toBe(made.webhook_token)

  const kinds = (await terminal.json<{ kind: string }[]>(`strategy events ${made.id}`)).map(
    ({ kind }) => kind,
  )
  expect(kinds).toEqual([
    'webhook_token_rotated',
    'webhook_unlocked',
    'webhook_locked',
    'live_enabled',
    'strategy_updated',
    'strategy_created',
  ])
  expect((await terminal.svc(`strategy events ${made.id} --kind nonsense`)).exit).toBe(2)
  expect((await terminal.svc(`strategy delete ${made.id}`)).exit).toBe(2)
  expect((await terminal.svc(`strategy delete ${made.id} --yes`)).exit).toBe(0)
  expect((await terminal.svc(`strategy show ${made.id}`)).exit).toBe(4)
})

it('files are checked with line and column, planned, applied once, and drift is seen', async () => {
  const { terminal } = desk
  const bad = folder({ 'bad.yaml': STRADDLE.replace('lots: 1', 'lots: 99').replace('"09:20"', '"25:00"') })
  const checked = await terminal.svc(`strategy validate ${bad}`)
  expect([checked.exit, checked.stdout]).toEqual([
    2,
    expect.stringContaining(`${bad}/bad.yaml:4:13: error[invalid_value]: entry_time must be a time of day`),
  ])
  expect((await terminal.svc(`strategy apply ${bad} --yes`)).exit).toBe(2)
  expect(await rows()).toEqual([])

  const twice = folder({ 'a.yaml': STRADDLE, 'b.yaml': STRADDLE })
  expect((await terminal.svc(`strategy validate ${twice}`)).stdout).toMatch(
    /b\.yaml:1:\d+: error\[duplicate_id\]: The name ".+" is also the name of .+a\.yaml\.\n/,
  )

  const at = folder({ 'morning.yaml': STRADDLE })
  expect((await terminal.svc(`strategy plan ${at}`)).exit).toBe(9)
  const applied = await terminal.svc(`strategy apply ${at}`)
  expect([applied.exit, applied.stdout, applied.stderr]).toEqual([
    0,
    '+ create morning (version 1)\n',
    expect.stringContaining('svc_hook_'),
  ])
  expect((await terminal.svc(`strategy apply ${at}`)).stdout).toBe('= unchanged morning (version 1)\n')
  expect((await terminal.svc('strategy drift')).exit).toBe(0)
  writeFileSync(join(at, 'change.json'), '{"product": "MIS"}')
  expect((await terminal.svc(`strategy update morning ${at}/change.json`)).exit).toBe(0)
  expect((await terminal.svc('strategy drift')).exit).toBe(9)

  const out = join(tempDir(), 'out')
  expect((await terminal.svc(`strategy export --all --out ${out}`)).exit).toBe(0)
  expect((await terminal.svc(`strategy plan ${out}`)).exit).toBe(0)
  expect((await terminal.svc(`strategy apply ${folder({})} --prune`)).exit).toBe(2)
})

it('a strategy is found by a name of digits; a word that means two strategies is refused', async () => {
  const { terminal } = desk
  const create = async (name: string) => {
    const at = folder({ 'a.yaml': STRADDLE.replace('Morning straddle', name) })
    return terminal.json<{ id: number }>(`strategy create ${at}/a.yaml`)
  }
  const first = await create('"4711"')
  expect(await terminal.json('strategy show 4711')).toMatchObject({ id: first.id, name: '4711' })
  const second = await create(`"${first.id}"`)
  const both = await terminal.svc(`strategy show ${first.id}`)
  expect([both.exit, both.stderr]).toEqual([
    2,
    expect.stringContaining(`"${first.id}" (id ${second.id}) and "4711" (id ${first.id})`),
  ])
  expect(await terminal.json(`strategy show ${second.id}`)).toMatchObject({ id: second.id })
  expect((await terminal.svc('strategy show 4712')).exit).toBe(4)
})

it('an empty file is called empty, and a plan names a strategy that has the name already', async () => {
  const { terminal } = desk
  const empty = await terminal.svc(`strategy validate ${folder({ 'a.yaml': '# nothing yet\n' })}`)
  expect([empty.exit, empty.stdout]).toEqual([2, expect.stringContaining('The file is empty.')])
  const at = folder({ 'a.yaml': STRADDLE.replace('Morning straddle', 'By hand') })
  const { id } = await terminal.json<{ id: number }>(`strategy create ${at}/a.yaml`)
  const planned = await terminal.svc(`strategy plan ${at}`)
  expect([planned.exit, planned.stdout]).toEqual([
    9,
    expect.stringMatching(
      new RegExp(
        `^\\+ create a \\(its name is taken by strategy ${id}, which is not from a file\\)\n! no file morning \\(stopped, .*`,
      ),
    ),
  ])
})

it('a strategy of the daemon is replayed by its name, as its file is', async () => {
  const { terminal } = desk
  const example = fileURLToPath(new URL('../../../flows/strategies/short-straddle', import.meta.url))
  const { id } = await terminal.json<{ id: number }>(`strategy create ${example}.yaml`)
  const played = await terminal.svc([
    'strategy',
    'replay',
    'nifty short STRADDLE',
    '--from',
    `${example}.bars.csv`,
    '-o',
    'csv',
  ])
  expect(played).toMatchObject({ exit: 0, stdout: readFileSync(`${example}.trades.csv`, 'utf8') })
  expect(await terminal.json(`strategy runs ${id}`)).toEqual([])
})

const CASH = {
  name: 'Cash',
  underlying: 'SBIN',
  underlying_exchange: 'NSE',
  product: 'MIS',
  // It has no exit time, which would have passed in the last minute of a day.
  strategy_type: 'positional',
  legs: [{ segment: 'cash', position: 'B', lots: 3 }],
}

it('the books of a run list only its own rows, of the newest run unless another is named', async () => {
  const { daemon, terminal } = desk
  const made = await daemon.request<{ data: { id: number } }>('POST', '/strategy/api/strategies', CASH)
  const { id } = made.body.data
  const BOOKS = ['orderbook', 'tradebook', 'positions', 'checkpoints'] as const
  for (const book of BOOKS) {
    const empty = await terminal.svc(`strategy ${book} cash`)
    expect([book, empty.exit, empty.stdout]).toEqual([book, 0, ''])
    expect(await terminal.json(`strategy ${book} cash`)).toEqual([])
  }
  expect((await terminal.svc('order place SBIN NSE BUY 1')).exit).toBe(0)
  const start = async () => {
    expect((await terminal.svc(`strategy start ${id} --mode sandbox --now`)).exit).toBe(0)
    expect((await terminal.svc(`strategy stop ${id} --yes`)).exit).toBe(0)
    const [newest] = await terminal.json<{ id: number }[]>(`strategy runs ${id} --limit 1`)
    return newest?.id
  }
  const [first, second] = [await start(), await start()]
  const ids = async (book: string, run = '') =>
    (await terminal.json<{ orderid: string }[]>(`strategy ${book} ${id}${run}`)).map(({ orderid }) => orderid)
  const newest = await ids('orderbook')
  expect(newest).toHaveLength(2)
  expect(await ids('orderbook', ` --run ${second}`)).toEqual(newest)
  const before = await ids('orderbook', ` --run ${first}`)
  expect([before.length, before.some((one) => newest.includes(one))]).toEqual([2, false])
  expect((await ids('tradebook')).sort()).toEqual([...newest].sort())
  expect(await terminal.json(`strategy positions ${id}`)).toMatchObject([
    { symbol: 'SBIN', exchange: 'NSE', product: 'MIS', mode: 'analyze' },
  ])
  expect((await terminal.svc(`strategy start ${id} --mode sandbox --now`)).exit).toBe(0)
  const points = () => terminal.json<{ run_id: number }[]>(`strategy checkpoints ${id}`)
  await expect.poll(async () => (await points()).length, { interval: 500 }).toBeGreaterThan(0)
  const [third] = await terminal.json<{ id: number }[]>(`strategy runs ${id} --limit 1`)
  expect(new Set((await points()).map(({ run_id }) => run_id))).toEqual(new Set([third?.id]))
  const table = await terminal.svc(`strategy checkpoints ${id} --run ${third?.id} -o table`)
  expect([table.exit, table.stdout]).toEqual([0, expect.stringContaining('P&L ₹')])
  for (const book of BOOKS) {
    const unknown = await terminal.svc(`strategy ${book} ${id} --run 999`)
    expect([book, unknown.exit]).toEqual([book, book === 'checkpoints' ? 0 : 4])
    expect([book, (await terminal.svc(`strategy ${book} ${id} --run x`)).exit]).toEqual([book, 2])
    expect([book, (await terminal.svc(`strategy ${book} 999`)).exit]).toEqual([book, 4])
  }
})
