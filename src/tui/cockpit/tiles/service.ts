import { useContext } from 'react'
import { SESSION_WORDS } from '../../../views/system/broker-session.js'
import { cellText } from '../../../views/table/cells.js'
import type { PanelLine } from '../../components/Panel.js'
import { QuoteBook } from '../../live/prices/quotes.js'
import type { Status } from '../../live/status.js'
import { useDaemon, useFeed, useStore } from '../../live/use-daemon.js'
import { ErrorCountFeed } from '../../logs/error-counts.js'
import { logs } from '../../logs/screen.js'
import { feedFact } from '../../shell/header-facts.js'
import { system } from '../../system/screen.js'
import { ThemeContext, type Tone } from '../../terminal/theme.js'
import { useNow } from '../../terminal/use-now.js'
import type { Tile, TileContent } from '../tile.js'

/** The stream of prices, and that of events. */
export const feeds: Tile = {
  id: 'feeds',
  title: 'Feeds',
  screen: system,
  view: 'overview',
  command: 'svc broker status',
  use: useFeeds,
}

function useFeeds(): TileContent {
  const daemon = useDaemon()
  const live = useFeed(daemon.status)
  const { kind } = useStore(daemon.connection.state)
  const now = useNow(1000)
  const { content: status, readAt } = live
  if (status === undefined) return { live: [live], lines: [] }
  const { text, tone } = feedFact(status, { now, readAt, tickedAt: daemon.part(QuoteBook).tickedAt })
  const { feed } = status
  return {
    live: [live],
    lines: [
      { text, tone },
      ...(feed === undefined
        ? [{ text: 'The price feed may not be read.' }]
        : [{ text: `${feed.reason}.${feed.symbols === 0 ? ' Key 6 watches some.' : ''}` }]),
      { label: 'events', value: kind === 'signed_out' ? 'signed out' : kind },
      ...(feed === undefined
        ? []
        : [
            { label: 'symbols', value: String(feed.symbols) },
            { label: 'lost so far', value: String(feed.losses) },
          ]),
    ],
  }
}

/** The session at the broker: its state, its end, and what to do. */
export const broker: Tile = {
  id: 'broker',
  title: 'Broker session',
  screen: system,
  view: 'overview',
  command: 'svc broker status',
  use: useBroker,
}

const TONES: Readonly<Record<Status['session']['state'], Tone>> = {
  signed_in: 'good',
  expires_soon: 'warning',
  signed_out: 'warning',
  ip_not_allowed: 'danger',
  expired: 'danger',
  refused: 'danger',
}

function useBroker(): TileContent {
  const live = useFeed(useDaemon().status)
  const { utc } = useContext(ThemeContext)
  const now = useNow(60_000)
  const { content: status } = live
  if (status === undefined) return { live: [live], lines: [] }
  const { next_step: next, reason, state, until } = status.session
  const ends = cellText(until, 'time', { human: true, utc, zone: false, now })
  return {
    live: [live],
    lines: [
      { text: `${status.broker}: ${SESSION_WORDS[state]}`, tone: TONES[state] },
      ...(until === null ? [] : [{ label: 'until', value: ends }]),
      ...(state === 'signed_in' ? [] : wordsOf([next, reason])),
      { label: 'order mode', value: status.order_mode },
    ],
  }
}

const wordsOf = (texts: readonly (string | null)[]): readonly PanelLine[] =>
  texts.flatMap((text) => (text === null ? [] : { text }))

/** What the daemon failed at. */
export const errors: Tile = {
  id: 'errors',
  title: 'Errors',
  screen: logs,
  view: 'errors',
  command: 'svc admin errors list',
  use: useErrors,
}

function useErrors(): TileContent {
  const live = useFeed(useDaemon().part(ErrorCountFeed))
  const { utc } = useContext(ThemeContext)
  const now = useNow(60_000)
  const { lastDay, lastHour, newest, total } = live.content
  if (newest === undefined) {
    return { live: [live], lines: [{ text: 'No errors. What the daemon fails at is counted here.' }] }
  }
  const at = cellText(newest.at, 'time', { human: true, utc, zone: false, now })
  return {
    live: [live],
    lines: [
      countLine('last hour', lastHour),
      countLine('24 hours', lastDay),
      { text: `${at} ${newest.message}` },
      { label: 'in the log', value: String(total) },
    ],
  }
}

const countLine = (label: string, count: number): PanelLine => ({
  label,
  value: String(count),
  tone: count > 0 ? 'danger' : undefined,
})
