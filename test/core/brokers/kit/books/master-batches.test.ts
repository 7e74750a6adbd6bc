import { describe, expect, it } from 'vitest'
import { masterBatches, streamedBatches } from '../../../../../src/core/brokers/kit/books/master-batches.js'
import { ServiceError } from '../../../../../src/core/errors/index.js'
import type { Instrument } from '../../../../../src/core/instruments/schema.js'
import { recordingLogger } from '../../../logging/recording-logger.js'

describe('a master', () => {
  const row: Instrument = {
    symbol: 'INFY',
    brokerSymbol: 'INFY',
    name: 'INFY',
    exchange: 'NSE',
    brokerExchange: 'NSE',
    token: '1',
    expiry: '',
    strike: 0,
    lotSize: 1,
    instrumentType: 'EQ',
    tickSize: 0.05,
  }

  it('comes in batches of 5,000, and its unusable rows are counted', () => {
    const log = recordingLogger()
    const batches = masterBatches('GET /master', log, function* (onUnusable) {
      for (let count = 0; count < 5001; count++) {
        if (count % 1000 === 0) onUnusable()
        yield row
      }
    })
    expect([...batches].map((batch) => batch.length)).toEqual([5000, 1])
    expect(log.lines).toMatchObject([{ event: 'broker.unusable_instruments', fields: { rows: 6 } }])
  })

  it('that is no master is an error of the protocol', () => {
    const batches = masterBatches('GET /master', recordingLogger(), () => {
      throw new ServiceError('validation', 'no heading')
    })
    expect(() => [...batches]).toThrow(
      expect.objectContaining({ kind: 'protocol', message: 'GET /master: no heading' }),
    )
  })

  it('that arrives in parts comes in batches, without what cannot be used or is listed twice', async () => {
    const log = recordingLogger()
    async function* parts() {
      for (let part = 0; part < 3; part++) yield Array.from({ length: 2000 }, (_, id) => part * 2000 + id)
      yield [1, -1, -2]
    }
    const batches: Instrument[][] = []
    for await (const batch of streamedBatches(log, parts(), (id) =>
      id === -1 ? undefined : id === -2 ? 'it has no symbol' : { ...row, symbol: `A${id}` },
    ))
      batches.push(batch)
    expect(batches.map((batch) => batch.length)).toEqual([6000])
    expect(log.lines).toMatchObject([
      {
        event: 'broker.unusable_instruments',
        fields: { rows: 2, examples: ['A1 on NSE is listed twice', 'it has no symbol'] },
      },
    ])
  })
})
