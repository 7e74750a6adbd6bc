import { signedIn } from '../running.js'
import * as answers from './answers.js'
import { auditExportQuery, auditQuery, auditVerifyQuery } from './payloads.js'

const audit = signedIn('Audit', 'sixtyAMinute')
const reading = { scopes: ['read', 'admin'], errors: ['validation'] } as const
const RISK = { act: 'risk', since: '2026-11-20T00:00:00+05:30' }

export const AUDIT_OPERATIONS = {
  'GET /audit/entries': audit('Lists the acts that changed state, newest first.', {
    ...reading,
    query: auditQuery,
    example: RISK,
    answer: answers.auditRows,
  }),
  'GET /audit/export': audit('Exports the audit trail, oldest first, of any length.', {
    ...reading,
    limit: 'tenAMinute',
    query: auditExportQuery,
    example: RISK,
    answerText: 'text/csv',
  }),
  'GET /audit/verify': audit('Checks the seal of every row, and names the first bad one.', {
    ...reading,
    limit: 'tenAMinute',
    query: auditVerifyQuery,
    example: {},
    answer: answers.verification,
  }),
}
