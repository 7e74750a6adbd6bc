import { parseKiteDump } from '../../../../../src/core/brokers/zerodha/master/kite-dump.js'
import type { DumpProblem } from '../../../../../src/core/instruments/index.js'
import type { Instrument } from '../../../../../src/core/instruments/schema.js'

/** Returns all instruments of a dump. */
export function kiteRows(text: string, report?: (problem: DumpProblem) => void): Instrument[] {
  return [...parseKiteDump(text, report)].flatMap((row) => row ?? [])
}
