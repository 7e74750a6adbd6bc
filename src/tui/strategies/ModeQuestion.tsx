import { Box, Text } from 'ink'
import { visible } from '../../views/table/cells.js'
import { useKeyLayer } from '../keys/KeysProvider.js'
import { cut } from '../terminal/fit.js'
import type { Area } from '../terminal/size.js'
import type { ModePane } from './pane.js'
import type { Acting } from './use-acting.js'

interface ModeQuestionProps extends Area {
  pane: ModePane
  acting: Acting
}

/** Asks for the mode of a run. */
export function ModeQuestion({ pane, acting, width, height }: ModeQuestionProps) {
  const { row } = pane
  useKeyLayer('pane', ({ name }) => {
    if (['esc', 'q', 'n'].includes(name)) acting.cancel()
    else if (name === 's') void acting.choose(row, 'sandbox')
    else if (name === 'l') void acting.choose(row, 'live')
    return true
  })
  return (
    <Box flexDirection="column" height={height}>
      <Text bold>{cut(visible(`Start ${row.id} ${row.name}. In which mode?`), width)}</Text>
      <Text>{'  s  sandbox'}</Text>
      <Text dimColor={!row.live_enabled}>
        {row.live_enabled ? '  l  live' : `  -  live: not enabled (svc strategy live ${row.id} on)`}
      </Text>
    </Box>
  )
}
