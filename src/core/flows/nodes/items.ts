import { isObject } from '../../validation/index.js'
import { jsonIn } from '../language/json.js'

/** Returns the objects in a list or in JSON text. One object counts as a list of one. */
export function objectsIn(saved: unknown): readonly unknown[] {
  const value = typeof saved === 'string' ? jsonIn(saved) : saved
  if (Array.isArray(value)) return value.filter(isObject)
  return isObject(value) ? [value] : []
}
