import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { Database } from '../../../src/core/storage/index.js'

const CHILD = fileURLToPath(new URL('./crash-child.ts', import.meta.url))
const directory = mkdtempSync(join(tmpdir(), 'svc-sandbox-crash-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

/** Runs the child until its crash point kills it; resolves with the lines it printed. */
function crash(file: string, point: string): Promise<{ signal: string | null; lines: string[] }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['--import', 'tsx', CHILD, file], {
      env: { ...process.env, SVC_CRASH_AT: point },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let output = ''
    child.stdout.on('data', (chunk) => {
      output += String(chunk)
    })
    child.on('error', reject)
    child.on('close', (_code, signal) => resolve({ signal, lines: output.split('\n').slice(0, -1) }))
  })
}

describe('a crash', () => {
  it.each(['fills.apply.midTransaction:5', 'positions.update.afterCommit:5'])(
    'at %s leaves whole decisions and everything that was answered',
    async (point) => {
      const file = join(directory, `${point.replace(':', '-')}.db`)
      const { signal, lines } = await crash(file, point)
      expect(signal).toBe('SIGKILL')
      const db = await Database.open({ file, schema: 'sandbox' })
      const orders = await db.queryRaw('select order_id as id, status from sandbox_orders')
      const trades = await db.queryRaw('select order_id as id, action, quantity from sandbox_trades')
      const [position] = await db.queryRaw('select quantity, margin_blocked as margin from sandbox_positions')
      const [funds] = await db.queryRaw(
        'select available_balance + used_margin - total_capital - realized_pnl as drift, used_margin as used from sandbox_funds',
      )
      expect(await db.queryRaw('pragma integrity_check')).toEqual([{ integrity_check: 'ok' }])
      await db.close()

      const stored = orders.map(({ id }) => String(id))
      for (const line of lines) expect(stored).toContain(line.split(' ')[1])
      expect(lines.filter((line) => line.startsWith('ack')).length).toBeGreaterThan(0)
      expect(trades.map(({ id }) => String(id)).sort()).toEqual([...stored].sort())
      const net = trades.reduce(
        (sum, { action, quantity }) => sum + (action === 'BUY' ? 1 : -1) * Number(quantity),
        0,
      )
      expect(position?.quantity).toBe(net)
      expect(funds).toEqual({ drift: 0, used: position?.margin })
    },
  )
})
