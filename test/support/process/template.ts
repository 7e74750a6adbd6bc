import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { simulatedMaster } from '../../../src/core/brokers/simulated/index.js'
import { Instruments } from '../../../src/core/instruments/index.js'
import type { Instrument } from '../../../src/core/instruments/schema.js'
import { silentLogger } from '../../../src/core/logging/index.js'
import { Database } from '../../../src/core/storage/index.js'
import { SystemClock } from '../../../src/core/time/index.js'
import { execute } from '../files/files.js'
import { ACCOUNT_FILE, DaemonProcess } from './daemon-process.js'

const TEMPLATE_FILES = ['config.env', 'svc.db', 'svc.db-instruments']

/** Makes a home after its first start and set-up, with a graceful stop, so that its files are complete. */
export async function makeTemplate(folder: string): Promise<void> {
  const daemon = new DaemonProcess()
  try {
    await daemon.start()
    await daemon.signUp()
    const { code } = await daemon.signal('SIGTERM')
    if (code !== 0) throw new Error(`the daemon did not stop in good order:\n${daemon.output}`)
    await keepFewInstruments(join(daemon.home, 'svc.db'))
    for (const name of TEMPLATE_FILES) cpSync(join(daemon.home, name), join(folder, name))
    const { apikey, token } = daemon
    writeFileSync(join(folder, ACCOUNT_FILE), JSON.stringify({ apikey, token }))
  } finally {
    await daemon.dispose()
  }
}

/**
 * Replaces the instrument master of a home with a tenth of it. Half of the processor time of a start goes into
 * the master and its search index, and the tests start hundreds of daemons. The first start of a home, above
 * and in several tests, has the whole master.
 */
async function keepFewInstruments(file: string): Promise<void> {
  const clock = new SystemClock()
  const db = await Database.open({ file, schema: 'svc' })
  try {
    const instruments = new Instruments({ db, clock, log: silentLogger, freezeQuantities: [] })
    await instruments.load()
    const rows = [...simulatedMaster({ now: clock.now() })].flat().filter(isKept)
    await instruments.replace('simulated', 'generated', [rows])
  } finally {
    await db.close()
  }
  await execute(file, 'vacuum')
}

/** The underlyings whose contracts the tests ask for. */
const CONTRACTS_ON = new Set(['NIFTY', 'SBIN', 'RELIANCE'])

/** Every share and index, and the contracts on a few of them. */
function isKept({ instrumentType, name }: Instrument): boolean {
  return instrumentType === 'EQ' || instrumentType === 'INDEX' || CONTRACTS_ON.has(name)
}
