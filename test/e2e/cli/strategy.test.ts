import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
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

  const at = folder({ 'morning.yaml': STRADDLE })
  expect((await terminal.svc(`strategy plan ${at}`)).exit).toBe(9)
  const applied = await terminal.svc(`strategy apply ${at}`)
  expect([applied.exit, applied.stdout, applied.stderr]).toEqual([
    0,
    '+ create morning\n',
    expect.stringContaining('svc_hook_'),
  ])
  expect((await terminal.svc(`strategy apply ${at}`)).stdout).toBe('= unchanged morning\n')
  expect((await terminal.svc('strategy drift')).exit).toBe(0)
  writeFileSync(join(at, 'change.json'), '{"product": "MIS"}')
  expect((await terminal.svc(`strategy update morning ${at}/change.json`)).exit).toBe(0)
  expect((await terminal.svc('strategy drift')).exit).toBe(9)

  const out = join(tempDir(), 'out')
  expect((await terminal.svc(`strategy export --all --out ${out}`)).exit).toBe(0)
  expect((await terminal.svc(`strategy plan ${out}`)).exit).toBe(0)
  expect((await terminal.svc(`strategy apply ${folder({})} --prune`)).exit).toBe(2)
})
