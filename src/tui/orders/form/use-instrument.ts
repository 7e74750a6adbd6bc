import { useEffect, useState } from 'react'
import { type SvcClient, SvcError } from '../../../client/index.js'
import { READ_LIMIT_MS } from '../../live/read-limit.js'
import { useDaemon, useStore } from '../../live/use-daemon.js'
import { type Looked, type TypedSymbol, typedSymbol } from './instrument.js'

/** A fast typist needs no lookup for each character. */
const PAUSE_MS = 150

/** Looks up the symbol that is typed, a short pause after the last key. */
export function useInstrument(text: string): Looked {
  const daemon = useDaemon()
  const connection = useStore(daemon.connection.state).kind
  const wanted = typedSymbol(text)
  const key = wanted === undefined ? '' : `${wanted.exchange}:${wanted.symbol}`
  const [found, setFound] = useState<{ key: string; looked: Looked }>()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key stands for the symbol; a new connection may answer
  useEffect(() => {
    if (wanted === undefined) return
    let isCurrent = true
    const timer = setTimeout(() => {
      void lookUp(daemon.access.client(READ_LIMIT_MS), wanted).then(
        (looked) => isCurrent && setFound({ key, looked }),
      )
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
