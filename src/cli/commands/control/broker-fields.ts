import type { RouteAnswer } from '../../../client/endpoints.js'
import type { Context } from '../../framework/context.js'
import { CliError } from '../../framework/errors.js'
import { EXIT } from '../../framework/exit-codes.js'

export type Broker = RouteAnswer<'GET /broker/list'>['data'][number]
export type CredentialField = Broker['credential_fields'][number]
/** The fields of a log-in form that were given. The daemon checks their values. */
export type Values = Readonly<Record<string, unknown>>

/** Asks for one field, without echo if it is secret, and again while it is needed and empty. */
export async function askField(
  { io }: Pick<Context, 'io'>,
  { label, secret }: Pick<CredentialField, 'label' | 'secret'>,
  { isNeeded, signal }: { isNeeded: boolean; signal?: AbortSignal },
): Promise<string> {
  for (;;) {
    const options = { echo: !secret, ...(signal && { signal }) }
    const typed = (await io.stdin.readLine(`${label}: `, options)).trim()
    if (typed !== '' || !isNeeded) return typed
    io.stderr.write(`${label} is missing.\n`)
  }
}

/** Returns the error of a sign-in that did not come about. */
export function notSignedIn(reason: string): CliError {
  return new CliError(EXIT.refused, reason, { code: 'refused' })
}
