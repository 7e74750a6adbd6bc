import { Box, Text } from 'ink'
import { visible } from '../../cli/output/tables/cells.js'
import { ageText } from '../../cli/output/text/duration.js'
import { cut } from '../screen/fit.js'
import { useTone } from '../screen/theme.js'
import { modeName } from './account.js'
import { countAndValue } from './queue.js'
import type { Approvals } from './use-approvals.js'

/** The line that says where an approved order goes, and whether the rows below are current. */
export function Header({ approvals, width }: { approvals: Approvals; width: number }) {
  const { rows, account, problem, readAt, now } = approvals
  const tone = useTone()
  const waiting = rows.filter(({ status }) => status === 'pending')
  const mode = account === undefined ? '…' : modeName(account)
  const place = account === undefined ? '' : ` ${account.broker} ${account.order_mode} ${account.username}`
  const age = readAt === 0 ? '' : `, shown as of ${ageText(now - readAt)} ago`
  const connection = problem === undefined ? 'connected' : `NOT CONNECTED${age}: ${visible(problem)}`
  const rest = width - mode.length - 3
  return (
    <Box>
      <Text bold inverse={mode === 'LIVE'} {...tone(mode === 'LIVE' ? 'red' : 'cyan')}>
        {` ${mode} `}
      </Text>
      <Text {...tone(problem === undefined ? undefined : 'red')}>
        {cut(
          problem === undefined
            ? `${visible(place)}  ${waiting.length === 0 ? 'no order' : countAndValue(waiting)} waiting  ${connection}`
            : ` ${connection}`,
          rest,
        )}
      </Text>
    </Box>
  )
}
