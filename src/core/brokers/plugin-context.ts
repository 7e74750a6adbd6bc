import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { InstrumentDirectory } from '../instruments/schema.js'
import { type Logger, withFields } from '../logging/index.js'
import type { Clock } from '../time/index.js'
import type { BrokerContext, CallingMachine } from './context.js'

/** What the environments of all plugins are made of. */
export interface ContextSources {
  clock: Clock
  log: Logger
  /** Returns the master that a plugin sees: an empty one while the loaded one is another broker's, whose tokens it does not know. */
  instruments: (broker: string) => InstrumentDirectory
  /** The folder with one subfolder per plugin for its own state. */
  stateDir: string
  /** Base URLs by plugin and name, for fake servers. */
  endpoints: Readonly<Record<string, Readonly<Record<string, string>>>>
  /** See {@link BrokerContext.marketProtection}. */
  marketProtection?: number
  /** Where a broker sends the browser after its log-in page. */
  redirect?: { broker: string; url: string } | undefined
  /** See {@link BrokerContext.machine}. */
  machine?: CallingMachine | undefined
  /** Whether brokers may post updates of orders here. */
  takesPostbacks?: boolean
}

/** Returns the environment of a plugin, and makes its folder. */
export function pluginContext(
  {
    clock,
    endpoints,
    instruments,
    log,
    machine,
    marketProtection,
    redirect,
    stateDir,
    takesPostbacks = false,
  }: ContextSources,
  { id, ...own }: Pick<BrokerContext, 'budgets' | 'sessionRefused'> & { id: string },
): BrokerContext {
  const dir = join(stateDir, id)
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  return {
    clock,
    endpoints: endpoints[id] ?? {},
    get instruments() {
      return instruments(id)
    },
    log: withFields(log, { broker: id }),
    budgets: own.budgets,
    stateDir: dir,
    marketProtection,
    machine,
    redirectUrl: redirect?.broker === id ? redirect.url : undefined,
    takesPostbacks,
    sessionRefused: own.sessionRefused,
  }
}
