import { Box, Text } from 'ink'
import { visible } from '../../views/table/cells.js'
import { useDaemon, useStore } from '../live/use-daemon.js'
import { cut } from '../terminal/fit.js'
import { useTone } from '../terminal/theme.js'
import { type Doubt, Doubts } from './doubts.js'

/** The newest doubts; the rest is counted. */
const MOST = 3

/** Returns the changes in doubt, the newest first, and the lines that they take. */
export function useDoubts(): { doubts: readonly Doubt[]; lines: number } {
  const doubts = useStore(useDaemon().part(Doubts).list)
  return { doubts: doubts.toReversed(), lines: Math.min(MOST, doubts.length) }
}

/** The changes whose outcome is not known, each with the command that looks it up. */
export function DoubtLines({ doubts, width }: { doubts: readonly Doubt[]; width: number }) {
  const tone = useTone()
  const rest = doubts.length - MOST
  return (
    <Box flexDirection="column">
      {doubts.slice(0, MOST).map(({ name, check }, index) => {
        const more = index === MOST - 1 && rest > 0 ? `, and ${rest} more` : ''
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: two doubts may be alike
          <Text key={index} bold {...tone('warning')}>
            {cut(visible(`IN DOUBT ${check} (${name})${more}`), width)}
          </Text>
        )
      })}
    </Box>
  )
}
