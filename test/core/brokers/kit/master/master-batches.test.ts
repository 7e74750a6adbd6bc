import { describe, expect, it } from 'vitest'
import { inParts, masterBatches } from '../../../../../src/core/brokers/kit/master/master-batches.js'
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

  const allOf = async (batches: AsyncIterable<Instrument[]>) => {
    const all: Instrument[][] = []
    for await (const batch of batches) all.push(batch)
    return all
  }

  it('that is a text comes in batches of 5,000', async () => {
    const ids = Array.from({ length: 5001 }, (_, id) => id)
    const read = (id: number) => ({ ...row, symbol: `A${id}`, token: `${id}` })
    const batches = masterBatches(recordingLogger(), { call: 'GET /master', parts: inParts(ids), read })
    expect((await allOf(batches)).map((batch) => batch.length)).toEqual([5000, 1])
  })

  it('that is no master is an error of the protocol', async () => {
    // biome-ignore lint/correctness/useYield: it fails before its first row
    function* rows(): Generator<Instrument> {
      throw new ServiceError('validation', 'no heading')
    }
    const parts = inParts(rows())
    const batches = masterBatches(recordingLogger(), { call: 'GET /master', parts, read: (each) => each })
    await expect(allOf(batches)).rejects.toMatchObject({
      kind: 'protocol',
      message: 'GET /master: no heading',
    })
  })

  it('that arrives in parts comes in batches, without what cannot be used or is listed twice', async () => {
    const log = recordingLogger()
    async function* parts() {
      for (let part = 0; part < 3; part++) yield Array.from({ length: 2000 }, (_, id) => part * 2000 + id)
      yield [1, -1, -2]
    }
    const read = (id: number) =>
      id === -1 ? undefined : id === -2 ? 'it has no symbol' : { ...row, symbol: `A${id}`, token: `${id}` }
    const batches = masterBatches(log, { call: 'GET /master', parts: parts(), read })
    expect((await allOf(batches)).map((batch) => batch.length)).toEqual([6000])
    expect(log.lines).toMatchObject([
      {
        event: 'broker.unusable_instruments',
        fields: { rows: 2, examples: ['A1 on NSE is listed twice', 'it has no symbol'] },
      },
    ])
  })

  it('comes without a second contract of a token, and keeps the token of another exchange and of a series', async () => {
    const log = recordingLogger()
    const future = { ...row, exchange: 'NFO', brokerExchange: 'NFO' } as const
    const rows: Instrument[] = [
      future,
      { ...future, symbol: 'GOLD' },
      { ...future, symbol: 'SBIN', exchange: 'BFO', brokerExchange: 'BFO' },
      { ...row, symbol: 'TCS' },
      { ...row, symbol: 'TCS-BL' },
    ]
    const batches = masterBatches(log, { call: 'GET /master', parts: inParts(rows), read: (each) => each })
    expect((await allOf(batches)).flat().map(({ symbol }) => symbol)).toEqual([
      'INFY',
      'SBIN',
      'TCS',
      'TCS-BL',
    ])
    expect(log.lines).toMatchObject([
      { fields: { rows: 1, examples: ['GOLD on NFO has the token 1 of another row of NFO'] } },
    ])
  })
})
