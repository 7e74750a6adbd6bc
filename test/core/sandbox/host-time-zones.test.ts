import { afterEach, describe, expect, it } from 'vitest'
import { Rig } from './harness.js'

const OWN_ZONE = process.env.TZ
afterEach(() => {
  if (OWN_ZONE === undefined) delete process.env.TZ
  else process.env.TZ = OWN_ZONE
})

/**
 * Downtime from one instant to another; the jobs that fall due in between run once, in any time zone of the
 * host.
 */
const ABSENCES = [
  { name: 'over the opening', from: '2026-03-12T09:00:00+05:30', to: '2026-03-12T09:20:00+05:30' },
  {
    name: 'over the square-off and the close',
    from: '2026-03-12T15:00:00+05:30',
    to: '2026-03-12T16:00:00+05:30',
  },
  {
    name: 'over the turn of the session',
    from: '2026-03-13T02:59:00+05:30',
    to: '2026-03-13T03:01:00+05:30',
  },
  { name: 'over a holiday', from: '2026-03-25T18:00:00+05:30', to: '2026-03-27T10:00:00+05:30' },
  { name: 'over a week', from: '2026-03-12T11:00:00+05:30', to: '2026-03-19T11:00:00+05:30' },
]

/** Returns every job that ran, with its due moment, and the number of trades per order. */
async function lived(zone: string, { from, to }: { from: string; to: string }) {
  process.env.TZ = zone
  const rig = await Rig.open()
  try {
    rig.price(250)
    await rig.accepted({ quantity: 10 })
    await rig.pass(from)
    await rig.down(to)
    await rig.pass(to)
    const jobs = await rig.db.queryRaw('select job, slot, due_at from sandbox_jobs order by job, due_at')
    const trades = await rig.db.queryRaw(
      'select action, quantity, traded_at from sandbox_trades order by traded_at',
    )
    return { jobs, trades }
  } finally {
    await rig.close()
  }
}

describe.each(ABSENCES)('the jobs of the sandbox after downtime $name', (absence) => {
  it('run once each, with the same result on a host in any time zone', async () => {
    const here = await lived('Asia/Kolkata', absence)
    const names = here.jobs.map(({ job, slot }) => `${String(job)} ${String(slot)}`)
    expect(new Set(names).size).toBe(names.length)
    expect(here.jobs.length).toBeGreaterThan(0)
    for (const zone of ['UTC', 'America/New_York']) expect(await lived(zone, absence)).toEqual(here)
  })
})
