import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { ServiceError } from '../../../../../src/core/errors/index.js'
import { RunSignals } from '../../../../../src/core/strategies/runs/opening/run-signals.js'
import { istInstant } from '../../../../../src/core/time/index.js'
import { RunRig, SIGNALS } from '../run-rig.js'

const OVERNIGHT = { ...SIGNALS, strategy_type: 'positional', exit_time: null, product: 'CNC' }
const ENTRY = { legId: 1, signal: 'long_entry' } as const

/** A strategy that has held shares since Friday, in a service that starts on Monday morning. */
async function monday() {
  const friday = await RunRig.open('live')
  const id = await friday.create(OVERNIGHT)
  await friday.settled(friday.runs.signal(id, ENTRY))
  await friday.settled(friday.runs.settled())
  await friday.rig.desk.close()
  await friday.clock.advanceTo(istInstant('2026-11-23', '09:20'))
  const rig = await friday.reopen()
  await rig.settled(rig.runs.settled())
  return { rig, id }
}

test.each(['stop', 'closeAll'] as const)(
  'a %s while a signal closes the run of the day before leaves nothing open',
  async (act) => {
    const { id, rig } = await monday()
    const signal = rig.runs.signal(id, ENTRY)
    while (rig.runs.active(id)?.state === 'running') await turn()
    expect(rig.runs.active(id)?.runId).toBe(1)
    const stop = act === 'stop' ? rig.runs.stop(id, 'manual') : rig.runs.closeAll(id)
    const [given, stopped] = await rig.settled(Promise.allSettled([signal, stop]))
    expect(stopped).toMatchObject({ value: { runId: 1, refused: null } })
    expect(given).toMatchObject({
      reason: { message: 'The strategy was stopped before this signal could open a run' },
    })
    await rig.settled(rig.runs.settled())
    expect(rig.runs.unfinished(id)).toBeUndefined()
    expect(await rig.query('select id from strategy_runs')).toEqual([{ id: 1 }])
    expect(await rig.settled(rig.runs.signal(id, ENTRY))).toMatchObject({ runId: 2, refused: null })
  },
)

test('a signal whose run ends while its start is looked up opens the next run', async () => {
  const { id, rig } = await monday()
  const run = rig.runs.active(id)
  const signals = new RunSignals({
    clock: rig.clock,
    runs: { of: () => run },
    reserved: { refuse: () => undefined },
    store: {
      async unfinishedOf(strategyId) {
        await rig.settled(rig.runs.stop(strategyId, 'manual'))
        await run?.ended
        return rig.store.unfinishedOf(strategyId)
      },
    },
    opener: { openForEntry: () => Promise.reject(new ServiceError('refused', 'asked to open')) },
  })
  await expect(signals.give(id, ENTRY, () => false)).rejects.toThrow('asked to open')
})
