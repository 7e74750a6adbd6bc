import { expect, test } from 'vitest'
import { ALL_OPERATION_LIST, type NamedOperation } from '../../src/daemon/operations/all.js'
import { bearer, HttpDesk } from '../support/desk/http-desk.js'
import { PUBLIC_URL } from '../support/oauth/parties.js'

/** Pages and proxies add keys to a URL, such as `_` against caches. */
const FOREIGN = { _: '1', utm_source: 'mail', apikey2: 'x' }

/**
 * They succeed only with values of their own: WhatsApp confirms its webhook with its token, consent names a client, and
 * the stream of an assistant needs an access token.
 */
const OWN: ReadonlySet<string> = new Set(['GET /whatsapp/webhook', 'GET /oauth/authorize', 'GET /mcp'])

/** Returns the path of an operation with a valid query, and more keys in it. */
function asked({ example, path, query }: NamedOperation, more: Record<string, string>): string {
  const known = query ? Object.entries((example ?? {}) as Record<string, unknown>) : []
  const parameters = new URLSearchParams(more)
  for (const [key, value] of known) parameters.set(key, String(value))
  return `${path.replace(':ticker', 'NSE:SBIN').replace(/:\w+/g, '1')}?${parameters}`
}

test('every GET route answers the same with unknown keys in its query', async () => {
  // The chat of the example is linked.
  const http = await HttpDesk.open({ env: { TELEGRAM_CHATS: 'asha=123456789' } })
  await http.daemon.health.sample()
  const credentials = {
    session: bearer(await http.signIn()),
    apikey: { 'x-api-key': http.apikey },
    none: {},
  }
  await http.desk.service.mcp.changeSettings({ publicUrl: PUBLIC_URL, enabled: true })
  const gets = ALL_OPERATION_LIST.filter(({ method, name }) => method === 'GET' && !OWN.has(name))
  for (const operation of gets) {
    const headers = credentials[operation.auth]
    const plain = await http.request('GET', asked(operation, {}), { headers })
    const foreign = await http.request('GET', asked(operation, FOREIGN), { headers })
    expect([operation.name, foreign.status, foreign.code]).toEqual([operation.name, plain.status, plain.code])
    // A path without an id must succeed, or the comparison shows nothing.
    if (!operation.path.includes(':'))
      expect([operation.name, plain.status < 400]).toEqual([operation.name, true])
  }
})

test('no query schema refuses an unknown key', () => {
  for (const { name, query, example } of ALL_OPERATION_LIST) {
    const given = { ...(example as object | undefined), ...FOREIGN }
    const codes = query?.safeParse(given).error?.issues.map(({ code }) => code) ?? []
    expect([name, codes.includes('unrecognized_keys')]).toEqual([name, false])
  }
})
