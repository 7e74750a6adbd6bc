import type { RouteAnswer, RouteName } from './endpoints.js'
import type { Call, HttpResponse } from './transport/exchange.js'

/** The parts of a request. A route has the parts that its row in the table of operations names. */
export interface RequestParts {
  params?: Readonly<Record<string, string>>
  query?: Readonly<Record<string, unknown>> | undefined
  body?: object | string | undefined
}

/** Returns the HTTP request to a route, without a credential. */
export function requestTo(
  route: RouteName,
  { params = {}, query = {}, body }: RequestParts,
): Pick<Call, 'method' | 'path' | 'body'> {
  const [method, pattern = ''] = route.split(' ')
  const path = pattern.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
  const given = Object.entries(query).filter(([, value]) => value !== undefined)
  const search = new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)]))
  return {
    method: methodOf(method),
    path: search.size === 0 ? path : `${path}?${search}`,
    ...(body !== undefined && { body }),
  }
}

function methodOf(word: string | undefined): Call['method'] {
  if (word === 'POST' || word === 'PUT' || word === 'PATCH' || word === 'DELETE') return word
  return 'GET'
}

/**
 * Returns a success with the type from the table of operations. The daemon's tests check its answers against
 * these schemas; the client does not check them again.
 */
export function answerTo<N extends RouteName>(_route: N, answer: HttpResponse): HttpResponse<RouteAnswer<N>> {
  const body: unknown = answer.text.startsWith('[') ? JSON.parse(answer.text) : answer.body
  return { ...answer, body: body as RouteAnswer<N> }
}
