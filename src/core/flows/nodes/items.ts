import { isObject } from '../../validation/index.js'
import { jsonIn } from '../language/json.js'

/**
 * Returns the items of a list or of JSON text, each in its place: one that is not an object, such as a reference, keeps the
 * place of the object it stands for. One object counts as a list of one.
 */
export function itemsIn(saved: unknown): readonly unknown[] {
  const value = typeof saved === 'string' ? jsonIn(saved) : saved
  if (Array.isArray(value)) return value
  return isObject(value) ? [value] : []
}
