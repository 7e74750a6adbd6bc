import { Box, Text } from 'ink'
import { visible } from '../../cli/output/tables/cells.js'
import { ageText } from '../../cli/output/text/duration.js'
import { modeName } from '../live/account.js'
import type { Live } from '../live/live-feed.js'
import { cut } from '../screen/fit.js'
import { useTone } from '../screen/theme.js'

interface StatusLineProps {
  live: Pick<Live<unknown>, 'account' | 'problem' | 'readAt'>
  /** The figures of the screen, in a few words. */
  summary: string
  now: number
  width: number
}

/** The first line of a screen: where orders go, the figures, and whether what is below is current. */
export function StatusLine({ live, summary, now, width }: StatusLineProps) {
  const { account, problem, readAt } = live
  const tone = useTone()
  const mode = account === undefined ? '…' : modeName(account)
  const place = account === undefined ? '' : ` ${account.broker} ${account.order_mode} ${account.username}`
  const age = readAt === 0 ? '' : `, shown as of ${ageText(now - readAt)} ago`
  const text =
    problem === undefined
      ? `${visible(place)}  ${summary}  connected`
      : ` NOT CONNECTED${age}: ${visible(problem)}`
  return (
    <Box>
      <Text bold inverse={mode === 'LIVE'} {...tone(mode === 'LIVE' ? 'red' : 'cyan')}>
        {` ${mode} `}
      </Text>
      <Text {...tone(problem === undefined ? undefined : 'red')}>{cut(text, width - mode.length - 3)}</Text>
    </Box>
  )
}
