import { ServiceError } from '../errors/index.js'
import type { Database } from '../storage/index.js'
import type { Clock } from '../time/index.js'
import { ChartStore } from './store.js'

const MAX_KEYS = 50
const MAX_KEY_LENGTH = 50
const SHOWN_OF_KEY = 20
const MAX_VALUE_LENGTH = 1_048_576

/** The preferences a charting client stores for a user: texts by key. */
export class ChartPreferences {
  readonly #store: ChartStore
  readonly #clock: Clock

  constructor(db: Database, clock: Clock) {
    this.#store = new ChartStore(db)
    this.#clock = clock
  }

  read(userId: string): Promise<Record<string, string>> {
    return this.#store.read(userId)
  }

  /**
   * Sets the given keys and keeps all others. Texts are stored unchanged, other values as JSON.
   * @throws ServiceError `validation` for no keys, too many keys, or keys or values that are too long
   */
  async merge(userId: string, preferences: Readonly<Record<string, unknown>>): Promise<void> {
    const entries = Object.entries(preferences)
    if (entries.length === 0) throw refused('No preferences provided to update')
    if (entries.length > MAX_KEYS) throw refused(`Too many preference keys (max ${MAX_KEYS})`)
    const values = entries.map(([key, value]) => [key, checkedValue(key, value)])
    await this.#store.merge(userId, Object.fromEntries(values), this.#clock.now())
  }
}

function checkedValue(key: string, value: unknown): string {
  if (key.length > MAX_KEY_LENGTH) {
    throw refused(`Preference key too long: ${key.slice(0, SHOWN_OF_KEY)}... (max ${MAX_KEY_LENGTH} chars)`)
  }
  const json = JSON.stringify(value)
  if (json.length > MAX_VALUE_LENGTH) throw refused(`Preference value too large for key: ${key} (max 1MB)`)
  return typeof value === 'string' ? value : json
}

function refused(message: string): ServiceError {
  return new ServiceError('validation', message)
}
