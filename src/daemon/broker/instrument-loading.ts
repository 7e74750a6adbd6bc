import { brokerFailure } from '../../core/brokers/index.js'
import { messageOf, publicMessageOf } from '../../core/errors/index.js'
import { staleReason } from '../../core/instruments/index.js'
import { within } from '../../core/time/index.js'
import type { Service } from '../service.js'

/** The result of loading an instrument master. */
export interface SyncResult {
  count: number
  skipped: number
  rejected: readonly { line: number; reason: string }[]
}

/** The interval at which the service checks whether the master is of an earlier day. */
const CHECK_INTERVAL_MS = 15 * 60_000
/** Delays before a failed load is retried. After the last one, the next regular check is the next attempt. */
const RETRY_DELAYS_MS = [5_000, 30_000, 120_000] as const

/**
 * Loads the active broker's own instrument master. Accepts one much smaller than the current master only with
 * `force`.
 * @throws ServiceError with the broker's message when the broker refuses
 */
export async function syncFromBroker(service: Service, force = false): Promise<SyncResult> {
  const { brokers, instruments } = service
  const context = brokers.context()
  const master = brokers.plugin().instruments
  const source = master.isGenerated ? 'generated' : 'broker'
  const rows = master.download(brokers.currentSession(), context)
  const { count, dropped } = await announced(service, () =>
    instruments.replace(brokers.brokerId, source, rows, source === 'broker' && !force),
  )
  return { count, skipped: dropped, rejected: [] }
}

/**
 * Loads a dump in a broker's file format as the active broker's master. A much smaller one needs `force`.
 * @param format absent: that of the broker in use. The simulated exchange, which has none, reads the first that a plugin has
 * @throws ServiceError `unsupported` if the broker in use takes no dump
 */
export async function syncFromDump(
  service: Service,
  text: string,
  { format, force }: { format: string | undefined; force: boolean },
): Promise<SyncResult> {
  const { brokers, instruments } = service
  const parse = brokers.dumpParser(format)
  const result = await announced(service, () => instruments.importDump(text, parse, brokers.brokerId, force))
  return { count: result.count, skipped: result.dropped, rejected: result.problems }
}

/** Makes another broker the active one and loads its instruments. */
export async function useBroker(service: Service, broker: string): Promise<void> {
  await service.brokers.use(broker)
  // The embedded market may be always open, the new broker's market is not: the sandbox must adapt its
  // schedule.
  service.sandbox.reschedule()
  await refreshIfStale(service)
}

/** Signs in to the active broker and loads its instruments: orders must not use those of another broker. */
export async function signInToBroker(
  service: Service,
  credentials: Readonly<Record<string, string>>,
): Promise<void> {
  await service.brokers.login(credentials)
  await refreshIfStale(service)
}

/**
 * Completes a sign-in at a broker's log-in page with the query of its callback. The instruments load afterwards: the browser
 * does not wait for them.
 * @returns the user who began it
 */
export async function completeSignIn(
  service: Service,
  broker: string,
  query: Readonly<Record<string, string>>,
): Promise<string> {
  const user = await service.brokers.completeSignIn(broker, query)
  void refreshIfStale(service)
  return user
}

/** The longest time for which a sign-in waits for its broker. */
const RESUME_WAIT_MS = 5_000

/**
 * Connects the broker with its stored session if it is not connected, and brings its instruments up to date.
 * @returns its id when that succeeds within five seconds; a slower broker connects in the background
 */
export async function resumeBroker(service: Service): Promise<string | undefined> {
  const { brokers, clock, log } = service
  if (brokers.connected()) return undefined
  const resumed = resumedBroker(service).catch((error: unknown) => {
    log.warn('broker.resume_failed', { error: messageOf(error) })
    return undefined
  })
  return within(clock, RESUME_WAIT_MS, resumed)
}

async function resumedBroker(service: Service): Promise<string | undefined> {
  if (!(await service.brokers.resume())) return undefined
  void refreshIfStale(service)
  return service.brokers.brokerId
}

/**
 * Updates the master if it is of another day or another broker. Waits for the first master; a stale one stays
 * in use until the new one is loaded.
 */
export async function prepareInstruments(service: Service): Promise<void> {
  const first = service.instruments.status().record === undefined
  const refreshed = refreshIfStale(service)
  if (first) await refreshed
  service.clock.setInterval(() => void refreshIfStale(service), CHECK_INTERVAL_MS)
}

async function refreshIfStale(service: Service, failures = 0): Promise<void> {
  const { brokers, clock, instruments, log, stop } = service
  const { record, state } = instruments.status()
  if (state === 'loading') {
    // It may be the master of the broker that was in use before, whose download can take minutes.
    void instruments.loaded().then(() => refreshIfStale(service, failures))
    return
  }
  const reason = staleReason(record, brokers.brokerId, clock.now())
  if (!reason || !brokers.connected()) return
  try {
    await syncFromBroker(service)
  } catch (error) {
    if (stop.signal.aborted) return
    log.warn('instruments.refresh_failed', { reason, error: messageOf(error) })
    const delay = RETRY_DELAYS_MS[failures]
    if (delay !== undefined) clock.setTimeout(() => void refreshIfStale(service, failures + 1), delay)
  }
}

async function announced<T extends { count: number }>(service: Service, load: () => Promise<T>): Promise<T> {
  const broker = service.brokers.brokerId
  // The download takes minutes: at its end, another session or broker may be in use.
  const session = service.brokers.currentSession()
  try {
    const result = await load()
    service.hub.renew()
    service.bus.publish('master_contract_download', {
      broker,
      status: 'success',
      message: 'Successfully Downloaded',
    })
    return result
  } catch (error) {
    if (service.stop.signal.aborted) throw error
    const message = publicMessageOf(error)
    service.brokers.noteError(error, session)
    service.bus.publish('master_contract_download', { broker, status: 'error', message })
    throw brokerFailure(error)
  }
}
