import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { RESTORED } from '../../../src/core/backup/index.js'
import { honourRestore } from '../../../src/daemon/backup/restored.js'
import { CliDesk } from '../../support/desk/cli-desk.js'

/** A desk with orders that wait for approval, restored from a backup of 15:30 IST. */
async function restoredDesk(orders: number): Promise<CliDesk> {
  const desk = await CliDesk.open()
  await desk.svc('mode set semi_auto')
  for (let made = 0; made < orders; made += 1)
    expect((await desk.svc('order place SBIN NSE BUY 1 --product MIS')).exit).toBe(0)
  const { home, service } = desk.http.desk
  writeFileSync(join(home, RESTORED), JSON.stringify({ id: 'b1', created_at: '2026-11-19T10:00:00.000Z' }))
  await honourRestore(service, home)
  expect(existsSync(join(home, RESTORED))).toBe(false)
  await desk.signIn()
  return desk
}

const FROM = 'Restored from the backup of 2026-11-19 15:30:00 IST. '

test.each([
  [0, 'Compare orders and positions with the broker, then resume.'],
  [
    1,
    '1 order waits for approval again, also what was approved after it: to approve that would send it twice. Compare orders and positions with the broker, reject what it has (svc approval list), then resume.',
  ],
  [
    2,
    '2 orders wait for approval again, also what was approved after it: to approve that would send it twice. Compare orders and positions with the broker, reject what it has (svc approval list), then resume.',
  ],
])('a restored home says how many orders wait again, and what to do: %i', async (orders, text) => {
  const desk = await restoredDesk(orders)
  expect(desk.service.risk.killSwitch).toMatchObject({ on: true, by: 'svc restore', reason: FROM + text })
})

test('svc risk resume says why the kill switch is on, before it asks', async () => {
  const desk = await restoredDesk(2)
  const asked = await desk.svc('risk resume', { answers: ['no'] })
  const [before = ''] = asked.stderr.split('New orders will be sent again')
  expect(before).toMatch(/^The kill switch is on since .*, by svc restore: Restored from the backup of/)
  expect(before).toContain('2 orders wait for approval again')
  expect((await desk.svc('risk resume --confirm RESUME')).stderr).toContain(
    '2 orders wait for approval again',
  )
  expect((await desk.svc('risk resume --confirm RESUME')).stderr).not.toContain('is on since')
})
