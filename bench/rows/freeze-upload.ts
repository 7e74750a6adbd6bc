import { join } from 'node:path'
import { silentLogger } from '../../src/core/logging/index.js'
import { loadInstruments, loadStorage, loadTime } from '../compiled.js'
import { type Benchmark, median } from '../run.js'

const ROWS = 5000
const GOAL_MS = 1000

/** The upload of a long list of freeze quantities: parsing, one transaction, and the read back. */
export const freezeUpload: Benchmark = {
  name: 'freeze-upload',
  summary: `an upload of ${ROWS.toLocaleString('en-US')} freeze quantities, each round with all of them changed`,
  async run(run) {
    const [{ Database }, { Instruments }, { SystemClock }] = await Promise.all([
      loadStorage(),
      loadInstruments(),
      loadTime(),
    ])
    const db = await Database.open({ file: join(run.folder(), 'svc.db'), schema: 'svc' })
    try {
      const clock = new SystemClock()
      const { freeze } = new Instruments({ db, clock, log: silentLogger, freezeQuantities: [] })
      const taken: number[] = []
      for (let round = 1; round <= run.rounds(20, 5); round++) {
        const startedAt = performance.now()
        await freeze.upload('NFO', fileOf(round))
        taken.push(performance.now() - startedAt)
      }
      const name = `upload of ${ROWS.toLocaleString('en-US')} freeze quantities`
      const goal = { of: 'value', atMost: GOAL_MS } as const
      return [
        { name: `${name}, median`, value: median(taken), unit: 'ms', goal },
        { name: `${name}, slowest`, value: Math.max(...taken), unit: 'ms', goal },
      ]
    } finally {
      await db.close()
    }
  },
}

/** Returns a file with other symbols every second round, and other quantities in each. */
function fileOf(round: number): string {
  const rows = Array.from({ length: ROWS }, (_, row) => `S${round % 2}${row},${row + round}`)
  return `SYMBOL,VOL_FRZ_QTY\n${rows.join('\n')}\n`
}
