import { afterEach, beforeEach, expect, test } from 'vitest'
import { VirtualClock } from '../../../../src/core/time/index.js'
import { orderOf, startRig } from './rig.js'

let rig: Awaited<ReturnType<typeof startRig>>
beforeEach(async () => {
  rig = await startRig(new VirtualClock('2025-09-12T10:00:00+05:30'))
})
afterEach(() => rig.close())

test('positions are shown in an outage of quotes, because every close reads them', async () => {
  await rig.client.orders.place(orderOf({ quantity: 10 }), 'A1')
  rig.fake.script.set({ route: 'quote', actions: ['5xx_before'] })
  expect(await rig.client.portfolio.positions()).toMatchObject([{ symbol: 'INFY', quantity: 10 }])
})
