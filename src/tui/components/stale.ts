import { ageText } from '../../views/text/age.js'
import type { Live } from '../live/feed.js'
import { useStaleSince } from '../live/use-is-stale.js'

/** Returns how old a content is, and why; empty while it is current. */
export function staleText({ problem, readAt }: Omit<Live<unknown>, 'content'>, now: number): string {
  if (problem === undefined) return ''
  return readAt === 0 ? 'not read' : `${ageText(now - readAt)} old: ${problem}`
}

/** Returns the same for a part of a screen; empty while the connection is lost, whose age the screen shows. */
export function useStaleText(live: Omit<Live<unknown>, 'content'>, now: number): string {
  return useStaleSince() === undefined ? staleText(live, now) : ''
}
