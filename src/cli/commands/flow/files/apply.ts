import { execFile } from 'node:child_process'
import { dirname } from 'node:path'
import type { WorkflowFile } from '../../../../core/flows/files/index.js'
import type { CommandSpec } from '../../../framework/command.js'
import type { Context } from '../../../framework/context.js'
import { EXIT } from '../../../framework/exit-codes.js'
import { countText } from '../../../output/text/count.js'
import { workflowsToSend } from './load.js'
import {
  hasDifferences,
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
  ],
  details:
    'Ids, webhooks and history are kept. On a terminal the command shows the plan and asks. In a script only deletions need --yes.',
  arguments: [PATHS],
  options: [
    PRUNE,
    { flags: '--activate', summary: 'activate the inactive workflows' },
    {
      flags: '--commit <sha>',
      summary: "commit to store with each version (default: HEAD of the files' repository)",
    },
  ],
  async run(context, input) {
    const workflows = await workflowsToSend(context, input.words(0))
    const commit = input.text('commit') ?? (await headOf(workflows))
    const [prune, activate] = [input.flag('prune'), input.flag('activate')]
    const wanted: TargetState = { workflows, prune, activate, commit }
    await confirmed(context, wanted)
    await showPlan(context, await requestPlan(context, 'apply', wanted), true)
    return EXIT.done
  },
}

/** Confirms the changes: all of them on a terminal, in a script only those that delete something. */
async function confirmed(context: Context, wanted: TargetState): Promise<void> {
  if (context.settings.yes) return
  const planned = await requestPlan(context, 'plan', wanted)
  const deleted = planned.filter((row) => row.action === 'delete').length
  if (deleted === 0 && !(context.settings.interactive && hasDifferences(planned))) return
  context.io.stderr.write(await planText(planned.filter(isChange)))
  const loss = deleted === 0 ? '' : `, including ${countText(deleted, 'deletion')}`
  await context.prompts.confirm(`Apply ${countText(planned.filter(isChange).length, 'change')}${loss}`)
}

const isChange = (row: PlannedWorkflow) => row.action !== 'none'

/** Returns the checked-out commit of the files' repository; undefined outside of a repository. */
function headOf([first]: readonly WorkflowFile[]): Promise<string | undefined> {
  if (first === undefined) return Promise.resolve(undefined)
  const words = ['-C', dirname(first.file), 'rev-parse', '--verify', 'HEAD']
  return new Promise((resolve) => {
    execFile('git', words, { timeout: 5000 }, (error, stdout) =>
      resolve(error ? undefined : stdout.trim().slice(0, 64)),
    )
  })
}
