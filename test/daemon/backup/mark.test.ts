import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { BY_HAND, RESTORED } from '../../../src/core/backup/index.js'
import { SystemClock } from '../../../src/core/time/index.js'
import { markOffline } from '../../../src/daemon/backup/offline.js'
import { honourRestore } from '../../../src/daemon/backup/restored.js'
import { HomeLock } from '../../../src/daemon/process/lock.js'
import { CliDesk } from '../../support/desk/cli-desk.js'
import { TestDesk } from '../../support/desk/desk.js'
import { tempDir } from '../../support/files/temp.js'

/* svc restore --mark: databases that a person puts back by hand are held back as those of a restore. */

const markOf = (home: string) => JSON.parse(readFileSync(join(home, RESTORED), 'utf8'))

async function stoppedHome(): Promise<string> {
  const desk = await TestDesk.open()
  await desk.close()
  return desk.home
}

test('the start of a marked home turns the kill switch on and says why', async () => {
  const first = await TestDesk.open()
  await first.close()
  const at = await markOffline({ home: first.home })
  const second = await TestDesk.open({ home: first.home, clock: first.clock })
  await honourRestore(second.service, second.home)
  expect(second.service.risk.killSwitch).toMatchObject({
    on: true,
    by: 'svc restore',
    reason: expect.stringMatching(
      /^Restored by hand from an older copy \(svc restore --mark of .+ IST\)\. Compare orders and positions with the broker, then resume\.$/,
    ),
  })
  expect(Number.isNaN(Date.parse(at))).toBe(false)
  expect(await second.place()).toMatchObject({ body: { rule: 'kill_switch' } })
  expect(existsSync(join(first.home, RESTORED))).toBe(false)
})

test('a mark changes no database, and a second one keeps the first', async () => {
  const home = await stoppedHome()
  const before = readdirSync(home).filter((name) => name !== 'daemon.lock')
  await markOffline({ home })
  expect(readdirSync(home).filter((name) => name !== 'daemon.lock')).toEqual([...before, RESTORED].sort())
  expect(markOf(home)).toMatchObject({ id: BY_HAND })
  writeFileSync(join(home, RESTORED), '{"id":"b1","created_at":"2026-11-19T10:00:00.000Z"}')
  await markOffline({ home })
  expect(markOf(home)).toEqual({ id: 'b1', created_at: '2026-11-19T10:00:00.000Z' })
})

test('a running daemon and a folder without databases are refused', async () => {
  const home = await stoppedHome()
  const lock = await HomeLock.acquire(home, new SystemClock())
  onTestFinished(() => lock.release())
  await expect(markOffline({ home })).rejects.toMatchObject({ code: 'conflict' })
  const empty = join(tempDir(), 'empty')
  mkdirSync(empty)
  await expect(markOffline({ home: empty })).rejects.toMatchObject({ code: 'not_found' })
  expect(readdirSync(empty)).toEqual([])
})

test('the command marks the home that it names, and takes no backup', async () => {
  const desk = await CliDesk.open()
  const home = await stoppedHome()
  const svc = (words: string) => desk.svc(`${words} --home ${home}`, { env: { SVC_URL: '' } })
  expect(await svc('restore')).toMatchObject({ exit: 2, stderr: expect.stringContaining('Name a backup') })
  for (const wrong of ['restore newest --mark', 'restore --mark --replace'])
    expect(await svc(wrong)).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining('--mark takes no backup'),
    })
  expect(existsSync(join(home, RESTORED))).toBe(false)
  const { exit, stderr, stdout } = await svc('restore --mark')
  expect([exit, stderr]).toEqual([0, expect.stringContaining('The next start turns the kill switch on')])
  expect(stderr).toContain('linked chats are those of the copy: end or replace again')
  expect(stdout).toContain(home)
  expect(markOf(home)).toMatchObject({ id: BY_HAND })
})
