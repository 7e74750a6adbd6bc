import { oauthError } from './errors.js'

/** The most addresses of one client. Editors register several for each of their editions. */
const MAX_URIS = 10
const MAX_LENGTH = 2000
/** Visible ASCII without what browsers read in their own way: a backslash is a slash to them. */
const PLAIN = /^[!#-;=?-[\]_a-z~]+$/i
/** The hosts of programs on the user's own machine, which have no certificate. */
const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])
/** A host that nobody misreads: the policy of the consent page takes a comma, a semicolon and a star for its own. */
const HOST = /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])$/
/** `scheme://host/path` or `scheme:/path`: an address that an installed program has claimed (RFC 8252, 7.1). */
const PRIVATE_USE = /^[a-z][a-z0-9+.-]*:\/\/?[^/]/i
/** Schemes that a browser or the system handles itself. */
const HANDLED: ReadonlySet<string> = new Set(
  `about afp android-app blob brave callto chrome chrome-extension content data devtools edge facetime feed file filesystem
    firefox ftp ftps geo googlechrome googlechromes gopher imap intent irc itms-services jar javascript ldap ldaps magnet mailto maps market
    microsoft-edge mid moz-extension news nfs nntp opera rdp resource rtsp sftp search search-ms sip sips skype sms smb ssh steam tel telnet
    vbscript view-source vivaldi vnc webcal ws wss x-apple.systempreferences`
    .split(/\s+/)
    .map((scheme) => `${scheme}:`),
)
/** Those of Windows and its programs (`ms-msdt:`), and those that a web page may register. */
const HANDLED_KINDS = /^(?:ms-|web\+)/

/**
 * Returns the addresses to which a client may be answered, once each. Those that cannot be used are left out. A public
 * client proves itself by PKCE, so it may also have addresses with a scheme of its own.
 * @throws ServiceError with the OAuth error `invalid_redirect_uri` if none is left
 */
export function usableRedirectUris(uris: readonly string[], isPublic: boolean): readonly string[] {
  const usable = uris.filter((uri) => problemOf(uri, isPublic) === undefined)
  if (usable.length > 0) return [...new Set(usable)].slice(0, MAX_URIS)
  const [first] = uris
  throw refusal(first === undefined ? 'redirect_uris is required.' : (problemOf(first, isPublic) ?? ''))
}

/**
 * Returns whether a client has registered an address, letter by letter. A program on the user's machine takes a free port
 * for each sign-in, so the port of a loopback address does not count (RFC 8252, 7.3).
 */
export function isRegistered(uri: string, registered: readonly string[]): boolean {
  if (registered.includes(uri)) return true
  const asked = withoutLoopbackPort(uri)
  return asked !== undefined && registered.some((one) => withoutLoopbackPort(one) === asked)
}

function withoutLoopbackPort(uri: string): string | undefined {
  if (problemOf(uri, false) !== undefined) return undefined
  const { hostname, protocol } = new URL(uri)
  if (protocol !== 'http:' || !LOOPBACK.has(hostname)) return undefined
  return uri.replace(/^(http:\/\/(?:\[[^\]]*\]|[^/:?]*)):\d{0,5}(?=[/?]|$)/i, '$1')
}

function problemOf(uri: string, isPublic: boolean): string | undefined {
  if (uri.length > MAX_LENGTH) return `redirect_uri must have at most ${MAX_LENGTH} characters.`
  if (!PLAIN.test(uri) || !URL.canParse(uri)) return 'redirect_uri must be an absolute address.'
  const { hash, hostname, password, protocol, username } = new URL(uri)
  if (hash !== '' || uri.includes('#')) return 'redirect_uri must not contain a fragment.'
  if (username !== '' || password !== '' || /^[^:]*:\/\/[^/?]*@/.test(uri)) {
    return 'redirect_uri must not contain a user name.'
  }
  if (protocol !== 'https:' && protocol !== 'http:') return schemeProblem(uri, protocol, isPublic)
  // `https:evil.example` is an address to URL, and a relative one to others.
  if (!/^https?:\/\/[^/]/i.test(uri) || hostname === '') return 'redirect_uri must name a host.'
  if (!HOST.test(hostname)) return 'redirect_uri must name a host of letters, digits, dots and hyphens.'
  if (protocol === 'http:' && !LOOPBACK.has(hostname)) {
    return 'http is allowed only for localhost, 127.0.0.1 and [::1].'
  }
  return undefined
}

function schemeProblem(uri: string, protocol: string, isPublic: boolean): string | undefined {
  if (HANDLED.has(protocol) || HANDLED_KINDS.test(protocol) || !PRIVATE_USE.test(uri)) {
    return 'redirect_uri must be https, http for this machine, or the own scheme of an installed program.'
  }
  return isPublic
    ? undefined
    : 'A redirect_uri with an own scheme is for public clients (token_endpoint_auth_method none).'
}

const refusal = (description: string) => oauthError('invalid_redirect_uri', description)
