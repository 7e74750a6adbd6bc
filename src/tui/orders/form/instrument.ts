import { useEffect, useState } from 'react'
import { type AnswerOf, type Body, type SvcClient, SvcError } from '../../../client/index.js'
import { isTraded, TRADED_EXCHANGES } from '../../../views/market/exchange.js'
import { useDaemon, useStore } from '../../live/use-daemon.js'

export type Instrument = AnswerOf<'symbol'>['data']
export type Exchange = Body<'symbol'>['exchange']

/** The instrument of the symbol that is typed. */
export type Looked =
  | { kind: 'none' }
  | { kind: 'looking' }
  | { kind: 'found'; instrument: Instrument }
  | { kind: 'refused'; problem: string }

export interface TypedSymbol {
  exchange: Exchange
  symbol: string
}

/** Parses `NSE:SBIN`, in any case; undefined for anything else. */
export function typedSymbol(text: string): TypedSymbol | undefined {
  const [, exchange = '', symbol = ''] = /^\s*([^:\s]+):([^:\s]+)\s*$/.exec(text.toUpperCase()) ?? []
  return isTraded(exchange) ? { exchange, symbol } : undefined
}

/** Returns why a symbol cannot be ordered as it is typed; undefined for a known one. */
export function symbolProblem(text: string, looked: Looked): string | undefined {
  if (typedSymbol(text) === undefined) {
    const [exchange = ''] = text.toUpperCase().split(':')
    const isWrong = text.includes(':') && !isTraded(exchange)
    return isWrong
      ? `${exchange} takes no orders: ${TRADED_EXCHANGES.slice(0, 6).join(', ')} …`
      : 'such as NSE:SBIN'
  }
  if (looked.kind === 'refused') return looked.problem
  return looked.kind === 'found' ? undefined : 'looking it up …'
}

/** A fast typist needs no lookup for each character. */
const PAUSE_MS = 150

/** Looks up the symbol that is typed, a short pause after the last key. */
export function useInstrument(text: string): Looked {
  const daemon = useDaemon()
  const connection = useStore(daemon.connection.state).kind
  const typed = typedSymbol(text)
  const key = typed === undefined ? '' : `${typed.exchange}:${typed.symbol}`
  const [found, setFound] = useState<{ key: string; looked: Looked }>()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key stands for the symbol; a new connection may answer
  useEffect(() => {
    if (typed === undefined) return
    let isCurrent = true
    const timer = setTimeout(() => {
      void lookUp(daemon.reader(), typed).then((looked) => isCurrent && setFound({ key, looked }))
    }, PAUSE_MS)
    return () => {
      isCurrent = false
      clearTimeout(timer)
    }
  }, [daemon, key, connection])
  if (key === '') return { kind: 'none' }
  // The answer to an earlier symbol says nothing about this one.
  return found?.key === key ? found.looked : { kind: 'looking' }
}

async function lookUp(client: SvcClient, { exchange, symbol }: TypedSymbol): Promise<Looked> {
  try {
    return { kind: 'found', instrument: (await client.call('symbol', { exchange, symbol })).data }
  } catch (thrown) {
    // Without an answer nothing is wrong with the symbol. The daemon checks the whole order before the review.
    if (!(thrown instanceof SvcError)) return { kind: 'none' }
    return {
      kind: 'refused',
      problem: thrown.status === 404 ? `no ${symbol} on ${exchange}` : thrown.message,
    }
  }
}
