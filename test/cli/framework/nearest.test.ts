import { expect, test } from 'vitest'
import { nearestCommand } from '../../../src/cli/framework/nearest.js'
import { CliDesk } from '../../support/desk/cli-desk.js'

/* The command that is suggested for a mistyped one: never one that ends something while another is as near. */

test.each([
  ['delpoy', ['delete', 'apply', 'plan'], undefined],
  ['delte', ['delete', 'list'], 'delete'],
  ['cancle', ['cancel', 'cancel-all', 'place'], 'cancel'],
  ['sto', ['stop', 'sta'], 'sta'],
  ['clos', ['close', 'close-all', 'clone'], 'close'],
  ['clone', ['close', 'clove'], 'clove'],
  ['revole', ['revoke', 'list'], 'revoke'],
  ['resot', ['reset', 'resolve', 'report'], 'reset'],
  ['reort', ['reset', 'report'], 'report'],
  ['lst', ['reset', 'list'], 'list'],
])('%s among %j is %s', (word, known, near) => {
  expect(nearestCommand(word, known)).toBe(near)
  expect(nearestCommand(word, known.toReversed())).toBe(near)
})

const MISTAKEN = [
  ['flow delpoy', /See: svc flow --help/],
  ['flow delte', /Did you mean delete\?/],
  ['order plaec', /Did you mean place\?/],
  ['ordr list', /Did you mean order\?/],
  ['help flow delpoy', /See: svc help/],
  ['flow delpoy --help', /See: svc flow --help/],
  ['order --watc', /Did you mean svc order list --watch\?/],
  ['order --watch', /Did you mean svc order list --watch\?/],
  ['order list --watc', /Did you mean --watch\?/],
  ['order list --watc=5', /Did you mean --watch\?/],
  ['order list --jso', /Did you mean --json\?/],
  ['order list --colums ltp', /Did you mean --columns\?/],
  ['order place --qantity 5', /Did you mean --quantity\?/],
  ['order --dry-run place', /Put --dry-run after svc order place\./],
  ['event follow --event order_updat', /Did you mean order_update\?/],
  ['event follow --event zzzzzzzz', /Events: .*order_update/],
  ['order --cat', /See: svc order --help/],
  ['order list --nothing-like-it', /See: svc order list --help/],
  ['--utx', /Did you mean --utc\?/],
] as const

test('a mistaken word is answered with the nearest one', async () => {
  const desk = await CliDesk.open()
  for (const [line, hint] of MISTAKEN) {
    const { exit, stderr } = await desk.svc(line)
    expect([line, exit, stderr]).toEqual([line, 2, expect.stringMatching(hint)])
  }
})
