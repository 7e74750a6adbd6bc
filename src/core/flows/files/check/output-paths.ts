import { didYouMean } from '../../../documents/index.js'
import type { Output } from '../../nodes/output.js'

/** The value a path leads to, or why it leads nowhere. */
export type Found = { ok: true; output: Output } | { ok: false; reason: string }

/** Follows a path into the result of a node. `name` is the variable that holds it. */
export function follow(name: string, output: Output, path: readonly (string | number)[]): Found {
  let current = output
  let walked = name
  for (const part of path) {
    if (current.type === 'any') return { ok: true, output: current }
    const next = memberOf(current, part)
    if (next === undefined) return { ok: false, reason: absence(walked, current, String(part)) }
    current = next
    walked += typeof part === 'number' ? `[${part}]` : `.${part}`
  }
  return { ok: true, output: current }
}

function memberOf(output: Output, part: string | number): Output | undefined {
  if (output.type === 'list') return typeof part === 'number' ? output.item : undefined
  if (output.type !== 'object' || typeof part === 'number') return undefined
  return Object.hasOwn(output.members, part) ? output.members[part] : undefined
}

function absence(walked: string, output: Output, part: string): string {
  if (output.type === 'list') return `"${walked}" is a list, whose first entry is "${walked}[0]".`
  if (output.type !== 'object') return `"${walked}" is ${named(output)} and has no "${part}".`
  const names = Object.keys(output.members)
  return `"${walked}" has no "${part}".${didYouMean(part, names)} It has ${names.join(', ')}.`
}

/** Returns why a value cannot stand where a number or a text is needed; undefined if it can. */
export function compound(path: string, output: Output): string | undefined {
  if (output.type === 'list') {
    return `"${path}" is a list, but a single value is needed. Its first entry is "${path}[0]".`
  }
  if (output.type !== 'object') return undefined
  const names = Object.keys(output.members)
  return `"${path}" is an object, but a single value is needed. It has ${names.join(', ')}.`
}

function named({ type }: Output): string {
  return type === 'any' ? 'anything' : `a ${type}`
}
