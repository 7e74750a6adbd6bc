import { readdirSync } from 'node:fs'
import { join } from 'node:path'

/** The databases that every home has, in the order of a backup. */
const OWN = ['svc.db', 'sandbox.db', 'logs.db'] as const
/** The databases of broker plugins, such as `brokers/simulated/exchange.db`. */
const OF_BROKER = /^brokers\/[A-Za-z0-9_-]+\/[A-Za-z0-9_-]+\.db$/

/** Returns whether a path inside a home is a database that a backup contains. */
export function isBackedUp(name: string): boolean {
  return OWN.some((own) => own === name) || OF_BROKER.test(name)
}

/** Returns the paths of a home's databases that exist, relative to the home. */
export function databasesOf(home: string): string[] {
  const inHome = namesIn(home)
  const ofBrokers = namesIn(join(home, 'brokers')).flatMap((broker) =>
    namesIn(join(home, 'brokers', broker)).map((file) => `brokers/${broker}/${file}`),
  )
  return [
    ...OWN.filter((name) => inHome.includes(name)),
    ...ofBrokers.filter((name) => OF_BROKER.test(name)).sort(),
  ]
}

/** Returns the names in a folder; none if it is missing or a file. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** The schema of a database by its name, for those that have migrations. */
export const SCHEMAS = { 'svc.db': 'svc', 'sandbox.db': 'sandbox', 'logs.db': 'logs' } as const
