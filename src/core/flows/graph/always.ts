import { isObject } from '../../validation/index.js'
import { branchOf, type FlowEdge } from './graph.js'

/**
 * Marks an edge out of a condition or a gate that is followed in any case on purpose. It is in `data` of the
 * edge, which belongs to editors, because other systems refuse unknown source handles.
 */
export const ALWAYS = { always: true } as const

/** Returns whether an edge says that it is meant to be followed in any case. */
export function isAlways({ sourceHandle, data }: FlowEdge): boolean {
  return branchOf(sourceHandle) === undefined && isObject(data) && data.always === true
}
