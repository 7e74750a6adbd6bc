import type { Column } from '../../../views/table/column.js'
import type { CommandSpec } from '../../framework/command/command.js'
import { EXIT } from '../../framework/exit-codes.js'
import { Output } from '../../output/output.js'
import { readDay } from './day.js'

const COLUMNS = [
  { key: 'time', kind: 'time' },
  { key: 'pnl', title: 'P&L ₹', kind: 'signed' },
  { key: 'drawdown', title: 'DRAWDOWN ₹', kind: 'signed' },
] as const satisfies readonly Column[]

export const exported: CommandSpec = {
  name: 'export',
  summary: 'Prints the profit and loss and the drawdown of each minute, as CSV unless -o says otherwise.',
  examples: ['pnl export > today.csv', 'pnl export --json', "pnl export --jq '.[-1].pnl'"],
  columns: COLUMNS,
  async run(context) {
    const { drawdown_series, pnl_series } = await readDay(context)
    const rows = pnl_series.map(({ time, value: pnl }, index) => ({
      time,
      pnl,
      drawdown: drawdown_series[index]?.value ?? 0,
    }))
    const { io, settings } = context
    const isChosen = settings.format !== undefined || settings.table !== undefined
    const out = new Output(io, isChosen ? settings : { ...settings, format: 'csv' })
    await out.list({
      rows,
      columns: COLUMNS,
      id: 'pnl',
      empty: 'Nothing to show yet: no trade or position today, or no minute since the first trade.',
    })
    return EXIT.done
  },
}
