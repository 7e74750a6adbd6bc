import { describe, expect, it } from 'vitest'
import { BrokerError } from '../../../../../src/core/brokers/broker.js'
import { ContractSizes } from '../../../../../src/core/brokers/kit/books/contract-sizes.js'
import { Units } from '../../../../../src/core/brokers/kit/books/units.js'
import { recordingLogger } from '../../../logging/recording-logger.js'

const GOLDM = { exchange: 'MCX', name: 'GOLDM' }
const INFY = { exchange: 'NSE', name: 'INFOSYS' }

function open(inLots: readonly string[] = ['MCX']) {
  const log = recordingLogger()
  const sizes = new ContractSizes({ log }, new Units(new Set(inLots)))
  let reads = 0
  const portfolio = {
    async positions() {
      reads += 1
      sizes.isRead = true
      return []
    },
  }
  return { log, sizes, portfolio, reads: () => reads }
}

describe('the sizes of contracts', () => {
  it('are read once, and only for contracts that the broker counts in lots', async () => {
    const { portfolio, reads, sizes } = open()
    await sizes.readFor(INFY, portfolio, 'exit')
    expect(reads()).toBe(0)
    expect(() => sizes.requireSettled(GOLDM)).toThrow(
      expect.objectContaining({ kind: 'unavailable', sent: 'never' }),
    )
    await sizes.readFor(GOLDM, portfolio, 'exit')
    await sizes.readFor(GOLDM, portfolio, 'exit')
    expect(reads()).toBe(1)
    expect(() => sizes.requireSettled(GOLDM)).not.toThrow()
    expect(() => sizes.requireSettled(INFY)).not.toThrow()
  })

  it.each([0, 1, 10])('are not contradicted by a multiplier of %s', (multiplier) => {
    const { log, sizes } = open()
    sizes.note(GOLDM, multiplier)
    expect([sizes.problemOf(GOLDM), log.lines]).toEqual([undefined, []])
  })

  it('are contradicted by any other one, which is logged once and stops the contract', () => {
    const { log, sizes } = open()
    sizes.note(GOLDM, 100)
    sizes.note(GOLDM, 100)
    sizes.isRead = true
    expect(log.lines).toMatchObject([
      { event: 'broker.multiplier_differs', fields: { multiplier: 100, lot: 10 } },
    ])
    expect(() => sizes.requireSettled(GOLDM)).toThrow('differs from 10')
    expect(() => sizes.requireSettled({ ...GOLDM, name: 'SILVERM' })).not.toThrow()
  })

  it('are contradicted where the broker counts units, too', () => {
    const { sizes } = open([])
    sizes.note({ exchange: 'CDS', name: 'USDINR' }, 1000)
    expect(() => sizes.requireSettled({ exchange: 'CDS', name: 'USDINR' })).toThrow('differs from 1')
  })

  it('that cannot be read stop the order, and a refused session stays one', async () => {
    const { sizes } = open()
    const failing = (error: Error) => ({ positions: () => Promise.reject(error) })
    const lost = new BrokerError('network', 'no answer', { sent: 'maybe' })
    await expect(sizes.readFor(GOLDM, failing(lost), 'exit')).rejects.toMatchObject({
      kind: 'unavailable',
      sent: 'never',
    })
    const ended = new BrokerError('auth', 'ended', { sent: 'yes' })
    await expect(sizes.readFor(GOLDM, failing(ended), 'exit')).rejects.toBe(ended)
  })
})
