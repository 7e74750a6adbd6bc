import { readFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { onTestFinished } from 'vitest'

const fixture = (name: string) => new URL(`../../fixtures/mail/${name}`, import.meta.url)
export const CERTIFICATE_FILE = fixture('localhost.pem').pathname
/** The certificate of {@link mailServer}, to be trusted by the code under test. */
export const TRUSTED = readFileSync(fixture('localhost.pem'), 'utf8')
export const TRUSTED_OTHER = readFileSync(fixture('other.pem'), 'utf8')

export const MAIL_USER = 'desk'
export const MAIL_PASSWORD = 'mail-password-1'

/** A mail as the server received it. */
export interface ReceivedMail {
  from: string
  to: string[]
  /** The header lines, unfolded. */
  headers: string[]
  text: string
}

export interface TestMailServer {
  port: number
  received: ReceivedMail[]
  /** The sign-ins that the server saw: whether the connection was encrypted then. */
  signIns: { encrypted: boolean; accepted: boolean }[]
}

interface MailServerOptions extends Omit<SMTPServerOptions, 'key' | 'cert'> {
  certificate?: 'localhost' | 'other'
}

/** Runs a real mail server on a free port until the test ends. It offers STARTTLS, or TLS with `secure`. */
export async function mailServer(options: MailServerOptions = {}): Promise<TestMailServer> {
  const { certificate = 'localhost', ...given } = options
  const received: ReceivedMail[] = []
  const signIns: TestMailServer['signIns'] = []
  const server = new SMTPServer({
    key: readFileSync(fixture(`${certificate}-key.pem`)),
    cert: readFileSync(fixture(`${certificate}.pem`)),
    authMethods: ['PLAIN', 'LOGIN'],
    logger: false,
    closeTimeout: 100,
    onAuth: ({ username, password }, session, done) => {
      const accepted = username === MAIL_USER && password === MAIL_PASSWORD
      signIns.push({ encrypted: session.secure, accepted })
      if (accepted) done(null, { user: username })
      else done(new Error('Invalid username or password'))
    },
    onData: (stream, { envelope }, done) => {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address
        const to = envelope.rcptTo.map(({ address }) => address)
        received.push({ from, to, ...parsed(Buffer.concat(chunks).toString('utf8')) })
        done()
      })
    },
    ...given,
  })
  // A client that refuses the certificate is an error for the server too.
  server.on('error', () => undefined)
  const port = await new Promise<number>((resolve) => {
    const listening = server.listen(0, '127.0.0.1', () => {
      resolve((listening.address() as AddressInfo).port)
    })
  })
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())))
  return { port, received, signIns }
}

/** Runs a TCP server that treats every connection as `serve` says, until the test ends. */
export async function rawServer(serve: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>()
  const server: Server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    serve(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  })
  return (server.address() as AddressInfo).port
}

/** Returns the first link in a mail. */
export function linkIn({ text }: Pick<ReceivedMail, 'text'>): string {
  const link = /https?:\/\/\S+/.exec(text)?.[0]
  if (link === undefined) throw new Error(`no link in: ${text}`)
  return link
}

function parsed(raw: string): Pick<ReceivedMail, 'headers' | 'text'> {
  const [head = '', ...rest] = raw.split('\r\n\r\n')
  const headers = head.replaceAll(/\r\n[ \t]+/g, ' ').split('\r\n')
  const body = rest.join('\r\n\r\n')
  const isQuoted = headers.some((line) => /^content-transfer-encoding: quoted-printable/i.test(line))
  return { headers, text: isQuoted ? unquoted(body) : body }
}

function unquoted(body: string): string {
  const joined = body.replaceAll('=\r\n', '')
  return decodeURIComponent(joined.replaceAll('%', '%25').replaceAll(/=([0-9A-F]{2})/g, '%$1'))
}
