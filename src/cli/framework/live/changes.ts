import { LIVE_EFFECTS } from '../../../client/changes.js'

/** What a change does to an account whose orders are live, as its operation says. */
export type LiveEffect = (typeof LIVE_EFFECTS)[keyof typeof LIVE_EFFECTS]

const PATTERNS = Object.entries(LIVE_EFFECTS).map(([route, effect]): [RegExp, LiveEffect] => [
  new RegExp(`^${route.replace(/:\w+/g, '[^/]+')}$`),
  effect,
])

/** Returns what a request does to a live account; undefined if it does not touch trading. */
export function liveEffect({
  body,
  method,
  path,
}: {
  method: string
  path: string
  body?: object | string | undefined
}): LiveEffect | undefined {
  const route = `${method} ${path.split('?', 1)[0]}`
  const effect = PATTERNS.find(([pattern]) => pattern.test(route))?.[1]
  // A run in the sandbox sends no order, whatever the mode of the service is.
  const isStrategy = effect === 'start' && route.includes('/strategy/')
  if (isStrategy && memberOf(body, 'mode') !== 'live') return undefined
  if (route === 'POST /flow/api/apply' && memberOf(body, 'activate') === true) return 'start'
  if (route === 'POST /flow/api/run' && memberOf(body, 'dry_run') === true) return undefined
  return effect
}

function memberOf(body: object | string | undefined, name: string): unknown {
  return typeof body === 'object' ? Reflect.get(body, name) : undefined
}
