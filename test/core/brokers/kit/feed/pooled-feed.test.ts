import { expect, it } from 'vitest'
import {
  type EndReason,
  PooledFeed,
  type Subscription,
} from '../../../../../src/core/brokers/kit/feed/pooled-feed.js'
import { BrokerSocket } from '../../../../../src/core/brokers/kit/socket/broker-socket.js'
import { InMemoryDirectory } from '../../../../../src/core/instruments/index.js'
import type { Instrument } from '../../../../../src/core/instruments/schema.js'
import { VirtualClock } from '../../../../../src/core/time/index.js'
import { recordingLogger } from '../../../logging/recording-logger.js'

const SYMBOLS = ['INFY', 'SBIN', 'TCS', 'ITC', 'LT'] as const
const instrument = (symbol: string): Instrument => ({
  symbol,
  brokerSymbol: symbol,
  name: symbol,
  exchange: 'NSE',
  brokerExchange: 'NSE',
  token: `token of ${symbol}`,
  expiry: '',
  strike: 0,
  lotSize: 1,
  instrumentType: 'EQ',
  tickSize: 0.05,
})
const refs = (...symbols: string[]) => symbols.map((symbol) => ({ symbol, exchange: 'NSE' }))

/** A feed of two connections with two instruments each. Its requests are noted by the place of their connection. */
function open() {
  const requests: string[] = []
  const sockets: BrokerSocket[] = []
  const note = (what: string, socket: BrokerSocket, subscriptions: readonly Subscription[]) => {
    const names = subscriptions.map(({ instrument: { symbol }, mode }) => `${symbol}/${mode}`)
    requests.push(`${what} at ${sockets.indexOf(socket)}: ${names.join(' ')}`)
  }
  const feed = new PooledFeed(
    { instruments: InMemoryDirectory.of(SYMBOLS.map(instrument)) },
    {
      broker: 'The broker',
      sockets: 2,
      keysEach: 2,
      keyOf: ({ token }) => token,
      connect() {
        const socket = new BrokerSocket(
          {
            clock: new VirtualClock('2025-09-12T10:00:00+05:30'),
            log: recordingLogger(),
            name: 'feed',
            address: () => 'ws://127.0.0.1:1',
            silenceLimitMs: 1000,
          },
          { onOpen: () => undefined, onBinary: () => undefined, onText: () => undefined },
        )
        sockets.push(socket)
        return socket
      },
      begin: (socket, subscriptions) => note('begin', socket, subscriptions),
      end: (socket, subscriptions, why: EndReason) => note(why, socket, subscriptions),
    },
  )
  return {
    feed,
    asked: () => requests.splice(0),
  }
}

it('subscriptions fill one connection after the other, and each ends at its own', () => {
  const { asked, feed } = open()
  feed.subscribe(refs('INFY', 'SBIN', 'TCS', 'TCS'), 1)
  expect(asked()).toEqual(['begin at 0: INFY/1 SBIN/1', 'begin at 1: TCS/1'])
  feed.unsubscribe(refs('TCS', 'INFY', 'LT'))
  expect(asked().sort()).toEqual(['gone at 0: INFY/1', 'gone at 1: TCS/1'])
  expect([feed.at(0), feed.at(1)].map((each) => each.map(({ instrument: { symbol } }) => symbol))).toEqual([
    ['SBIN'],
    [],
  ])
  expect(feed.subscription('token of SBIN')?.mode).toBe(1)
  expect(feed.subscription('token of INFY')).toBeUndefined()
})

it('a change of the mode ends the subscription in the mode before', () => {
  const { asked, feed } = open()
  feed.subscribe(refs('INFY', 'SBIN'), 1)
  asked()
  feed.subscribe(refs('INFY'), 3)
  expect(asked()).toEqual(['other_mode at 0: INFY/1', 'begin at 0: INFY/3'])
})

it('nothing changes above the limit, or with an unknown symbol', () => {
  const { asked, feed } = open()
  feed.subscribe(refs('INFY', 'SBIN', 'TCS'), 1)
  asked()
  const refused = { kind: 'unsupported', sent: 'never', message: 'The broker streams at most 4 instruments.' }
  expect(() => feed.subscribe(refs('INFY', 'ITC', 'LT'), 2)).toThrow(expect.objectContaining(refused))
  expect(() => feed.subscribe(refs('INFY', 'NOSUCH'), 2)).toThrow(
    expect.objectContaining({ kind: 'validation' }),
  )
  expect(asked()).toEqual([])
  expect(feed.subscription('token of INFY')?.mode).toBe(1)
})
