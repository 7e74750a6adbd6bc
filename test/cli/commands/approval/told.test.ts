import { expect, test } from 'vitest'
import { approvalsTold } from '../../../../src/cli/commands/approval/decide.js'
import { CliError } from '../../../../src/cli/framework/errors.js'
import { EXIT } from '../../../../src/cli/framework/exit-codes.js'

const answered = (status: string) =>
  new CliError(EXIT.refused, 'x', { code: 'refused', response: { status, message: 'x' } })

test.each<[string, readonly CliError[], string]>([
  ['nothing', [], '5 approved and executed.'],
  ['a refusal of the daemon', [answered('error')], '4 approved and executed, 1 refused.'],
  ['a refusal before it is sent', [new CliError(EXIT.refused, 'x')], '4 approved and executed, 1 refused.'],
  ['no daemon', [new CliError(EXIT.noDaemon, 'x')], '4 approved and executed, 1 not sent.'],
  [
    'no connection in time',
    [new CliError(EXIT.failed, 'x', { code: 'timeout' })],
    '4 approved and executed, 1 not sent.',
  ],
  ['a lost answer', [new CliError(EXIT.unknown, 'x')], '4 approved and executed, 1 in doubt.'],
  [
    'all of these',
    [
      answered('warning'),
      answered('error'),
      new CliError(EXIT.noDaemon, 'x'),
      new CliError(EXIT.unknown, 'x'),
    ],
    '1 approved and executed, 1 failed, 1 refused, 1 not sent, 1 in doubt.',
  ],
])('five approvals with %s', (_name, failures, told) => {
  expect(approvalsTold(failures, 5)).toBe(told)
})
