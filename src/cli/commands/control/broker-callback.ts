import type { RouteAnswer } from '../../../client/endpoints.js'
import { visible } from '../../../views/table/cells.js'
import type { Context } from '../../framework/context.js'
import { CliError } from '../../framework/errors.js'
import { EXIT } from '../../framework/exit-codes.js'

export type Broker = RouteAnswer<'GET /broker/list'>['data'][number]
type CredentialField = Broker['credential_fields'][number]
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
function notSignedIn(reason: string): CliError {
  return new CliError(EXIT.refused, reason, { code: 'refused' })
}

type Begun = RouteAnswer<'POST /broker/login/begin'>['data']

const LOOK_MS = 1000

/**
 * Shows the log-in page of the broker and waits until its callback has reached the daemon, or the person pastes what it holds.
 * @returns the pasted fields; undefined if the callback signed in
 * @throws CliError if the broker refused it, or its time is over
 */
export async function awaitCallback(
  context: Context,
  broker: Broker,
  fields: Values,
): Promise<Values | undefined> {
  const { body } = await context.change('POST /broker/login/begin', { body: { fields } })
  const { address, redirect_url: redirect } = body.data
  context.out.note(
    `Open this address in a browser and sign in there, within ten minutes:\n\n${visible(address)}\n`,
  )
  if (redirect !== null) context.out.note(`${broker.name} then sends the browser to ${visible(redirect)}`)
  const ends = new AbortController()
  const pasted = paste(context, broker, ends.signal)
  try {
    return await Promise.race([pasted, untilCalledBack(context, body.data, ends.signal)])
  } finally {
    ends.abort(new Error('The sign-in is over.'))
    await pasted.catch(() => undefined)
  }
}

/** Resolves once the callback has signed in. It looks until the signal ends it. */
async function untilCalledBack(context: Context, { id }: Begun, ends: AbortSignal): Promise<undefined> {
  while (!ends.aborted) {
    const { stage, reason } = (await context.read('GET /broker/login/:id', { params: { id } })).body.data
    if (stage === 'signed_in') return undefined
    if (stage === 'refused') throw notSignedIn(reason ?? 'The broker refused the sign-in.')
    if (stage === 'expired') throw notSignedIn('Ten minutes are over. Begin again: svc broker login')
    await context.io.sleep(LOOK_MS)
  }
  return undefined
}

/**
 * Reads what the callback would have brought: the address that the browser was sent to, or the token of it. An empty line leads
 * to a question for each field.
 */
async function paste(context: Context, broker: Broker, signal: AbortSignal): Promise<Values> {
  const later = broker.credential_fields.filter(({ step }) => step === 'complete')
  const [first] = later
  const question =
    'Waiting for the callback. If the browser does not get here, paste the address it was sent to, or the token in it (hidden): '
  const line = (await context.io.stdin.readLine(question, { echo: false, signal })).trim()
  if (line === '') return askEach(context, later, signal)
  const found = fieldsIn(line, later)
  return found ?? (first ? { [first.name]: line } : {})
}

/** Returns the fields in the query of an address; undefined if the text is none that has them. */
function fieldsIn(text: string, fields: readonly CredentialField[]): Values | undefined {
  if (!URL.canParse(text)) return undefined
  const query = new URL(text).searchParams
  const found = fields.flatMap(({ name }) => {
    const value = query.get(name)
    return value ? [[name, value]] : []
  })
  if (found.length === 0) throw notSignedIn('This address has no token. Begin again: svc broker login')
  return Object.fromEntries(found)
}

/** Asks for the fields in turn, until one is given. */
async function askEach(
  context: Context,
  fields: readonly CredentialField[],
  signal: AbortSignal,
): Promise<Values> {
  for (const field of fields) {
    const typed = await askField(context, field, { isNeeded: false, signal })
    if (typed !== '') return { [field.name]: typed }
  }
  throw notSignedIn('No token was given: nothing was changed.')
}
