import { messageOf } from '../../errors/index.js'
import { escapeControls, maskText } from '../../logging/index.js'
import type { Clock } from '../../time/index.js'
import { type Endpoint, headStatus, inTime, tcpConnect } from './connect.js'

/** The parts of the service that the probes look at. */
export interface ProbeTargets {
  clock: Clock
  database: {
    /** The name of the file, such as `svc.db`. */
    name: string
    isThere(): boolean
    /** Runs a query. */
    query(): Promise<unknown>
  }
  /** The addresses of this service over HTTP. The first one that answers counts. */
  loopback(): readonly { url: string; via: string }[]
  /** The address of the market stream; undefined while it does not listen. */
  stream(): Endpoint | undefined
  broker(): BrokerTarget
}

interface BrokerTarget {
  id: string
  /** Whether it has a session, even if connecting with it failed. */
  hasSession: boolean
  /** The host of its API; undefined for a broker in this process. */
  host: string | undefined
}

type ProbeId = 'database' | 'loopback' | 'stream' | 'broker'

export interface ProbeResult {
  id: ProbeId
  name: string
  ok: boolean
  /** How long it took; null if there was nothing to measure. */
  ms: number | null
  detail: string
}

interface Probe {
  id: ProbeId
  name(targets: ProbeTargets): string
  /**
   * Runs the probe and returns its finding.
   * @throws Error with the reason why the probe failed
   */
  run(targets: ProbeTargets): Promise<string | Skipped>
}

/** A probe that found nothing to measure. */
class Skipped {
  constructor(
    readonly ok: boolean,
    readonly detail: string,
  ) {}
}

const HTTPS_PORT = 443
const MAX_DETAIL = 200
const LIMIT_MS = { database: 2000, loopback: 3000, stream: 2000, broker: 3000 } as const

/** The probes of the service, in the order in which they run. `svc doctor` runs the same ones. */
const PROBES: readonly Probe[] = [
  {
    id: 'database',
    name: ({ database }) => `DB read (${database.name})`,
    async run({ clock, database }) {
      if (!database.isThere()) return new Skipped(false, 'Not found')
      await inTime(LIMIT_MS.database, clock, async () => database.query())
      return 'OK'
    },
  },
  { id: 'loopback', name: () => 'Loopback HTTP', run: loopback },
  {
    id: 'stream',
    name: (targets) => `WebSocket proxy ${addressOf(targets.stream())}`.trim(),
    async run(targets) {
      const endpoint = targets.stream()
      if (endpoint === undefined) return new Skipped(false, 'Not listening')
      await inTime(LIMIT_MS.stream, targets.clock, (signal) => tcpConnect(endpoint, signal))
      return 'TCP connect OK'
    },
  },
  {
    id: 'broker',
    name: (targets) => {
      const { hasSession, host, id } = targets.broker()
      return `Broker reachability${hasSession ? ` (${id}${host === undefined ? '' : ` → ${host}`})` : ''}`
    },
    run: brokerReachability,
  },
]

/** Runs all probes, one after another, so that none of them slows another down. */
export async function runProbes(targets: ProbeTargets): Promise<ProbeResult[]> {
  const results: ProbeResult[] = []
  for (const probe of PROBES) results.push(await resultOf(probe, targets))
  return results
}

async function resultOf(probe: Probe, targets: ProbeTargets): Promise<ProbeResult> {
  const { clock } = targets
  const named = { id: probe.id, name: probe.name(targets) }
  const startedAt = clock.monotonic()
  const ms = () => Math.round((clock.monotonic() - startedAt) * 100) / 100
  try {
    const found = await probe.run(targets)
    return found instanceof Skipped
      ? { ...named, ok: found.ok, ms: null, detail: found.detail }
      : { ...named, ok: true, ms: ms(), detail: found }
  } catch (error) {
    return { ...named, ok: false, ms: ms(), detail: reasonOf(error) }
  }
}

/** Any status below 500 shows that the service answers. */
async function loopback({ clock, loopback }: ProbeTargets): Promise<string | Skipped> {
  let failure: unknown
  for (const { url, via } of loopback()) {
    try {
      const status = await inTime(LIMIT_MS.loopback, clock, (signal) => headStatus(url, signal))
      if (status < 500) return `Answers (${via})`
      failure = new Error(`HTTP ${status} (${via})`)
    } catch (error) {
      failure = error
    }
  }
  if (failure === undefined) return new Skipped(false, 'Not listening')
  throw failure
}

async function brokerReachability({ broker, clock }: ProbeTargets): Promise<string | Skipped> {
  const { hasSession, host } = broker()
  if (!hasSession) return new Skipped(false, 'No active broker session')
  if (host === undefined) return new Skipped(true, 'Runs in this process')
  // Only the host of the plugin, or of BROKER_ENDPOINTS, is called; a request never names it.
  const [name = '', port] = host.split(/:(?=\d+$)/)
  const endpoint = { host: name.replace(/^\[|\]$/g, ''), port: Number(port ?? HTTPS_PORT) }
  await inTime(LIMIT_MS.broker, clock, (signal) => tcpConnect(endpoint, signal))
  return `TCP/${endpoint.port} connect OK`
}

const addressOf = (endpoint: Endpoint | undefined): string =>
  endpoint === undefined ? '' : `${endpoint.host}:${endpoint.port}`

/** A failure to connect to several addresses has a code, but no message. */
function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'failed'
  return escapeControls(maskText(messageOf(error) || code)).slice(0, MAX_DETAIL)
}
