import { describe, expect, it } from 'vitest'
import type { BrokerOrder } from '../../../../src/core/brokers/broker.js'
import { exchangeLedger, type FaultRule, readFaults } from '../../../../src/core/brokers/simulated/index.js'
import type { Tick } from '../../../../src/core/market/schema.js'
import { byTag } from '../by-tag.js'
import { connect, order } from './support.js'

const SBIN = { symbol: 'SBIN', exchange: 'NSE' }

describe('faults', () => {
  it.each<[FaultRule, Record<string, unknown>, orders: number]>([
    [
      { kind: 'fail', httpStatus: 429, message: 'slow down' },
      { kind: 'rate_limit', sent: 'yes', brokerStatus: 429 },
      0,
    ],
    [{ kind: 'fail', httpStatus: 503 }, { kind: 'unavailable', sent: 'yes' }, 0],
    [{ kind: 'fail', httpStatus: 400 }, { kind: 'rejected', sent: 'yes' }, 0],
    [{ kind: 'fail', httpStatus: 401 }, { kind: 'auth', sent: 'yes' }, 0],
    [{ kind: 'refuse_connection' }, { kind: 'network', sent: 'never' }, 0],
    [{ kind: 'lose_request' }, { kind: 'network', sent: 'maybe' }, 0],
    [{ kind: 'lose_answer' }, { kind: 'network', sent: 'maybe' }, 1],
  ])('%o when placing an order', async (rule, error, orders) => {
    const { client, plugin, stateDir } = connect()
    plugin.faults.set([{ on: ['place'], ...rule }])
    await expect(client.orders.place(order(), 'tag')).rejects.toMatchObject({ name: 'BrokerError', ...error })
    expect(await client.orders.list()).toHaveLength(orders)
    expect((await byTag(client, 'tag'))?.status).toBe(orders === 1 ? 'complete' : undefined)
    await client.close()
    expect((await exchangeLedger(stateDir)).filter((entry) => entry.tag === 'tag')).toHaveLength(orders)
  })

  it('follow a script: two calls pass, three fail, the rest pass', async () => {
    const { client } = connect({ faults: [{ kind: 'fail', on: ['quotes'], skip: 2, times: 3 }] })
    const outcomes: string[] = []
    for (let call = 0; call < 7; call++) {
      outcomes.push(
        await client.market.quotes([SBIN]).then(
          () => 'ok',
          () => 'failed',
        ),
      )
    }
    expect(outcomes).toEqual(['ok', 'ok', 'failed', 'failed', 'failed', 'ok', 'ok'])
  })

  it('with a probability affect the same calls in every run with the same seed', async () => {
    const run = async () => {
      const { client, plugin } = connect()
      plugin.faults.set([{ kind: 'fail', probability: 0.3 }])
      const outcomes = []
      for (let call = 0; call < 60; call++)
        outcomes.push(
          await client.market.quotes([SBIN]).then(
            () => 1,
            () => 0,
          ),
        )
      return outcomes
    }
    const first = await run()
    expect(await run()).toEqual(first)
    expect(first).toContain(0)
    expect(first).toContain(1)
  })

  it('delay a call by the clock', async () => {
    const { client, clock, plugin } = connect()
    plugin.faults.set([{ kind: 'delay', latencyMs: 5000 }])
    let answered = false
    const pending = client.market.quotes([SBIN]).then(() => {
      answered = true
    })
    await clock.advance(4999)
    expect(answered).toBe(false)
    await clock.advance(1)
    await pending
    expect(answered).toBe(true)
  })

  it('silence the feeds until they are opened again', async () => {
    const { client, clock, plugin } = connect()
    const ticks: Tick[] = []
    const updates: BrokerOrder[] = []
    const open = async () => {
      await client.ticks.open((tick) => ticks.push(tick))
      await client.orderEvents.open((update) => updates.push(update))
      client.ticks.subscribe([SBIN], 2)
    }
    await open()
    await clock.advance(2000)
    plugin.faults.dropConnections('feed')
    plugin.faults.dropConnections('orders')
    await clock.advance(5000)
    await client.orders.place(order(), 'unheard')
    expect([ticks.length, updates.length]).toEqual([2, 0])
    await open()
    await clock.advance(1000)
    await client.orders.place(order(), 'heard')
    expect([ticks.length, updates.map((update) => update.tag)]).toEqual([3, ['heard']])
  })

  it('are validated, and shown with what a rule leaves out', () => {
    expect(readFaults([{ kind: 'fail', on: ['place'], times: 2 }])).toMatchObject([
      { kind: 'fail', times: 2, skip: 0, probability: 1 },
    ])
    const { plugin } = connect()
    expect(plugin.faults.rules()).toEqual([])
    plugin.faults.set([{ kind: 'delay', latencyMs: 5 }])
    expect(plugin.faults.rules()).toMatchObject([{ kind: 'delay', latencyMs: 5, probability: 1 }])
  })

  it.each([
    ['[{"kind":"explode"}]', 'rule 1, kind: must be one of: delay, fail, '],
    ['[{"kind":"fail"},{"kind":"fail","oops":1}]', 'rule 2, oops: Unknown field.'],
    ['[{"kind":"fail","on":["place","nowhere"]}]', 'rule 1, on.1: must be one of: login, '],
    ['[{"kind":"fail","times":0,"skip":-1}]', 'rule 1, times: must be at least 1; rule 1, skip:'],
    ['["fail"]', 'rule 1: Invalid input'],
    ['{"kind":"fail"}', 'rules: Invalid input'],
  ])('%s is refused with a message that names the field', (json, words) => {
    const refused = () => readFaults(JSON.parse(json))
    expect(refused).toThrow(RangeError)
    expect(refused).toThrow(words)
    expect(refused).not.toThrow(/[\n{[]/)
  })
})
