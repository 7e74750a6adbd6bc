import type { Column } from '../../views/table/column.js'

export const STRATEGIES: readonly Column[] = [
  { key: 'id' },
  { key: 'name' },
  { key: 'strategy_kind', title: 'KIND', leaves: 2 },
  { key: 'status', kind: 'status' },
  { key: 'mode', kind: 'status' },
  { key: 'pnl', title: 'P&L', kind: 'signed' },
  { key: 'open_legs', title: 'OPEN' },
  { key: 'webhook', leaves: 1 },
  { key: 'live', title: 'LIVE ALLOWED', leaves: 3 },
]

export const LEGS: readonly Column[] = [
  { key: 'id', title: 'LEG' },
  { key: 'symbol' },
  { key: 'side', kind: 'status', leaves: 2 },
  { key: 'quantity', title: 'QTY', kind: 'quantity' },
  { key: 'status', leaves: 3 },
  { key: 'entry', kind: 'price' },
  { key: 'last', kind: 'price' },
  { key: 'stop', kind: 'price' },
  { key: 'target', kind: 'price', leaves: 1 },
  { key: 'pnl', title: 'P&L', kind: 'signed' },
  { key: 'feed' },
]

export const EVENTS: readonly Column[] = [
  { key: 'ts', title: 'TIME', kind: 'time' },
  { key: 'severity', kind: 'status' },
  { key: 'message' },
]

export const RUNS: readonly Column[] = [
  { key: 'id', title: 'RUN' },
  { key: 'mode', kind: 'status' },
  { key: 'trigger_source', title: 'BY', leaves: 1 },
  { key: 'started_at', title: 'STARTED', kind: 'time' },
  { key: 'stopped_at', title: 'STOPPED', kind: 'time' },
  { key: 'stop_reason', title: 'REASON' },
  { key: 'pnl_realized', title: 'REALISED', kind: 'signed' },
]
