import type { RouteName } from '../../../client/endpoints.js'

/**
 * What a change does to an account whose orders are live: it sends an order (`order`), starts something that will send
 * orders by itself (`start`), changes what may trade (`change`), or only takes risk away (`less`).
 */
export type LiveEffect = 'order' | 'start' | 'change' | 'less'

/** Every route that touches live trading. All other changes are announced nowhere. */
const EFFECTS = {
  'POST /api/v1/placeorder': 'order',
  'POST /api/v1/placesmartorder': 'order',
  'POST /api/v1/basketorder': 'order',
  'POST /api/v1/splitorder': 'order',
  'POST /api/v1/optionsorder': 'order',
  'POST /api/v1/optionsmultiorder': 'order',
  'POST /api/v1/modifyorder': 'order',
  'POST /api/v1/placegttorder': 'order',
  'POST /api/v1/modifygttorder': 'order',
  'POST /api/v1/cancelorder': 'less',
  'POST /api/v1/cancelallorder': 'less',
  'POST /api/v1/cancelgttorder': 'less',
  'POST /api/v1/closeposition': 'less',
  'POST /api/v1/strategy/start': 'start',
  'POST /api/v1/strategy/stop': 'less',
  'POST /api/v1/strategy/close_all': 'less',
  'POST /api/v1/strategy/close_leg': 'less',
  'POST /action-center/approve/:id': 'order',
  'POST /action-center/approve-all': 'order',
  'POST /action-center/approve-all/:id': 'order',
  'POST /action-center/reject/:id': 'less',
  'POST /flow/api/apply': 'change',
  'POST /flow/api/run': 'start',
  'POST /flow/api/executions/:id/cancel': 'less',
  'PUT /flow/api/workflows/:id': 'change',
  'DELETE /flow/api/workflows/:id': 'less',
  'POST /flow/api/workflows/:id/activate': 'start',
  'POST /flow/api/workflows/:id/deactivate': 'less',
  'POST /flow/api/workflows/:id/execute': 'start',
  'POST /flow/api/workflows/:id/replace': 'change',
  'POST /flow/api/workflows/:id/rollback': 'change',
  'POST /flow/api/workflows/:id/webhook/enable': 'change',
  'POST /flow/api/workflows/:id/webhook/disable': 'less',
  'POST /strategy/api/apply': 'change',
  'PATCH /strategy/api/strategies/:id': 'change',
  'DELETE /strategy/api/strategies/:id': 'less',
  'POST /strategy/api/strategies/:id/start': 'start',
  'POST /strategy/api/strategies/:id/stop': 'less',
  'POST /strategy/api/strategies/:id/close_all': 'less',
  'POST /strategy/api/strategies/:id/legs/:leg/close': 'less',
  'POST /strategy/api/strategies/:id/kill_switch': 'less',
  'POST /strategy/api/strategies/:id/live': 'change',
  'POST /strategy/api/strategies/:id/unlock_webhook': 'change',
  'POST /strategy/api/strategies/:id/runs/:run/release': 'change',
  'POST /apikey/mode': 'change',
  'POST /broker/use': 'change',
  'POST /broker/logout': 'change',
  'POST /orders/journal/:ref/settle': 'change',
  'PUT /risk': 'change',
} as const satisfies Partial<Record<RouteName, LiveEffect>>

const PATTERNS = Object.entries(EFFECTS).map(([route, effect]): [RegExp, LiveEffect] => [
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
