import type { RouteAnswer } from '../../../../client/endpoints.js'

/** What a file may hold. */
export const KINDS = ['workflow', 'strategy'] as const
export type Kind = (typeof KINDS)[number]

/** A workflow, and the changes that applying its file would make or has made. */
export type WorkflowRow = { kind: 'workflow' } & RouteAnswer<'POST /flow/api/plan'>['data'][number] &
  Partial<RouteAnswer<'POST /flow/api/apply'>['data'][number]>

/** A strategy, and the changes that applying its file would make or has made. */
export type StrategyRow = { kind: 'strategy' } & RouteAnswer<'POST /strategy/api/plan'>['data'][number] &
  Partial<RouteAnswer<'POST /strategy/api/apply'>['data'][number]>

export type PlannedRow = WorkflowRow | StrategyRow

/** Returns the name of a row: a workflow and a strategy may have one id. */
export function nameOf({ kind, key }: Pick<PlannedRow, 'kind' | 'key'>): string {
  return `${kind}:${key}`
}

/** Returns the id of a row as a message and `--expect` have it: with its kind if one of the other kind has the same id. */
export function wordOf<Row extends Pick<PlannedRow, 'kind' | 'key'>>(row: Row, rows: readonly Row[]): string {
  return rows.some(({ key, kind }) => key === row.key && kind !== row.kind) ? nameOf(row) : row.key
}

/** Returns whether a workflow or a strategy does something by itself now. */
export function isOn(row: PlannedRow): boolean {
  return row.kind === 'workflow' ? row.is_active : row.is_running
}

/** Returns whether an active workflow without a file may be an older copy of one of the files: both would order. */
export function isActiveBeside(row: PlannedRow): boolean {
  if (row.kind === 'strategy') return false
  return (row.action === 'orphan' && isOn(row)) || row.namesake?.is_active === true
}

/** Returns whether applying the files would change what is stored. */
export function isChange({ action }: Pick<PlannedRow, 'action'>): boolean {
  return action !== 'none' && action !== 'orphan'
}

/** Returns whether applying the files with `--activate` would activate a workflow. */
export function isActivated(row: PlannedRow): boolean {
  return row.kind === 'workflow' && !row.is_active && row.action !== 'delete' && row.action !== 'orphan'
}

/** Returns whether `--activate` would activate a workflow again that somebody deactivated, or whose trigger ended. */
export function isReactivated(row: PlannedRow): boolean {
  return row.kind === 'workflow' && isActivated(row) && row.was_active
}
