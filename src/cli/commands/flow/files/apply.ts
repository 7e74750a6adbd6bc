import { countText } from '../../../../views/text/count.js'
import type { CommandSpec } from '../../../framework/command/command.js'
import type { Context } from '../../../framework/context.js'
import { EXIT } from '../../../framework/exit-codes.js'
import { checkoutOf } from '../../../io/checkout.js'
import { COMMIT, EXPECT, expectedVersions, givenVersions } from './expect.js'
import { areComplete } from './folder.js'
import { workflowsToSend } from './load.js'
import {
  isChange,
  PATHS,
  type PlannedWorkflow,
  PRUNE,
  planText,
  requestPlan,
  showPlan,
  type TargetState,
} from './plan.js'

export const apply: CommandSpec = {
  name: 'apply',
  summary: 'Makes the workflows of the daemon match the files. A second run changes nothing.',
  examples: [
    'flow apply flows',
    'flow apply flows --activate --yes',
    'flow apply flows --prune --yes --commit "$GITHUB_SHA"',
    'flow apply flows/opening-range-breakout.yaml --expect 4',
  ],
  details:
    'Ids, webhooks and history are kept. On a terminal the command shows the plan and asks. In a script only deletions need --yes, and --activate beside an active workflow that has no file any more.\n' +
    'A version that this checkout does not know, or that another user made, is overwritten only with --expect (exit 5).',
  arguments: [PATHS],
  options: [PRUNE, { flags: '--activate', summary: 'activate the inactive workflows' }, EXPECT, COMMIT],
  async run(context, input) {
    const paths = input.words(0)
    const workflows = await workflowsToSend(context, paths)
    const files = workflows.map(({ file }) => file)
    const checkout = await checkoutOf(files, input.text('commit'))
    const [prune, activate] = [input.flag('prune'), input.flag('activate')]
    const { commit } = checkout
    const target: TargetState = { workflows, prune, activate, complete: areComplete(paths), commit }
    const planned = await requestPlan(context, 'plan', target)
    const given = givenVersions(input.list('expect'), planned)
    const expect = await expectedVersions(planned, given, checkout)
    await confirmed(context, planned, activate)
    await showPlan(context, await requestPlan(context, 'apply', { ...target, expect }), { done: true })
    return EXIT.done
  },
}

/**
 * Confirms the changes: all of them on a terminal; in a script those that delete something, and an activation while
 * another copy may be active.
 */
async function confirmed(
  context: Context,
  planned: readonly PlannedWorkflow[],
  activate: boolean,
): Promise<void> {
  if (context.settings.yes) return
  const changed = planned.filter(isChange)
  const deleted = changed.filter(({ action }) => action === 'delete').length
  const beside = activate ? planned.filter(isActiveBeside) : []
  const isAsked = context.settings.interactive && changed.length > 0
  if (deleted === 0 && beside.length === 0 && !isAsked) return
  const shown = planned.filter((row) => isChange(row) || beside.includes(row))
  context.io.stderr.write(await planText(shown))
  const act = changed.length > 0 ? `Apply ${countText(changed.length, 'change')}` : 'Activate the workflows'
  const loss = deleted === 0 ? '' : `, including ${countText(deleted, 'deletion')}`
  const other =
    beside.length === 0 ? '' : `, beside ${countText(beside.length, 'active workflow')} without a file`
  await context.prompts.confirm(`${act}${loss}${other}`)
}

/** Returns whether an active workflow without a file may be an older copy of one of the files. */
function isActiveBeside({ action, is_active: isActive, namesake }: PlannedWorkflow): boolean {
  return (action === 'orphan' && isActive) || namesake?.is_active === true
}
