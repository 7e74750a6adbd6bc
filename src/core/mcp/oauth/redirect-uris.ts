import { oauthError } from './errors.js'

const MAX_URIS = 5
const MAX_LENGTH = 2000
/** Visible ASCII without what browsers read in their own way: a backslash is a slash to them. */
const PLAIN = /^[!#-;=?-[\]_a-z~]+$/
/** The hosts of programs on the user's own machine, which have no certificate. */
const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1'])

/**
 * Checks the addresses to which a client wants to be answered. Later requests must name one of them, letter by letter.
 * @throws ServiceError with the OAuth error `invalid_redirect_uri`
 */
export function checkRedirectUris(uris: readonly string[]): readonly string[] {
  if (uris.length === 0 || uris.length > MAX_URIS)
    throw refusal(`redirect_uris must have 1 to ${MAX_URIS} entries.`)
  for (const uri of uris) {
    const problem = problemOf(uri)
    if (problem !== undefined) throw refusal(problem)
  }
  return [...new Set(uris)]
}

function problemOf(uri: string): string | undefined {
  if (uri.length > MAX_LENGTH) return `redirect_uri must have at most ${MAX_LENGTH} characters.`
  if (!PLAIN.test(uri) || !URL.canParse(uri)) return 'redirect_uri must be an absolute address.'
  const { hash, hostname, password, protocol, username } = new URL(uri)
  const isHttp = protocol === 'http:'
  if (protocol !== 'https:' && !isHttp) return 'redirect_uri must be https, or http for this machine only.'
  // `https:evil.example` is an address to URL, and a relative one to others.
  if (!/^https?:\/\/[^/]/i.test(uri) || hostname === '') return 'redirect_uri must name a host.'
  if (username !== '' || password !== '' || /^https?:\/\/[^/?]*@/i.test(uri)) {
    return 'redirect_uri must not contain a user name.'
  }
  if (hash !== '' || uri.includes('#')) return 'redirect_uri must not contain a fragment.'
  if (isHttp && !LOOPBACK.has(hostname)) return 'http is allowed only for localhost and 127.0.0.1.'
  return undefined
}

const refusal = (description: string) => oauthError('invalid_redirect_uri', description)
