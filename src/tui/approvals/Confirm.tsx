import { Box, Text } from 'ink'
import { visible } from '../../cli/output/tables/cells.js'
import { type Account, modeName } from '../live/account.js'
import { cut } from '../screen/fit.js'
import { useTone } from '../screen/theme.js'
import { useKeyPress } from '../screen/use-key-press.js'
import { countAndValue } from './queue.js'
import type { ScreenRow } from './row-state.js'

interface ConfirmProps {
  rows: readonly ScreenRow[]
  /** Undefined until the daemon has told mode and broker. */
  account: Account | undefined
  width: number
  height: number
  onConfirm(): void
  onCancel(): void
}

/** Asks before orders are approved: mode, broker, count, value, and the orders themselves. */
export function Confirm({ rows, account, width, height, onConfirm, onCancel }: ConfirmProps) {
  const tone = useTone()
  useKeyPress((input, key) => {
    if (input === 'y' && account !== undefined) onConfirm()
    else if (input === 'n' || input === 'q' || key.escape) onCancel()
  })
  const listed = rows.slice(0, Math.max(0, height - 3))
  const more = rows.length - listed.length
  return (
    <Box flexDirection="column" height={height}>
      <Text bold {...tone(account?.analyze_mode ? 'cyan' : 'red')}>
        {cut(`Approve ${countAndValue(rows)} ${placeOf(account)}`, width)}
      </Text>
      {listed.map((row) => (
        <Text key={row.id}>{cut(`  ${orderText(row)}`, width)}</Text>
      ))}
      <Text>{more > 0 ? `  and ${more} more` : ''}</Text>
      <Text bold>{account === undefined ? 'n cancel' : 'y approve  n cancel'}</Text>
    </Box>
  )
}

function placeOf(account: Account | undefined): string {
  if (account === undefined) return '… (asking the daemon for mode and broker)'
  return `in ${modeName(account)} mode at ${visible(account.broker)}?`
}

/** Returns an order in one line: `7 BUY 10 SBIN NSE LIMIT 812.50 MIS`. */
function orderText(row: ScreenRow): string {
  const { id, action, quantity, symbol, exchange, price_type: type, product_type: product } = row
  const price = Number(row.price) > 0 ? row.price : ''
  const parts = [id, action, quantity, symbol, exchange, type, price, product, row.trade ?? '', row.strategy]
  return visible(parts.filter((part) => part !== '').join(' '))
}
