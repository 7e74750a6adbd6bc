import { ServiceError } from '../errors/index.js'
import type { DumpParser } from '../instruments/schema.js'
import type { BrokerManifest, BrokerPlugin, FaultInjection } from './broker.js'
import type { ConfiguredCredentials } from './sign-in/configured-credentials.js'
import { LogInForm, type ShownField } from './sign-in/form.js'

/** The error text for a broker without a plugin; existing clients know it. */
export const MISSING = 'Broker-specific module not found'

/** A broker that this installation has a plugin for. */
export interface ListedBroker {
  manifest: BrokerManifest
  active: boolean
  /** The fields of its log-in form. */
  form: readonly ShownField[]
  /** Whether a person signs in at a page of the broker. */
  hasLogInPage: boolean
}

/** The plugins of this installation, by the ids of their brokers. */
export class Plugins {
  /** @param credentials fill in the fields that a log-in leaves out */
  constructor(
    readonly all: readonly BrokerPlugin[],
    private readonly credentials: ConfiguredCredentials | undefined,
  ) {}

  list(active: string): ListedBroker[] {
    return this.all.map(({ auth, manifest }) => ({
      manifest,
      hasLogInPage: auth.begin !== undefined,
      active: manifest.id === active,
      form: this.formOf(manifest).shown(),
    }))
  }

  /** Returns the log-in form of a broker. */
  formOf(manifest: BrokerManifest): LogInForm {
    return new LogInForm(manifest, this.credentials)
  }

  find(id: string): BrokerPlugin | undefined {
    return this.all.find(({ manifest }) => manifest.id === id)
  }

  /** @throws ServiceError `broker_missing` */
  get(id: string): BrokerPlugin {
    const plugin = this.find(id)
    if (!plugin) throw new ServiceError('broker_missing', MISSING)
    return plugin
  }

  /** Refuses a broker that does not exist. @throws ServiceError `not_found` */
  require(id: string): void {
    if (this.find(id)) return
    const ids = this.all.map(({ manifest }) => manifest.id).join(', ')
    throw new ServiceError('not_found', `Broker ${id} not found. Brokers: ${ids}`)
  }

  /** Returns the faults of the first broker that takes some. @throws ServiceError `unsupported` if none does */
  faults(): FaultInjection {
    const [faults] = this.all.flatMap((plugin) => plugin.faults ?? [])
    if (!faults) throw new ServiceError('unsupported', 'No broker here takes faults')
    return faults
  }

  /**
   * Returns the parser of an instrument dump for the master of a broker; by default of its first format. A broker takes only
   * dumps of its own, whose tokens it knows; one that makes its master itself takes all.
   * @throws ServiceError `validation` if the broker does not read the format, `unsupported` if it reads none
   */
  dumpParser(id: string, format?: string): DumpParser {
    const { instruments, manifest } = this.get(id)
    const readers = instruments.isGenerated ? this.all.map((plugin) => plugin.instruments) : [instruments]
    const dumps = readers.flatMap(({ dump }) => dump ?? [])
    if (dumps.length === 0) {
      throw new ServiceError(
        'unsupported',
        `${manifest.displayName} takes no dump: its instruments come from its own list (svc broker sync).`,
      )
    }
    const dump = format === undefined ? dumps[0] : dumps.find((each) => each.format === format)
    if (dump) return dump.parse
    const formats = dumps.map((each) => each.format).join(', ')
    throw new ServiceError('validation', `format: Must be one of: ${formats}.`)
  }
}
