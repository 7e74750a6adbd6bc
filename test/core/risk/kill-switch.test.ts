import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { silentLogger } from '../../../src/core/logging/index.js'
import { KillSwitch } from '../../../src/core/risk/kill-switch.js'
import { RiskStore } from '../../../src/core/risk/store.js'
import { Database } from '../../../src/core/storage/index.js'
import { deskClock } from '../../support/desk/desk-clock.js'
import { eventually } from '../../support/eventually.js'
import { tempDir } from '../../support/files/temp.js'

/** Longer than the one page that a full file may still fill. */
const REASON = 'x'.repeat(9_000)

async function desk() {
  const db = await Database.open({ file: join(tempDir(), 'svc.db'), schema: 'svc' })
  onTestFinished(() => db.close())
  const clock = deskClock('2026-11-20T11:00:00+05:30')
  const open = () => KillSwitch.open(new RiskStore(db), clock, silentLogger)
  const killSwitch = await open()
  onTestFinished(() => killSwitch.close())
  return {
    clock,
    killSwitch,
    /** Limits the file to its current pages, as on a full disk, or removes the limit. */
    room: (pages: 1 | 1_000_000) => db.write((tx) => tx.exec(`pragma max_page_count = ${pages}`)),
    /** The state that a restart finds. */
    found: async () => (await open()).state,
  }
}

test('on a full disk it switches on, reports that it is not stored, and is stored when there is space', async () => {
  const { clock, killSwitch, room, found } = await desk()
  await room(1)
  await killSwitch.putOn(REASON, 'asha')
  expect(killSwitch.state).toMatchObject({ on: true, reason: REASON, by: 'asha' })
  expect(killSwitch.stored).toBe(false)
  await clock.advance(1_000)
  await eventually(() => clock.pending === 1)
  expect([killSwitch.stored, (await found()).on]).toEqual([false, false])

  await room(1_000_000)
  await clock.advance(1_000)
  await eventually(() => killSwitch.stored)
  expect(await found()).toEqual(killSwitch.state)
  expect(clock.pending).toBe(0)
})

test('switching it on again keeps its time, and its reason unless a new one is given', async () => {
  const { clock, killSwitch, found } = await desk()
  await killSwitch.putOn('bad feed', 'asha')
  const first = { on: true, reason: 'bad feed', by: 'asha', since: clock.now() }
  await clock.advance(60_000)
  await killSwitch.putOn(undefined, 'token')
  expect([killSwitch.state, await found()]).toEqual([first, first])
  await killSwitch.putOn('worse feed', 'token')
  expect(await found()).toEqual({ ...first, reason: 'worse feed', by: 'token' })
})

test('switching it off on a full disk is refused and leaves it on', async () => {
  const { killSwitch, room, found } = await desk()
  await killSwitch.putOn('bad feed', 'asha')
  await room(1)
  await expect(killSwitch.putOff(REASON, 'asha')).rejects.toMatchObject({ code: 'storage_full' })
  expect([killSwitch.state.on, killSwitch.stored, (await found()).on]).toEqual([true, true, true])
})

test('a late attempt to store it does not switch it on again after it was switched off', async () => {
  const { clock, killSwitch, room, found } = await desk()
  await room(1)
  await killSwitch.putOn(REASON, 'asha')
  await room(1_000_000)
  await killSwitch.putOff('resumed', 'asha')
  await clock.advance(5_000)
  expect([killSwitch.state.on, killSwitch.stored, (await found()).on]).toEqual([false, true, false])
})

test('the last request decides when a switch-off overlaps an attempt to store it, and vice versa', async () => {
  const { killSwitch, found } = await desk()
  await killSwitch.putOn('one', 'asha')
  await Promise.all([killSwitch.putOff('two', 'asha'), killSwitch.putOn('three', 'asha')])
  expect(killSwitch.state).toMatchObject({ on: true, reason: 'three' })
  expect(await found()).toEqual(killSwitch.state)
})
