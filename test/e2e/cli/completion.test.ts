import { execFile, execFileSync } from 'node:child_process'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { commandDesk } from '../../support/desk/command-desk.js'
import { SVC } from '../../support/process/daemon-process.js'

const run = promisify(execFile)
const desk = commandDesk()

/** Runs a program of a shell that has `svc` on its path, signed in at the daemon of the test. */
async function inShell(shell: string, ...args: string[]): Promise<string> {
  const { home } = desk.terminal
  const PATH = `${dirname(SVC)}:${process.env.PATH}`
  const env = { PATH, HOME: home, SVC_HOME: home, SVC_URL: desk.daemon.url, TERM: 'xterm' }
  return (await run(shell, args, { env, cwd: dirname(dirname(SVC)) })).stdout
}

/** Completes a line in bash; returns the words that bash would insert. */
async function bash(line: string): Promise<string[]> {
  const program = `source <(svc completion bash); COMP_LINE=$1 COMP_POINT=\${#1}; _svc; printf '%s\\n' "\${COMPREPLY[@]}"`
  return lines(await inShell('bash', '-c', program, 'bash', line))
}

async function fish(line: string): Promise<string[]> {
  const program = 'svc completion fish | source; complete -C "$argv[1]"'
  return lines(await inShell('fish', '--no-config', '-c', program, line)).map((one) =>
    one.replace(/\t.*/, ''),
  )
}

/** Types a line and Tab into an interactive zsh; returns its line buffer then, which Ctrl-G prints. */
async function zsh(line: string): Promise<string> {
  const program = String.raw`
    zmodload zsh/zpty
    zpty shell zsh -f -i
    local seen='' chunk
    until_seen() { while [[ $seen != *$1* ]]; do zpty -r shell chunk || return 1; seen+=$chunk; done }
    zpty -w shell 'PS1=; autoload -U compinit; compinit -u -D; source <(svc completion zsh); print REA''DY'
    until_seen READY
    zpty -w shell "show() { print -r -- \"<<\$BUFFER>>\" >/dev/tty }; zle -N show; bindkey '^G' show; print BOU''ND"
    until_seen BOUND; seen=''
    zpty -w -n shell "$1"$'\t\a'
    until_seen '>>'
    zpty -d shell
    print -r -- "$seen"`
  const shown = await inShell('zsh', '-f', '-c', program, 'zsh', line)
  return /<<(.*)>>/.exec(shown)?.[1] ?? shown
}

const lines = (text: string) => text.split('\n').filter((line) => line !== '')
const without = (shell: string): boolean => {
  try {
    execFileSync(shell, ['--version'], { stdio: 'ignore' })
    return false
  } catch {
    return true
  }
}
const named = (shell: string) =>
  without(shell) ? `completion in ${shell} (not installed here)` : `completion in ${shell}`

describe('completion in bash', () => {
  it('completes commands, options, and fixed values', async () => {
    expect(await bash('svc order pl')).toEqual(['place'])
    expect(await bash('svc order place --idem')).toEqual(['--idempotency-key'])
    expect(await bash('svc --json mode set semi')).toEqual(['semi_auto'])
    expect(await bash('svc approval list --status rej')).toEqual(['rejected'])
  })

  it('completes the words after = and :, where bash starts a new word', async () => {
    expect(await bash('svc order list --output=js')).toEqual(['json', 'jsonl'])
  })

  it('completes ids from the daemon', async () => {
    await desk.terminal.svc('order place SBIN NSE BUY 10 --product CNC --type LIMIT --price 500')
    const [order] = await desk.terminal.json<{ orderid: string }[]>('order list')
    expect(await bash('svc order cancel ')).toEqual([order?.orderid])
    expect(await bash('svc risk set max_order_v')).toEqual(['max_order_value='])
  })

  it('completes nothing when no daemon runs', async () => {
    expect(await bash('svc --url http://127.0.0.1:1 order cancel ')).toEqual([])
  })
})

describe.skipIf(without('fish'))(named('fish'), () => {
  it('completes commands, values, ids and file names', async () => {
    expect(await fish('svc order pl')).toEqual(['place'])
    expect(await fish('svc approval list --status rej')).toEqual(['rejected'])
    expect(await fish('svc risk set max_order_v')).toEqual(['max_order_value='])
    expect(await fish('svc flow validate flow')).toEqual(['flows/'])
  })
})

describe.skipIf(without('zsh'))(named('zsh'), () => {
  it('completes commands, values and ids', async () => {
    expect(await zsh('svc order pl')).toBe('svc order place ')
    expect(await zsh('svc approval list --status rej')).toBe('svc approval list --status rejected ')
    expect(await zsh('svc risk set max_order_v')).toBe('svc risk set max_order_value=')
  })
})
