import { CERTIFICATE_FAULTS, failureOf } from '../../client/transport/exchange.js'
import { NotProvenError } from '../../client/transport/not-proven.js'
import { RedirectError } from '../../client/transport/request.js'
import { isLocal, type Target } from '../contexts/target.js'
import { CliError } from '../framework/errors.js'
import { EXIT } from '../framework/exit-codes.js'

/** The daemon of a request, as an error names it. */
export interface AskedDaemon extends Pick<Target, 'url' | 'source' | 'context' | 'trust'> {
  /** What was to be sent there, if it was stored for the daemon whose id must be proved. */
  stored?: 'key' | 'session' | undefined
  /** The name of a context with this URL. */
  sameUrl?: string | undefined
}

/** What is said instead of an answer. */
interface Said {
  message: string
  code: string
  hint: string
}

/** The ways in which a server that speaks no TLS ends the handshake of a client that does. */
const NO_TLS: ReadonlySet<string> = new Set([
  'EPROTO',
  'ERR_SSL_WRONG_VERSION_NUMBER',
  'ERR_SSL_PACKET_LENGTH_TOO_LONG',
])

/** Returns the error of a read, or of a change that was never sent, that got no whole answer. */
export function noAnswerError(daemon: AskedDaemon, thrown: unknown): CliError {
  const { code = '', error, reason, sent } = failureOf(thrown)
  if (error instanceof NotProvenError) return notProven(daemon, error)
  const said =
    error instanceof RedirectError
      ? redirected(daemon, error.location)
      : (systemFault(daemon, code, error) ?? (sent ? broken(daemon, reason) : unreachable(daemon, reason)))
  return new CliError(EXIT.noDaemon, said.message, { code: said.code, hint: said.hint, cause: thrown })
}

/** Returns what the system says of an address or a certificate; undefined if it says something else. */
function systemFault(daemon: AskedDaemon, code: string, error: unknown): Said | undefined {
  const { url } = daemon
  const { hostname } = new URL(url)
  const certificate = CERTIFICATE_FAULTS.get(code)
  if (certificate !== undefined) return refusedCertificate(url, certificate, code, error)
  // Any other failure may have met a daemon that runs.
  if (code === 'ECONNREFUSED') return nothingListens(daemon, code)
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return {
      message: `The host name ${hostname} cannot be resolved (${code}).`,
      code: 'unknown_host',
      hint: 'Check the name in the URL, and the name server (DNS) of this machine.',
    }
  }
  if (code === 'ETIMEDOUT' && isConnect(error)) return notConnected(url, `in time (${code})`)
  if (NO_TLS.has(code) && url.startsWith('https:')) {
    return {
      message: `The server at ${url} does not speak TLS (${code}).`,
      code: 'no_tls',
      hint: 'Check the port: TLS ends at the proxy in front of the daemon. On this machine the URL begins with http://.',
    }
  }
  return undefined
}

/** Returns the error of a request that found no connection until its time was over. Nothing of it was sent. */
export function notConnectedError({ url }: AskedDaemon, seconds: number, thrown: unknown): CliError {
  const { code, hint, message } = notConnected(url, `within ${seconds} s`)
  return new CliError(EXIT.noDaemon, message, { code, hint, cause: thrown })
}

function notConnected(url: string, when: string): Said {
  return {
    message: `${url} did not take the connection ${when}.`,
    code: 'connect_timeout',
    hint: 'Check that the machine runs, and the firewalls on the way: they may drop the port.',
  }
}

const isConnect = (error: unknown) =>
  error instanceof Error && 'syscall' in error && error.syscall === 'connect'

/** Only a daemon of this machine can be started here. */
function nothingListens(daemon: AskedDaemon, code: string): Said {
  const message = `No daemon answers at ${daemon.url} (${code}).`
  if (isLocal(daemon)) return { message, code: 'no_daemon', hint: 'Start it: svc up --detach' }
  return {
    message,
    code: 'no_daemon',
    hint: `On its machine: systemctl status svc, svc status. Check the port of the URL${daemon.context === undefined ? '' : ', and a tunnel that leads there'}.`,
  }
}

function refusedCertificate(
  url: string,
  fault: 'authority' | 'name' | 'expired' | 'early' | 'revoked',
  code: string,
  error: unknown,
): Said {
  const { hostname } = new URL(url)
  const certificate = `The certificate of ${url}`
  const tls = `tls_${fault}`
  switch (fault) {
    case 'authority':
      return {
        message: `${certificate} comes from an authority that is not known here (${code}).`,
        code: tls,
        hint: 'If it is your own, name its certificate: --ca-file FILE, or SVC_CA_FILE.',
      }
    case 'name':
      return {
        message: `${certificate} is for other names than ${hostname}${namesIn(error)}.`,
        code: tls,
        hint: 'Use a name that the certificate has, or have it issued for this one.',
      }
    case 'expired':
      return {
        message: `${certificate} has expired (${code}).`,
        code: tls,
        hint: 'Renew it at the proxy in front of the daemon. If it is new, check the clock of this machine.',
      }
    case 'early':
      return {
        message: `${certificate} is not valid yet (${code}).`,
        code: tls,
        hint: 'Check the clock of this machine.',
      }
    case 'revoked':
      return { message: `${certificate} was revoked.`, code: tls, hint: 'Have a new one issued.' }
  }
}

/** Returns the names of a certificate, as its error has them. */
function namesIn(error: unknown): string {
  const cert: unknown = error instanceof Error && 'cert' in error ? error.cert : undefined
  if (typeof cert !== 'object' || cert === null || !('subjectaltname' in cert)) return ''
  const names = String(cert.subjectaltname).replaceAll(/(DNS|IP Address):/g, '')
  return ` (it has ${names.slice(0, 200)})`
}

function redirected({ url }: AskedDaemon, location: string): Said {
  const to = URL.canParse(location, url) ? new URL(location, url).origin : 'another address'
  return {
    message: `${url} redirects to ${to}; a credential does not follow a redirect.`,
    code: 'redirect',
    hint: `If the daemon is there, name it: --url ${to}`,
  }
}

function unreachable({ url }: AskedDaemon, reason: string): Said {
  return {
    message: `The address ${url} cannot be reached (${reason}).`,
    code: 'unreachable',
    hint: 'Check the network, and the address in --url, SVC_URL or the context.',
  }
}

function broken({ url }: AskedDaemon, reason: string): Said {
  return {
    message: `No whole answer came from ${url} (${reason}).`,
    code: 'broken_answer',
    hint: 'Try again. If it happens again: svc status, svc doctor',
  }
}

/** The answers of a proxy whose daemon is away. */
const PROXY_STATUSES: readonly number[] = [502, 503, 504]
/** The answer to every request of a banned client, which is no JSON and has no request id. */
export const BANNED = 'Access Denied: Your IP has been banned'

/** Returns the error of a daemon that has not proved its id: no credential was sent to it. */
function notProven(daemon: AskedDaemon, error: NotProvenError): CliError {
  const { context, source, stored, trust, url } = daemon
  if (error.status === 403 && error.text.startsWith(BANNED)) return bannedError(url)
  if (error.kind === 'silent' && PROXY_STATUSES.includes(error.status)) {
    return new CliError(EXIT.noDaemon, `The proxy at ${url} reaches no daemon (HTTP ${error.status}).`, {
      code: 'no_daemon',
      hint: 'On its machine: systemctl status svc, svc status',
      cause: error,
    })
  }
  if (error.kind === 'other' && source === 'named' && stored !== undefined) {
    return storedForAnother(daemon, stored, error)
  }
  const expected = context === undefined ? 'of this home' : `of the context ${context.name}`
  const seen =
    error.kind === 'other'
      ? `Another daemon answers at ${url}: its id is ${error.found}, and that ${expected} is ${trust.id}.`
      : error.kind === 'copied'
        ? `Another server answers at ${url}: it says the id of the daemon ${expected} and cannot prove it.`
        : `Another server answers at ${url}: it does not prove that it is the daemon ${expected} (HTTP ${error.status}).`
  return new CliError(EXIT.denied, `${seen} No credential was sent.`, {
    code: 'another_daemon',
    hint:
      context === undefined
        ? `See what listens there: svc status --url ${url}`
        : `If the daemon was replaced on purpose: svc context remove ${context.name}, then svc context add ${context.name} --url ${url}`,
    cause: error,
  })
}

/** Returns the error of an address that the user named, and that nothing is stored for. */
function storedForAnother(
  { sameUrl, trust, url }: AskedDaemon,
  stored: 'key' | 'session',
  cause: NotProvenError,
): CliError {
  const isKey = stored === 'key'
  const missing = isKey ? `No API key is known for the daemon at ${url}` : `Not signed in at ${url}`
  const variable = isKey ? 'SVC_API_KEY' : 'SVC_TOKEN'
  return new CliError(
    EXIT.denied,
    `${missing}: the stored ${stored} is for the daemon with the id ${trust.id}. No credential was sent.`,
    {
      code: 'another_daemon',
      hint:
        sameUrl === undefined
          ? `Set ${variable}, or name the daemon: svc context add NAME --url ${url}`
          : `The context ${sameUrl} has this URL: use --context ${sameUrl}; or set ${variable}.`,
      cause,
    },
  )
}

export function bannedError(url: string, response?: unknown): CliError {
  return new CliError(EXIT.denied, `The daemon at ${url} has banned your address.`, {
    code: 'forbidden',
    hint: "On the daemon's machine: svc ban list, then svc ban remove ADDRESS",
    response,
  })
}
