import type { CredentialValues } from '../../auth.js'
import { notSent } from '../http/outcomes.js'

/** Returns a field of a sign-in that must be there. @throws BrokerError `validation`, never sent */
export function requiredField(fields: CredentialValues, name: string): string {
  const value = fields[name]?.trim() ?? ''
  if (!value) throw notSent('validation', `${name} is required.`)
  return value
}
