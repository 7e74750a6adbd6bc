import stringWidth from 'string-width'
import { SESSION_WORDS } from '../../views/system/broker-session.js'
import { visible } from '../../views/table/cells.js'
import { ageText } from '../../views/text/age.js'
import type { ConnectionState } from '../live/connection.js'
import type { Status } from '../live/status.js'
import type { Tone } from '../terminal/theme.js'

/** An older tick gets a warning: the feed may have stopped. */
const FEED_OLD_S = 10
const END_NEAR_MS = 3_600_000

/** A fact of the first line. */
export interface Fact {
  text: string
  /** Its form where the line is full. */
  short?: string | undefined
  tone?: Tone
  isLoud?: boolean
}

/** The last read of the facts. */
export interface Reading {
  now: number
  readAt: number
  /** The arrival of the newest tick in this program, in milliseconds; undefined if there was none. */
  tickedAt: number | undefined
  signInKey: string
  /** True when a later read has failed. */
  isFailing: boolean
}

/** Returns the facts of the first line, the most urgent first. */
export function headerFacts(
  status: Status | undefined,
  connection: ConnectionState,
  { now, readAt, tickedAt, signInKey, isFailing }: Reading,
): readonly Fact[] {
  const facts: Fact[] = [connectionFact(connection, now, signInKey)]
  if (status === undefined) return facts
  if (isFailing && connection.kind === 'connected') {
    facts.push({ text: `facts ${ageText(now - readAt)} old`, tone: 'warning' })
  }
  facts.push(killSwitchFact(status))
  if (status.inDoubt > 0) facts.push({ text: `${status.inDoubt} in doubt`, tone: 'warning' })
  facts.push(...endFacts(status, now), placeFact(status))
  facts.push(...brokerFacts(status.session, now))
  facts.push(feedFact(status, { now, readAt, tickedAt }), { text: visible(status.user.username) })
  return facts
}

function connectionFact(connection: ConnectionState, now: number, signInKey: string): Fact {
  switch (connection.kind) {
    case 'connecting':
      return { text: 'connecting' }
    case 'connected':
      return { text: 'connected', tone: 'good' }
    case 'signed_out':
      return { text: `SIGNED OUT, ${signInKey} signs in`, tone: 'danger', isLoud: true }
    case 'lost': {
      const age = ageText(now - connection.since)
      const wait = Math.max(0, Math.ceil((connection.retryAt - now) / 1000))
      return {
        text: `NOT CONNECTED for ${age}, retry in ${wait}s`,
        short: `NOT CONNECTED ${age}, retry ${wait}s`,
        tone: 'danger',
        isLoud: true,
      }
    }
  }
}

function killSwitchFact({ killSwitch }: Status): Fact {
  return killSwitch
    ? { text: 'KILL SWITCH ON', tone: 'danger', isLoud: true }
    : { text: 'kill switch off', short: 'kill off', tone: 'muted' }
}

function placeFact({ order_mode, broker }: Status): Fact {
  const name = visible(broker)
  return { text: `${order_mode} ${name}`, short: order_mode === 'semi_auto' ? `semi ${name}` : undefined }
}

/** Names what is wrong with the session at the broker. */
function brokerFacts({ state, until }: Status['session'], now: number): readonly Fact[] {
  if (state === 'signed_in') return []
  if (state === 'expires_soon' && until !== null) {
    const age = ageText(Math.max(0, Date.parse(until) - now))
    return [{ text: `broker session ends in ${age}`, short: `broker ends ${age}`, tone: 'warning' }]
  }
  // Somebody who signed out knows it.
  if (state === 'signed_out') return [{ text: `broker ${SESSION_WORDS[state]}`, tone: 'warning' }]
  return [{ text: `BROKER ${SESSION_WORDS[state].toUpperCase()}`, tone: 'danger', isLoud: true }]
}

/** Names the end of the session or the token when it is near: a sign-in takes time that a trader may not have then. */
function endFacts({ user }: Status, now: number): readonly Fact[] {
  const left = user.expires_at === null ? Number.POSITIVE_INFINITY : Date.parse(user.expires_at) - now
  if (!(left < END_NEAR_MS)) return []
  const age = ageText(Math.max(0, left))
  return [{ text: `${user.kind} ends in ${age}`, short: `ends in ${age}`, tone: 'warning' }]
}

/** Returns the age of the newest tick that the daemon or this program has seen; undefined if there was none. */
function feedAgeMs(
  { feedAgeS }: Status,
  { now, readAt, tickedAt }: Pick<Reading, 'now' | 'readAt' | 'tickedAt'>,
): number | undefined {
  const ages = [
    ...(feedAgeS === null ? [] : [feedAgeS * 1000 + (now - readAt)]),
    ...(tickedAt === undefined ? [] : [now - tickedAt]),
  ]
  return ages.length === 0 ? undefined : Math.max(0, Math.min(...ages))
}

/** Returns the age of the newest price: every part of the program that names it takes it from here. */
export function feedFact(status: Status, reading: Pick<Reading, 'now' | 'readAt' | 'tickedAt'>): Fact {
  const { isFeedQuiet } = status
  const age = feedAgeMs(status, reading)
  if (age === undefined) return { text: 'no feed', tone: 'muted' }
  const text = `feed ${ageText(age)}`
  if (age <= FEED_OLD_S * 1000) return { text }
  return isFeedQuiet
    ? { text: `${text} idle`, short: text, tone: 'muted' }
    : { text: `${text} old`, short: text, tone: 'warning' }
}

/** A fact has a space on both sides. */
const FACT_SPACE = 2

/**
 * Returns facts, or titles, in their short forms, the last ones first, until they fit into a width.
 * @param space the cells that each of them needs beside its text
 */
export function fittingFacts<One extends Pick<Fact, 'text' | 'short'>>(
  facts: readonly One[],
  width: number,
  space = FACT_SPACE,
): readonly One[] {
  const shown = [...facts]
  const widthOfAll = () => shown.reduce((sum, { text }) => sum + stringWidth(text) + space, 0)
  for (let at = shown.length - 1; at >= 0 && widthOfAll() > width; at -= 1) {
    const fact = shown[at]
    if (fact?.short !== undefined) shown[at] = { ...fact, text: fact.short }
  }
  return shown
}
