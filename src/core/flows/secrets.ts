import { ServiceError, validationError } from '../errors/index.js'
import type { SecretBox } from '../secrets/index.js'
import type { Clock } from '../time/index.js'
import type { FlowStore } from './store.js'

/** Workflows may read only environment variables with this prefix, never the service's own. */
const ENV_PREFIX = 'FLOW_'
const NAME = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$/
const MAX_LENGTH = 8192

/** The public data of a secret, without its value. */
interface SecretView {
  name: string
  updated_at: number
  updated_by: string
}

/** Values that workflows refer to as `${secret:name}`. They are encrypted on disk and never shown again. */
export class FlowSecrets {
  readonly #values = new Map<string, SecretView & { value: string | undefined }>()

  private constructor(
    private readonly store: FlowStore,
    private readonly box: SecretBox,
    private readonly clock: Clock,
    private readonly env: Readonly<Record<string, string | undefined>>,
  ) {}

  static async open(parts: {
    store: FlowStore
    box: SecretBox
    clock: Clock
    env: Readonly<Record<string, string | undefined>>
  }): Promise<FlowSecrets> {
    const secrets = new FlowSecrets(parts.store, parts.box, parts.clock, parts.env)
    for (const { name, sealed, updatedAt, updatedBy } of await parts.store.secrets()) {
      const value = parts.box.open(sealed)
      secrets.#values.set(name, { name, value, updated_at: updatedAt, updated_by: updatedBy })
    }
    return secrets
  }

  list(): SecretView[] {
    return [...this.#values.values()]
      .map(({ value: _, ...view }) => view)
      .sort((a, b) => (a.name < b.name ? -1 : 1))
  }

  /** Returns the value of a reference; undefined if it does not exist or workflows may not read it. */
  read(kind: 'env' | 'secret', name: string): string | undefined {
    if (kind === 'secret') return this.#values.get(name)?.value
    return name.startsWith(ENV_PREFIX) ? this.env[name] : undefined
  }

  /** @throws ServiceError `validation` */
  async set(name: string, value: string, by: string): Promise<void> {
    if (!NAME.test(name)) {
      throw validationError({ name: ['Must be letters, digits, dots, hyphens and underscores, at most 64.'] })
    }
    if (value === '') throw validationError({ value: ['Must not be empty.'] })
    if (value.length > MAX_LENGTH)
      throw validationError({ value: [`Longer than maximum length ${MAX_LENGTH}.`] })
    const updatedAt = this.clock.now()
    await this.store.saveSecret({ name, sealed: this.box.seal(value), updatedAt, updatedBy: by })
    this.#values.set(name, { name, value, updated_at: updatedAt, updated_by: by })
  }

  /** @throws ServiceError `not_found` */
  async remove(name: string): Promise<void> {
    if (!this.#values.has(name)) throw new ServiceError('not_found', `There is no secret '${name}'`)
    await this.store.removeSecret(name)
    this.#values.delete(name)
  }
}
