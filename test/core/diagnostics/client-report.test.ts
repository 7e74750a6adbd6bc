import { expect, it } from 'vitest'
import { clientMessage, logClientReport } from '../../../src/core/diagnostics/index.js'
import { recordingLogger } from '../logging/recording-logger.js'

const logged = (report: Partial<Parameters<typeof logClientReport>[1]>) => {
  const log = recordingLogger()
  logClientReport(log, { message: 'boom', level: 'ERROR', ...report }, 'asha')
  const [line] = log.lines
  if (!line) throw new Error('nothing was logged')
  return line
}

it('a report is logged with its parts and its user', () => {
  expect(
    logged({
      url: 'https://x/logs',
      userAgent: 'UA',
      componentStack: 'in A\r\nin B',
      stack: 'Error: b\n\n f@x',
    }),
  ).toEqual({
    level: 'error',
    event: 'client.browser',
    fields: {
      message: 'boom',
      url: 'https://x/logs',
      user_agent: 'UA',
      user_id: 'asha',
      component_stack: ['in A', 'in B'],
      stack: ['Error: b', ' f@x'],
    },
  })
  expect(logged({ level: 'WARN' }).level).toBe('warn')
})

it('controls, escape sequences and marks of direction are removed', () => {
  const hostile = '\u001b[31mred\u001b[0m\u0007\u202egnp\u2028\u009b2Jx\u0000\u001b]0;title\u0007'
  expect(clientMessage(hostile)).toBe('redgnpx')
  expect(logged({ message: 'two\nlines' }).fields.message).toBe('two lines')
})

it('every part is cut to its limit', () => {
  const long = 'x'.repeat(1_000_000)
  const { fields } = logged({ message: long, stack: long, componentStack: long, url: long, userAgent: long })
  const lengths = Object.entries(fields).map(([name, value]) => [name, String(value).length])
  expect(Object.fromEntries(lengths)).toEqual({
    message: 2000,
    url: 2000,
    user_agent: 500,
    component_stack: 5000,
    stack: 20_000,
    user_id: 4,
  })
})

it('the address of the page loses its query and fragment, which may hold a token', () => {
  expect(logged({ url: 'https://x/reset-password?token=abc#code=123456' }).fields.url).toBe(
    'https://x/reset-password',
  )
})
