import type { CommandSpec } from '../../framework/command.js'
import { EXIT } from '../../framework/exit-codes.js'
import { SHELLS } from '../../help/completion.js'
import { dynamicValues } from './complete.js'

const SHELL_NAMES = ['bash', 'zsh', 'fish'] as const

const INSTALL: Readonly<Record<(typeof SHELL_NAMES)[number], string>> = {
  bash: 'completion bash > ~/.local/share/bash-completion/completions/svc',
  zsh: 'completion zsh > ~/.zfunc/_svc',
  fish: 'completion fish > ~/.config/fish/completions/svc.fish',
}

export const completion: CommandSpec = {
  name: 'completion',
  summary: 'Prints a completion script, generated from the commands themselves.',
  examples: Object.values(INSTALL),
  verbs: SHELL_NAMES.map((name) => ({
    name,
    summary: `Prints the completion script of ${name}.`,
    examples: [INSTALL[name]],
    async run(context) {
      context.out.write(await SHELLS[name]())
      return EXIT.done
    },
  })),
}

/**
 * The command that the completion scripts call for ids: `svc __complete approvals`. Prints nothing when it
 * fails.
 */
export const complete: CommandSpec = {
  name: '__complete',
  summary: 'Prints the values for shell completion.',
  examples: [],
  arguments: [{ syntax: '<kind>', summary: 'kind of value' }],
  async run(context, input) {
    context.out.write((await dynamicValues(context, input.required(0))).map((value) => `${value}\n`).join(''))
    return EXIT.done
  },
}
