import { afterEach, beforeEach, expect, it } from 'vitest'
import { Rig, USER } from './harness.js'

let rig: Rig
beforeEach(async () => {
  rig = await Rig.open()
  rig.price(250)
})
afterEach(() => rig.close())

it('returns no id twice over restarts, although its callers alone have stored it', async () => {
  const known = new Set<string>()
  for (let start = 0; start < 5; start++) {
    // The highest stored order is ahead of the clock, because every start skips ids.
    if (start === 1) await rig.place({})
    const id = rig.sandbox.newOrderId()
    expect(known).not.toContain(id)
    known.add(id)
    await rig.reboot()
  }
})

it('returns no id twice after a reset of the account', async () => {
  await rig.place({})
  const before = rig.sandbox.newOrderId()
  await rig.sandbox.reset(USER)
  await rig.reboot()
  expect(rig.sandbox.newOrderId() > before).toBe(true)
})
