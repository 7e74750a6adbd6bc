import type { RouteAnswer } from '../../client/endpoints.js'
import type { Column } from '../table/column.js'

export type ListedWorkflow = RouteAnswer<'GET /flow/api/workflows'>[number]

export const WORKFLOW_COLUMNS = [
  { key: 'id', kind: 'quantity' },
  { key: 'file_key', title: 'KEY', leaves: 2 },
  { key: 'name' },
  { key: 'is_active', title: 'ACTIVE' },
  { key: 'version', kind: 'quantity', leaves: 4 },
  { key: 'drifted', leaves: 3 },
  { key: 'last_execution_status', title: 'LAST RUN', kind: 'status' },
  { key: 'next_run_at', title: 'NEXT RUN', kind: 'time', leaves: 1 },
  { key: 'trigger', wide: true },
  { key: 'last_execution_at', title: 'LAST START', kind: 'time', wide: true },
] as const satisfies readonly Column[]

export const WORKFLOW_FIELDS = [
  { key: 'id' },
  { key: 'name' },
  { key: 'description' },
  { key: 'file_key', title: 'KEY' },
  { key: 'is_active', title: 'ACTIVE' },
  { key: 'version' },
  { key: 'drifted' },
  { key: 'webhook_enabled', title: 'WEBHOOK' },
  { key: 'webhook_auth_type', title: 'WEBHOOK AUTH TYPE' },
  { key: 'created_at', title: 'CREATED', kind: 'time' },
  { key: 'updated_at', title: 'UPDATED', kind: 'time' },
] as const satisfies readonly Column[]
