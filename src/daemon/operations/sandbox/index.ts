import { messageOnly } from '../common/answers.js'
import { csvFileQuery } from '../common/payloads.js'
import { signedIn } from '../running.js'
import * as answers from './answers.js'
import { settingPayload } from './payloads.js'

const sandbox = signedIn('Sandbox', 'api')

const reading = { scopes: ['read', 'settings'] } as const
const changing = { scopes: ['settings'] } as const
const json = ['validation', 'too_large', 'unsupported_media'] as const

export const SANDBOX_OPERATIONS = {
  'GET /sandbox/api/configs': sandbox('Lists the sandbox settings by group.', {
    ...reading,
    answer: answers.configs,
  }),
  'POST /sandbox/update': sandbox('Changes a sandbox setting.', {
    ...changing,
    body: settingPayload,
    example: { config_key: 'equity_mis_leverage', config_value: '5' },
    answer: messageOnly,
    errors: json,
  }),
  'POST /sandbox/reset': sandbox('Resets the simulated account and its settings.', {
    ...changing,
    answer: messageOnly,
  }),
  'POST /sandbox/reload-squareoff': sandbox('Reloads the square-off times.', {
    ...changing,
    answer: messageOnly,
  }),
  'GET /sandbox/squareoff-status': sandbox('Returns the schedule of the sandbox jobs.', {
    ...reading,
    answer: answers.schedule,
  }),
  'GET /sandbox/mypnl/api/data': sandbox('Returns profit and history.', { ...reading, answer: answers.pnl }),
  'GET /sandbox/mypnl/export/:kind': sandbox('Exports profit and history as a CSV file.', {
    ...reading,
    params: { kind: 'daily, positions, holdings or trades.' },
    query: csvFileQuery,
    answerText: 'text/csv',
    errors: ['not_found', 'validation'],
  }),
}
