import { ALL_OPERATION_LIST } from '../../src/daemon/operations/all.js'
import { code, table } from './table.js'

/** Returns a table of the routes that a session or a token may call, by the scopes that a token needs. */
export function routeScopes(): string {
  const byScopes = new Map<string, string[]>()
  for (const { auth, name, scopes } of ALL_OPERATION_LIST) {
    if (auth !== 'session') continue
    const needed = scopes?.map(code).join(' or ') ?? 'any token'
    byScopes.set(needed, [...(byScopes.get(needed) ?? []), code(name)])
  }
  const rows = [...byScopes].sort(([one], [other]) => one.localeCompare(other))
  return table(
    ['Scope', 'Routes'],
    rows.map(([scopes, routes]) => [scopes, routes.join(', ')]),
  )
}
