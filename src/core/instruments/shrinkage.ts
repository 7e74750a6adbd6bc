import { ServiceError } from '../errors/index.js'
import type { MasterSource } from './store.js'

/** What a master loses of an exchange when another takes its place. */
interface Loss {
  exchange: string
  loaded: number
  offered: number
}

const WORDS: Readonly<Record<MasterSource, { what: string; command: string }>> = {
  file: { what: 'The dump', command: 'svc broker sync --from FILE --force' },
  broker: { what: "The broker's download", command: 'svc broker sync --force' },
  generated: { what: 'The generated master', command: 'svc broker sync --force' },
}

/**
 * Refuses a master that lists fewer than half the instruments of any exchange the present master has, or none of
 * them: more likely a file cut short than a market that shrank. Where no exchange loses half, neither does the whole.
 * @throws ServiceError `conflict` (409) with the counts of each such exchange, also as `exchanges` of the answer
 */
export function refuseShrinking(
  loaded: Readonly<Record<string, number>>,
  offered: Readonly<Record<string, number>>,
  source: MasterSource,
): void {
  const losses = lossesIn(loaded, offered)
  if (losses.length === 0) return
  const counts = losses.map((loss) => `${loss.exchange} ${loss.loaded} → ${loss.offered}`).join(', ')
  const { what, command } = WORDS[source]
  throw new ServiceError(
    'conflict',
    `${what} lists fewer than half the instruments loaded now: ${counts} (all ${total(loaded)} → ${total(offered)}). ` +
      `The present ones stay. To load it all the same: ${command}`,
    { extra: { exchanges: losses } },
  )
}

function lossesIn(
  loaded: Readonly<Record<string, number>>,
  offered: Readonly<Record<string, number>>,
): Loss[] {
  return Object.entries(loaded)
    .map(([exchange, count]) => ({ exchange, loaded: count, offered: offered[exchange] ?? 0 }))
    .filter((loss) => loss.offered + loss.offered < loss.loaded)
}

function total(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0)
}
