import { describe, expect, it } from 'vitest'
import { mapped, reversed } from '../../../../../src/core/brokers/kit/books/mapping.js'
import { recordingLogger } from '../../../logging/recording-logger.js'

describe('a table of words', () => {
  const ORDER_TYPES = { MARKET: 'MKT', LIMIT: 'LMT' } as const

  it('reads in both directions', () => {
    expect(reversed<'MARKET' | 'LIMIT'>(ORDER_TYPES)).toEqual({ MKT: 'MARKET', LMT: 'LIMIT' })
  })

  it('logs a word that it lacks, also one of every object, and reads the fallback', () => {
    const log = recordingLogger()
    const table = reversed<'MARKET' | 'LIMIT'>(ORDER_TYPES)
    expect(mapped({ log }, 'type', table, 'MKT', 'LIMIT')).toBe('MARKET')
    expect(mapped({ log }, 'type', table, 'constructor', 'LIMIT')).toBe('LIMIT')
    expect(log.lines).toMatchObject([
      { event: 'broker.unknown_value', fields: { field: 'type', value: 'constructor', readAs: 'LIMIT' } },
    ])
  })
})
