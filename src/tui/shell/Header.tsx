import { Box, Text } from 'ink'
import { visible } from '../../cli/output/tables/cells.js'
import { ageText } from '../../cli/output/text/duration.js'
import { shownKey } from '../keys/bindings.js'
import { useKeyMap } from '../keys/KeysProvider.js'
import type { ConnectionState } from '../live/connection.js'
import type { Status } from '../live/status.js'
import { useDesk, useFeed, useStore } from '../live/use-desk.js'
import { cut } from '../screen/fit.js'
import { type Tone, useTone } from '../screen/theme.js'
import { useNow } from '../screen/use-now.js'
import { SIGN_IN } from './keys.js'
import type { ScreenId, ScreenSpec } from './screen-spec.js'
import { numberOf, SCREENS } from './screens.js'

/** The lines of the header. */
export const HEADER_LINES = 2
/** An older tick is named: the feed may have stopped. */
const FEED_OLD_S = 10
const END_NEAR_MS = 3_600_000
/** A wider terminal shows the whole titles of the screens. */
const WHOLE_TITLES = 100

interface HeaderProps {
  screen: ScreenId
  width: number
}

/** The first lines: where orders go and whether it is safe to trade, then the screens. */
export function Header({ screen, width }: HeaderProps) {
  const desk = useDesk()
  const { content: status, readAt, problem } = useFeed(desk.status)
  const connection = useStore(desk.connection.state)
  const now = useNow(1000)
  const mode = status === undefined ? '…' : status.analyze_mode ? 'ANALYZE' : 'LIVE'
  const tone = useTone()
  const signInKey = shownKey(SIGN_IN, useKeyMap())
  const facts = factsOf(status, connection, { now, readAt, signInKey, isFailing: problem !== undefined })
  return (
    <Box flexDirection="column" height={HEADER_LINES}>
      <Text wrap="truncate">
        <Text bold inverse={mode === 'LIVE'} {...tone(mode === 'LIVE' ? 'danger' : 'accent')}>
          {` ${mode} `}
        </Text>
        {facts.map(({ text, tone: meaning, isLoud = false }) => (
          <Text key={text} bold={isLoud} inverse={isLoud} {...tone(meaning)}>
            {` ${text} `}
          </Text>
        ))}
      </Text>
      <Tabs {...{ screen, width, status }} />
    </Box>
  )
}

interface Fact {
  text: string
  tone?: Tone
  isLoud?: boolean
}

/** The last read of the facts. */
interface Reading {
  now: number
  readAt: number
  signInKey: string
  /** True when a later read has failed. */
  isFailing: boolean
}

/** Returns the facts of the first line, the most urgent first: a narrow terminal cuts the last ones. */
export function factsOf(
  status: Status | undefined,
  connection: ConnectionState,
  { now, readAt, signInKey, isFailing }: Reading,
): readonly Fact[] {
  const facts: Fact[] = [connectionFact(connection, now, signInKey)]
  if (status === undefined) return facts
  if (isFailing && connection.kind === 'connected') {
    facts.push({ text: `facts ${ageText(now - readAt)} old`, tone: 'warning' })
  }
  if (status.killSwitch) facts.push({ text: 'KILL SWITCH ON', tone: 'danger', isLoud: true })
  if (status.inDoubt > 0) facts.push({ text: `${status.inDoubt} in doubt`, tone: 'warning' })
  facts.push(...endFacts(status, now), { text: `${status.order_mode} ${visible(status.broker)}` })
  if (!status.isBrokerConnected) facts.push({ text: 'broker signed out', tone: 'warning' })
  facts.push(feedFact(status, now - readAt), { text: visible(status.user.username) })
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
      return { text: `NOT CONNECTED for ${age}, retry in ${wait}s`, tone: 'danger', isLoud: true }
    }
  }
}

/** Names the end of the session or the token when it is near: a sign-in takes time that a trader may not have then. */
function endFacts({ user }: Status, now: number): readonly Fact[] {
  const left = user.expires_at === null ? Number.POSITIVE_INFINITY : Date.parse(user.expires_at) - now
  if (!(left < END_NEAR_MS)) return []
  return [{ text: `${user.kind} ends in ${ageText(Math.max(0, left))}`, tone: 'warning' }]
}

function feedFact({ feedAgeS }: Status, sinceReadMs: number): Fact {
  if (feedAgeS === null) return { text: 'no feed', tone: 'muted' }
  const age = feedAgeS + sinceReadMs / 1000
  return age <= FEED_OLD_S
    ? { text: 'feed live' }
    : { text: `feed ${ageText(age * 1000)} old`, tone: 'warning' }
}

interface TabsProps extends HeaderProps {
  status: Status | undefined
}

/** The screens with their number keys. */
function Tabs({ screen, width, status }: TabsProps) {
  return (
    <Text wrap="truncate">
      {SCREENS.map((one) => (
        <Text key={one.id} bold={one.id === screen} inverse={one.id === screen} dimColor={one.id !== screen}>
          {cut(tabText(one, width, status), width)}
        </Text>
      ))}
    </Text>
  )
}

function tabText(screen: ScreenSpec, width: number, status: Status | undefined): string {
  const title = width < WHOLE_TITLES ? screen.short : screen.title
  const badge = status === undefined ? 0 : (screen.badge?.(status) ?? 0)
  return ` ${numberOf(screen)} ${title}${badge > 0 ? `(${badge})` : ''}`
}
