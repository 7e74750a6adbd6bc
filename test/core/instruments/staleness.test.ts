import { describe, expect, it } from 'vitest'
import { type MasterRecord, staleReason } from '../../../src/core/instruments/index.js'
import { istDate } from '../../../src/core/time/index.js'

const at = (text: string) => Date.parse(`${text}:00+05:30`)

function loaded(when: string, changes: Partial<MasterRecord> = {}): MasterRecord {
  return {
    brokerId: 'zerodha',
    source: 'broker',
    count: 1,
    loadedAt: at(when),
    generatedFor: istDate(at(when)),
    durationMs: 1,
    checksum: 1,
    lastError: null,
    failedAt: null,
    ...changes,
  }
}

describe('when a master is fetched again', () => {
  it.each([
    ['no master was loaded yet', undefined, '2026-11-23T09:00', 'never_loaded'],
    [
      "another broker's master",
      loaded('2026-11-23T08:30', { brokerId: 'upstox' }),
      '2026-11-23T09:00',
      'other_broker',
    ],
    ['yesterday', loaded('2026-11-22T12:00'), '2026-11-23T07:00', 'other_day'],
    ['before the cutoff, now after it', loaded('2026-11-23T07:59'), '2026-11-23T08:00', 'before_cutoff'],
    ['before the cutoff, still before it', loaded('2026-11-23T06:00'), '2026-11-23T07:59', undefined],
    ['after the cutoff', loaded('2026-11-23T08:00'), '2026-11-23T23:59', undefined],
    ['a file last year', loaded('2025-11-23T08:00', { source: 'file' }), '2026-11-23T09:00', undefined],
    [
      'generated this morning',
      loaded('2026-11-23T00:01', { source: 'generated' }),
      '2026-11-23T09:00',
      undefined,
    ],
    [
      'generated yesterday',
      loaded('2026-11-22T23:59', { source: 'generated' }),
      '2026-11-23T00:00',
      'other_day',
    ],
  ])('%s', (_, record, now, reason) => {
    expect(staleReason(record, 'zerodha', at(now))).toBe(reason)
  })
})
