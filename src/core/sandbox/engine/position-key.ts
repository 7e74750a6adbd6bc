import { symbolKey } from '../../market/schema.js'
import type { PositionRef } from '../schema.js'

export function positionKey(ref: PositionRef): string {
  return `${symbolKey(ref)}:${ref.product}`
}
