import { WORKFLOW_FIELDS } from '../../views/flows/workflow.js'
import type { Column } from '../../views/table/column.js'

export const FLOWS: readonly Column[] = [
  { key: 'id', kind: 'quantity' },
  { key: 'name' },
  { key: 'state' },
  { key: 'trigger' },
  { key: 'next_run_at', title: 'NEXT RUN', kind: 'time' },
  { key: 'last_execution_status', title: 'LAST RUN', kind: 'status' },
  { key: 'last_execution_at', title: 'STARTED', kind: 'time', leaves: 1 },
]

/** The fields of `flow show`, and the whole graph. */
export const DETAILS: readonly Column[] = [
  ...WORKFLOW_FIELDS.flatMap((field: Column) => {
    if (field.key === 'is_active') return [{ key: 'state' }, { key: 'trigger' }]
    if (field.key !== 'webhook_auth_type') return [field]
    return [{ key: 'webhook_url', title: 'WEBHOOK URL' }, field]
  }),
  { key: 'nodes' },
  { key: 'edges' },
]
