import { PublicError } from '../errors/index.js'

/** A plain-text mail to one address. */
export interface Mail {
  to: string
  subject: string
  text: string
}

/** Sends mail. Callers that must not wait send in the background. */
export interface Mailer {
  /** Resolves when the server has accepted the mail. @throws MailError */
  send(mail: Mail): Promise<void>
}

/** A mail server with the account and the sender that it expects. */
export interface MailServer {
  host: string
  port: number
  /** The account to sign in with; undefined for a server that asks for none. */
  account: { username: string; password: string } | undefined
  /** `implicit` from the first byte (port 465), `starttls` required before sign-in, or `none`. */
  encryption: 'implicit' | 'starttls' | 'none'
  from: string
  /** The name that this service gives itself in EHLO. */
  heloHostname: string
}

/** The cause of a mail that was not sent. */
export type MailFault =
  /** Settings are missing, or would send mail unencrypted over a network. */
  | 'settings'
  /** An address or a subject that no mail may have. */
  | 'message'
  /** The server refused the user name and password. */
  | 'authentication'
  /** The connection could not be encrypted, or the certificate is not trusted. */
  | 'tls'
  | 'timeout'
  /** The server closed the connection before it accepted the mail. */
  | 'disconnected'
  /** No connection to the server. */
  | 'unreachable'
  /** The server answered with an error. */
  | 'refused'
  /** The service is stopping. */
  | 'stopped'

/** A mail that was not sent, or a server that cannot be used. The message never contains the password. */
export class MailError extends PublicError {
  constructor(
    readonly fault: MailFault,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options)
    this.name = 'MailError'
  }
}
