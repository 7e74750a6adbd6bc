/** @jsxImportSource hono/jsx */
import { istTime } from '../../../core/time/index.js'
import { Curve } from '../components/chart.js'
import { rupees } from '../components/format.js'
import { Tiles } from '../components/table.js'
import type { View } from '../page.js'

const REFRESH_SECONDS = 60

/** The day's profit and its drawdown, minute by minute. */
export const pnlView: View<'GET /pnl-tracker'> = ({ data }) => {
  const {
    current_mtm,
    drawdown_series,
    max_drawdown,
    max_mtm,
    max_mtm_time,
    min_mtm,
    min_mtm_time,
    pnl_series,
  } = data
  const body = (
    <>
      <div class="row">
        <h1>P&amp;L of the day</h1>
        <span class="quiet" data-state="" />
      </div>
      <Tiles
        facts={[
          ['Now', <Amount value={current_mtm} />],
          [`Highest${at(max_mtm_time)}`, <Amount value={max_mtm} />],
          [`Lowest${at(min_mtm_time)}`, <Amount value={min_mtm} />],
          ['Largest drawdown', <Amount value={max_drawdown} />],
        ]}
      />
      <section>
        <h2>Profit and loss, in rupees</h2>
        <Curve
          title={`Profit and loss: now ${rupees(current_mtm)}, highest ${rupees(max_mtm)}, lowest ${rupees(min_mtm)}`}
          points={pnl_series}
          tone="gain"
          timeLabel={minuteOf}
        />
      </section>
      <section>
        <h2>Drawdown, in rupees</h2>
        <Curve
          title={`Drawdown: at most ${rupees(max_drawdown)}`}
          points={drawdown_series}
          tone="loss"
          height={180}
          timeLabel={minuteOf}
        />
      </section>
      <p class="lead">
        Indian time. The same in a terminal: <code>svc pnl show</code>
      </p>
    </>
  )
  return { title: 'P&L', body, live: 'whole', refreshSeconds: REFRESH_SECONDS }
}

const at = (time: string | null) => (time === null ? '' : ` at ${time}`)
const minuteOf = (time: number) => istTime(time).slice(0, 5)

function Amount({ value }: { value: number }) {
  return <span class={value > 0 ? 'gain' : value < 0 ? 'loss' : ''}>{rupees(value)}</span>
}
