import { OPERATIONS } from '../../operations/index.js'
import { named } from '../../operations/named.js'
import { operationTool } from './build.js'
import type { Tool } from './tool.js'

const telegram = OPERATIONS['POST /api/v1/telegram/notify']
const version = OPERATIONS['GET /version']
/** The tools of operations that do not name them themselves yet. */
export const OTHER_TOOLS: readonly Tool[] = [
  operationTool(named('POST /api/v1/telegram/notify', telegram), {
    name: 'send_telegram_alert',
    scope: 'read:account',
    toolset: 'utility',
    title: 'Send a message by Telegram',
    more: 'The message leaves the service. Send nothing that its receiver should not know.',
    defaults: { priority: 5 },
    without: ['wait_for_delivery'],
    hints: { outside: true },
  }),
  operationTool(named('GET /version', version), {
    name: 'get_svc_version',
    scope: 'read:market',
    toolset: 'utility',
    title: 'Get the version of the service',
  }),
]
