import { z } from 'zod'
import { holding, simulatedPosition, trade } from '../account/book-schemas.js'
import { amount, count, ok, text } from '../common/answers.js'

/** Answers of the simulated account's routes. */

export const configs = ok({
  configs: z.record(
    z.string(),
    z.strictObject({
      title: text,
      configs: z.record(
        z.string(),
        z.strictObject({ value: text, default: text, range: text, description: text }),
      ),
    }),
  ),
})

const stamp = text.nullable()
export const schedule = ok({
  data: z.strictObject({
    running: z.boolean(),
    timezone: text,
    jobs: z.array(z.strictObject({ id: text, next_run: stamp, last_due: stamp, last_run: stamp })),
  }),
})

export const pnl = ok({
  data: z.strictObject({
    summary: z.strictObject({
      total_capital: amount,
      available_balance: amount,
      used_margin: amount,
      portfolio_value: amount,
      today_realized_pnl: amount,
      positions_unrealized_pnl: amount,
      holdings_unrealized_pnl: amount,
      today_total_mtm: amount,
      all_time_realized_pnl: amount,
      total_pnl: amount,
      last_reset: text,
      reset_count: count,
    }),
    daily_pnl: z.array(
      z.strictObject({
        date: text,
        realized_pnl: amount,
        positions_unrealized_pnl: amount,
        holdings_unrealized_pnl: amount,
        total_unrealized_pnl: amount,
        total_mtm: amount,
        available_balance: amount,
        used_margin: amount,
        portfolio_value: amount,
      }),
    ),
    positions: z.array(
      z.strictObject({
        ...simulatedPosition,
        all_time_realized_pnl: amount,
        margin_blocked: amount,
        status: z.enum(['Open', 'Closed']),
        last_updated: text,
      }),
    ),
    holdings: z.array(holding),
    trades: z.array(trade),
  }),
})
