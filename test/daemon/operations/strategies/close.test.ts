import { expect, test } from 'vitest'
import { BUY, StrategyDesk } from './strategy-desk.js'

/* Closes of one leg and of all legs with a key. */

const [LEG] = BUY.legs
const TWO = { ...BUY, legs: [LEG, { ...LEG, lots: 5 }] }

async function started() {
  const desk = await StrategyDesk.open()
  const { id } = await desk.create(TWO)
  await desk.keyed('start', { strategy_id: id, mode: 'sandbox' })
  await desk.until(
    async () => (await desk.orders()).filter((line) => line.includes('complete')).length === 2,
    'both legs are held',
  )
  return { desk, strategy_id: id }
}

test('a leg is closed alone, and the run goes on until its last one', async () => {
  const { desk, strategy_id } = await started()
  const exit = (leg_id: number) => [
    { leg_id, ok: true, position_ref: expect.any(String), exit_owner: 'live', error: null },
  ]
  const close = (leg_id: number) => desk.keyed('close_leg', { strategy_id, leg_id })
  expect(await close(1)).toMatchObject({ status: 200, body: { run_stopped: false, exits: exit(1) } })
  const notOpen = { status: 409, body: { status: 'error', message: 'That leg is not open' } }
  expect(await close(1)).toMatchObject(notOpen)
  expect(await close(3)).toMatchObject(notOpen)
  expect(await close(2)).toMatchObject({ status: 200, body: { run_stopped: true, exits: exit(2) } })
  expect((await desk.orders()).slice(2).map((line) => line.replace(/ exit_\w+/, ''))).toEqual([
    ...['1 SELL complete 10', '2 SELL complete 5'],
  ])
  expect((await desk.run())?.stopped_at).not.toBeNull()
})

test('a close of all legs is told as one, and ends the run', async () => {
  const { desk, strategy_id } = await started()
  expect((await desk.keyed('close_all', { strategy_id })).status).toBe(200)
  await desk.ended()
  const { body } = await desk.keyed('events', { strategy_id, kind: 'close_all_manual' })
  expect(body.data).toMatchObject([{ kind: 'close_all_manual', severity: 'info', run_id: 1 }])
})
