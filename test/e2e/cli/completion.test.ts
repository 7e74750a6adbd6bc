import { execFile, execFileSync } from 'node:child_process'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { commandDesk } from '../../support/desk/command-desk.js'
import { eventually } from '../../support/eventually.js'
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

/** Completion gives up on a daemon that does not answer within 2 s, so words of the daemon are polled. */
const polled = (line: string) => expect.poll(() => bash(line))

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
    // Bash replaces only the part after the colon.
    await polled('svc order place NSE:SBI').toContain('SBIN')
    await polled('svc order place --symbol NSE:SBI').toContain('SBIN')
    await polled('svc order place --symbol=NSE:SBI').toContain('SBIN')
  })

  it('completes each word of an order', async () => {
    await polled('svc order place SBI').toContain('SBIN')
    expect(await bash('svc order place SBIN N')).toContain('NSE')
    for (const symbol of ['SBIN NSE', 'NSE:SBIN'])
      expect(await bash(`svc order place ${symbol} `)).toEqual(['BUY', 'SELL'])
    expect(await bash('svc order place SBIN NSE BUY 10 --product ')).toEqual(['MIS', 'NRML', 'CNC'])
    expect(await bash('svc order place SBIN NSE BUY 10 --type S')).toEqual(['SL', 'SL-M'])
  })

  it('completes expiries, indicators and node types', async () => {
    let expiries: string[] = []
    await eventually(async () => {
      expiries = await bash('svc chain NIFTY --expiry ')
      return expiries.length > 0
    })
    expect(expiries[0]).toMatch(/^\d{2}[A-Z]{3}\d{2}$/)
    await polled('svc order options NIFTY NSE_INDEX BUY 65 --expiry ').toEqual(expiries)
    expect(await bash('svc flow indicators rs')).toContain('rsi')
    expect(await bash('svc flow nodes openP')).toEqual(['openPosition'])
  })

  it('completes ids from the daemon', async () => {
    const price = await desk.daemon.priceAt(0.95)
    await desk.terminal.svc(`order place SBIN NSE BUY 10 --product CNC --type LIMIT --price ${price}`)
    const [order] = await desk.terminal.json<{ orderid: string }[]>('order list')
    await polled('svc order cancel ').toEqual([order?.orderid])
    await polled('svc order status order/').toEqual([`order/${order?.orderid}`])
    expect(await bash('svc risk set max_order_v')).toEqual(['max_order_value='])
  })

  it('completes approvals by id and by the name that -q prints', async () => {
    await desk.daemon.orderMode('semi_auto')
    const name = (await desk.terminal.svc('order place SBIN NSE BUY 1 -q')).stdout.trim()
    await desk.daemon.orderMode('auto')
    await polled('svc approval approve ').toContain(name.replace('approval/', ''))
    await polled('svc approval approve approval/').toContain(name)
  })

  it('completes GTTs', async () => {
    const trigger = '--product CNC --type LIMIT --price 500 --trigger-sl 505'
    const { stdout } = await desk.terminal.svc(`order gtt place SBIN NSE SELL 1 ${trigger} -q`)
    await polled('svc order gtt cancel ').toEqual([stdout.trim()])
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
    expect(await fish('svc order place NSE:SBIN ')).toEqual(['BUY', 'SELL'])
    expect(await fish('svc order place NSE:SBIN')).toContain('NSE:SBIN')
    expect(await fish('svc flow validate flow')).toEqual(['flows/'])
  })
})

describe.skipIf(without('zsh'))(named('zsh'), () => {
  it('completes commands, values and ids', async () => {
    expect(await zsh('svc order pl')).toBe('svc order place ')
    expect(await zsh('svc approval list --status rej')).toBe('svc approval list --status rejected ')
    expect(await zsh('svc order place NSE:SBIN B')).toBe('svc order place NSE:SBIN BUY ')
    expect(await zsh('svc risk set max_order_v')).toBe('svc risk set max_order_value=')
  })
})
