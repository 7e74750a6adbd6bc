import { expect, test } from 'vitest'
import { commandDesk } from '../../support/desk/command-desk.js'

/* `svc why` explains anything by the id that svc printed. */

const desk = commandDesk()
const ORDER = 'SBIN NSE BUY 1 --product MIS'

interface Told {
  schema: string
  kind: string
  state: string
  entries: { at: string; state: string | null; words: string | null }[]
}

async function told(id: string): Promise<Told> {
  const { exit, stdout } = await desk.terminal.svc(`why ${id} -o json`)
  expect([id, exit]).toEqual([id, 0])
  return JSON.parse(stdout)
}

test('every id that a placed order has leads to its timeline', async () => {
  const placed = await desk.terminal.svc(`order place ${ORDER} --idempotency-key why-1 -o json`)
  const { order_ref: ref, orderid } = JSON.parse(placed.stdout)
  for (const id of [ref ?? orderid, orderid, `order/${orderid}`, 'why-1']) {
    const { entries, schema } = await told(id)
    expect(schema).toBe('why/1')
    expect(entries.length).toBeGreaterThan(1)
    expect(entries.map(({ at }) => at)).toEqual(entries.map(({ at }) => at).toSorted())
  }
})

test('a refusal is found by the request id that --verbose prints, and its reason is whole at any width', async () => {
  const refused = await desk.terminal.svc('order place NOPE NSE BUY 1 -v')
  const [, id = ''] = /request id: (\S+)/.exec(refused.stderr) ?? []
  const { entries, state } = await told(id)
  expect(state).toBe('refused')
  expect(entries[0]?.words).toContain('NOPE not found on NSE')
  const narrow = await desk.terminal.svc(['why', id, '-o', 'table'], { env: { COLUMNS: '40' } })
  expect(narrow.stdout.replaceAll(/\s+/g, ' ')).toContain(entries[0]?.words)
})

test('an unknown id ends with 4 and says what was looked for', async () => {
  const { exit, stderr } = await desk.terminal.svc('why nothing')
  expect([exit, stderr]).toEqual([4, expect.stringContaining('Nothing is known of "nothing"')])
})
