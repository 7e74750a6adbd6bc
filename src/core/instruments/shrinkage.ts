import { ServiceError } from '../errors/index.js'
import type { MasterSource } from './store.js'

/** The instrument counts of an exchange that would shrink. */
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
 * Refuses a master if any exchange would keep fewer than half of its current instruments, or none. Such a
 * master is more likely a truncated file than a market that shrank. If no exchange loses half, the whole
 * master cannot lose half either.
 * @throws ServiceError `conflict` with the counts of each such exchange, also as `exchanges` in the
 * body
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
      `The current instruments stay in use. To load it anyway: ${command}`,
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
