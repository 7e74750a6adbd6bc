import { countText } from '../../../../views/text/count.js'
import type { CommandSpec } from '../../../framework/command/command.js'
import { EXIT } from '../../../framework/exit-codes.js'
import { planArguments, planOptions, runApply, runDrift, runPlan } from '../plans/commands.js'

export const plan: CommandSpec = {
  name: 'plan',
  summary: 'Shows what svc flow apply would change, field by field. Exit 9 when there are changes.',
  examples: [
    'flow plan flows',
    'flow plan flows --prune',
    'flow plan flows --json',
    'flow plan flows --out monday.plan.json',
  ],
  details:
    'All files are checked first, including symbols. If one has an error, nothing is sent (exit 2).\n' +
    'Workflows that were applied from a file and have none any more are listed too. With single files, these are the workflows of files whose id has changed.\n' +
    'Strategy files at the paths are part of the plan: all in a folder strategies, and others by their keys.\n' +
    '--out saves the plan. svc flow apply FILE applies exactly it, or refuses because the daemon has changed.',
  arguments: planArguments.plan,
  options: planOptions('workflow', 'plan'),
  run: (context, input) => runPlan(context, input, 'workflow'),
}

export const apply: CommandSpec = {
  name: 'apply',
  summary: 'Makes the workflows of the daemon match the files. A second run changes nothing.',
  examples: [
    'flow apply flows',
    'flow apply flows --activate --yes',
    'flow apply flows --prune --yes --commit "$GITHUB_SHA"',
    'flow apply flows/opening-range-breakout.yaml --expect 4',
    'flow apply monday.plan.json',
  ],
  details:
    'Ids, webhooks and history are kept. On a terminal the command shows the plan and asks. In a script only deletions need --yes, and --activate beside an active workflow that has no file any more.\n' +
    'A script overwrites a workflow that was changed here since its file was last applied, for example rolled back, only with\n--expect or a saved plan (exit 5); a terminal asks.\n' +
    'So it activates a workflow again that was deactivated here (--activate).\n' +
    'A version that this checkout does not know, or that another user made, is overwritten only with --expect (exit 5).\n' +
    'Strategy files at the paths are applied too, before the workflows.\n' +
    'A name ending in .plan.json is a plan of svc flow plan --out. It is applied exactly as it was shown, or refused (exit 5) if the daemon is another one or has changed since.',
  arguments: planArguments.apply,
  options: planOptions('workflow', 'apply'),
  run: (context, input) => runApply(context, input, 'workflow'),
}

export const drift: CommandSpec = {
  name: 'drift',
  summary: 'Shows workflows that differ from their files. Exit 9 when there is a difference.',
  examples: ['flow drift', 'flow drift flows', 'flow drift flows --json'],
  details:
    'Without paths: workflows changed by hand since they were applied from files.\n' +
    'With paths: all differences, and workflows that were applied from a file and have none any more.',
  arguments: [{ syntax: '[path...]', summary: 'files or directories' }],
  async run(context, input) {
    if (input.words(0).length > 0) return runDrift(context, input.words(0), 'workflow')
    const { body: all } = await context.read('GET /flow/api/workflows')
    const rows = all.filter((row) => row.file_key !== null && row.drifted)
    await context.out.list({
      rows,
      id: 'file_key',
      columns: [
        { key: 'id', kind: 'quantity' },
        { key: 'file_key', title: 'KEY' },
        { key: 'name' },
        { key: 'version', kind: 'quantity' },
        { key: 'updated_at', title: 'CHANGED', kind: 'time' },
      ],
      empty: 'No workflow was changed by hand.',
    })
    if (rows.length === 0) return EXIT.done
    context.out.note(
      `${countText(rows.length, 'workflow')} changed by hand. See the changes: svc flow drift PATH. Undo them: svc flow apply PATH --expect ID=VERSION`,
    )
    return EXIT.differences
  },
}
