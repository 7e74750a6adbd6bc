import { validationError } from '../../../core/errors/index.js'
import { clientOrderIdField, type OrderOperationName, placesOrders } from '../../../core/orders/index.js'
import { isObject } from '../../../core/validation/index.js'

const FIELD = 'client_order_id'
const field = clientOrderIdField()

/**
 * Takes `client_order_id` out of a request that places orders, so that a repeat under the Idempotency-Key header is the
 * same request. A row of a request has no id of its own.
 * @throws ServiceError `validation` for an id that no key could be
 */
export function withoutClientId(
  operation: OrderOperationName,
  given: unknown,
): { clientOrderId: string | undefined; body: unknown } {
  if (!isObject(given) || !placesOrders(operation) || given[FIELD] === undefined) {
    return { clientOrderId: undefined, body: given }
  }
  const { [FIELD]: id, ...body } = given
  const parsed = field.safeParse(id)
  if (!parsed.success) throw validationError({ [FIELD]: parsed.error.issues.map(({ message }) => message) })
  return { clientOrderId: parsed.data, body }
}

/** Returns the key of a request, from its header or its body. @throws ServiceError `validation` if they differ */
export function oneKey(header: string | undefined, clientOrderId: string | undefined): string | undefined {
  if (header !== undefined && clientOrderId !== undefined && header !== clientOrderId) {
    throw validationError({ [FIELD]: ['Must be the same as the Idempotency-Key header, or left out.'] })
  }
  return header ?? clientOrderId
}
