import type { SecureContextOptions } from 'node:tls'
import type SMTPConnection from 'nodemailer/lib/smtp-connection'
import type { Clock } from '../time/index.js'
import { MailError, type MailFault, type MailServer } from './schema.js'

/** The time that a server may take for one step. */
const STEP_MS = 10_000
/** The time for everything: a server that sends one byte at a time cannot hold a connection. */
const TOTAL_MS = 30_000

export interface SmtpSessionParts {
  clock: Clock
  /** Certificates to trust besides those of Node. */
  ca?: SecureContextOptions['ca']
  /** Aborts when the service stops. */
  stopping: AbortSignal
}

type Callback = (error?: Error | null) => void

/** The part of an error of nodemailer that its type leaves out. */
interface SmtpFault extends Error {
  code?: string
  responseCode?: number
  cause?: unknown
}

/**
 * Opens a connection to a mail server, signs in if it has an account, runs `work` on it and closes it.
 * @param onStep called with each step that succeeded
 * @throws MailError
 */
export async function withSmtpSession<T>(
  server: MailServer,
  parts: SmtpSessionParts,
  work: (connection: SMTPConnection) => Promise<T>,
  onStep: (step: string) => void = () => undefined,
): Promise<T> {
  // Loaded on demand: most runs of the service send no mail.
  const { default: Connection } = await import('nodemailer/lib/smtp-connection')
  const connection = new Connection(optionsOf(server, parts))
  const { promise: failed, reject: fail } = deferred()
  connection.on('error', (error: Error) => fail(mailErrorOf(error)))
  connection.on('end', () => fail(disconnected()))
  const deadline = parts.clock.setTimeout(() => fail(timedOut()), TOTAL_MS)
  const stop = () => fail(new MailError('stopped', 'The service is stopping.'))
  parts.stopping.addEventListener('abort', stop)
  try {
    if (parts.stopping.aborted) stop()
    return await Promise.race([failed, run(connection, server, work, onStep)])
  } finally {
    parts.clock.clear(deadline)
    parts.stopping.removeEventListener('abort', stop)
    connection.close()
  }
}

async function run<T>(
  connection: SMTPConnection,
  server: MailServer,
  work: (connection: SMTPConnection) => Promise<T>,
  onStep: (step: string) => void,
): Promise<T> {
  await called((done) => connection.connect(done))
  onStep(connection.secure ? 'Connected, encrypted; the certificate is valid' : 'Connected, not encrypted')
  if (server.account) {
    const auth = { user: server.account.username, pass: server.account.password }
    await called((done) => connection.login(auth, done))
    onStep('Signed in')
  }
  const result = await work(connection)
  connection.quit()
  return result
}

function optionsOf({ host, port, encryption, heloHostname }: MailServer, { ca }: SmtpSessionParts) {
  return {
    host,
    port,
    name: heloHostname,
    secure: encryption === 'implicit',
    requireTLS: encryption === 'starttls',
    ignoreTLS: encryption === 'none',
    connectionTimeout: STEP_MS,
    greetingTimeout: STEP_MS,
    socketTimeout: STEP_MS,
    dnsTimeout: STEP_MS,
    socketCloseTimeout: 1000,
    maxResponseSize: 65_536,
    tls: { minVersion: 'TLSv1.2', rejectUnauthorized: true, ...(ca !== undefined && { ca }) } as const,
  }
}

/** Turns a call with a callback into a promise. @throws MailError */
export function called(call: (done: Callback) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    call((error) => (error ? reject(mailErrorOf(error)) : resolve()))
  })
}

function deferred(): { promise: Promise<never>; reject: (error: MailError) => void } {
  let reject: (error: MailError) => void = () => undefined
  const promise = new Promise<never>((_, rejected) => {
    reject = rejected
  })
  // Nobody waits any more when the work ended first.
  promise.catch(() => undefined)
  return { promise, reject }
}

const FAULTS: Readonly<Record<string, MailFault>> = {
  EAUTH: 'authentication',
  ENOAUTH: 'authentication',
  ETLS: 'tls',
  ETIMEDOUT: 'timeout',
  ECONNECTION: 'disconnected',
  EDNS: 'unreachable',
}

/** Returns the typed error for an error of nodemailer. */
function mailErrorOf(error: SmtpFault): MailError {
  if (error instanceof MailError) return error
  const fault = faultOf(error)
  if (fault === 'timeout') return timedOut(error)
  if (fault === 'disconnected') return disconnected(error)
  if (fault === 'authentication') {
    const text = 'SMTP Authentication failed. Please check your username and password.'
    return new MailError(fault, text, { cause: error })
  }
  const kind = fault === 'tls' ? 'TLS' : 'SMTP'
  return new MailError(fault, `${kind} Error: ${error.message}`, { cause: error })
}

function faultOf(error: SmtpFault): MailFault {
  const known = FAULTS[error.code ?? '']
  // A server that ends the session with an answer refused the mail; without an answer it hung up.
  if (known === 'disconnected' && error.responseCode !== undefined) return 'refused'
  if (known !== undefined) return known
  if (error.code !== 'ESOCKET') return 'refused'
  return isCertificateFault(error) ? 'tls' : socketFaultOf(error)
}

/** Errors of OpenSSL and of the check of the certificate have these codes or names. */
function isCertificateFault(error: SmtpFault): boolean {
  return (
    /CERT|SSL|TLS|SELF_SIGNED|UNABLE_TO|ALTNAME/i.test(rootCodeOf(error)) ||
    /certificate/i.test(error.message)
  )
}

function socketFaultOf(error: SmtpFault): MailFault {
  return /ECONNRESET|EPIPE/.test(rootCodeOf(error)) ? 'disconnected' : 'unreachable'
}

/** Returns the code of the socket's own error, which nodemailer keeps as the cause. */
function rootCodeOf({ cause, code = '', message }: SmtpFault): string {
  if (cause instanceof Error && 'code' in cause) return String(cause.code)
  return code === 'ESOCKET' ? message : code
}

function timedOut(cause?: unknown): MailError {
  return new MailError('timeout', 'The SMTP server did not answer in time.', { cause })
}

function disconnected(cause?: unknown): MailError {
  const text = 'SMTP Server disconnected. Please check your server settings.'
  return new MailError('disconnected', text, { cause })
}
