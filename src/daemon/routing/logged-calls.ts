import type { Service } from '../service.js'
import type { LoggedCall } from './mount.js'

/** Adds a request to the log that its operation names. Requests that only read never displace those of orders. */
export function logCall({ mode, orderLogs }: Service, { log, operation, ...call }: LoggedCall): void {
  const entry = {
    mode: log.into === 'orders' ? ('live' as const) : mode(),
    api_type: log.as,
    user_id: call.userId,
    request_data: call.request,
    response_data: call.response,
  }
  if (operation.changes)
    orderLogs.record({ ...entry, request_data: { ...call.request }, response_data: { ...call.response } })
  else orderLogs.recordRead(entry)
}
