import { fromColumn, toColumn } from '../../money/index.js'
import { allBut, insertInto } from '../../storage/index.js'
import {
  sandboxConfig,
  sandboxDailyPnl,
  sandboxFunds,
  sandboxHoldings,
  sandboxPositions,
} from '../../storage/tables/sandbox/accounts.js'
import { sandboxGtt, sandboxGttLegs } from '../../storage/tables/sandbox/gtt.js'
import { sandboxJobs } from '../../storage/tables/sandbox/jobs.js'
import { sandboxOrders, sandboxTrades } from '../../storage/tables/sandbox/orders.js'
import type {
  SandboxDailyPnl,
  SandboxFunds,
  SandboxGtt,
  SandboxGttLeg,
  SandboxHolding,
  SandboxOrder,
  SandboxPosition,
  SandboxTrade,
} from '../schema.js'

type OrderRow = typeof sandboxOrders.$inferSelect
type FundsRow = typeof sandboxFunds.$inferSelect
type PositionRow = typeof sandboxPositions.$inferSelect
type HoldingRow = typeof sandboxHoldings.$inferSelect
type DailyPnlRow = typeof sandboxDailyPnl.$inferSelect
type GttRow = typeof sandboxGtt.$inferSelect
type GttLegRow = typeof sandboxGttLegs.$inferSelect

export function toOrder(row: OrderRow): SandboxOrder {
  return {
    ...row,
    price: fromColumn(row.price),
    triggerPrice: fromColumn(row.triggerPrice),
    averagePrice: fromColumn(row.averagePrice),
    margin: fromColumn(row.margin),
  }
}

export function toFunds(row: FundsRow): SandboxFunds {
  return {
    ...row,
    capital: fromColumn(row.capital),
    available: fromColumn(row.available),
    used: fromColumn(row.used),
    realized: fromColumn(row.realized),
    todayRealized: fromColumn(row.todayRealized),
  }
}

export function toPosition(row: PositionRow): SandboxPosition {
  return {
    ...row,
    cost: fromColumn(row.cost),
    margin: fromColumn(row.margin),
    realized: fromColumn(row.realized),
    todayRealized: fromColumn(row.todayRealized),
    openingCost: fromColumn(row.openingCost),
    ltp: fromColumn(row.ltp),
  }
}

export function toHolding(row: HoldingRow): SandboxHolding {
  return { ...row, cost: fromColumn(row.cost), ltp: fromColumn(row.ltp) }
}

export function toDailyPnl(row: DailyPnlRow): SandboxDailyPnl {
  return {
    userId: row.userId,
    date: row.date,
    realized: fromColumn(row.realized),
    positionsUnrealized: fromColumn(row.positionsUnrealized),
    holdingsUnrealized: fromColumn(row.holdingsUnrealized),
    totalMtm: fromColumn(row.totalMtm),
    available: fromColumn(row.available),
    used: fromColumn(row.used),
    portfolioValue: fromColumn(row.portfolioValue),
  }
}

/** @param legs of this GTT, in order */
export function toGtt(row: GttRow, legs: readonly GttLegRow[]): SandboxGtt {
  return {
    ...row,
    lastPrice: fromColumn(row.lastPrice),
    margin: fromColumn(row.margin),
    legs: legs.map(
      ({ gttId: _, ...leg }): SandboxGttLeg => ({
        ...leg,
        triggerPrice: fromColumn(leg.triggerPrice),
        price: fromColumn(leg.price),
        margin: fromColumn(leg.margin),
      }),
    ),
  }
}

export const ORDERS = insertInto(sandboxOrders, allBut(sandboxOrders), { key: ['orderId'] })
export const TRADES = insertInto(sandboxTrades, allBut(sandboxTrades, 'id'))
export const POSITIONS = insertInto(sandboxPositions, allBut(sandboxPositions), {
  key: ['userId', 'symbol', 'exchange', 'product'],
})
export const HOLDINGS = insertInto(sandboxHoldings, allBut(sandboxHoldings), {
  key: ['userId', 'symbol', 'exchange'],
})
export const FUNDS = insertInto(sandboxFunds, allBut(sandboxFunds), { key: ['userId'] })
export const CONFIG = insertInto(sandboxConfig, allBut(sandboxConfig), { key: ['key'] })
export const DAILY_PNL = insertInto(sandboxDailyPnl, allBut(sandboxDailyPnl), { key: ['userId', 'date'] })
export const GTTS = insertInto(sandboxGtt, allBut(sandboxGtt), { key: ['gttId'] })
export const GTT_LEGS = insertInto(sandboxGttLegs, allBut(sandboxGttLegs), { key: ['gttId', 'legNumber'] })
export const JOBS = insertInto(sandboxJobs, allBut(sandboxJobs), { key: ['job', 'slot'] })

export function ofOrder(order: SandboxOrder) {
  return {
    ...order,
    price: toColumn(order.price),
    triggerPrice: toColumn(order.triggerPrice),
    averagePrice: toColumn(order.averagePrice),
    margin: toColumn(order.margin),
  }
}

export function ofTrade(trade: SandboxTrade) {
  return { ...trade, price: toColumn(trade.price) }
}

export function ofPosition(position: SandboxPosition) {
  return {
    ...position,
    cost: toColumn(position.cost),
    margin: toColumn(position.margin),
    realized: toColumn(position.realized),
    todayRealized: toColumn(position.todayRealized),
    openingCost: toColumn(position.openingCost),
    ltp: toColumn(position.ltp),
  }
}

export function ofHolding(holding: SandboxHolding) {
  return { ...holding, cost: toColumn(holding.cost), ltp: toColumn(holding.ltp) }
}

export function ofFunds(funds: SandboxFunds) {
  return {
    ...funds,
    capital: toColumn(funds.capital),
    available: toColumn(funds.available),
    used: toColumn(funds.used),
    realized: toColumn(funds.realized),
    todayRealized: toColumn(funds.todayRealized),
  }
}

export function ofDailyPnl(day: SandboxDailyPnl) {
  return {
    ...day,
    realized: toColumn(day.realized),
    positionsUnrealized: toColumn(day.positionsUnrealized),
    holdingsUnrealized: toColumn(day.holdingsUnrealized),
    totalMtm: toColumn(day.totalMtm),
    available: toColumn(day.available),
    used: toColumn(day.used),
    portfolioValue: toColumn(day.portfolioValue),
  }
}

export function ofGtt(gtt: SandboxGtt) {
  return { ...gtt, lastPrice: toColumn(gtt.lastPrice), margin: toColumn(gtt.margin) }
}

export function ofLegs({ gttId, legs }: SandboxGtt) {
  return legs.map((leg) => ({
    gttId,
    ...leg,
    triggerPrice: toColumn(leg.triggerPrice),
    price: toColumn(leg.price),
    margin: toColumn(leg.margin),
  }))
}
