import { symbolKey } from '../../market/schema.js'
import type { PositionRef } from '../../orders/schema.js'

export function positionKey(ref: PositionRef): string {
  return `${symbolKey(ref)}:${ref.product}`
}
