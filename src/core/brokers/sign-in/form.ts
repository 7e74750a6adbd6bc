import { ServiceError } from '../../errors/index.js'
import type { CredentialField, CredentialValues } from '../auth.js'
import type { BrokerManifest } from '../broker.js'
import { type ConfiguredCredentials, withConfigured } from './configured-credentials.js'

/** A field of a log-in form as a client shows it. */
export interface ShownField extends CredentialField {
  /** True if the configuration fills it in where nobody does. */
  configured: boolean
}

/** The log-in form of one broker: its fields, with those that the configuration fills in. */
export class LogInForm {
  constructor(
    private readonly manifest: Pick<BrokerManifest, 'id' | 'displayName' | 'credentialFields'>,
    private readonly credentials: ConfiguredCredentials | undefined,
  ) {}

  /** Returns the fields, each with whether the configuration has it. */
  shown(): ShownField[] {
    const configured = this.#filled({})
    return this.manifest.credentialFields.map((field) => ({
      ...field,
      configured: configured[field.name] !== undefined,
    }))
  }

  /**
   * Returns what somebody typed, with the configured values. `step` is the part of the form that must be filled in.
   * @throws ServiceError `validation` that names the missing fields, or those of another broker
   */
  values(given: CredentialValues, step: 'begin' | 'all'): CredentialValues {
    this.#requireKnown(given)
    const filled = this.#filled(given)
    const missing = this.manifest.credentialFields.filter(
      (field) => (step === 'begin' ? field.step === 'begin' : field.required) && !filled[field.name],
    )
    if (missing.length === 0) return filled
    const names = missing.map((field) => field.name).join(', ')
    throw invalid(`Missing ${names}.`)
  }

  /** Returns the values that stay sealed in the session, so that it can be renewed unattended. */
  kept(values: CredentialValues): CredentialValues {
    const kept = this.manifest.credentialFields.filter(({ keep }) => keep === 'sealed')
    return Object.fromEntries(
      kept.flatMap(({ name }) => (values[name] === undefined ? [] : [[name, values[name]]])),
    )
  }

  /** Credentials of another broker must not look as if they had been used. */
  #requireKnown(given: CredentialValues): void {
    const { credentialFields, displayName } = this.manifest
    const known = credentialFields.map(({ name }) => name)
    const foreign = Object.keys(given).filter((name) => !known.includes(name))
    if (foreign.length === 0) return
    throw invalid(`${displayName} takes no ${foreign.join(', ')}. Its fields: ${known.join(', ') || 'none'}.`)
  }

  #filled(given: CredentialValues): CredentialValues {
    return this.credentials ? withConfigured(given, this.manifest, this.credentials) : given
  }
}

function invalid(problem: string): ServiceError {
  return new ServiceError('validation', `fields: ${problem}`, { errors: { fields: [problem] } })
}
