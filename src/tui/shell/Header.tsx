import { Box, Text } from 'ink'
import type { ScreenId } from '../../views/screens.js'
import { visible } from '../../views/table/cells.js'
import { shownKey } from '../keys/bindings.js'
import { useKeyMap } from '../keys/KeysProvider.js'
import { QuoteBook } from '../live/prices/quotes.js'
import type { Status } from '../live/status.js'
import { useDaemon, useFeed, useStore } from '../live/use-daemon.js'
import type { Screen } from '../screen/screen.js'
import { cut } from '../terminal/fit.js'
import { PaintedLine } from '../terminal/PaintedLine.js'
import { useNow } from '../terminal/use-now.js'
import { fittingFacts, headerFacts } from './header-facts.js'
import { SIGN_IN } from './keys.js'
import { numberOf, SCREENS } from './screens.js'

/** The lines of the header. */
export const HEADER_LINES = 2
/** The cells for the name of a context; the facts need the rest. */
const MOST_OF_NAME = 20

interface HeaderProps {
  screen: ScreenId
  width: number
}

/** The first lines: where orders go and whether it is safe to trade, then the screens. */
export function Header({ screen, width }: HeaderProps) {
  const daemon = useDaemon()
  const { content: status, readAt, problem } = useFeed(daemon.status)
  const connection = useStore(daemon.connection.state)
  const now = useNow(1000)
  const mode = status === undefined ? '…' : status.analyze_mode ? 'ANALYZE' : 'LIVE'
  const isLive = mode === 'LIVE'
  const signInKey = shownKey(SIGN_IN, useKeyMap())
  const { tickedAt } = daemon.part(QuoteBook)
  const isFailing = problem !== undefined
  const all = headerFacts(status, connection, { now, readAt, tickedAt, signInKey, isFailing })
  const { context } = daemon.access
  const name = context === undefined ? '' : ` ${cut(visible(context.name), MOST_OF_NAME)} `
  const facts = fittingFacts(all, width - mode.length - 2 - name.length)
  return (
    <Box flexDirection="column" height={HEADER_LINES}>
      <PaintedLine
        parts={[
          { text: ` ${mode} `, isBold: true, isInverse: isLive, tone: isLive ? 'danger' : 'accent' },
          { text: name, isBold: true, isInverse: true, colour: context?.colour },
          ...facts.map(({ text, tone, isLoud = false }) => ({
            text: ` ${text} `,
            isBold: isLoud,
            isInverse: isLoud,
            tone,
          })),
        ]}
        width={width}
      />
      <Tabs screen={screen} width={width} status={status} />
    </Box>
  )
}

interface TabsProps extends HeaderProps {
  status: Status | undefined
}

/** The screens with their number keys. */
function Tabs({ screen, width, status }: TabsProps) {
  const all = SCREENS.map((one) => tabOf(one, status))
  const tabs = fittingFacts(all, width, TAB_SPACE)
  return (
    <Text wrap="truncate">
      {tabs.map(({ id, text }) => (
        <Text key={id} bold={id === screen} inverse={id === screen} dimColor={id !== screen}>
          {cut(text, width)}
        </Text>
      ))}
    </Text>
  )
}

/** The space before a title is a part of it: it is inverse too. */
const TAB_SPACE = 0

function tabOf(screen: Screen, status: Status | undefined) {
  const { id, title, short = title } = screen
  const badge = status === undefined ? 0 : (screen.badge?.(status) ?? 0)
  const textOf = (name: string) => ` ${numberOf(screen)} ${name}${badge > 0 ? `(${badge})` : ''}`
  return { id, text: textOf(title), short: textOf(short) }
}
