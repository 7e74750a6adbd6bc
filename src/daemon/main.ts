import { mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { type Config, loadConfig, secretValues } from '../core/config/index.js'
import { ServiceError } from '../core/errors/index.js'
import { createLogger, type LogOutput } from '../core/logging/index.js'
import { type Clock, SystemClock } from '../core/time/index.js'
import { finishInterrupted } from './process/key-change.js'
import type { Ports } from './process/listening-ports.js'
import { HomeLock } from './process/lock.js'
import { ProcessFaults } from './process/process-faults.js'
import { startFailure } from './process/start-failure.js'
import type { RunningDaemon } from './serve.js'
import { openStores } from './service/stores.js'

/** The files of a home without which no daemon starts. A damaged `logs.db` is set aside instead. */
const FILES = [
  'config.env',
  'daemon.lock',
  'daemon.json',
  ...['svc.db', 'sandbox.db'].flatMap((name) => [name, `${name}-wal`, `${name}-shm`]),
]

/**
 * Refuses a home in which a folder has the name of a file, as a failed copy or a container mount leaves it.
 * @throws ServiceError `storage_full` that names the folder
 */
function refuseFolders(home: string): void {
  for (const name of FILES) {
    const path = join(home, name)
    if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) continue
    throw new ServiceError(
      'storage_full',
      `${path} is a folder, but it must be a file. Move the folder away, put the file back if there was one, ` +
        'and start again.',
    )
  }
}

export { endAfterFailedStart } from './process/process-end.js'
export type { RunningDaemon } from './serve.js'

export interface DaemonOptions extends Ports {
  home: string
  /** Turns a line of the log into text for a terminal. Without it, standard output gets the JSON lines. */
  readable?: (line: string) => string
}

/**
 * Starts the daemon: lock the home, open and migrate the databases, bind, recover, and only then accept.
 * @throws ServiceError `conflict` when another daemon runs in this home or a port is taken, `validation` for
 * a bad configuration, `storage_full` for a disk that is full, read-only or failing, or a damaged file
 */
export async function startDaemon(options: DaemonOptions): Promise<RunningDaemon> {
  // The clock's timers keep no process alive. Without this one a start that waits for its broker would end
  // silently.
  const awake = setInterval(() => undefined, 60_000)
  try {
    return await start(options)
  } catch (error) {
    throw startFailure(error, options.home)
  } finally {
    clearInterval(awake)
  }
}

async function start(options: DaemonOptions): Promise<RunningDaemon> {
  const { home } = options
  // No other user may read the databases and logs.
  process.umask(0o077)
  mkdirSync(home, { recursive: true, mode: 0o700 })
  refuseFolders(home)
  const clock: Clock = new SystemClock()
  const lock = await HomeLock.acquire(home, clock)
  await finishInterrupted(home)
  const { values: config, warnings } = loadConfig({ home, env: process.env })
  const logs = openLogs(options, config, clock)
  const { log } = logs
  for (const warning of warnings) log.warn('config.warning', { warning })
  const faults = new ProcessFaults(logs)

  const [stores, { serve }] = await Promise.all([openStores({ home, config, clock, log, lock }), theRest()])
  return serve({ home, ports: options, config, clock, stores, lock, logs, faults })
}

/** The parts of the program that a start can load one by one, each after those that it uses. */
const PARTS: readonly (() => Promise<unknown>)[] = [
  () => import('../core/settings/index.js'),
  () => import('../core/calendar/index.js'),
  () => import('../core/instruments/index.js'),
  () => import('../core/identity/index.js'),
  () => import('../core/market/index.js'),
  () => import('../core/brokers/index.js'),
  () => import('../core/sandbox/index.js'),
  () => import('../core/orders/index.js'),
  () => import('../core/mcp/index.js'),
  () => import('../core/strategies/index.js'),
  () => import('../core/flows/index.js'),
  () => import('./operations/index.js'),
  () => import('./service.js'),
]

/**
 * Loads the rest of the program, part by part. A thread checks the databases and another derives the keys meanwhile, but
 * each of their steps begins in the event loop.
 */
async function theRest() {
  for (const load of PARTS) {
    await load()
    await setImmediate()
  }
  return import('./serve.js')
}

function openLogs({ home, readable }: DaemonOptions, config: Config, clock: Clock): LogOutput {
  return createLogger(
    {
      home,
      level: config.LOG_LEVEL,
      dir: config.LOG_DIR,
      toFile: config.LOG_TO_FILE,
      retention: config.LOG_RETENTION,
      secrets: secretValues(config),
      ...(readable && { readable }),
    },
    clock,
  )
}
