import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { CliDesk } from '../../support/desk/cli-desk.js'

/* Nobody is asked on a terminal about what does not exist: the refusal comes first. */

const folder = mkdtempSync(join(tmpdir(), 'svc-test-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const line = (symbol: string) => ({
  symbol,
  exchange: 'NSE',
  action: 'BUY',
  product: 'MIS',
  quantity: 1,
  pricetype: 'MARKET',
})
const basket = (...symbols: string[]) => {
  const file = join(folder, `${symbols.join('-')}.json`)
  writeFileSync(file, JSON.stringify(symbols.map(line)))
  return file
}

const UNKNOWN = [
  'approval approve abc',
  'approval approve 999',
  'approval approve 998 999 abc',
  'approval reject abc',
  'approval delete abc',
  'approval delete 998 999',
  'order cancel abc',
  'order modify abc --price 700',
  'order gtt cancel abc',
  'order place NOPE NSE BUY 1',
  'order smart NOPE NSE BUY 1 --position-size 5',
  'order split NOPE NSE BUY 10 --split-size 5',
  `order basket ${basket('NOPE', 'NOPE2')}`,
  'position close NOPE NSE',
  'flow delete abc',
  'flow run abc',
  'flow activate abc',
  'flow rollback abc 1',
  'flow webhook rotate abc',
  'flow secret remove abc',
  'strategy start abc --mode live',
  'strategy stop abc',
  'strategy delete abc',
  'strategy rollback abc 1',
  'strategy live abc on',
  'token revoke abc',
  'session revoke abc',
  'admin freeze delete 999',
  'admin mcp revoke abc',
  'ban remove 203.0.113.200',
  'broker use abc',
]

test('with CONFIRM_LIVE=always, and in Live mode', async () => {
  const desk = await CliDesk.open({ env: { CONFIRM_LIVE: 'always' } })
  for (const command of UNKNOWN) {
    // Without answers, any question fails the command.
    const { exit, stderr } = await desk.svc(command, { answers: [] })
    expect([command, stderr]).toEqual([command, expect.not.stringMatching(/\[y\/N\]|to continue:/)])
    expect([command, exit]).not.toEqual([command, 0])
  }
  expect(await desk.http.desk.ledger()).toEqual([])
})

test('an address that is none is no question', async () => {
  const desk = await CliDesk.open()
  const { exit, stderr } = await desk.svc('ban add 203.0.113', { answers: [] })
  expect([exit, stderr]).toEqual([2, expect.stringContaining('Invalid IP address format')])
})

test('of several approvals, those that wait are asked about, and the others are refused', async () => {
  const desk = await CliDesk.open()
  await desk.svc('mode set semi_auto')
  for (let n = 0; n < 3; n++) await desk.svc('order place SBIN NSE BUY 1 --price 700 --type LIMIT')
  await desk.svc('approval reject 1')
  const { exit, stderr } = await desk.svc('approval approve 1 2 999', { answers: ['y'] })
  expect(exit).toBe(5)
  expect(stderr).toContain('Approve and execute approval 2? [y/N]')
  expect(stderr).toMatch(/approval 1: Approval 1 was rejected by asha/)
  expect(stderr).toContain('approval 999: There is no approval 999.')
  expect(await desk.http.desk.ledger()).toHaveLength(1)

  const deleted = await desk.svc('approval delete 1 3 999', { answers: ['y'] })
  expect(deleted.stderr).toContain('Delete approval 1? [y/N]')
  expect(deleted.stderr).toContain('approval 3: Approval 3 is still pending.')
  expect((await desk.svc('approval list --status all -q')).stdout).toBe('3\n2\n')
})

test('a basket of which one order can be sent is asked about', async () => {
  const desk = await CliDesk.open({ env: { CONFIRM_LIVE: 'always' } })
  const { stderr } = await desk.svc(`order basket ${basket('SBIN', 'NOPE')}`, { answers: ['n'] })
  expect(stderr).toContain('Send it LIVE to simulated: 2 orders, value not known? [y/N]')
  expect(await desk.http.desk.ledger()).toEqual([])
})

test('a script is refused as before', async () => {
  const desk = await CliDesk.open()
  expect((await desk.svc('approval delete abc')).exit).toBe(2)
  expect((await desk.svc('approval delete abc --yes')).exit).toBe(2)
  expect((await desk.svc('approval delete 99 --yes')).exit).toBe(4)
  expect((await desk.svc('token revoke abc --yes')).exit).toBe(4)
})
