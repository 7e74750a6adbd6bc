import { expect, test, vi } from 'vitest'
import { messages, seconds, started } from './account-rig.js'

/* The broker counts a position in units that contradict ours: its quantity says nothing about that of the run. */

test('a run gives nothing up because of a quantity that is the count of the broker', async () => {
  const { id, rig } = await started('live')
  const { portfolio } = rig.rig.desk.service.brokers.client()
  const { positions } = portfolio
  const reason = "The broker's multiplier 100 differs"
  const spy = vi
    .spyOn(portfolio, 'positions')
    .mockImplementation(async () =>
      (await positions.call(portfolio)).map((row) => ({ ...row, quantity: 1, unsettled: reason })),
    )
  await seconds(rig, 60)
  expect(spy).toHaveBeenCalled()
  expect(rig.runs.active(id)?.claims).toMatchObject([{ quantity: 10 }])
  expect(await messages(rig)).toEqual([])
})
