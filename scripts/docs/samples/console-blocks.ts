/*
 * A page shows real runs in `console` blocks. A line that starts with `$ ` is a command, and the lines below it are its
 * output. `<!-- setup: command -->` runs a command that the page does not show. All commands of a page run in order,
 * against one daemon.
 */
const BLOCK = /^```console\n([\s\S]*?)^```$|^<!-- setup: (.+) -->$/gm
const PROMPT = '$ '

/** The terminal of a page. */
export interface SampleTerminal {
  /** Runs a command line, and returns all that the terminal shows, also when the command fails. */
  show(commandLine: string): Promise<string>
  /** Runs a command line that the page does not show. @throws Error when it fails */
  prepare(commandLine: string): Promise<void>
}

/** Returns true for a page with at least one recorded block. */
export const hasSamples = (text: string): boolean => /^```console$/m.test(text)

/** Returns the page with every `console` block as the commands print it now. */
export async function recorded(text: string, terminal: SampleTerminal): Promise<string> {
  let page = ''
  let end = 0
  for (const match of text.matchAll(BLOCK)) {
    const [whole, block, setup] = match
    page += text.slice(end, match.index)
    end = match.index + whole.length
    if (setup !== undefined) await terminal.prepare(setup)
    page += block === undefined ? whole : `\`\`\`console\n${await session(block, terminal)}\`\`\``
  }
  return page + text.slice(end)
}

async function session(block: string, terminal: SampleTerminal): Promise<string> {
  const commands = commandsOf(block)
  if (commands.length === 0) throw new Error(`a console block has no command:\n${block}`)
  const parts: string[] = []
  for (const command of commands) parts.push(`${PROMPT}${command}\n${trimmed(await terminal.show(command))}`)
  return parts.join('\n')
}

/** A command continues on the next line after a backslash. */
function commandsOf(block: string): string[] {
  const commands: string[] = []
  let continues = false
  for (const line of block.split('\n')) {
    if (continues) commands.push(`${commands.pop()}\n${line}`)
    else if (line.startsWith(PROMPT)) commands.push(line.slice(PROMPT.length))
    continues = (continues || line.startsWith(PROMPT)) && line.endsWith('\\')
  }
  return commands
}

function trimmed(output: string): string {
  const lines = output.split('\n').map((line) => line.trimEnd())
  const text = lines.join('\n').replace(/^\n+|\n+$/g, '')
  return text === '' ? '' : `${text}\n`
}
