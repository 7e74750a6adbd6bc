import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { nextRollover, VirtualClock } from '../../../../src/core/time/index.js'
import { byTag } from '../by-tag.js'
import type { ConformanceRig } from '../conformance/rig.js'
import { runBrokerConformance } from '../conformance.js'
import { contextOf, FRIDAY_11, SESSION, testPlugin } from './support.js'

async function setup(): Promise<ConformanceRig> {
  const stateDir = mkdtempSync(join(tmpdir(), 'svc-simulated-'))
  const clock = new VirtualClock(FRIDAY_11)
  const plugin = testPlugin()
  const context = contextOf(clock, stateDir)
  const client = plugin.connect(SESSION, context)
  const derivative = { symbol: 'NIFTY24NOV2626000CE', exchange: 'NFO', lot: 65 }
  return {
    plugin,
    client,
    session: SESSION,
    context,
    instruments: {
      cash: { symbol: 'SBIN', exchange: 'NSE', lot: 1 },
      other: { symbol: 'INFY', exchange: 'NSE' },
      index: { symbol: 'NIFTY', exchange: 'NSE_INDEX' },
      derivative,
    },
    counted: [
      { symbol: 'SBIN', exchange: 'NSE', lot: 1, count: 1, product: 'MIS' },
      { ...derivative, count: 65, product: 'NRML' },
      { symbol: 'USDINR27NOV26FUT', exchange: 'CDS', lot: 1000, count: 1000, product: 'NRML' },
    ],
    brokerQuantity: async (tag) => (await byTag(client, tag))?.quantity,
    history: { from: '2026-11-16', to: '2026-11-19' },
    secrets: [],
    spoilt: ['lose_answer'],
    lost: { before: 'lose_request', after: 'lose_answer' },
    largest: 1755,
    spoil(call, spoilt) {
      const kind = spoilt === 'lose_request' ? spoilt : 'lose_answer'
      plugin.faults.set([{ on: [call], kind, times: 1 }])
    },
    stir: () => clock.advance(1_000),
    async nextDay() {
      await clock.advanceTo(nextRollover(clock.now()))
      const { ltp } = await client.market.depth(derivative)
      await clock.advance(3_600_000)
      return ltp
    },
    wait: () => clock.advance(1_000),
    async close() {
      await client.close()
      await rm(stateDir, { recursive: true, force: true })
    },
  }
}

runBrokerConformance('simulated', setup)
